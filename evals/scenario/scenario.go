package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Scenario is one scenario, or one row of an outline.
type Scenario struct {
	ID    string   `json:"id"` // file without its ending, and the name: weather/sky/fog-over-bergen
	Name  string   `json:"name"`
	File  string   `json:"file"`
	Line  int      `json:"line"`
	Tags  []string `json:"tags"`
	Runs  int      `json:"runs,omitempty"` // of the tag @runs(20); 0 without it
	Pass  float64  `json:"pass,omitempty"` // of the tag @pass(0.9); 0 without it
	Live  bool     `json:"live"`           // it may be scored on a model
	Steps []Step   `json:"-"`
	// Digest tells versions of a scenario apart: it is over all sentences and the tools that they name.
	Digest string `json:"digest,omitempty"`
}

// The tags with a meaning. All others only select.
const (
	liveTag  = "@model"
	runsTag  = "@runs("
	passTag  = "@pass("
	runsMost = 100_000
)

func newScenario(file, name string, line int, tags []string, steps []Step) (Scenario, error) {
	slices.Sort(tags)
	s := Scenario{
		ID: strings.TrimSuffix(file, ".feature") + "/" + slug(name), Name: name, File: file, Line: line,
		Tags: slices.Compact(tags), Steps: steps,
	}
	for _, tag := range s.Tags {
		var err error
		switch {
		case tag == liveTag:
			s.Live = true
		case strings.HasPrefix(tag, runsTag):
			s.Runs, err = strconv.Atoi(strings.TrimSuffix(tag[len(runsTag):], ")"))
			if err == nil && (s.Runs < 1 || s.Runs > runsMost) {
				err = strconv.ErrRange
			}
		case strings.HasPrefix(tag, passTag):
			s.Pass, err = strconv.ParseFloat(strings.TrimSuffix(tag[len(passTag):], ")"), 64)
			if err == nil && !(s.Pass > 0 && s.Pass <= 1) {
				err = strconv.ErrRange
			}
		}
		if err != nil {
			what := fmt.Sprintf("expected @runs(1 to %d) or @pass(above 0, up to 1), found %q", runsMost, tag)
			return s, &syntaxError{file, line, what}
		}
	}
	return s, nil
}

// slug is a name as part of a path: lower case, words joined by hyphens.
func slug(name string) string {
	var out strings.Builder
	gap := false
	for _, c := range strings.ToLower(name) {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			gap = out.Len() > 0
			continue
		}
		if gap {
			out.WriteByte('-')
			gap = false
		}
		out.WriteRune(c)
	}
	return out.String()
}

// digest is over what decides a trial: the steps and the tools that they name.
func digest(steps []Step, tools []Tool) string {
	type sentence struct {
		Keyword, Text string
		Table         [][]string
		Doc           *string
	}
	var list []sentence
	for _, s := range steps {
		list = append(list, sentence{s.Keyword, s.Text, s.Table, s.Doc})
	}
	text, err := json.Marshal([]any{list, tools})
	if err != nil {
		panic(err) // texts and raw JSON that was read as JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}
