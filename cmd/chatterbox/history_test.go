package main

import (
	"encoding/json"
	"testing"

	"chatterbox/runtime/conversation"
)

func TestUsageOfAConversation(t *testing.T) {
	trace := func(usage string) conversation.Turn {
		return conversation.Turn{Trace: json.RawMessage(`{"llm_calls":1,"usage":` + usage + `}`)}
	}
	cheap := trace(`{"prompt_tokens":100,"completion_tokens":10,"estimated_cost_usd":0.25}`)
	for name, c := range map[string]struct {
		turns []conversation.Turn
		want  string
	}{
		"none":               {nil, `{"prompt_tokens":0,"completion_tokens":0,"estimated_cost_usd":0}`},
		"two":                {[]conversation.Turn{cheap, cheap}, `{"prompt_tokens":200,"completion_tokens":20,"estimated_cost_usd":0.5}`},
		"one by rule":        {[]conversation.Turn{cheap, trace(`{"estimated_cost_usd":0}`)}, `{"prompt_tokens":100,"completion_tokens":10,"estimated_cost_usd":0.25}`},
		"one without price":  {[]conversation.Turn{cheap, trace(`{"prompt_tokens":5}`), cheap}, `{"prompt_tokens":205,"completion_tokens":20,"estimated_cost_usd":null}`},
		"one without trace":  {[]conversation.Turn{cheap, {}}, `{"prompt_tokens":100,"completion_tokens":10,"estimated_cost_usd":null}`},
		"one that is broken": {[]conversation.Turn{cheap, trace(`7`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			usage, err := usageOf(c.turns)
			got, _ := json.Marshal(usage)
			if (err != nil) != (c.want == "") || err == nil && string(got) != c.want {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
}
