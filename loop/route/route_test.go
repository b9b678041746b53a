package route_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"chatterbox/loop/route"
)

// isle knows one island and thinks that names with a capital are islands too.
func isle(said string, _ route.Context) route.Resolved {
	switch {
	case strings.EqualFold(said, "atlantis"):
		return route.Resolved{Value: "sea/atlantis", Spoken: "Atlantis", Sureness: route.Known}
	case said != strings.ToLower(said):
		return route.Resolved{Value: said, Spoken: said, Sureness: route.Plausible}
	default:
		return route.Resolved{}
	}
}

var resolvers = map[string]route.Resolver{"isle": isle}

// tide is a rule that uses everything a rule can have.
func tide() route.Rule {
	return route.Rule{
		Name: "tide", Language: "en", Tool: "get_tide", Keywords: []string{"tide"},
		Before: `hello (?:there )?`, After: `(?:,? please)+`,
		Patterns:  []string{`how high is the tide(?: at (?P<isle>.+?))?(?: on (?P<day>\w+))?`},
		Unless:    []string{`\bnever\b`},
		Arguments: map[string]route.Argument{"isle": {Group: "isle", Resolver: "isle"}, "day": {Group: "day"}, "unit": {Value: "m"}},
		Words:     map[string]string{"high": "HIGH"},
		Reply:     `The tide{{with .said.isle}} at {{.}}{{end}} is {{word .result.level}}, {{round .result.metres}} m.`,
		Failures:  []route.Failure{{Error: `^no such`, Reply: `Where is {{.said.isle}}?`}, {Reply: `No: {{.result.error}}`}},
	}
}

func compile(t testing.TB, rules ...route.Rule) *route.Rules {
	t.Helper()
	compiled, err := route.Compile(rules, resolvers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestDecide(t *testing.T) {
	german := tide()
	german.Name, german.Language = "flut", "de"
	german.Patterns = []string{`how high is the tide`} // fits what the English rule fits
	german.Reply = "deutsch"
	german.Arguments = nil
	inMode := route.Rule{Name: "siren", Language: "en", Tool: "get_siren", Modes: []string{"SECURITY"}, Patterns: []string{"siren"}, Reply: "x"}
	rival := route.Rule{Name: "rival", Language: "en", Tool: "get_siren", Patterns: []string{`how high is the tide on sunday`}, Reply: "x"}
	rules := compile(t, tide(), german, inMode, rival)
	all := []string{"get_siren", "get_tide"}
	tests := map[string]struct {
		text, language, mode string
		model                bool
		tools                []string
		stage                route.Stage
		rule, arguments      string
		reason               string
	}{
		"the words of a rule": {text: "how high is the tide", language: "en", tools: all, stage: route.StageCommand, rule: "tide",
			arguments: `{"unit":"m"}`, reason: `rule "tide" (en) fits`},
		"capitals, spaces, politeness and punctuation change nothing": {text: " Hello there  how HIGH is\nthe tide, please?! ", tools: all, language: "en",
			stage: route.StageCommand, rule: "tide", arguments: `{"unit":"m"}`},
		"a region of a language is that language":            {text: "how high is the tide", language: "de_AT", tools: all, stage: route.StageCommand, rule: "flut"},
		"an unknown language takes the first rule that fits": {text: "how high is the tide", language: "fr", tools: all, stage: route.StageCommand, rule: "tide"},
		"groups become arguments": {text: "how high is the tide at Atlantis on monday", tools: all, stage: route.StageCommand, rule: "tide",
			arguments: `{"day":"monday","isle":"sea/atlantis","unit":"m"}`},
		"what the resolver refuses is no command": {text: "how high is the tide at home", tools: all, stage: route.StageNone,
			reason: `rule "tide" (en) fits, but "home" is not known as its isle, and there is no model`},
		"what it only finds plausible is for the model": {text: "how high is the tide at Thule", model: true, tools: all, stage: route.StageLoop},
		"or for the tool where there is no model": {text: "how high is the tide at Thule", tools: all, stage: route.StageCommand, rule: "tide",
			arguments: `{"isle":"Thule","unit":"m"}`},
		"more words than the pattern has": {text: "how high is the tide anyway", model: true, tools: all, stage: route.StageLoop, reason: "no rule fits"},
		"an unless":                       {text: "how high is the tide on never", tools: all, stage: route.StageNone},
		"two rules with different tools":  {text: "how high is the tide on sunday", model: true, tools: all, language: "en", stage: route.StageLoop, reason: `rules "tide" (en) and "rival" (en) both fit, with different tools`},
		"a tool that is not there":        {text: "how high is the tide", tools: []string{"get_siren"}, model: true, stage: route.StageLoop},
		"a mode":                          {text: "siren", mode: "security", tools: all, stage: route.StageCommand, rule: "siren", arguments: `{}`},
		"another mode":                    {text: "siren", mode: "HOME", tools: all, stage: route.StageNone},
		"nothing said":                    {text: " ?! ", tools: all, stage: route.StageNone, reason: "no rule fits, and there is no model"},
		"a speech":                        {text: "how high is the tide" + strings.Repeat(" please", 100), tools: all, stage: route.StageNone},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			input := route.Input{Text: test.text, Language: test.language, Mode: test.mode, Model: test.model, Tools: test.tools}
			got := route.Decide(rules, input)
			if got.Stage != test.stage || test.reason != "" && got.Reason != test.reason {
				t.Fatalf("%s because %s", got.Stage, got.Reason)
			}
			switch {
			case got.Stage != route.StageCommand:
				if got.Command != nil || test.model && !reflect.DeepEqual(got.Tools, test.tools) {
					t.Errorf("%+v", got)
				}
			case got.Command.Rule != test.rule || test.arguments != "" && string(got.Command.Arguments) != test.arguments ||
				!reflect.DeepEqual(got.Tools, []string{got.Command.Tool}):
				t.Errorf("%s %s, offered %v", got.Command.Rule, got.Command.Arguments, got.Tools)
			}
		})
	}
}

