package flows_test

import (
	"os"
	"strings"
	"testing"

	"chatterbox/loop/workflow"
	"chatterbox/runtime/flows"
)

func loadWorkflows(t testing.TB) *workflow.Flows {
	t.Helper()
	set, err := flows.Workflows(flows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestTheBuiltInWorkflows(t *testing.T) {
	set := loadWorkflows(t)
	want := map[string][]string{
		"booking": {"book_appointment", "check_availability"}, "reminder": {"set_reminder"}, "schedule_call": {"book_appointment", "check_availability"},
	}
	if len(set.Names()) != len(want) {
		t.Errorf("there are %v", set.Names())
	}
	for name, tools := range want {
		if flow := set.Get(name); flow == nil || len(flow.Tools()) != len(tools) {
			t.Errorf("%s: %+v", name, flow)
		}
	}
}

// pizza is a workflow that a person might write.
const pizza = `workflow: pizza
triggers:
  en: {patterns: ['\border a pizza\b']}
fields:
  - name: who
    extractors: [name]
    ask: {en: [Whose?]}
phases:
  - name: COLLECTING
    enough: who
    on: {enough: CONFIRMING}
  - name: CONFIRMING
    ask: {en: ['A pizza for {who}?']}
    on: {confirmed: COMPLETE, rejected: COLLECTING}
  - name: COMPLETE
    call: {tool: order_pizza, arguments: {who: '{who}'}}
`

func TestMistakesOfAWorkflowHaveTheirPlace(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(pizza, old) {
			t.Fatalf("the workflow has no %q", old)
		}
		return strings.Replace(pizza, old, new, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"an unknown extractor":      {change("[name]", "[nam]"), `bad.yaml:6:18: fields[0].extractors[0]: there is no extractor "nam"; did you mean "name"?`},
		"an unreachable phase":      {pizza + "  - name: EATING\n", `bad.yaml:17:11: phases[3].name: phase EATING cannot be reached from COLLECTING`},
		"a missing tool":            {change("tool: order_pizza, ", ""), `bad.yaml:16:11: phases[2].call.tool: is missing`},
		"a tool that is not there":  {change("order_pizza", "order_piza"), `bad.yaml:16:18: phases[2].call.tool: there is no tool "order_piza"; did you mean "order_pizza"?`},
		"a tool that asks":          {change("call: {", "call: {unasked: true, "), `phases[2].call.unasked: order_pizza asks for a yes; let a phase with confirmed lead to it`},
		"a cycle without input":     {change("    on: {confirmed: COMPLETE, rejected: COLLECTING}", "    enough: who\n    on: {enough: COLLECTING, rejected: COMPLETE}"), `bad.yaml:11:18: phases[0].on.enough: a cycle without input: COLLECTING, CONFIRMING lead into each other`},
		"an unknown key":            {change("enough: who", "enogh: who"), `bad.yaml:10:5: there is no key "enogh" here; did you mean "enough"?`},
		"an unknown key at the top": {change("triggers:", "trigger:"), `bad.yaml:2:1: there is no key "trigger" here; did you mean "triggers"?`},
		"a value of another type":   {change("enough: who", "enough: [who]"), `bad.yaml:10:`},
		"no YAML":                   {change("[Whose?]", "[Whose?"), `bad.yaml:7:`},
		"a part that is not there":  {change("order a", "order {a}"), `bad.yaml:3:19: triggers.en.patterns[0]: {a} is not defined`},
		"an alias":                  {change("[name]", "*x"), `bad.yaml:6:`},
		"two documents":             {pizza + "---\na: b\n", "exactly one YAML document"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"bad.yaml": c.text, "good.yaml": strings.ReplaceAll(pizza, "pizza", "pasta")})
			set, err := flows.Workflows(flows.Options{
				Dir: dir, Reversible: []string{"set_reminder"},
				Tools: []string{"order_pizza", "order_pasta", "book_appointment", "check_availability", "set_reminder"},
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if set.Get("pasta") == nil || set.Get("booking") == nil || set.Get("pizza") != nil {
				t.Errorf("the others do not work: %v", set.Names())
			}
			if _, err := flows.Load(flows.Options{Dir: dir}); err != nil {
				t.Errorf("the router's rules do not work: %v", err)
			}
		})
	}
}

func TestTheUsersWorkflowReplacesABuiltInOne(t *testing.T) {
	mine := strings.Replace(pizza, "workflow: pizza", "workflow: booking", 1)
	set, err := flows.Workflows(flows.Options{Dir: folder(t, map[string]string{"mine.yaml": mine})})
	if err != nil {
		t.Fatal(err)
	}
	if tools := set.Get("booking").Tools(); len(tools) != 1 || tools[0] != "order_pizza" {
		t.Errorf("it calls %v", tools)
	}
	broken := strings.Replace(mine, "enough: who", "enough: whom", 1)
	set, err = flows.Workflows(flows.Options{Dir: folder(t, map[string]string{"mine.yaml": broken})})
	if err == nil || set.Get("booking") == nil || len(set.Get("booking").Tools()) != 2 {
		t.Errorf("with a mistake in the user's, the built-in one is gone: %v", err)
	}
}

func TestTheWorkflowOfTheManualWorks(t *testing.T) {
	manual, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(manual), "```yaml\nworkflow:")
	example, _, _ := strings.Cut(rest, "```")
	set, err := flows.Workflows(flows.Options{Dir: folder(t, map[string]string{"pizza.yaml": "workflow:" + example})})
	if err != nil {
		t.Fatal(err)
	}
	d := newDialogue(t, set)
	d.script = []string{`{"number":"P7"}`}
	for _, text := range []string{"order a pizza please", "Ada Lovelace", "half past twelve", "yes"} {
		d.say(text)
	}
	if log := d.log.String(); !strings.Contains(log, `order_pizza {"at":"2026-03-04T12:30","who":"Ada Lovelace"}`) || !strings.Contains(log, "It is ordered: P7.") {
		t.Error(log)
	}
}
