package run_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatterbox/evals/run"
)

func TestMoneyAndTimeEndARun(t *testing.T) {
	w := newWorld(t)
	change := serving(t, func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(out, `{"choices":[{"message":{"content":"Fine."}}],"usage":{"prompt_tokens":900,"completion_tokens":100}}`)
	})
	result, err := w.run(t.Context(), func(o *run.Options) {
		change(o)
		o.Subjects[0].Price, o.MaxCostUSD = &[2]float64{1, 1}, 3
	})
	if err != nil || result.Ran != 3 || !strings.Contains(result.Cut, "the money is used up: 3.0000 of 3.0000 USD") {
		t.Errorf("%+v, %v", result, err)
	}
	result, err = w.run(t.Context(), func(o *run.Options) {
		change(o)
		o.Subjects[0].Price, o.MaxCostUSD = &[2]float64{1, 1}, 3
	})
	if err != nil || result.Ran != 0 || !strings.Contains(result.Cut, "the money is used up: 3.0000 of 3.0000 USD") {
		t.Errorf("with what the log has: %+v, %v", result, err)
	}
	silent := serving(t, func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(out, `{"choices":[{"message":{"content":"Fine."}}]}`)
	})
	result, err = w.run(t.Context(), func(o *run.Options) {
		silent(o)
		o.Subjects[0].Price, o.MaxCostUSD = &[2]float64{1, 1}, 4
	})
	if err != nil || result.Ran != 1 || !strings.Contains(result.Cut, "what m/bare costs is not known") {
		t.Errorf("a price, but no tokens: %+v, %v", result, err)
	}
	result, err = w.run(t.Context(), func(o *run.Options) {
		silent(o)
		o.MaxCostUSD = 4
	})
	if err != nil || result.Ran != 12 || result.Cut != "" {
		t.Errorf("no price: %+v, %v", result, err)
	}
	stuck := serving(t, stall)
	result, err = w.run(t.Context(), func(o *run.Options) {
		stuck(o)
		o.Subjects[0].Name, o.MaxTime = "stuck", time.Millisecond
	})
	if err != nil || result.Ran != 0 || !strings.Contains(result.Cut, "the time of 1ms is used up") {
		t.Errorf("%+v, %v", result, err)
	}
}
