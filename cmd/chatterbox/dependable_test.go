package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/flows"
	"chatterbox/runtime/history/historytest"
	"chatterbox/runtime/toolbox"
)

var dialoguesWanted = flag.Int("dialogues", 1500, "how many `dialogues` TestDialoguesBesideAnyModel leads; two of three are bookings")

// wednesday is when the dialogues take place.
var wednesday = time.Date(2031, 3, 5, 10, 0, 0, 0, time.UTC)

// realDialogues are led over the real tools beside each model.
const realDialogues = 20

// turnsMax bounds a dialogue; one that needs more is not completed.
const turnsMax = 40

// hall is the tools of a house: those of inner, or ones that always work. It remembers what changes something. Once in a while it
// has trouble: a calendar that does not answer, a time that is taken.
type hall struct {
	inner   *toolbox.Toolbox
	mu      sync.Mutex
	effects []loop.Call       // guarded by mu
	fails   bool              // guarded by mu; the next call that changes something does
	offer   map[string]string // guarded by mu; the next look at the calendar finds this instead of what was asked for
}

// waiting are tools that change something and wait for a yes; a reminder is set without one.
var (
	waiting = []string{"book_appointment", "cancel_appointment", "delete_reminder", "send_email"}
	writing = append([]string{"set_reminder"}, waiting...)
)

func (h *hall) Check(ctx context.Context, call loop.Call) loop.Verdict {
	if h.inner != nil {
		return h.inner.Check(ctx, call)
	}
	if slices.Contains(waiting, call.Name) {
		return loop.Verdict{Decision: loop.Ask, Question: "Really " + call.Name + "?", Tool: "sha256:1"}
	}
	return loop.Verdict{Decision: loop.Run, Tool: "sha256:1"}
}

func (h *hall) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case call.Name == "check_availability" && h.offer != nil:
		offers, _ := json.Marshal(map[string]any{"available": false, "alternatives": []any{h.offer}})
		h.offer = nil
		return loop.Result{Content: string(offers)}
	case !slices.Contains(writing, call.Name) && h.inner != nil:
		return h.inner.Call(ctx, call, verdict)
	case !slices.Contains(writing, call.Name):
		return loop.Result{Content: `{"available":true}`}
	case h.fails:
		h.fails = false
		return loop.ErrorResult("the calendar does not answer")
	}
	result := loop.Result{Content: `{"event_id":"1","title":"x","id":"1"}`}
	if h.inner != nil {
		result = h.inner.Call(ctx, call, verdict)
	}
	if !result.Failed {
		h.effects = append(h.effects, call)
	}
	return result
}

