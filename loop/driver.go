package loop

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The causes that a caller gives to a turn's context, with context.WithCancelCause, to say why it ends.
var (
	ErrClientGone = errors.New("the client is gone")
	ErrShutdown   = errors.New("the service is shutting down")
)

// grace is how long Run waits for Tools that do not return although their context has ended. It is far more than any of
// them needs to notice, and short beside the time that a stopping service has.
const grace = 2 * time.Second

// Driver performs a machine's effects. Its fields do not change while it runs; one driver may run many turns at once.
type Driver struct {
	Model Model
	Tools Tools // nil when there are none
	// Observe, where it is set, gets every event before the machine does, on one goroutine at a time.
	Observe func(Event)
}

// Run gives first (Start or Answered) to machine and performs effects until Finish. It returns the machine as it
// ended, which is what a pending approval is resumed from, and the outcome. The model is asked, calls are checked and
// emissions go to emit (nil: nobody listens), in order, on the calling goroutine; emit must return when ctx ends.
// Calls of tools have a goroutine each.
//
// When ctx ends, the turn is cancelled: the cause is [Shutdown] when context.Cause is [ErrShutdown], [Deadline] when
// ctx or Limits.Wall ran out, and else [ClientGone]. Run returns only when all its goroutines have ended; a call that
// ignores the end of its context, against its contract, is waited for two seconds and then left behind.
//
// A Model or Tools that panics costs that call, not the process.
func (d Driver) Run(ctx context.Context, machine Machine, first Event, emit func(Emission)) (Machine, Outcome) {
	if machine.Limits.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, machine.Limits.Wall)
		defer cancel()
	}
	work, stop := context.WithCancel(ctx)
	t := turn{Driver: d, ctx: work, machine: machine, events: make(chan Event), began: time.Now(), emit: emit}
	defer t.wait()
	defer stop()

	t.step(first)
	for t.outcome == nil {
		switch {
		case ctx.Err() != nil:
			t.step(Event{Kind: Cancelled, Cause: causeOf(ctx)})
		case len(t.ready) > 0:
			event := t.ready[0]
			t.ready = t.ready[1:]
			t.step(event)
		case t.open > 0:
			select {
			case event := <-t.events:
				t.open--
				t.step(event)
			case <-ctx.Done():
			}
		default:
			return t.machine, Outcome{Trace: t.machine.Trace, Failure: &Error{Kind: KindInternal, Message: fmt.Sprintf(
				"event %q does not fit a machine in state %q", first.Kind, t.machine.State)}}
		}
	}
	return t.machine, *t.outcome
}

func causeOf(ctx context.Context) Cause {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrShutdown):
		return Shutdown
	case errors.Is(cause, context.DeadlineExceeded):
		return Deadline
	default:
		return ClientGone
	}
}

// turn is one Run.
type turn struct {
	Driver
	ctx     context.Context // ends with the turn
	machine Machine
	outcome *Outcome   // set by Finish
	ready   []Event    // of what was done on this goroutine
	events  chan Event // from the goroutines of calls
	open    int        // calls that have not ended
	began   time.Time
	emit    func(Emission)
	heard   bool    // text of the model's present answer was emitted, and to somebody
	cost    float64 // of the model calls so far
	group   sync.WaitGroup
}

// step gives event to the machine and performs what it wants. What follows from that is in ready, or comes as an event.
func (t *turn) step(event Event) {
	event.Elapsed, event.CostUSD = time.Since(t.began), t.cost
	if t.Observe != nil {
		t.Observe(event)
	}
	var effects []Effect
	t.machine, effects = Step(t.machine, event)
	for _, effect := range effects {
		switch effect.Kind {
		case CallModel:
			t.complete(*effect.Request)
		case CheckTool:
			t.check(effect.Index, *effect.Call)
		case CallTool:
			t.call(effect.Index, *effect.Call, *effect.Verdict)
		case Emit:
			if t.emit != nil {
				t.heard = t.heard || effect.Emission.Kind == EmitDelta
				t.emit(*effect.Emission)
			}
		case Finish:
			t.outcome = effect.Outcome
		}
	}
}

