package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

var update = flag.Bool("update", false, "write what is in testdata anew")

func open(t testing.TB, name string) *report.Logs {
	t.Helper()
	logs, err := report.Open([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return logs
}

// golden writes the log of testdata and compares it with the file of that name.
func golden(t *testing.T, name string, write func(io.Writer, *report.Logs) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out, open(t, "testdata/log.jsonl")); err != nil {
		t.Fatal(err)
	}
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%s differs; -update writes it anew. It is now:\n%s", name, out.String())
	}
	return out.Bytes()
}

func TestJUnit(t *testing.T) {
	text := golden(t, "junit.xml", report.JUnit)
	var read struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name       string `xml:"name,attr"`
				Properties []struct {
					Name  string `xml:"name,attr"`
					Value string `xml:"value,attr"`
				} `xml:"properties>property"`
				Failure *struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range read.Suites {
		for _, c := range s.Cases {
			how := "passed"
			switch {
			case c.Failure != nil:
				how = "failed"
			case c.Error != nil:
				how = "error"
			case c.Skipped != nil:
				how = "skipped"
			}
			got = append(got, fmt.Sprintf("%s %s %s %s", s.Name, c.Name, how, c.Properties[0].Value))
			if c.Failure != nil && strings.Contains(c.Name, "7-tools") && !strings.Contains(c.Failure.Text, "</script> ]]> | `x` *y* @all <b>") {
				t.Errorf("the reason does not come back: %q", c.Failure.Text)
			}
		}
	}
	want := []string{
		"qwen3:8b/bare model/choice/the-weather-among-4-tools passed true", // its tag asks for one half
		"qwen3:8b/bare model/choice/the-weather-among-7-tools failed false",
		"qwen3:8b/bare model/talk/long skipped false",
		"qwen3:8b/bare model/talk/thanks passed false",
		"qwen3:8b/loop model/choice/the-weather-among-4-tools failed true",
		"qwen3:8b/loop model/talk/long error false",
		"qwen3:8b/loop model/talk/thanks passed false",
	}
	if !slices.Equal(got, want) || read.Tests != 7 || read.Failures != 2 || read.Errors != 1 || read.Skipped != 1 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped:\n%s", read.Tests, read.Failures, read.Errors, read.Skipped, strings.Join(got, "\n"))
	}
}

func TestCucumber(t *testing.T) {
	text := golden(t, "cucumber.json", report.Cucumber)
	// The fields are those of Cucumber's own JSON, so a strict reader of them reads it.
	type result struct {
		Status   string `json:"status"`
		Error    string `json:"error_message"`
		Duration int    `json:"duration"`
	}
	type tag struct {
		Name string `json:"name"`
		Line int    `json:"line"`
	}
	var read []struct {
		URI, ID, Keyword, Name, Description string
		Line                                int
		Elements                            []struct {
			ID, Keyword, Name, Description, Type string
			Line                                 int
			Tags                                 []tag
			Steps                                []struct {
				Keyword, Name string
				Line          int
				Match         struct{ Location string }
				Result        result
			}
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range read {
		for _, e := range f.Elements {
			last := e.Steps[len(e.Steps)-1]
			counts[f.URI+" "+last.Result.Status]++
			if last.Result.Status == "failed" && last.Result.Error == "" {
				t.Errorf("%s failed without a reason", e.Name)
			}
		}
	}
	want := map[string]int{
		"features/model/choice.feature passed": 2, "features/model/choice.feature failed": 4,
		"features/model/talk.feature passed": 2, "features/model/talk.feature skipped": 2,
	}
	for name, n := range want {
		if counts[name] != n {
			t.Errorf("%d are %s, want %d", counts[name], name, n)
		}
	}
}

// TestMarkdown reads the tables back: every row has as many cells as its head, whatever the texts of others are.
func TestMarkdown(t *testing.T) {
	text := string(golden(t, "summary.md", report.Markdown))
	cells, rows := 0, 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells == 0 {
			cells = n
		}
		if rows++; n != cells {
			t.Errorf("%d cells instead of %d in %s", n, cells, line)
		}
	}
	if rows < 12 {
		t.Errorf("%d rows", rows)
	}
	for _, unwanted := range []string{"</script>", "@all", "<b>", " *y*", "`x`"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%q is there as it was", unwanted)
		}
	}
}

// TestMarkdownHasAnEnd has more to say than a step's summary may.
func TestMarkdownHasAnEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.jsonl")
	var log strings.Builder
	for subject := range 90 {
		for i := range 100 {
			fmt.Fprintf(&log, `{"subject":"%s%d","scenario":"%s%d","trial":1,"outcome":"fail","class":"c%d","tools_offered":%d}`+"\n",
				strings.Repeat("<", 200), subject, strings.Repeat("&", 200), i, i, i+1)
		}
	}
	if err := os.WriteFile(name, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report.Markdown(&out, open(t, name)); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); len(text) > report.MarkdownBytesMax || !strings.HasSuffix(text, "longer than what is shown here.\n") {
		t.Errorf("%d bytes that end in %q", len(text), text[max(0, len(text)-100):])
	}
}

// TestJSONL writes a log that shows the same as the one it was made of.
func TestJSONL(t *testing.T) {
	text := golden(t, "lines.jsonl", report.JSONL)
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	before, after := open(t, "testdata/log.jsonl"), open(t, name)
	a, err := json.Marshal(before.Summary())
	b, err2 := json.Marshal(after.Summary())
	if err := errors.Join(err, err2); err != nil || !bytes.Equal(a, b) {
		t.Errorf("%v\n%s\n%s", err, a, b)
	}
	if len(before.Torn) != 1 || len(after.Torn) != 0 {
		t.Errorf("torn: %q, then %q", before.Torn, after.Torn)
	}
}

// TestPlayedTwice writes every format of the same log twice: nothing in it depends on chance.
func TestPlayedTwice(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *report.Logs) error{"junit": report.JUnit, "cucumber": report.Cucumber, "markdown": report.Markdown, "jsonl": report.JSONL} {
		var first, second bytes.Buffer
		if err := errors.Join(write(&first, open(t, "testdata/log.jsonl")), write(&second, open(t, "testdata/log.jsonl"))); err != nil || first.String() != second.String() {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

func TestSeveralVersionsAreNotCountedTogether(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(`{"subject":"m","scenario":"x","trial":1,"outcome":"pass","version":"1"}`+"\n"+
		`{"subject":"m","scenario":"x","trial":2,"outcome":"pass","version":"2"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := report.Open([]string{name}); err == nil || !strings.Contains(err.Error(), "several versions of x") {
		t.Error(err)
	}
}

// FuzzFormats writes whatever can be read as a log in every format, and reads XML and JSON back.
func FuzzFormats(f *testing.F) {
	log, err := os.ReadFile("testdata/log.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(log))
	f.Fuzz(func(t *testing.T, text string) {
		if judge.ReadTrials("log", strings.NewReader(text), func(judge.Trial) error { return nil }) != nil {
			return
		}
		name := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		logs, err := report.Open([]string{name})
		if err != nil {
			return
		}
		var junit, cucumber, markdown bytes.Buffer
		if err := errors.Join(report.JUnit(&junit, logs), report.Cucumber(&cucumber, logs), report.Markdown(&markdown, logs)); err != nil {
			t.Fatal(err)
		}
		decoder := xml.NewDecoder(&junit)
		for err = nil; err == nil; {
			_, err = decoder.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		if !json.Valid(cucumber.Bytes()) {
			t.Error("no JSON")
		}
	})
}
