package toolbox

import (
	"encoding/json"
	"strings"
	"testing"

	"chatterbox/loop"
)

func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		` { "b" : 5.0, "a" : [1, {"d":null,"c":"<é>"}] } `: `{"a":[1,{"c":"<é>","d":null}],"b":5.0}`,
		`{}`:                            `{}`,
		`{"id":9007199254740993123}`:    `{"id":9007199254740993123}`,
		`{"a":"\u0041\ud83d\ude00"}`:    `{"a":"A😀"}`,
		`[]`:                            "!Arguments cannot be read: must be one JSON object",
		`"x"`:                           "!Arguments cannot be read: must be one JSON object",
		`null`:                          "!Arguments cannot be read: must be one JSON object",
		``:                              "!Arguments cannot be read: EOF",
		`{"a":1} {"b":2}`:               "!Arguments cannot be read: there is more than one value",
		`{"a":1,"a":2}`:                 `!Arguments cannot be read: "a" is given twice`,
		`{"x":{"a":1,"\u0061":2}}`:      `!Arguments cannot be read: "a" is given twice`,
		`{"a":`:                         "!Arguments cannot be read: ",
		`{"a" 1}`:                       "!Arguments cannot be read: ",
		strings.Repeat(`{"a":`, 200):    "!Arguments cannot be read: nested more than 64 deep",
		`"` + strings.Repeat("x", 2000): "!Arguments too large: 2001 bytes, the tool takes 1000",
		`{"a":01}`:                      "!Arguments cannot be read: ",
		`{"a":1,}`:                      "!Arguments cannot be read: ",
	} {
		arguments, complaint := readArguments(loop.Call{Arguments: text}, 1000)
		if reason, isComplaint := strings.CutPrefix(want, "!"); isComplaint {
			if !strings.HasPrefix(complaint, reason) {
				t.Errorf("%.60s: complaint %q, want %q", text, complaint, reason)
			}
			continue
		}
		if complaint != "" || arguments.Text() != want {
			t.Errorf("%s: %v, %q, want %s", text, arguments, complaint, want)
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
		arguments, complaint := readArguments(loop.Call{Arguments: text}, 1<<20)
		if complaint != "" {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q was accepted", text)
		}
		written := arguments.Text()
		again, complaint := readArguments(loop.Call{Arguments: written}, 1<<21)
		if complaint != "" || again.Text() != written {
			t.Fatalf("%q became %q, which is read as %q", text, written, complaint)
		}
		if said := s.complaint(arguments.Values); strings.ContainsAny(said, "\r\n") {
			t.Fatalf("a complaint of several lines: %q", said)
		}
	})
}