// guard runs work and fills in event with what to say where work panics, or leaves its goroutine by runtime.Goexit.
func guard(event *Event, work func()) {
	ended := false
	defer func() {
		if value := recover(); value != nil {
			event.crashed(fmt.Sprint("panic: ", value))
		} else if !ended {
			event.crashed("ended without an answer")
		}
	}()
	work()
	ended = true
}

// crashed fills in what to say of work that gave no answer.
func (e *Event) crashed(how string) {
	switch e.Kind {
	case Checked:
		e.Verdict = &Verdict{Decision: Refuse, Reason: "the tool could not be checked: " + how}
	case ToolDone:
		result := ErrorResult("the tool failed: " + how)
		e.Result = &result
	default:
		*e = Event{Kind: ModelFailed, Failure: &Error{Kind: KindInternal, Message: "the model client failed: " + how}}
	}
}

// complete asks the model, with its deltas as events of their own. When the turn has ended meanwhile, nothing follows.
func (t *turn) complete(request Request) {
	event := Event{Kind: ModelFailed}
	t.heard = false
	request.Again = t.again
	guard(&event, func() {
		completion, err := t.Model.Complete(t.ctx, request, func(text string) {
			if text != "" && t.outcome == nil && t.ctx.Err() == nil {
				t.step(Event{Kind: Delta, Text: text})
			}
		})
		if err != nil {
			event.Failure = failureOf(err)
			return
		}
		event = Event{Kind: Completed, Completion: &completion}
		if completion.Usage.CostUSD != nil {
			t.cost += *completion.Usage.CostUSD
		}
	})
	if t.outcome == nil {
		t.ready = append(t.ready, event)
	}
}

// again implements [Request.Again].
func (t *turn) again() bool {
	if t.heard || t.outcome != nil || t.ctx.Err() != nil {
		return false
	}
	t.step(Event{Kind: Restarted})
	return true
}

// failureOf is a model's error as data.
func failureOf(err error) *Error {
	failure := AsError(err)
	if failure.Kind == KindInternal && errors.Is(err, context.DeadlineExceeded) {
		failure = &Error{Kind: KindConnection, Message: "the model did not answer in time", Err: err}
	}
	message := failure.Message
	if failure.Err != nil {
		message += ": " + failure.Err.Error()
	}
	return &Error{Kind: failure.Kind, Message: message, Status: failure.Status, RetryAfter: failure.RetryAfter}
}

func (t *turn) check(index int, call Call) {
	event := Event{Kind: Checked, Index: index}
	guard(&event, func() {
		verdict := Verdict{Decision: Refuse, Reason: "Unknown tool: '" + call.Name + "'"}
		if t.Tools != nil {
			verdict = t.Tools.Check(t.ctx, call)
		}
		event.Verdict = &verdict
	})
	t.ready = append(t.ready, event)
}

// call runs a call on its own goroutine, which sends the event unless the turn has ended.
func (t *turn) call(index int, call Call, verdict Verdict) {
	t.open++
	t.group.Go(func() {
		event, began := Event{Kind: ToolDone, Index: index}, time.Now()
		defer func() {
			event.ResultMS = float64(time.Since(began).Microseconds()) / 1000
			select {
			case t.events <- event:
			case <-t.ctx.Done():
			}
		}()
		guard(&event, func() {
			result := t.Tools.Call(t.ctx, call, verdict)
			event.Result = &result
		})
	})
}

// wait returns when the goroutines have ended, or when they have had their grace.
func (t *turn) wait() {
	if t.open == 0 {
		t.group.Wait()
		return
	}
	ended := make(chan struct{})
	go func() {
		t.group.Wait()
		close(ended)
	}()
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-ended:
	case <-patience.C:
	}
}
