//go:build !race

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/steps"
)

// TestAServerStartsNoWorkerBeforeItsFirstToolCall counts the starts of workers, on a data folder where everything is compiled.
func TestAServerStartsNoWorkerBeforeItsFirstToolCall(t *testing.T) {
	replies, err := mockllm.Parse("workers", strings.NewReader(`{"match":{"last":"user","user":"Hello"},"content":"Hi."}
{"match":{"last":"user","user":"How late"},"tool_calls":[{"name":"get_current_datetime"}]}
{"match":{"last":"tool"},"content":"It is late."}
`))
	if err != nil {
		t.Fatal(err)
	}
	mock := mockllm.New(replies, mockllm.Options{})
	model := httptest.NewServer(mock)
	t.Cleanup(func() { mock.Close(); model.Close() })
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	settings := steps.Settings{Data: t.TempDir(), Model: "mock", ModelURL: model.URL + "/v1"}
	starts := filepath.Join(settings.Data, "starts")
	serve := func() steps.Instance {
		t.Helper()
		command := exec.Command(executable, "serve")
		command.Env = append(environment(settings), envAsProgram+"=1",
			fmt.Sprintf(`CHATTERBOX_WORKER_COMMAND=/bin/sh -c 'echo >>"%s"; exec "%s" worker'`, starts, executable))
		server, err := launch(command)
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	if err := errors.Join(serve().Stop(), os.Remove(starts)); err != nil { // what compiles is started, too
		t.Fatal(err)
	}
	server := serve()
	hi := say(t, server, "Hello")
	if _, err := os.Stat(starts); hi != "Hi." || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a worker was started (%v) for the answer %q", err, hi)
	}
	late := say(t, server, "How late did it get meanwhile?")
	if counted, err := os.ReadFile(starts); late != "It is late." || string(counted) != "\n" {
		t.Errorf("%d workers were started (%v) for the answer %q", len(counted), err, late)
	}
	if err := errors.Join(server.Stop(), mock.Err()); err != nil {
		t.Error(err)
	}
}
