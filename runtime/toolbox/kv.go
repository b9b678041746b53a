package toolbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"chatterbox/runtime/internal/files"
)

// KV keeps what tools remember between calls: a folder per tool, a file per key. A value is replaced whole or not
// at all, also when the power goes. What a tool keeps is its own: the same in every conversation, or apart for each
// and gone with it. All methods may be called by several goroutines at once, and by several processes, of which
// each holds to the quota on its own.
type KV struct {
	folder string
	mu     sync.Mutex
}

const (
	kvKeyBytesMax = 256
	kvKeysMax     = 1024
	kvKeyCost     = 64 // what a key counts in the quota beside its value's bytes
	// kvConversationsMax is how many conversations one tool keeps something in.
	kvConversationsMax = 1000

	kvConversations = ".conversations" // the folder of what is kept apart; no tool has such a name
)

// NewKV gives a store in folder, which is made when the first value is set.
func NewKV(folder string) *KV { return &KV{folder: folder} }

var (
	errQuota         = errors.New("the value would pass the quota of this tool")
	errConversations = fmt.Errorf("this tool keeps values in %d conversations already; delete some of them",
		kvConversationsMax)
)

// Drawer is where values are kept: those of a tool, or of a tool in one conversation.
type Drawer struct {
	Tool         string
	Conversation string // empty: the same in all
}

// The names of files and folders are digests, so that a key and a conversation's id may be any text.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (kv *KV) path(drawer Drawer) string {
	if drawer.Conversation == "" {
		return filepath.Join(kv.folder, drawer.Tool)
	}
	return filepath.Join(kv.folder, kvConversations, hashed(drawer.Conversation), drawer.Tool)
}

// Get gives the value under key.
func (kv *KV) Get(drawer Drawer, key string) (value []byte, found bool, err error) {
	value, err = os.ReadFile(filepath.Join(kv.path(drawer), hashed(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return value, err == nil, err
}

// Set keeps value under key, unless all that is in the drawer would pass quota bytes then. nil takes the key away.
func (kv *KV) Set(drawer Drawer, key string, value []byte, quota int64) error {
	folder, file := kv.path(drawer), hashed(key)
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if value == nil {
		if err := os.Remove(filepath.Join(folder, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = kv.another(drawer)
	}
	if err != nil {
		return err
	}
	total, keys := int64(len(value))+kvKeyCost, 1
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && entry.Name() != file {
			total += info.Size() + kvKeyCost
			keys++
		}
	}
	if total > quota || keys > kvKeysMax {
		return errQuota
	}
	return files.Write(filepath.Join(folder, file), value, 0o600)
}

// another says whether the tool may have one more drawer.
func (kv *KV) another(drawer Drawer) error {
	if drawer.Conversation == "" {
		return nil
	}
	drawers, err := filepath.Glob(filepath.Join(kv.folder, kvConversations, "*", drawer.Tool))
	if err == nil && len(drawers) >= kvConversationsMax {
		err = errConversations
	}
	return err
}

// Forget drops all that tool keeps, in every conversation.
func (kv *KV) Forget(tool string) error {
	if !isToolName(tool) {
		return fmt.Errorf("%q is no tool's name", tool)
	}
	kv.mu.Lock()
	defer kv.mu.Unlock()
	apart, err := filepath.Glob(filepath.Join(kv.folder, kvConversations, "*", tool))
	for _, folder := range append(apart, filepath.Join(kv.folder, tool)) {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

// ForgetConversation drops what tools keep in a conversation; nothing is no error.
func (kv *KV) ForgetConversation(id string) error {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	return os.RemoveAll(filepath.Join(kv.folder, kvConversations, hashed(id)))
}

// ForgetConversations drops what tools keep in conversations that are none of living, which is asked only where
// tools keep anything at all. What a conversation began to keep after since stays: it may be one that is not stored
// yet.
func (kv *KV) ForgetConversations(since time.Time, living func() ([]string, error)) error {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	entries, err := os.ReadDir(filepath.Join(kv.folder, kvConversations))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	} else if err != nil {
		return err
	}
	ids, err := living()
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, id := range ids {
		kept[hashed(id)] = true
	}
	for _, entry := range entries {
		if info, gone := entry.Info(); gone != nil || kept[entry.Name()] || info.ModTime().After(since) {
			continue
		}
		err = errors.Join(err, os.RemoveAll(filepath.Join(kv.folder, kvConversations, entry.Name())))
	}
	return err
}

// kv answers kv_get and kv_set.
func (h *host) kv(function string, input []byte) any {
	store := h.box.options.KV
	switch {
	case h.tool.rights.KV.Bytes == 0:
		return failure{Error: "this tool has no grant for kv"}
	case store == nil:
		return failure{Error: "kv is not available on this host"}
	case h.tool.rights.KV.Scope == PerConversation && h.conversation == "":
		return failure{Error: "there is no conversation to keep values for"}
	}
	var asked struct {
		Key         *string         `json:"key"`
		Value       json.RawMessage `json:"value"` // null takes the key away
		ValueBase64 *string         `json:"value_base64"`
	}
	if wrong := read(input, &asked); wrong != nil {
		return *wrong
	}
	if asked.Key == nil || *asked.Key == "" || len(*asked.Key) > kvKeyBytesMax {
		return failure{Error: fmt.Sprintf("member key must have 1 to %d bytes", kvKeyBytesMax)}
	}
	drawer := Drawer{Tool: h.tool.manifest.Name}
	if h.tool.rights.KV.Scope == PerConversation {
		drawer.Conversation = h.conversation
	}
	if function == "kv_get" {
		value, found, err := store.Get(drawer, *asked.Key)
		if err != nil {
			return h.kvFailure(err)
		}
		answer := map[string]any{"found": found}
		if found {
			setBytes(answer, "value", value)
		}
		return answer
	}
	value, wrong := kvValue(asked.Value, asked.ValueBase64)
	if wrong != "" {
		return failure{Error: wrong}
	}
	err := store.Set(drawer, *asked.Key, value, h.tool.rights.KV.Bytes)
	switch {
	case errors.Is(err, errQuota) || errors.Is(err, errConversations):
		return failure{Error: err.Error()}
	case err != nil:
		return h.kvFailure(err)
	}
	return struct{}{}
}

func (h *host) kvFailure(err error) failure {
	h.box.log.Error("kv failed", "tool", h.tool.manifest.Name, "error", err)
	return failure{Error: "kv failed on this host"}
}

// kvValue gives the value to keep, nil for none.
func kvValue(given json.RawMessage, encoded *string) (value []byte, wrong string) {
	if string(given) == "null" && encoded == nil {
		return nil, ""
	}
	var plain *string
	if given != nil && (json.Unmarshal(given, &plain) != nil || plain == nil) {
		if encoded == nil {
			return nil, "member value must be a text or null"
		}
		plain = new(string) // beside another, whatever it is
	}
	if plain == nil && encoded == nil {
		return nil, "member value is missing"
	}
	return readBytes("value", plain, encoded)
}
