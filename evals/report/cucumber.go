package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"chatterbox/evals/judge"
)

// cucumberFeature and what is below it is the JSON that Cucumber's programs write and their reports read.
type cucumberFeature struct {
	URI         string            `json:"uri"`
	ID          string            `json:"id"`
	Keyword     string            `json:"keyword"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Line        int               `json:"line"`
	Elements    []cucumberElement `json:"elements"`
}

type cucumberElement struct {
	ID          string         `json:"id"`
	Keyword     string         `json:"keyword"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Line        int            `json:"line"`
	Type        string         `json:"type"`
	Tags        []cucumberTag  `json:"tags,omitempty"`
	Steps       []cucumberStep `json:"steps"`
}

type cucumberTag struct {
	Name string `json:"name"`
	Line int    `json:"line"`
}

type cucumberStep struct {
	Keyword string         `json:"keyword"`
	Name    string         `json:"name"`
	Line    int            `json:"line"`
	Match   cucumberMatch  `json:"match"`
	Result  cucumberResult `json:"result"`
}

type cucumberMatch struct {
	Location string `json:"location"`
}

type cucumberResult struct {
	Status   string `json:"status"`
	Error    string `json:"error_message,omitempty"`
	Duration *int64 `json:"duration,omitempty"` // nanoseconds
}

// Cucumber writes the logs as Cucumber's JSON: an element for each trial, with what was said as its first steps and the
// verdict as its last. A log does not know lines, so they are 1. Errors and excluded trials are skipped: they are no
// failures.
func Cucumber(to io.Writer, l *Logs) error {
	features := map[string]*cucumberFeature{}
	err := l.Each(func(t judge.Trial) error {
		file := fileOf(t.Scenario)
		f := features[file]
		if f == nil {
			f = &cucumberFeature{URI: path.Join("features", file+".feature"), ID: cucumberID(file), Keyword: "Feature", Name: file, Line: 1}
			features[file] = f
		}
		f.Elements = append(f.Elements, cucumberOf(t))
		return nil
	})
	if err != nil {
		return err
	}
	out := []cucumberFeature{}
	for _, file := range slices.Sorted(maps.Keys(features)) {
		out = append(out, *features[file])
	}
	buffered := bufio.NewWriter(to)
	encoder := json.NewEncoder(buffered)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return err
	}
	return buffered.Flush()
}

func cucumberID(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }

func cucumberOf(t judge.Trial) cucumberElement {
	name := fmt.Sprintf("%s (%s, trial %d)", path.Base(t.Scenario), t.Subject, t.Trial)
	e := cucumberElement{ID: cucumberID(fileOf(t.Scenario) + ";" + name), Keyword: "Scenario", Name: name, Line: 1, Type: "scenario"}
	for _, tag := range t.Tags {
		e.Tags = append(e.Tags, cucumberTag{tag, 1})
	}
	for _, m := range Transcript(t) {
		if m.Role == RoleUser {
			e.Steps = append(e.Steps, cucumberStep{Keyword: "When ", Name: "the user says " + quoted(m.Text), Line: 1, Result: cucumberResult{Status: "passed", Duration: new(int64)}})
		}
	}
	verdict := cucumberResult{Status: "passed"}
	switch t.Outcome {
	case judge.Fail:
		verdict = cucumberResult{Status: "failed", Error: reason(t)}
	case judge.Error, judge.Excluded:
		verdict = cucumberResult{Status: "skipped", Error: reason(t)}
	}
	if verdict.Status != "skipped" {
		took := int64(t.MS * 1e6)
		verdict.Duration = &took
	}
	e.Steps = append(e.Steps, cucumberStep{Keyword: "Then ", Name: "what happened is as expected", Line: 1, Result: verdict})
	return e
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `'`) + `"` }
