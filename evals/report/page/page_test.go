package page_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatterbox/evals/report"
	"chatterbox/evals/report/page"
)

// written is the page of a log.
func written(t testing.TB, log string) string {
	t.Helper()
	logs, err := report.Open([]string{log})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := page.Write(&out, logs); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// tag finds what a browser takes for a tag, with its name and its attributes' names.
var (
	tag       = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
	attribute = regexp.MustCompile(`="[^"]*"`)
)

// TestTextsOfOthersStayTexts writes the same log with plain and with hostile texts: both pages have the same elements
// with the same attributes.
func TestTextsOfOthersStayTexts(t *testing.T) {
	shape := func(say texts) []string {
		html := written(t, writeLog(t, 400, say))
		before, after, found := strings.Cut(html, `id="piece0"`) // what follows is compressed, or the page's script
		if !found || strings.Count(after, "<script>") != 1 {
			t.Fatal("the page has not the parts that it should have")
		}
		tags := tag.FindAllString(before, -1)
		for i, one := range tags {
			tags[i] = attribute.ReplaceAllString(one, "")
		}
		return tags
	}
	plain, hostile := shape(plainTexts), shape(hostileTexts)
	if len(plain) < 200 {
		t.Errorf("only %d elements", len(plain))
	}
	if !slices.Equal(plain, hostile) {
		for i := range min(len(plain), len(hostile)) {
			if plain[i] != hostile[i] {
				t.Fatalf("element %d is %s, with hostile texts %s", i, plain[i], hostile[i])
			}
		}
		t.Errorf("%d elements, with hostile texts %d", len(plain), len(hostile))
	}
}

// TestThePageNeedsNothingElse has no address of anything in it, and a policy that allows none.
func TestThePageNeedsNothingElse(t *testing.T) {
	html := written(t, writeLog(t, 400, plainTexts))
	for _, unwanted := range []string{"http://", "https://", "@import", "url(", " src=", "innerHTML", "eval(", "style=\"", "onclick"} {
		if strings.Contains(html, unwanted) {
			t.Errorf("the page has %q", unwanted)
		}
	}
	for _, wanted := range []string{`default-src 'none'; script-src 'sha256-`, "prefers-color-scheme:dark", `name="viewport"`, `<html lang="en">`} {
		if !strings.Contains(html, wanted) {
			t.Errorf("the page has no %q", wanted)
		}
	}
}

// TestNamesOfElementsAreUnique keeps the script from finding another element than it looks for.
func TestNamesOfElementsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(written(t, writeLog(t, 400, plainTexts)), -1) {
		if seen[id[1]] {
			t.Errorf("two elements are %s", id[1])
		}
		seen[id[1]] = true
	}
	if !seen["curve"] || !seen["tools"] {
		t.Error("elements are missing")
	}
}

// data is the JSON of an element of the page.
func data(t *testing.T, html, id string, into any) {
	t.Helper()
	_, rest, found := strings.Cut(html, ` id="`+id+`">`)
	text, _, ended := strings.Cut(rest, "</script>")
	if !found || !ended {
		t.Fatalf("there is no %s", id)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(id, err)
	}
}

// TestTranscriptsComeBack opens the pieces as a browser does.
func TestTranscriptsComeBack(t *testing.T) {
	html := written(t, writeLog(t, 400, hostileTexts))
	var list struct {
		Subjects []string
		Columns  struct{ Subject, Trial, Outcome []int }
	}
	var places struct {
		Places [][2]int
		Left   int
	}
	data(t, html, "data", &list)
	data(t, html, "places", &places)
	if len(list.Columns.Trial) != 400 || len(places.Places) != 400 || places.Left != 0 || !strings.Contains(list.Subjects[0], hostileTexts.model) {
		t.Fatalf("%d rows, %d places, %d left out, subjects %q", len(list.Columns.Trial), len(places.Places), places.Left, list.Subjects)
	}
	_, rest, _ := strings.Cut(html, ` id="piece0">`)
	text, _, _ := strings.Cut(rest, "</script>")
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var transcripts []struct {
		Messages []struct {
			Role   string
			Text   string
			Failed bool
		}
		Detail string
	}
	if err := json.Unmarshal(plain, &transcripts); err != nil {
		t.Fatal(err)
	}
	first := transcripts[places.Places[0][1]]
	failed := 0
	for _, m := range first.Messages {
		if m.Failed {
			failed++
		}
	}
	if list.Columns.Outcome[0] != 0 || failed != 1 || first.Detail != hostileTexts.detail || !strings.HasPrefix(first.Messages[0].Text, hostileTexts.said) {
		t.Errorf("the first trial is %+v", first)
	}
}

