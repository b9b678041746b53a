package worker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"chatterbox/runtime/wasm"
)

// The defaults and bounds of a [Pool].
const (
	workersDefault   = 16
	workersMax       = 64
	describeTime     = 15 * time.Second
	describePages    = 1024
	defaultPages     = 256
	defaultWall      = 30 * time.Second
	defaultInput     = 256 << 10
	defaultOutput    = 64 << 10
	defaultLog       = 16 << 10
	manifestMax      = 256 << 10
	isolation        = "shared process"
	unknownModule    = "unknown module"
	waitingMax       = 64 // calls that wait while as many as may are running
	noFreeWorker     = "waited too long for other calls to end"
	tooManyWait      = "too many others wait already, try again later"
	cancelledMessage = "cancelled"
)

// ErrRefused is what an error of [Pool.Add] wraps when the module itself is not fit; the message says why, in a
// sentence for the tool's author. Any other error is the pool's own failure.
var ErrRefused = errors.New("module refused")

// Options say how a [Pool] works.
type Options struct {
	// Workers is how many calls run at once, and how many processes there are for them, at most 64; 64 more
	// calls wait within their deadline. 0 is 16.
	Workers int
	// CacheDir is where compiled modules are kept; empty keeps none. It is made when missing. A cache that cannot be
	// used costs time, never a start.
	CacheDir string
	// Interpret takes the interpreter where the compiler would do, too: some 60 times slower, but without memory that
	// is made executable.
	Interpret bool
	// Command is the program, with its arguments, that calls [Serve] on its standard streams: guests then run in
	// processes of their own. Empty runs them in this one.
	Command []string
	Log     *slog.Logger // nil is silent
}

// Status is what a [Pool] is made of.
type Status struct {
	Isolation string `json:"isolation"` // "shared process", or "process (rlimit, …)" with the walls that hold
	Engine    string `json:"engine"`    // "compiler" or "interpreter"
	Workers   int    `json:"workers"`
	Modules   int    `json:"modules"` // admitted
	Running   int    `json:"running"` // calls that run now
}

// Pool runs guest calls. All methods may be called by several goroutines at once.
type Pool struct {
	engine *wasm.Engine
	apart  *processes     // nil where guests run in this process
	slots  chan struct{}  // one element for each call that runs
	queued atomic.Int32   // calls that wait to run
	calls  sync.WaitGroup // calls from their start, waiting included

	mu      sync.Mutex
	modules map[string]*admitted // by digest
	closed  bool
	stop    context.CancelFunc
	stopped context.Context // ended by Close
}

// admitted is a module and how many Adds it has that no Remove took back.
type admitted struct {
	module guest
	known  Module
	added  int
}

// guest is a module that can be called, here or in another process.
type guest interface {
	Info() wasm.Info
	Call(ctx context.Context, call wasm.Call, host wasm.Host) wasm.Result
	Describe(ctx context.Context, call wasm.Call) ([]byte, error)
	Close() error
}

// NewPool makes a pool without modules. It starts nothing and compiles nothing.
func NewPool(options Options) (*Pool, error) {
	workers := options.Workers
	switch {
	case workers == 0:
		workers = workersDefault
	case workers < 0 || workers > workersMax:
		return nil, fmt.Errorf("workers: %d is not between 1 and %d", workers, workersMax)
	}
	p := &Pool{
		engine:  wasm.NewEngine(wasm.Options{CacheDir: options.CacheDir, Interpret: options.Interpret, Log: options.Log}),
		slots:   make(chan struct{}, workers),
		modules: map[string]*admitted{},
	}
	if len(options.Command) > 0 {
		p.apart = newProcesses(options, workers)
	}
	p.stopped, p.stop = context.WithCancel(context.Background())
	return p, nil
}

// Add admits a module and compiles it unless its compiled form is in the cache. A module that was added already counts
// once more, and is forgotten after as many Removes. The pool keeps binary, which must not change afterwards.
func (p *Pool) Add(ctx context.Context, binary []byte) (Module, error) {
	sum := sha256.Sum256(binary)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if known, ok := p.again(digest); ok {
		return known, nil
	}
	module, err := p.load(ctx, digest, binary)
	if err != nil {
		return Module{}, refused(err)
	}
	known := describe(digest, module.Info())
	p.mu.Lock()
	defer p.mu.Unlock()
	switch there := p.modules[digest]; {
	case p.closed:
		return Module{}, errors.Join(errors.New("the pool is closed"), module.Close())
	case there != nil: // another Add was faster
		there.anew()
		return there.known, module.Close()
	}
	p.modules[digest] = &admitted{module: module, known: known, added: 1}
	return known, nil
}

// load makes a module ready to be called. Where processes run guests, no code that somebody else wrote is compiled
// here.
func (p *Pool) load(ctx context.Context, digest string, binary []byte) (guest, error) {
	if p.apart == nil {
		return p.engine.Load(ctx, binary)
	}
	info, kept, err := p.engine.Examine(binary)
	if err == nil && !kept {
		err = p.apart.compile(ctx, digest, binary)
	}
	if err != nil {
		return nil, err
	}
	return &remote{owner: p.apart, digest: digest, binary: binary, info: info}, nil
}

// Describe asks a module that was added for the manifest that it describes itself with; nil when it has no such
// function. An error wraps [ErrRefused] when what it answers, or that it does not, is the module's fault.
func (p *Pool) Describe(ctx context.Context, digest string) ([]byte, error) {
	module := p.enter(digest)
	if module == nil {
		return nil, errors.New(unknownModule)
	}
	defer p.calls.Done()
	ctx, done := p.joined(ctx)
	defer done()
	if fault := p.take(ctx, time.Now().Add(describeTime)); fault != nil {
		return nil, cmp.Or(ctx.Err(), errors.New(fault.Message))
	}
	defer func() { <-p.slots }()
	manifest, err := module.Describe(ctx, wasm.Call{
		Deadline: time.Now().Add(describeTime),
		Limits:   wasm.Limits{MemoryPages: describePages, LogBytes: defaultLog},
	})
	switch {
	case ctx.Err() != nil: // then it had no chance to answer
		return nil, ctx.Err()
	case err != nil:
		return nil, refused(err)
	}
	return manifest, nil
}

