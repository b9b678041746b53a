package wasm

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// compileMax is how long compiling a module may take whatever its size, where there are two processors. Who has it
// compiled may allow less; a process that compiles has bounds of its own.
const compileMax = 4 * time.Minute

var errCompileTime error = Refusal("takes more than " + compileMax.String() + " to compile")

// Module is an admitted module. Call and Describe may be called by several goroutines at once.
type Module struct {
	info      Info
	engine    *Engine
	imports   []importEntry
	memoryMax uint64       // bytes
	outgrew   atomic.Int64 // bytes of the last memory that outgrew its mapping; new ones have as much room
	config    wazero.ModuleConfig

	pluginCall, pluginDescribe string

	mu           sync.Mutex
	binary       []byte // guarded by mu; nil once it is compiled
	loaded       *loaded
	environments []*environment // guarded by mu; latest used last
	users        int            // guarded by mu; calls that run
	released     bool           // guarded by mu; Close was called
}

// loaded is what the engine made of a module.
type loaded struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache // nil where nothing is kept
	compiled wazero.CompiledModule
}

func (l *loaded) close() error {
	err := l.runtime.Close(context.Background())
	if l.cache != nil {
		err = errors.Join(err, l.cache.Close(context.Background()))
	}
	return err
}

func newModule(engine *Engine, admitted *module, ready *instrumented) *Module {
	m := &Module{
		info: Info{
			ABI:      admitted.abi,
			Manifest: slices.Clone(admitted.manifest),
			Describes: admitted.abi == MCPStdio || admitted.pluginDescribe != "" ||
				admitted.abi == Reactor && admitted.exported("describe", externFunction),
		},
		engine:    engine,
		imports:   admitted.imports,
		memoryMax: 1 << 32,
		binary:    ready.binary,
		config:    wazero.NewModuleConfig().WithName("").WithStartFunctions(),

		pluginCall: admitted.pluginCall, pluginDescribe: admitted.pluginDescribe,
	}
	m.info.MemoryPages = admitted.memory.min
	if admitted.memory.hasMax {
		m.memoryMax = uint64(admitted.memory.max) << 16
	}
	for _, in := range admitted.imports {
		m.info.Imports = append(m.info.Imports, in.module+"."+in.name)
	}
	for _, e := range admitted.exports {
		m.info.Exports = append(m.info.Exports, e.name)
	}
	return m
}

// Info says what is known of the module.
func (m *Module) Info() Info { return m.info }

// compile makes the module ready to be called, once. The error is a [Refusal] when the engine finds the module invalid.
func (m *Module) compile(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.loaded != nil:
		return nil
	case m.released:
		return errors.New("the module was removed")
	}
	// One at a time: the compiler takes much memory for a moment, and its cache is not made for two.
	m.engine.compiling.Lock()
	defer m.engine.compiling.Unlock()
	opened, sealed := wazero.CompilationCache(nil), func() {}
	if m.engine.kind == Compiler {
		opened, sealed = m.engine.cache.open(m.binary)
	}
	made, err := m.load(ctx, opened)
	if err != nil && opened != nil && ctx.Err() == nil && !errors.Is(err, errCompileTime) {
		// A full disk, or a folder that became read-only, must not cost more than the cache.
		if made, err = m.load(ctx, nil); err == nil {
			sealed = func() {}
		}
	}
	if err != nil {
		return err
	}
	sealed()
	m.loaded, m.binary = made, nil
	return nil
}

func (m *Module) load(ctx context.Context, kept wazero.CompilationCache) (*loaded, error) {
	config := m.engine.config
	if kept != nil {
		config = config.WithCompilationCache(kept)
	}
	made := &loaded{runtime: wazero.NewRuntimeWithConfig(ctx, config), cache: kept}
	err := defineImports(ctx, made.runtime, m.imports)
	if err == nil {
		made.compiled, err = compileWithin(ctx, made.runtime, m.binary)
	}
	if err != nil {
		return nil, errors.Join(err, made.close())
	}
	return made, nil
}

// compileWithin compiles for at most compileMax where there are two processors.
func compileWithin(ctx context.Context, runtime wazero.Runtime, binary []byte) (wazero.CompiledModule, error) {
	bounded, cancel := context.WithTimeout(ctx, compileMax)
	defer cancel()
	// Only with several workers does the compiler look at its context, between two functions. Each has memory of its
	// own, which is worth nothing where there is one processor.
	workers := min(2, goruntime.GOMAXPROCS(0))
	compiled, err := runtime.CompileModule(experimental.WithCompilationWorkers(bounded, workers), binary)
	switch {
	case err == nil:
		return compiled, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, errCompileTime
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return nil, refuse("is broken or not supported: %s", first)
}

// enter counts a call in, so that Close waits for it; leave must follow unless there was an error.
func (m *Module) enter(ctx context.Context) error {
	if err := m.compile(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.released {
		return errors.New("the module was removed")
	}
	m.users++
	return nil
}

func (m *Module) leave() {
	m.mu.Lock()
	m.users--
	last := m.released && m.users == 0
	m.mu.Unlock()
	if last {
		_ = m.free()
	}
}

// Close lets go of the module, at once or when the last call that runs has ended. It does not wait.
func (m *Module) Close() error {
	m.mu.Lock()
	already := m.released
	m.released = true
	idle := m.users == 0
	m.mu.Unlock()
	if already || !idle {
		return nil
	}
	return m.free()
}

func (m *Module) free() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.environments {
		o.drop()
	}
	m.environments = nil
	if m.loaded == nil {
		return nil
	}
	return m.loaded.close()
}

// instantiate makes an instance that is prepared for the call, and runs the module's own start code in it.
func (m *Module) instantiate(ctx context.Context, call *Call, env []string, host Host) (*instance, error) {
	in := &instance{abi: m.info.ABI, began: m.engine.began, linear: &linearMemory{max: m.memoryMax}, outgrew: &m.outgrew}
	if in.abi == Extism {
		in.kernel, in.pluginCall = &kernel{}, m.pluginCall
	}
	in.prepare(ctx, call, env, host)
	made, err := m.loaded.runtime.InstantiateModule(
		experimental.WithMemoryAllocator(in, in.linear), m.loaded.compiled, m.config)
	if err != nil {
		return in, err
	}
	in.module, in.memory = made, made.Memory()
	if in.abi == Extism {
		return in, in.startPlugin()
	}
	if in.abi == Stdio || in.abi == MCPStdio {
		in.start = made.ExportedFunction("_start")
		return in, nil
	}
	in.alloc, in.run = made.ExportedFunction("alloc"), made.ExportedFunction("execute")
	if initialize := made.ExportedFunction("_initialize"); initialize != nil {
		if err := initialize.CallWithStack(in, in.words[:]); err != nil {
			return in, err
		}
	}
	return in, nil
}

// close ends an instance for good.
func (in *instance) close() {
	in.finish()
	if in.module != nil {
		_ = in.module.Close(context.Background())
	}
	if in.snapshot != nil {
		in.snapshot.release()
	}
}
