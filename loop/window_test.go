package loop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatterbox/loop"
)

// longRequest has a system message, turns and a last text, and tools of about the same size each.
func longRequest(turns, tools int) loop.Request {
	request := loop.Request{Messages: []loop.Message{{Role: loop.System, Content: "Be brief."}}}
	for i := range turns {
		request.Messages = append(request.Messages,
			loop.Message{Role: loop.User, Content: fmt.Sprintf("question %d: %s", i, strings.Repeat("why is that ", 20))},
			loop.Message{Role: loop.Assistant, Content: fmt.Sprintf("answer %d: %s", i, strings.Repeat("it has always been ", 20))})
	}
	request.Messages = append(request.Messages, loop.Message{Role: loop.User, Content: "and now?"})
	for i := range tools {
		request.Tools = append(request.Tools, loop.Tool{
			Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("does something useful ", 20), Parameters: json.RawMessage(`{"type":"object"}`),
		})
	}
	return request
}

func toolNames(tools []loop.Tool) []string {
	out := []string{}
	for _, tool := range tools {
		out = append(out, tool.Name)
	}
	return out
}

func TestFitLeavesOutTurnsBeforeTools(t *testing.T) {
	request := longRequest(4, 3)
	expendable := []string{"tool_2", "tool_0"}
	all := loop.EstimateTokens("m", request)
	noTurns := loop.EstimateTokens("m", longRequest(0, 3))
	turn := (all - noTurns) / 4
	tool := noTurns - loop.EstimateTokens("m", longRequest(0, 2))
	for name, c := range map[string]struct {
		prompt   int
		messages int
		tools    []string
	}{
		"no limit":                     {0, 0, []string{"tool_0", "tool_1", "tool_2"}},
		"all fits":                     {all, 0, []string{"tool_0", "tool_1", "tool_2"}},
		"the oldest turn goes":         {all - turn/2, 2, []string{"tool_0", "tool_1", "tool_2"}},
		"two turns go":                 {all - turn - turn/2, 4, []string{"tool_0", "tool_1", "tool_2"}},
		"all turns, then a tool":       {noTurns - tool/2, 8, []string{"tool_0", "tool_1"}},
		"all that may go":              {noTurns - tool - tool/2, 8, []string{"tool_1"}},
		"what has to stay is too much": {1, 8, []string{"tool_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, left := loop.Window{Model: "m", Prompt: c.prompt}.Fit(request, expendable)
			if left.Messages != c.messages || !slices.Equal(toolNames(got.Tools), c.tools) {
				t.Errorf("left out %+v, kept %v; want %d messages out and %v kept", left, toolNames(got.Tools), c.messages, c.tools)
			}
			if left.Any() != (c.messages > 0) {
				t.Errorf("Any is %v", left.Any())
			}
			if got.Messages[0].Role != loop.System || got.Messages[len(got.Messages)-1].Content != "and now?" {
				t.Errorf("the ends of the prompt are gone: %v", got.Messages)
			}
			if len(got.Messages) > 2 && got.Messages[1].Role != loop.User {
				t.Errorf("a turn was left half: %v", got.Messages[1])
			}
		})
	}
	if loop.EstimateTokens("m", request) != all {
		t.Error("Fit changed what it was given")
	}
}

// TestFitKeepsWhatMustStay tries windows of any size on prompts of any shape.
func TestFitKeepsWhatMustStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := longRequest(rapid.IntRange(0, 10).Draw(t, "turns"), rapid.IntRange(0, 10).Draw(t, "tools"))
		names := toolNames(request.Tools)
		expendable := names[:rapid.IntRange(0, len(names)).Draw(t, "expendable")]
		window := loop.Window{Model: "qwen3", Tokens: rapid.IntRange(0, 5000).Draw(t, "window"), Prompt: rapid.IntRange(0, 5000).Draw(t, "prompt")}
		got, left := window.Fit(request, expendable)
		limit := window.PromptTokens()
		fits := limit == 0 || loop.EstimateTokens(window.Model, got) <= limit+1
		minimal := len(got.Messages) == 2 && len(left.Tools) == len(expendable)
		if !fits && !minimal {
			t.Fatalf("%d tokens do not fit into %d, and %v is not all that can go", loop.EstimateTokens(window.Model, got), limit, left)
		}
		if len(left.Tools) > 0 && len(got.Messages) != 2 {
			t.Fatalf("tools went before turns: %v", left)
		}
		if gone := len(left.Tools); gone > 0 {
			one := slices.IndexFunc(request.Tools, func(tool loop.Tool) bool { return tool.Name == left.Tools[gone-1] })
			more := got
			more.Tools = append(slices.Clone(got.Tools), request.Tools[one])
			if tokens := loop.EstimateTokens(window.Model, more); tokens < limit {
				t.Fatalf("%s would have fitted: %d tokens of %d", left.Tools[gone-1], tokens, limit)
			}
		}
		if len(got.Messages)+left.Messages != len(request.Messages) || len(got.Tools)+len(left.Tools) != len(request.Tools) {
			t.Fatalf("%v does not say what is gone", left)
		}
		for _, name := range names[len(expendable):] {
			if !slices.Contains(toolNames(got.Tools), name) {
				t.Fatalf("%s had to stay", name)
			}
		}
	})
}

