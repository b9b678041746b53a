package steps

import (
	"context"
	"flag"
	"fmt"
	"os"
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
	given, when, then := newWorld(nil).vocabulary()
	for _, part := range [][]sentence{given, when, then} {
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

var update = flag.Bool("update", false, "write the list of sentences anew")

// TestTheSentencesAreListed holds the list by which evals/scenario checks scenarios, which it does without this package.
func TestTheSentencesAreListed(t *testing.T) {
	const name = "../scenario/product.txt"
	var list strings.Builder
	given, when, then := newWorld(nil).vocabulary()
	for i, part := range [][]sentence{given, when, then} {
		for _, s := range part {
			fmt.Fprintf(&list, "%s %s\n", [...]string{"Given", "When", "Then"}[i], s.pattern)
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if had, err := os.ReadFile(name); err != nil || string(had) != list.String() {
		t.Errorf("%s is not what the vocabulary is (%v): go test ./evals/steps -run Listed -update writes it anew", name, err)
	}
}
