package runner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"chatterbox/evals/runner"
	"chatterbox/evals/suite"
	"chatterbox/evals/target"
)

// meetTime is how long a request waits for another one that must be there.
const meetTime = 10 * time.Second

// fine answers a request.
const fine = `{"choices":[{"message":{"content":"Fine."}}],"usage":{"prompt_tokens":9,"completion_tokens":2},"system_fingerprint":"fp_7"}`

// TestTheLogSaysHowItWasAsked looks for what makes a trial one that can be had again.
func TestTheLogSaysHowItWasAsked(t *testing.T) {
	w := newWorld(t)
	if _, err := w.run(t.Context(), func(o *runner.Options) {
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

// meeting is a server that answers a request when another one has come: two at once, and no more than that.
func meeting(t *testing.T, meet chan struct{}, most int64) *httptest.Server {
	t.Helper()
	var inside atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if n := inside.Add(1); n > most {
			t.Errorf("%d requests at once", n)
		}
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-r.Context().Done():
		case <-time.After(meetTime):
			t.Error("a request is alone")
		}
		inside.Add(-1)
		fmt.Fprint(out, fine)
	}))
	t.Cleanup(server.Close)
	return server
}

func subjectAt(server *httptest.Server, name string, atOnce int) runner.Subject {
	return runner.Subject{Name: name, Model: target.Model{Name: "m", BaseURL: server.URL + "/v1"}, Target: target.Bare{}, AtOnce: atOnce}
}

// TestAnEndpointTakesSoManyAtOnce has two subjects at one server: the one that it takes fewer trials of decides.
func TestAnEndpointTakesSoManyAtOnce(t *testing.T) {
	w := newWorld(t)
	server := meeting(t, make(chan struct{}), 2)
	result, err := w.run(t.Context(), func(o *runner.Options) {
		o.Subjects = []runner.Subject{subjectAt(server, "a", 3), subjectAt(server, "b", 2)}
	})
	if err != nil || result.Ran != 32 || result.Errors != 0 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestEndpointsRunSideBySide has each of two servers wait for the other.
func TestEndpointsRunSideBySide(t *testing.T) {
	w := newWorld(t)
	meet := make(chan struct{})
	one, other := meeting(t, meet, 1), meeting(t, meet, 1)
	result, err := w.run(t.Context(), func(o *runner.Options) {
		o.Subjects = []runner.Subject{subjectAt(one, "a", 1), subjectAt(other, "b", 0)}
	})
	if err != nil || result.Ran != 32 || result.Errors != 0 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestPhrasesTakeTurns has the trials of a scenario say its phrases one after the other.
func TestPhrasesTakeTurns(t *testing.T) {
	w := newWorld(t)
	var err error
	w.suite, err = suite.Open(fstest.MapFS{"x.feature": {Data: []byte("@model\nFeature: X\n  Scenario: Y\n    When the user says one of:\n" +
		"      | text |\n      | one |\n      | two |\n      | three |\n    Then no tool is called\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(t.Context(), func(o *runner.Options) {
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
