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
	"reflect"
	"slices"
	"strings"

	"chatterbox/runtime/internal/files"
)

// This file keeps what people allowed: one file per tool in a folder of its own, apart from the tools. Only
// commands write there, never a tool, a model or a server. What others than its owner could have written there
// counts for nothing.

// Approval is a person's yes to one tool, as it was: another module, or other words about the tool, need another yes.
type Approval struct {
	Tool   string `json:"tool" max:"64"`
	Module string `json:"module" max:"80"` // the module's digest
	Shown  string `json:"shown" max:"80"`  // of what the model is told of the tool, see [Manifest.Shown]
	Grant
}

const (
	approvalSuffix   = ".json"
	approvalBytesMax = 64 << 10
)

// Shown is the digest of what a model and a person are told of the tool.
func (m *Manifest) Shown() string {
	data, err := json.Marshal([]string{m.Name, m.Title, m.Description, string(m.InputSchema)})
	if err != nil {
		panic(fmt.Sprintf("texts cannot be written: %v", err))
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ParseGrant reads rights as a person writes them down, in a manifest's words: effects, confirm, net, secrets, kv,
// deliver. A rule of net may say "private": true, which no manifest can. Absent is not given.
func ParseGrant(data []byte) (Grant, error) {
	var grant Grant
	if err := decodeGrant(data, &grant); err != nil {
		return Grant{}, fmt.Errorf("the grant: %w", err)
	}
	return grant, nil
}

// decodeGrant reads a grant, or an approval, which has one.
func decodeGrant(data []byte, into any) error {
	if len(data) > approvalBytesMax || !json.Valid(data) {
		return fmt.Errorf("it is not JSON of at most %d bytes", approvalBytesMax)
	}
	return decoder{granted: true}.decode("", data, into)
}

// WriteApproval keeps the approval in folder, readable by its owner only, whole or not at all.
func WriteApproval(folder string, a Approval) error {
	if !isToolName(a.Tool) {
		return fmt.Errorf("%q is no tool's name", a.Tool)
	}
	data, err := json.MarshalIndent(a, "", "  ")
	if err == nil {
		if where := openTo(folder); where != "" {
			err = errors.New(where)
		}
	}
	if err == nil {
		err = files.Write(filepath.Join(folder, a.Tool+approvalSuffix), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the approval of %s: %w", a.Tool, err)
	}
	return nil
}

// RemoveApproval takes back what was allowed; none is no error.
func RemoveApproval(folder, tool string) error {
	if !isToolName(tool) {
		return fmt.Errorf("%q is no tool's name", tool)
	}
	if err := os.Remove(filepath.Join(folder, tool+approvalSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take back the approval of %s: %w", tool, err)
	}
	return nil
}

// othersMay are the bits by which others than its owner write to a file or a folder, anybodyMay those of everybody.
const (
	othersMay  fs.FileMode = 0o022
	anybodyMay fs.FileMode = 0o002
)

// openTo says what to do where others than its owner can put files into folder, or anybody another folder in its place;
// empty is nothing. In a folder such as /tmp, where each takes away only what is his own, nobody can do the latter.
func openTo(folder string) string {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return err.Error()
	}
	if info, err := os.Stat(whole); err == nil && info.Mode().Perm()&othersMay != 0 {
		return closing(whole)
	}
	around := filepath.Dir(whole)
	if info, err := os.Stat(around); err == nil && info.Mode().Perm()&anybodyMay != 0 && info.Mode()&fs.ModeSticky == 0 {
		return closing(around)
	}
	return ""
}

// closing says how to keep others from writing.
func closing(path string) string {
	return fmt.Sprintf("others than its owner may write to %q: run chmod go-w on it, and look at what is in it", path)
}

// kept is one approval as it was found: one that cannot be read, or that others may have written, blocks its tool.
type kept struct {
	approval Approval
	problem  string
	open     string // what to do so that only its owner can have written it; empty is nothing
}

// readApprovals reads the folder.
func readApprovals(folder string) (map[string]kept, error) {
	found := map[string]kept{}
	if folder == "" {
		return found, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	isOpen := openTo(folder)
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), approvalSuffix)
		if !ok || !isToolName(name) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			continue // it went away just now
		}
		k := kept{open: isOpen}
		if k.open == "" && info.Mode().IsRegular() && info.Mode().Perm()&othersMay != 0 {
			k.open = closing(filepath.Join(folder, entry.Name()))
		}
		if k.open == "" {
			if err := k.approval.read(os.DirFS(folder), name, info.Mode()); err != nil {
				k.approval, k.problem = Approval{}, err.Error()
			}
		}
		found[name] = k
	}
	return found, nil
}

func (a *Approval) read(folder fs.FS, name string, mode fs.FileMode) error {
	if !mode.IsRegular() {
		return errors.New("it is no file")
	}
	data, err := readFile(folder, name+approvalSuffix, approvalBytesMax)
	if err != nil {
		return err
	}
	if err := decodeGrant(data, a); err != nil {
		return err
	}
	switch {
	case a.Tool == "" || a.Module == "" || a.Shown == "":
		return errors.New("it needs tool, module and shown")
	case a.Tool != name:
		return fmt.Errorf("it is about %q", a.Tool)
	}
	return nil
}

// permit gives the rights of a tool that is not built in, and why it may not run.
func permit(m *Manifest, digest string, approvals map[string]kept) (Rights, string) {
	k, asked := approvals[m.Name]
	if !asked {
		return Effective(m.Asks, nil)
	}
	nothing := Rights{Effects: m.Asks.Effects, Confirm: m.Asks.Confirm}
	again := "; after a look at it, approve it again: chatterbox tool grant " + m.Name
	switch {
	case k.open != "":
		return nothing, "has an approval that does not count: " + k.open + again
	case k.problem != "":
		return nothing, "has an approval that cannot be read (" + k.problem + ")" + again
	case k.approval.Module != digest:
		return nothing, "has another module than the one that was approved" + again
	case k.approval.Shown != m.Shown():
		return nothing, "says something else of itself than what was approved" + again
	}
	return Effective(m.Asks, &k.approval.Grant)
}

// sameApprovals says whether nothing changed for the tools of l.
func sameApprovals(l *loaded, before, now map[string]kept) bool {
	return !slices.ContainsFunc(l.tools, func(t *tool) bool {
		name := t.manifest.Name
		return !reflect.DeepEqual(before[name], now[name])
	})
}

// WriteFile puts a tool's file, or one about tools, there whole, or leaves what was there. It is on the disk when
// WriteFile returns; a folder that is missing is made, for its owner alone.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	return files.Write(path, data, mode)
}
