package sentence

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const house = `{
  "language": "en",
  "skip_words": ["please", "could you", "for me"],
  "lists": {
    "percent": {"range": {"from": 0, "to": 100}},
    "degrees": {"range": {"from": 5, "to": 30, "fractions": "halves"}},
    "less": {"range": {"from": 0, "to": 100, "multiplier": -1}},
    "thing": {"wildcard": true},
    "color": {"values": ["red", {"in": "dark[ ](blue|green)", "out": "dark"}]},
    "room": {"values": [{"in": "kitchen", "out": "kitchen", "context": {"floor": "ground"}}, {"in": "attic", "out": "attic", "context": {"floor": "top"}}]}
  },
  "expansion_rules": {"the": "(the|my)", "light": "(light[s]|lamp[s])", "what_is": "(what's|what is)"},
  "intents": {
    "On": {"data": [
      {"sentences": ["turn on [<the>] <light> [in [<the>] {room}]", "turn [<the>] <light> (on;[{room}])"]},
      {"sentences": ["light it up"], "requires_context": {"room": {"slot": true}}}
    ]},
    "Upstairs": {"data": [{"sentences": ["sweep [<the>] {room}"], "requires_context": {"floor": "top"}}]},
    "Not": {"data": [{"sentences": ["heat [<the>] {room}"], "excludes_context": {"floor": ["top", "roof"]}}]},
    "Dim": {"data": [{"sentences": ["dim to {percent}[ ]%", "lower by {less}", "heat to {degrees} degrees", "wait {1..5:minutes} minute[s]"]}]},
    "Paint": {"data": [{"sentences": ["paint <light> {color}"], "slots": {"how": "quickly", "color": "none"}}]},
    "Add": {"data": [{"sentences": ["add {thing} to [<the>] list", "add {thing}", "note that {thing:text}"]}]}
  }
}`

