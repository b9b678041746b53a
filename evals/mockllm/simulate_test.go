package mockllm_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"chatterbox/evals/mockllm"
)

func TestRates(t *testing.T) {
	rates, err := mockllm.ParseRates("no_call=0.25, wrong_tool=.25")
	if err != nil {
		t.Fatal(err)
	}
	dice, counts := rand.New(rand.NewPCG(1, 2)), map[string]int{}
	const draws = 10_000
	for range draws {
		counts[rates.Draw(dice)]++
	}
	for way, want := range map[string]float64{"no_call": .25, "wrong_tool": .25, "": .5} {
		if got := float64(counts[way]) / draws; got < want-.02 || got > want+.02 {
			t.Errorf("%q comes in %v of the draws, want %v", way, got, want)
		}
	}
	for text, want := range map[string]string{
		"no_call":                  "expected way=rate",
		"no_call=2":                "expected way=rate",
		"no_call=x":                "expected way=rate",
		"dancing=.5":               "expected one of empty_response, ",
		"no_call=.6,extra_call=.6": "1 at most together",
		"no_call@0=.6":             "a number of tools from 1",
		"no_call@many=.6":          "a number of tools from 1",
	} {
		if _, err := mockllm.ParseRates(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestEveryWayGoesWrong shows that each way changes the script, and none the script that it was given.
func TestEveryWayGoesWrong(t *testing.T) {
	script := []mockllm.Reply{
		{ToolCalls: []mockllm.ToolCall{{Name: "light", Arguments: json.RawMessage(`{"room":"hall","level":3}`)}}}, {Content: "Done."},
	}
	right := mockllm.Spoil("", script, []string{"light", "heat"}, rand.New(rand.NewPCG(1, 2)))
	if last := right[len(right)-1]; len(right) != 3 || last.Repeat != mockllm.Forever {
		t.Errorf("%+v", right)
	}
	for _, way := range mockllm.Ways() {
		for seed := range uint64(10) {
			spoilt := mockllm.Spoil(way, script, []string{"light", "heat"}, rand.New(rand.NewPCG(seed, 2)))
			if reflect.DeepEqual(spoilt, right) {
				t.Errorf("%s changes nothing", way)
			}
			if script[0].ToolCalls[0].Name != "light" || len(script[0].ToolCalls) != 1 || string(script[0].ToolCalls[0].Arguments) != `{"room":"hall","level":3}` {
				t.Fatalf("%s has changed the script itself: %+v", way, script)
			}
		}
	}
	if quiet := mockllm.Spoil("wrong_tool", script[1:], nil, nil); len(quiet) != 2 || quiet[0].Content != "Done." {
		t.Errorf("a script without a call has become %+v", quiet)
	}
}

func TestWaysThatNeedManyTools(t *testing.T) {
	if _, err := mockllm.ParseRates("no_call=.1,no_call@7=.4"); err != nil {
		t.Error(err)
	}
	for tools, want := range map[int]string{6: "", 7: "no_call", 8: "no_call"} {
		if got := mockllm.With("no_call@7", tools); got != want {
			t.Errorf("with %d tools: %q, want %q", tools, got, want)
		}
	}
	if mockllm.With("no_call", 0) != "" || mockllm.With("no_call", 1) != "no_call" || mockllm.Depends("no_call") || !mockllm.Depends("no_call@7") {
		t.Error("a way without a number needs a tool and no more")
	}
}
