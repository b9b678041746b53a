package conversation_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

func TestTheModelWordsAWorkflowsAnswer(t *testing.T) {
	tests := map[string]struct {
		model  any
		answer string
		why    string // in the trace
	}{
		"its words are spoken":         {"Shall I put Ada down, then book?", "Shall I put Ada down, then book?", "in the model's words"},
		"a number from nowhere":        {"Book Ada at 7?", "Book Ada?", "said 7"},
		"a number in words":            {"Book Ada at seven?", "Book Ada?", `said "seven"`},
		"a day":                        {"Book Ada tomorrow?", "Book Ada?", `said "tomorrow"`},
		"a name that is another":       {"Book Ada and also Bob?", "Book Ada?", `said "bob"`},
		"a name left out":              {"Book her?", "Book Ada?", `left out "ada"`},
		"a promise":                    {"Is Ada booked?", "Book Ada?", `said "booked"`},
		"a denial":                     {"Book Ada, or not?", "Book Ada?", "denies"},
		"no question any more":         {"I book Ada.", "Book Ada?", "another kind of sentence"},
		"markup":                       {"Book **Ada**?", "Book Ada?", "markup"},
		"a tool call in the text":      {`{"name":"book"} Ada?`, "Book Ada?", "markup"},
		"a tool call":                  {loop.Call{ID: "1", Name: "book", Arguments: "{}"}, "Book Ada?", "called a tool"},
		"a speech":                     {"Book Ada" + strings.Repeat(" so", 60) + "?", "Book Ada?", "too many"},
		"nothing":                      {" ", "Book Ada?", "none"},
		"a failure":                    {&loop.Error{Kind: loop.KindAPI}, "Book Ada?", "did not phrase it: api"},
		"a sentence with the same day": {"Ada: book?", "Ada: book?", "in the model's words"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			model, tools := script(t, "What name?", tt.model), &desk{}
			opts := atDesk(t, new(historytest.Memory), model, tools)
			opts.PhraseTime = 2 * time.Second
			s := conversation.New(opts)
			reply := spoken(t, s, "book a visit", "name:Ada date:2026-03-05")
			if reply.ResponseText != tt.answer || !strings.Contains(reply.Trace.Route.Reason, tt.why) {
				t.Errorf("%q because %q; want %q because %q", reply.ResponseText, reply.Trace.Route.Reason, tt.answer, tt.why)
			}
			if tools.names() != "look" || reply.Trace.Workflow.Phase != "CONFIRMING" || len(model.asked[1].Tools) != 0 {
				t.Errorf("ran %s, workflow %+v, offered %v", tools.names(), reply.Trace.Workflow, model.asked[1].Tools)
			}
			if reply.Trace.LLMCalls != 1 {
				t.Errorf("%d model calls are counted", reply.Trace.LLMCalls)
			}
		})
	}
}

func TestAModelThatIsSlowToWordAnAnswerIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := modelFunc(func(ctx context.Context, _ loop.Request, _ func(string)) (loop.Completion, error) {
			<-ctx.Done()
			return loop.Completion{}, ctx.Err()
		})
		opts := atDesk(t, new(historytest.Memory), model, &desk{})
		opts.PhraseTime = 2 * time.Second
		began := time.Now()
		reply := spoken(t, conversation.New(opts), "book a visit")
		if took := time.Since(began); reply.ResponseText != "What name?" || took != opts.PhraseTime {
			t.Errorf("%q after %v", reply.ResponseText, took)
		}
	})
}

func FuzzPhrase(f *testing.F) {
	f.Add("Book Ada?")
	f.Add("7")
	f.Add("\xff¿?")
	flows := bookingFlows(&testing.T{})
	f.Fuzz(func(t *testing.T, text string) {
		model := modelFunc(func(context.Context, loop.Request, func(string)) (loop.Completion, error) {
			return loop.Completion{Content: text, FinishReason: "stop"}, nil
		})
		opts := options(new(historytest.Memory), model, &desk{})
		opts.Workflows, opts.PhraseTime = flows, time.Second
		opts.Offered = func() []loop.Tool { return []loop.Tool{{Name: "look"}, {Name: "book"}} }
		reply := spoken(t, conversation.New(opts), "book a visit", "name:Ada date:2026-03-05")
		if strings.ContainsAny(reply.ResponseText, "0123456789{}<>") || !strings.Contains(strings.ToLower(reply.ResponseText), "ada") {
			t.Errorf("%q was spoken as %q", text, reply.ResponseText)
		}
	})
}
