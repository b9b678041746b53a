package toolbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"
	_ "time/tzdata"

	"chatterbox/loop"
	"chatterbox/runtime/worker"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// workers is a fake whose modules are a prefix and the manifest itself: in a section, or described.
type workers struct {
	call func(ctx context.Context, call worker.Call, host worker.Host) worker.Output // nil answers {}

	mu      sync.Mutex
	added   map[string]int // guarded by mu, by digest
	broken  error          // guarded by mu: what Add fails with
	adds    int            // guarded by mu: calls of Add that admitted
	unknown int            // guarded by mu: calls of modules that are not there

	described map[string][]byte // guarded by mu, by digest: what Describe answers
}

const (
	moduleWith       = "module with "
	moduleWithout    = "module without "
	moduleDescribing = "module describing "
	mute             = "nothing" // what a module describes that does not
)

func (w *workers) Add(_ context.Context, binary []byte) (worker.Module, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return worker.Module{}, w.broken
	}
	manifest, ok := bytes.CutPrefix(binary, []byte(moduleWith))
	if !ok {
		manifest = nil
		describing := bytes.HasPrefix(binary, []byte(moduleDescribing))
		if !describing && !bytes.HasPrefix(binary, []byte(moduleWithout)) {
			return worker.Module{}, fmt.Errorf("%w: the module is cut short", worker.ErrRefused)
		}
	}
	digest := digestOf(binary)
	if w.added == nil {
		w.added = map[string]int{}
	}
	w.added[digest]++
	w.adds++
	if described, ok := bytes.CutPrefix(binary, []byte(moduleDescribing)); ok {
		if w.described == nil {
			w.described = map[string][]byte{}
		}
		w.described[digest] = described
	}
	return worker.Module{Digest: digest, ABI: worker.Reactor, Manifest: manifest}, nil
}

func (w *workers) Describe(_ context.Context, digest string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	described := w.described[digest]
	if string(described) == mute {
		return nil, fmt.Errorf("%w: the module does not describe itself", worker.ErrRefused)
	}
	return described, nil
}

func digestOf(binary []byte) string {
	sum := sha256.Sum256(binary)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (w *workers) Remove(digest string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.added[digest]--; w.added[digest] == 0 {
		delete(w.added, digest)
	}
}

func (w *workers) Call(ctx context.Context, call worker.Call, host worker.Host) worker.Output {
	w.mu.Lock()
	if w.added[call.Digest] == 0 {
		w.unknown++
	}
	w.mu.Unlock()
	if w.call == nil {
		return worker.Output{Result: []byte("{}")}
	}
	return w.call(ctx, call, host)
}

func (w *workers) modules() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.added)
}

// manifest is a tool's manifest with more members, as text.
func manifest(name, more string) string {
	return fmt.Sprintf(`{"name":%q,"description":"Does it."%s}`, name, more)
}

// folder is a folder of tools on disk.
type folder string

func newFolder(t testing.TB) folder { return folder(t.TempDir()) }

var longAgo = time.Now().Add(-time.Hour)

// put writes a file that has been quiet for long.
func (f folder) put(t testing.TB, name, content string) {
	t.Helper()
	file := filepath.Join(string(f), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	longAgo = longAgo.Add(time.Second)
	if err := os.Chtimes(file, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
}

func (f folder) remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(string(f), name)); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, options Options) *Toolbox {
	t.Helper()
	if options.Workers == nil {
		options.Workers = &workers{}
	}
	box, err := Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	return box
}

// openOne opens a toolbox with one tool named "it" in its folder.
func openOne(t testing.TB, more string, options Options) *Toolbox {
	t.Helper()
	f := newFolder(t)
	f.put(t, "it.wasm", moduleWith+manifest("it", more))
	options.Dir = string(f)
	return open(t, options)
}

// do checks and calls as the loop does.
func do(t testing.TB, box *Toolbox, name, arguments string) loop.Result {
	t.Helper()
	call := loop.Call{ID: "1", Name: name, Arguments: arguments}
	verdict := box.Check(t.Context(), call)
	if verdict.Decision != loop.Run {
		t.Fatalf("check of %s %s: %+v", name, arguments, verdict)
	}
	return box.Call(t.Context(), call, verdict)
}

func names(box *Toolbox) []string {
	var found []string
	for _, tool := range box.Offered() {
		found = append(found, tool.Name)
	}
	return found
}

// logTo gives a logger that writes JSON lines to buffer.
func logTo(buffer *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(buffer, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func errorOf(t testing.TB, result loop.Result) string {
	t.Helper()
	var content struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal([]byte(result.Content), &content); err != nil || !result.Failed {
		t.Errorf("%+v is no error: %v", result, err)
	}
	return content.Error
}

// mapFS is a folder of built-in tools with one module.
func mapFS(t testing.TB, manifest string) fstest.MapFS {
	t.Helper()
	return fstest.MapFS{"it.wasm": {Data: []byte(moduleWith + manifest)}}
}
