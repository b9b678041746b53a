package scenario

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// This file checks scenarios that are not scored on models. Who runs them has a vocabulary of its own, which says what the
// product must do; only its list is here, so that a mistake in such a scenario is found without running it.

// productList has a sentence a line: a keyword and a pattern. evals/steps writes it, and its tests hold it.
//
//go:embed product.txt
var productList string

// productSentences gives the sentences of scenarios that are not tagged @model.
var productSentences = sync.OnceValue(func() []sentence {
	var all []sentence
	for line := range strings.Lines(productList) {
		keyword, pattern, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		s := sentence{keyword: keyword, form: readable.Replace(pattern), pattern: regexp.MustCompile("^" + pattern + "$")}
		s.prefix, _ = s.pattern.LiteralPrefix()
		all = append(all, s)
	}
	return all
})

// ProductVocabulary lists the sentences that a scenario may use which is not tagged @model.
func ProductVocabulary() []Form { return forms(productSentences(), true) }

// readable writes what varies in a pattern as the other vocabulary does.
var readable = strings.NewReplacer(
	`((?:([A-Za-z_][A-Za-z0-9_.-]*)(?:, | and )?)+)`, "{names}",
	`((?:"([^"]*)"(?:, | or )?)+)`, "{texts}",
	`([A-Za-z_][A-Za-z0-9_.-]*)`, "{name}",
	`"([^"]*)"`, "{text}",
	`(never|once|twice|\d+ times)`, "{count}",
	`(\d+)`, "{n}",
	`([A-Z_]+)`, "{phase}",
	`(/\S*)`, "{path}",
	`seconds?`, "seconds",
	"(", "{", ")", "}", // a choice of words
)

// checkProduct says what is wrong with the sentences of a scenario that is not tagged @model: the first mistake.
func checkProduct(scenario Scenario) error {
	known := productSentences()
	for _, step := range scenario.Steps {
		s, _, err := meaning(known, step)
		block := strings.HasSuffix(s.form, ":")
		switch {
		case err != nil:
			if _, _, other := meaning(vocabulary(), step); other == nil {
				err = fmt.Errorf("%w; it is a sentence of scenarios tagged %s", err, liveTag)
			}
		case block && step.Table == nil && step.Doc == nil:
			err = fmt.Errorf(`expected a table or a text in """ below %q`, step.Text)
		case !block && (step.Table != nil || step.Doc != nil):
			err = fmt.Errorf("expected nothing below %q", step.Text)
		}
		if err != nil {
			return &syntaxError{scenario.File, step.Line, err.Error()}
		}
	}
	return nil
}
