package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"chatterbox/evals/judge"
	"chatterbox/evals/mockllm"
	"chatterbox/evals/perf/heap"
	"chatterbox/evals/report"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const feature = `@model
Feature: Lights

  Scenario Outline: The light in the <room>
    Given the tool light
    And 1 other tools
    And the model calls light with room "<room>"
    And the model replies "Done."
    When the user says "Light in the <room>"
    Then light is called with room "<room>"

    Examples:
      | room    |
      | hall    |
      | loft    |
      | kitchen |

  @none
  Scenario: Nothing to do
    Given the tool light
    And the model replies "You are welcome."
    When the user says "Thank you"
    Then no tool is called
`

const catalogue = `[
{"name":"light","description":"Light.","parameters":{"type":"object","properties":{"room":{"type":"string"}}},"answer":{"done":true}},
{"name":"heat","description":"Heat.","parameters":{"type":"object"},"answer":{"done":true}}
]`

// world is a suite and a log in a folder of the test.
type world struct {
	*testing.T
	suite *scenario.Suite
	log   string
}

func newWorld(t *testing.T) world {
	t.Helper()
	opened, err := scenario.Open(fstest.MapFS{"lights.feature": {Data: []byte(feature)}, "tools.json": {Data: []byte(catalogue)}})
	if err != nil {
		t.Fatal(err)
	}
	return world{t, opened, filepath.Join(t.TempDir(), "log.jsonl")}
}

// run runs with what change makes of the usual options: the played model, bare, four runs.
func (w world) run(ctx context.Context, change func(*run.Options)) (run.Result, error) {
	w.Helper()
	player, err := run.NewPlayer()
	if err != nil {
		w.Fatal(err)
	}
	defer player.Close()
	log, err := run.OpenLog(w.log)
	if err != nil {
		w.Fatal(err)
	}
	options := run.Options{
		Suite: w.suite, Scenarios: w.suite.Scenarios, Runs: 4, Log: log, RetryPause: time.Nanosecond,
		Subjects: []run.Subject{{Name: "played/bare", Model: run.Model{Name: "m"}, Strategy: run.Bare{}, Player: player, AtOnce: 4}},
	}
	change(&options)
	result, err := run.Run(ctx, options)
	return result, errors.Join(err, log.Close())
}

// trials reads the log, in which no trial may stand twice, but for errors that were tried again.
func (w world) trials() map[string]judge.Trial {
	w.Helper()
	file, err := os.Open(w.log)
	if err != nil {
		w.Fatal(err)
	}
	defer file.Close()
	out := map[string]judge.Trial{}
	if err := judge.ReadTrials(w.log, file, func(t judge.Trial) error {
		name := fmt.Sprint(t.Subject, " ", t.Scenario, " ", t.Trial)
		if had, ok := out[name]; ok && had.Outcome != judge.Error {
			w.Errorf("%s stands twice", name)
		}
		out[name] = t
		return nil
	}); err != nil {
		w.Fatal(err)
	}
	return out
}

func unchanged(*run.Options) {}

func TestARunIsDoneOnce(t *testing.T) {
	w := newWorld(t)
	result, err := w.run(t.Context(), unchanged)
	if err != nil || result.Ran != 16 || result.Passed != 16 || result.Planned != 16 {
		t.Errorf("%+v, %v", result, err)
	}
	one := w.trials()["played/bare lights/the-light-in-the-loft 2"]
	if one.Outcome != judge.Pass || one.ToolsOffered != 2 || one.LLMCalls != 2 || one.PromptTokens == 0 || *one.CostUSD != 0 || !one.Simulated || one.Version == "" {
		t.Errorf("%+v", one)
	}
	if result, err = w.run(t.Context(), unchanged); err != nil || result.Planned != 0 {
		t.Errorf("again: %+v, %v", result, err)
	}
	if result, err = w.run(t.Context(), func(o *run.Options) { o.Runs = 5 }); err != nil || result.Ran != 4 || len(w.trials()) != 20 {
		t.Errorf("one more: %+v, %v", result, err)
	}
}

