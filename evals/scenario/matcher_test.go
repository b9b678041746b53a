package scenario

import (
	"encoding/json"
	"testing"
)

func TestMatches(t *testing.T) {
	for sentence, c := range map[string]struct {
		cell, text string
		want       bool
	}{
		"a text fits itself":                       {"Clear sky", "Clear sky", true},
		"a text does not fit a longer one":         {"Clear", "Clear sky", false},
		"nothing fits nothing":                     {"", "", true},
		"nothing does not fit something":           {"", "x", false},
		"an ellipsis fits anything":                {"…", "x\ny", true},
		"an ellipsis fits nothing too":             {"…", "", true},
		"a beginning":                              {"You are…", "You are here", true},
		"not a beginning":                          {"You are…", "Are you here", false},
		"an end":                                   {"…here", "You are here", true},
		"beginning and end do not share a letter":  {"ab…bc", "abc", false},
		"parts in between come in their order":     {"a…b…c", "a-b-c", true},
		"parts in between not in their order":      {"…b…a…", "ab", false},
		"a part in between is not part of the end": {"a…b…b", "a-b", false},
		"an expression fits a whole text":          {`/\d+/`, "12", true},
		"an expression does not fit a part":        {`/\d+/`, "12a", false},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := Matches(c.cell, c.text)
			if err != nil || got != c.want {
				t.Errorf("Matches(%q, %q) = %t, %v", c.cell, c.text, got, err)
			}
		})
	}
	if _, err := Matches("/(/", "x"); err == nil {
		t.Error("an expression that is none is no error")
	}
}

func TestMatchObject(t *testing.T) {
	for sentence, c := range map[string]struct {
		cells map[string]string
		raw   string
		fails bool
	}{
		"equal texts and numbers":             {map[string]string{"a": "x", "b": "62"}, `{"a":"x","b":62}`, false},
		"a number however it is written":      {map[string]string{"a": "20"}, `{"a":20.0}`, false},
		"large numbers keep their digits":     {map[string]string{"a": "9007199254740993"}, `{"a":9007199254740992}`, true},
		"a number is not a text":              {map[string]string{"a": "62"}, `{"a":"62"}`, true},
		"a text in quotes is a text":          {map[string]string{"a": `"62"`}, `{"a":"62"}`, false},
		"a list":                              {map[string]string{"a": `[1, {"b": 2.0}]`}, `{"a":[1.0,{"b":2}]}`, false},
		"a pattern for a number":              {map[string]string{"a": `/\d{2}/`}, `{"a":62}`, false},
		"anything":                            {map[string]string{"a": "…"}, `{"a":null}`, false},
		"a field is missing":                  {map[string]string{"a": "…"}, `{}`, true},
		"a field too many":                    {map[string]string{}, `{"a":1}`, true},
		"null is not an empty text":           {map[string]string{"a": "null"}, `{"a":""}`, true},
		"true is not one":                     {map[string]string{"a": "true"}, `{"a":1}`, true},
		"a list is no object":                 {map[string]string{}, `[]`, true},
		"what is no JSON":                     {map[string]string{}, `{`, true},
		"two values where one should stand":   {map[string]string{}, `{} {}`, true},
		"an object without fields has no one": {nil, `{}`, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			err := MatchObject("it", c.cells, json.RawMessage(c.raw))
			if (err != nil) != c.fails {
				t.Errorf("%v against %s: %v", c.cells, c.raw, err)
			}
		})
	}
}

// FuzzMatchValue: what a product says is compared with a cell, or refused, but never breaks the comparison; and a value
// always fits itself.
func FuzzMatchValue(f *testing.F) {
	for _, seed := range []string{`62`, `20.0`, `"x"`, `{"a":[1,2e3,null]}`, `9007199254740993`, `1e400`, `-0`, `{} 1`} {
		f.Add("…", seed)
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, cell, raw string) {
		value, err := ReadJSON([]byte(raw))
		if err != nil {
			return
		}
		_ = MatchValue("it", cell, value)
		if _, isText := value.(string); !isText {
			if err := MatchValue("it", raw, value); err != nil {
				t.Errorf("%s does not fit itself: %v", raw, err)
			}
		}
	})
}
