package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/looptest"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/flows"
	"chatterbox/runtime/history/historytest"
	"chatterbox/runtime/toolbox"
)

// consentNow is when the corpus of answers is said: a Wednesday.
var consentNow = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

// pendingCalls are the calls of the corpus that wait for a yes by themselves.
var pendingCalls = map[string]loop.Call{
	"call": {ID: "1", Name: "cancel_appointment", Arguments: `{"customer_name":"Bob Miller","date":"2026-03-05","time":"09:00"}`},
	"mail": {ID: "1", Name: "send_email", Arguments: `{"to":"ada@example.org","subject":"Dinner","text":"Dinner is at seven."}`},
}

// careful asks before every call of the tools that wait, in the words of the product, and remembers what ran.
type careful struct {
	spoken *flows.Dialogues
	ran    []loop.Call
	result map[string][]string // of a tool: one per call, the last for all that follow
}

func (c *careful) Check(_ context.Context, call loop.Call) loop.Verdict {
	verdict := loop.Verdict{Decision: loop.Run, Tool: "v1", Acts: true}
	if call.Name != "cancel_appointment" && call.Name != "send_email" {
		verdict.Acts = false
		return verdict
	}
	asked := toolbox.Asked{Tool: call.Name, Language: call.Language}
	if err := json.Unmarshal([]byte(call.Arguments), &asked.Arguments); err != nil {
		return loop.Verdict{Decision: loop.Refuse, Reason: err.Error()}
	}
	verdict.Decision, verdict.Question = loop.Ask, question(c.spoken)(asked, consentNow)
	return verdict
}

func (c *careful) Call(_ context.Context, call loop.Call, _ loop.Verdict) loop.Result {
	c.ran = append(c.ran, call)
	content := `{"cancelled":{"title":"Free Estimate - Bob Miller"},"datetime_iso":"2026-03-04T10:00:00Z"}`
	if results := c.result[call.Name]; len(results) > 0 {
		content = results[0]
		if len(results) > 1 {
			c.result[call.Name] = results[1:]
		}
	}
	return loop.Result{Content: content, Failed: strings.HasPrefix(content, `{"error"`)}
}

func (c *careful) effects() (n int) {
	for _, call := range c.ran {
		if call.Name == "cancel_appointment" || call.Name == "send_email" {
			n++
		}
	}
	return n
}

// oneCall is a model that makes one call, and answers everything else with the same words.
type oneCall struct{ call loop.Call }

func (m *oneCall) Complete(_ context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	if last := request.Messages[len(request.Messages)-1]; last.Role == loop.User && strings.HasPrefix(last.Content, "Would you do that for me") {
		return loop.Completion{ToolCalls: []loop.Call{m.call}, FinishReason: "tool_calls"}, nil
	}
	onDelta("Let me think about it.")
	return loop.Completion{Content: "Let me think about it.", FinishReason: "stop"}, nil
}

