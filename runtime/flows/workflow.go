package flows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"chatterbox/loop/workflow"
	"chatterbox/runtime/extract"
)

// workflowDocument is a file with a workflow.
type workflowDocument struct {
	workflow.Definition `yaml:",inline"`
	Define              map[string]string `yaml:"define"` // parts of patterns, as in a file of rules
}

// The keys by which a file says what it holds, where that is no rules of the router.
const (
	kindWorkflow  = "workflow"
	kindSpeech    = "speech"
	kindSentences = "sentences"
)

// isWorkflow says whether a file is a workflow or a speech, also where it is broken otherwise.
func (f file) isWorkflow() bool { return f.kind() == kindWorkflow || f.kind() == kindSpeech }

// kind is the key by which a file says that it holds no rules of the router, or empty.
func (f file) kind() string {
	for line := range bytes.Lines(f.text) {
		for _, key := range []string{kindWorkflow, kindSpeech, kindSentences} {
			rest, found := bytes.CutPrefix(line, []byte(key))
			if found && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte(":")) {
				return key
			}
		}
	}
	return ""
}

// Workflows reads all workflows, and how languages are spoken in them. A file with mistakes is left out and the others
// work, so the workflows are never nil; the error joins the mistakes, each with its file, line and column. The user's
// files replace those that are built in, by the workflow's name; where the user's has a mistake, the built-in one
// stays.
func Workflows(options Options) (*workflow.Flows, error) {
	files, unread := options.files()
	set, err := compileWorkflows(files, options)
	return set, errors.Join(unread, err)
}

// CheckWorkflow reads one file, as it would be beside the built-in ones, and tells its mistakes. Name is the
// workflow's, or empty for a speech, of which lacks lists the sentences that are said in English.
func CheckWorkflow(path string, options Options) (name string, lacks []string, err error) {
	text, err := readFile(path)
	if err != nil {
		return "", nil, err
	}
	one := file{name: path, text: text}
	if !one.isWorkflow() {
		return "", nil, fmt.Errorf("%s: is no workflow; the first key must be workflow: NAME", path)
	}
	parsed, err := parseWorkflow(one)
	if err != nil {
		return parsed.definition.Name, nil, err
	}
	files, err := builtIn()
	if err != nil {
		return "", nil, err
	}
	set, err := compileWorkflows(append(files, one), Options{})
	if parsed.speech != nil {
		lacks = set.Lacks(parsed.speech.Language)
	}
	return parsed.definition.Name, lacks, errors.Join(err, parsed.wrongTools(options))
}

// WorkflowFiles lists the files of a folder that hold a workflow or a speech, with the folder. An absent folder has
// none.
func WorkflowFiles(dir string) ([]string, error) {
	files, err := readDir(os.DirFS(dir), ".", dir)
	var names []string
	for _, f := range files {
		if f.isWorkflow() {
			names = append(names, f.name)
		}
	}
	return names, err
}

// compileWorkflows gives all files that can be read to the machine.
func compileWorkflows(files []file, options Options) (*workflow.Flows, error) {
	var definitions, speeches []workflowSource
	var errs []error
	for _, f := range files {
		if !f.isWorkflow() {
			continue
		}
		s, err := parseWorkflow(f)
		switch {
		case err != nil:
			errs = append(errs, err)
		case s.speech != nil:
			speeches = append(speeches, s)
		default:
			if err := s.wrongTools(options); err != nil {
				errs = append(errs, err)
				continue
			}
			definitions = append(definitions, s)
		}
	}
	sentences, err := sentencesOf(files)
	if err != nil {
		errs = append(errs, err)
		sentences, _ = sentencesOf(slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !f.checked }))
	}
	ds, ss := make([]workflow.Definition, len(definitions)), make([]workflow.Speech, len(speeches))
	for i, d := range definitions {
		ds[i] = d.definition
		ds[i].Guard = sentences.NoCommand
	}
	for i, s := range speeches {
		ss[i] = *s.speech
	}
	set, err := workflow.Compile(ds, ss, Extractors())
	errs = append(errs, located(err, func(mistake *workflow.Error) error {
		sources := definitions
		if mistake.Speech {
			sources = speeches
		}
		at := sources[mistake.Index].origin
		if mistake.Name == "" {
			return at.mistake(mistake.Field, mistake)
		}
		return at.mistake(mistake.Field, fmt.Errorf("%w%s", mistake, Suggestion(mistake.Name, mistake.Known)))
	}))
	return set, errors.Join(errs...)
}

