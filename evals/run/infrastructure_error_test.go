package run_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/evals/judge"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// serving makes the subject a model at a server that answers by handler.
func serving(t *testing.T, handler http.HandlerFunc) func(*run.Options) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return func(o *run.Options) {
		o.Subjects = []run.Subject{{Name: "m/bare", Model: run.Model{Name: "m", BaseURL: server.URL + "/v1"}, Strategy: run.Bare{}}}
	}
}

func TestTroubleIsNoFailure(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"a model that does not exist":   {404, `{"error":{"message":"model \"m\" not found"}}`, "not_found: "},
		"a server without tool support": {400, `{"error":{"message":"m does not support tools"}}`, "tools: "},
		"a template without tools":      {500, `{"error":{"message":"tools param requires --jinja flag"}}`, "tools: "},
		"a route without tools":         {404, `{"error":{"message":"No endpoints found that support tool use."}}`, "tools: "},
		"a wrong key":                   {401, `{"error":{"message":"invalid key"}}`, "authentication: "},
		"too many requests":             {429, `{}`, "rate_limit: "},
		"a broken server":               {500, `oops`, "server: "},
		"no completion":                 {200, `<html>`, "server: the model's answer is no completion"},
		"no choices":                    {200, `{"choices":[]}`, "server: the model's answer has no choices"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			result, err := w.run(t.Context(), serving(t, func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Type", "application/json")
				out.WriteHeader(c.status)
				fmt.Fprint(out, c.body)
			}))
			if err != nil || result.Ran != 5 || result.Errors != 5 || !strings.Contains(result.Stopped["m/bare"], c.want) {
				t.Errorf("%+v, %v, want it given up after 5 with %s", result, err, c.want)
			}
		})
	}
}