func TestSubjectsTakeWhatFits(t *testing.T) {
	w := newWorld(t)
	result, err := w.run(t.Context(), func(o *run.Options) {
		one, two := o.Subjects[0], o.Subjects[0]
		one.Name, one.Fits = "some", func(plan scenario.Plan) bool { return strings.Contains(plan.Scenario.ID, "hall") }
		two.Name, two.Tools = "two", 2
		o.Subjects = []run.Subject{one, two}
	})
	if err != nil || result.Ran != 4+16 || w.trials()["two lights/nothing-to-do 1"].ToolsOffered != 2 {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := w.run(t.Context(), func(o *run.Options) { o.Subjects[0].Tools = 3 }); err == nil || !strings.Contains(err.Error(), "3 in all cannot be offered") {
		t.Errorf("more tools than there are: %v", err)
	}
}

func TestATornLogGoesOn(t *testing.T) {
	w := newWorld(t)
	if _, err := w.run(t.Context(), unchanged); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, cut := range []int{1, 100, len(lines[7]) - 1} {
		if err := os.WriteFile(w.log, []byte(strings.Join(lines[:7], "")+lines[7][:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		if result, err := w.run(t.Context(), unchanged); err != nil || result.Ran != 9 || len(w.trials()) != 16 {
			t.Errorf("cut at %d: %+v, %v, %d trials", cut, result, err, len(w.trials()))
		}
	}
}

func TestALogThatOthersWriteIsRefused(t *testing.T) {
	w := newWorld(t)
	log, err := run.OpenLog(w.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := run.OpenLog(w.log); err == nil || !strings.Contains(err.Error(), "another run writes") {
		t.Errorf("%v", err)
	}
}

func TestALogOfAnotherVersionIsRefused(t *testing.T) {
	w := newWorld(t)
	line := `{"subject":"s","scenario":"lights/nothing-to-do","trial":1,"outcome":"pass","version":"old"}` + "\n"
	if err := os.WriteFile(w.log, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(t.Context(), unchanged); err == nil || !strings.Contains(err.Error(), "another version of lights/nothing-to-do") {
		t.Errorf("%v", err)
	}
}

// TestShards has every sharding give the trials of none, whichever shard they ran in.
func TestShards(t *testing.T) {
	whole, rates := newWorld(t), mockllm.Rates{"no_call": .3, "extra_call": .3}
	if _, err := whole.run(t.Context(), func(o *run.Options) { o.Subjects[0].Rates = rates }); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 5; n++ {
		var logs []string
		for i := 1; i <= n; i++ {
			part := newWorld(t)
			if _, err := part.run(t.Context(), func(o *run.Options) { o.Subjects[0].Rates, o.Shard, o.Shards = rates, i, n }); err != nil {
				t.Fatal(err)
			}
			logs = append(logs, part.log)
		}
		merged := world{t, whole.suite, filepath.Join(t.TempDir(), "merged.jsonl")}
		file, err := os.Create(merged.log)
		if err != nil {
			t.Fatal(err)
		}
		count, _, err := run.Merge(file, logs)
		if err := errors.Join(err, file.Close()); err != nil || count != 16 {
			t.Fatalf("%d trials, %v", count, err)
		}
		if a, b := whole.rates(), merged.rates(); a != b {
			t.Errorf("%d shards give %s, one gives %s", n, b, a)
		}
	}
}

// rates is the summary of a log, without times.
func (w world) rates() string {
	collector := &report.Collector{}
	for _, t := range w.trials() {
		t.MS, t.FirstTokenMS = 0, 0
		collector.Add(t)
	}
	text, err := json.Marshal(collector.Summary())
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

func TestMergeKeepsWhatIsNoError(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, lines ...string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	line := func(n int, outcome string) string {
		return fmt.Sprintf(`{"subject":"s","scenario":"x","trial":%d,"outcome":%q,"version":"1"}`, n, outcome)
	}
	a := write("a", line(1, "pass"), line(2, "error"), line(3, "error"))
	b := write("b", line(1, "error"), line(2, "fail"), line(3, "error"))
	torn := filepath.Join(folder, "torn")
	if err := os.WriteFile(torn, []byte(line(1, "error")+"\n"+line(4, "pass")[:30]), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if n, without, err := run.Merge(&out, []string{a, torn, b}); err != nil || n != 3 || len(without) != 1 || without[0] != torn {
		t.Fatal(n, without, err)
	}
	var got []string
	if err := judge.ReadTrials("out", strings.NewReader(out.String()), func(t judge.Trial) error {
		got = append(got, fmt.Sprint(t.Trial, t.Outcome))
		return nil
	}); err != nil || strings.Join(got, " ") != "1pass 2fail 3error" {
		t.Errorf("%s, %v", got, err)
	}
	other := write("c", `{"subject":"s","scenario":"x","trial":4,"outcome":"pass","version":"2"}`)
	if _, _, err := run.Merge(&out, []string{a, other}); err == nil || !strings.Contains(err.Error(), "several versions of x") {
		t.Errorf("%v", err)
	}
}

func TestAnInterruptedRunGoesOn(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	result, err := w.run(ctx, func(o *run.Options) {
		o.Progress = func(p run.Progress) {
			if p.Ran == 5 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || result.Ran < 5 || result.Ran > 9 {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := w.run(t.Context(), unchanged); err != nil || len(w.trials()) != 16 {
		t.Errorf("%d trials, %v", len(w.trials()), err)
	}
}

func TestRecordedRunsAreReplayed(t *testing.T) {
	w := newWorld(t)
	name := filepath.Join(t.TempDir(), "tape.jsonl")
	recording, err := run.StartRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(t.Context(), func(o *run.Options) { o.Recording = recording }); err != nil {
		t.Fatal(err)
	}
	if err := recording.Close(); err != nil {
		t.Fatal(err)
	}
	replayed, err := run.OpenRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	away := func(o *run.Options) {
		o.Recording = replayed
		o.Subjects = []run.Subject{{Name: "played/bare", Model: run.Model{Name: "m", BaseURL: "http://127.0.0.1:1"}, Strategy: run.Bare{}}}
	}
	again := newWorld(t)
	if result, err := again.run(t.Context(), away); err != nil || result.Passed != 16 {
		t.Errorf("%+v, %v", result, err)
	}
	other := newWorld(t)
	result, err := other.run(t.Context(), func(o *run.Options) {
		away(o)
		o.Subjects[0].Model.Sampling = map[string]any{"temperature": 0.5}
	})
	if err != nil || result.Errors != 5 || !strings.Contains(result.Stopped["played/bare"], ".temperature is new: 0.5") {
		t.Errorf("a miss: %+v, %v", result, err)
	}
}

// BenchmarkTrial has trials of two requests each, over real HTTP to a played model, one after the other. heap-B/op is
// what a trial leaves in memory until the run is over.
func BenchmarkTrial(b *testing.B) {
	opened, err := scenario.Open(fstest.MapFS{"lights.feature": {Data: []byte(feature)}, "tools.json": {Data: []byte(catalogue)}})
	if err != nil {
		b.Fatal(err)
	}
	player, err := run.NewPlayer()
	if err != nil {
		b.Fatal(err)
	}
	defer player.Close()
	log, err := run.OpenLog(filepath.Join(b.TempDir(), "log.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	before := heap.InUse()
	b.ResetTimer()
	_, err = run.Run(b.Context(), run.Options{
		Suite: opened, Scenarios: opened.Scenarios[:1], Runs: b.N, Log: log,
		Subjects: []run.Subject{{Name: "played/bare", Model: run.Model{Name: "m"}, Strategy: run.Bare{}, Player: player, AtOnce: 1}},
	})
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(heap.InUse()-before)/float64(b.N), "heap-B/op")
}
