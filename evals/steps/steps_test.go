package steps_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"chatterbox/evals/steps"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// run runs the scenarios of one feature against the parrot.
func run(t *testing.T, scenarios, tags string) ([]steps.Outcome, error) {
	t.Helper()
	feature := &fstest.MapFile{Data: []byte("Feature: A feature\n" + scenarios)}
	return steps.Run(t.Context(), steps.Options{
		Features: fstest.MapFS{"some/thing.feature": feature}, Product: parrot, Tags: tags, Concurrency: 2,
	})
}

func TestAScenarioThatHolds(t *testing.T) {
	outcomes, err := run(t, `
  @greeting
  Scenario: A greeting
    Given the model replies "Hello Sarah."
    When the user says "Hello." in conversation "kitchen"
    Then the answer is "Hello Sarah."
    And the answer mentions "Sarah"
    And the answer does not mention "Tom"
    And the model is asked once
    And the model is offered no tools
    And on call 1 the model reads:
      | role | text |
      | user | Hel… |
    And the reply belongs to conversation "kitchen"
    And the turn succeeds
    And no tool is called
`, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 1 {
		t.Fatalf("%d outcomes, want 1", len(outcomes))
	}
	got := outcomes[0]
	if got.Err != nil || got.Name != "A greeting" || got.Feature != "some/thing.feature" || len(got.Tags) != 1 || got.Log != "" {
		t.Errorf("outcome is %+v", got)
	}
}

// TestScenariosThatFail has what a scenario can be wrong about, each with a part of what is said about it.
func TestScenariosThatFail(t *testing.T) {
	const said = `
    Given the model replies "Hello."
    When the user says "Hi."
`
	for sentence, c := range map[string]struct{ body, want string }{
		"another answer":                     {said + `Then the answer is "Bye."`, `the answer is "Hello.", not "Bye."`},
		"something the answer lacks":         {said + `Then the answer mentions "Tom"`, "Tom"},
		"something the answer should lack":   {said + `Then the answer does not mention "Hello"`, "Hello"},
		"another number of model calls":      {said + `Then the model is asked twice`, "asked 1 times"},
		"a call that was not made":           {said + `Then get_weather is called once`, "there are 0 calls"},
		"an error that there was not":        {said + `Then the turn fails with rate_limit`, `error is ""`},
		"a message that was not sent":        {said + "Then on call 1 the model reads:\n| role | text |\n| user | Bye. |", `"Hi.", not "Bye."`},
		"a column that does not exist":       {said + "Then on call 1 the model reads:\n| role | word |\n| user | Hi. |", `found "word"`},
		"other states":                       {said + "Then the turn goes through:\n\"\"\"\nRECEIVE_INPUT OUTPUT\n\"\"\"", "it goes through OUTPUT"},
		"nobody listened":                    {said + `Then the answer comes in at least 2 pieces`, "nobody listened"},
		"a reply that nobody asked for":      {`Given the model replies "A."` + said + `Then the answer is "A."`, "reply left over"},
		"a turn without a reply":             {`When the user says "Hi."`, "no reply left"},
		"replies after the last turn":        {said + `Given the model replies "More."`, "1 replies of the model are left"},
		"a setting that comes too late":      {said + `Given no model is configured`, "settings come before"},
		"a check before anyone said a word":  {`Then the answer is "Hello."`, "nobody has said anything"},
		"a step that does not exist":         {said + `Then the moon is full`, "undefined"},
		"a check in the place of a setting":  {`Given the answer is "Hello."`, "undefined"},
		"a setting in the place of a check":  {said + `Then the model replies "Hello."`, "undefined"},
		"weather in a place that has none":   {"Given the weather is:\n|place|country|temperature|sky|humidity|wind|\n|A|B|1|Clear sky|2|3|\n" + `And there is no place called "A"`, "has weather for A"},
		"a sky that does not exist":          {"Given the weather is:\n|place|country|temperature|sky|humidity|wind|\n|A|B|1|Green|2|3|", "no code for the sky"},
		"a clock that cannot be moved":       {`When 3 minutes pass`, "cannot be moved"},
		"a deletion that the product cannot": {`When all 2 conversations are deleted`, "405"},
	} {
		t.Run(sentence, func(t *testing.T) {
			outcomes, err := run(t, "Scenario: It fails\n"+c.body, "")
			if err != nil {
				t.Fatal(err)
			}
			if len(outcomes) != 1 || outcomes[0].Err == nil || !strings.Contains(outcomes[0].Err.Error(), c.want) {
				t.Errorf("outcomes are %+v, want an error with %q", outcomes, c.want)
			}
		})
	}
}

func TestAFailureTellsItsStepAndTheLog(t *testing.T) {
	outcomes, err := run(t, `
  Scenario: It fails
    Given the model replies "Hello."
    When the user says "Hi."
    Then the answer is "Bye."
    And the turn succeeds
`, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes[0]; got.Step != `the answer is "Bye."` || got.Log != "the parrot's log" {
		t.Errorf("step %q, log %q", got.Step, got.Log)
	}
}

// TestRunsThatSayNothing must be errors: each of them would look like a success to who counts failures only.
func TestRunsThatSayNothing(t *testing.T) {
	const scenario = `
  Scenario: The same name
    Given the model replies "Hello."
    When the user says "Hi."
`
	for sentence, c := range map[string]struct{ scenarios, tags, want string }{
		"no scenario":                    {"", "", "no scenario was executed"},
		"a filter that lets none pass":   {scenario, "@nobody-has-this", "no scenario was executed"},
		"a feature that cannot be read":  {"Scenario: x\n  Nonsense\n", "", "no scenario was executed"},
		"two scenarios of the same name": {scenario + scenario, "", "two scenarios are called"},
		"a scenario without steps":       {scenario + "\n  Scenario: Empty\n", "", "without steps"},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, err := run(t, c.scenarios, c.tags)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestAProductThatDoesNotStart(t *testing.T) {
	feature := &fstest.MapFile{Data: []byte("Feature: A\nScenario: B\nWhen the user says \"Hi.\"\n")}
	outcomes, err := steps.Run(t.Context(), steps.Options{
		Features: fstest.MapFS{"a/b.feature": feature},
		Product: func(context.Context, steps.Settings) (steps.Instance, error) {
			return steps.Instance{}, errors.New("the port is taken")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 1 || outcomes[0].Err == nil || !strings.Contains(outcomes[0].Err.Error(), "the port is taken") {
		t.Errorf("outcomes are %+v", outcomes)
	}
}
