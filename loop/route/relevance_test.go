package route_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop/route"
	"chatterbox/loop/toolcall"
)

// household is thirty tools as a home may have, and what people say with the tool that they mean.
type household struct {
	Tools []toolcall.Tool
	Texts map[string]string
}

func readHousehold(t testing.TB) household {
	t.Helper()
	text, err := os.ReadFile("testdata/relevance.json")
	if err != nil {
		t.Fatal(err)
	}
	var h household
	if err := json.Unmarshal(text, &h); err != nil {
		t.Fatal(err)
	}
	if len(h.Tools) < 30 || len(h.Texts) < 30 {
		t.Fatalf("the sample has %d tools and %d texts", len(h.Tools), len(h.Texts))
	}
	return h
}

func TestWhatIsSaidAtHomeFindsItsTool(t *testing.T) {
	h := readHousehold(t)
	x := route.NewIndex(h.Tools)
	first := 0
	for text, want := range h.Texts {
		choice := x.Choose(text, 7, nil, nil)
		if !slices.Contains(choice.Tools, want) {
			t.Errorf("%q is offered %v without %s", text, choice.Tools, want)
		}
		if choice.Best == want {
			first++
		} else {
			t.Logf("%q fits %s best, before %s", text, choice.Best, want)
		}
	}
	if first*10 < len(h.Texts)*8 {
		t.Errorf("the right tool is the best match in %d of %d texts", first, len(h.Texts))
	}
}

func named(names ...string) []toolcall.Tool {
	tools := make([]toolcall.Tool, len(names))
	for i, name := range names {
		tools[i].Name = name
	}
	return tools
}

func TestRankComparesWords(t *testing.T) {
	for name, c := range map[string]struct {
		tools []toolcall.Tool
		text  string
		want  string // first
	}{
		"names are split at underscores":            {named("a_b", "play_radio"), "radio!", "play_radio"},
		"names are split at dots":                   {named("a.b", "home.radio.play"), "radio", "home.radio.play"},
		"names are split at capitals":               {named("aB", "playRadio"), "Radio", "playRadio"},
		"names are split after an abbreviation":     {named("aB", "playFMRadio"), "radio", "playFMRadio"},
		"endings do not matter":                     {named("x", "radio_station"), "which stations are there", "radio_station"},
		"a name that is spelt alike":                {named("x", "thermostat"), "the thermostats' termostat", "thermostat"},
		"a misspelt word":                           {named("calendar", "thermostat"), "termostat", "thermostat"},
		"a rare word counts more than a common one": {named("set_a", "set_b", "set_kettle"), "set set set the kettle", "set_kettle"},
		"another word for it":                       {named("x", "film_search"), "a movie", "film_search"},
		"a German word":                             {named("x", "get_weather"), "Wetter", "get_weather"},
		"a sign":                                    {named("x", "dollars"), "5 $", "dollars"},
		"the description": {
			[]toolcall.Tool{{Name: "x"}, {Name: "y", Description: "Plays the radio."}}, "radio", "y"},
		"the name before the description": {
			[]toolcall.Tool{{Name: "y", Description: "Plays the radio."}, {Name: "radio"}}, "radio", "radio"},
		"names of parameters": {
			[]toolcall.Tool{{Name: "x"}, {Name: "y", Parameters: json.RawMessage(`{"properties":{"stationName":{"type":"string"}}}`)}}, "station", "y"},
		"descriptions of parameters, also nested": {
			[]toolcall.Tool{{Name: "x"}, {Name: "y", Parameters: json.RawMessage(
				`{"properties":{"a":{"type":"array","items":{"properties":{"b":{"description":"the station"}}}}}}`)}}, "station", "y"},
		"values of an enum": {
			[]toolcall.Tool{{Name: "x"}, {Name: "y", Parameters: json.RawMessage(`{"properties":{"a":{"enum":["jazz",1]}}}`)}}, "some jazz", "y"},
		"parameters that are no schema": {
			[]toolcall.Tool{{Name: "x", Parameters: json.RawMessage(`[1]`)}, {Name: "radio", Parameters: json.RawMessage(`{`)}}, "radio", "radio"},
	} {
		t.Run(name, func(t *testing.T) {
			ranked := route.NewIndex(c.tools).Rank(c.text)
			if got := c.tools[ranked[0].Tool].Name; got != c.want || ranked[0].Score <= ranked[1].Score {
				t.Errorf("%q ranks %v, want %s first", c.text, ranked, c.want)
			}
		})
	}
}

