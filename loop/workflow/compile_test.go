package workflow_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop/workflow"
)

// TestMistakes breaks the booking in every way that is told.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		mutate func(*workflow.Definition)
		field  string
		want   string
	}{
		"an unknown extractor":           {func(d *workflow.Definition) { d.Fields[0].Extractors[0] = "nmae" }, "fields[0].extractors[0]", `there is no extractor "nmae"; did you mean "name"?`},
		"a pattern without a value":      {func(d *workflow.Definition) { d.Fields[4].Patterns = map[string][]string{"en": {`for \w+`}} }, "fields[4].patterns.en[0]", "has no group (?P<value>"},
		"no extractor":                   {func(d *workflow.Definition) { d.Fields[0].Extractors = nil }, "fields[0].extractors", "at least one"},
		"a phase that nothing leads to":  {func(d *workflow.Definition) { d.Phases = append(d.Phases, workflow.Phase{Name: "LATER"}) }, "phases[4].name", "phase LATER cannot be reached from GREETING"},
		"a phase that does not exist":    {func(d *workflow.Definition) { d.Phases[1].On["enough"] = "CONFIRMIN" }, "phases[1].on.enough", `there is no phase "CONFIRMIN"; did you mean "CONFIRMING"?`},
		"an unknown event":               {func(d *workflow.Definition) { d.Phases[1].On["enoug"] = "COMPLETE" }, "phases[1].on.enoug", `did you mean "enough"?`},
		"a tool without a name":          {func(d *workflow.Definition) { d.Phases[3].Call.Tool = "" }, "phases[3].call.tool", "is missing"},
		"a tool that acts without a yes": {func(d *workflow.Definition) { d.Phases[1].On["enough"] = "COMPLETE" }, "phases[1].on.enough", "only confirmed may lead there"},
		"a tool that acts at once":       {func(d *workflow.Definition) { d.Phases = d.Phases[3:] }, "phases[0].call", "nobody's yes"},
		"a tool that acts in the middle": {func(d *workflow.Definition) { d.Phases[2].Call = d.Phases[3].Call }, "phases[2].call", "belongs to a last phase"},
		"a cycle without input": {func(d *workflow.Definition) {
			d.Phases[2].On = map[string]string{"enough": "COLLECTING"}
			d.Phases[2].Enough = "name"
		}, "phases[1].on.enough", "a cycle without input: COLLECTING, CONFIRMING"},
		"no end": {func(d *workflow.Definition) {
			d.Phases[3] = workflow.Phase{Name: "COMPLETE", On: map[string]string{"rejected": "GREETING"}}
		}, "phases", "no end"},
		"no phases":                         {func(d *workflow.Definition) { d.Phases = nil }, "phases", "needs phases"},
		"a phase in lower case":             {func(d *workflow.Definition) { d.Phases[0].Name = "hello" }, "phases[0].name", "in capitals"},
		"a question that is missing":        {func(d *workflow.Definition) { d.Phases[2].Ask = nil }, "phases[2].ask", "is missing"},
		"a condition that is missing":       {func(d *workflow.Definition) { d.Phases[1].Enough = "" }, "phases[1].enough", "is missing"},
		"a condition that is none":          {func(d *workflow.Definition) { d.Phases[1].Enough = "name and (address" }, "phases[1].enough", "a parenthesis is not closed"},
		"a condition with a rest":           {func(d *workflow.Definition) { d.Phases[1].Enough = "name address" }, "phases[1].enough", `"address" does not belong there`},
		"a condition over nothing":          {func(d *workflow.Definition) { d.Phases[1].Enough = "name and" }, "phases[1].enough", "a field is missing"},
		"a condition over an unknown field": {func(d *workflow.Definition) { d.Phases[1].Enough = "nam" }, "phases[1].enough", `did you mean "name"?`},
		"a field that is never asked for":   {func(d *workflow.Definition) { d.Phases[2].Needs = "duration" }, "phases[2].needs", "it has no ask"},
		"two fields of one name":            {func(d *workflow.Definition) { d.Fields[1].Name = "name" }, "fields[1]", "a name of its own"},
		"a default that is none":            {func(d *workflow.Definition) { d.Fields[2].Default = "tomorrow" }, "fields[2].default", "must be next"},
		"a moment of an unknown field":      {func(d *workflow.Definition) { d.When.Date = "dat" }, "when.date", `did you mean "date"?`},
		"hours that are none":               {func(d *workflow.Definition) { d.When.Soonest.From = "nine" }, "when.soonest.from", `must be a time such as "09:00", not "nine"`},
		"hours that end before they begin":  {func(d *workflow.Definition) { d.When.Soonest.Until = "08:00" }, "when.soonest", "must begin before it ends"},
		"hours without a time":              {func(d *workflow.Definition) { d.When.Time = "" }, "when.soonest", "needs when.time"},
		"hours without a check":             {func(d *workflow.Definition) { d.Phases[2].Check.Offers = "" }, "when.soonest", "needs a phase with a check"},
		"a text with an unknown field":      {func(d *workflow.Definition) { d.Phases[2].Ask = en("For {nme}?") }, "phases[2].ask.en[0]", `did you mean "name"?`},
		"a text with an unknown form":       {func(d *workflow.Definition) { d.Phases[2].Ask = en("For {name:minuts}?") }, "phases[2].ask.en[0]", `did you mean "minutes"?`},
		"a text that is cut off":            {func(d *workflow.Definition) { d.Phases[2].Ask = en("For {name?") }, "phases[2].ask.en[0]", "a { needs a name and a }"},
		"a bracket that stays open":         {func(d *workflow.Definition) { d.Phases[2].Ask = en("For [ {name}?") }, "phases[2].ask.en[0]", "a [ is not closed"},
		"a bracket too many":                {func(d *workflow.Definition) { d.Phases[2].Ask = en("For {name}]?") }, "phases[2].ask.en[0]", "a ] has no [ before it"},
		"an argument of an unknown field":   {func(d *workflow.Definition) { d.Phases[3].Call.Arguments["who"] = "{whom}" }, "phases[3].call.arguments.who", `no field "whom"`},
		"a required argument that is none":  {func(d *workflow.Definition) { d.Phases[3].Call.Required = []string{"dat"} }, "phases[3].call.required[0]", `did you mean "date"?`},
		"a pattern that is none":            {func(d *workflow.Definition) { d.Triggers["en"] = workflow.Trigger{Patterns: []string{"("}} }, "triggers.en.patterns[0]", "missing closing )"},
		"a keyword in capitals": {func(d *workflow.Definition) {
			d.Triggers["en"] = workflow.Trigger{Patterns: []string{"a"}, Keywords: []string{"Book"}}
		}, "triggers.en.keywords[0]", "lower case"},
		"a phase that calls before all is known": {func(d *workflow.Definition) {
			d.Phases[1].On["enough"], d.Phases[3].Call.Unasked = "COMPLETE", true
			d.Phases[2] = workflow.Phase{Name: "CONFIRMING", On: map[string]string{"triggered": "COLLECTING"}}
		}, "phases[1].enough", "phase COMPLETE calls book, which needs date"},
		"a greeting that acts": {func(d *workflow.Definition) {
			d.Phases[3].Call.Unasked = true
			d.Phases[0].On["triggered"] = "COMPLETE"
		}, "phases[0].on.triggered", "only confirmed or enough"},
		"a check without a yes":           {func(d *workflow.Definition) { d.Phases[2].Check.Unasked = true }, "phases[2].check.unasked", "nobody is asked before a check"},
		"no trigger":                      {func(d *workflow.Definition) { d.Triggers = nil }, "triggers", "nothing opens"},
		"an unknown reply":                {func(d *workflow.Definition) { d.Replies = map[string]workflow.Texts{"canceled": en("x")} }, "replies.canceled", `did you mean "cancelled"?`},
		"no name":                         {func(d *workflow.Definition) { d.Name = "" }, "workflow", "the name is missing"},
		"a time-out before the beginning": {func(d *workflow.Definition) { d.Timeout = -1 }, "timeout", "longer than 0"},
		"too many fields":                 {func(d *workflow.Definition) { d.Fields = make([]workflow.Field, 41) }, "fields", "at most 40 fields"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := booking()
			c.mutate(&broken)
			flows, err := workflow.Compile([]workflow.Definition{reminder(), broken}, []workflow.Speech{english()}, extractors())
			if names := flows.Names(); len(names) != 1 || names[0] != "reminder" {
				t.Errorf("%v work", names)
			}
			for _, one := range unjoin(err) {
				var mistake *workflow.Error
				if errors.As(one, &mistake) && mistake.Index == 1 && !mistake.Speech && mistake.Field == c.field && tells(mistake, c.want) {
					return
				}
			}
			t.Errorf("got %v, want %s: …%s…", err, c.field, c.want)
		})
	}
}

