package conversation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/looptest"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// rooms are twenty tools with much to read in each, a shared one among them.
func rooms() []loop.Tool {
	tools := []loop.Tool{{Name: "get_current_datetime", Description: "Tells the time.", Parameters: json.RawMessage(`{"type":"object"}`)}}
	for _, room := range []string{"kitchen", "garage", "attic", "cellar", "hall", "bedroom", "garden", "office", "bath", "porch"} {
		for _, thing := range []string{"lamp", "blind"} {
			tools = append(tools, loop.Tool{
				Name: room + "_" + thing, Description: "Moves one thing. " + strings.Repeat("It is written at length here. ", 20),
				Parameters: json.RawMessage(`{"type":"object"}`),
			})
		}
	}
	return tools
}

// smallServer is a model whose server reads no more than window tokens of a prompt and counts what it read.
type smallServer struct {
	*looptest.Model
	name   string
	window int // 0: all is read
	known  int // what the configuration says
	counts func(estimated, window int) loop.Usage

	mu    sync.Mutex
	asked []loop.Request
}

func (s *smallServer) Window() loop.Window { return loop.Window{Model: s.name, Tokens: s.known} }

func (s *smallServer) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	s.mu.Lock()
	s.asked = append(s.asked, request)
	s.mu.Unlock()
	completion, err := s.Model.Complete(ctx, request, onDelta)
	estimated := loop.EstimateTokens(s.name, request)
	completion.Usage = loop.Usage{PromptTokens: estimated, CompletionTokens: 7}
	if s.window > 0 && estimated > s.window*3/4 {
		completion.Usage = s.counts(estimated, s.window)
	}
	completion.Model = s.name
	return completion, err
}

// fills is the count of a server whose prompt and answer fill the window exactly, and half that of one that reads half.
func fills(_, window int) loop.Usage {
	return loop.Usage{PromptTokens: window - 48, CompletionTokens: 48}
}
func half(_, window int) loop.Usage {
	return loop.Usage{PromptTokens: window/2 + 2, CompletionTokens: 20}
}

type world struct {
	service *conversation.Service
	model   *smallServer
	store   *historytest.Memory
	tools   *toolbox
	log     *bytes.Buffer
}

// newWorld is a service whose conversation "a" has a long history.
func newWorld(t *testing.T, model *smallServer, change func(*conversation.Options), replies ...looptest.Reply) world {
	t.Helper()
	model.Model = looptest.NewModel(t, replies...)
	w := world{model: model, store: &historytest.Memory{}, tools: &toolbox{}, log: &bytes.Buffer{}}
	for i := range 10 {
		turn := conversation.Turn{
			ID: fmt.Sprint(i), User: fmt.Sprint("old question ", i, strings.Repeat(" and so on", 30)), Assistant: strings.Repeat("an answer ", 30),
		}
		if err := w.store.Append(t.Context(), "a", int64(i), turn, conversation.State{}); err != nil {
			t.Fatal(err)
		}
	}
	opts := options(w.store, w.model, w.tools)
	opts.Offered, opts.ToolsOfferedMax = rooms, 7
	opts.Log = slog.New(slog.NewTextHandler(w.log, nil))
	if change != nil {
		change(&opts)
	}
	w.service = conversation.New(opts)
	return w
}

func offeredNames(request loop.Request) []string {
	var out []string
	for _, tool := range request.Tools {
		out = append(out, tool.Name)
	}
	return out
}

func TestOfManyToolsThoseThatFitAreOffered(t *testing.T) {
	w := newWorld(t, &smallServer{}, nil, looptest.Say("a"), looptest.Say("b"), looptest.Say("c"))
	first := say(t, w.service, "a", "the lamp in the garage please")
	if n := len(w.model.asked[0].Tools); n != 7 {
		t.Errorf("%d tools were offered, want 7", n)
	}
	for _, name := range []string{"garage_lamp", "get_current_datetime"} {
		if !slices.Contains(first.Trace.Route.ToolsOffered, name) {
			t.Errorf("offered %v without %s", first.Trace.Route.ToolsOffered, name)
		}
	}
	if !strings.Contains(first.Trace.Route.Reason, "7 of 21 tools by relevance, garage_lamp fits best") {
		t.Errorf("the reason is %q", first.Trace.Route.Reason)
	}
	second := say(t, w.service, "a", "and now off again")
	if !slices.Equal(second.Trace.Route.ToolsOffered, first.Trace.Route.ToolsOffered) {
		t.Errorf("a text that fits nothing changed the set from %v to %v", first.Trace.Route.ToolsOffered, second.Trace.Route.ToolsOffered)
	}
	third := say(t, w.service, "a", "the blind in the cellar")
	if !slices.Contains(third.Trace.Route.ToolsOffered, "cellar_blind") {
		t.Errorf("offered %v without the best match", third.Trace.Route.ToolsOffered)
	}
}

