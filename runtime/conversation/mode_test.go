package conversation_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// home are modes of which HOME has one tool, a model and a prompt of its own.
func home(t *testing.T) *route.Modes {
	t.Helper()
	modes, err := route.NewModes([]route.Mode{
		{Name: "AUTO", Tools: []string{route.All}, Model: "local"},
		{Name: "HOME", Aliases: []string{"devices"}, Tools: []string{"book"}, Model: "cloud", Prompt: "Be brief."},
	}, "AUTO", nil, "Chatterbox")
	if err != nil {
		t.Fatal(err)
	}
	return modes
}

// moded are options with the modes of home and a clock that the test moves.
func moded(t *testing.T, store conversation.Store, model loop.Model, now *time.Time) conversation.Options {
	opts := options(store, model, &toolbox{})
	opts.Modes, opts.Now = home(t), func() time.Time { return *now }
	return opts
}

func TestAModeIsKeptUntilNobodySpeaks(t *testing.T) {
	store, now := new(historytest.Memory), time.Now()
	model := script(t, "One.", "Two.", "Three.", "Four.")
	var choices []string
	opts := moded(t, store, model, &now)
	opts.Model = func(choice string) loop.Model {
		choices = append(choices, choice)
		return model
	}
	s := conversation.New(opts)
	check := func(reply conversation.Reply, mode, stage string, offered []string) {
		t.Helper()
		if got := reply.Trace; got.Mode != mode || got.Route.Stage != stage || !slices.Equal(got.Route.ToolsOffered, offered) {
			t.Errorf("mode %s, route %+v; want %s, %s and %v", got.Mode, got.Route, mode, stage, offered)
		}
	}
	all, few := []string{"book", "get_current_datetime"}, []string{"book"}
	check(say(t, s, "a", "hello"), "AUTO", "loop", all)
	reply := say(t, s, "a", "Switch to devices mode, please.")
	check(reply, "HOME", "mode", []string{})
	if reply.ResponseText != "I'm in home mode now." || reply.Trace.LLMCalls != 0 || !strings.Contains(reply.Trace.Route.Reason, "HOME") {
		t.Errorf("answered %q, trace %+v", reply.ResponseText, reply.Trace)
	}
	s = conversation.New(opts) // as after a restart
	check(say(t, s, "a", "hello"), "HOME", "loop", few)
	if choices[len(choices)-1] != "cloud" || !strings.HasSuffix(model.asked[1].Messages[0].Content, " Be brief.") {
		t.Errorf("asked for %v with %q", choices, model.asked[1].Messages[0].Content)
	}
	if turn := turnsOf(t, store, "a").Turns[2]; turn.Mode != "HOME" {
		t.Errorf("the turn is stored with mode %q", turn.Mode)
	}
	check(say(t, s, "b", "hello"), "AUTO", "loop", all)
	now = now.Add(route.IdleDefault + time.Second)
	check(say(t, s, "a", "hello"), "AUTO", "loop", all)
}

func TestTheRestIsAnsweredInTheNewMode(t *testing.T) {
	store, now := new(historytest.Memory), time.Now()
	model := script(t, "Fine.")
	s := conversation.New(moded(t, store, model, &now))
	reply := say(t, s, "a", "Switch to home mode and tell me how you are.")
	if reply.ResponseText != "I'm in home mode now. Fine." || reply.Trace.Mode != "HOME" || reply.Trace.Route.Stage != "loop" ||
		!slices.Equal(reply.Trace.Route.ToolsOffered, []string{"book"}) || !strings.Contains(reply.Trace.Route.Reason, "asks for mode HOME; ") {
		t.Errorf("answered %q, trace %+v", reply.ResponseText, reply.Trace)
	}
	asked := model.asked[0].Messages
	if last := asked[len(asked)-1].Content; last != "tell me how you are" || !strings.HasSuffix(asked[0].Content, " Be brief.") {
		t.Errorf("the model is asked %q after %q", last, asked[0].Content)
	}
	turn := turnsOf(t, store, "a").Turns[0]
	if turn.User != "Switch to home mode and tell me how you are." || turn.Assistant != reply.ResponseText || turn.Mode != "HOME" {
		t.Errorf("stored is %+v", turn)
	}
	if mode, err := s.Mode(t.Context(), "a"); mode != "HOME" || err != nil {
		t.Errorf("the conversation is in %s, %v", mode, err)
	}
	// A turn that fails stores nothing, so it must not say that the mode is another one.
	reply = say(t, conversation.New(moded(t, store, script(t, &loop.Error{Kind: loop.KindConnection, Message: "refused"}), &now)), "b", "switch to home mode and tell me how you are")
	if strings.Contains(reply.ResponseText, "home mode") {
		t.Errorf("a turn that failed says %q", reply.ResponseText)
	}
	if mode, err := s.Mode(t.Context(), "b"); mode != "AUTO" || err != nil {
		t.Errorf("the conversation is in %s, %v", mode, err)
	}
}