func TestWithoutRulesTheModelDecides(t *testing.T) {
	if got := route.Decide(nil, route.Input{Text: "x", Model: true, Tools: []string{"a"}}); got.Stage != route.StageLoop || len(got.Tools) != 1 {
		t.Errorf("%+v", got)
	}
	if got := route.Decide(nil, route.Input{Text: "x"}); got.Stage != route.StageNone || len(got.Tools) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAnswer(t *testing.T) {
	command := route.Decide(compile(t, tide()), route.Input{Text: "how high is the tide at Atlantis", Tools: []string{"get_tide"}}).Command
	tests := map[string]struct{ result, want, err string }{
		"the template":                  {`{"level":"high","metres":2.6}`, "The tide at Atlantis is HIGH, 3 m.", ""},
		"a word without translation":    {`{"level":"low","metres":-0.2}`, "The tide at Atlantis is low, 0 m.", ""},
		"a failure with its own answer": {`{"error":"no such isle"}`, "Where is Atlantis?", ""},
		"another failure":               {`{"error":"it <broke>"}`, "No: it <broke>", ""},
		"a failure that is no text":     {`{"error":{"code":7}}`, "No: map[code:7]", ""},
		"a field that is missing":       {`{"level":"high"}`, "", `rule "tide" (en)`},
		"a field of another type":       {`{"level":"high","metres":"two"}`, "", `rule "tide" (en)`},
		"no JSON":                       {`high`, "", "read the result of get_tide"},
		"no object":                     {`[1]`, "", "read the result of get_tide"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := command.Answer([]byte(test.result))
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestAnAnswerHasALimit(t *testing.T) {
	rule := route.Rule{Name: "long", Language: "en", Tool: "t", Patterns: []string{"x"}, Reply: `{{.result.text}} {{.result.text}}`}
	command := route.Decide(compile(t, rule), route.Input{Text: "x", Tools: []string{"t"}}).Command
	result, _ := json.Marshal(map[string]any{"text": strings.Repeat("long ", 2000)})
	if answer, err := command.Answer(result); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("%d bytes, %v", len(answer), err)
	}
	if _, err := command.Answer([]byte(`{"error":"x"}`)); err == nil || !strings.Contains(err.Error(), `no answer to the error "x"`) {
		t.Errorf("%v", err)
	}
}

func TestFunctionsOfTemplates(t *testing.T) {
	for reply, want := range map[string]string{
		`{{clock "Monday 15:04" .result.iso}}`:                                               "Friday 14:35",
		`{{brief .result.place}}`:                                                            "Paris, France",
		`{{brief "Monaco, Monaco"}}|{{brief "Rome"}}`:                                        "Monaco|Rome",
		`{{has .result.sky "RAIN"}} {{has "dry" "rain"}}`:                                    "true false",
		`{{if not .result.sky}}dry{{else if has .result.sky "rain"}}wet{{end}}`:              "wet",
		`{{"Rome" | brief}} {{word "x"}} {{round 2.5}} {{(.).result.place | has "is" "in"}}`: "Rome x 3 false",
		"a\n  b": "a b",
	} {
		rule := route.Rule{Name: "f", Language: "en", Tool: "t", Patterns: []string{"x"}, Reply: reply}
		command := route.Decide(compile(t, rule), route.Input{Text: "x", Tools: []string{"t"}}).Command
		got, err := command.Answer([]byte(`{"iso":"2026-02-20T14:35:00+01:00","place":"Paris, Île-de-France, France","sky":"Slight rain"}`))
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", reply, got, err, want)
		}
	}
}

func TestTemplatesRefuseWhatTheyCannotDo(t *testing.T) {
	for reply, want := range map[string]string{
		`{{range .result.list}}x{{end}}`:            "cannot use {{range",
		`{{$x := .result}}{{$x.sky}}`:               "cannot use the variable",
		`{{define "a"}}x{{end}}y`:                   "cannot define templates",
		`{{block "a" .}}x{{end}}`:                   "cannot",
		`{{if .result}}{{break}}{{end}}`:            "{{break}} outside",
		`{{shout .result.sky}}`:                     `function "shout" not defined`,
		`{{.result.sky`:                             "unclosed action",
		`{{if .result}}{{template "a"}}{{end}}`:     "cannot use",
		`{{with .result}}{{range .}}{{end}}{{end}}`: "cannot use {{range",
	} {
		rule := route.Rule{Name: "f", Language: "en", Tool: "t", Patterns: []string{"x"}, Reply: reply}
		if _, err := route.Compile([]route.Rule{rule}, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", reply, err, want)
		}
	}
}

func TestCompileReportsEveryMistake(t *testing.T) {
	bad := route.Rule{
		Patterns: []string{`(`, `a{2000}`}, Unless: []string{`[`}, Keywords: []string{"Tide", ""}, Before: `*`, After: `)`,
		Arguments: map[string]route.Argument{"a": {}, "b": {Group: "x"}, "c": {Group: "x", Value: 1}, "d": {Resolver: "isle", Value: 1}},
		Reply:     `{{nosuch}}`, Failures: []route.Failure{{Error: `(`, Reply: ` `}},
	}
	noPatterns := tide()
	noPatterns.Patterns, noPatterns.Reply = nil, ""
	noResolver := tide()
	noResolver.Arguments["isle"] = route.Argument{Group: "isle", Resolver: "ocean"}
	_, err := route.Compile([]route.Rule{tide(), bad, noPatterns, noResolver}, resolvers, nil)
	var got []string
	for _, problem := range err.(interface{ Unwrap() []error }).Unwrap() {
		mistake, ok := errors.AsType[*route.Mistake](problem)
		if !ok {
			t.Fatalf("%T is no *Mistake", problem)
		}
		got = append(got, string(rune('0'+mistake.Index))+" "+mistake.Field)
	}
	want := "1 name,1 language,1 tool,1 patterns[0],1 patterns[1],1 unless[0],1 keywords[0],1 keywords[1],1 arguments.a,1 arguments.b,1 arguments.c," +
		"1 arguments.d,1 reply,1 failures[0].error,1 failures[0].reply,1 before,1 after,2 patterns,2 arguments.day,2 arguments.isle,2 reply,3 arguments.isle"
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
}

func TestHammerDecide(t *testing.T) {
	rules := compile(t, tide())
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				got := route.Decide(rules, route.Input{Text: "how high is the tide at Atlantis", Tools: []string{"get_tide"}})
				if answer, err := got.Command.Answer([]byte(`{"level":"high","metres":1}`)); err != nil || answer != "The tide at Atlantis is HIGH, 1 m." {
					t.Errorf("%q, %v", answer, err)
				}
			}
		})
	}
	wait.Wait()
}