// Extractors are those of runtime/extract, for workflows.
func Extractors() map[string]workflow.Extractor {
	all := map[string]workflow.Extractor{}
	for _, kind := range extract.Kinds() {
		find, _ := extract.For(kind)
		all[kind] = func(text string, in workflow.Context) []workflow.Match {
			found := find(text, extract.Context(in))
			matches := make([]workflow.Match, len(found))
			for i, match := range found {
				matches[i] = workflow.Match(match)
			}
			return matches
		}
	}
	return all
}

// workflowSource is a file as it was read.
type workflowSource struct {
	origin
	definition workflow.Definition
	speech     *workflow.Speech // where the file holds one
}

func parseWorkflow(f file) (workflowSource, error) {
	s := workflowSource{origin: origin{file: f.name}}
	if f.checked {
		if speech, ok := parsed().Speeches[f.name]; ok {
			s.speech = &speech
			return s, nil
		}
		if known, ok := parsed().Workflows[f.name]; ok {
			s.definition = known
			return s, nil
		}
	}
	return s.parse(f)
}

func (s workflowSource) parse(f file) (workflowSource, error) {
	var document workflowDocument
	var into any = &document
	if f.kind() == kindSpeech {
		s.speech = &workflow.Speech{}
		into = s.speech
	}
	var err error
	if s.origin, err = f.decode(into); err != nil {
		return s, err
	}
	s.definition = document.Definition
	s.definition.Checked = f.checked
	return s, s.expand(document.Define)
}

// expand puts the parts of define into the triggers' and answers' patterns.
func (s *workflowSource) expand(define map[string]string) error {
	var errs []error
	with := document{Define: define}
	put := func(at string, list []string) {
		for i, text := range list {
			expanded, err := with.expand(text)
			if err != nil {
				field := fmt.Sprintf("%s[%d]", at, i)
				errs = append(errs, s.mistake(field, fmt.Errorf("%s: %w", field, err)))
			}
			list[i] = expanded
		}
	}
	for language, trigger := range s.definition.Triggers {
		put("triggers."+language+".patterns", trigger.Patterns)
		put("triggers."+language+".unless", trigger.Unless)
	}
	for i, field := range s.definition.Fields {
		for language, patterns := range field.Patterns {
			put(fmt.Sprintf("fields[%d].patterns.%s", i, language), patterns)
		}
	}
	for i, answer := range s.definition.Answers {
		for language, patterns := range answer.Patterns {
			put(fmt.Sprintf("answers[%d].patterns.%s", i, language), patterns)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// wrongTools complains about tools that are not installed, and about those that are called without a yes and must not
// be. Where Tools is nil nothing is looked at.
func (s *workflowSource) wrongTools(options Options) error {
	if options.Tools == nil {
		return nil
	}
	var errs []error
	for i, phase := range s.definition.Phases {
		for at, use := range map[string]*workflow.Use{"check": phase.Check, "call": phase.Call} {
			if use == nil || use.Tool == "" {
				continue
			}
			field := fmt.Sprintf("phases[%d].%s", i, at)
			if !slices.Contains(options.Tools, use.Tool) {
				hint := Suggestion(use.Tool, options.Tools)
				errs = append(errs, s.mistake(field+".tool", fmt.Errorf("%s.tool: there is no tool %q%s", field, use.Tool, hint)))
			} else if use.Unasked && !slices.Contains(options.Reversible, use.Tool) {
				errs = append(errs, s.mistake(field+".unasked", fmt.Errorf("%s.unasked: %s asks for a yes; "+
					"let a phase with confirmed lead to it", field, use.Tool)))
			}
		}
	}
	return errors.Join(errs...)
}

// readFile reads as much of a file as shows that it is too large.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, fileMaxBytes+1))
}
