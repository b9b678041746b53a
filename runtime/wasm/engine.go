package wasm

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
)

// The names of the engines.
const (
	Compiler    = "compiler"    // machine code, on amd64 and arm64
	Interpreter = "interpreter" // everywhere else, and where memory may not be made executable; some 60 times slower
)

// Options say how an [Engine] works.
type Options struct {
	// CacheDir is where compiled modules are kept; empty keeps none. It is made when missing, and an unusable or
	// damaged cache costs time, never a start.
	CacheDir string
	// Interpret takes the interpreter where the compiler would do, too.
	Interpret bool
	Log       *slog.Logger
}

// Engine admits and compiles modules. It holds nothing open itself.
type Engine struct {
	config    wazero.RuntimeConfig
	kind      string
	cache     cache
	began     time.Time // where guests' monotonic clock begins
	compiling sync.Mutex
}

// NewEngine makes an engine. It does no work that could fail.
func NewEngine(options Options) *Engine {
	e := &Engine{kind: Interpreter, began: time.Now(), cache: cache{dir: options.CacheDir, log: options.Log}}
	e.config = wazero.NewRuntimeConfigInterpreter()
	if !options.Interpret && compilerWorks() {
		e.kind = Compiler
		// Auto and not Compiler: on a processor without SSE 4.1 it still falls back instead of panicking.
		e.config = wazero.NewRuntimeConfig()
	}
	e.config = e.config.WithDebugInfoEnabled(false)
	return e
}

// Kind is [Compiler] or [Interpreter].
func (e *Engine) Kind() string { return e.kind }

func compilerWorks() bool {
	return (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") && memoryCanBeExecutable()
}

// Load admits a module and makes sure that its compiled form is at hand: it is taken from the cache when it is first
// called, or compiled now. The error is a [Refusal] when the module is not fit; it says why.
func (e *Engine) Load(ctx context.Context, binary []byte) (*Module, error) {
	admitted, err := admit(binary)
	if err != nil {
		return nil, err
	}
	ready, err := instrument(admitted)
	if err != nil {
		return nil, err
	}
	m := newModule(e, admitted, ready)
	if e.kind == Compiler && e.cache.has(ready.binary) {
		return m, nil
	}
	if err := m.compile(ctx); err != nil {
		return nil, err
	}
	return m, nil
}