func FuzzDecide(f *testing.F) {
	rules := compile(f, tide())
	f.Add("how high is the tide at Atlantis on monday", "en", "AUTO", true, `{"level":"high","metres":1}`)
	f.Add("Hello there how high is the tide\u2019 \xff", "de-AT", "", false, `{"error":1}`)
	f.Add("tide", "", "x", false, `{"metres":1e999}`)
	f.Fuzz(func(t *testing.T, text, language, mode string, model bool, result string) {
		input := route.Input{Text: text, Language: language, Mode: mode, Model: model, Tools: []string{"get_tide", "other"}}
		got, again := route.Decide(rules, input), route.Decide(rules, input)
		if !reflect.DeepEqual(got, again) {
			t.Fatalf("two decisions differ: %+v, %+v", got, again)
		}
		if (got.Command != nil) != (got.Stage == route.StageCommand) || got.Reason == "" || (got.Stage == route.StageLoop) && !model {
			t.Fatalf("%+v", got)
		}
		if got.Command == nil {
			return
		}
		if !json.Valid(got.Command.Arguments) {
			t.Fatalf("arguments %s", got.Command.Arguments)
		}
		answer, err := got.Command.Answer([]byte(result))
		if repeated, errAgain := got.Command.Answer([]byte(result)); answer != repeated || (err == nil) != (errAgain == nil) {
			t.Fatalf("two answers differ: %q %v, %q %v", answer, err, repeated, errAgain)
		}
	})
}