func (p *Pool) again(digest string) (Module, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	there := p.modules[digest]
	if there == nil {
		return Module{}, false
	}
	there.anew()
	return there.known, true
}

// anew counts one more Add, which lifts a suspension.
func (a *admitted) anew() {
	a.added++
	if apart, ok := a.module.(*remote); ok {
		apart.deaths.Store(0)
	}
}

func refused(err error) error {
	if refusal := wasm.Refusal(""); errors.As(err, &refusal) {
		return fmt.Errorf("%w: the module %s", ErrRefused, refusal)
	}
	return err
}

func describe(digest string, info wasm.Info) Module {
	return Module{
		Digest:      digest,
		ABI:         ABI(info.ABI),
		Manifest:    info.Manifest,
		MemoryPages: info.MemoryPages,
		Imports:     info.Imports,
		Exports:     info.Exports,
	}
}

// Remove takes one Add back. Calls that run end as they would; new ones are refused once no Add is left.
func (p *Pool) Remove(digest string) {
	if last := p.takeBack(digest); last != nil {
		_ = last.Close()
	}
}

// takeBack answers the module when no Add of it is left.
func (p *Pool) takeBack(digest string) guest {
	p.mu.Lock()
	defer p.mu.Unlock()
	there := p.modules[digest]
	if there == nil {
		return nil
	}
	if there.added--; there.added > 0 {
		return nil
	}
	delete(p.modules, digest)
	return there.module
}

// Call runs one guest call. It returns at the call's deadline at the latest, shortly after ctx ends, or when the guest
// is done. Whatever goes wrong is in the output.
func (p *Pool) Call(ctx context.Context, call Call, host Host) Output {
	began := time.Now()
	out := p.call(ctx, began, &call, host)
	out.Duration = time.Since(began)
	return out
}

func (p *Pool) call(ctx context.Context, began time.Time, call *Call, host Host) Output {
	module := p.enter(call.Digest)
	if module == nil {
		return Output{Fault: Refused, Message: unknownModule}
	}
	defer p.calls.Done()
	limits := withDefaults(call.Limits)
	if len(call.Arguments) > limits.InputBytes {
		return Output{Fault: Refused, Message: fmt.Sprintf("the arguments have %d bytes; the limit is %d",
			len(call.Arguments), limits.InputBytes)}
	}
	deadline := began.Add(limits.Wall)
	ctx, done := p.joined(ctx)
	defer done()
	if fault := p.take(ctx, deadline); fault != nil {
		return *fault
	}
	defer func() { <-p.slots }()
	result := module.Call(ctx, wasm.Call{
		Tool:      call.Tool,
		Arguments: call.Arguments,
		Env:       call.Env,
		Deadline:  deadline,
		Limits: wasm.Limits{
			MemoryPages: limits.MemoryPages, OutputBytes: limits.OutputBytes, LogBytes: limits.LogBytes,
		},
	}, wasm.Host(host))
	return Output{
		Result:      result.Output,
		Truncated:   result.Truncated,
		Log:         result.Log,
		Fault:       Fault(result.Fault),
		Message:     result.Message,
		MemoryBytes: result.MemoryBytes,
		Work:        result.Work,
	}
}

// enter finds a module and counts the call in; calls.Done must follow unless it is nil.
func (p *Pool) enter(digest string) guest {
	p.mu.Lock()
	defer p.mu.Unlock()
	there := p.modules[digest]
	if there == nil || p.closed {
		return nil
	}
	p.calls.Add(1)
	return there.module
}

// joined is ctx, ended also by Close.
func (p *Pool) joined(ctx context.Context) (context.Context, func()) {
	joined, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(p.stopped, cancel)
	return joined, func() {
		unhook()
		cancel()
	}
}

// take waits for a place among the calls that run.
func (p *Pool) take(ctx context.Context, deadline time.Time) *Output {
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	defer p.queued.Add(-1)
	if p.queued.Add(1) > waitingMax {
		return &Output{Fault: Refused, Message: tooManyWait}
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &Output{Fault: TimedOut, Message: cancelledMessage}
	case <-timer.C:
		return &Output{Fault: TimedOut, Message: noFreeWorker}
	}
}

func withDefaults(l Limits) Limits {
	return Limits{
		MemoryPages: cmp.Or(l.MemoryPages, defaultPages),
		Wall:        cmp.Or(max(l.Wall, 0), defaultWall),
		InputBytes:  cmp.Or(max(l.InputBytes, 0), defaultInput),
		OutputBytes: cmp.Or(max(l.OutputBytes, 0), defaultOutput),
		LogBytes:    cmp.Or(max(l.LogBytes, 0), defaultLog),
	}
}

// Status says what the pool is made of.
func (p *Pool) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	where := isolation
	if p.apart != nil {
		where = p.apart.isolation()
	}
	return Status{
		Isolation: where,
		Engine:    p.engine.Kind(),
		Workers:   cap(p.slots),
		Modules:   len(p.modules),
		Running:   len(p.slots),
	}
}

// Close ends the calls that run, waits for them and forgets all modules.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stop()
	p.calls.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for digest, there := range p.modules {
		err = errors.Join(err, there.module.Close())
		delete(p.modules, digest)
	}
	if p.apart != nil {
		err = errors.Join(err, p.apart.close())
	}
	return err
}
