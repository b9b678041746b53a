package flows

import (
	"errors"

	"chatterbox/loop/route"
)

// sentenceSource is a file with a language's grammar.
type sentenceSource struct {
	origin
	grammar route.Grammar
}

// sentencesOf reads the grammars among the files. A file with mistakes is left out; the error joins them.
func sentencesOf(files []file) (*route.Sentences, error) {
	var grammars []route.Grammar
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
		grammars = append(grammars, source.grammar)
	}
	sentences, err := route.NewSentences(grammars)
	return sentences, errors.Join(append(errs, err)...)
}

func parseSentences(f file) (s sentenceSource, err error) {
	if known, ok := parsed().Sentences[f.name]; f.checked && ok {
		return sentenceSource{grammar: known}, nil
	}
	s.origin, err = f.decode(&s.grammar)
	s.grammar.Checked = f.checked
	return s, err
}

// check tells the mistakes of one grammar with their places.
func (s sentenceSource) check() error {
	if s.grammar.Checked {
		return nil
	}
	_, err := route.NewSentences([]route.Grammar{s.grammar})
	return located(err, func(mistake *route.Mistake) error { return s.mistake(mistake.Field, mistake) })
}
