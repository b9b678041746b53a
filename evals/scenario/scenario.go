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

// expand gives the scenarios of a feature, rows of outlines each by itself.
func (f feature) expand(file string) ([]Scenario, error) {
	var out []Scenario
	for _, b := range f.blocks {
		tags := append(slices.Clone(f.tags), b.tags...)
		steps := append(slices.Clone(f.background), b.steps...)
		if !b.outline {
			one, err := newScenario(file, b.name, b.line, tags, steps)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
			continue
		}
		for _, e := range b.examples {
			for n, row := range e.table[1:] {
				fill := filler(e.table[0], row)
				one, err := newScenario(file, fill.Replace(b.name), e.line+n+2, append(slices.Clone(tags), e.tags...), fillAll(fill, steps))
				if err != nil {
					return nil, err
				}
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// filler puts the cells of a row where <column> stands.
func filler(columns, row []string) *strings.Replacer {
	var pairs []string
	for i, column := range columns {
		pairs = append(pairs, "<"+column+">", row[i])
	}
	return strings.NewReplacer(pairs...)
}

func fillAll(fill *strings.Replacer, steps []Step) []Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].Text = fill.Replace(out[i].Text)
		if out[i].Doc != nil {
			text := fill.Replace(*out[i].Doc)
			out[i].Doc = &text
		}
		if out[i].Table == nil {
			continue
		}
		table := make([][]string, len(out[i].Table))
		for r, row := range out[i].Table {
			for _, cell := range row {
				table[r] = append(table[r], fill.Replace(cell))
			}
		}
		out[i].Table = table
	}
	return out
}

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
			return s, &syntaxError{file, line, fmt.Sprintf("expected @runs(1 to %d) or @pass(above 0, up to 1), found %q", runsMost, tag)}
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
