package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// fine answers a request.
const fine = `{"choices":[{"message":{"content":"Fine."}}],"usage":{"prompt_tokens":9,"completion_tokens":2},"system_fingerprint":"fp_7"}`

// TestTheLogSaysHowItWasAsked looks for what makes a trial one that can be had again.
func TestTheLogSaysHowItWasAsked(t *testing.T) {
	w := newWorld(t)
	if _, err := w.run(t.Context(), func(o *run.Options) {
		serving(t, func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, fine) })(o)
		o.Scenarios, o.Runs, o.Seed = o.Scenarios[3:], 1, 8
		o.Subjects[0].Context, o.Subjects[0].Model.Sampling = 4096, map[string]any{"temperature": .5, "options": map[string]any{"num_ctx": 4096}}
	}); err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(w.log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"fingerprint":"fp_7"`, `"sampling":{"options":{"num_ctx":4096},"temperature":0.5}`, `"context":4096`, `"seed":8`, `"trial":1`,
		`"version":"` + w.suite.Scenarios[3].Digest + `"`, `"prompt_tokens":9,"completion_tokens":2`, `"tools_offered":1`,
	} {
		if !strings.Contains(string(line), want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
}

// slow takes a second for each answer, and counts how many it gives at once.
type slow struct {
	mu        sync.Mutex
	now, most int // guarded by mu
}

func (s *slow) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += n
	s.most = max(s.most, s.now)
}

func (s *slow) RoundTrip(*http.Request) (*http.Response, error) {
	s.add(1)
	time.Sleep(time.Second) // of the test's time
	s.add(-1)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(fine))}, nil
}

// TestAnEndpointTakesSoManyAtOnce has subjects at one server, where the one that it takes fewer trials of decides,
// and at several, which are worked on side by side.
func TestAnEndpointTakesSoManyAtOnce(t *testing.T) {
	at := func(url string, atOnce int) run.Subject {
		return run.Subject{Name: fmt.Sprint(url, " ", atOnce), Model: run.Model{Name: "m", BaseURL: url}, Strategy: run.Bare{}, AtOnce: atOnce}
	}
	for name, c := range map[string]struct {
		subjects []run.Subject
		most     int
		took     time.Duration // of 16 trials for each subject
	}{
		"one by one":        {[]run.Subject{at("http://a/v1", 0)}, 1, 16 * time.Second},
		"two at once":       {[]run.Subject{at("http://a/v1", 2)}, 2, 8 * time.Second},
		"the fewer decides": {[]run.Subject{at("http://a/v1", 4), at("http://a/v1", 2)}, 2, 16 * time.Second},
		"side by side":      {[]run.Subject{at("http://a/v1", 1), at("http://b/v1", 1)}, 2, 16 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, server := newWorld(t), &slow{}
			log, err := run.OpenLog(w.log)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			started := time.Now()
			result, err := run.Run(t.Context(), run.Options{
				Suite: w.suite, Scenarios: w.suite.Scenarios, Runs: 4, Log: log, Subjects: c.subjects, Client: &http.Client{Transport: server},
			})
			if took := time.Since(started); err != nil || result.Ran != 16*len(c.subjects) || result.Errors != 0 || server.most != c.most || took != c.took {
				t.Errorf("%s: %d trials, %d at once, in %v, %v", name, result.Ran, server.most, took, err)
			}
		})
	}
}

// TestPhrasesTakeTurns has the trials of a scenario say its phrases one after the other.
func TestPhrasesTakeTurns(t *testing.T) {
	w := newWorld(t)
	var err error
	w.suite, err = scenario.Open(fstest.MapFS{"x.feature": {Data: []byte("@model\nFeature: X\n  Scenario: Y\n    When the user says one of:\n" +
		"      | text |\n      | one |\n      | two |\n      | three |\n    Then no tool is called\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(t.Context(), func(o *run.Options) {
		serving(t, func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, fine) })(o)
		o.Runs = 5
	}); err != nil {
		t.Fatal(err)
	}
	for name, one := range w.trials() {
		want := []string{"one", "two", "three"}[(one.Trial-1)%3]
		var messages []struct{ Role, Content string }
		if err := json.NewDecoder(bytes.NewReader(one.Messages)).Decode(&messages); err != nil || messages[0].Content != want {
			t.Errorf("%s says %v, want %s (%v)", name, messages, want, err)
		}
	}
}
