package toolbox

import (
	"encoding/json"
	"strings"
	"testing"

	"chatterbox/loop"
)

const weatherSchema = `{"type":"object","required":["location","days"],"additionalProperties":false,"properties":{
	"location":{"type":"string","minLength":2,"maxLength":20,"pattern":"^[A-Z]"},
	"days":{"type":"integer","minimum":1,"maximum":7},
	"share":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
	"units":{"enum":["metric","imperial"]},
	"kind":{"const":"now"},
	"tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2,"uniqueItems":true},
	"at":{"type":"object","required":["lat"],"properties":{"lat":{"type":["number","null"]}}},
	"even":{"multipleOf":2}}}`

func TestComplaints(t *testing.T) {
	s, err := compileSchema(json.RawMessage(weatherSchema))
	if err != nil {
		t.Fatal(err)
	}
	with := func(more string) string { return `{"location":"Oslo","days":3,` + more + `}` }
	for arguments, want := range map[string]string{
		`{"location":"Oslo","days":3}`:                                   "",
		`{"location":"Oslo","days":3.0}`:                                 "",
		with(`"share":0.5,"units":"metric","tags":["a"],"at":{"lat":1}`): "",
		with(`"at":{"lat":null},"kind":"now","even":4`):                  "",
		`{}`:                                                      "Missing required argument: location",
		`{"location":"Oslo"}`:                                     "Missing required argument: days",
		with(`"at":{}`):                                           "Missing required argument: at.lat",
		`{"location":5,"days":3}`:                                 "Argument location must be of type string, not 5",
		`{"location":"Oslo","days":"3"}`:                          `Argument days must be of type integer, not "3"`,
		`{"location":"Oslo","days":3.5}`:                          "Argument days must be of type integer, not 3.5",
		`{"location":"Oslo","days":null}`:                         "Argument days must be of type integer, not null",
		`{"location":"Oslo","days":8}`:                            "Argument days must be at most 7",
		`{"location":"Oslo","days":0}`:                            "Argument days must be at least 1",
		`{"location":"Oslo","days":99999999999999999999}`:         "Argument days must be at most 7",
		`{"location":"","days":3}`:                                "Argument location must not be empty",
		`{"location":"O","days":3}`:                               "Argument location must have at least 2 characters",
		`{"location":"` + strings.Repeat("X", 21) + `","days":3}`: "Argument location must have at most 20 characters",
		`{"location":"oslo","days":3}`:                            `Argument location must match ^[A-Z], not "oslo"`,
		with(`"share":1`):                                         "Argument share must be less than 1",
		with(`"share":0`):                                         "Argument share must be more than 0",
		with(`"units":"kelvin"`):                                  `Argument units must be one of "metric", "imperial", not "kelvin"`,
		with(`"kind":"then"`):                                     `Argument kind must be one of "now", not "then"`,
		with(`"tags":[]`):                                         "Argument tags must have at least 1 elements",
		with(`"tags":["a","b","c"]`):                              "Argument tags must have at most 2 elements",
		with(`"tags":["a",2]`):                                    "Argument tags[1] must be of type string, not 2",
		with(`"at":{"lat":true}`):                                 "Argument at.lat must be of type number or null, not true",
		with(`"city":"x"`):                                        "Unknown argument: city; the known ones are at, days, even, kind, location, share, tags, units",
		with(`"tags":["a","a"]`):                                  "Arguments do not fit the tool: uniqueItems: ",
		with(`"even":3`):                                          "Argument even must be a multiple of 2",
		with(`"share":1e999`):                                     "Arguments cannot be compared: a number is out of range",
	} {
		decoded, complaint := readArguments(loop.Call{Arguments: arguments}, 1000)
		if complaint != "" {
			t.Fatal(complaint)
		}
		got := s.complaint(decoded.Values)
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s:\n got %s\nwant %s", arguments, got, want)
		}
	}
}

func TestSchemaIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"string"}`:                     `must have "type": "object"`,
		`{}`:                                    `must have "type": "object"`,
		`{"type":5}`:                            `is not a JSON Schema`,
		`{"type":"object","$ref":"http://x/y"}`: `cannot be used`,
		`{"type":"object","properties":{"a":{"pattern":"("}}}`: `cannot be used`,
	} {
		if _, err := compileSchema(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestQuestion(t *testing.T) {
	for arguments, want := range map[string]string{
		`{}`:                                 `Shall I run "Book it"?`,
		`{"name":"Ann"}`:                     `Shall I run "Book it" with name "Ann"?`,
		`{"b":[1,"x"],"a":"l1\nl2","c":5.0}`: `Shall I run "Book it" with a "l1\nl2", b [1,"x"] and c 5.0?`,
		"{\"to\":\"ann\u202egro.live@\u2066\u200b\U000e0041\"}": `Shall I run "Book it" with to "ann\u202egro.live@\u2066\u200b\udb40\udc41"?`,
		`{"to \"ann\" and by":"b"}`:                             `Shall I run "Book it" with "to \"ann\" and by" "b"?`,
		`{"a":"` + strings.Repeat("x", 1000) + `"}`:             `Shall I run "Book it" with a "` + strings.Repeat("x", 199) + ` … ` + strings.Repeat("x", 79) + `" (1002 characters in all)?`,
	} {
		decoded, _ := readArguments(loop.Call{Arguments: arguments}, 5000)
		if got := question(Manifest{Name: "book", Title: "Book\nit"}, decoded.Values); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := question(Manifest{Name: "book_an-event"}, nil); got != `Shall I run "book an event"?` {
		t.Errorf("got %s", got)
	}
}