func TestAListIsSpoken(t *testing.T) {
	rule := tide()
	rule.Reply = `{{list ", " " and " "{isle}[ at {time|3:04 PM}][ on {day|Monday}]" .result.tides}}.`
	rule.Words = map[string]string{"Thursday": "THURSDAY"}
	rules, err := route.Compile([]route.Rule{rule}, resolvers, nil)
	if err != nil {
		t.Fatal(err)
	}
	command := route.Decide(rules, route.Input{Text: "how high is the tide", Tools: []string{"get_tide"}}).Command
	for result, want := range map[string]string{
		`{"tides":[]}`: ".", `{"tides":[{"isle":"Atlantis"}]}`: "Atlantis.",
		`{"tides":[{"isle":"A","time":"09:05"},{"isle":"B","day":"2026-03-05"},{"isle":"C","time":"","day":"2026-03-05"}]}`: "A at 9:05 AM, B on THURSDAY and C on THURSDAY.",
		`{"tides":[` + strings.Repeat(`{"isle":"A"},`, 11) + `{"isle":"A"}]}`:                                               "A, A, A, A, A, A, A, A, A, A and 2 more.",
	} {
		if got, err := command.Answer([]byte(result)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", result, got, err, want)
		}
	}
	for _, result := range []string{`{"tides":7}`, `{"tides":[7]}`, `{"tides":[{"isle":"A","time":"soon"}]}`} {
		if got, err := command.Answer([]byte(result)); err == nil {
			t.Errorf("%s: %q, want an error", result, got)
		}
	}
}
