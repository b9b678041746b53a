package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// acting are tools that change something; before and after are called around each call.
type acting struct {
	toolbox
	before, after func()
}

func (a *acting) Check(ctx context.Context, call loop.Call) loop.Verdict {
	verdict := a.toolbox.Check(ctx, call)
	verdict.Acts = true
	return verdict
}

func (a *acting) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	if a.before != nil {
		a.before()
	}
	result := a.toolbox.Call(ctx, call, verdict)
	if a.after != nil {
		a.after()
	}
	return result
}

// recorder keeps the states that were committed.
type recorder struct {
	*historytest.Memory
	states []conversation.State
	refuse error
}

func (r *recorder) SetState(ctx context.Context, id string, version int64, state conversation.State) error {
	if r.refuse != nil {
		return r.refuse
	}
	r.states = append(r.states, state)
	return r.Memory.SetState(ctx, id, version, state)
}

// afterCrash is a service over a store that has state and nothing else.
func afterCrash(t *testing.T, state conversation.State, replies ...any) *conversation.Service {
	t.Helper()
	store := new(historytest.Memory)
	if err := store.SetState(t.Context(), "a", 0, state); err != nil {
		t.Fatal(err)
	}
	return conversation.New(options(store, script(t, replies...), &toolbox{}))
}

// books are rules that take "book friday" for the call of booking.
func books(t *testing.T) func() *route.Rules {
	t.Helper()
	rules, err := route.Compile([]route.Rule{{
		Name: "book", Language: "en", Tool: booking.Name, Patterns: []string{"book (?P<day>friday)"},
		Arguments: map[string]route.Argument{"day": {Group: "day"}}, Reply: "Booked.", Failures: []route.Failure{{Reply: "That failed."}},
	}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() *route.Rules { return rules }
}

func TestEffectsAreNotedBeforeAndAfter(t *testing.T) {
	for name, by := range map[string]struct {
		question string
		rule     bool
	}{
		"by the model": {}, "by the model with a yes": {question: "book"}, "by rule": {rule: true}, "by rule with a yes": {"book", true},
	} {
		t.Run(name, func(t *testing.T) {
			store := &recorder{Memory: new(historytest.Memory)}
			tools := &acting{toolbox: toolbox{asks: by.question}}
			atCall := -1
			tools.before = func() { atCall = len(store.states) }
			opts := options(store, nil, tools)
			if opts.Rules = books(t); !by.rule {
				opts = options(store, script(t, booking, "Booked."), tools)
			}
			s := conversation.New(opts)
			reply := say(t, s, "a", "Book friday.")
			if by.question != "" {
				reply = say(t, s, "a", "yes")
			}
			if reply.ResponseText != "Booked." || atCall != 1 || len(store.states) != 2 {
				t.Fatalf("%q, %d commits before the call, %d in all", reply.ResponseText, atCall, len(store.states))
			}
			for i, want := range []conversation.EffectOutcome{conversation.EffectUnknown, conversation.EffectDone} {
				effects := store.states[i].Effects
				if len(effects) != 1 || effects[0].Tool != "book" || string(effects[0].Arguments) != booking.Arguments || effects[0].Outcome != want {
					t.Errorf("commit %d has %+v", i, effects)
				}
				if store.states[i].Approval != nil {
					t.Errorf("commit %d: the yes could be given again", i)
				}
			}
			if stored := turnsOf(t, store.Memory, "a"); len(stored.State.Effects) != 0 {
				t.Errorf("the turn is stored, and still there are %+v", stored.State.Effects)
			}
			told := map[int]string{
				0: "I was interrupted during book (friday) and can't tell whether it took effect; please check before you ask for it again. Hello.",
				1: "Before I was interrupted, book (friday) was done. Hello.",
			}
			for i, want := range told {
				s := afterCrash(t, store.states[i], "Hello.", "Hello again.")
				if reply := say(t, s, "a", "yes"); reply.ResponseText != want {
					t.Errorf("after a crash behind commit %d: %q", i, reply.ResponseText)
				}
				if reply := say(t, s, "a", "Hello?"); reply.ResponseText != "Hello again." {
					t.Errorf("it is told again: %q", reply.ResponseText)
				}
			}
		})
	}
}

func TestEffectsOfATurnThatFails(t *testing.T) {
	store := new(historytest.Memory)
	tools := &acting{}
	down := &loop.Error{Kind: loop.KindConnection}
	s := conversation.New(options(store, script(t, booking, down, down, "Hello."), tools))
	for range 2 { // also when the next turn fails too
		if reply := say(t, s, "a", "Book friday."); reply.Extra.Error == nil {
			t.Fatalf("%+v", reply)
		}
	}
	if reply := say(t, s, "a", "Hello?"); reply.ResponseText != "Before I was interrupted, book (friday) was done. Hello." {
		t.Errorf("%q", reply.ResponseText)
	}
}

func TestEffectsThatFailedAreNotTold(t *testing.T) {
	effects := []conversation.Effect{{Tool: "book", Arguments: []byte(`{}`), Outcome: conversation.EffectFailed}}
	if reply := say(t, afterCrash(t, conversation.State{Effects: effects}, "Hello."), "a", "Hello?"); reply.ResponseText != "Hello." {
		t.Errorf("%q", reply.ResponseText)
	}
}

func TestEffectsThatAreTooManyToTell(t *testing.T) {
	var effects []conversation.Effect
	for i := range 30 {
		effects = append(effects, conversation.Effect{Tool: fmt.Sprint("t", i), Arguments: fmt.Appendf(nil, `{"a":%q}`, strings.Repeat("x", 1000))})
	}
	reply := say(t, afterCrash(t, conversation.State{Effects: effects}, "Hello."), "a", "Hello?")
	if n := strings.Count(reply.ResponseText, "interrupted"); n != 8 || !strings.Contains(reply.ResponseText, "t29") || len(reply.ResponseText) > 8*400 {
		t.Errorf("%d are told, in %d bytes", n, len(reply.ResponseText))
	}
}

func TestEffectsThatCannotBeNotedAreNotMade(t *testing.T) {
	store := &recorder{Memory: new(historytest.Memory), refuse: errors.New("the disk is full")}
	tools := &acting{}
	model := script(t, booking, "Sorry.")
	say(t, conversation.New(options(store, model, tools)), "a", "Book friday.")
	if len(tools.ran) != 0 {
		t.Errorf("ran %+v", tools.ran)
	}
}

func TestHammerEffectsAtOnce(t *testing.T) {
	store := new(historytest.Memory)
	tools := &acting{}
	const calls = 6
	model := modelFunc(func(_ context.Context, request loop.Request, _ func(string)) (loop.Completion, error) {
		if request.Messages[len(request.Messages)-1].Role == loop.FromTool {
			return loop.Completion{Content: "Done.", FinishReason: "stop"}, nil
		}
		completion := loop.Completion{FinishReason: "tool_calls"}
		for i := range calls {
			completion.ToolCalls = append(completion.ToolCalls, loop.Call{ID: fmt.Sprint(i), Name: "book", Arguments: fmt.Sprintf(`{"day":"%d"}`, i)})
		}
		return completion, nil
	})
	s := conversation.New(options(store, model, tools))
	for range 20 {
		if reply := say(t, s, "a", "Book all."); reply.ResponseText != "Done." {
			t.Fatalf("%+v", reply)
		}
	}
	if stored := turnsOf(t, store, "a"); len(tools.ran) != 20*calls || len(stored.State.Effects) != 0 || len(stored.Turns) != 20 {
		t.Errorf("%d calls, %+v", len(tools.ran), stored.State)
	}
}
