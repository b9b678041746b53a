package toolcall_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/toolcall"
)

// vector is one answer and what it means.
type vector struct {
	Name      string
	Content   string
	Native    []toolcall.Call
	Truncated bool
	Offered   []toolcall.Tool // nil is those of offered.json
	Text      string
	Calls     []struct {
		Name      string
		Arguments any
		Repaired  []string
		Rejected  string // a part of the reason
	}
}

func TestVectors(t *testing.T) {
	for file, vectors := range load(t) {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				got := toolcall.Decode(v.answer(), v.Offered)
				v.check(t, got)
				splits(t, v.Content, got.Text, v.Offered)
			})
		}
	}
}

func (v vector) answer() toolcall.Answer {
	return toolcall.Answer{Content: v.Content, Calls: v.Native, Truncated: v.Truncated}
}

func (v vector) check(t *testing.T, got toolcall.Decoded) {
	if got.Text != v.Text {
		t.Errorf("text is %q, want %q", got.Text, v.Text)
	}
	if len(got.Calls) != len(v.Calls) {
		t.Fatalf("got %d calls, want %d: %+v", len(got.Calls), len(v.Calls), got.Calls)
	}
	for i, want := range v.Calls {
		call := got.Calls[i]
		if call.Name != want.Name {
			t.Errorf("call %d is of %q, want %q", i, call.Name, want.Name)
		}
		if want.Rejected != "" {
			if !strings.Contains(call.Rejected, want.Rejected) || strings.Contains(call.Rejected, "\n") {
				t.Errorf("call %d is rejected with %q, want one line with %q", i, call.Rejected, want.Rejected)
			}
			continue
		}
		var arguments any
		if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil || call.Rejected != "" {
			t.Fatalf("call %d: %v, rejected %q", i, err, call.Rejected)
		}
		if !reflect.DeepEqual(arguments, want.Arguments) || !slices.Equal(call.Repaired, want.Repaired) {
			t.Errorf("call %d has %v repaired %q, want %v repaired %q", i, arguments, call.Repaired, want.Arguments, want.Repaired)
		}
	}
}

// splits streams content whole, byte by byte and in every pair of pieces: what is left shown must not differ, and must
// be how text begins. A thought whose beginning the server kept is known only by its end, so of a call in one it may be
// something else.
func splits(t *testing.T, content, text string, tools []toolcall.Tool) {
	t.Helper()
	whole := stream(tools, content)
	if !strings.HasPrefix(text, whole) && !strings.Contains(content, "</think>") {
		t.Errorf("shown %q is not how %q begins", whole, text)
	}
	if single := stream(tools, strings.Split(content, "")...); single != whole {
		t.Errorf("byte by byte shows %q, whole %q", single, whole)
	}
	for i := range len(content) {
		if pair := stream(tools, content[:i], content[i:]); pair != whole {
			t.Errorf("split at %d shows %q, whole %q", i, pair, whole)
		}
	}
}

// stream is what is left shown after the pieces.
func stream(tools []toolcall.Tool, pieces ...string) string {
	var scanner toolcall.Scanner
	shown := ""
	for _, piece := range pieces {
		next, text, restart := scanner.Feed(piece, tools)
		if restart {
			shown = ""
		}
		scanner, shown = next, shown+text
	}
	return shown
}

func offered(t testing.TB) []toolcall.Tool {
	t.Helper()
	var tools []toolcall.Tool
	read(t, "testdata/offered.json", &tools)
	return tools
}

func load(t testing.TB) map[string][]vector {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]vector{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if name == "offered" {
			continue
		}
		var vectors []vector
		read(t, file, &vectors)
		for i := range vectors {
			if vectors[i].Offered == nil {
				vectors[i].Offered = offered(t)
			}
		}
		all[name] = vectors
	}
	if len(all) < 8 {
		t.Fatalf("only %d files of vectors", len(all))
	}
	return all
}

