package flows_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

// dialogue talks to the workflows, beside which tools answer by script.
type dialogue struct {
	t        testing.TB
	set      *workflow.Flows
	state    workflow.State
	now      time.Time
	language string
	script   []string // results, each for the next call
	calls    []workflow.Call
	log      strings.Builder
}

func newDialogue(t testing.TB, set *workflow.Flows) *dialogue {
	zone, err := time.LoadLocation("America/Chicago")
	if err != nil {
		t.Fatal(err)
	}
	return &dialogue{t: t, set: set, language: "en", now: time.Date(2026, 3, 4, 10, 0, 0, 0, zone)} // a Wednesday
}

// say is one turn: what a conversation does with a workflow.
func (d *dialogue) say(text string) workflow.Action {
	d.t.Helper()
	input := workflow.Input{Text: text, Language: d.language, Now: d.now}
	flow := d.set.Get(d.state.Flow)
	if !d.state.Open() {
		if flow = d.open(&input); flow == nil {
			return workflow.Action{}
		}
	}
	state, action := workflow.Step(flow, d.state, input)
	if action.Kind == workflow.Expired {
		d.logf("| expired %s", fields(state))
		d.state = workflow.State{}
		if flow = d.open(&input); flow == nil {
			return action
		}
		state, action = workflow.Step(flow, d.state, input)
	}
	for n := 0; action.Kind == workflow.CallTool; n++ {
		if n == 4 {
			d.t.Fatalf("%q leads to calls without end", text)
		}
		result := d.answer(action.Call)
		d.logf("| call %s %s -> %s", action.Call.Tool, action.Call.Arguments, result)
		if result == "crash" {
			d.state = state
			return action
		}
		state, action = workflow.Step(d.set.Get(state.Flow), state, workflow.Input{Now: d.now, Result: &workflow.Result{Content: result}})
	}
	d.state = state
	d.logf("| %s%s %s", map[bool]string{true: string(action.Kind) + " "}[action.Kind != workflow.Say], state.Phase, fields(state))
	d.logf("< %s", action.Reply)
	return action
}

func (d *dialogue) open(input *workflow.Input) *workflow.Flow {
	flow, _ := d.set.Opened(input.Text, d.language, nil)
	if flow == nil {
		d.logf("| opens nothing")
	}
	input.Start = true
	return flow
}

func (d *dialogue) answer(call *workflow.Call) string {
	d.calls = append(d.calls, *call)
	if len(d.script) > 0 {
		result := d.script[0]
		d.script = d.script[1:]
		return result
	}
	if call.Tool == "check_availability" {
		return `{"available":true}`
	}
	return `{"ok":true}`
}

func (d *dialogue) logf(format string, values ...any) {
	d.log.WriteString(strings.TrimRight(fmt.Sprintf(format, values...), " ") + "\n")
}

func fields(state workflow.State) string {
	list := make([]string, 0, len(state.Fields))
	for _, name := range slices.Sorted(maps.Keys(state.Fields)) {
		value := state.Fields[name]
		list = append(list, fmt.Sprintf("%s%s%q", name, map[bool]string{true: "~", false: "="}[value.Approximate], value.Value))
	}
	if state.Parked != nil {
		list = append(list, "(waiting: "+state.Parked.Flow+")")
	}
	return strings.Join(list, " ")
}

const dialoguesMin = 40

// TestDialogues runs the transcripts. A line of one is a title (==), something said (>), a tool's next result (=), a
// wait (wait 5m), a language (language de), or what must come of it: the rest. -update rewrites that.
func TestDialogues(t *testing.T) {
	set := loadWorkflows(t)
	files, err := filepath.Glob("testdata/dialogues/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	count := 0
	defer func() {
		if count < dialoguesMin {
			t.Errorf("there are %d dialogues, fewer than %d", count, dialoguesMin)
		}
	}()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		count += strings.Count(string(text), "\n== ")
		t.Run(filepath.Base(file), func(t *testing.T) {
			got := replay(t, set, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			title := ""
			wantLines, gotLines := strings.Split(string(text), "\n"), strings.Split(got, "\n")
			for i, line := range gotLines {
				if strings.HasPrefix(line, "==") {
					title = line
				}
				if i >= len(wantLines) || wantLines[i] != line {
					t.Fatalf("%s\nline %d is %s", title, i+1, line)
				}
			}
			if len(wantLines) != len(gotLines) {
				t.Errorf("%d lines, want %d", len(gotLines), len(wantLines))
			}
		})
	}
}

func replay(t *testing.T, set *workflow.Flows, text string) string {
	var out strings.Builder
	d := newDialogue(t, set)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "|", "<":
			continue
		case "==":
			d = newDialogue(t, set)
		case "=":
			if rest != "crash" && !json.Valid([]byte(rest)) {
				t.Fatalf("%s is no JSON", rest)
			}
			d.script = append(d.script, rest)
		case "wait":
			wait, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			d.now = d.now.Add(wait)
		case "language":
			d.language = rest
		}
		out.WriteString(line + "\n")
		if word == ">" {
			d.log.Reset()
			d.say(rest)
			out.WriteString(d.log.String())
			if len(d.script) > 0 {
				t.Errorf("%s: results are left: %v", line, d.script)
			}
		}
	}
	return out.String()
}
