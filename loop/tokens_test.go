package loop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop"
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
		eachLine(t, filepath.Join(folder, strings.TrimSuffix(filepath.Base(name), "_result.json")+".json"), func(line []byte) {
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
		eachLine(t, name, func(line []byte) {
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

func eachLine(t *testing.T, name string, f func([]byte)) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