// tells says whether a mistake has a text, and the name that it says was meant.
func tells(mistake *workflow.Error, want string) bool {
	text, meant, named := strings.Cut(want, "did you mean ")
	return strings.Contains(mistake.Error(), strings.TrimSuffix(text, "; ")) &&
		(!named || slices.Contains(mistake.Known, strings.Trim(meant, `"?`)))
}

func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func TestASpeechLacksNothing(t *testing.T) {
	for name, mutate := range map[string]func(*workflow.Speech){
		"no language":         func(s *workflow.Speech) { s.Language = "" },
		"no yes":              func(s *workflow.Speech) { s.Confirm = nil },
		"a reply":             func(s *workflow.Speech) { delete(s.Replies, "taken") },
		"six weekdays":        func(s *workflow.Speech) { s.Weekdays = s.Weekdays[1:] },
		"a date of no days":   func(s *workflow.Speech) { s.Date = "{dy}" },
		"an hour":             func(s *workflow.Speech) { s.Hour = "" },
		"a reply of an error": func(s *workflow.Speech) { s.Replies["waiting"] = []string{"{error}"} },
	} {
		t.Run(name, func(t *testing.T) {
			broken := english()
			mutate(&broken)
			flows, err := workflow.Compile([]workflow.Definition{booking()}, []workflow.Speech{broken}, extractors())
			var mistake *workflow.Error
			if !errors.As(err, &mistake) || !mistake.Speech {
				t.Errorf("got %v", err)
			}
			if len(flows.Names()) > 0 {
				t.Errorf("%v work without a language", flows.Names())
			}
		})
	}
}

func TestTriggers(t *testing.T) {
	flows := compiled(t)
	for text, want := range map[string]string{
		"Please book a visit": "booking", "BOOK AN APPOINTMENT!": "booking", "remind me": "reminder", "I read book a visit": "", "hello": "",
		"book a visit and remind me": "", strings.Repeat("so ", 200) + "book a visit": "",
	} {
		got, reason := flows.Opened(text, "en-GB", nil)
		if name := flowName(got); name != want {
			t.Errorf("%.40q opens %q (%s), want %q", text, name, reason, want)
		}
	}
	if got, _ := flows.Opened("book a visit", "en", []string{"reminder"}); got != nil {
		t.Errorf("%s opens, though it is not among those allowed", got.Name())
	}
}

func flowName(flow *workflow.Flow) string {
	if flow == nil {
		return ""
	}
	return flow.Name()
}
