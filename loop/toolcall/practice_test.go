package toolcall_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop/toolcall"
)

// practiceFile has outputs of real models with what each means. It is read where it lies beside the tree;
// testdata/outputs.jsonl has its forms and is always read.
const practiceFile = "../../../shared/data/decode/practice.jsonl"

// sample is a line of it, or of the small one that is committed.
type sample struct {
	ID        string `json:"id"`
	Content   string `json:"content"`
	ToolCalls []struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"tool_calls"`
	FinishReason string `json:"finish_reason"`
	Tools        []struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"tools"`
	Want struct {
		Calls []struct {
			Name      string `json:"name"`
			Arguments any    `json:"arguments"`
		} `json:"calls"`
		Reject bool `json:"reject"`
		Text   bool `json:"text"`
	} `json:"want"`
	Style string `json:"style"`
}

func TestOutputsMeanWhatIsWanted(t *testing.T) {
	files := []string{"testdata/outputs.jsonl"}
	if found, _ := filepath.Glob(practiceFile); len(found) > 0 {
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			wanted, exact := 0, 0
			missed := map[string]int{}
			for _, s := range samples(t, file) {
				got := toolcall.Decode(s.answer())
				runs := runnable(got, s.offered())
				switch {
				case s.Want.Calls == nil && len(runs) > 0:
					t.Errorf("%s (%s) runs %+v", s.ID, s.Style, runs)
				case s.Want.Reject && len(got.Calls) == 0:
					missed[s.Style+", nothing to hand back"]++
				case s.Want.Text && len(got.Calls) > 0:
					missed[s.Style+", handed back"]++
				}
				if s.Want.Calls == nil {
					continue
				}
				wanted++
				if s.same(runs) {
					exact++
					continue
				}
				missed[s.Style]++
				t.Logf("%s (%s) %q gives %+v", s.ID, s.Style, s.Content, got)
			}
			for _, style := range slices.Sorted(maps.Keys(missed)) {
				t.Logf("%4d of %s", missed[style], style)
			}
			t.Logf("%d of %d lines that want calls get exactly those", exact, wanted)
			if exact*1000 < wanted*995 || wanted == 0 {
				t.Error("that is less than 99.5 %")
			}
		})
	}
}

// runnable are the calls that would be run where only the offered tools can be.
func runnable(decoded toolcall.Decoded, offered []toolcall.Tool) []toolcall.Call {
	var runs []toolcall.Call
	for _, call := range decoded.Calls {
		if call.Rejected == "" && call.Objection(offered) == "" {
			runs = append(runs, call)
		}
	}
	return runs
}

func (s sample) offered() []toolcall.Tool {
	tools := make([]toolcall.Tool, len(s.Tools))
	for i, tool := range s.Tools {
		tools[i] = toolcall.Tool{Name: tool.Name, Parameters: tool.Parameters}
	}
	return tools
}

func (s sample) answer() (toolcall.Answer, []toolcall.Tool) {
	answer := toolcall.Answer{Content: s.Content, Truncated: s.FinishReason == "length"}
	for _, call := range s.ToolCalls {
		written := string(call.Arguments)
		if text := ""; json.Unmarshal(call.Arguments, &text) == nil {
			written = text
		}
		answer.Calls = append(answer.Calls, toolcall.Call{ID: call.ID, Name: call.Name, Arguments: written})
	}
	return answer, s.offered()
}

func (s sample) same(calls []toolcall.Call) bool {
	if len(calls) != len(s.Want.Calls) {
		return false
	}
	for i, call := range calls {
		var arguments any
		if json.Unmarshal([]byte(call.Arguments), &arguments) != nil || call.Name != s.Want.Calls[i].Name ||
			!reflect.DeepEqual(arguments, s.Want.Calls[i].Arguments) {
			return false
		}
	}
	return true
}

func samples(t testing.TB, file string) []sample {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, s)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d lines, %v", file, len(all), err)
	}
	return all
}

// BenchmarkOutputs measures whole outputs of models as eval decode gets them, one a time.
func BenchmarkOutputs(b *testing.B) {
	all := samples(b, "testdata/outputs.jsonl")
	if found, _ := filepath.Glob(practiceFile); len(found) > 0 {
		all = samples(b, found[0])
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		toolcall.Decode(all[n%len(all)].answer())
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "outputs/s")
}