func TestChooseKeepsToTheRules(t *testing.T) {
	tools := named("clock", "radio", "lamp", "oven", "alarm", "camera")
	for name, c := range map[string]struct {
		text           string
		limit          int
		shared, before []string
		want           []string
		best           string
	}{
		"few tools are all offered":               {"oven", 6, nil, nil, []string{"clock", "radio", "lamp", "oven", "alarm", "camera"}, ""},
		"the best match, in the set's order":      {"the oven and the lamp", 2, nil, nil, []string{"lamp", "oven"}, "lamp"},
		"shared tools are always among them":      {"oven", 2, []string{"clock", "absent"}, nil, []string{"clock", "oven"}, "oven"},
		"the best match comes even so":            {"oven", 2, []string{"clock", "radio"}, nil, []string{"clock", "radio", "oven"}, "oven"},
		"no word fits":                            {"hm", 2, []string{"clock"}, nil, []string{"clock", "radio"}, ""},
		"the set stays while it has the best":     {"oven", 2, nil, []string{"oven", "camera"}, []string{"oven", "camera"}, "oven"},
		"the set stays when nothing fits":         {"and then?", 2, nil, []string{"oven", "camera"}, []string{"oven", "camera"}, ""},
		"the set goes when the best is not in it": {"radio", 2, nil, []string{"oven", "camera"}, []string{"clock", "radio"}, "radio"},
		"the set goes when one of it is gone":     {"oven", 2, nil, []string{"oven", "absent"}, []string{"clock", "oven"}, "oven"},
	} {
		t.Run(name, func(t *testing.T) {
			x := route.NewIndex(tools)
			got := x.Choose(c.text, c.limit, c.shared, c.before)
			if !slices.Equal(got.Tools, c.want) || got.Best != c.best {
				t.Errorf("offered %v with best %q, want %v with %q", got.Tools, got.Best, c.want, c.best)
			}
			if !strings.Contains(got.Reason, c.best) || got.Reason == "" {
				t.Errorf("the reason %q does not name %q", got.Reason, c.best)
			}
			if again := x.Choose(c.text, c.limit, c.shared, c.before); !reflect.DeepEqual(again, got) {
				t.Errorf("once %+v, then %+v", got, again)
			}
		})
	}
}

// TestRankIsTheSameEveryTime would fail for sums that are made in the order of a map.
func TestRankIsTheSameEveryTime(t *testing.T) {
	h := readHousehold(t)
	text := "please switch the lights in the kitchen on, set a timer and tell me what the weather will be, and book a train"
	first := route.NewIndex(h.Tools).Rank(text)
	for range 50 {
		if again := route.NewIndex(h.Tools).Rank(text); !slices.Equal(again, first) {
			t.Fatalf("once %v, then %v", first, again)
		}
	}
}

func TestTextsAndSchemasHaveLimits(t *testing.T) {
	tools := append(named("x"), toolcall.Tool{Name: "y", Description: strings.Repeat("many words ", 5000) + "radio"})
	x := route.NewIndex(tools)
	if ranked := x.Rank("radio"); ranked[0].Score != 0 {
		t.Errorf("a word behind the limit of a tool's words counts: %v", ranked)
	}
	if ranked := x.Rank(strings.Repeat("other texts ", 5000) + "many"); ranked[0].Score != 0 {
		t.Errorf("a word behind the limit of a text's words counts: %v", ranked)
	}
	deep := strings.Repeat(`{"items":`, 50) + `{"description":"radio"}` + strings.Repeat(`}`, 50)
	if ranked := route.NewIndex([]toolcall.Tool{{Name: "x", Parameters: json.RawMessage(deep)}}).Rank("radio"); ranked[0].Score != 0 {
		t.Errorf("a word behind the limit of a schema's depth counts: %v", ranked)
	}
}

func FuzzRank(f *testing.F) {
	f.Add("play the radio", "playRadio", "Plays the radio.", []byte(`{"properties":{"station":{"enum":["a"]}}}`))
	f.Add("größer 5 €", "ÄÖ.x_y", "\xff", []byte(`{"items":{}}`))
	f.Fuzz(func(t *testing.T, text, name, description string, parameters []byte) {
		tools := append(named("clock", "radio"), toolcall.Tool{Name: name, Description: description, Parameters: parameters})
		choice := route.NewIndex(tools).Choose(text, 2, []string{"clock"}, nil)
		if n := len(choice.Tools); n < 2 || n > 3 || choice.Tools[0] != "clock" {
			t.Errorf("offered %v", choice.Tools)
		}
	})
}

func BenchmarkChoose(b *testing.B) {
	h := readHousehold(b)
	x := route.NewIndex(h.Tools[:30])
	for b.Loop() {
		x.Choose("could you please turn the lights in the living room on and make it a little warmer there", 12, nil, nil)
	}
}

func BenchmarkNewIndex(b *testing.B) {
	h := readHousehold(b)
	for b.Loop() {
		route.NewIndex(h.Tools[:30])
	}
}
