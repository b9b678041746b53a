package scenario

import (
	"fmt"
	"strings"
)

// This file reads features: Gherkin in English, without Rule. Every mistake has file and line and says what was expected.

// Step is one sentence of a scenario with what is written below it.
type Step struct {
	Line    int
	Keyword string // Given, When or Then; And and But are what stands before them
	Text    string
	Table   [][]string // nil without one
	Doc     *string    // nil without one
}

// block is a background, a scenario or an outline, as it is written.
type block struct {
	name     string
	line     int
	tags     []string
	steps    []Step
	outline  bool
	examples []examples
}

type examples struct {
	line  int
	tags  []string
	table [][]string
}

// feature is a file.
type feature struct {
	name       string
	tags       []string
	background []Step
	blocks     []block
}

// syntaxError is a place that cannot be read.
type syntaxError struct {
	file string
	line int
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.what) }

// reader reads one file, line by line.
type reader struct {
	file  string
	lines []string
	at    int // of the line that is read next

	feature  feature
	named    bool     // the feature has begun
	tags     []string // for what comes next
	steps    *[]Step  // of what is being read; nil where no step may stand
	keyword  string   // of the step before
	table    *[][]string
	prose    bool // lines of description may follow
	current  *block
	sampling bool // the rows of a table belong to examples
}

func parse(file, text string) (feature, error) {
	r := &reader{file: file, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for r.at < len(r.lines) {
		line := strings.TrimSpace(r.lines[r.at])
		r.at++
		if err := r.line(line); err != nil {
			return feature{}, err
		}
	}
	if err := r.finish(); err != nil {
		return feature{}, err
	}
	return r.feature, nil
}

func (r *reader) wrong(format string, args ...any) error {
	return &syntaxError{r.file, r.at, fmt.Sprintf(format, args...)}
}

func (r *reader) line(line string) error {
	switch {
	case line == "":
		return nil
	case strings.HasPrefix(line, "#"):
		return r.comment(line)
	case strings.HasPrefix(line, "@"):
		return r.tagLine(line)
	case strings.HasPrefix(line, "|"):
		return r.row(line)
	case strings.HasPrefix(line, `"""`), strings.HasPrefix(line, "```"):
		return r.doc(line[:3])
	}
	if word, title, ok := strings.Cut(line, ":"); ok {
		if handled, err := r.heading(word, strings.TrimSpace(title)); handled || err != nil {
			return err
		}
	}
	for _, keyword := range []string{"Given", "When", "Then", "And", "But", "*"} {
		if rest, ok := strings.CutPrefix(line, keyword+" "); ok {
			return r.step(keyword, strings.TrimSpace(rest))
		}
	}
	if r.prose {
		return nil
	}
	return r.wrong("expected %s, found %q", r.expected(), line)
}

// expected names what may stand at the place that is read.
func (r *reader) expected() string {
	switch {
	case !r.named:
		return "Feature:"
	case r.steps == nil:
		return "Scenario:, Scenario Outline:, Background: or a tag"
	}
	return "a step (Given, When, Then, And, But), a table, a text in \"\"\", Examples: or the next Scenario:"
}

func (r *reader) comment(line string) error {
	key, value, ok := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "#")), ":")
	if ok && strings.TrimSpace(key) == "language" && !r.named && strings.TrimSpace(value) != "en" {
		return r.wrong("expected a feature in English, found language %q: only the keywords have to be English", strings.TrimSpace(value))
	}
	return nil
}

func (r *reader) tagLine(line string) error {
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "#") {
			break
		}
		if !strings.HasPrefix(word, "@") || len(word) == 1 {
			return r.wrong("expected a tag that begins with @, found %q", word)
		}
		r.tags = append(r.tags, word)
	}
	r.table, r.prose = nil, false
	return nil
}

// heading reads a line such as "Scenario: name" and says whether it is one.
func (r *reader) heading(word, title string) (bool, error) {
	switch word {
	case "Feature":
		if r.named {
			return true, r.wrong("expected one Feature in a file, found another: %q", title)
		}
		r.feature.name, r.feature.tags, r.named = title, r.take(), true
	case "Background", "Scenario", "Example", "Scenario Outline", "Scenario Template":
		if !r.named {
			return true, r.wrong("expected Feature: before %s:", word)
		}
		return true, r.begin(word, title)
	case "Examples", "Scenarios":
		if r.current == nil || !r.current.outline {
			return true, r.wrong("expected Examples below a Scenario Outline")
		}
		r.current.examples = append(r.current.examples, examples{line: r.at, tags: r.take()})
		r.sampling = true
		r.steps, r.table = nil, &r.current.examples[len(r.current.examples)-1].table
	case "Rule":
		return true, r.wrong("expected Scenario:, found Rule:, which is not supported")
	default:
		return false, nil
	}
	r.prose = true
	return true, nil
}

