package route_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"chatterbox/loop/looptest"
	"chatterbox/loop/route"
	"chatterbox/loop/toolcall"
)

// question is an entry of the leaderboard's categories with several functions, with the one that answers it.
type question struct {
	ID    string
	Text  string
	Tools []toolcall.Tool
	Right string
}

func questions(t testing.TB, folder, category string) []question {
	t.Helper()
	name := "BFCL_v4_" + category + ".json"
	right := map[string]string{}
	looptest.EachLine(t, filepath.Join(folder, "possible_answer", name), func(line []byte) {
		var answer struct {
			ID    string                       `json:"id"`
			Truth []map[string]json.RawMessage `json:"ground_truth"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for function := range answer.Truth[0] {
			right[answer.ID] = function
		}
	})
	var out []question
	looptest.EachLine(t, filepath.Join(folder, name), func(line []byte) {
		var entry struct {
			ID       string `json:"id"`
			Question [][]struct{ Role, Content string }
			Function []struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		q := question{ID: entry.ID, Right: right[entry.ID]}
		for _, message := range entry.Question[0] {
			if message.Role == "user" {
				q.Text += message.Content + "\n"
			}
		}
		for _, f := range entry.Function {
			q.Tools = append(q.Tools, toolcall.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
		}
		out = append(out, q)
	})
	return out
}

// crowd is the question's own functions among distractors from the other questions, size in all, in a random order.
func crowd(r *rand.Rand, all []question, own question, size int) []toolcall.Tool {
	tools := slices.Clone(own.Tools)
	taken := map[string]bool{}
	for _, tool := range tools {
		taken[tool.Name] = true
	}
	for len(tools) < size {
		from := all[r.IntN(len(all))]
		tool := from.Tools[r.IntN(len(from.Tools))]
		if !taken[tool.Name] {
			taken[tool.Name] = true
			tools = append(tools, tool)
		}
	}
	r.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
	return tools
}

var seeds = flag.Int("route.seeds", 0, "how often TestRightToolIsOffered draws distractors for each question; 0 is once for some two hundred of a category")

const (
	crowdSize      = 31
	offered        = 7
	wanted         = 0.97
	quickQuestions = 200
)

// TestRightToolIsOffered counts how often the right tool is among those offered, beside plain TF-IDF on the same draws.
// The questions are not part of the tree: BFCL_DATA names their folder, or it lies beside the tree.
func TestRightToolIsOffered(t *testing.T) {
	folder := os.Getenv("BFCL_DATA")
	if folder == "" {
		folder = "../../../shared/data/bfcl"
		if _, err := os.Stat(folder); err != nil {
			t.Skip("BFCL_DATA names no folder with the leaderboard's data")
		}
	}
	for _, category := range []string{"multiple", "live_multiple"} {
		t.Run(category, func(t *testing.T) {
			t.Parallel()
			all := questions(t, folder, category)
			asked := all
			if *seeds == 0 {
				asked = nil
				for i := 0; i < len(all); i += max(len(all)/quickQuestions, 1) {
					asked = append(asked, all[i])
				}
			}
			for seed := range max(*seeds, 1) {
				r := rand.New(rand.NewPCG(uint64(seed), 0))
				plain, ours := 0, 0
				for _, q := range asked {
					tools := crowd(r, all, q, crowdSize)
					if slices.Contains(plainTFIDF(tools, q.Text)[:offered], q.Right) {
						plain++
					}
					if slices.Contains(route.NewIndex(tools).Choose(q.Text, offered, nil, nil).Tools, q.Right) {
						ours++
					} else {
						t.Logf("missed %s %s: %.80s", q.ID, q.Right, q.Text)
					}
				}
				n := float64(len(asked))
				t.Logf("%-14s seed %d  n %d  plain TF-IDF recall@%d %.4f  ours %.4f", category, seed, len(asked), offered, float64(plain)/n, float64(ours)/n)
				if float64(ours)/n < wanted || ours <= plain {
					t.Errorf("%d of %d, plain TF-IDF %d: want %.0f %% and more than it", ours, len(asked), plain, 100*wanted)
				}
			}
		})
	}
}

// plainTFIDF ranks by the cosine of TF-IDF vectors over all words of name, description and schema.
func plainTFIDF(tools []toolcall.Tool, text string) []string {
	documents := make([]map[string]float64, len(tools))
	frequency := map[string]float64{}
	for i, tool := range tools {
		documents[i] = countWords(tool.Name + " " + tool.Description + " " + string(tool.Parameters))
		for word := range documents[i] {
			frequency[word]++
		}
	}
	query := countWords(text)
	scores := map[string]float64{}
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
		norm := 0.0
		for _, word := range slices.Sorted(maps.Keys(documents[i])) {
			idf := math.Log((1+float64(len(tools)))/(1+frequency[word])) + 1
			weight := documents[i][word] * idf
			norm += weight * weight
			scores[tool.Name] += query[word] * idf * weight
		}
		scores[tool.Name] /= math.Sqrt(norm)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return names
}

func countWords(text string) map[string]float64 {
	counts := map[string]float64{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		counts[word]++
	}
	return counts
}
