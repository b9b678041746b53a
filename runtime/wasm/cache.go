package wasm

// This file keeps compiled modules on disk. The engine trusts what it finds there: a damaged length can make it ask for
// all memory, and its own checksum covers the machine code only. So each module has a folder of its own with a file of
// sums, and nothing is handed to the engine before the sums agree.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"

	"chatterbox/runtime/internal/files"
)

const (
	cacheEntriesMax = 64
	sumsFile        = "sums.json"
)

// cache is a folder with an entry for each compiled module, named by the module's digest and the engine's version.
type cache struct {
	dir string // "" keeps nothing
	log *slog.Logger
}

var engineVersion = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == "github.com/tetratelabs/wazero" {
				return dependency.Version
			}
		}
	}
	return "unknown"
})

// opening is held while the engine opens a cache: the first time, it notes its own version in a variable of all
// engines.
var opening sync.Mutex

func (c cache) entry(binary []byte) string {
	digest := sha256.Sum256(binary)
	return filepath.Join(c.dir, hex.EncodeToString(digest[:])+"-"+engineVersion())
}

// has says whether there is an entry for the module. It is not verified yet.
func (c cache) has(binary []byte) bool {
	if c.dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(c.entry(binary), sumsFile))
	return err == nil
}

// open answers the engine's cache for one module; nil when there is none to be had. sealed must be called after the
// module is compiled.
func (c cache) open(binary []byte) (opened wazero.CompilationCache, sealed func()) {
	if c.dir == "" {
		return nil, func() {}
	}
	entry := c.entry(binary)
	known, err := verify(entry)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.warn("a compiled module is damaged and is made again", entry, err)
		}
		if err := os.RemoveAll(entry); err != nil {
			c.warn("a damaged compiled module cannot be removed", entry, err)
			return nil, func() {}
		}
		c.prune()
	}
	opening.Lock()
	opened, err = wazero.NewCompilationCacheWithDir(entry)
	opening.Unlock()
	if err != nil {
		c.warn("compiled modules cannot be kept", entry, err)
		return nil, func() {}
	}
	return opened, func() {
		if err := seal(entry, known); err != nil {
			c.warn("compiled modules cannot be kept", entry, err)
		}
	}
}

func (c cache) warn(message, entry string, err error) {
	if c.log != nil {
		c.log.Warn(message, "entry", entry, "error", err)
	}
}

// verify compares an entry with its sums and answers them.
func verify(entry string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(entry, sumsFile))
	if err != nil {
		return nil, err
	}
	var known map[string]string
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, fmt.Errorf("%s: %w", sumsFile, err)
	}
	found, err := sums(entry)
	if err != nil {
		return nil, err
	}
	if !maps.Equal(known, found) {
		return nil, errors.New("the files do not have their sums")
	}
	return known, nil
}

// seal writes the sums of an entry, unless it still has those that are known.
func seal(entry string, known map[string]string) error {
	found, err := sums(entry)
	if err != nil {
		return err
	}
	path := filepath.Join(entry, sumsFile)
	if maps.Equal(known, found) {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // so that prune takes others first; it does no harm where it fails
		return nil
	}
	text, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return files.Write(path, text, 0o600)
}

// sums are length and CRC-32C of the files below an entry. They find damage, not an attacker, who could write sums,
// too.
func sums(entry string) (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(entry, func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() || strings.HasPrefix(file.Name(), sumsFile) {
			return err
		}
		content, err := os.Open(path)
		if err != nil {
			return err
		}
		defer content.Close()
		sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		length, err := io.Copy(sum, content)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(entry, path)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(name)] = fmt.Sprintf("%d %08x", length, sum.Sum32())
		return nil
	})
	return found, err
}

// prune makes room for one more entry by removing those not used for longest.
func (c cache) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) < cacheEntriesMax {
		return
	}
	used := map[string]time.Time{}
	for _, entry := range entries {
		if info, err := os.Stat(filepath.Join(c.dir, entry.Name(), sumsFile)); err == nil {
			used[entry.Name()] = info.ModTime()
		}
	}
	oldest := slices.SortedFunc(maps.Keys(used), func(a, b string) int { return used[a].Compare(used[b]) })
	for len(oldest) >= cacheEntriesMax {
		if err := os.RemoveAll(filepath.Join(c.dir, oldest[0])); err != nil {
			c.warn("an old compiled module cannot be removed", oldest[0], err)
			return
		}
		oldest = oldest[1:]
	}
}
