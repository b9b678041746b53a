package runner_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/evals/runner"
	"chatterbox/evals/target"
	"chatterbox/evals/trial"
)

// serving makes the subject a model at a server that answers by handler.
func serving(t *testing.T, handler http.HandlerFunc) func(*runner.Options) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return func(o *runner.Options) {
		o.Subjects = []runner.Subject{{Name: "m/bare", Model: target.Model{Name: "m", BaseURL: server.URL + "/v1"}, Target: target.Bare{}}}
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
	retry := func(o *runner.Options) { change(o); o.RetryErrors = true }
	if result, err := w.run(t.Context(), retry); err != nil || result.Ran != 5 || result.Errors != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	one := w.trials()["m/bare lights/the-light-in-the-hall 1"]
	if one.Outcome != trial.Fail || one.Class != "no_call" || one.PromptTokens != 9 || one.CostUSD != nil || one.Simulated {
		t.Errorf("%+v", one)
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
	if one := w.trials()["m/bare lights/nothing-to-do 1"]; one.Retries != 2 || one.Outcome != trial.Pass {
		t.Errorf("%+v", one)
	}
}

func TestTruncatedContextIsApart(t *testing.T) {
	for usage, want := range map[string]trial.Outcome{
		`{"prompt_tokens":4000,"completion_tokens":96}`: trial.Excluded,
		`{"prompt_tokens":4000,"completion_tokens":95}`: trial.Fail,
		`{"prompt_tokens":2048,"completion_tokens":0}`:  trial.Excluded,
	} {
		w := newWorld(t)
		_, err := w.run(t.Context(), serving(t, func(out http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(out, `{"choices":[{"message":{"content":"Fine."}}],"usage":%s}`, usage)
		}))
		one := w.trials()["m/bare lights/the-light-in-the-hall 1"]
		if err != nil || one.Outcome != want || want == trial.Excluded && one.Class != "context_truncated" {
			t.Errorf("%s: %+v, %v", usage, one, err)
		}
	}
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
	result, err := w.run(t.Context(), func(o *runner.Options) {
		change(o)
		o.Runs, o.TurnTimeout, o.Scenarios = 1, time.Millisecond, o.Scenarios[:1]
	})
	if err != nil || result.Failed != 1 || result.Last.Class != "timeout" {
		t.Errorf("%+v, %v", result, err)
	}
}
