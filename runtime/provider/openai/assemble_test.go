package openai

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"chatterbox/loop"
)

// assemble runs events through the parts that a stream runs through, without a network.
func assemble(lines []string, max int) (loop.Completion, string, error) {
	var given strings.Builder
	a := newAssembler(max, func(s string) { given.WriteString(s) })
	for _, line := range lines {
		c, err := decodeChunk([]byte(line))
		if err != nil {
			return loop.Completion{}, given.String(), err
		}
		if err := a.add(c); err != nil {
			return loop.Completion{}, given.String(), err
		}
	}
	completion, err := a.completion("mock")
	return completion, given.String(), err
}

func delta(toolCalls ...string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + strings.Join(toolCalls, ",") + `]}}]}`
}

func TestCallsAreToldApart(t *testing.T) {
	read := func(id, path string) loop.Call {
		return loop.Call{ID: id, Name: "read", Arguments: `{"path":"` + path + `"}`}
	}
	tests := map[string]struct {
		lines []string
		want  []loop.Call
	}{
		"one call in pieces": {
			[]string{delta(`{"index":0,"id":"a","function":{"name":"read","arguments":""}}`), delta(`{"index":0,"function":{"arguments":"{\"path\":"}}`), delta(`{"index":0,"function":{"arguments":"\"x\"}"}}`)},
			[]loop.Call{read("a", "x")},
		},
		"id, name and type come again with every piece": {
			[]string{delta(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":"}}`), delta(`{"index":0,"id":"a","function":{"name":"read","arguments":"\"x\"}"}}`)},
			[]loop.Call{read("a", "x")},
		},
		"empty names and ids in later pieces": {
			[]string{delta(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":"}}`), delta(`{"index":0,"id":"","function":{"name":"","arguments":"\"x\"}"}}`)},
			[]loop.Call{read("a", "x")},
		},
		"index always 0, other ids": {
			[]string{delta(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"x\"}"}}`), delta(`{"index":0,"id":"b","function":{"name":"read","arguments":"{\"path\":\"y\"}"}}`)},
			[]loop.Call{read("a", "x"), read("b", "y")},
		},
		"index always 0, no ids: complete arguments end a call": {
			[]string{delta(`{"index":0,"function":{"name":"read","arguments":"{\"path\":\"x\"}"}}`), delta(`{"index":0,"function":{"name":"read","arguments":"{\"path\":\"y\"}"}}`)},
			[]loop.Call{read("", "x"), read("", "y")},
		},
		"index always 0, no ids, other names": {
			[]string{delta(`{"index":0,"function":{"name":"write","arguments":""}}`), delta(`{"index":0,"function":{"name":"read","arguments":"{\"path\":\"y\"}"}}`)},
			[]loop.Call{{Name: "write"}, read("", "y")},
		},
		"no index, in one event": {
			[]string{delta(`{"id":"a","function":{"name":"read","arguments":"{\"path\":\"x\"}"}}`, `{"id":"b","function":{"name":"read","arguments":"{\"path\":\"y\"}"}}`)},
			[]loop.Call{read("a", "x"), read("b", "y")},
		},
		"the first index is 1": {
			[]string{delta(`{"index":1,"id":"a","function":{"name":"read","arguments":"{\"path\":"}}`), delta(`{"index":1,"function":{"arguments":"\"x\"}"}}`)},
			[]loop.Call{read("a", "x")},
		},
		"pieces in turns": {
			[]string{
				delta(`{"index":0,"id":"a","function":{"name":"read","arguments":""}}`), delta(`{"index":1,"id":"b","function":{"name":"read","arguments":""}}`),
				delta(`{"index":0,"function":{"arguments":"{\"path\":"}}`), delta(`{"index":1,"function":{"arguments":"{\"path\":"}}`),
				delta(`{"index":1,"function":{"arguments":"\"y\"}"}}`), delta(`{"index":0,"function":{"arguments":"\"x\"}"}}`),
			},
			[]loop.Call{read("a", "x"), read("b", "y")},
		},
		"a ghost without id and name after a complete call is dropped": {
			[]string{delta(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"x\"}"}}`), delta(`{"index":1,"id":"","function":{"name":"","arguments":"{\"path\":\"x\"}"}}`)},
			[]loop.Call{read("a", "x")},
		},
		"a ghost after an incomplete call continues it": {
			[]string{delta(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":"}}`), delta(`{"index":1,"id":"","function":{"name":"","arguments":"\"x\"}"}}`)},
			[]loop.Call{read("a", "x")},
		},
		"a ghost alone is dropped": {
			[]string{delta(`{"index":0,"id":"","function":{"name":"","arguments":"{}"}}`)}, nil,
		},
		"index as a string, id as a number, arguments as an object": {
			[]string{delta(`{"index":"0","id":7,"function":{"name":"read","arguments":{"path":"x"}}}`)},
			[]loop.Call{read("7", "x")},
		},
		"null everywhere": {
			[]string{delta(`{"index":null,"id":null,"function":{"name":"now","arguments":null}}`)},
			[]loop.Call{{Name: "now"}},
		},
		"the form before tool_calls": {
			[]string{`{"choices":[{"delta":{"function_call":{"name":"read","arguments":"{\"path\":"}}}]}`, `{"choices":[{"delta":{"function_call":{"arguments":"\"x\"}"}}}]}`},
			[]loop.Call{read("", "x")},
		},
		"two objects under one name are kept for the loop to refuse": {
			[]string{delta(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"x\"}"}}`), delta(`{"index":0,"function":{"arguments":"{\"path\":\"y\"}"}}`)},
			[]loop.Call{{ID: "a", Name: "read", Arguments: `{"path":"x"}{"path":"y"}`}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, _, err := assemble(test.lines, 1000)
			if err != nil || !reflect.DeepEqual(got.ToolCalls, test.want) {
				t.Errorf("got %+v, %v", got.ToolCalls, err)
			}
		})
	}
}