func TestWindowLeavesRoomForTheAnswer(t *testing.T) {
	for _, c := range []struct{ tokens, prompt, want int }{
		{0, 0, 0}, {0, 700, 700}, {4096, 0, 3072}, {4096, 2000, 2000}, {4096, 4000, 3072}, {131072, 0, 129024}, {256, 0, 128}, {100, 0, 1},
	} {
		if got := (loop.Window{Tokens: c.tokens, Prompt: c.prompt}).PromptTokens(); got != c.want {
			t.Errorf("of %d and %d the prompt may have %d, want %d", c.tokens, c.prompt, got, c.want)
		}
	}
}

func TestFindCut(t *testing.T) {
	large := longRequest(20, 20)
	estimate := loop.EstimateTokens("m", large)
	if estimate < 2500 {
		t.Fatalf("the large request has only %d tokens", estimate)
	}
	for name, c := range map[string]struct {
		prompt, completion int
		cut                bool
		window             int
	}{
		"about what was estimated":             {estimate * 3 / 4, 20, false, 0},
		"more than was estimated":              {estimate * 2, 20, false, 0},
		"far below the estimate":               {estimate/2 - 1, 20, true, 0},
		"so little that it is no count of all": {511, 20, false, 0},
		"the least that is believed":           {512, 20, true, 0},
		"no count":                             {0, 20, false, 0},
		"prompt and answer fill 2048":          {2000, 48, true, 2048},
		"prompt and answer fill 4096":          {193, 3903, true, 4096},
		"prompt and answer fill 8192":          {8000, 192, true, 8192},
		"one token beside a window":            {estimate*3/4 + 1, 1, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			cut, found := loop.FindCut("m", large, loop.Usage{PromptTokens: c.prompt, CompletionTokens: c.completion})
			if found != c.cut || cut.Window != c.window {
				t.Fatalf("found %v, %+v", found, cut)
			}
			if !found {
				return
			}
			if again := cut.Narrowed().PromptTokens(); again <= 0 || again >= cut.Estimated {
				t.Errorf("it is asked again with %d of %d tokens", again, cut.Estimated)
			}
			if text := cut.String(); !strings.Contains(text, "num_ctx") || !strings.Contains(text, "models[].context") {
				t.Errorf("%q does not say what to set", text)
			}
		})
	}
}

func TestEstimateKnowsFamiliesAndScripts(t *testing.T) {
	estimate := func(model, text string) int {
		return loop.EstimateTokens(model, loop.Request{Messages: []loop.Message{{Role: loop.User, Content: text}}}) -
			loop.EstimateTokens(model, loop.Request{Messages: []loop.Message{{Role: loop.User}}})
	}
	english := strings.Repeat("It is warm outside today and the sky is clear. ", 20)
	for _, model := range []string{"gpt-4o-mini", "gpt-oss:20b", "qwen3:8b", "llama3.2", "mistral:7b", "claude-haiku-4-5", "gemma3", "unheard-of"} {
		if got := len(english) / estimate(model, english); got < 3 || got > 5 {
			t.Errorf("%s: %d English characters a token", model, got)
		}
		if chinese := strings.Repeat("今天外面很暖和", 20); estimate(model, chinese) < 2*estimate(model, english[:len([]rune(chinese))]) {
			t.Errorf("%s: Chinese counts hardly more than English", model)
		}
	}
	if small, large := estimate("llama2:7b", english), estimate("gpt-4o", english); small <= large {
		t.Errorf("%d tokens with a small vocabulary, %d with a large one", small, large)
	}
}
