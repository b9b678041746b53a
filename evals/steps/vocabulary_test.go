package steps

import (
	"context"
	"reflect"
	"regexp"
	"testing"

	"github.com/cucumber/godog"

	"chatterbox/evals/scenario"
)

// TestEverySentenceFitsItsFunction compares the vocabulary with the functions, and what a form captures with what its
// function takes: godog would only notice in the scenario that first uses the sentence.
func TestEverySentenceFitsItsFunction(t *testing.T) {
	var (
		withContext = reflect.TypeFor[context.Context]()
		withTable   = reflect.TypeFor[*godog.Table]()
		withText    = reflect.TypeFor[*godog.DocString]()
	)
	own, product := newWorld(nil).bindings(), map[string]bool{}
	for _, form := range scenario.Forms() {
		if form.Product {
			product[form.Form] = true
		}
		do, bound := own[form.Form]
		if shared := form.Plays() || form.Expects(); form.Product && bound == shared {
			t.Errorf("%s: it is bound here: %t; the vocabulary has its meaning: %t", form.Form, bound, shared)
		}
		if !bound {
			continue
		}
		takes, below := 0, ""
		for kind := range reflect.TypeOf(do).Ins() {
			switch kind {
			case withContext:
			case withTable:
				below = "table"
			case withText:
				below = "text"
			default:
				takes++
			}
		}
		if captures := regexp.MustCompile(form.Pattern()).NumSubexp(); captures != takes {
			t.Errorf("%s captures %d values, its function takes %d", form.Form, captures, takes)
		}
		if below != form.Below {
			t.Errorf("%s: its function takes a %q, below it stands a %q", form.Form, below, form.Below)
		}
	}
	for form := range own {
		if !product[form] {
			t.Errorf("%s is no sentence of the product", form)
		}
	}
	if len(product) < 100 {
		t.Errorf("only %d sentences were looked at", len(product))
	}
}