// begin begins a background, a scenario or an outline.
func (r *reader) begin(word, title string) error {
	tags := r.take()
	r.table, r.keyword, r.prose, r.sampling = nil, "", true, false
	if word == "Background" {
		if len(tags) > 0 || len(r.feature.blocks) > 0 || r.feature.background != nil {
			return r.wrong("expected one Background, without tags, before all scenarios")
		}
		r.feature.background, r.current = []Step{}, nil
		r.steps = &r.feature.background
		return nil
	}
	if title == "" {
		return r.wrong("expected a name after %s:, since results are told apart by it", word)
	}
	r.feature.blocks = append(r.feature.blocks, block{
		name: title, line: r.at, tags: tags, outline: word == "Scenario Outline" || word == "Scenario Template",
	})
	r.current = &r.feature.blocks[len(r.feature.blocks)-1]
	r.steps = &r.current.steps
	return nil
}

func (r *reader) take() []string {
	tags := r.tags
	r.tags = nil
	return tags
}

func (r *reader) step(keyword, text string) error {
	if r.steps == nil || len(r.tags) > 0 {
		return r.wrong("expected %s, found a step", r.expected())
	}
	if keyword == "And" || keyword == "But" || keyword == "*" {
		if keyword = r.keyword; keyword == "" {
			return r.wrong("expected Given, When or Then: there is no step before this one")
		}
	}
	r.keyword, r.prose = keyword, false
	*r.steps = append(*r.steps, Step{Line: r.at, Keyword: keyword, Text: text})
	r.table = &(*r.steps)[len(*r.steps)-1].Table
	return nil
}

// row reads a row of a table.
func (r *reader) row(line string) error {
	if r.table == nil {
		return r.wrong("expected a step or Examples: above a table")
	}
	if len(line) < 2 || !strings.HasSuffix(line, "|") {
		return r.wrong("expected the row of a table to end with |")
	}
	var cells []string
	var one strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '|':
			cells = append(cells, strings.TrimSpace(one.String()))
			one.Reset()
		case c == '\\' && i+1 < len(line) && strings.IndexByte(`|\n`, line[i+1]) >= 0:
			i++
			if line[i] == 'n' {
				one.WriteByte('\n')
			} else {
				one.WriteByte(line[i])
			}
		default:
			one.WriteByte(c)
		}
	}
	if rows := *r.table; len(rows) > 0 && len(rows[0]) != len(cells) {
		return r.wrong("expected %d cells as in the first row, found %d", len(rows[0]), len(cells))
	}
	*r.table, r.prose = append(*r.table, cells), false
	return nil
}

// doc reads a text of several lines, to the line that ends it.
func (r *reader) doc(fence string) error {
	if r.steps == nil || len(*r.steps) == 0 || r.prose {
		return r.wrong("expected a step above a text")
	}
	step := &(*r.steps)[len(*r.steps)-1]
	if step.Doc != nil || step.Table != nil {
		return r.wrong("expected one table or text below a step")
	}
	opening, began := r.lines[r.at-1], r.at
	indent := len(opening) - len(strings.TrimLeft(opening, " \t"))
	var text []string
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		if strings.TrimSpace(line) == fence {
			r.at++
			joined := strings.Join(text, "\n")
			step.Doc, r.table = &joined, nil
			return nil
		}
		cut := min(indent, len(line)-len(strings.TrimLeft(line, " \t")))
		text = append(text, line[cut:])
	}
	r.at = began
	return r.wrong("expected %s at the end of the text that begins here", fence)
}

// finish checks what only the end of the file shows.
func (r *reader) finish() error {
	r.at = len(r.lines)
	switch {
	case !r.named:
		return r.wrong("expected Feature:, found the end of the file")
	case len(r.tags) > 0:
		return r.wrong("expected Scenario: after the tags, found the end of the file")
	}
	for _, b := range r.feature.blocks {
		r.at = b.line
		if len(b.steps) == 0 {
			return r.wrong("expected steps in scenario %q", b.name)
		}
		if b.outline && len(b.examples) == 0 {
			return r.wrong("expected Examples: in the outline %q", b.name)
		}
		for _, e := range b.examples {
			if r.at = e.line; len(e.table) < 2 {
				return r.wrong("expected a table with a row that names the columns and one more")
			}
		}
	}
	return nil
}