func newHouse(t testing.TB) *Set {
	t.Helper()
	var data Language
	if err := json.Unmarshal([]byte(house), &data); err != nil {
		t.Fatal(err)
	}
	set, err := New(data, func(text string) []Number {
		var read []Number
		for value, word := range []string{"zero", "one", "two", "three", "twenty"} {
			if strings.HasPrefix(text, word) {
				read = append(read, Number{len(word), float64(value)})
			}
		}
		return read
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestBest(t *testing.T) {
	set := newHouse(t)
	for _, c := range []struct{ text, room, want string }{
		{"turn on the light", "", "On"},
		{"Turn on my LAMPS.", "", "On"},
		{"please turn on the lights, in the attic!", "", "On room=attic"},
		{"could you turn attic light on for me", "", "nothing"},
		{"turn the light attic on", "", "On room=attic"},
		{"turn the light on attic", "", "On room=attic"},
		{"turn on the lightning", "", "nothing"},
		{"light it up", "", "nothing"},
		{"light it up", "cellar", "On room=cellar"},
		{"sweep the attic", "", "Upstairs room=attic"},
		{"sweep the kitchen", "", "nothing"},
		{"heat kitchen", "", "Not room=kitchen"},
		{"heat attic", "", "nothing"},
		{"dim to 40%", "", "Dim percent=40"},
		{"dim to 40 %", "", "Dim percent=40"},
		{"dim to 140 %", "", "nothing"},
		{"dim to two %", "", "Dim percent=2"},
		{"lower by 30", "", "Dim less=-30"},
		{"heat to 20.5 degrees", "", "Dim degrees=20.5"},
		{"heat to 20,5 degrees", "", "Dim degrees=20.5"},
		{"heat to 20.3 degrees", "", "nothing"},
		{"wait 3 minutes", "", "Dim minutes=3"},
		{"wait 6 minutes", "", "nothing"},
		{"paint lamp dark-blue", "", "Paint color=dark how=quickly"},
		{"add buy two eggs to the list", "", "Add thing=buy two eggs"},
		{"add to the list", "", "Add thing=to the list"},
		{"add", "", "nothing"},
		{"note that please call Ann", "", "Add text=please call Ann"},
		{"", "", "nothing"},
	} {
		var context map[string]any
		if c.room != "" {
			context = map[string]any{"room": c.room}
		}
		if got := said(set.Best(c.text, nil, context, "")); got != c.want {
			t.Errorf("%q: %s, not %s", c.text, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	data := Language{Intents: map[string]Intent{"On": {Data: []Block{
		{Sentences: []string{"turn on [the] {name}"}}, {Sentences: []string{"turn on [the] {room} lamp"}},
	}}}}
	set, err := New(data, nil, "name", "room")
	if err != nil {
		t.Fatal(err)
	}
	live, err := NewLists(map[string]List{
		"name": {Values: []Value{{In: "kitchen lamp", Out: "light.kitchen"}}}, "room": {Values: []Value{{In: "kitchen", Out: "kitchen"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(set.Best("turn on the kitchen lamp", live, nil, "name")); got != "On name=light.kitchen" {
		t.Error("with a name preferred:", got)
	}
	if got := said(set.Best("turn on the kitchen lamp", live, nil, "")); got != "On room=kitchen" {
		t.Error("by the template's own text:", got)
	}
	if got := said(set.Best("turn on the kitchen lamp", nil, nil, "name")); got != "nothing" {
		t.Error("without a house:", got)
	}
}

func TestNearest(t *testing.T) {
	set := newHouse(t)
	misses := set.Nearest("turn on the oven", nil, nil, 2)
	if len(misses) != 2 || misses[0].Intent != "On" || misses[0].Read != "turn on the" || !strings.Contains("light lamp", misses[0].Wanted) {
		t.Errorf("%+v", misses)
	}
}

// TestMistakes has every mistake named where it stands.
func TestMistakes(t *testing.T) {
	for template, want := range map[string]string{
		"turn (on|off": `character 6: this is not closed: ')' is missing`,
		"turn on]":     `there is a ']' that nothing opened`,
		"a <light":     `this is not closed: ">" is missing`,
		"a {}":         "no name between the brackets",
		"(a|b;c)":      "put parentheses around one of them",
		"a {colour}":   "there is no list {colour}",
		"a <colour>":   "there is no rule <colour>",
		"a <a>":        "the rule <a> uses itself",
		"{5..1:n}":     "goes from 5 down to 1",
		strings.Repeat("(", maxDepth+2) + "a" + strings.Repeat(")", maxDepth+2): "groups stand more than 24 deep",
	} {
		_, err := New(Language{Rules: map[string]string{"a": "x <b>", "b": "<a>"},
			Intents: map[string]Intent{"I": {Data: []Block{{Sentences: []string{template}}}}}}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %s", template, err, want)
		}
	}
	for want, list := range map[string]List{
		"neither values nor a range":      {},
		"takes neither digits nor words":  {Range: &Range{To: 3, Digits: new(bool), Words: new(bool)}},
		"the step -1 is negative":         {Range: &Range{To: 3, Step: -1}},
		`fractions is "thirds"`:           {Range: &Range{To: 3, Fractions: "thirds"}},
		`"a (b", character 3: this is no`: {Values: []Value{{In: "a (b"}}},
	} {
		if _, err := NewLists(map[string]List{"x": list}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, not %s", list, err, want)
		}
	}
}

// TestManySteps gives up a template that could be tried in more ways than anybody waits for.
func TestManySteps(t *testing.T) {
	data := Language{Intents: map[string]Intent{"I": {Data: []Block{{Sentences: []string{strings.Repeat("[(a|a)][ ]", 40) + " b"}}}}}}
	set, err := New(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Best(strings.Repeat("a ", 41)+"c b", nil, nil, ""); got != nil {
		t.Errorf("it reads %+v", got)
	}
}

// FuzzTemplates reads any template and any text without a panic, and reads what a template without choices says itself.
func FuzzTemplates(f *testing.F) {
	for template, text := range map[string]string{
		"turn on [the] {a} (b|c);d": "turn on b d", "[a] {1..3:n} x": "two x", "<r> {w}": "r 1", "a\\(b": "a(b", "{w:@x} é": "ß É",
	} {
		f.Add(template, text)
	}
	f.Fuzz(func(t *testing.T, template, text string) {
		if len(template)+len(text) > 200 {
			return
		}
		data := Language{
			Lists: map[string]List{"a": {Values: []Value{{In: "b"}}}, "w": {Wildcard: true}}, Rules: map[string]string{"r": "[r]"},
			Intents: map[string]Intent{"I": {Data: []Block{{Sentences: []string{template}}}}}, SkipWords: []string{"so"},
		}
		set, err := New(data, nil)
		if err != nil {
			return
		}
		if match := set.Best(text, nil, nil, ""); match != nil && match.Intent != "I" {
			t.Fatal(match)
		}
		set.Nearest(text, nil, nil, 3)
		plain := strings.TrimSpace(normal(bare(template)))
		if plain != "" && plain == template && !strings.ContainsAny(template, `()[]{}<>|;\-_`) && set.Best(template, nil, nil, "") == nil {
			t.Fatalf("%q does not read itself", template)
		}
	})
}

func ExampleSet_Best() {
	set, err := New(Language{
		Lists:   map[string]List{"minutes": {Range: &Range{From: 1, To: 100}}},
		Intents: map[string]Intent{"SetTimer": {Data: []Block{{Sentences: []string{"[set] [a] timer for {minutes} minute[s]"}}}}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	match := set.Best("Set a timer for 5 minutes!", nil, nil, "")
	fmt.Println(match.Intent, match.Slot("minutes").Value)
	// Output: SetTimer 5
}