// carefulService answers with those tools; model may be nil.
func carefulService(t *testing.T, tools *careful, model loop.Model) *conversation.Service {
	t.Helper()
	box, _ := json.Marshal(map[string]any{"type": "object"})
	offered := []loop.Tool{{Name: "get_current_datetime", Parameters: box}, {Name: "send_email", Parameters: box}}
	for _, name := range []string{"cancel_appointment", "reschedule_appointment"} {
		offered = append(offered, loop.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object","properties":{"customer_name":{"type":"string"},
			"date":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},"time":{"type":"string","pattern":"^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$"},
			"event_id":{"type":"string"}}}`)})
	}
	return conversation.New(conversation.Options{
		Store: new(historytest.Memory), Tools: tools, Offered: func() []loop.Tool { return offered }, Limits: loop.DefaultLimits(),
		Model: func(string) loop.Model { return model }, Rules: tools.spoken.Rules, Workflows: tools.spoken.Workflows,
		MaxHistoryTurns: 20, QueueMax: 1, Now: func() time.Time { return consentNow },
	})
}

func openSpoken(t *testing.T) *flows.Dialogues {
	t.Helper()
	spoken, err := flows.Open("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return spoken
}

func tellCareful(t *testing.T, s *conversation.Service, language, text string) conversation.Reply {
	t.Helper()
	reply, err := s.Converse(t.Context(), conversation.Request{Text: text, Language: language, ConversationID: "a"}, nil)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return reply
}

// answerTo lets a call of the corpus wait, by a model's doing or by a rule's, and says what comes of the answer.
func answerTo(t *testing.T, spoken *flows.Dialogues, a looptest.Answer, byRule bool) (want string, changes map[string]string, reply string) {
	t.Helper()
	tools := &careful{spoken: spoken}
	var model loop.Model = &oneCall{pendingCalls[a.Waits]}
	asks := "Would you do that for me, as we have said?"
	if byRule {
		model, asks = nil, "cancel the Miller appointment tomorrow at nine"
	}
	service := carefulService(t, tools, model)
	approval := tellCareful(t, service, a.Language, asks).Extra.Approval
	if approval == nil || approval.Tool != pendingCalls[a.Waits].Name || tools.effects() > 0 {
		t.Fatalf("%s: nothing waits: %+v", a.Place, approval)
	}
	answered := tellCareful(t, service, a.Language, a.Text)
	changes = map[string]string{}
	if still := answered.Extra.Approval; still != nil {
		want = "asks"
		var before, after map[string]string
		if json.Unmarshal(approval.Arguments, &before) != nil || json.Unmarshal(still.Arguments, &after) != nil {
			t.Fatal(string(still.Arguments))
		}
		for name, value := range after {
			if before[name] != value {
				changes[name] = value
			}
		}
	} else if want = "drops"; tools.effects() > 0 {
		want = "runs"
	}
	if effects := tools.effects(); effects > 1 || effects == 1 && tools.ran[0].Arguments != string(approval.Arguments) {
		t.Fatalf("%s: %q ran %+v", a.Place, a.Text, tools.ran)
	}
	return want, changes, answered.ResponseText
}

// TestAnswersToACall runs the corpus' answers to one call through the conversation: a model's call, and a rule's.
func TestAnswersToACall(t *testing.T) {
	spoken := openSpoken(t)
	all, right := 0, 0
	for _, a := range looptest.Answers(t, "../../runtime/flows/testdata/consent") {
		for _, byRule := range []bool{false, true} {
			if pendingCalls[a.Waits].Name == "" || byRule && a.Waits != "call" {
				continue
			}
			all++
			want, changes, reply := answerTo(t, spoken, a, byRule)
			switch {
			case want == "runs" && a.Want != "runs":
				t.Errorf("%s: %q runs the call without a consent", a.Place, a.Text)
			case want == "asks" && !strings.Contains(reply, "?"), want == "drops" && !saysDropped(reply):
				t.Errorf("%s: %q %s, and says %q", a.Place, a.Text, want, reply)
			}
			if want == a.Want && maps.Equal(changes, a.Changes) {
				right++
			} else {
				t.Logf("%s: %q %s %v, want %s %v (%q)", a.Place, a.Text, want, changes, a.Want, a.Changes, reply)
			}
		}
	}
	t.Logf("%d of %d as expected", right, all)
	if all < 100 || right*100 < all*97 {
		t.Errorf("%d of %d as expected", right, all)
	}
}

// saysDropped says whether a reply begins with what became of the call.
func saysDropped(reply string) bool {
	return slices.ContainsFunc([]string{"Nothing was cancelled.", "Nothing was sent.", "Es wurde nichts abgesagt.", "Es wurde nichts verschickt.",
		"All right, I won't.", "In Ordnung, dann nicht."}, func(said string) bool { return strings.HasPrefix(reply, said) })
}

// TestADroppedCallStaysDropped holds that nothing runs what was dropped, also where the answer to the other text failed.
func TestADroppedCallStaysDropped(t *testing.T) {
	tools := &careful{spoken: openSpoken(t)}
	service := carefulService(t, tools, nil)
	tellCareful(t, service, "en", "cancel the Miller appointment tomorrow at nine")
	reply := tellCareful(t, service, "en", "what time is it?")
	if !strings.HasPrefix(reply.ResponseText, "Nothing was cancelled. It's ") {
		t.Errorf("%q", reply.ResponseText)
	}
	if tellCareful(t, service, "en", "yes"); tools.effects() > 0 {
		t.Errorf("ran %+v", tools.ran)
	}
}

// TestWhatIsUnclearLeavesTheCallOpen holds that the yes still counts after an answer that was none.
func TestWhatIsUnclearLeavesTheCallOpen(t *testing.T) {
	const question = "Shall I cancel Miller's appointment tomorrow at 9 AM?"
	for _, text := range []string{"yes no maybe", "ja", "…", strings.Repeat("yes ", 2500)} {
		tools := &careful{spoken: openSpoken(t)}
		service := carefulService(t, tools, nil)
		if asked := tellCareful(t, service, "en", "cancel the Miller appointment tomorrow at nine").ResponseText; asked != question {
			t.Fatal(asked)
		}
		reply := tellCareful(t, service, "en", text)
		if reply.ResponseText != "I haven't done anything yet. "+question || reply.Extra.Approval == nil || tools.effects() > 0 {
			t.Errorf("%.20q: %q", text, reply.ResponseText)
		}
		if reply := tellCareful(t, service, "en", "go ahead"); tools.effects() != 1 || reply.ResponseText != "Done. Free Estimate - Bob Miller is cancelled." {
			t.Errorf("%.20q, and then a yes: %q", text, reply.ResponseText)
		}
	}
}

// TestWhichOneIsAnsweredByTheNextTurn holds that a tool's "which one?" needs no model: the answer picks, and is asked about where
// the tool needs a yes.
func TestWhichOneIsAnsweredByTheNextTurn(t *testing.T) {
	const several = `{"error":"Several appointments fit. Say which one is meant","candidates":[
		{"event_id":"a","title":"Free Estimate - Sarah Johnson","date":"2026-03-05","time":"09:00"},
		{"event_id":"b","title":"Free Estimate - Bob Miller","date":"2026-03-05","time":"10:00"}]}`
	for _, c := range []struct{ language, asks, text, want, arguments string }{
		{"en", "cancel my appointment tomorrow", "the one with bob miller", "Shall I cancel the appointment tomorrow at 10 AM?", `{"date":"2026-03-05","event_id":"b","time":"10:00"}`},
		{"en", "cancel my appointment tomorrow", "the second one", "Shall I cancel the appointment tomorrow at 10 AM?", `{"date":"2026-03-05","event_id":"b","time":"10:00"}`},
		{"en", "cancel my appointment tomorrow", "the one at nine", "Shall I cancel the appointment tomorrow at 9 AM?", `{"date":"2026-03-05","event_id":"a","time":"09:00"}`},
		{"de", "sag meinen Termin morgen ab", "den zweiten", "Soll ich den Termin morgen um 10 Uhr absagen?", `{"date":"2026-03-05","event_id":"b","time":"10:00"}`},
		{"de", "sag meinen Termin morgen ab", "der mit Bob Miller", "Soll ich den Termin morgen um 10 Uhr absagen?", `{"date":"2026-03-05","event_id":"b","time":"10:00"}`},
		{"en", "cancel my appointment tomorrow", "never mind", "All right, I won't.", ""},
		{"en", "cancel my appointment tomorrow", "what time is it?", "It's ", ""},
	} {
		tools := &careful{spoken: openSpoken(t), result: map[string][]string{"cancel_appointment": {several, `{"cancelled":{"title":"X"}}`}}}
		service := carefulService(t, tools, nil)
		tellCareful(t, service, c.language, c.asks)
		which := tellCareful(t, service, c.language, map[string]string{"en": "yes", "de": "ja"}[c.language])
		if !strings.Contains(which.ResponseText, "Bob Miller") || which.Extra.Approval != nil {
			t.Fatalf("%q", which.ResponseText)
		}
		reply := tellCareful(t, service, c.language, c.text)
		if !strings.HasPrefix(reply.ResponseText, c.want) {
			t.Errorf("%q: %q, want %q", c.text, reply.ResponseText, c.want)
		}
		tellCareful(t, service, c.language, map[string]string{"en": "yes", "de": "ja"}[c.language])
		ran := tools.ran[len(tools.ran)-1]
		if c.arguments != "" && (tools.effects() != 2 || ran.Arguments != c.arguments) || c.arguments == "" && tools.effects() != 1 {
			t.Errorf("%q: ran %+v, want %s", c.text, tools.ran, c.arguments)
		}
	}
}
