package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"chatterbox/runtime/internal/texts"
	"chatterbox/runtime/wasm"
)

// Serve makes this process a worker: it shuts itself in, and then does what the server at the other ends of the pipes
// asks for, until there is none any more. A worker of guests must end with the process: what shut it in stays. What
// local, which may be nil, answers is not asked of the server.
func Serve(from io.Reader, to io.Writer, local Local) error {
	w := &worker{frames: newFrames(from), to: to, local: local, modules: map[string]*kept{}}
	kind, payload, err := w.frames.next(frameBytesMax)
	if err != nil {
		return err
	}
	var s setup
	if err := s.read(payload); err != nil || kind != frameSetup {
		return errFrame
	}
	runtime.GOMAXPROCS(1) // it does one thing at a time
	if s.compile && !raceDetector {
		s.processor = int64(math.Round(float64(s.processor) * slowness(s.interpret)))
	}
	held, err := confine(s)
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(s.memory / 2) // the rest is for what is not of the heap, and for what is given back late
	w.engine = wasm.NewEngine(wasm.Options{CacheDir: s.cacheDir, Interpret: s.interpret})
	w.compiles = s.compile
	w.out.open(frameReady)
	w.out.text(held)
	w.out.close()
	for err = w.out.send(w.to); err == nil; {
		err = w.serveOne()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// worker is the side of the guests.
type worker struct {
	frames   *frames
	to       io.Writer
	local    Local
	out      message
	engine   *wasm.Engine
	compiles bool
	modules  map[string]*kept
}

// kept is a module that was sent, or why it is of no use.
type kept struct {
	module *wasm.Module
	err    error
}

func (w *worker) serveOne() error {
	kind, payload, err := w.frames.next(frameBytesMax)
	if err != nil {
		return err
	}
	f := fields{rest: payload}
	switch kind {
	case frameLoad:
		digest, binary := f.text(), f.data()
		if err := f.end(); err != nil {
			return err
		}
		w.frames.buffer = nil // the engine keeps views of it
		return w.load(digest, binary)
	case frameDrop:
		if digest := f.text(); w.modules[digest] != nil {
			w.drop(digest)
		}
		return f.end()
	case frameCall:
		var o order
		if err := o.read(payload); err != nil {
			return err
		}
		// The payload is read over when the host answers.
		o.call.Arguments = append([]byte(nil), o.call.Arguments...)
		return w.call(&o)
	}
	return fmt.Errorf("%w: a frame of kind %q", errFrame, kind)
}

func (w *worker) drop(digest string) {
	if module := w.modules[digest].module; module != nil {
		_ = module.Close()
	}
	delete(w.modules, digest)
}

func (w *worker) load(digest string, binary []byte) error {
	module, err := w.engine.Load(context.Background(), binary)
	if !w.compiles {
		w.modules[digest] = &kept{module: module, err: err}
		return nil
	}
	refusal := wasm.Refusal("")
	isRefusal := errors.As(err, &refusal)
	said := string(refusal)
	if err == nil {
		err = module.Close()
	}
	if err != nil && !isRefusal {
		said = err.Error()
	}
	w.out.open(frameLoaded)
	w.out.flag(err == nil)
	w.out.flag(isRefusal)
	w.out.text(texts.Cut(said, messageBytesMax))
	w.out.close()
	return w.out.send(w.to)
}

func (w *worker) call(o *order) error {
	var result outcome
	broken := error(nil) // of the pipe, in the middle of a call
	there := w.modules[o.digest]
	switch {
	case there == nil:
		result.Fault, result.Message = wasm.HostFailure, unknownModule
	case there.err != nil:
		result.Fault, result.Message = wasm.HostFailure, there.err.Error()
	case o.describe:
		result = describeItself(there.module, o.call)
	default:
		var host wasm.Host
		if o.hosted {
			host = func(_ context.Context, function string, input []byte) []byte {
				if w.local != nil {
					if answer, ok := w.local(function, input); ok {
						return answer
					}
				}
				answer, err := w.ask(function, input)
				if err != nil {
					broken = err
				}
				return answer
			}
		}
		result.Result = there.module.Call(context.Background(), o.call, host)
	}
	if broken != nil {
		return broken
	}
	result.append(&w.out)
	return w.out.send(w.to)
}

func describeItself(module *wasm.Module, call wasm.Call) (result outcome) {
	manifest, err := module.Describe(context.Background(), call)
	refusal := wasm.Refusal("")
	switch {
	case errors.As(err, &refusal):
		return outcome{refused: true, Result: wasm.Result{Message: string(refusal)}}
	case err != nil:
		return outcome{Result: wasm.Result{Fault: wasm.HostFailure, Message: err.Error()}}
	}
	return outcome{Result: wasm.Result{Output: manifest}}
}

// ask hands a host function on to the server.
func (w *worker) ask(function string, input []byte) ([]byte, error) {
	w.out.open(frameRequest)
	w.out.text(function)
	w.out.data(input)
	w.out.close()
	if err := w.out.send(w.to); err != nil {
		return nil, err
	}
	kind, payload, err := w.frames.next(frameBytesMax)
	if err != nil || kind != frameAnswer {
		return nil, errors.Join(errFrame, err)
	}
	answer := append([]byte(nil), payload...)
	w.frames.shrink()
	return answer, nil
}
