package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// marked finds values that are written as kind:value.
func marked(kind string) workflow.Extractor {
	pattern := regexp.MustCompile(kind + `:(\S+)`)
	return func(text string, _ workflow.Context) []workflow.Match {
		var found []workflow.Match
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, workflow.Match{
				Kind: kind, Start: at[0], End: at[1], Text: text[at[0]:at[1]], Value: text[at[2]:at[3]],
			})
		}
		return found
	}
}

func en(texts ...string) workflow.Texts { return workflow.Texts{"en": texts} }

// speech is how English is spoken.
func speech() workflow.Speech {
	replies := map[string][]string{}
	for _, name := range workflow.ReplyNames() {
		replies[name] = []string{"<" + name + ">"}
	}
	replies["call_declined"], replies["call_dropped"] = []string{"All right, I won't."}, []string{"Nothing was done."}
	return workflow.Speech{
		Language: "en", Confirm: []string{"yes", "ja"}, Reject: []string{"no"}, Filler: []string{"please", "thanks"}, Cancel: []string{"cancel"},
		Restart: []string{"start again"}, Retry: []string{"try again"}, Skip: []string{"skip"}, Undo: []string{"undo", "undo that"}, Questions: []string{"what", "who"},
		Today: "today", Tomorrow: "tomorrow",
		Weekdays: strings.Fields("Su Mo Tu We Th Fr Sa"), Months: strings.Fields("Ja Fe Ma Ap My Jn Jl Au Se Oc No De"),
		Weekday: "{weekday}", Date: "{month} {day}", DateYear: "{month} {day} {year}", Hour: "15", HourMinute: "15:04",
		OfferTime: "{date} {time}", Or: "or", Replies: replies,
	}
}

// speeches are English and German, which understands what English does, each with the built-in catalogue.
var speeches = sync.OnceValue(func() []workflow.Speech {
	text, err := os.ReadFile("../flows/parsed.json")
	if err != nil {
		panic(err)
	}
	var builtIn struct{ Speeches map[string]workflow.Speech }
	if err := json.Unmarshal(text, &builtIn); err != nil {
		panic(err)
	}
	english, german := speech(), speech()
	german.Language = "de"
	for name, own := range map[string]*workflow.Speech{"speech_en.yaml": &english, "speech_de.yaml": &german} {
		own.Says, own.Months, own.HourMinute = builtIn.Speeches[name].Says, builtIn.Speeches[name].Months, builtIn.Speeches[name].HourMinute
	}
	return []workflow.Speech{english, german}
})

// noFlows are no workflows, but how languages are spoken.
var noFlows = sync.OnceValue(func() *workflow.Flows {
	flows, err := workflow.Compile(nil, speeches(), nil)
	if err != nil {
		panic(err)
	}
	return flows
})

// bookingFlows are one workflow, booking, which checks the day with look and books it with book.
func bookingFlows(t *testing.T) func() *workflow.Flows {
	t.Helper()
	use := func(tool string) *workflow.Use {
		return &workflow.Use{Tool: tool, Arguments: map[string]string{"name": "{name}", "day": "{date}"}, Required: []string{"name", "day"}}
	}
	definition := workflow.Definition{
		Name:     "booking",
		Timeout:  10 * time.Minute,
		Triggers: map[string]workflow.Trigger{"en": {Patterns: []string{`\bbook a visit\b`}}},
		When:     workflow.Moment{Date: "date"},
		Fields: []workflow.Field{
			{Name: "name", Extractors: []string{"name"}, Ask: en("What name?", "Which name?")},
			{Name: "date", Extractors: []string{"date"}, Ask: en("What day?")},
		},
		Phases: []workflow.Phase{
			{Name: "COLLECTING", Enough: "name and date", On: map[string]string{"enough": "CONFIRMING"}},
			{
				Name: "CONFIRMING", Ask: en("Book {name}?"), Check: use("look"),
				On: map[string]string{"confirmed": "COMPLETE", "rejected": "COLLECTING"},
			},
			{Name: "COMPLETE", Reply: en("Booked {name}."), Call: use("book")},
		},
	}
	flows, err := workflow.Compile([]workflow.Definition{definition}, speeches(),
		map[string]workflow.Extractor{"name": marked("name"), "date": marked("date")})
	if err != nil {
		t.Fatal(err)
	}
	return func() *workflow.Flows { return flows }
}

// desk is the tools of booking. Each call may be held up or answered otherwise.
type desk struct {
	mu     sync.Mutex
	ran    []loop.Call
	asks   string                                                    // name of the tool that needs a yes
	answer func(ctx context.Context, call loop.Call) (string, error) // nil, or empty without an error: {"ok":true}
}

func (d *desk) Check(_ context.Context, call loop.Call) loop.Verdict {
	if call.Name == d.asks {
		return loop.Verdict{Decision: loop.Ask, Question: "Really?", Tool: "sha256:1"}
	}
	return loop.Verdict{Decision: loop.Run, Tool: "sha256:1"}
}

func (d *desk) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	d.mu.Lock()
	d.ran = append(d.ran, call)
	d.mu.Unlock()
	if verdict.Decision != loop.Run || verdict.Tool != "sha256:1" {
		return loop.ErrorResult("this is not what was checked")
	}
	if d.answer != nil {
		switch text, err := d.answer(ctx, call); {
		case err != nil:
			return loop.ErrorResult(err.Error())
		case text != "":
			return loop.Result{Content: text}
		}
	}
	return loop.Result{Content: `{"ok":true}`}
}

func (d *desk) names() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, call := range d.ran {
		names = append(names, call.Name)
	}
	return strings.Join(names, " ")
}

// atDesk are options of a service that knows the workflow booking.
func atDesk(t *testing.T, store conversation.Store, model loop.Model, tools loop.Tools) conversation.Options {
	opts := options(store, model, tools)
	opts.Workflows, opts.Rules = bookingFlows(t), clock(t)
	opts.Offered = func() []loop.Tool {
		return []loop.Tool{{Name: "look"}, {Name: "book"}, {Name: "get_current_datetime"}, {Name: "get_weather"}}
	}
	return opts
}

// spoken says each text in turn and returns the last reply.
func spoken(t *testing.T, s *conversation.Service, texts ...string) (last conversation.Reply) {
	t.Helper()
	for _, text := range texts {
		last = say(t, s, "a", text)
	}
	return last
}

var errDown = errors.New("the calendar is down")

// unwritable is a store of which SetState fails.
type unwritable struct {
	*historytest.Memory
	err error
}

func (u unwritable) SetState(ctx context.Context, id string, version int64, state conversation.State) error {
	if u.err != nil {
		return u.err
	}
	return u.Memory.SetState(ctx, id, version, state)
}
