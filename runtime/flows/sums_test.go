package flows_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/route"
	"chatterbox/runtime/flows"
)

// TestSums has people ask for sums, conversions and days, and say much that looks like it and is none.
func TestSums(t *testing.T) {
	rules, err := flows.Load(flows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 2, 20, 14, 35, 0, 0, time.UTC)
	for _, c := range []struct{ language, text, want string }{
		{"en", "what's 12 times 7", `calculate {"expression":"12 * 7"}`},
		{"en", "What is twelve times seven?", `calculate {"expression":"12 * 7"}`},
		{"en", "could you please calculate 3.5 + 4", `calculate {"expression":"3.5 + 4"}`},
		{"en", "how much is 15 percent of 80", `calculate {"expression":"15 % * 80"}`},
		{"en", "what's 15% of 1,280.50?", `calculate {"expression":"15 % * 1280.50"}`},
		{"en", "12 x 7", `calculate {"expression":"12 * 7"}`},
		{"en", "twenty one divided by three", `calculate {"expression":"21 / 3"}`},
		{"en", "what is the square root of 144", `calculate {"expression":"sqrt 144"}`},
		{"en", "what's seven squared", `calculate {"expression":"7 ^2"}`},
		{"en", "what's half of ninety", `calculate {"expression":"0.5 * 90"}`},
		{"en", "um what's (2 + 3) * 4 please", `calculate {"expression":"( 2 + 3 ) * 4"}`},
		{"en", "what is 5 minus minus 3", `calculate {"expression":"5 - - 3"}`},
		{"en", "convert 5 miles to kilometers", `convert {"from":"miles","to":"kilometers","value":5}`},
		{"en", "how many ounces are in a pound", `convert {"from":"pound","to":"ounces","value":1}`},
		{"en", "how many cups is half a liter", ""},
		{"en", "what's 100 fahrenheit in celsius", `convert {"from":"fahrenheit","to":"celsius","value":100}`},
		{"en", "what is minus forty degrees celsius in fahrenheit", `convert {"from":"degrees celsius","to":"fahrenheit","value":-40}`},
		{"en", "3.5 kg in pounds", `convert {"from":"kg","to":"pounds","value":3.5}`},
		{"en", "how many days until march 1st", `count_days {"to":"2026-03-01"}`},
		{"en", "how long is it till friday", `count_days {"to":"2026-02-27"}`},
		{"en", "how many days are there between march 1 and april 1", `count_days {"from":"2026-03-01","to":"2026-04-01"}`},
		{"en", "how many times have you told me", ""},
		{"en", "what's 7", ""},
		{"en", "minus five", ""},
		{"en", "the game was 3-2 over the weekend", ""},
		{"en", "what's the over under", ""},
		{"en", "what is my to-do list", ""},
		{"en", "convert the file to pdf", ""},
		{"en", "how many people are in a choir", ""},
		{"en", "what's the weather in boston", ""},
		{"de", "wie viel ist zwölf mal sieben", `calculate {"expression":"12 * 7"}`},
		{"de", "was ist 3,5 plus 4", `calculate {"expression":"3.5 + 4"}`},
		{"de", "was sind 19 prozent von 1.250", `calculate {"expression":"19 % * 1250"}`},
		{"de", "wurzel aus 81", `calculate {"expression":"sqrt 81"}`},
		{"de", "rechne 5 meilen in kilometer um", `convert {"from":"meilen","to":"kilometer","value":5}`},
		{"de", "wie viele gramm hat eine unze", `convert {"from":"unze","to":"gramm","value":1}`},
		{"de", "was sind 2,5 zoll in zentimeter", `convert {"from":"zoll","to":"zentimeter","value":2.5}`},
		{"de", "wie viele tage sind es noch bis zum 1. märz", `count_days {"to":"2026-03-01"}`},
		{"de", "wie oft mal habe ich das gesagt", ""},
	} {
		got := route.Decide(rules, route.Input{Text: c.text, Language: c.language, Now: now,
			Tools: []string{"calculate", "convert", "count_days", "get_weather", "get_current_datetime"}})
		if command := got.Command; c.want == "" && command != nil && command.Tool != "get_weather" || c.want != "" && (command == nil || command.Tool+" "+string(command.Arguments) != c.want) {
			t.Errorf("%s %q: %+v %s", c.language, c.text, got.Command, got.Reason)
			if command != nil {
				t.Logf("%s %s", command.Tool, command.Arguments)
			}
		}
	}
}

// TestUnits holds that the router knows the units that the tool knows, and no other.
func TestUnits(t *testing.T) {
	source, err := os.ReadFile("../../tools-wasm/sums/units.c")
	if err != nil {
		t.Fatal(err)
	}
	unit := flows.Resolvers()["unit"]
	known := 0
	for _, names := range regexp.MustCompile(`\{"\w+", "\|([^"]+)\|"`).FindAllStringSubmatch(string(source), -1) {
		for name := range strings.SplitSeq(names[1], "|") {
			known++
			if unit(name, route.Context{}).Sureness != route.Known {
				t.Errorf("the router does not know the unit %s", name)
			}
		}
	}
	if known < 150 {
		t.Errorf("the tool has %d names only", known)
	}
	if unit("parsecs", route.Context{}).Sureness == route.Known || unit("km|m", route.Context{}).Sureness == route.Known {
		t.Error("the router knows a unit that the tool does not")
	}
}
