package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
)

// trace is what the guest calls made under a context came to. Its methods may be called by several goroutines at once.
type trace struct {
	mu    sync.Mutex
	asked []hostCall
	runs  []worker.Output
}

// hostCall is one host function that a guest called.
type hostCall struct {
	function      string
	input, answer []byte
	took          time.Duration
}

type traceKey struct{}

// withTrace has every guest call under the context noted in the trace.
func withTrace(ctx context.Context, t *trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TracedWorkers notes calls in the trace of their context, where there is one.
type TracedWorkers struct{ toolbox.Workers }

func (w TracedWorkers) Call(ctx context.Context, call worker.Call, host worker.Host) worker.Output {
	t, traced := ctx.Value(traceKey{}).(*trace)
	if !traced {
		return w.Workers.Call(ctx, call, host)
	}
	output := w.Workers.Call(ctx, call, func(ctx context.Context, function string, input []byte) []byte {
		one := hostCall{function: function, input: bytes.Clone(input)}
		began := time.Now()
		answer := host(ctx, function, input)
		one.took, one.answer = time.Since(began), bytes.Clone(answer)
		t.mu.Lock()
		t.asked = append(t.asked, one)
		t.mu.Unlock()
		return answer
	})
	t.mu.Lock()
	t.runs = append(t.runs, output)
	t.mu.Unlock()
	return output
}

// print writes the trace for a person.
func (t *trace) print(to io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.asked {
		fmt.Fprintf(to, "asked   %s\n", one)
	}
	for _, run := range t.runs {
		for line := range strings.Lines(string(run.Log)) {
			fmt.Fprintf(to, "log     %s\n", strings.TrimRight(line, "\n"))
		}
		if run.Fault != worker.NoFault {
			fmt.Fprintf(to, "fault   %s: %s\n", run.Fault, run.Message)
		}
		fmt.Fprintf(to, "result  %d bytes\ntime    %v\nmemory  %d KiB\nfuel    %s\n", len(run.Result), run.Duration.Round(time.Microsecond),
			run.MemoryBytes>>10, fuel(run.Work))
	}
	if len(t.runs) == 0 {
		fmt.Fprintln(to, "the tool was not run")
	}
}

// fuel says what metering counted. A call that uses less than a step is not told how much less.
func fuel(work int64) string {
	if work == 0 {
		return fmt.Sprintf("less than %d units", worker.WorkStep)
	}
	return fmt.Sprintf("%d units or little more", work)
}

func (a hostCall) String() string {
	took := a.took.Round(10 * time.Microsecond)
	if a.function != "http_request" {
		return fmt.Sprintf("%s %s, %d bytes in %v", a.function, oneLineOf(a.input), len(a.answer), took)
	}
	var request struct{ Method, URL string }
	var response struct {
		Status      int
		Error, Kind string
		Body        string
		BodyBase64  string `json:"body_base64"`
	}
	_ = json.Unmarshal(a.input, &request)
	_ = json.Unmarshal(a.answer, &response)
	outcome := fmt.Sprintf("status %d, %d bytes", response.Status, len(response.Body)+len(response.BodyBase64)*3/4)
	if response.Error != "" {
		outcome = response.Kind + ": " + response.Error
	}
	return fmt.Sprintf("http_request %s %s: %s in %v", cmp.Or(request.Method, "GET"), request.URL, outcome, took)
}

// oneLineOf shortens what a guest sent to what fits on a line.
func oneLineOf(input []byte) string {
	return cli.OneLine(strings.ToValidUTF8(string(input), "�"), 120)
}
