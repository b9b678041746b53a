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

// grace is how long Run waits for a Model or Tools that does not return although its context has ended. It is far more
// than any of them needs to notice, and short beside the time that a stopping service has.
const grace = 2 * time.Second

// Driver performs a machine's effects. Its fields do not change while it runs; one driver may run many turns at once.
type Driver struct {
	Model Model
	Tools Tools // nil when there are none
	// Observe, where it is set, gets every event before the machine does, on one goroutine at a time.
	Observe func(Event)
}

// Run gives first (Start or Answered) to machine and performs effects until Finish. It returns the machine as it ended,
// which is what a pending approval is resumed from, and the outcome. Emissions go to emit (nil: nowhere) in order, on
// the calling goroutine; emit must return when ctx ends.
//
// When ctx ends, the turn is cancelled: the cause is [Shutdown] when context.Cause is [ErrShutdown], [Deadline] when ctx
// or Limits.Wall ran out, and else [ClientGone]. Run returns only when all its goroutines have ended; one that ignores
// the end of its context, against its contract, is waited for two seconds and then left behind.
//
// A Model or Tools that panics costs that call, not the process.
func (d Driver) Run(ctx context.Context, machine Machine, first Event, emit func(Emission)) (Machine, Outcome) {
	if machine.Limits.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, machine.Limits.Wall)
		defer cancel()
	}
	work, stop := context.WithCancel(ctx)
	t := turn{Driver: d, ctx: work, events: make(chan Event), began: time.Now(), emit: emit}
	defer t.wait()
	defer stop()

	outcome := t.step(&machine, first)
	for outcome == nil {
		if t.open == 0 {
			return machine, Outcome{Trace: machine.Trace, Failure: &Failure{Kind: KindInternal, Message: fmt.Sprintf(
				"event %q does not fit a machine in state %q", first.Kind, machine.State)}}
		}
		select {
		case event := <-t.events:
			t.account(event)
			outcome = t.step(&machine, event)
		case <-ctx.Done():
			outcome = t.step(&machine, Event{Kind: Cancelled, Cause: causeOf(ctx)})
		}
	}
	return machine, *outcome
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
	ctx    context.Context // ends with the turn
	events chan Event      // from the goroutines
	began  time.Time
	emit   func(Emission)
	open   int     // model and tool calls that have not ended
	cost   float64 // of the model calls so far
	group  sync.WaitGroup
}

// account counts what ended with an event of a goroutine.
func (t *turn) account(event Event) {
	if event.Kind == Delta {
		return
	}
	t.open--
	if event.Kind == Completed && event.Completion.Usage.CostUSD != nil {
		t.cost += *event.Completion.Usage.CostUSD
	}
}

// step gives event to the machine and performs what it wants. It returns the outcome once there is one.
func (t *turn) step(machine *Machine, event Event) *Outcome {
	event.Elapsed, event.CostUSD = time.Since(t.began), t.cost
	if t.Observe != nil {
		t.Observe(event)
	}
	var effects []Effect
	*machine, effects = Step(*machine, event)
	for _, effect := range effects {
		switch effect.Kind {
		case CallModel:
			t.start(Event{Kind: ModelFailed}, func(event *Event) { t.complete(*effect.Request, event) })
		case CheckTool:
			t.start(Event{Kind: Checked, Index: effect.Index}, func(event *Event) { t.check(*effect.Call, event) })
		case CallTool:
			t.start(Event{Kind: ToolDone, Index: effect.Index}, func(event *Event) { t.call(*effect.Call, *effect.Verdict, event) })
		case Emit:
			if t.emit != nil {
				t.emit(*effect.Emission)
			}
		case Finish:
			return effect.Outcome
		}
	}
	return nil
}

// start runs work on its own goroutine and sends the event that it fills in. Work that panics has filled in nothing.
func (t *turn) start(event Event, work func(*Event)) {
	t.open++
	t.group.Go(func() {
		defer func() {
			if event.Kind == "" {
				return // the turn's own end has interrupted the work
			}
			t.send(event)
		}()
		defer func() {
			if value := recover(); value != nil {
				event.crashed(fmt.Sprint("panic: ", value))
			}
		}()
		event.crashed("ended without an answer") // stands when work leaves by runtime.Goexit
		work(&event)
	})
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
		*e = Event{Kind: ModelFailed, Failure: &Failure{Kind: KindInternal, Message: "the model client failed: " + how}}
	}
}

// send hands over event, or drops it when the turn has ended.
func (t *turn) send(event Event) {
	select {
	case t.events <- event:
	case <-t.ctx.Done():
	}
}

func (t *turn) complete(request Request, event *Event) {
	completion, err := t.Model.Complete(t.ctx, request, func(text string) {
		if text != "" {
			t.send(Event{Kind: Delta, Text: text})
		}
	})
	if err == nil {
		*event = Event{Kind: Completed, Completion: &completion}
		return
	}
	if t.ctx.Err() != nil {
		event.Kind = ""
		return
	}
	failure := AsError(err)
	if failure.Kind == KindInternal && errors.Is(err, context.DeadlineExceeded) {
		failure = &Error{Kind: KindConnection, Message: "the model did not answer in time", Err: err}
	}
	message := failure.Message
	if failure.Err != nil {
		message += ": " + failure.Err.Error()
	}
	event.Failure = &Failure{
		Kind: failure.Kind, Message: message, Status: failure.Status, RetryAfter: failure.RetryAfter,
	}
}

func (t *turn) check(call Call, event *Event) {
	if t.Tools == nil {
		event.Verdict = &Verdict{Decision: Refuse, Reason: "Unknown tool: '" + call.Name + "'"}
		return
	}
	verdict := t.Tools.Check(t.ctx, call)
	event.Verdict = &verdict
}

func (t *turn) call(call Call, verdict Verdict, event *Event) {
	began := time.Now()
	defer func() { event.ResultMS = float64(time.Since(began).Microseconds()) / 1000 }()
	result := t.Tools.Call(t.ctx, call, verdict)
	event.Result = &result
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
