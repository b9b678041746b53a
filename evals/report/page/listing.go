package page

import (
	"encoding/json"
	"slices"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

// order is the order in which trials are kept where not all of them fit, and shown.
var order = []judge.Outcome{judge.Fail, judge.Error, judge.Excluded, judge.Pass}

// key tells trials apart.
type key struct {
	subject, scenario string
	trial             int
}

// listing is the list of trials, by columns: one number each, which for names is the index in a table.
type listing struct {
	Subjects  []string `json:"subjects"`
	Scenarios []string `json:"scenarios"`
	Tags      [][]int  `json:"tags"` // by scenario, indices of TagNames
	TagNames  []string `json:"tagNames"`
	Classes   []string `json:"classes"`
	Details   []string `json:"details"`
	Columns   columns  `json:"columns"`
	LeftOut   int      `json:"leftOut"`

	tables map[*[]string]map[string]int
	rows   map[key]int
}

// columns has one entry for each trial.
type columns struct {
	Subject  []int     `json:"subject"`
	Scenario []int     `json:"scenario"`
	Trial    []int     `json:"trial"`
	Outcome  []int     `json:"outcome"` // index in order
	Class    []int     `json:"class"`   // -1 for none
	Detail   []int     `json:"detail"`
	Tools    []int     `json:"tools"`
	MS       []float64 `json:"ms"`
	Calls    []int     `json:"calls"`
	Prompt   []int     `json:"prompt"`
	Answer   []int     `json:"answer"`
}

// newListing lists the trials that count: those that failed first, then the others in order, up to a limit.
func newListing(logs *report.Logs, rowsMax int) (*listing, error) {
	l := &listing{tables: map[*[]string]map[string]int{}, rows: map[key]int{}}
	var trials []judge.Trial
	if err := logs.Each(func(t judge.Trial) error {
		t.Messages, t.Expected = nil, nil
		t.Detail = judge.Short(t.Detail, detailMax)
		trials = append(trials, t)
		return nil
	}); err != nil {
		return nil, err
	}
	slices.SortStableFunc(trials, func(a, b judge.Trial) int {
		return slices.Index(order, a.Outcome) - slices.Index(order, b.Outcome)
	})
	l.LeftOut = max(0, len(trials)-rowsMax)
	for _, t := range trials[:len(trials)-l.LeftOut] {
		l.add(t)
	}
	return l, nil
}

// index is where a text stands in a table, to which it is added if it is new.
func (l *listing) index(table *[]string, text string) int {
	if text = short(text); text == "" {
		return -1
	}
	if l.tables[table] == nil {
		l.tables[table] = map[string]int{}
	}
	at, ok := l.tables[table][text]
	if !ok {
		at = len(*table)
		*table = append(*table, text)
		l.tables[table][text] = at
	}
	return at
}

func (l *listing) add(t judge.Trial) {
	c := &l.Columns
	l.rows[key{t.Subject, t.Scenario, t.Trial}] = len(c.Trial)
	scenario := l.index(&l.Scenarios, t.Scenario)
	if scenario == len(l.Tags) {
		tags := []int{}
		for _, tag := range t.Tags {
			if at := l.index(&l.TagNames, tag); at >= 0 {
				tags = append(tags, at)
			}
		}
		l.Tags = append(l.Tags, tags)
	}
	class := t.Class
	if class == "" && t.Outcome == judge.Fail {
		class = report.Unclassified
	}
	c.Subject = append(c.Subject, l.index(&l.Subjects, t.Subject))
	c.Scenario = append(c.Scenario, scenario)
	c.Trial = append(c.Trial, t.Trial)
	c.Outcome = append(c.Outcome, slices.Index(order, t.Outcome))
	c.Class = append(c.Class, l.index(&l.Classes, class))
	c.Detail = append(c.Detail, l.index(&l.Details, t.Detail))
	c.Tools = append(c.Tools, t.ToolsOffered)
	c.MS = append(c.MS, float64(int(t.MS*100))/100)
	c.Calls = append(c.Calls, t.LLMCalls)
	c.Prompt = append(c.Prompt, t.PromptTokens)
	c.Answer = append(c.Answer, t.CompletionTokens)
}

// write writes the listing as data of the page. JSON as Go writes it has no angle brackets, so no text can end the
// element.
func (l *listing) write(b *builder) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	b.put("<script type=\"application/json\" id=\"data\">%s</script>\n", raw(text))
	return nil
}
