package flows_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/flows"
)

// The accuracy that the corpus must reach, and its least size.
const (
	routingAccuracy = 0.97
	routingLinesMin = 300
)

// household are the tools of a house with everything, as many as the figures are promised for.
var household = []string{
	clockTool, weatherTool, "get_location", "check_availability", "book_appointment", "cancel_appointment",
	"reschedule_appointment", "get_calendar", "set_reminder", "list_reminders", "complete_reminder", "delete_reminder",
	"lights", "media", "scenes", "where_am_i", "send_email", "send_notification", "lookup_customer", "show_camera_feed",
	"get_current_detections", "zones", "tool_a", "tool_b", "tool_c", "tool_d", "tool_e", "tool_f", "tool_g", "tool_h",
}

// utterance is a line of the corpus.
type utterance struct{ language, stage, target, text string }

func routingCorpus(t testing.TB) []utterance {
	t.Helper()
	return corpusOf(t, "routing.txt", "routing_home.txt", "routing_fresh.txt", "routing_blind.txt", "routing_people.txt")
}

// corpusOf reads files of testdata that say who must take an utterance.
func corpusOf(t testing.TB, names ...string) []utterance {
	t.Helper()
	var all []utterance
	for _, name := range names {
		content, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			parts := strings.SplitN(line, " | ", 4)
			if len(parts) != 4 {
				t.Fatalf("%q is no line of the corpus", line)
			}
			all = append(all, utterance{parts[0], parts[1], parts[2], parts[3]})
		}
	}
	return all
}

// router decides as a turn of a conversation does that has nothing open.
func router(t testing.TB) func(u utterance, model bool) (stage, target string) {
	t.Helper()
	rules := load(t)
	set, err := flows.Workflows(flows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	modes, err := route.NewModes(route.DefaultModes(), "AUTO", route.DefaultShared(), "Chatterbox")
	if err != nil {
		t.Fatal(err)
	}
	return func(u utterance, model bool) (stage, target string) {
		got := route.Decide(rules, routeInput(modes, set, u.text, u.language, model))
		switch got.Stage {
		case route.StageMode:
			target = got.Mode.Name
		case route.StageCommand:
			target = got.Command.Tool
		default:
			target = got.Workflow
		}
		return string(got.Stage), target
	}
}

func routeInput(modes *route.Modes, set *workflow.Flows, text, language string, model bool) route.Input {
	return route.Input{
		Now: routedAt, Text: text, Language: language, Mode: "AUTO", Model: model, Tools: household, Modes: modes,
		Trigger: func(text, language string) (string, string) {
			if flow, reason := set.Opened(text, language, nil); flow != nil {
				return flow.Name(), reason
			}
			return "", ""
		},
		Whole: func(name, text, language string) bool {
			return set.Whole(name, workflow.Input{Text: text, Language: language, Now: routedAt})
		},
		Timed: func(text, language string) bool { return set.Timed(text, language, "", routedAt) },
	}
}

// routedAt is when everything is said.
var routedAt = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

// TestRoutingCorpus prints what share of each kind is taken by who must take it. A near miss that begins anything is a
// failure whatever the share is.
func TestRoutingCorpus(t *testing.T) {
	corpus, decide := routingCorpus(t), router(t)
	if len(corpus) < routingLinesMin {
		t.Errorf("the corpus has %d lines, fewer than %d", len(corpus), routingLinesMin)
	}
	right, all := map[string]int{}, map[string]int{}
	for _, u := range corpus {
		kind := u.language + " " + u.stage
		all[kind]++
		good := true
		for _, model := range []bool{true, false} {
			stage, target := decide(u, model)
			wantStage, wantTarget := u.stage, u.target
			if u.stage == "loop" || u.stage == "never" {
				wantStage, wantTarget = map[bool]string{true: "loop", false: "none"}[model], ""
			}
			if stage != wantStage || target != wantTarget {
				good = false
				t.Logf("%s: %q is taken by %s %s (model %v)", kind, u.text, stage, target, model)
				if u.stage == "never" {
					t.Errorf("a near miss begins something: %q", u.text)
				}
			}
		}
		if good {
			right[kind]++
		}
	}
	total, taken := 0, 0
	table := "\nlanguage and stage     n  right  share\n"
	kinds := make([]string, 0, len(all))
	for kind := range all {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		table += fmt.Sprintf("%-18s %5d  %5d  %5.3f\n", kind, all[kind], right[kind], float64(right[kind])/float64(all[kind]))
		total, taken = total+all[kind], taken+right[kind]
	}
	share := float64(taken) / float64(total)
	t.Logf("%s%-18s %5d  %5d  %5.3f", table, "all", total, taken, share)
	if share < routingAccuracy {
		t.Errorf("%.3f of the corpus is taken by the right one, less than %.2f", share, routingAccuracy)
	}
}

// BenchmarkRouting is the router's part of a turn, on 30 tools and all workflows.
func BenchmarkRouting(b *testing.B) {
	corpus, decide := routingCorpus(b), router(b)
	for _, u := range corpus { // expressions are made at their first use
		decide(u, true)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		decide(corpus[i%len(corpus)], true)
		i++
	}
}
