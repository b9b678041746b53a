package worker

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"chatterbox/runtime/wasm"
)

// remote is a module that is called in worker processes.
type remote struct {
	owner  *processes
	digest string
	binary []byte
	info   wasm.Info
	deaths atomic.Int32 // of workers that it brought down in a row
	slow   bool         // it computes for long; guarded by owner.mu
}

// Info says what is known of the module.
func (r *remote) Info() wasm.Info { return r.info }

// Close lets go of the module. Workers forget it when they need the room.
func (r *remote) Close() error { return nil }

// Call has a worker make the call. It returns when the call is over, graceTime after its deadline, or when ctx ends.
// The start of a worker puts the deadline off.
func (r *remote) Call(ctx context.Context, call wasm.Call, host wasm.Host) wasm.Result {
	result, _ := r.order(ctx, &order{digest: r.digest, hosted: host != nil, call: call}, host)
	return result.Result
}

// Describe asks the module for its manifest; nil when it cannot be asked. A [wasm.Refusal] is the module's fault.
func (r *remote) Describe(ctx context.Context, call wasm.Call) ([]byte, error) {
	if !r.info.Describes {
		return nil, nil
	}
	call.Limits.OutputBytes = manifestMax
	result, err := r.order(ctx, &order{digest: r.digest, describe: true, call: call}, nil)
	switch {
	case err != nil && result.Fault == wasm.HostFailure:
		return nil, err
	case result.refused:
		return nil, wasm.Refusal(result.Message)
	case result.Fault != wasm.NoFault:
		return nil, wasm.Refusal("does not describe itself: " + result.Message)
	}
	return result.Output, nil
}

// order has a worker do it. The error repeats a fault that is not the guest's own answer.
func (r *remote) order(ctx context.Context, o *order, host wasm.Host) (outcome, error) {
	if r.deaths.Load() >= deathsMax {
		return failedWith(wasm.Refused, suspendedReason)
	}
	for again := false; ; again = true {
		asked := time.Now()
		p, err := r.owner.take(o.call.Limits.MemoryPages, r)
		switch {
		case err != nil:
			return failedWith(wasm.HostFailure, "no worker can be started: "+err.Error())
		case ctx.Err() != nil:
			r.owner.give(p)
			return failedWith(wasm.TimedOut, cancelledMessage)
		case !asked.Before(o.call.Deadline):
			r.owner.give(p)
			return failedWith(wasm.TimedOut, "its time was over before it began")
		}
		o.call.Deadline = o.call.Deadline.Add(time.Since(asked)) // the start of a worker is not the guest's time
		result, err := p.call(ctx, r, o, host)
		if err == nil {
			r.deaths.Store(0)
			r.owner.give(p)
			if errors.Is(ctx.Err(), context.Canceled) && result.Fault == wasm.TimedOut {
				result.Message = cancelledMessage
			}
			return result, nil
		}
		p.kill()
		switch {
		case again:
		case errors.Is(err, errUnsent): // it ended while it had nothing to do
			continue
		case p.wasKilled(err):
			r.deaths.Add(1)
			continue
		}
		return r.failure(ctx, p, err)
	}
}

// failure is what a call came to whose worker is lost.
func (r *remote) failure(ctx context.Context, p *process, err error) (outcome, error) {
	panicked := hostPanic("")
	switch {
	case errors.As(err, &panicked):
		return failedWith(wasm.HostFailure, string(panicked))
	case errors.Is(ctx.Err(), context.Canceled):
		return failedWith(wasm.TimedOut, cancelledMessage)
	}
	<-p.exited // it was killed
	deaths := r.deaths.Add(1)
	r.owner.replace()
	if log := r.owner.log; log != nil {
		log.Warn("a guest brought its worker down", "module", r.digest, "error", err.Error(), "end", p.lastWords(),
			"in_a_row", deaths)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failedWith(wasm.TimedOut, "not finished in time; its process was killed")
	case p.outOfMemory():
		return failedWith(wasm.OutOfMemory, "took more memory than its process may have")
	case isGone(err):
		return failedWith(wasm.HostFailure, "its process ended in the middle of the call"+p.lastWords())
	}
	return failedWith(wasm.HostFailure, err.Error())
}

// wasKilled says whether a worker was ended by a signal while nothing had come of its call yet: it may be made again.
func (p *process) wasKilled(err error) bool {
	if p.asked || !isGone(err) {
		return false
	}
	<-p.exited
	status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

func failedWith(fault wasm.Fault, message string) (outcome, error) {
	return outcome{Result: wasm.Result{Fault: fault, Message: message}}, errors.New(message)
}

// outOfMemory says whether a process that has ended had met its limit of memory. Go ends with status 2 then.
func (p *process) outOfMemory() bool {
	said := p.said.kept
	return p.command.ProcessState.ExitCode() == 2 &&
		(bytes.Contains(said, []byte("out of memory")) || bytes.Contains(said, []byte("cannot allocate memory")) ||
			bytes.Contains(said, []byte("pthread_create failed")))
}
