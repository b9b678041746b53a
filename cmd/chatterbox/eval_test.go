package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/evals/judge"
	evalrun "chatterbox/evals/run"
	"chatterbox/evals/scenario"
	"chatterbox/features"
)

// TestModelScenarios plays every scenario in which models are judged, by the script that it brings along: with the model
// alone, and with this program around it. Then it has the recorded answers once more, without a model.
func TestModelScenarios(t *testing.T) {
	takesLong(t)
	player, err := evalrun.NewPlayer()
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	serve := evalrun.Serve{
		Command: []string{executable, "serve"}, Env: []string{envAsProgram + "=1", "GORACE=atexit_sleep_ms=0"}, Strategy: "loop", Folder: t.TempDir(),
	}
	for _, served := range []playedScenarios{
		{subject: "scripted/bare", served: evalrun.Bare{}, tags: "@model && ~@approval && ~@help"}, // where nobody asks for a yes, or tells a model what was wrong
		{subject: "scripted/loop", served: serve, tags: "@model", onePerOutline: true},
	} {
		name := filepath.Join(t.TempDir(), "tape.jsonl")
		recording, err := evalrun.StartRecording(name)
		if err != nil {
			t.Fatal(err)
		}
		played := served.run(t, recording, player)
		if err := recording.Close(); err != nil {
			t.Fatal(err)
		}
		for scenario, outcome := range played {
			if outcome != "pass" {
				t.Errorf("%s: %s: %s", served.subject, scenario, outcome)
			}
		}
		replaying, err := evalrun.OpenRecording(name)
		if err != nil {
			t.Fatal(err)
		}
		replayed := served.run(t, replaying, nil)
		for scenario, outcome := range played {
			if replayed[scenario] != outcome {
				t.Errorf("%s: %s was %s, replayed it is %s", served.subject, scenario, outcome, replayed[scenario])
			}
		}
	}
}

// playedScenarios are scenarios that are run with one subject.
type playedScenarios struct {
	subject       string
	served        evalrun.Strategy
	tags          string
	onePerOutline bool
}

// run says how each scenario ends: pass, or what was wrong. Without a player there is no model.
func (p playedScenarios) run(t *testing.T, recorded *evalrun.Recording, player *evalrun.Player) map[string]string {
	t.Helper()
	opened, err := scenario.Open(features.FS)
	if err != nil {
		t.Fatal(err)
	}
	selected, err := scenario.Select(opened.Scenarios, scenario.Selection{Tags: p.tags})
	if err != nil {
		t.Fatal(err)
	}
	for i := range selected {
		selected[i].Runs = 1
	}
	if p.onePerOutline {
		selected = onePerOutline(selected)
	}
	log, err := evalrun.OpenLog(filepath.Join(t.TempDir(), "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	out := map[string]string{}
	_, err = evalrun.Run(t.Context(), evalrun.Options{
		Suite: opened, Scenarios: selected, Log: log, Recording: recorded,
		Subjects: []evalrun.Subject{{
			Name: p.subject, Model: evalrun.Model{Name: "scripted", BaseURL: "http://127.0.0.1:9/v1"}, Strategy: p.served, Player: player, AtOnce: scenariosAtOnce,
		}},
		Progress: func(now evalrun.Progress) {
			one := now.Last
			if out[one.Scenario] = string(one.Outcome); one.Outcome != judge.Pass {
				out[one.Scenario] += fmt.Sprintf(" %s: %s", one.Class, one.Detail)
			}
		},
	})
	if err != nil || len(out) != len(selected) {
		t.Errorf("%d of %d scenarios were run: %v", len(out), len(selected), err)
	}
	return out
}

// onePerOutline leaves out all rows of an outline but the first: they differ in words only, and each starts a product.
func onePerOutline(scenarios []scenario.Scenario) []scenario.Scenario {
	seen := map[string]bool{}
	return slices.DeleteFunc(scenarios, func(s scenario.Scenario) bool {
		place := fmt.Sprint(s.File, s.Steps[len(s.Steps)-1].Line)
		had := seen[place]
		seen[place] = true
		return had
	})
}

// TestTheKeyOfAModelsServer names the variable that has it.
func TestTheKeyOfAModelsServer(t *testing.T) {
	startsMany(t)
	for flag, want := range map[string]string{"--api-key-env=MINE": "Bearer of-mine", "--runs=1": "Bearer of-openai"} {
		var sent atomic.Pointer[string]
		model := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Authorization")
			sent.Store(&key)
			fmt.Fprint(out, `{"choices":[{"message":{"content":"It is nice outside."}}]}`)
		}))
		defer model.Close()
		folder := t.TempDir()
		command := exec.Command(os.Args[0], "eval", "run", "--model", "m@"+model.URL+"/v1", "--name", "among-0-others", "--log", filepath.Join(folder, "log.jsonl"), flag)
		command.Env = []string{envAsProgram + "=1", "GORACE=atexit_sleep_ms=0", "HOME=" + folder, "CHATTERBOX_DATA=" + folder, "MINE=of-mine", "OPENAI_API_KEY=of-openai"}
		if told, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, told)
		}
		if got := sent.Load(); got == nil || *got != want {
			t.Errorf("%s: the model's server got %v, want %s", flag, got, want)
		}
	}
}

// killsLeast is how often a run is killed before it may end.
const killsLeast = 60

// TestAKilledRunGoesOn kills a run at random moments, again and again, and shows that no trial is lost or done twice.
func TestAKilledRunGoesOn(t *testing.T) {
	takesLong(t)
	const runs = 40
	folder := t.TempDir()
	log := filepath.Join(folder, "log.jsonl")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dice := rand.New(rand.NewPCG(1, 2))
	run := func(runs int, kill time.Duration) error {
		command := exec.Command(executable, "eval", "run", "--model", "scripted", "--name", "among-0-others", "--runs", fmt.Sprint(runs), "--log", log)
		command.Env = []string{envAsProgram + "=1", "HOME=" + folder, "CHATTERBOX_DATA=" + folder, "GORACE=atexit_sleep_ms=0"}
		if err := command.Start(); err != nil {
			return err
		}
		if kill > 0 {
			timer := time.AfterFunc(kill, func() { command.Process.Kill() }) //nolint:errcheck // it may have ended
			defer timer.Stop()
		}
		return command.Wait()
	}
	// The longest time that is tried is about what a run without trials takes, so that most end among trials.
	started := time.Now()
	if err := run(1, 0); err != nil {
		t.Fatal(err)
	}
	startup := time.Since(started)
	killed, wanted := 0, 1
	for killed < killsLeast {
		wanted += runs
		after := startup/2 + time.Duration(dice.Int64N(int64(startup)))
		var exit *exec.ExitError
		switch err := run(wanted, after); {
		case errors.As(err, &exit) && exit.ExitCode() == -1:
			killed++
		case err != nil:
			t.Fatal(err)
		}
	}
	if err := run(wanted, 0); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := map[int]bool{}
	if err := judge.ReadTrials(log, file, func(one judge.Trial) error {
		if seen[one.Trial] {
			t.Errorf("trial %d is there twice", one.Trial)
		}
		seen[one.Trial] = true
		return nil
	}); err != nil {
		t.Error(err)
	}
	if len(seen) != wanted {
		t.Errorf("%d trials of %d are there", len(seen), wanted)
	}
}
