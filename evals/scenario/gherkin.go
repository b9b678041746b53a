package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v26"
	"github.com/cucumber/messages/go/v21"
)

// This file reads features: Gherkin in English, without Rule. Every mistake has file and line and says what was
// expected.

// Step is one sentence of a scenario with what is written below it.
type Step struct {
	Line    int
	Keyword string // Given, When or Then; And and But are what stands before them
	Text    string
	Table   [][]string // nil without one
	Doc     *string    // nil without one
}

// syntaxError is a place that cannot be read.
type syntaxError struct {
	file string
	line int
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.what) }

// reader reads one file.
type reader struct {
	file  string
	lines []string
	at    map[string]*messages.Location // of what has an id
}

func parse(file, text string) ([]Scenario, error) {
	r := &reader{file, strings.Split(text, "\n"), map[string]*messages.Location{}}
	ids := 0
	newID := func() string { ids++; return strconv.Itoa(ids) }
	document, err := gherkin.ParseGherkinDocument(strings.NewReader(text), newID)
	if err != nil {
		return nil, r.syntax(err)
	}
	if document.Feature == nil {
		return nil, r.wrong(&messages.Location{Line: 1}, "expected Feature:, found the end of the file")
	}
	if err := r.check(document.Feature); err != nil {
		return nil, err
	}
	var out []Scenario
	for _, pickle := range gherkin.Pickles(*document, file, newID) {
		one, err := r.scenario(pickle)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (r *reader) wrong(at *messages.Location, format string, args ...any) error {
	return &syntaxError{r.file, int(at.Line), fmt.Sprintf(format, args...)}
}

// check finds what Gherkin allows and scenarios here must not have, and notes where things stand.
func (r *reader) check(feature *messages.Feature) error {
	if feature.Language != "en" {
		at := &messages.Location{Line: 1}
		for !strings.Contains(r.lines[at.Line-1], "language") {
			at.Line++
		}
		return r.wrong(at, "expected a feature in English, found language %q: only the keywords have to be English",
			feature.Language)
	}
	if err := r.checkDescription(feature.Location, feature.Description); err != nil {
		return err
	}
	for _, child := range feature.Children {
		var err error
		switch {
		case child.Rule != nil:
			err = r.wrong(child.Rule.Location, "expected Scenario:, found Rule:, which is not supported")
		case child.Background != nil:
			err = r.checkSteps(child.Background.Steps)
		case child.Scenario != nil:
			err = r.checkScenario(child.Scenario)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) checkScenario(s *messages.Scenario) error {
	r.at[s.Id] = s.Location
	switch {
	case s.Name == "":
		return r.wrong(s.Location, "expected a name after %s:, since results are told apart by it", s.Keyword)
	case len(s.Steps) == 0:
		return r.wrong(s.Location, "expected steps in scenario %q", s.Name)
	case strings.HasPrefix(s.Keyword, "Scenario ") && len(s.Examples) == 0:
		return r.wrong(s.Location, "expected Examples: in the outline %q", s.Name)
	}
	for _, e := range s.Examples {
		if len(e.TableBody) == 0 {
			return r.wrong(e.Location, "expected a table with a row that names the columns and one more")
		}
		if err := r.checkRows(append(e.TableBody, e.TableHeader)); err != nil {
			return err
		}
	}
	return r.checkSteps(s.Steps)
}

func (r *reader) checkSteps(steps []*messages.Step) error {
	for i, s := range steps {
		r.at[s.Id] = s.Location
		if strings.TrimSpace(s.Keyword) == "*" {
			s.KeywordType = messages.StepKeywordType_CONJUNCTION
		}
		if i == 0 && s.KeywordType == messages.StepKeywordType_CONJUNCTION {
			return r.wrong(s.Location, "expected Given, When or Then: there is no step before this one")
		}
		if s.DataTable != nil {
			if err := r.checkRows(s.DataTable.Rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// stepBegins is how a step begins.
var stepBegins = regexp.MustCompile(`^(?:Given|When|Then|And|But|\*) `)

// checkDescription finds a step where Gherkin takes words for a description: below Feature:, with no Scenario: before
// it.
func (r *reader) checkDescription(of *messages.Location, description string) error {
	for i, line := range strings.Split(description, "\n") {
		if line = strings.TrimSpace(line); stepBegins.MatchString(line) {
			at := &messages.Location{Line: of.Line + int64(i) + 1}
			for int(at.Line) < len(r.lines) && strings.TrimSpace(r.lines[at.Line-1]) != line {
				at.Line++
			}
			return r.wrong(at, "expected Scenario:, Scenario Outline:, Background: or a tag, found a step")
		}
	}
	return nil
}

// checkRows finds what would be left out: what stands behind the last | of a row.
func (r *reader) checkRows(rows []*messages.TableRow) error {
	for _, row := range rows {
		r.at[row.Id] = row.Location
		if !strings.HasSuffix(strings.TrimSpace(r.lines[row.Location.Line-1]), "|") {
			return r.wrong(row.Location, "expected the row of a table to end with |")
		}
	}
	return nil
}

// scenario makes one of what Gherkin compiled.
func (r *reader) scenario(pickle *messages.Pickle) (Scenario, error) {
	var tags []string
	for _, tag := range pickle.Tags {
		tags = append(tags, tag.Name)
	}
	keywords := map[messages.PickleStepType]string{
		messages.PickleStepType_CONTEXT: "Given", messages.PickleStepType_ACTION: "When",
		messages.PickleStepType_OUTCOME: "Then",
	}
	var steps []Step
	for _, s := range pickle.Steps {
		step := Step{Line: int(r.at[s.AstNodeIds[0]].Line), Keyword: keywords[s.Type], Text: s.Text}
		if s.Argument != nil && s.Argument.DocString != nil {
			step.Doc = &s.Argument.DocString.Content
		}
		if s.Argument != nil && s.Argument.DataTable != nil {
			for _, row := range s.Argument.DataTable.Rows {
				var cells []string
				for _, cell := range row.Cells {
					cells = append(cells, cell.Value)
				}
				step.Table = append(step.Table, cells)
			}
		}
		steps = append(steps, step)
	}
	at := r.at[pickle.AstNodeIds[len(pickle.AstNodeIds)-1]]
	return newScenario(r.file, pickle.Name, int(at.Line), tags, steps)
}

var (
	parserError    = regexp.MustCompile(`(?m)^\((\d+):\d+\): (.*)$`)
	parserExpected = regexp.MustCompile(`expected: (.*?)(?:, got '(.*)')?$`)
)

// syntax words the first error of the parser as the others are worded.
func (r *reader) syntax(err error) error {
	found := parserError.FindStringSubmatch(err.Error())
	if found == nil {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	line, _ := strconv.Atoi(found[1]) // the pattern's digits
	at, what := &messages.Location{Line: int64(line)}, found[2]
	expected := parserExpected.FindStringSubmatch(what)
	switch {
	case strings.Contains(what, "inconsistent cell count"):
		return r.wrong(at, "expected as many cells as in the first row of the table")
	case strings.Contains(what, "whitespace"):
		return r.wrong(at, "expected tags that begin with @ and have no spaces, found %q", strings.TrimSpace(r.lines[line-1]))
	case expected == nil:
		return r.wrong(at, "%s", what)
	}
	found[2] = "the end of the file"
	if expected[2] != "" {
		found[2] = strconv.Quote(expected[2])
	}
	return r.wrong(at, "expected %s, found %s", inWords(expected[1]), found[2])
}

// inWords names the parser's tokens as people write them.
func inWords(tokens string) string {
	var out []string
	for _, token := range [][2]string{
		{"#FeatureLine", "Feature:"}, {"#StepLine", "a step (Given, When, Then, And, But)"}, {"#TableRow", "a table"},
		{"#DocStringSeparator", `a text in """`}, {"#ExamplesLine", "Examples:"}, {"#BackgroundLine", "Background:"},
		{"#ScenarioLine", "Scenario:"}, {"#TagLine", "a tag"},
	} {
		if strings.Contains(tokens, token[0]) {
			out = append(out, token[1])
		}
	}
	return strings.Join(out, ", ")
}