func TestAllToolsAreOffered(t *testing.T) {
	for name, change := range map[string]func(*conversation.Options){
		"without a limit":                       func(o *conversation.Options) { o.ToolsOfferedMax = 0 },
		"when there are no more than the limit": func(o *conversation.Options) { o.ToolsOfferedMax = 21 },
		"to measure the model alone":            func(o *conversation.Options) { o.Strategy = conversation.StrategyBare },
		"to measure the loop alone":             func(o *conversation.Options) { o.Strategy = conversation.StrategyLoop },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &smallServer{}, change, looptest.Say("a"))
			if say(t, w.service, "a", "the lamp in the garage"); len(w.model.asked[0].Tools) != 21 {
				t.Errorf("%d tools were offered, want all 21", len(w.model.asked[0].Tools))
			}
		})
	}
}

func TestPromptFitsIntoTheConfiguredWindow(t *testing.T) {
	w := newWorld(t, &smallServer{name: "qwen3:4b", known: 2048}, nil, looptest.Say("a"))
	reply := say(t, w.service, "a", "the lamp in the garage")
	request := w.model.asked[0]
	if n := loop.EstimateTokens("qwen3:4b", request); n > 1537 {
		t.Errorf("a prompt of %d tokens was sent", n)
	}
	for _, name := range []string{"garage_lamp", "get_current_datetime"} {
		if !slices.Contains(offeredNames(request), name) {
			t.Errorf("offered %v without %s", offeredNames(request), name)
		}
	}
	if request.Messages[0].Role != loop.System || request.Messages[len(request.Messages)-1].Content != "the lamp in the garage" {
		t.Errorf("the prompt's ends are gone: %+v", request.Messages)
	}
	if !strings.Contains(reply.Trace.Route.Reason, "old messages") || !slices.Equal(reply.Trace.Route.ToolsOffered, offeredNames(request)) {
		t.Errorf("the trace says %+v of %v", reply.Trace.Route, offeredNames(request))
	}
}

// TestCutPromptIsSentAgainWithLess: the answer to a prompt that was cut is taken back, the person hears the second one,
// the operator is told once, and the next turn fits at once.
func TestCutPromptIsSentAgainWithLess(t *testing.T) {
	for name, counts := range map[string]func(int, int) loop.Usage{"filling the window": fills, "read half": half} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &smallServer{name: "qwen3:4b", window: 2048, counts: counts}, nil,
				looptest.Say("I have no tools."), looptest.Say("It is red."), looptest.Say("It is blue."))
			var heard string
			interims := 0
			request := conversation.Request{Text: "the lamp in the garage", ConversationID: "a", Trace: true}
			reply, err := w.service.Converse(t.Context(), request, func(e loop.Emission) {
				if e.Kind == loop.EmitInterim {
					heard = ""
					interims++
				}
				heard += e.Text
			})
			if err != nil || reply.ResponseText != "It is red." || heard != "It is red." || interims != 1 {
				t.Fatalf("answered %q, heard %q after %d interims, %v\n%s", reply.ResponseText, heard, interims, err, w.log)
			}
			first, second := w.model.asked[0], w.model.asked[1]
			if len(second.Messages) >= len(first.Messages) || !slices.Contains(offeredNames(second), "garage_lamp") {
				t.Errorf("asked again with %d of %d messages and %v", len(second.Messages), len(first.Messages), offeredNames(second))
			}
			if reply.Trace.LLMCalls != 2 || reply.Trace.Usage.CompletionTokens < 14 || !strings.Contains(reply.Trace.Route.Reason, "cut the prompt") {
				t.Errorf("the trace is %+v", reply.Trace)
			}
			say(t, w.service, "a", "the lamp in the garage again")
			if n := len(w.model.asked); n != 3 {
				t.Errorf("the next turn asked %d times, want once", n-2)
			}
			if n := strings.Count(w.log.String(), "num_ctx"); n != 1 {
				t.Errorf("the operator was told %d times: %s", n, w.log)
			}
			cuts := w.service.PromptsCut()
			if len(cuts) != 1 || cuts[0].Model != "qwen3:4b" || cuts[0].Times != 1 || !strings.Contains(cuts[0].Advice, "models[].context") {
				t.Errorf("the report is %+v", cuts)
			}
		})
	}
}

