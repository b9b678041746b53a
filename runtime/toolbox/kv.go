package toolbox

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"
)

// KV keeps what tools remember between calls: a folder per tool, a file per key. A value is replaced whole or not at all,
// also when the power goes. What a tool keeps is its own, the same in every conversation. All methods may be called by
// several goroutines at once, and by several processes, of which each holds to the quota on its own.
type KV struct {
	folder string
	mu     sync.Mutex
}

const (
	kvKeyBytesMax = 256
	kvKeysMax     = 1024
	kvKeyCost     = 64 // what a key counts in the quota beside its value's bytes
)

// NewKV gives a store in folder, which is made when the first value is set.
func NewKV(folder string) *KV { return &KV{folder: folder} }

var errQuota = errors.New("the value would pass the quota of this tool")

// path is where tool keeps key. The file's name is a digest, so a key may be any text.
func (kv *KV) path(tool, key string) (folder, file string) {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(kv.folder, tool), hex.EncodeToString(sum[:])
}

// Get gives the value that tool keeps under key.
func (kv *KV) Get(tool, key string) (value []byte, found bool, err error) {
	folder, file := kv.path(tool, key)
	value, err = os.ReadFile(filepath.Join(folder, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return value, err == nil, err
}

// Set keeps value under key, unless all that tool keeps would pass quota bytes then. nil takes the key away.
func (kv *KV) Set(tool, key string, value []byte, quota int64) error {
	folder, file := kv.path(tool, key)
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if value == nil {
		if err := os.Remove(filepath.Join(folder, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
	return writeWhole(folder, file, value)
}

// Forget drops all that tool keeps.
func (kv *KV) Forget(tool string) error {
	if !toolName.MatchString(tool) {
		return fmt.Errorf("%q is no tool's name", tool)
	}
	kv.mu.Lock()
	defer kv.mu.Unlock()
	return os.RemoveAll(filepath.Join(kv.folder, tool))
}

// kv answers kv_get and kv_set.
func (h *host) kv(function string, input []byte) any {
	store := h.box.options.KV
	switch {
	case h.tool.rights.KV == 0:
		return failure{Error: "this tool has no grant for kv"}
	case store == nil:
		return failure{Error: "kv is not available on this host"}
	}
	var asked struct {
		Key         *string         `json:"key"`
		Value       json.RawMessage `json:"value"`
		ValueBase64 *string         `json:"value_base64"`
	}
	if wrong := read(input, &asked); wrong != nil {
		return *wrong
	}
	if asked.Key == nil || *asked.Key == "" || len(*asked.Key) > kvKeyBytesMax {
		return failure{Error: fmt.Sprintf("member key must have 1 to %d bytes", kvKeyBytesMax)}
	}
	name := h.tool.manifest.Name
	if function == "kv_get" {
		value, found, err := store.Get(name, *asked.Key)
		if err != nil {
			return h.kvFailure(err)
		}
		return kvAnswer(value, found)
	}
	value, wrong := kvValue(asked.Value, asked.ValueBase64)
	if wrong != "" {
		return failure{Error: wrong}
	}
	if err := store.Set(name, *asked.Key, value, h.tool.rights.KV); errors.Is(err, errQuota) {
		return failure{Error: err.Error()}
	} else if err != nil {
		return h.kvFailure(err)
	}
	return struct{}{}
}

func (h *host) kvFailure(err error) failure {
	h.box.log.Error("kv failed", "tool", h.tool.manifest.Name, "error", err)
	return failure{Error: "kv failed on this host"}
}

func kvAnswer(value []byte, found bool) any {
	answer := struct {
		Found       bool    `json:"found"`
		Value       *string `json:"value,omitempty"`
		ValueBase64 string  `json:"value_base64,omitempty"`
	}{Found: found}
	if text := string(value); found && utf8.Valid(value) {
		answer.Value = &text
	} else if found {
		answer.ValueBase64 = base64.StdEncoding.EncodeToString(value)
	}
	return answer
}

// kvValue gives the value to keep, nil for none.
func kvValue(plain json.RawMessage, encoded *string) (value []byte, wrong string) {
	switch {
	case plain != nil && encoded != nil:
		return nil, "give value or value_base64, not both"
	case encoded != nil:
		decoded, err := base64.StdEncoding.DecodeString(*encoded)
		if err != nil {
			return nil, "member value_base64 is not base64"
		}
		return append([]byte{}, decoded...), ""
	case plain == nil:
		return nil, "member value is missing"
	case string(plain) == "null":
		return nil, ""
	}
	var text string
	if json.Unmarshal(plain, &text) != nil {
		return nil, "member value must be a text or null"
	}
	return []byte(text), ""
}
