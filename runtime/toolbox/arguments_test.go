package toolbox

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		` { "b" : 5.0, "a" : [1, {"d":null,"c":"<é>"}] } `: `{"a":[1,{"c":"<é>","d":null}],"b":5.0}`,
		`{}`:                            `{}`,
		`{"id":9007199254740993123}`:    `{"id":9007199254740993123}`,
		`{"a":"\u0041\ud83d\ude00"}`:    `{"a":"A😀"}`,
		`[]`:                            "!Arguments must be one JSON object",
		`"x"`:                           "!Arguments must be one JSON object",
		`null`:                          "!Arguments must be one JSON object",
		``:                              "!Arguments are not JSON: EOF",
		`{"a":1} {"b":2}`:               "!Arguments are not JSON: there is more than one value",
		`{"a":1,"a":2}`:                 `!Arguments are not JSON: "a" is given twice`,
		`{"x":{"a":1,"\u0061":2}}`:      `!Arguments are not JSON: "a" is given twice`,
		`{"a":`:                         "!Arguments are not JSON: ",
		`{"a" 1}`:                       "!Arguments are not JSON: ",
		strings.Repeat(`{"a":`, 200):    "!Arguments are not JSON: nested more than 64 deep",
		`"` + strings.Repeat("x", 2000): "!Arguments too large: 2001 bytes, the tool takes 1000",
		`{"a":01}`:                      "!Arguments are not JSON: ",
		`{"a":1,}`:                      "!Arguments are not JSON: ",
	} {
		arguments, complaint := decodeArguments(text, 1000)
		if reason, isComplaint := strings.CutPrefix(want, "!"); isComplaint {
			if !strings.HasPrefix(complaint, reason) {
				t.Errorf("%.60s: complaint %q, want %q", text, complaint, reason)
			}
			continue
		}
		if got := string(canonical(arguments)); complaint != "" || got != want {
			t.Errorf("%s: %s, %q, want %s", text, got, complaint, want)
		}
	}
}

// FuzzArguments holds that what is accepted is an object that JSON's own reader sees alike, and is its own canonical form.
func FuzzArguments(f *testing.F) {
	f.Add(`{"b":[1,2.5e3,{"x":"\n"}],"a":null}`)
	f.Add(`{"a":1,"a":2}`)
	s, err := compileSchema(json.RawMessage(weatherSchema))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		arguments, complaint := decodeArguments(text, 1<<20)
		if complaint != "" {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q was accepted", text)
		}
		written := canonical(arguments)
		again, complaint := decodeArguments(string(written), 1<<21)
		if complaint != "" || !bytes.Equal(canonical(again), written) {
			t.Fatalf("%q became %q, which is read as %q", text, written, complaint)
		}
		if said := s.complaint(arguments); strings.ContainsAny(said, "\r\n") {
			t.Fatalf("a complaint of several lines: %q", said)
		}
	})
}