func read(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// FuzzDecode holds whatever an answer is: only offered tools are run from text, what runs is one JSON object, a reason
// is one line, and the way the stream is split shows in nothing.
func FuzzDecode(f *testing.F) {
	for _, vectors := range load(f) {
		for _, v := range vectors {
			written := ""
			if len(v.Native) > 0 {
				written = v.Native[0].Arguments
			}
			f.Add(v.Content, written, uint(len(v.Content)/2))
		}
	}
	tools := offered(f)
	f.Fuzz(func(t *testing.T, content, written string, cut uint) {
		answer := toolcall.Answer{Content: content}
		decoded := toolcall.Decode(answer, tools)
		for _, call := range decoded.Calls {
			isOffered := slices.ContainsFunc(tools, func(tool toolcall.Tool) bool { return tool.Name == call.Name })
			if call.Rejected == "" && !isOffered {
				t.Errorf("%q runs %q, which was not offered", content, call.Name)
			}
		}
		native := toolcall.Decode(toolcall.Answer{Calls: []toolcall.Call{{ID: "1", Name: "get_time", Arguments: written}}}, tools)
		for _, call := range append(decoded.Calls, native.Calls...) {
			if call.Rejected == "" && (!json.Valid([]byte(call.Arguments)) || call.Arguments[0] != '{') {
				t.Errorf("%q runs with arguments %q", content, call.Arguments)
			}
			if strings.Contains(call.Rejected, "\n") {
				t.Errorf("%q is rejected in several lines: %q", content, call.Rejected)
			}
		}
		if shown := stream(tools, content); !strings.HasPrefix(decoded.Text, shown) && !strings.Contains(content, "</th") &&
			!strings.Contains(content, "</reasoning>") && !strings.Contains(content, "[/THINK]") {
			t.Errorf("%q shows %q, which is not how %q begins", content, shown, decoded.Text)
		}
		at := int(cut % uint(len(content)+1))
		if whole, pair := stream(tools, content), stream(tools, content[:at], content[at:]); whole != pair {
			t.Errorf("%q split at %d shows %q, whole %q", content, at, pair, whole)
		}
	})
}

func TestArgumentsWithoutEndAreHandedBack(t *testing.T) {
	text := func(bytes int, end string) string { return `{"pattern":"` + strings.Repeat("A", bytes) + end + `"}` }
	for name, c := range map[string]struct{ written, rejected string }{
		"a long text":                        {text(160<<10, ""), ""},
		"more than any tool reads":           {text(256<<10, ""), "over the limit of 262144"},
		"more than servers take back":        {text(1<<20, ""), "over the limit of 262144"},
		"a long text with a control code":    {text(160<<10, "\x01"), "not valid JSON"},
		"a long text that breaks off":        {text(160<<10, "")[:160<<10], "break off"},
		"spaces beyond the limit around one": {text(1, "") + strings.Repeat(" ", 1<<20), ""},
	} {
		t.Run(name, func(t *testing.T) {
			native := toolcall.Answer{Calls: []toolcall.Call{{ID: "1", Name: "search_files", Arguments: c.written}}}
			inText := toolcall.Answer{Content: "<function=search_files>" + c.written + "</function>"}
			for _, answer := range []toolcall.Answer{native, inText} {
				calls := toolcall.Decode(answer, offered(t)).Calls
				if len(calls) != 1 {
					t.Fatalf("%d calls", len(calls))
				}
				got := calls[0].Rejected
				if !strings.Contains(got, c.rejected) || (got == "") != (c.rejected == "") || len(got) > 300 {
					t.Errorf("rejected with %.300q, want %q", got, c.rejected)
				}
			}
		})
	}
}

func TestSafeNameIsAcceptedByEveryServer(t *testing.T) {
	for name, want := range map[string]string{
		"get_weather": "get_weather", "": "unnamed", "a b": "a_b", "web.search": "web_search",
		strings.Repeat("x", 65): strings.Repeat("x", 64), "größe": "gr____e",
	} {
		if got := toolcall.SafeName(name); got != want {
			t.Errorf("SafeName(%q) = %q, want %q", name, got, want)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	tools := offered(b)
	for name, content := range map[string]string{
		"answer": strings.Repeat("It is 21 degrees in Kansas City. ", 8),
		"tagged": "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Kansas City\"}}\n</tool_call>",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				toolcall.Decode(toolcall.Answer{Content: content}, tools)
			}
		})
	}
}

// TestLongAnswersDecodeInTime decodes what would take minutes if the time grew with the square of the length.
func TestLongAnswersDecodeInTime(t *testing.T) {
	tools := offered(t)
	for _, piece := range []string{
		"<|", "<｜", "<tool_call>", "<tool_call>get_time(", "<tool_call>{", "<tool_call>[", "get_time(", "get_time();",
		`{"a":`, "[", "{'a':", "</think>", "<function=", "<function=get_time><parameter=a>", "<|tool_call_begin|>",
		"<|channel|>analysis<|message|>", "to=functions.a {", "[TOOL_CALLS]a{", `{"name":"a","arguments":{}} `, "[{'get_time':{}},",
	} {
		start := time.Now()
		for _, before := range []string{"", "[", "<|start|>", "Well, "} {
			content := before + strings.Repeat(piece, 1<<14/len(piece))
			toolcall.Decode(toolcall.Answer{Content: content}, tools)
			stream(tools, strings.SplitAfter(content, "a")...)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("answers of %q took %v", piece, took)
		}
	}
}
