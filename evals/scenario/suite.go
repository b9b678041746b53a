// Package scenario reads features: the sentences that they may use, what those say of models, the catalogue of tools
// that are offered. It says what is to be done and what is expected; it runs nothing.
package scenario

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// catalogueName is the file beside features that has the tools which they may offer.
const catalogueName = "tools.json"

// featureBytesMax bounds a feature, and a catalogue.
const featureBytesMax = 4 << 20

// Suite is a folder of features that was read.
type Suite struct {
	Scenarios []Scenario
	catalogue []Tool
}

// Open reads all features below a folder. Every mistake is reported, those of sentences too.
func Open(files fs.FS) (*Suite, error) {
	s := &Suite{}
	var features []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
		case path.Ext(name) == ".feature":
			features = append(features, name)
		case path.Base(name) == catalogueName:
			return s.addTools(files, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(features) == 0 {
		return nil, errors.New("there is no .feature file")
	}
	found := &mistakes{seen: map[string]bool{}}
	ids := map[string]Scenario{}
	for _, name := range features {
		scenarios, err := readFeature(files, name)
		found.add(err)
		for i, one := range scenarios {
			if found.full() {
				break
			}
			if other, ok := ids[one.ID]; ok {
				const what = "expected another name: %q is also in %s:%d; of an outline, put a column into the name"
				found.add(&syntaxError{one.File, one.Line, fmt.Sprintf(what, one.Name, other.File, other.Line)})
			}
			ids[one.ID] = one
			if !one.Live {
				found.add(checkSentences(one))
				continue
			}
			plan, err := s.Plan(one)
			found.add(err)
			scenarios[i].Digest = digest(one.Steps, plan.Tools)
		}
		s.Scenarios = append(s.Scenarios, scenarios...)
	}
	return s, errors.Join(found.list...)
}

// checkSentences says what is wrong with the sentences of a scenario that is not tagged @model: the first mistake.
func checkSentences(scenario Scenario) error {
	for _, step := range scenario.Steps {
		if _, _, err := understand(false, step); err != nil {
			return &syntaxError{scenario.File, step.Line, err.Error()}
		}
	}
	return nil
}

// mistakesMax is how many mistakes are told at once.
const mistakesMax = 50

// mistakes are told each once, also where the rows of an outline have them all.
type mistakes struct {
	list []error
	seen map[string]bool
}

func (m *mistakes) add(err error) {
	if err == nil || m.full() || m.seen[err.Error()] {
		return
	}
	m.seen[err.Error()] = true
	if m.list = append(m.list, err); m.full() {
		m.list = append(m.list, errors.New("there may be more mistakes"))
	}
}

func (m *mistakes) full() bool { return len(m.list) >= mistakesMax }

func readFeature(files fs.FS, name string) ([]Scenario, error) {
	text, err := readText(files, name)
	if err != nil {
		return nil, err
	}
	return parse(name, text)
}

func readText(files fs.FS, name string) (string, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return "", err
	}
	if info.Size() > featureBytesMax {
		return "", fmt.Errorf("%s has %d bytes, more than %d", name, info.Size(), featureBytesMax)
	}
	text, err := fs.ReadFile(files, name)
	return strings.TrimPrefix(string(text), "\ufeff"), err
}

// toolName is what model servers accept as a name.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`) })

func (s *Suite) addTools(files fs.FS, name string) error {
	text, err := readText(files, name)
	if err != nil {
		return err
	}
	var tools []Tool
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&tools); err != nil {
		return fmt.Errorf("%s: expected a list of tools with name, description, parameters and answer: %w", name, err)
	}
	for _, tool := range tools {
		if err := tool.check(); err != nil {
			return fmt.Errorf("%s: tool %q: %w", name, tool.Name, err)
		}
		if _, ok := s.tool(tool.Name); ok {
			return fmt.Errorf("%s: tool %q stands twice", name, tool.Name)
		}
		s.catalogue = append(s.catalogue, tool)
	}
	return nil
}

func (t Tool) check() error {
	switch {
	case !toolName().MatchString(t.Name):
		return errors.New("expected a name of letters, digits, _ and -")
	case t.Description == "":
		return errors.New("expected a description")
	case len(t.Parameters) == 0 || t.Parameters[0] != '{':
		return errors.New("expected parameters, the JSON schema of an object")
	case len(t.Answer) == 0 || t.Answer[0] != '{':
		return errors.New("expected an answer, a JSON object")
	case !slices.Contains([]string{"", "read", "write", "irreversible"}, t.Effects):
		return errors.New("expected effects read, write or irreversible")
	}
	return nil
}

func (s *Suite) tool(name string) (Tool, bool) {
	at := slices.IndexFunc(s.catalogue, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return Tool{}, false
	}
	return s.catalogue[at], true
}

// CatalogueSize is how many tools can be offered.
func (s *Suite) CatalogueSize() int { return len(s.catalogue) }

// Offered gives the tools of a trial: those of the plan and as many others as there are to be n in all, or as the plan
// says where n is 0. The seed draws the others and the order; the same seed offers more tools by adding to them.
func (s *Suite) Offered(plan Plan, n int, seed uint64) ([]Tool, error) {
	others := plan.Others
	if n > 0 {
		others = n - len(plan.Tools)
	}
	dice := func(use string) *rand.Rand {
		return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d %s %s", seed, plan.Scenario.ID, use))))
	}
	rest := slices.DeleteFunc(slices.Clone(s.catalogue), func(t Tool) bool {
		return t.Apart || slices.ContainsFunc(plan.Tools, func(own Tool) bool { return own.Name == t.Name })
	})
	if others < 0 || others > len(rest) {
		own := len(plan.Tools)
		return nil, fmt.Errorf("%s names tools, %d of them, and %s has %d others: %d in all cannot be offered",
			plan.Scenario.ID, own, catalogueName, len(rest), own+others)
	}
	dice("others").Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	offered := append(slices.Clone(plan.Tools), rest[:others]...)
	dice("order").Shuffle(len(offered), func(i, j int) { offered[i], offered[j] = offered[j], offered[i] })
	return offered, nil
}
