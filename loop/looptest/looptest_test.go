package looptest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/loop"
	"chatterbox/loop/looptest"
)

// recorder is a test whose failures are kept instead of reported.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, arguments ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, arguments...))
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func TestAModelWhoseScriptRunsOutFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	model := looptest.NewModel(r)
	_, err := model.Complete(t.Context(), loop.Request{}, func(string) {})
	if err == nil || len(r.errors) != 1 || !strings.Contains(r.errors[0], "once more") {
		t.Errorf("error %v, failures %q", err, r.errors)
	}
}

func TestRepliesThatAreLeftOverFailTheTest(t *testing.T) {
	r := &recorder{TB: t}
	model := looptest.NewModel(r, looptest.Say("one"), looptest.Say("two"))
	if completion, err := model.Complete(t.Context(), loop.Request{}, func(string) {}); err != nil || completion.Content != "one" {
		t.Fatalf("%+v, %v", completion, err)
	}
	for _, cleanup := range r.cleanups {
		cleanup()
	}
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "1 replies were never asked for") {
		t.Errorf("failures %q", r.errors)
	}
}

func TestToolsKeepTheRulesOfTheRealOnes(t *testing.T) {
	tools := looptest.NewTools(looptest.Static("a", `{"n":1}`))
	unknown := tools.Check(t.Context(), loop.Call{Name: "b"})
	if unknown.Decision != loop.Refuse || unknown.Reason != "Unknown tool: 'b'" {
		t.Errorf("the verdict on an unknown tool is %+v", unknown)
	}
	verdict := tools.Check(t.Context(), loop.Call{Name: "a"})
	if result := tools.Call(context.Background(), loop.Call{Name: "a"}, verdict); result.Content != `{"n":1}` {
		t.Errorf("the result is %+v", result)
	}
	tools.Update("a")
	if result := tools.Call(context.Background(), loop.Call{Name: "a"}, verdict); !result.Failed {
		t.Errorf("a verdict on an older tool gives %+v", result)
	}
	if made := tools.Made(); len(made) != 1 {
		t.Errorf("%d calls reached the tool, want 1", len(made))
	}
}

func TestUpdateWritesWhatTheTranscriptThenHolds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "turn.txtar")
	script := "What is guarded.\n-- user --\nHello\n-- model --\n{\"say\":\"Hi.\"}\n"
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("written", func(t *testing.T) { looptest.Transcript(t, file, true) })
	t.Run("held", func(t *testing.T) { looptest.Transcript(t, file, false) })
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(written), script) || !strings.Contains(string(written), "text: \"Hi.\"") {
		t.Errorf("the transcript became\n%s", written)
	}
}