func TestText(t *testing.T) {
	tests := map[string]struct {
		lines   []string
		content string
		finish  string
	}{
		"pieces":                           {[]string{`{"choices":[{"delta":{"content":"Good "}}]}`, `{"choices":[{"delta":{"content":"day"},"finish_reason":"stop"}]}`}, "Good day", "stop"},
		"null and empty pieces":            {[]string{`{"choices":[{"delta":{"role":"assistant","content":null}}]}`, `{"choices":[{"delta":{"content":""},"finish_reason":null}]}`}, "", ""},
		"a list of parts":                  {[]string{`{"choices":[{"message":{"content":[{"type":"text","text":"Good "},{"type":"text","text":"day"}]}}]}`}, "Good day", ""},
		"only the first choice counts":     {[]string{`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`}, "yes", ""},
		"thoughts are no content":          {[]string{`{"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm","content":"yes"}}]}`}, "yes", ""},
		"a rune cut in two":                {[]string{"{\"choices\":[{\"delta\":{\"content\":\"caf\xc3\"}}]}", "{\"choices\":[{\"delta\":{\"content\":\"\xa9!\"}}]}"}, "café!", ""},
		"a rune cut in four":               {[]string{"{\"choices\":[{\"delta\":{\"content\":\"\xf0\"}}]}", "{\"choices\":[{\"delta\":{\"content\":\"\x9f\"}}]}", "{\"choices\":[{\"delta\":{\"content\":\"\x99\"}}]}", "{\"choices\":[{\"delta\":{\"content\":\"\x82\"}}]}"}, "🙂", ""},
		"a rune that is never finished":    {[]string{"{\"choices\":[{\"delta\":{\"content\":\"caf\xc3\"}}]}"}, "caf\uFFFD", ""},
		"a byte that begins no rune":       {[]string{"{\"choices\":[{\"delta\":{\"content\":\"a\xa9b\"}}]}"}, "a\uFFFDb", ""},
		"an error that is null is none":    {[]string{`{"error":null,"choices":[{"delta":{"content":"yes"}}]}`}, "yes", ""},
		"a finish_reason in the last text": {[]string{`{"choices":[{"delta":{"content":"yes"},"finish_reason":"length"}]}`}, "yes", "length"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, given, err := assemble(test.lines, 1000)
			if err != nil || got.Content != test.content || given != test.content || got.FinishReason != test.finish || got.Model != "mock" {
				t.Errorf("got %+v, deltas %q, %v", got, given, err)
			}
		})
	}
}

func TestAssemblerIsBounded(t *testing.T) {
	text := `{"choices":[{"delta":{"content":"` + strings.Repeat("a", 100) + `"}}]}`
	var calls, arguments []string
	for range 2000 {
		calls = append(calls, delta(`{"function":{"name":"f","arguments":"{}"}}`))
		arguments = append(arguments, delta(`{"function":{"name":"f","arguments":"{{{{{{{{{{"}}`))
	}
	for name, lines := range map[string][]string{"text": times(text, 20), "calls": calls, "arguments": arguments} {
		var failure *loop.Error
		if _, _, err := assemble(lines, 1000); !errors.As(err, &failure) || failure.Kind != loop.KindAPI || !strings.Contains(failure.Message, "too large") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func times(s string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

func TestUsage(t *testing.T) {
	got, _, err := assemble([]string{`{"choices":[{"delta":{}}]}`, `{"choices":[],"usage":{"prompt_tokens":12.0,"completion_tokens":3}}`, `{"choices":[],"usage":null}`}, 10)
	if err != nil || got.Usage != (loop.Usage{PromptTokens: 12, CompletionTokens: 3}) {
		t.Errorf("%+v, %v", got.Usage, err)
	}
	got, _, err = assemble([]string{`{"choices":[{"delta":{}}],"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}`}, 10)
	if err != nil || got.Usage != (loop.Usage{}) {
		t.Errorf("%+v, %v", got.Usage, err)
	}
}
