package loop_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop"
	"chatterbox/loop/looptest"
)

// TestEstimateAgreesWithAServersCount compares the estimate with what a server counted for a thousand prompts of
// gpt-oss. They are not part of the tree: BFCL_DATA names their folder, or it lies beside the tree.
func TestEstimateAgreesWithAServersCount(t *testing.T) {
	folder := os.Getenv("BFCL_DATA")
	if folder == "" {
		folder = "../../shared/data/bfcl"
	}
	results, err := filepath.Glob(filepath.Join(folder, "sample", "BFCL_v*_result.json"))
	if err != nil || len(results) == 0 {
		if os.Getenv("BFCL_DATA") != "" {
			t.Fatalf("BFCL_DATA names a folder without sample/BFCL_v*_result.json: %v", err)
		}
		t.Skip("BFCL_DATA names no folder with the leaderboard's data")
	}
	var ratios []float64
	for _, name := range results {
		requests := map[string]loop.Request{}
		looptest.EachLine(t, filepath.Join(folder, strings.TrimSuffix(filepath.Base(name), "_result.json")+".json"), func(line []byte) {
			var entry struct {
				ID       string
				Question [][]loop.Message
				Function []loop.Tool
			}
			if err := json.Unmarshal(line, &entry); err != nil {
				t.Fatal(err)
			}
			requests[entry.ID] = loop.Request{Messages: entry.Question[0], Tools: entry.Function}
		})
		looptest.EachLine(t, name, func(line []byte) {
			var result struct {
				ID    string
				Count *int `json:"input_token_count"`
			}
			if json.Unmarshal(line, &result) != nil || result.Count == nil {
				return // what the server refused has no count
			}
			// The server's own system message has about ninety tokens.
			ratios = append(ratios, float64(loop.EstimateTokens("openai/gpt-oss-120b", requests[result.ID]))/float64(*result.Count-90))
		})
	}
	slices.Sort(ratios)
	n := len(ratios)
	t.Logf("estimate/count of %d prompts: least %.2f, 5 %% below %.2f, median %.2f, 95 %% below %.2f, most %.2f",
		n, ratios[0], ratios[n/20], ratios[n/2], ratios[n-n/20], ratios[n-1])
	if n < 1000 || ratios[n/2] < 0.9 || ratios[n/2] > 1.1 || ratios[n/20] < 0.67 || ratios[n-n/20] > 1.5 {
		t.Errorf("the estimate is off")
	}
	if ratios[n-1] > 1.9 {
		t.Errorf("a prompt of which all was read would be taken for a cut one")
	}
}

// TestEstimateKnowsTheVocabularyOfAFamily compares the estimate with what the published vocabularies count, and holds
// that the figures of no other family would be nearer.
func TestEstimateKnowsTheVocabularyOfAFamily(t *testing.T) {
	var texts []struct {
		Name, Text string
		Tokens     map[string]int // by vocabulary
	}
	data, err := os.ReadFile("testdata/tokens.json")
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil || len(texts) < 16 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	models := map[string][]string{
		"o200k_base": {"gpt-4o-mini", "openai/gpt-4.1", "gpt-5-nano", "chatgpt-4o-latest"}, "cl100k_base": {"gpt-4-turbo", "gpt-3.5-turbo", "phi4:14b", "microsoft/phi-4"},
		"Llama 2": {"llama2:7b", "meta/Llama-2-7b-chat", "tinyllama", "phi3:mini", "vicuna:13b"}, "Qwen3": {"qwen3:8b", "Qwen/QwQ-32B", "qwen2.5-coder"},
		"Gemma 3": {"gemma3:4b", "gemini-2.5-flash"}, "Claude 2": {"claude-haiku-4-5"}, // newer ones are not published
	}
	none := loop.Request{Messages: []loop.Message{{Role: loop.User}}}
	for vocabulary, own := range models {
		nearest, least := "", math.Inf(1)
		for other, names := range models {
			for _, model := range names {
				var off float64
				for _, text := range texts {
					request := loop.Request{Messages: []loop.Message{{Role: loop.User, Content: text.Text}}}
					ratio := float64(loop.EstimateTokens(model, request)-loop.EstimateTokens(model, none)) / float64(text.Tokens[vocabulary])
					if other == vocabulary && (ratio < 0.55 || ratio > 1.5) {
						t.Errorf("%s: the estimate is %.2f of the count for %s", model, ratio, text.Name)
					}
					off += math.Abs(math.Log(ratio)) / float64(len(texts))
				}
				if other == vocabulary && off > 0.2 {
					t.Errorf("%s: the estimate is off by a factor of %.2f", model, math.Exp(off))
				}
				if off < least {
					nearest, least = model, off
				}
			}
		}
		if !slices.Contains(own, nearest) {
			t.Errorf("nearest to the counts of %s is the estimate for %s", vocabulary, nearest)
		}
		t.Logf("%s: off by a factor of %.2f", vocabulary, math.Exp(least))
	}
}
