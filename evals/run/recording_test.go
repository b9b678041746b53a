package run_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/evals/run"
)

func key(request, trial string, repeat int) run.Exchange {
	return run.Exchange{Request: json.RawMessage(request), Trial: trial, Repeat: repeat}
}

func answered(e run.Exchange, body string) run.Exchange {
	e.Status, e.ContentType, e.Body = 200, "text/plain", body
	return e
}

func TestWhatWasRecordedIsFound(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tape.jsonl")
	recording, err := run.StartRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	for n, body := range []string{"one", "two"} {
		if err := recording.Keep(answered(key(`{"model":"m","messages":[{"role":"user","content":"a"}]}`, "x 1", n), body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := recording.Close(); err != nil || recording.Replays() {
		t.Fatal(err)
	}
	appendText(t, name, `{"trial":"x 2","requ`)
	replayed, err := run.OpenRecording(name)
	if err != nil || !replayed.Replays() {
		t.Fatal(err)
	}
	found, err := replayed.Find(key(`{"messages":[{"content":"a","role":"user"}], "model":"m"}`, "x 1", 1))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(found.Response().Body)
	if err != nil || string(body) != "two" {
		t.Errorf("%s, %v", body, err)
	}
	for name, c := range map[string]struct {
		key  run.Exchange
		want []string
	}{
		"another message":  {key(`{"model":"m","messages":[{"role":"user","content":"b"}]}`, "x 1", 0), []string{`.messages[0].content is "b", was "a"`}},
		"a message more":   {key(`{"model":"m","messages":[{"role":"user","content":"a"},{}]}`, "x 1", 0), []string{".messages has 2 entries, was 1"}},
		"a new field":      {key(`{"model":"m","seed":1,"messages":[{"role":"user","content":"a"}]}`, "x 1", 0), []string{".seed is new: 1"}},
		"a field less":     {key(`{"messages":[{"role":"user","content":"a"}]}`, "x 1", 0), []string{`.model is gone: "m"`}},
		"another kind":     {key(`{"model":5,"messages":[{"role":"user","content":"a"}]}`, "x 1", 0), []string{`.model is 5, was "m"`}},
		"another trial":    {key(`{"model":"m","messages":[{"role":"user","content":"a"}]}`, "x 7", 0), []string{"the nearest one, of trial x 1", "it is of trial x 1, not x 7"}},
		"a third time":     {key(`{"model":"m","messages":[{"role":"user","content":"a"}]}`, "x 1", 2), []string{"not 3"}},
		"all is different": {key(`[1]`, "y", 0), []string{"differs", "is [1], was {"}},
	} {
		_, err := replayed.Find(c.key)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

func TestATornTapeGoesOn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tape.jsonl")
	appendText(t, name, `{"trial":"x 1","request":{},"status":200,"body":"one"}`+"\n"+`{"trial":"x 2","requ`)
	recording, err := run.StartRecording(name)
	if err != nil || !recording.Torn() {
		t.Fatal(err)
	}
	if err := recording.Keep(answered(key(`{}`, "x 2", 0), "two")); err != nil {
		t.Fatal(err)
	}
	if err := recording.Close(); err != nil {
		t.Fatal(err)
	}
	replayed, err := run.OpenRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	for trial, body := range map[string]string{"x 1": "one", "x 2": "two"} {
		if found, err := replayed.Find(key(`{}`, trial, 0)); err != nil || found.Body != body {
			t.Errorf("%s: %q, %v", trial, found.Body, err)
		}
	}
}

func appendText(t *testing.T, name, text string) {
	t.Helper()
	had, err := os.ReadFile(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(name, append(had, text...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTapesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "there is no recorded exchange",
		"{\n{}\n":                   ":1: expected a recorded exchange",
		"{\"trial\":\"a\"}\n":       ":1: a request that is no JSON",
		"{\"request\":{}}\nx\n{}\n": ":2: expected a recorded exchange",
	} {
		name := filepath.Join(t.TempDir(), "tape.jsonl")
		appendTo := os.WriteFile(name, []byte(text), 0o600)
		if appendTo != nil {
			t.Fatal(appendTo)
		}
		if _, err := run.OpenRecording(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestNoTapeDoesNothing(t *testing.T) {
	var none *run.Recording
	if none.Replays() || none.Keep(run.Exchange{}) != nil || none.Close() != nil {
		t.Error("a nil recording does something")
	}
}

func FuzzReplay(f *testing.F) {
	f.Add("{\"trial\":\"a\",\"request\":{\"x\":[1,{}]},\"status\":200,\"body\":\"b\"}\n", `{"x":[2]}`)
	f.Fuzz(func(t *testing.T, text, request string) {
		name := filepath.Join(t.TempDir(), "tape.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replayed, err := run.OpenRecording(name)
		if err != nil {
			return
		}
		if _, err := replayed.Find(key(request, "b", 0)); err == nil && !strings.Contains(text, "b") {
			t.Error("found what is not there")
		}
	})
}