func (h *hall) list() []loop.Tool {
	if h.inner != nil {
		return h.inner.Offered()
	}
	var tools []loop.Tool
	for _, name := range append([]string{"check_availability", "get_weather"}, writing...) {
		tools = append(tools, loop.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return tools
}

// modelDoing is a model that is a function of its dice.
type modelDoing struct {
	dice *rand.Rand
	do   func(*rand.Rand, loop.Request) (loop.Completion, error)
}

func (m modelDoing) Complete(_ context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	completion, err := m.do(m.dice, request)
	onDelta(completion.Content)
	return completion, err
}

func says(text string) (loop.Completion, error) {
	return loop.Completion{Content: text, FinishReason: "stop"}, nil
}

// modelKinds are the models that a dialogue must survive.
var modelKinds = map[string]func(*rand.Rand, loop.Request) (loop.Completion, error){
	"good": func(_ *rand.Rand, request loop.Request) (loop.Completion, error) {
		var asked struct{ Sentence string } // to be said in its own words
		if json.Unmarshal([]byte(request.Messages[len(request.Messages)-1].Content), &asked) == nil && asked.Sentence != "" {
			return says(asked.Sentence)
		}
		return says("Paris, I believe.")
	},
	"silent": func(*rand.Rand, loop.Request) (loop.Completion, error) { return says("") },
	"nonsense": func(dice *rand.Rand, _ loop.Request) (loop.Completion, error) {
		words := []string{"yes", "booked", "purple", "7", "tomorrow", "agreed", "<tool_call>", "cancel", "Bob", "{", "ok", "12:00"}
		dice.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return says(strings.Join(words[:1+dice.IntN(len(words))], " "))
	},
	"wrong tools": func(dice *rand.Rand, request loop.Request) (loop.Completion, error) {
		if request.Messages[len(request.Messages)-1].Role == loop.FromTool {
			return says("Done, as you agreed.")
		}
		return loop.Completion{FinishReason: "tool_calls", ToolCalls: []loop.Call{{
			ID: "1", Name: waiting[dice.IntN(len(waiting))], Arguments: `{"customer_name":"Eve","date":"2031-03-05","time":"03:00"}`,
		}}}, nil
	},
	"down": func(*rand.Rand, loop.Request) (loop.Completion, error) {
		return loop.Completion{}, &loop.Error{Kind: loop.KindConnection, Message: "refused"}
	},
}

// lead leads one dialogue: the person tells what is missing, corrects what is wrong, asks for something else at times, tries again
// or takes another time, and says yes when everything is right. It returns what was said, and how often in the model's words.
func lead(t *testing.T, dice *rand.Rand, service *conversation.Service, wanted task) (completed bool, phrased int, said []string) {
	t.Helper()
	text, own, detours := wanted.opening, "", dice.IntN(2)
	for range turnsMax {
		text = dictated(dice, text)
		reply, err := service.Converse(t.Context(), conversation.Request{Text: text, ConversationID: "a", Trace: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, "> "+text, "< "+reply.ResponseText)
		if wanted.unsure && slices.ContainsFunc(reply.Trace.ToolCalls, acts) {
			t.Errorf("%q acts:\n%s", text, strings.Join(said, "\n"))
		}
		wanted.unsure = false
		phrased += strings.Count(reply.Trace.Route.Reason, "said in the model's words")
		flow := reply.Trace.Workflow
		if flow != nil && own == "" {
			own = flow.Name
		}
		switch {
		case flow != nil && flow.Name != own:
			text = "cancel"
		case flow != nil && flow.Phase == "COMPLETE":
			return true, phrased, said
		case reply.Extra.Approval != nil: // of something that nobody wanted
			text = "no"
		case strings.Contains(reply.ResponseText, `"try again"`):
			text = "try again"
		case offerIn(reply) != nil:
			text = wanted.take(offerIn(reply))
		case flow != nil && !strings.HasSuffix(reply.ResponseText, "?"): // nothing is asked any more
			text = "back to the " + map[string]string{"booking": "appointment", "reminder": "reminder"}[own]
		case dice.IntN(5) == 0:
			text = pick(dice, asides)
		case detours > 0 && own == "booking" && dice.IntN(4) == 0:
			text, detours = pick(dice, detoursOf), 0
		default:
			text = wanted.next(dice, flow)
		}
	}
	return false, phrased, said
}

// acts says whether a call changed something.
func acts(made conversation.ToolCall) bool {
	var refused struct{ Error string }
	return slices.Contains(writing, made.Name) && (json.Unmarshal(made.Result, &refused) != nil || refused.Error == "")
}

// offerIn is the first time that the turn's last call offers instead of the one that was asked for.
func offerIn(reply conversation.Reply) map[string]string {
	calls := reply.Trace.ToolCalls
	if len(calls) == 0 {
		return nil
	}
	var result struct {
		Available    bool                `json:"available"`
		Alternatives []map[string]string `json:"alternatives"`
	}
	if err := json.Unmarshal(calls[len(calls)-1].Result, &result); err != nil || result.Available || len(result.Alternatives) == 0 {
		return nil
	}
	return result.Alternatives[0]
}

// leadAll leads n dialogues beside a model, which words what is said in every second of them, and returns how many were completed, and
// what went wrong otherwise.
func leadAll(t *testing.T, n int, kind string, strategy conversation.Strategy, box *toolbox.Toolbox) (completed int, wrong []string) {
	t.Helper()
	spoken, err := flows.Open("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range n {
		dice := rand.New(rand.NewPCG(uint64(seed), 7))
		tools := &hall{inner: box, fails: dice.IntN(6) == 0}
		if dice.IntN(6) == 0 {
			tools.offer = map[string]string{"date": "2031-03-18", "time": "16:00"}
		}
		service := conversation.New(conversation.Options{
			Store: new(historytest.Memory), Tools: tools, Offered: tools.list, Limits: loop.DefaultLimits(),
			Model: func(string) loop.Model { return modelDoing{dice, modelKinds[kind]} },
			Rules: spoken.Rules, Workflows: spoken.Workflows, Strategy: strategy, MaxHistoryTurns: 20, QueueMax: 1,
			Now: func() time.Time { return wednesday }, PhraseTime: time.Duration(seed%2) * time.Minute,
		})
		wanted := newTask(dice, seed%3 != 0)
		done, phrased, said := lead(t, dice, service, wanted)
		switch problem := tools.problem(wanted); {
		case kind == "good" && strategy == conversation.StrategyAuto && (phrased > 0) != (seed%2 == 1):
			wrong = append(wrong, fmt.Sprintf("seed %d: %d turns in the model's words:\n%s", seed, phrased, strings.Join(said, "\n")))
		case !done:
			wrong = append(wrong, fmt.Sprintf("seed %d is not completed:\n%s", seed, strings.Join(said, "\n")))
		case problem != "":
			wrong = append(wrong, fmt.Sprintf("seed %d: %s:\n%s", seed, problem, strings.Join(said, "\n")))
		default:
			completed++
		}
		if !done && len(tools.effects) > 0 {
			wrong = append(wrong, fmt.Sprintf("seed %d: calls that nobody agreed to: %+v", seed, tools.effects))
		}
	}
	return completed, wrong
}

// problem says what is wrong with what has changed: exactly one call, with the right data.
func (h *hall) problem(wanted task) string {
	if len(h.effects) != 1 || h.effects[0].Name != wanted.tool {
		return fmt.Sprintf("the calls that act are %+v", h.effects)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(h.effects[0].Arguments), &got); err != nil {
		return err.Error()
	}
	for name, value := range wanted.want {
		if text, _ := got[name].(string); !strings.EqualFold(text, value) {
			return fmt.Sprintf("%s is %q, not %q", name, text, value)
		}
	}
	return ""
}

// TestDialoguesBesideAnyModel: whatever the model is, each dialogue ends with the right call, made once, and nothing else
// is done. The same dialogues with the loop alone are not completed beside a model that talks nonsense, so the test can
// tell.
func TestDialoguesBesideAnyModel(t *testing.T) {
	startsMany(t)
	each := *dialoguesWanted / len(modelKinds)
	for kind := range modelKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			completed, wrong := leadAll(t, each, kind, conversation.StrategyAuto, nil)
			t.Logf("%d of %d completed", completed, each)
			for i, problem := range wrong {
				if i < 3 {
					t.Error(problem)
				}
			}
			if completed != each {
				t.Errorf("%d of %d completed", completed, each)
			}
		})
	}
	for kind := range modelKinds {
		t.Run("the real tools, "+kind, func(t *testing.T) {
			t.Parallel()
			d := &desk{t: t}
			d.open("")
			completed, wrong := leadAll(t, realDialogues, kind, conversation.StrategyAuto, d.box)
			if completed != realDialogues {
				t.Errorf("%d of %d completed: %s", completed, realDialogues, strings.Join(wrong, "\n"))
			}
		})
	}
	t.Run("the loop alone beside nonsense", func(t *testing.T) {
		if completed, _ := leadAll(t, 30, "nonsense", conversation.StrategyLoop, nil); completed != 0 {
			t.Errorf("%d of 30 completed: the dialogues prove nothing", completed)
		}
	})
}
