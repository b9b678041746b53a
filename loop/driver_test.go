package loop_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"chatterbox/loop"
	"chatterbox/loop/looptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(text string) loop.Event {
	return loop.Event{Kind: loop.Start, Messages: []loop.Message{{Role: loop.User, Content: text}}}
}

func call(id, name, arguments string) loop.Call {
	return loop.Call{ID: id, Name: name, Arguments: arguments}
}

func TestToolsOfOneAnswerRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := looptest.Static("slow", `{}`)
		slow.Call = func(context.Context, loop.Call) loop.Result {
			time.Sleep(time.Second)
			return loop.Result{Content: `{}`}
		}
		model := looptest.NewModel(t,
			looptest.Ask(call("a", "slow", `{"n":1}`), call("b", "slow", `{"n":2}`), call("c", "slow", `{"n":3}`)),
			looptest.Say("Done."))
		began := time.Now()
		_, outcome := loop.Driver{Model: model, Tools: looptest.NewTools(slow)}.Run(
			t.Context(), loop.New(loop.DefaultLimits(), nil), start("go"), nil)
		if took := time.Since(began); took != time.Second {
			t.Errorf("three calls of a second took %v", took)
		}
		for _, record := range outcome.Trace.ToolCalls {
			if record.MS != 1000 {
				t.Errorf("a call took %v ms", record.MS)
			}
		}
	})
}

func TestArgumentsAreReadOnce(t *testing.T) {
	call := loop.Call{ID: "1", Name: "now", Arguments: `{"zone":"UTC"}`}
	proposed := loop.Event{Kind: loop.Start, CallerWords: true, Proposed: []loop.Proposed{{Call: call}}}
	for name, c := range map[string]struct {
		first   loop.Event
		replies []looptest.Reply
	}{
		"the model's call":   {start("go"), []looptest.Reply{looptest.Ask(call), looptest.Say("Noon.")}},
		"the call of a rule": {proposed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var read []*loop.Arguments
			note := func(call loop.Call) {
				arguments, err := call.Read()
				if err != nil || arguments.Text() != `{"zone":"UTC"}` {
					t.Errorf("%+v, %v", arguments, err)
				}
				read = append(read, arguments)
			}
			tool := looptest.Static("now", "{}")
			tool.Check = func(call loop.Call) loop.Verdict {
				note(call)
				return loop.Verdict{Decision: loop.Run}
			}
			tool.Call = func(_ context.Context, call loop.Call) loop.Result {
				note(call)
				return loop.Result{Content: "{}"}
			}
			tools := looptest.NewTools(tool)
			driver := loop.Driver{Model: looptest.NewModel(t, c.replies...), Tools: tools}
			driver.Run(t.Context(), loop.New(loop.DefaultLimits(), tools.Offered()), c.first, nil)
			if len(read) != 2 || read[0] != read[1] {
				t.Errorf("the check and the call have read %p", read)
			}
		})
	}
}

func TestNobodyListening(t *testing.T) {
	model := looptest.NewModel(t, looptest.Reply{Broken: []string{"It is half"}, Completion: loop.Completion{Content: "It is noon.", FinishReason: "stop"}})
	_, outcome := loop.Driver{Model: model}.Run(t.Context(), loop.New(loop.DefaultLimits(), nil), start("go"), nil)
	if outcome.Failure != nil || outcome.Text != "It is noon." {
		t.Errorf("an answer that nobody heard the beginning of could not begin anew: %+v", outcome)
	}
}

func TestCauseOfTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		cancel error
		wall   time.Duration
		want   loop.Cause
		kind   loop.Kind
	}{
		"the client is gone":        {cancel: loop.ErrClientGone, want: loop.ClientGone, kind: loop.KindInternal},
		"the service stops":         {cancel: loop.ErrShutdown, want: loop.Shutdown, kind: loop.KindInternal},
		"the cause is wrapped":      {cancel: fmt.Errorf("stop: %w", loop.ErrShutdown), want: loop.Shutdown, kind: loop.KindInternal},
		"cancelled without a cause": {cancel: context.Canceled, want: loop.ClientGone, kind: loop.KindInternal},
		"the turn's time is up":     {wall: time.Second, want: loop.Deadline, kind: loop.KindConnection},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if c.cancel != nil {
					time.AfterFunc(time.Second, func() { cancel(c.cancel) })
				}
				limits := loop.DefaultLimits()
				limits.Wall = c.wall
				model := looptest.NewModel(t, looptest.Reply{Hang: true})
				_, outcome := loop.Driver{Model: model}.Run(ctx, loop.New(limits, nil), start("go"), nil)
				if outcome.Cause != c.want || outcome.Failure == nil || outcome.Failure.Kind != c.kind {
					t.Errorf("ended by %q with %+v, want %q and %s", outcome.Cause, outcome.Failure, c.want, c.kind)
				}
			})
		})
	}
}

func TestDeadlineOfTheCallersContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		model := looptest.NewModel(t, looptest.Reply{Hang: true})
		_, outcome := loop.Driver{Model: model}.Run(ctx, loop.New(loop.DefaultLimits(), nil), start("go"), nil)
		if outcome.Cause != loop.Deadline {
			t.Errorf("the cause is %q", outcome.Cause)
		}
	})
}

func TestModelErrorsBecomeFailures(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want loop.Error
	}{
		"a typed error keeps what it says": {
			&loop.Error{Kind: loop.KindRateLimit, Message: "slow down", Status: 429, RetryAfter: time.Minute},
			loop.Error{Kind: loop.KindRateLimit, Message: "slow down", Status: 429, RetryAfter: time.Minute}},
		"a wrapped one too": {
			fmt.Errorf("ask: %w", &loop.Error{Kind: loop.KindAPI, Message: "bad gateway", Status: 502, Err: errors.New("html")}),
			loop.Error{Kind: loop.KindAPI, Message: "bad gateway: html", Status: 502}},
		"the model's own deadline is the connection": {
			fmt.Errorf("ask: %w", context.DeadlineExceeded),
			loop.Error{Kind: loop.KindConnection, Message: "the model did not answer in time: ask: context deadline exceeded"}},
		"any other is internal": {
			errors.New("odd"), loop.Error{Kind: loop.KindInternal, Message: "unexpected failure: odd"}},
	} {
		t.Run(name, func(t *testing.T) {
			model := looptest.NewModel(t, looptest.Reply{Err: c.err})
			_, outcome := loop.Driver{Model: model}.Run(t.Context(), loop.New(loop.DefaultLimits(), nil), start("go"), nil)
			if outcome.Failure == nil || *outcome.Failure != c.want {
				t.Errorf("the failure is %+v, want %+v", outcome.Failure, c.want)
			}
		})
	}
}

// broken breaks in one of its two methods.
type broken struct{ check, exit bool }

func (b broken) Check(context.Context, loop.Call) loop.Verdict {
	if b.check {
		panic("in check")
	}
	return loop.Verdict{Decision: loop.Run}
}

func (b broken) Call(context.Context, loop.Call, loop.Verdict) loop.Result {
	if b.exit {
		runtime.Goexit()
	}
	panic("in call")
}

func TestToolsThatBreakTheirContractCostTheirCall(t *testing.T) {
	for name, c := range map[string]struct {
		tools loop.Tools
		want  string
	}{
		"a check that panics":              {broken{check: true}, "could not be checked: panic: in check"},
		"a call that panics":               {broken{}, "the tool failed: panic: in call"},
		"a call that leaves its goroutine": {broken{exit: true}, "the tool failed: ended without an answer"},
		"no tools at all":                  {nil, "Unknown tool: 'x'"},
	} {
		t.Run(name, func(t *testing.T) {
			model := looptest.NewModel(t, looptest.Ask(call("a", "x", `{}`)), looptest.Say("Sorry."))
			_, outcome := loop.Driver{Model: model, Tools: c.tools}.Run(
				t.Context(), loop.New(loop.DefaultLimits(), nil), start("go"), nil)
			if outcome.Text != "Sorry." || !strings.Contains(outcome.Trace.ToolCalls[0].Result, c.want) {
				t.Errorf("text %q, calls %+v; want a result with %q", outcome.Text, outcome.Trace.ToolCalls, c.want)
			}
		})
	}
}

func TestAToolThatIgnoresTheEndIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := looptest.Static("deaf", `{}`)
		deaf.Call = func(context.Context, loop.Call) loop.Result {
			<-release
			return loop.Result{Content: `{}`}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(loop.ErrClientGone) })
		began := time.Now()
		model := looptest.NewModel(t, looptest.Ask(call("a", "deaf", `{}`)))
		_, outcome := loop.Driver{Model: model, Tools: looptest.NewTools(deaf)}.Run(
			ctx, loop.New(loop.DefaultLimits(), nil), start("go"), nil)
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("Run returned after %v, want the second and the grace of two", took)
		}
		if outcome.Cause != loop.ClientGone || len(outcome.Trace.ToolCalls) != 1 {
			t.Errorf("outcome %+v", outcome)
		}
		close(release)
	})
}

func TestAnEventThatDoesNotFitEndsAtOnce(t *testing.T) {
	driver := loop.Driver{Model: looptest.NewModel(t)}
	_, outcome := driver.Run(t.Context(), loop.New(loop.DefaultLimits(), nil), loop.Event{Kind: loop.Answered}, nil)
	if outcome.Failure == nil || outcome.Failure.Kind != loop.KindInternal {
		t.Errorf("an answer without a question gives %+v", outcome)
	}
}

// TestHammerDriver runs many turns at once through one driver, its tools and a model; some of them are cancelled.
func TestHammerDriver(t *testing.T) {
	tools := looptest.NewTools(looptest.Static("a", `{"n":1}`), looptest.Static("b", `{"n":2}`))
	driver := loop.Driver{Model: hammerModel{}, Tools: tools}
	shared := []loop.Message{{Role: loop.System, Content: "shared"}, {Role: loop.User, Content: "go"}}
	var turns sync.WaitGroup
	for worker := range 8 {
		turns.Go(func() {
			for n := range 60 {
				ctx, cancel := context.WithCancelCause(t.Context())
				said := ""
				_, outcome := driver.Run(ctx, loop.New(loop.DefaultLimits(), tools.Offered()),
					loop.Event{Kind: loop.Start, Messages: shared}, func(emission loop.Emission) {
						if emission.Kind == loop.EmitDelta {
							said += emission.Text
						}
						if emission.State == loop.ToolRunning && (worker+n)%7 == 0 {
							cancel(loop.ErrClientGone)
						}
					})
				cancel(nil)
				switch {
				case outcome.Cause == loop.ClientGone && (worker+n)%7 == 0:
				case outcome.Failure != nil || outcome.Text != "One, two." || said != outcome.Text:
					t.Errorf("turn %d of %d: %+v, said %q", n, worker, outcome, said)
				}
			}
		})
	}
	turns.Wait()
}

// hammerModel calls two tools and then answers.
type hammerModel struct{}

func (hammerModel) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	if len(request.Messages) == 2 {
		return loop.Completion{ToolCalls: []loop.Call{call("1", "a", `{}`), call("2", "b", `{}`)}}, nil
	}
	for _, delta := range []string{"One, ", "two."} {
		onDelta(delta)
	}
	return loop.Completion{Content: "One, two."}, ctx.Err()
}

func BenchmarkDriver(b *testing.B) {
	tools := looptest.NewTools(looptest.Static("a", `{"n":1}`), looptest.Static("b", `{"n":2}`))
	driver := loop.Driver{Model: hammerModel{}, Tools: benchTools{}}
	offered := tools.Offered()
	first := loop.Event{Kind: loop.Start, Messages: []loop.Message{{Role: loop.System}, {Role: loop.User}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, outcome := driver.Run(b.Context(), loop.New(loop.DefaultLimits(), offered), first, nil); outcome.Failure != nil {
			b.Fatal(outcome.Failure)
		}
	}
}

// benchTools answers without keeping anything.
type benchTools struct{}

func (benchTools) Check(context.Context, loop.Call) loop.Verdict {
	return loop.Verdict{Decision: loop.Run}
}

func (benchTools) Call(context.Context, loop.Call, loop.Verdict) loop.Result {
	return loop.Result{Content: `{}`}
}