// shown is what the page says that it has.
type shown struct {
	list struct {
		Columns struct{ Outcome []int }
		LeftOut int
	}
	places struct {
		Places [][2]int
		Left   int
	}
}

// The limits of small pages.
const smallBytes, smallRows = 400_000, 1000

func pageOfLines(t *testing.T, trials int, line func(i int) string) (html string, s shown) {
	t.Helper()
	var log strings.Builder
	for i := range trials {
		fmt.Fprintf(&log, `{"subject":"m/loop","scenario":"s/%d","trial":1,%s}`+"\n", i, line(i))
	}
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	logs, err := report.Open([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := page.WriteWithin(&out, logs, smallBytes, smallRows); err != nil {
		t.Fatal(err)
	}
	html = out.String()
	if len(html) > smallBytes {
		t.Errorf("the page has %d bytes", len(html))
	}
	data(t, html, "data", &s.list)
	data(t, html, "places", &s.places)
	return html, s
}

// TestAPageHasAnEnd has more trials than a page takes; those that failed stand at the end of the log.
func TestAPageHasAnEnd(t *testing.T) {
	const failed = 100
	html, got := pageOfLines(t, smallRows+200, func(i int) string {
		if i >= smallRows+200-failed {
			return `"outcome":"fail"`
		}
		return `"outcome":"pass"`
	})
	if len(got.list.Columns.Outcome) != smallRows || got.list.LeftOut != 200 || !strings.Contains(html, "200 trials are left out") {
		t.Errorf("%d rows, %d left out", len(got.list.Columns.Outcome), got.list.LeftOut)
	}
	if i := slices.IndexFunc(got.list.Columns.Outcome, func(outcome int) bool { return outcome != 0 }); i != failed {
		t.Errorf("the first %d rows are failures, want %d", i, failed)
	}
}

// TestTranscriptsHaveAnEnd has more transcripts than a page takes, of letters that cannot be compressed.
func TestTranscriptsHaveAnEnd(t *testing.T) {
	const failed, trials = 20, 200
	noise := make([]byte, 2000)
	random := rand.NewChaCha8([32]byte{1})
	_, got := pageOfLines(t, trials, func(i int) string {
		outcome := "pass"
		if i >= trials-failed {
			outcome = "fail"
		}
		random.Read(noise) // it cannot fail
		return fmt.Sprintf(`"outcome":%q,"messages":[{"role":"user","content":%q}]`, outcome, base64.StdEncoding.EncodeToString(noise))
	})
	if got.places.Left == 0 || got.places.Left == trials {
		t.Errorf("%d transcripts are left out", got.places.Left)
	}
	for i, at := range got.places.Places[:failed] {
		if at[0] < 0 {
			t.Fatalf("trial %d, which failed, has no transcript", i)
		}
	}
}

func TestThePageOfAnEmptyLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(`{"subject":"m","scenario":"s","trial":1,"outcome":"error"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if html := written(t, name); !strings.Contains(html, "No trial failed.") || !strings.Contains(html, `>1</a>`) {
		t.Error("the page does not say that there was one error and no failure")
	}
}

func FuzzPage(f *testing.F) {
	f.Add("m", "s", "@t", "c", "d", `[{"role":"user","content":"x"}]`)
	f.Add(hostileTexts.model, hostileTexts.scenario, hostileTexts.tag, hostileTexts.class, hostileTexts.detail, `[{"role":"tool","name":"<","arguments":"</script>"}]`)
	f.Fuzz(func(t *testing.T, subject, scenario, tagged, class, detail, messages string) {
		line, err := json.Marshal(map[string]any{"subject": "m" + subject, "scenario": "s" + scenario, "trial": 1, "outcome": "fail", "class": class, "detail": detail, "tags": []string{tagged}})
		if err != nil {
			return
		}
		if json.Valid([]byte(messages)) {
			line = append(append(line[:len(line)-1], `,"messages":`+strings.ReplaceAll(messages, "\n", " ")...), '}')
		}
		name := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(name, append(line, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		html := written(t, name)
		before, _, _ := strings.Cut(html, `id="places"`)
		if n := strings.Count(before, "<script"); n != 3 && n != 2 {
			t.Errorf("%d scripts", n)
		}
	})
}
