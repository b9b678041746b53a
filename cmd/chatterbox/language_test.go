package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/flows"
	"chatterbox/runtime/history/historytest"
)

var (
	catalogueLine = regexp.MustCompile(`^  (\w+): (\[?).*`)
	placeholder   = regexp.MustCompile(`\{\w+\}`)
	saidName      = regexp.MustCompile(`⟦(\w+)`)
	innermostSaid = regexp.MustCompile(`⟦[^⟦⟧]*⟧`)
)

// madeUp writes the file of a language that nobody speaks: it understands what English does, and every sentence of it is its
// name and what it refers to, between brackets that stand nowhere else. It returns the names of what is said outside of workflows.
func madeUp(t *testing.T, file string) (names []string) {
	t.Helper()
	english, err := os.ReadFile("../../runtime/flows/builtin/speech_en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(english), "\ncalls:")
	section := ""
	var out strings.Builder
	for line := range strings.Lines(before) {
		if word, _, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			section = word
		}
		switch match := catalogueLine.FindStringSubmatch(line); {
		case section == "speech":
			line = "speech: zz\n"
			section = ""
		case section == "months":
			line = "months: [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12]\n"
		case section == "replies" && match != nil:
			line = "  " + match[1] + `: ["⟦` + match[1] + " " + strings.Join(placeholder.FindAllString(line, -1), " ") + `⟧"]` + "\n"
		case section == "says" && match != nil:
			names = append(names, match[1])
			line = "  " + match[1] + `: "⟦` + match[1] + " " + strings.Join(placeholder.FindAllString(line, -1), " ") + `⟧"` + "\n"
		}
		out.WriteString(line)
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return names
}

// strange is a model and the tools of a turn.
type strange struct {
	spoken  *workflow.Flows
	answers []any // texts, calls and errors, in turn
	fails   bool  // the tools' calls
}

func (s *strange) Complete(_ context.Context, _ loop.Request, onDelta func(string)) (loop.Completion, error) {
	answer := s.answers[0]
	s.answers = s.answers[1:]
	switch answer := answer.(type) {
	case loop.Call:
		return loop.Completion{ToolCalls: []loop.Call{answer}, FinishReason: "tool_calls"}, nil
	case error:
		return loop.Completion{}, answer
	default:
		onDelta(answer.(string))
		return loop.Completion{Content: answer.(string), FinishReason: "stop"}, nil
	}
}

func (s *strange) Check(_ context.Context, call loop.Call) loop.Verdict {
	if call.Name == "send_email" {
		question := s.spoken.CallQuestion(workflow.AskedCall{Tool: call.Name, Title: "Mail", Language: call.Language}, consentNow)
		return loop.Verdict{Decision: loop.Ask, Question: question, Tool: "v1"}
	}
	return loop.Verdict{Decision: loop.Run, Tool: "v1"}
}

func (s *strange) Call(context.Context, loop.Call, loop.Verdict) loop.Result {
	if s.fails {
		return loop.ErrorResult("no")
	}
	return loop.Result{Content: `{}`}
}

type madeUpReminders []conversation.Reminder

func (w madeUpReminders) Pending() ([]conversation.Reminder, error) { return w, nil }

func (w madeUpReminders) Acknowledge([]conversation.Reminder) error { return nil }

// TestAThirdLanguageIsFilesOnly holds that a person whose language is a file in the data folder, of which no code knows, hears that
// language only, whatever happens to a turn.
func TestAThirdLanguageIsFilesOnly(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "speech_zz.yaml")
	names := madeUp(t, file)
	if _, lacks, err := flows.CheckWorkflow(file, flows.Options{}); err != nil || len(lacks) > 0 {
		t.Fatalf("it lacks %q; %v", lacks, err)
	}
	spoken, err := flows.Workflows(flows.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := flows.Load(flows.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	const ask = "would you?"
	now := consentNow
	mail := loop.Call{ID: "1", Name: "send_email", Arguments: `{}`}
	late := func(d time.Duration) *conversation.Done { return &conversation.Done{Tool: "lamp", At: now.Add(-d)} }
	undoable := late(time.Minute)
	undoable.Undo = &conversation.Undoing{Tool: "lamp_off", Digest: "v1", Arguments: json.RawMessage(`{}`)}
	due := func(message string, ago time.Duration) conversation.Reminder {
		return conversation.Reminder{ID: message, Message: message, At: now.Add(-ago)}
	}
	note, noteLater, missed := due("n", 0), due("n", time.Hour), due("m", 48*time.Hour)
	note.Notification, noteLater.Notification, missed.Late = true, true, true
	expired := &conversation.Approval{Tool: "send_email", Question: "?", Language: "zz", Expires: now.Add(-time.Minute)}
	lost := &conversation.Approval{Tool: "send_email", Question: "?", Language: "zz", Expires: now.Add(time.Minute), Machine: json.RawMessage(`{}`)}
	kind := func(kind loop.Kind) []any { return []any{&loop.Error{Kind: kind, Message: "x"}} }
	effects := []conversation.Effect{{Tool: "lamp"}, {Tool: "door", Outcome: conversation.EffectDone}}

	heard := map[string]bool{}
	for name, c := range map[string]struct {
		said      string
		model     []any // nil: there is none
		state     conversation.State
		reminders madeUpReminders
		fails     bool
		stateless bool
		want      string
	}{
		"too many calls of the model":  {ask, kind(loop.KindRateLimit), conversation.State{}, nil, false, false, "error_rate_limit"},
		"no connection":                {ask, kind(loop.KindConnection), conversation.State{}, nil, false, false, "error_connection"},
		"an error of the model":        {ask, kind(loop.KindAPI), conversation.State{}, nil, false, false, "error_model"},
		"no end":                       {ask, kind(loop.KindIterationLimit), conversation.State{}, nil, false, false, "error_stuck"},
		"an error of ours":             {ask, kind(loop.KindInternal), conversation.State{}, nil, false, false, "error_other"},
		"no model":                     {ask, nil, conversation.State{}, nil, false, false, "no_model"},
		"a claim":                      {"turn on the lamp", []any{"I've turned on the lamp."}, conversation.State{}, nil, false, false, "claim_nothing"},
		"a claim after a failure":      {"turn on the lamp", []any{loop.Call{ID: "1", Name: "lamp", Arguments: `{}`}, "I've turned on the lamp."}, conversation.State{}, nil, true, false, "claim_failed"},
		"a question for a yes":         {ask, []any{mail}, conversation.State{}, nil, false, false, "call_any"},
		"a yes that is late":           {"yes", nil, conversation.State{Approval: expired}, nil, false, false, "approval_late"},
		"a yes to what is lost":        {"yes", nil, conversation.State{Approval: lost}, nil, false, false, "approval_lost"},
		"a no":                         {"no", nil, conversation.State{Approval: lost}, nil, false, false, "call_declined"},
		"neither yes nor no":           {"yes no maybe", nil, conversation.State{Approval: &conversation.Approval{Tool: "send_email", Question: "⟦⟧", Language: "zz", Expires: now.Add(time.Minute)}}, nil, false, false, "open"},
		"something else":               {"sing a song", nil, conversation.State{Approval: lost}, nil, false, false, "call_dropped"},
		"a mode":                       {"switch to home mode", nil, conversation.State{}, nil, false, false, "mode_entered"},
		"a mode outside of any":        {"switch to home mode", nil, conversation.State{}, nil, false, true, "mode_stateless"},
		"nothing to undo":              {"undo that", nil, conversation.State{}, nil, false, false, "undo_nothing"},
		"too late to undo":             {"undo that", nil, conversation.State{Last: late(time.Hour)}, nil, false, false, "undo_late"},
		"what cannot be undone":        {"undo that", nil, conversation.State{Last: late(time.Minute)}, nil, false, false, "undo_impossible"},
		"undone":                       {"undo that", nil, conversation.State{Last: undoable}, nil, false, false, "undo_done"},
		"undone in vain":               {"undo that", nil, conversation.State{Last: undoable}, nil, true, false, "undo_failed"},
		"interrupted calls":            {ask, nil, conversation.State{Effects: effects}, nil, false, false, "effect_unknown effect_done no_model"},
		"a reminder":                   {ask, nil, conversation.State{}, madeUpReminders{due("m", 0)}, false, false, "reminder no_model"},
		"a reminder of today":          {ask, nil, conversation.State{}, madeUpReminders{due("m", time.Hour)}, false, false, "reminder_at when_today no_model"},
		"a reminder of yesterday":      {ask, nil, conversation.State{}, madeUpReminders{due("m", 24*time.Hour)}, false, false, "reminder_at when_year no_model"},
		"a reminder of another year":   {ask, nil, conversation.State{}, madeUpReminders{due("m", 9000*time.Hour)}, false, false, "reminder_at when_other_year no_model"},
		"a reminder that was missed":   {ask, nil, conversation.State{}, madeUpReminders{missed}, false, false, "reminder_late when_year no_model"},
		"a reminder without words":     {ask, nil, conversation.State{}, madeUpReminders{due("", 0)}, false, false, "reminder reminder_empty no_model"},
		"a notification":               {ask, nil, conversation.State{}, madeUpReminders{note}, false, false, "notification no_model"},
		"a notification of some hours": {ask, nil, conversation.State{}, madeUpReminders{noteLater}, false, false, "notification_at when_today no_model"},
	} {
		t.Run(name, func(t *testing.T) {
			world := &strange{spoken, c.model, c.fails}
			store := new(historytest.Memory)
			if err := store.SetState(t.Context(), "a", 0, c.state); err != nil {
				t.Fatal(err)
			}
			service := conversation.New(conversation.Options{
				Store: store, Tools: world, Limits: loop.DefaultLimits(), MaxHistoryTurns: 20, QueueMax: 1, Reminders: c.reminders,
				Rules: func() *route.Rules { return rules }, Workflows: func() *workflow.Flows { return spoken },
				Model: func(string) loop.Model {
					if c.model == nil {
						return nil
					}
					return world
				},
				Now: func() time.Time { return now },
			})
			request := conversation.Request{Text: c.said, Language: "zz-ZZ", ConversationID: "a"}
			if c.stateless {
				request.ConversationID = ""
			}
			reply, err := service.Converse(t.Context(), request, nil)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, match := range saidName.FindAllStringSubmatch(reply.ResponseText, -1) {
				found = append(found, match[1])
				heard[match[1]] = true
			}
			for _, wanted := range strings.Fields(c.want) {
				if !slices.Contains(found, wanted) {
					t.Errorf("heard %q, without %s", reply.ResponseText, wanted)
				}
			}
			left := reply.ResponseText
			for before := ""; before != left; {
				before, left = left, innermostSaid.ReplaceAllString(left, "")
			}
			if strings.TrimSpace(left) != "" {
				t.Errorf("heard %q, of which %q is another language", reply.ResponseText, left)
			}
		})
	}
	// What is said of several requests in one text, and beside a workflow, needs rules of the language: see the tests of
	// conversation. What is sent over channels is for nobody's turn.
	elsewhere := []string{"no_answer", "no_answer_now", "several_questions", "several_unknown", "list_item", "list_last",
		"reminder_title", "reminder_again"}
	missing := slices.DeleteFunc(names, func(name string) bool { return heard[name] || slices.Contains(elsewhere, name) })
	if len(missing) > 0 || len(heard) < 20 {
		t.Errorf("nothing said %q; said were %q", missing, slices.Sorted(maps.Keys(heard)))
	}
}