func TestErrorsAreTriedAgain(t *testing.T) {
	w := newWorld(t)
	var broken atomic.Bool
	broken.Store(true)
	change := serving(t, func(out http.ResponseWriter, r *http.Request) {
		if broken.Load() {
			out.WriteHeader(http.StatusBadGateway)
			return
		}
		fmt.Fprint(out, `{"choices":[{"message":{"content":"Fine."}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
	})
	if result, err := w.run(t.Context(), change); err != nil || result.Errors != 5 {
		t.Fatalf("%+v, %v", result, err)
	}
	broken.Store(false)
	if result, err := w.run(t.Context(), change); err != nil || result.Ran != 11 {
		t.Errorf("errors were run again without being asked for: %+v, %v", result, err)
	}
	retry := func(o *run.Options) { change(o); o.RetryErrors = true }
	if result, err := w.run(t.Context(), retry); err != nil || result.Ran != 5 || result.Errors != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	one := w.trials()["m/bare lights/the-light-in-the-hall 1"]
	if one.Outcome != judge.Fail || one.Class != "no_call" || one.PromptTokens != 9 || one.CostUSD != nil || one.Simulated {
		t.Errorf("%+v", one)
	}
}

// TestAServerThatDiesIsGivenUp has a server that answers a few requests, and none after that.
func TestAServerThatDiesIsGivenUp(t *testing.T) {
	w := newWorld(t)
	var asked atomic.Int64
	result, err := w.run(t.Context(), func(o *run.Options) {
		serving(t, func(out http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) > 3 {
				out.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprint(out, `{"choices":[{"message":{"content":"Fine."}}]}`)
		})(o)
		o.Runs = 30
	})
	if err != nil || result.Ran != 23 || result.Errors != 20 || result.Broken != 20 || len(result.Unscored) != 0 || !strings.Contains(result.Stopped["m/bare"], "authentication: ") {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestOneScenarioOfErrors has a server that cannot serve one scenario: the others are scored.
func TestOneScenarioOfErrors(t *testing.T) {
	w := newWorld(t)
	change := serving(t, func(out http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || strings.Contains(string(body), "Light in the loft") {
			out.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprint(out, `{"choices":[{"message":{"content":"Fine."}}]}`)
	})
	several := func(o *run.Options) { change(o); o.Runs = 8 }
	if result, err := w.run(t.Context(), several); err != nil || result.Ran != 32 || result.Broken != 8 || len(result.Stopped)+len(result.Unscored) != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	alone := func(o *run.Options) { several(o); o.Scenarios = o.Scenarios[1:2] }
	if result, err := w.run(t.Context(), alone); err != nil || result.Planned != 0 || result.Broken != 8 || len(result.Unscored) != 1 {
		t.Errorf("alone: %+v, %v", result, err)
	}
}

func TestASubjectWithoutAScenarioIsRefused(t *testing.T) {
	w := newWorld(t)
	var refused *run.Refused
	_, err := w.run(t.Context(), func(o *run.Options) {
		o.Subjects[0].Fits = func(scenario.Plan) bool { return false }
	})
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "none of the 4 scenarios is for played/bare") {
		t.Errorf("%v", err)
	}
}

func TestABusyServerIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	var asked atomic.Int64
	change := serving(t, func(out http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%3 != 0 {
			out.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(out, `{"choices":[{"message":{"content":"Fine."}}]}`)
	})
	if result, err := w.run(t.Context(), change); err != nil || result.Errors != 0 || result.Ran != 16 {
		t.Errorf("%+v, %v", result, err)
	}
	if one := w.trials()["m/bare lights/nothing-to-do 1"]; one.Retries != 2 || one.Outcome != judge.Pass {
		t.Errorf("%+v", one)
	}
}

// TestTruncatedContextIsApart has each sign that a server cut the prompt, and beside it what nearly is one.
func TestTruncatedContextIsApart(t *testing.T) {
	for _, c := range []struct {
		said             int // bytes
		prompt, answered func(request int) int
		want             judge.Outcome
	}{
		{1, tokens(4000), tokens(96), judge.Excluded},
		{1, tokens(4000), tokens(95), judge.Fail},
		{1, tokens(2048), tokens(0), judge.Excluded},
		{1, tokens(2049), tokens(0), judge.Fail},
		{1, tokens(8000), tokens(192), judge.Excluded},
		{12_000, func(request int) int { return request/12 - 1 }, tokens(9), judge.Excluded},
		{12_000, func(request int) int { return request / 12 }, tokens(9), judge.Fail},
		{5_000, tokens(9), tokens(9), judge.Fail},  // which fits into every context
		{12_000, tokens(0), tokens(0), judge.Fail}, // the server says nothing
	} {
		w := newWorld(t)
		_, err := w.run(t.Context(), func(o *run.Options) {
			serving(t, func(out http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				fmt.Fprintf(out, `{"choices":[{"message":{"content":"Fine."}}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, c.prompt(len(body)), c.answered(len(body)))
			})(o)
			o.Runs, o.Scenarios = 1, []scenario.Scenario{saying(o.Scenarios[0], strings.Repeat("x", c.said))}
		})
		one := w.trials()["m/bare lights/the-light-in-the-hall 1"]
		if err != nil || one.Outcome != c.want || (one.Class == "context_truncated") != (c.want == judge.Excluded) {
			t.Errorf("%d bytes: %+v, %v, want %s", c.said, one, err, c.want)
		}
	}
}

func tokens(n int) func(int) int { return func(int) int { return n } }

// saying is a scenario in which the user says something else.
func saying(scenario scenario.Scenario, text string) scenario.Scenario {
	scenario.Steps = slices.Clone(scenario.Steps)
	for i, step := range scenario.Steps {
		if step.Keyword == "When" {
			scenario.Steps[i].Text = fmt.Sprintf("the user says %q", text)
		}
	}
	return scenario
}

// stall answers nothing until the client leaves, which a server sees only when it has read the request.
func stall(_ http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err == nil {
		<-r.Context().Done()
	}
}

func TestASlowTurnIsTheModelsFailure(t *testing.T) {
	w := newWorld(t)
	change := serving(t, stall)
	result, err := w.run(t.Context(), func(o *run.Options) {
		change(o)
		o.Runs, o.TurnTimeout, o.Scenarios = 1, time.Millisecond, o.Scenarios[:1]
	})
	if err != nil || result.Failed != 1 || result.Last.Class != "timeout" {
		t.Errorf("%+v, %v", result, err)
	}
}
