package page_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"chatterbox/evals/judge"
)

// texts are what a log says. Those of others are anything.
type texts struct {
	model, scenario, said, answer, detail, class, tag, tool string
	noise                                                   int // letters that cannot be compressed, in every answer
}

var plainTexts = texts{"qwen3:8b", "weather", "How is the weather in Bergen?", "It is 9 degrees and raining.", "get_forecast was called", "wrong_tool", "@tools", "get_weather", 0}

// hostileTexts are in every place of a log that is text.
var hostileTexts = texts{
	`</script><script>document.title='run'</script>`, `"><img src=x onerror="document.title='run'">`, "</textarea><!--<svg/onload=document.title='run'>",
	"\u202eright to left\u202c שלום \u2028 ' \" ` ${1} \x00\x1b[31m", `<b style="x">&lt;/script&gt;</b>`, `'"><a href="javascript:document.title='run'">`,
	`@x" onclick="document.title='run'`, `<iframe src="https://example.com/">`, 0,
}

// writeLog writes a log of so many trials: four subjects, among them two that differ in the number of tools, scenarios
// that pass, fail and are flaky, all kinds of turns, transcripts of the usual length.
func writeLog(t testing.TB, trials int, say texts) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log.jsonl")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	encoder := json.NewEncoder(out)
	dice := rand.New(rand.NewPCG(3, 4))
	const repeats = 10
	for i := range trials {
		scenario, subject := i/repeats%max(1, trials/4/repeats), i*4/trials
		one := judge.Trial{
			Subject:  say.model + []string{"/bare tools=4", "/bare tools=20", "/loop", "/workflow"}[subject],
			Scenario: fmt.Sprintf("%s/sky/%d", say.scenario, scenario), Trial: i%repeats + 1, Outcome: judge.Pass, Tags: []string{"@model", say.tag},
			ToolsOffered: []int{4, 20, 1 + scenario%7, 7}[subject], Context: 8192, MS: 300 + 2000*dice.Float64(), FirstTokenMS: 100 + 100*dice.Float64(),
			LLMCalls: 2, PromptTokens: 400 + dice.IntN(300), CompletionTokens: 30 + dice.IntN(50), Fingerprint: "fp_1", Seed: 7, Version: "v1",
			Sampling: map[string]any{"temperature": 0.7},
		}
		cost := 0.0002
		if subject < 2 {
			one.CostUSD = &cost
		}
		call := map[string]any{"role": "tool", "name": say.tool, "arguments": map[string]any{"location": say.said}, "result": map[string]any{"text": fmt.Sprint(say.answer, dice.IntN(1e9))}, "round": 1}
		messages := []any{map[string]any{"role": "user", "content": fmt.Sprint(say.said, " ", dice.IntN(1e6))}}
		for range []int{1, 0, 2, 1}[i%4] {
			messages = append(messages, call)
		}
		if i%16 == 3 {
			call["cached"] = true
		}
		noise := make([]byte, say.noise)
		for i := range noise {
			noise[i] = byte('0' + dice.IntN(64))
		}
		messages = append(messages, map[string]any{"role": "assistant", "content": fmt.Sprint(say.answer, " ", dice.IntN(1e9), string(noise))})
		switch share := dice.Float64(); {
		case share < []float64{.15, .6, .1, .02}[subject]:
			one.Outcome, one.Class, one.Detail = judge.Fail, []string{say.class, "no_call", "wrong_arguments"}[dice.IntN(3)], say.detail
		case share > .99:
			one.Outcome, one.Detail = judge.Error, say.detail
		case share > .98:
			one.Outcome, one.Class = judge.Excluded, "context_truncated"
		}
		if one.Messages, err = json.Marshal(messages); err != nil {
			t.Fatal(err)
		}
		one.Expected = json.RawMessage(`[{"calls":[{"tool":"get_weather"}]}]`)
		if err := encoder.Encode(one); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	return name
}
