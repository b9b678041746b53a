package scenario

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// sentenceTable is the vocabulary: every sentence that a scenario may have, once.
//
//go:embed sentences.txt
var sentenceTable string

// Form is a sentence of the vocabulary. What varies in it stands in braces.
type Form struct {
	Group   string `json:"-"` // its heading in the table
	Keyword string `json:"keyword"`
	Form    string `json:"form"`
	Below   string `json:"below,omitempty"` // table or text, where one has to follow
	About   string `json:"about,omitempty"`
	Model   bool   `json:"model,omitempty"`   // for scenarios tagged @model
	Product bool   `json:"product,omitempty"` // for all others

	pattern *regexp.Regexp
	prefix  string // that every text which fits begins with
}

// Forms lists the vocabulary, in the order of the reference page.
var Forms = sync.OnceValue(func() []Form {
	var all []Form
	group, keyword := "", ""
	for line := range strings.Lines(sentenceTable) {
		line = strings.TrimSpace(line)
		users, rest, ok := strings.Cut(line, " ")
		switch {
		case line == "" || users == "#":
		case ok && !strings.HasSuffix(users, ":"):
			f := Form{Group: group, Keyword: keyword, Model: users != "product", Product: users != "model"}
			f.Form, f.About, _ = strings.Cut(strings.TrimSpace(rest), " – ")
			if form, below, ok := strings.Cut(f.Form, ": "); ok {
				f.Form, f.Below = form+":", below
			}
			all = append(all, f.compile())
		default:
			group = line
			keyword = strings.TrimSuffix(users, ":")
		}
	}
	return all
})

// slots are what may stand for a name in braces. Words with | in between are a choice.
var slots = map[string]string{
	"tool":     `[A-Za-z_][A-Za-z0-9_-]*`,
	"name":     `[A-Za-z_][A-Za-z0-9_.-]*`,
	"argument": `[A-Za-z_][A-Za-z0-9_.-]*`,
	"tools":    `[A-Za-z_][A-Za-z0-9_-]*(?:(?:, | and )[A-Za-z_][A-Za-z0-9_-]*)*`,
	"texts":    `"[^"]*"(?:(?:, | or )"[^"]*")*`,
	"count":    `never|once|twice|\d+ times`,
	"n":        `\d+`,
	"number":   `-?\d+(?:\.\d+)?`,
	"phase":    `[A-Z_]+`,
	"path":     `/\S*`,
}

var slot = regexp.MustCompile(`\\\{([A-Za-z|\\]+)\\\}`)

func (f Form) compile() Form {
	pattern := slot.ReplaceAllStringFunc(regexp.QuoteMeta(f.Form), func(found string) string {
		name := strings.ReplaceAll(strings.Trim(found, `\{}`), `\|`, "|")
		switch {
		case strings.Contains(name, "|"):
			return "(" + name + ")"
		case name == "text":
			return `"([^"]*)"`
		}
		return "(" + slots[name] + ")"
	})
	f.pattern = regexp.MustCompile("^" + strings.ReplaceAll(pattern, `\(s\)`, "s?") + "$")
	f.prefix, _ = f.pattern.LiteralPrefix()
	return f
}

// Pattern is the regular expression of the form, with a group for each of its braces.
func (f Form) Pattern() string { return f.pattern.String() }

// WholePattern has one group, which is the whole text.
func (f Form) WholePattern() string {
	return "^(" + group.ReplaceAllString(strings.Trim(f.Pattern(), "^$"), "(?:") + ")$"
}

var group = regexp.MustCompile(`\((?:\?:)?`)

// Args gives what stands for the braces, nil where a text is not of this form.
func (f Form) Args(text string) []string {
	if !strings.HasPrefix(text, f.prefix) {
		return nil
	}
	if match := f.pattern.FindStringSubmatch(text); match != nil {
		return match[1:]
	}
	return nil
}

// of says whether scenarios of a kind may have the sentence.
func (f Form) of(live bool) bool { return live && f.Model || !live && f.Product }

// meaning finds the one form that a step of a scenario has, and what varies in it.
func meaning(known []Form, live bool, step Step) (Form, []string, error) {
	var fits []Form
	var args []string
	for _, f := range known {
		if f.Keyword != step.Keyword || !f.of(live) {
			continue
		}
		if found := f.Args(step.Text); found != nil {
			fits, args = append(fits, f), found
		}
	}
	switch {
	case len(fits) == 0:
		return Form{}, nil, fmt.Errorf("expected a sentence of the vocabulary, found %q; the nearest is: %s",
			step.Keyword+" "+step.Text, nearest(known, live, step))
	case len(fits) > 1:
		return Form{}, nil, fmt.Errorf("%q has two meanings: %q and %q", step.Text, fits[0].Form, fits[1].Form)
	}
	return fits[0], args, nil
}

// understand finds the form of a step and checks what stands below it.
func understand(live bool, step Step) (Form, []string, error) {
	f, args, err := meaning(Forms(), live, step)
	if err != nil {
		if _, _, other := meaning(Forms(), !live, step); other == nil {
			kind := map[bool]string{true: "that are not tagged ", false: "tagged "}[live]
			err = fmt.Errorf("%w; it is a sentence of scenarios %s%s", err, kind, liveTag)
		}
		return f, nil, err
	}
	got := ""
	switch {
	case step.Table != nil:
		got = "table"
	case step.Doc != nil:
		got = "text"
	}
	if got != f.Below {
		wanted := map[string]string{"": "nothing", "table": "a table", "text": `a text in """`}
		return f, nil, fmt.Errorf("expected %s below %q", wanted[f.Below], step.Text)
	}
	return f, args, nil
}

// nearest names the sentence that a step resembles most, with its keyword.
func nearest(known []Form, live bool, step Step) string {
	best, least := "", -1
	words := strings.Fields(step.Keyword + " " + quoted.ReplaceAllString(step.Text, `"{text}"`))
	for _, f := range known {
		if !f.of(live) {
			continue
		}
		form := f.Keyword + " " + strings.ReplaceAll(f.Form, "{text}", `"{text}"`)
		if d := edits(words, strings.Fields(form), wordCost); least < 0 || d < least {
			best, least = f.Keyword+" "+f.Form, d
		}
	}
	return best
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// oneEdit is what it costs to put something in or to take it out.
const oneEdit = 2

// wordCost is what it costs to put a word of a form for one of a step.
func wordCost(word, other string) int {
	switch {
	case strings.HasPrefix(other, "{"):
		return oneEdit / 2
	case word != other:
		return oneEdit
	}
	return 0
}

// edits is the least that it costs to make one list from another.
func edits[T any](from, to []T, replace func(one, other T) int) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = oneEdit * j
	}
	for i, one := range from {
		corner := row[0]
		row[0] = oneEdit * (i + 1)
		for j, other := range to {
			corner, row[j+1] = row[j+1], min(row[j+1]+oneEdit, row[j]+oneEdit, corner+replace(one, other))
		}
	}
	return row[len(to)]
}