func TestAModeOfARequest(t *testing.T) {
	store, now := new(historytest.Memory), time.Now()
	s := conversation.New(moded(t, store, script(t, "One.", "Two."), &now))
	request := conversation.Request{Text: "hello", ConversationID: "a", Mode: "home", Trace: true}
	for range 2 { // the second does not name it
		reply, err := s.Converse(t.Context(), request, nil)
		if err != nil || reply.Trace.Mode != "HOME" {
			t.Errorf("reply %+v, %v", reply, err)
		}
		request.Mode = ""
	}
	var refused *conversation.RequestError
	request.Mode = "PARTY"
	if _, err := s.Converse(t.Context(), request, nil); !errors.As(err, &refused) || !strings.Contains(refused.Message, "AUTO, HOME") {
		t.Errorf("got %v", err)
	}
}

func TestAModeThatAProgramSets(t *testing.T) {
	store, now := new(historytest.Memory), time.Now()
	s := conversation.New(moded(t, store, script(t, "One.", "Two.", "Three."), &now))
	mode := func(id, want string) {
		t.Helper()
		if got, err := s.Mode(t.Context(), id); got != want || err != nil {
			t.Errorf("%s is in %s (%v), want %s", id, got, err, want)
		}
	}
	set := func(id, name string) {
		t.Helper()
		if _, err := s.SetMode(t.Context(), id, name); err != nil {
			t.Fatal(err)
		}
	}
	mode("new", "AUTO")
	set("new", "home") // a conversation without a turn
	mode("new", "HOME")
	if got := say(t, s, "new", "hello").Trace.Mode; got != "HOME" {
		t.Errorf("the first turn is in %s", got)
	}
	say(t, s, "old", "hello")
	now = now.Add(time.Hour)
	mode("new", "AUTO") // as the next turn would be
	set("old", "HOME")
	now = now.Add(time.Minute)
	if got := say(t, s, "old", "hello").Trace.Mode; got != "HOME" {
		t.Errorf("after a minute it is in %s: setting the mode is as good as a turn", got)
	}
	var refused *conversation.RequestError
	if _, err := s.SetMode(t.Context(), "old", "party"); !errors.As(err, &refused) || refused.Field != "mode" {
		t.Errorf("got %v", err)
	}
	if _, err := s.Mode(t.Context(), "no id"); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
}

func TestWhoSwitchesModes(t *testing.T) {
	for strategy, want := range map[conversation.Strategy]string{
		"auto": "HOME", "workflow": "HOME", "routed": "HOME", "loop": "AUTO", "bare": "AUTO",
	} {
		now := time.Now()
		model := script(t)
		if want == "AUTO" {
			model = script(t, "I cannot.")
		}
		opts := moded(t, new(historytest.Memory), model, &now)
		opts.Strategy = strategy
		if got := say(t, conversation.New(opts), "a", "switch to home mode").Trace.Mode; got != want {
			t.Errorf("%s: mode %s, want %s", strategy, got, want)
		}
	}
}

func TestAskingForAModeDropsAnApproval(t *testing.T) {
	tools := &toolbox{asks: "book"}
	s := conversation.New(options(asked(t, tools), script(t, "Yes to what?"), tools))
	reply := say(t, s, "a", "switch to home mode")
	if reply.Trace.Mode != "HOME" || reply.Extra.Approval != nil {
		t.Errorf("reply %+v, mode %s", reply, reply.Trace.Mode)
	}
	if say(t, s, "a", "yes"); len(tools.ran) != 0 {
		t.Error("the dropped call ran")
	}
}

func TestAModeOutsideAConversation(t *testing.T) {
	opts := options(new(historytest.Memory), nil, nil)
	opts.AutoCreateID = false
	reply := say(t, conversation.New(opts), "", "switch to home mode")
	if reply.ResponseText != "I can't change the mode outside a conversation." || reply.Trace.Mode != "AUTO" {
		t.Errorf("%q in mode %s", reply.ResponseText, reply.Trace.Mode)
	}
}

func TestHammerModes(t *testing.T) {
	store := new(historytest.Memory)
	opts := options(store, nil, nil)
	opts.Model, opts.QueueMax = nil, 1000
	s := conversation.New(opts)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 25 {
				name := []string{"HOME", "CHAT", "AUTO"}[(i+j)%3]
				if _, err := s.SetMode(t.Context(), "a", name); err != nil {
					t.Error(err)
				}
				if reply := say(t, s, "a", "hello"); reply.Extra.Error != nil {
					t.Errorf("a turn failed: %+v", reply.Extra.Error)
				}
				if _, err := s.Mode(t.Context(), "a"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if turns := turnsOf(t, store, "a").Turns; len(turns) != 200 {
		t.Errorf("%d turns are stored, want 200", len(turns))
	}
}
