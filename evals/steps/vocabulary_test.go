package steps

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cucumber/godog"
)

// TestEverySentenceFitsItsFunction compares what a pattern captures with what its function takes: godog would only
// notice in the scenario that first uses the sentence.
func TestEverySentenceFitsItsFunction(t *testing.T) {
	var (
		withContext = reflect.TypeFor[context.Context]()
		withTable   = reflect.TypeFor[*godog.Table]()
		withText    = reflect.TypeFor[*godog.DocString]()
	)
	seen := map[string]bool{}
	w := newWorld(nil)
	for _, part := range [][]sentence{
		w.settingSentences(), w.weatherSentences(), w.modelSentences(), w.modelTroubles(), w.userSentences(), w.clientSentences(),
		w.answerChecks(), w.streamChecks(), w.modelChecks(), w.callChecks(), w.resultChecks(), w.responseChecks(),
	} {
		for _, s := range part {
			if seen[s.pattern] {
				t.Errorf("%s stands there twice", s.pattern)
			}
			seen[s.pattern] = true
			do := reflect.TypeOf(s.do)
			takes, block := 0, false
			for i := range do.NumIn() {
				switch do.In(i) {
				case withContext:
				case withTable, withText:
					block = true
				default:
					takes++
				}
			}
			if captures := regexp.MustCompile(s.pattern).NumSubexp(); captures != takes {
				t.Errorf("%s captures %d values, its function takes %d", s.pattern, captures, takes)
			}
			if block != strings.HasSuffix(s.pattern, ":") {
				t.Errorf("%s: a sentence ends with a colon when a table or a text follows, and only then", s.pattern)
			}
		}
	}
	if len(seen) < 80 {
		t.Errorf("only %d sentences were looked at", len(seen))
	}
}
