package report

import (
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
	Keyword string `json:"keyword"`
	Name    string `json:"name"`
	Line    int    `json:"line"`
	Match   struct {
		Location string `json:"location"`
	} `json:"match"`
	Result cucumberResult `json:"result"`
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
			uri := path.Join("features", file+".feature")
			f = &cucumberFeature{URI: uri, ID: cucumberID(file), Keyword: "Feature", Name: file, Line: 1}
			features[file] = f
		}
		f.Elements = append(f.Elements, cucumberOf(t))
		return nil
	})
	if err != nil {
		return err
	}
	out := []*cucumberFeature{}
	for _, file := range slices.Sorted(maps.Keys(features)) {
		out = append(out, features[file])
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func cucumberID(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }

func cucumberOf(t judge.Trial) cucumberElement {
	name := fmt.Sprintf("%s (%s, trial %d)", path.Base(t.Scenario), t.Subject, t.Trial)
	id := cucumberID(fileOf(t.Scenario) + ";" + name)
	e := cucumberElement{ID: id, Keyword: "Scenario", Name: name, Line: 1, Type: "scenario"}
	for _, tag := range t.Tags {
		e.Tags = append(e.Tags, cucumberTag{tag, 1})
	}
	step := func(keyword, name string, result cucumberResult) {
		e.Steps = append(e.Steps, cucumberStep{Keyword: keyword, Name: name, Line: 1, Result: result})
	}
	for _, m := range Transcript(t) {
		if m.Role == RoleUser {
			said := strings.ReplaceAll(m.Text, `"`, `'`)
			step("When ", `the user says "`+said+`"`, cucumberResult{Status: "passed", Duration: new(int64)})
		}
	}
	took := int64(t.MS * 1e6)
	verdict := cucumberResult{Status: "passed", Duration: &took}
	switch t.Outcome {
	case judge.Fail:
		verdict.Status, verdict.Error = "failed", reason(t)
	case judge.Error, judge.Excluded:
		verdict = cucumberResult{Status: "skipped", Error: reason(t)}
	}
	step("Then ", "what happened is as expected", verdict)
	return e
}
