package flows

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"chatterbox/loop/route"
)

// sentenceSource is a file with a language's grammar.
type sentenceSource struct {
	grammar route.Grammar
	file    string
	root    ast.Node
}

// sentencesOf reads the grammars among the files. A file with mistakes is left out; the error joins them.
func sentencesOf(files []file) (*route.Sentences, error) {
	var sources []sentenceSource
	var errs []error
	for _, f := range files {
		if f.kind() != kindSentences {
			continue
		}
		source, err := parseSentences(f)
		if err == nil {
			err = source.check()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sources = append(sources, source)
	}
	grammars := make([]route.Grammar, len(sources))
	for i, source := range sources {
		grammars[i] = source.grammar
	}
	sentences, err := route.NewSentences(grammars)
	return sentences, errors.Join(append(errs, err)...)
}

func parseSentences(f file) (sentenceSource, error) {
	source := sentenceSource{file: f.name}
	if known, ok := parsed().Sentences[f.name]; f.checked && ok {
		source.grammar = known
		return source, nil
	}
	var err error
	if source.root, err = f.tree("write it out"); err != nil {
		return source, err
	}
	if !f.checked {
		if errs := unknownKeys(f.name, source.root, reflect.TypeFor[route.Grammar]()); len(errs) > 0 {
			return source, errors.Join(errs...)
		}
	}
	if err := yaml.NodeToValue(source.root, &source.grammar); err != nil {
		return source, placed(f.name, err)
	}
	source.grammar.Checked = f.checked
	return source, nil
}

// check tells the mistakes of one grammar with their places.
func (s sentenceSource) check() error {
	if s.grammar.Checked {
		return nil
	}
	_, err := route.NewSentences([]route.Grammar{s.grammar})
	var errs []error
	for _, problem := range unjoin(err) {
		var mistake *route.Mistake
		if errors.As(problem, &mistake) {
			at := workflowSource{file: s.file, root: s.root}
			problem = at.place(mistake.Field, fmt.Errorf("%w", mistake))
		}
		errs = append(errs, problem)
	}
	return errors.Join(errs...)
}
