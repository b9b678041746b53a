package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/judge"
)

// TestEvalRunAtATerminal is a person who watches a run, stops it in the middle, and has it go on without a terminal.
func TestEvalRunAtATerminal(t *testing.T) {
	for _, strategy := range []string{"bare", "loop"} {
		t.Run(strategy, func(t *testing.T) {
			const runs, answered = 30, 12
			model := startStallingModel(t, answered)
			data := t.TempDir()
			log := filepath.Join(data, "log.jsonl")
			args := evalOneScenario(model.URL, strategy, log, "--runs", fmt.Sprint(runs))

			s := startAtTerminal(t, data, nil, args...)
			s.sees("no trial is over yet", "that it runs")
			s.sees("\r\x1b[K12 of 30 trials: success 0.0 %, ", "how far it is, on a line that is drawn again")
			s.sees("/s, ", "how fast it is")
			s.sees(" left", "how long it takes")
			s.types(ctrlC)
			s.sees("\r\nchatterbox: interrupted after 12 of 30 trials; the same command goes on with "+log, "how to go on")
			s.ends(cli.ExitInterrupted)
			if got := trialsOf(t, log); len(got) != answered {
				t.Errorf("%d trials are in the log, want %d", len(got), answered)
			}

			model.stalls.Store(false)
			again := exec.Command(os.Args[0], args...)
			var printed, told bytes.Buffer
			again.Env, again.Stdout, again.Stderr = s.environ, &printed, &told
			if err := again.Run(); err != nil {
				t.Fatalf("%v: %s", err, &told)
			}
			got := trialsOf(t, log)
			if len(got) != runs || slices.Contains(slices.Collect(maps.Values(got)), judge.Error) {
				t.Errorf("%d trials are in the log, want %d and no error: %v", len(got), runs, got)
			}
			if told.String() != "18 of 18 trials: success 0.0 %\n" || strings.ContainsAny(told.String()+printed.String(), "\r\x1b") {
				t.Errorf("without a terminal it tells %q and prints %q", &told, &printed)
			}

			// Where nothing is left to be done nothing is shown of it.
			s = startAtTerminal(t, data, nil, args...)
			s.sees("\r\x1b[K", "that the line is empty again")
			s.sees("m/"+strategy, "the table")
			s.ends(cli.ExitOK)
		})
	}
}

// TestAKilledRunTakesItsProductAlong kills a run in the middle of a trial with the product around the model.
func TestAKilledRunTakesItsProductAlong(t *testing.T) {
	model := startStallingModel(t, 0)
	data := t.TempDir()
	run := exec.Command(os.Args[0], evalOneScenario(model.URL, "loop", filepath.Join(data, "log.jsonl"))...)
	run.Env = []string{envAsProgram + "=1", "GORACE=atexit_sleep_ms=0", "HOME=" + data, "TMPDIR=" + data, "CHATTERBOX_DATA=" + data}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill() })
	select {
	case <-model.asked:
	case <-time.After(seenTime):
		t.Fatal("the model is not asked")
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", run.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var products []int // descriptors, by which an end is seen
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Skipf("this system does not list children: %v", err)
		}
		for _, child := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(child)
			if err != nil {
				t.Fatal(err)
			}
			product, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(product)
			products = append(products, product)
		}
	}
	if len(products) != 1 {
		t.Fatalf("the run has %d children, want the product", len(products))
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	ready, err := unix.Poll([]unix.PollFd{{Fd: int32(products[0]), Events: unix.POLLIN}}, int(seenTime/time.Millisecond))
	if err != nil || ready != 1 {
		t.Errorf("the product goes on without its run: %d, %v", ready, err)
	}
}

// stallingModel answers a number of requests, and then none as long as it stalls.
type stallingModel struct {
	*httptest.Server
	stalls atomic.Bool
	asked  chan struct{} // one for the first request that is not answered
}

func startStallingModel(t *testing.T, answers int64) *stallingModel {
	t.Helper()
	m := &stallingModel{asked: make(chan struct{}, 1)}
	m.stalls.Store(true)
	var asked atomic.Int64
	m.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if asked.Add(1) > answers && m.stalls.Load() {
			select {
			case m.asked <- struct{}{}:
			default:
			}
			<-r.Context().Done()
			return
		}
		const answer, usage = `"It is nice outside."`, `"usage":{"prompt_tokens":90,"completion_tokens":9}`
		if bytes.Contains(body, []byte(`"stream":true`)) {
			out.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(out, `data: {"choices":[{"delta":{"content":%s},"finish_reason":"stop"}],%s}`+"\n\ndata: [DONE]\n\n", answer, usage)
			return
		}
		fmt.Fprintf(out, `{"choices":[{"message":{"content":%s}}],%s}`, answer, usage)
	}))
	t.Cleanup(m.Close)
	return m
}

// evalOneScenario are the arguments of a run of one scenario.
func evalOneScenario(url, strategy, log string, more ...string) []string {
	return append([]string{
		"eval", "run", "--model", "m", "--base-url", url + "/v1", "--name", "among-0-others", "--strategy", strategy, "--log", log,
	}, more...)
}

// trialsOf reads a log, in which no trial may stand twice.
func trialsOf(t *testing.T, log string) map[int]judge.Outcome {
	t.Helper()
	file, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := map[int]judge.Outcome{}
	torn, err := judge.ReadTornTrials(log, file, func(one judge.Trial) error {
		if _, ok := out[one.Trial]; ok {
			t.Errorf("trial %d is there twice", one.Trial)
		}
		out[one.Trial] = one.Outcome
		return nil
	})
	if err != nil || torn {
		t.Errorf("the log is torn: %t, %v", torn, err)
	}
	return out
}
