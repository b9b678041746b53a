package toolbox

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestManifestIsRead(t *testing.T) {
	got, err := ParseManifest([]byte(`{"name":"pay_bill","title":"Pay","description":"Pays.",
		"inputSchema":{ "type": "object" },"outputSchema":{},"annotations":{"readOnlyHint":true},
		"effects":"irreversible","confirm":"first",
		"limits":{"memory_pages":10,"wall_ms":5000,"input":1,"output":2,"log":3,"http_calls":4,"concurrency":5,"per_minute":6},
		"net":[{"scheme":"https","host":"bank.example.com","port":8443,"methods":["POST"],"path":"/v1/*","response_bytes":100,"timeout_ms":1500},
		       {"scheme":"http","host":"a.example.com"}],
		"secrets":[{"ref":"key","header":"X-Key","only_to":"bank.example.com"}],
		"kv":{"quota":1000},"deliver":[{"channel":"mail","recipients":["a@example.org"]}],"env":{"MODE":"x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	four := 4
	want := Manifest{
		Name: "pay_bill", Title: "Pay", Description: "Pays.", InputSchema: json.RawMessage(`{"type":"object"}`),
		OutputSchema: json.RawMessage(`{}`), Annotations: json.RawMessage(`{"readOnlyHint":true}`),
		Asks: Rights{
			Effects: Irreversible, Confirm: First, KV: Quota{Bytes: 1000},
			Net: []NetRule{
				{Scheme: "https", Host: "bank.example.com", Port: 8443, Methods: []string{"POST"}, Path: "/v1/*",
					ResponseBytes: 100, Timeout: 1500 * time.Millisecond},
				{Scheme: "http", Host: "a.example.com", Port: 80, Methods: []string{"GET"}, Path: "*"},
			},
			Secrets: []Secret{{"key", "X-Key", "bank.example.com"}},
			Deliver: []Delivery{{"mail", []string{"a@example.org"}}},
		},
		Limits: Limits{MemoryPages: 10, Wall: 5 * time.Second, Input: 1, Output: 2, Log: 3, HTTPCalls: &four, Concurrency: 5, PerMinute: 6},
		Env:    map[string]string{"MODE": "x"},
	}
	if !reflect.DeepEqual(got, []Manifest{want}) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestManifestDefaults(t *testing.T) {
	for more, want := range map[string]Rights{
		``:                          {Effects: Read, Confirm: Never},
		`,"effects":"write"`:        {Effects: Write, Confirm: First},
		`,"effects":"irreversible"`: {Effects: Irreversible, Confirm: Always},
		`,"confirm":"always"`:       {Effects: Read, Confirm: Always},
		`,"annotations":{"destructiveHint":true}`:    {Effects: Read, Confirm: Never},
		`,"annotations":{},"effects":"write"`:        {Effects: Write, Confirm: First},
		`,"cache":{}`:                                {Effects: Read, Confirm: Never},
		`,"inputSchema":{"type":"object","x-y":[1]}`: {Effects: Read, Confirm: Never},
	} {
		got, err := ParseManifest([]byte(manifest("it", more)))
		if err != nil || !reflect.DeepEqual(got[0].Asks, want) {
			t.Errorf("%s: %+v, %v", more, got, err)
		}
	}
}

func TestModuleWithSeveralTools(t *testing.T) {
	got, err := ParseManifest([]byte(`{"tools":[` + manifest("a", "") + `,` + manifest("b", "") + `]}`))
	if err != nil || len(got) != 2 || got[0].Name != "a" || got[1].Name != "b" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestManifestIsRefused(t *testing.T) {
	rule := func(more string) string {
		return manifest("it", `,"net":[{"scheme":"https","host":"a.example.com"`+more+`}]`)
	}
	for text, want := range map[string]string{
		``:                                                       "the manifest is not JSON",
		`[]`:                                                     "the manifest must be an object",
		`{"name":"it"`:                                           "the manifest is not JSON",
		`{}`:                                                     `field "name" is missing`,
		`{"name":"it"}`:                                          `field "description" is missing`,
		manifest("a b", ""):                                      `field "name" "a b": a name has 1 to 64 letters`,
		manifest("-rf", ""):                                      `field "name" "-rf": a name has 1 to 64 letters, digits, _ and -, and does not begin with -`,
		manifest("é", ""):                                        `field "name" "é"`,
		manifest("g\u0435t_weather", ""):                         `field "name" "gеt_weather": a name has`, // a Cyrillic letter
		manifest("get\uff3fweather", ""):                         `field "name" "get＿weather": a name has`,
		manifest("it", `,"name":"x"`):                            `field "name" is given twice`,
		manifest("it", `,"title":null`):                          `field "title" must not be null`,
		manifest("it", `,"title":7`):                             `field "title" must be a text`,
		manifest("it", `,"inputschema":{}`):                      `unknown field "inputschema"; the nearest known one is "inputSchema"`,
		manifest("it", `,"efects":"read"`):                       `unknown field "efects"; the nearest known one is "effects"`,
		manifest("it", `,"effects":"reads"`):                     `field "effects" must be one of ["read" "write" "irreversible"]`,
		manifest("it", `,"confirm":""`):                          `field "confirm" must be one of ["never" "first" "always"]`,
		manifest("it", `,"inputSchema":[]`):                      `field "inputSchema" must be an object`,
		manifest("it", `,"limits":{"wallms":1}`):                 `unknown field "limits.wallms"; the nearest known one is "wall_ms"`,
		manifest("it", `,"limits":{"wall_ms":0}`):                `field "limits.wall_ms" must be a whole number from 1`,
		manifest("it", `,"limits":{"wall_ms":1.5}`):              `field "limits.wall_ms" must be a whole number`,
		manifest("it", `,"limits":{"memory_pages":65536}`):       `field "limits.memory_pages" must be a whole number from 1 to 2048`,
		manifest("it", `,"limits":{"http_calls":-1}`):            `field "limits.http_calls" must be a whole number from 0 to 64`,
		manifest("it", `,"net":[]`):                              `field "net" must be a list of 1 to`,
		rule(`,"private":true`):                                  `unknown field "net[0].private"`,
		rule(`,"methods":["CONNECT"]`):                           `field "net[0]" is not a rule: methods: "CONNECT"`,
		rule(`,"path":"v1"`):                                     `field "net[0]" is not a rule: path must begin with /`,
		rule(`,"port":70000`):                                    `field "net[0].port" must be a whole number from 1 to 65535`,
		manifest("it", `,"net":[{"scheme":"ftp","host":"a.b"}]`): `field "net[0]" is not a rule: scheme must be`,
		manifest("it", `,"net":[{"scheme":"https","host":"*.b"}]`):            `wildcards are not allowed`,
		manifest("it", `,"net":[{"scheme":"https"}]`):                         `field "net[0]" is not a rule: host`,
		manifest("it", `,"secrets":[{"ref":"x"}]`):                            `field "secrets[0]" needs ref, header and only_to`,
		manifest("it", `,"kv":{"quota":5,"scope":"house"}`):                   `field "kv.scope" must be one of ["shared" "conversation"]`,
		manifest("it", `,"kv":{"quota":5,"scope":""}`):                        `field "kv.scope" must be one of`,
		manifest("it", `,"kv":{"quota":5,"scop":"shared"}`):                   `unknown field "kv.scop"; the nearest known one is "scope"`,
		manifest("it", `,"kv":{"scope":"conversation"}`):                      `field "kv.quota" is missing`,
		manifest("it", `,"kv":{"quota":5,"scope":"conversation"},"cache":{}`): `field "cache" is not for tools that keep values per conversation`,
		manifest("it", `,"kv":{}`):                                            `field "kv.quota" is missing`,
		manifest("it", `,"deliver":[{"channel":"mail","recipients":["a"]}]`):  `field "deliver" is only for tools whose effects are write or irreversible`,
		manifest("it", `,"deliver":[{"channel":"mail"}]`):                     `field "deliver[0]" needs channel and recipients`,
		manifest("it", `,"env":{"A-B":"1"}`):                                  `field "env.A-B" must be a name`,
		manifest("it", `,"env":{"A":1}`):                                      `field "env" must be an object of at most`,
		manifest("it", `,"cache":{"ttl":"5"}`):                                `field "cache.ttl" must be a duration`,
		manifest("it", `,"cache":{"ttl":"-5s"}`):                              `field "cache.ttl" must be a duration`,
		manifest("it", `,"effects":"write","cache":{}`):                       `field "cache" is only for tools whose effects are read`,
		manifest("it", `,"serve":"http"`):                                     `field "serve" must be one of`,
		`{"tools":[` + manifest("it", `,"serve":"mcp"`) + `]}`:                `unknown field "tools[0].serve"`,
		`{"tools":[],"name":"x"}`:                                             `field "tools" must be a list`,
		`{"name":"x","tools":[` + manifest("it", "") + `]}`:                   `unknown field "name"`,
		`{"tools":[` + manifest("a_b", "") + `,` + manifest("AB", "") + `]}`:  `field "tools[1].name" "AB" is too like "a_b"`,
		manifest("it", `,"title":"`+strings.Repeat("x", 300<<10)+`"`):         `the manifest has`,
	} {
		if _, err := ParseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestNamesAreLettersDigitsAndFewMarks(t *testing.T) {
	long := strings.Repeat("a", 64)
	for name, want := range map[string]struct{ tool, env bool }{
		"get_weather": {true, true}, "Z9": {true, true}, "_": {true, true}, long: {true, true}, "a-b": {true, false}, "9a": {true, false},
		"": {}, "-": {}, "-rf": {}, long + "a": {}, "a b": {}, "a\n": {}, "\na": {}, "a\x00b": {}, "..": {}, "a/b": {}, "a.json": {}, "größe": {}, "a\xff": {}, "a|b": {}, "[a]": {}, "a@b": {},
	} {
		if got := isToolName(name); got != want.tool {
			t.Errorf("%q names a tool: %v", name, got)
		}
		if got := isEnvName(name); got != want.env {
			t.Errorf("%q names a variable: %v", name, got)
		}
	}
}

// FuzzParseManifest holds that whatever is accepted can be used: names that models take, rules that can be compared, and
// the same manifest again when it is read again.
func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(manifest("it", `,"net":[{"scheme":"https","host":"a.example.com","path":"/x*"}],"cache":{"ttl":"5s"}`)))
	f.Add([]byte(`{"tools":[` + manifest("a", `,"limits":{"wall_ms":5},"env":{"A":"b"}`) + `]}`))
	f.Add([]byte(manifest("it", `,"kv":{"quota":5,"scope":"conversation"},"secrets":[{"ref":"a","header":"b","only_to":"c"}]`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		manifests, err := ParseManifest(data)
		if err != nil {
			if len(err.Error()) > 2000+len(data) {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		again, err := ParseManifest(data)
		if err != nil || !reflect.DeepEqual(again, manifests) {
			t.Errorf("read again: %v", err)
		}
		for _, m := range manifests {
			if !isToolName(m.Name) || rank(m.Asks.Effects) < 0 || m.Asks.Confirm == "" || !json.Valid(m.InputSchema) {
				t.Errorf("accepted %+v", m)
			}
			for _, rule := range m.Asks.Net {
				if rule.Private || rule.Port == 0 || len(rule.Methods) == 0 {
					t.Errorf("accepted rule %+v", rule)
				}
			}
		}
	})
}
