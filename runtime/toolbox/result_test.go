package toolbox

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"chatterbox/loop"
)

func TestReadResult(t *testing.T) {
	for output, want := range map[string]loop.Result{
		" {\"a\": 1}\n":      {Content: `{"a":1}`},
		`[1, 2]`:             {Content: `[1,2]`},
		`"text"`:             {Content: `"text"`},
		`5`:                  {Content: `5`},
		`null`:               {Content: `null`},
		"It is <b>late</b>.": {Content: `{"text":"It is <b>late</b>."}`},
		`{"a":1} {"b":2}`:    {Content: `{"text":"{\"a\":1} {\"b\":2}"}`},
		"two\nlines":         {Content: `{"text":"two\nlines"}`},
		`{"error":"Location not found: 'Narnia'"}`: {Content: `{"error":"Location not found: 'Narnia'"}`, Failed: true},
		`{"zone":"UTC","error":"Unknown"}`:         {Content: `{"zone":"UTC","error":"Unknown"}`, Failed: true},
		`{"inner":{"error":"x"}}`:                  {Content: `{"inner":{"error":"x"}}`},
		``:                                         {Content: `{"error":"The tool wrote no result."}`, Failed: true},
		" \n":                                      {Content: `{"error":"The tool wrote no result."}`, Failed: true},
		"\xff\xfe":                                 {Content: `{"error":"The tool wrote a result that is not UTF-8."}`, Failed: true},
	} {
		if got := readResult([]byte(output), false, 1000); got != want {
			t.Errorf("%q: %+v, want %+v", output, got, want)
		}
	}
}

func TestCutOutputIsText(t *testing.T) {
	for output, want := range map[string]string{
		`{"a":[1,2,`: `{"text":"{\"a\":[1,2,","truncated":true}`,
		`123`:        `{"text":"123","truncated":true}`, // it may have been 1234
	} {
		if got := readResult([]byte(output), true, 1000); got.Content != want || got.Failed {
			t.Errorf("%q: %+v, want %s", output, got, want)
		}
	}
}

func FuzzReadResult(f *testing.F) {
	f.Add([]byte(`{"a":1}`), false, uint16(100))
	f.Add([]byte(strings.Repeat("\"\\é\x01", 40)), true, uint16(90))
	f.Fuzz(func(t *testing.T, output []byte, truncated bool, bound uint16) {
		bytesMax := int(bound) + 64
		if len(output) > bytesMax {
			output = output[:bytesMax] // as the worker cuts
		}
		got := readResult(output, truncated, bytesMax)
		if !json.Valid([]byte(got.Content)) || !utf8.ValidString(got.Content) || len(got.Content) > bytesMax {
			t.Fatalf("%q within %d: %q", output, bytesMax, got.Content)
		}
	})
}

func TestTextIsCutAtACharacter(t *testing.T) {
	whole := strings.Repeat("é\"", 100)
	for bytesMax := 64; bytesMax < 120; bytesMax++ {
		content := textResult(whole, false, bytesMax)
		var got struct {
			Text      string
			Truncated bool
		}
		if err := json.Unmarshal([]byte(content), &got); err != nil || !got.Truncated || !strings.HasPrefix(whole, got.Text) ||
			len(content) > bytesMax || len(content) < bytesMax-8 {
			t.Errorf("within %d: %s, %v", bytesMax, content, err)
		}
	}
}