func TestCutPromptIsNotSentAgain(t *testing.T) {
	lamp := loop.Call{ID: "1", Name: "garage_lamp", Arguments: "{}"}
	for name, c := range map[string]struct {
		replies []looptest.Reply
		change  func(*conversation.Options)
		want    string
		asked   int
	}{
		"after a call ran":                {[]looptest.Reply{looptest.Ask(lamp), looptest.Say("It is red.")}, nil, "It is red.", 2},
		"when the tokens are spent":       {[]looptest.Reply{looptest.Say("a")}, func(o *conversation.Options) { o.Limits.Tokens = 2048 }, "a", 1},
		"when the loop alone is measured": {[]looptest.Reply{looptest.Say("a")}, func(o *conversation.Options) { o.Strategy = conversation.StrategyLoop }, "a", 1},
		"when nothing can be left out": {[]looptest.Reply{looptest.Say("a")}, func(o *conversation.Options) {
			o.MaxHistoryTurns, o.Offered, o.SystemPrompt = 0, nil, strings.Repeat("be brief and kind and patient, ", 300)
		}, "a", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &smallServer{name: "m", window: 2048, counts: fills}, c.change, c.replies...)
			if reply := say(t, w.service, "a", "the lamp in the garage"); reply.ResponseText != c.want || len(w.model.asked) != c.asked {
				t.Errorf("answered %q after %d questions, want %q after %d", reply.ResponseText, len(w.model.asked), c.want, c.asked)
			}
			if reported := len(w.service.PromptsCut()) == 1; reported == (name == "when the loop alone is measured") {
				t.Errorf("the cut is reported: %v", reported)
			}
		})
	}
}

func TestFirstAnswerStandsWhenAskingAgainFails(t *testing.T) {
	w := newWorld(t, &smallServer{name: "m", window: 2048, counts: fills}, nil,
		looptest.Say("first"), looptest.Reply{Deltas: []string{"sec"}, Err: errors.New("gone")}, looptest.Say("later"))
	var heard string
	reply, err := w.service.Converse(t.Context(), conversation.Request{Text: "the lamp", ConversationID: "a", Trace: true}, func(e loop.Emission) {
		if e.Kind == loop.EmitInterim {
			heard = ""
		}
		heard += e.Text
	})
	if err != nil || reply.ResponseText != "first" || heard != "first" || reply.Extra.Error != nil {
		t.Errorf("answered %q, heard %q, %+v, %v", reply.ResponseText, heard, reply.Extra.Error, err)
	}
	// Asking again did not help, so it is not tried in every turn.
	if say(t, w.service, "a", "the lamp"); len(w.model.asked) != 3 {
		t.Errorf("the model was asked %d times, want 3", len(w.model.asked))
	}
}

// TestLearnedWindowIsForgotten: a server that was given a larger window gets whole prompts again.
func TestLearnedWindowIsForgotten(t *testing.T) {
	now := time.Now()
	w := newWorld(t, &smallServer{name: "m", window: 2048, counts: fills}, func(o *conversation.Options) { o.Now = func() time.Time { return now } },
		looptest.Say("a"), looptest.Say("b"), looptest.Say("c"), looptest.Say("d"))
	say(t, w.service, "a", "the lamp")
	w.model.window = 0
	say(t, w.service, "a", "the lamp")
	now = now.Add(2 * time.Hour)
	say(t, w.service, "a", "the lamp")
	if n := len(w.model.asked); n != 4 {
		t.Fatalf("the model was asked %d times, want 4", n)
	}
	if learned, whole := len(w.model.asked[2].Messages), len(w.model.asked[3].Messages); whole <= learned {
		t.Errorf("%d messages while the window is believed to be small, %d afterwards", learned, whole)
	}
}

// TestHammerChoices has many conversations at once choose among the same tools.
func TestHammerChoices(t *testing.T) {
	const conversations = 40
	var replies []looptest.Reply
	for range 2 * conversations {
		replies = append(replies, looptest.Say("a"))
	}
	w := newWorld(t, &smallServer{name: "m"}, func(o *conversation.Options) { o.TurnsMax = conversations }, replies...)
	var group sync.WaitGroup
	for i := range conversations {
		group.Go(func() {
			id := fmt.Sprint("c", i)
			for _, text := range []string{"the lamp in the garage", "the blind in the cellar"} {
				reply, err := w.service.Converse(t.Context(), conversation.Request{Text: text, ConversationID: id, Trace: true}, nil)
				if err != nil || len(reply.Trace.Route.ToolsOffered) != 7 {
					t.Errorf("%+v, %v", reply.Trace, err)
				}
			}
		})
	}
	group.Wait()
}
