package wasm

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestACompiledModuleIsTakenFromTheCache(t *testing.T) {
	dir := t.TempDir()
	first := loadModule(t, Options{CacheDir: dir}, "echo_reactor")
	if first.loaded == nil {
		t.Error("without a cache entry it is not compiled at once")
	}
	if first.engine.Kind() != Compiler {
		t.Skip("only the compiler keeps compiled modules")
	}
	before := cacheFiles(t, dir)
	second := loadModule(t, Options{CacheDir: dir}, "echo_reactor")
	if second.loaded != nil {
		t.Error("with a cache entry it is compiled before it is needed")
	}
	mustEcho(t, second)
	if after := cacheFiles(t, dir); !slices.Equal(before, after) || len(before) != 2 {
		t.Errorf("files before %v, after %v", before, after)
	}
}

// TestHammerOneCache lets engines share a folder, as a server and a command beside it do. Whoever comes first, all
// modules must work; what they take from each other costs time only.
func TestHammerOneCache(t *testing.T) {
	dir := t.TempDir()
	var engines sync.WaitGroup
	for range 4 {
		engines.Go(func() {
			for range 5 {
				m, err := NewEngine(Options{CacheDir: dir}).Load(context.Background(), testModule(t, "echo_reactor"))
				if err != nil {
					t.Error(err)
					return
				}
				mustEcho(t, m)
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	engines.Wait()
}

func cacheFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, file fs.DirEntry, err error) error {
		if err == nil && !file.IsDir() {
			info, err := file.Info()
			if err != nil {
				return err
			}
			files = append(files, fmt.Sprint(path, info.Size()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func mustEcho(t *testing.T, m *Module) {
	t.Helper()
	if result := m.Call(context.Background(), testCall(), nil); string(result.Output) != string(benchEnvelope) {
		t.Errorf("answered %s, %s", result.Output, result.Message)
	}
}

func TestADamagedCacheCostsTimeOnly(t *testing.T) {
	for name, damage := range map[string]func(path string, content []byte) error{
		"cut short":      func(path string, c []byte) error { return os.WriteFile(path, c[:len(c)/2], 0o600) },
		"empty":          func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
		"longer":         func(path string, c []byte) error { return os.WriteFile(path, append(c, 0), 0o600) },
		"gone":           func(path string, _ []byte) error { return os.Remove(path) },
		"a huge count":   func(path string, c []byte) error { return os.WriteFile(path, huge(c), 0o600) },
		"one bit turned": func(path string, c []byte) error { c[len(c)/2] ^= 1; return os.WriteFile(path, c, 0o600) },
	} {
		for _, which := range []string{"the code", "the sums"} {
			t.Run(which+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				loadModule(t, Options{CacheDir: dir}, "echo_reactor")
				damageFiles(t, dir, which == "the sums", damage)
				mustEcho(t, loadModule(t, Options{CacheDir: dir}, "echo_reactor"))
				again := loadModule(t, Options{CacheDir: dir}, "echo_reactor")
				if again.engine.Kind() == Compiler && again.loaded != nil {
					t.Error("the entry was not made again")
				}
				mustEcho(t, again)
			})
		}
	}
}

// huge sets the number of functions behind the header to 2^32-1: the engine would allocate for it.
func huge(content []byte) []byte {
	for i := 6 + 1 + len(engineVersion()); i < 6+1+len(engineVersion())+4 && i < len(content); i++ {
		content[i] = 0xff
	}
	return content
}

func damageFiles(t *testing.T, dir string, wantSums bool, damage func(string, []byte) error) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() || (file.Name() == sumsFile) != wantSums {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return damage(path, content)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestACacheThatCannotBeUsedCostsTimeOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustEcho(t, loadModule(t, Options{CacheDir: filepath.Join(file, "below")}, "echo_reactor"))
}

func TestTheCacheKeepsSoManyEntriesTheLatestUsed(t *testing.T) {
	c := cache{dir: t.TempDir()}
	for i := range cacheEntriesMax + 3 {
		entry := filepath.Join(c.dir, fmt.Sprint(i))
		if err := os.Mkdir(entry, 0o700); err != nil {
			t.Fatal(err)
		}
		sums := filepath.Join(entry, sumsFile)
		used := time.Now().Add(time.Duration(i) * time.Minute)
		if err := os.WriteFile(sums, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(sums, used, used); err != nil {
			t.Fatal(err)
		}
	}
	c.prune()
	left, err := os.ReadDir(c.dir)
	if err != nil || len(left) != cacheEntriesMax-1 {
		t.Fatalf("%d entries are left, %v", len(left), err)
	}
	for _, gone := range []string{"0", "1", "2", "3"} {
		if slices.ContainsFunc(left, func(e fs.DirEntry) bool { return e.Name() == gone }) {
			t.Errorf("entry %s is still there", gone)
		}
	}
}
