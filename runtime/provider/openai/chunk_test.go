package openai

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDecodeChunk holds that an event is read as encoding/json reads it.
func FuzzDecodeChunk(f *testing.F) {
	for _, event := range []string{
		`{"id":"1","created":1771598100,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"It is "},"finish_reason":null}]}`,
		`{"choices":[{"index":"1","delta":{"tool_calls":[{"index":null,"id":5,"function":{"name":"now","arguments":{"zone":"Asia\/Tok\u00e9\ud83d\ude00"}}}]}}]}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}],"function_call":{"name":"x","arguments":"{\"a\":1}"}},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":1e1,"completion_tokens":20.0}}`,
		`{"error":{"message":"x"}}`, `{"error":null,"Model":"x","CHOICES":[]}`, `{"model":"a","model":"b"}`, "{\"model\":\"a\x01\"}",
		`{"usage":{"prompt_tokens":01}}`, `{"a":[[[[1,2,{"b":"\ud800"}]]]]} `, `null`, `[]`, `{"choices":null}`, `{} {}`,
	} {
		f.Add([]byte(event))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return // is escaped first
		}
		var want chunk
		wantErr := json.Unmarshal(data, &want)
		got, err := decodeChunk(data)
		switch {
		case wantErr == nil && hasError(want.Error):
			if err == nil {
				t.Errorf("%q: no error", data)
			}
		case (err == nil) != (wantErr == nil):
			t.Errorf("%q: %v, want %v", data, err, wantErr)
		case err == nil && !reflect.DeepEqual(got, want):
			t.Errorf("%q: %+v, want %+v", data, got, want)
		}
	})
}

func TestADeepEventTakesNoDeepStack(t *testing.T) {
	deep := `{"choices":[{"delta":{"content":` + strings.Repeat("[", 400_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := decodeChunk([]byte(deep)); err == nil {
		t.Error("half an event was read")
	}
	runtime.ReadMemStats(&after)
	if grown := after.StackSys - min(before.StackSys, after.StackSys); grown > 16<<20 {
		t.Errorf("the stacks grew by %d bytes", grown)
	}
}
