package worker_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"testing"

	"go.uber.org/goleak"

	"chatterbox/runtime/worker"
)

// What the test binary is when its first argument says so.
const (
	asWorker = "worker" // as the product's command
	asEcho   = "echo"   // a process that sends back what it gets, and nothing more
	asServer = "server" // a server that dies in the middle of a call
)

var roles = map[string]func(){asWorker: beWorker, asEcho: beEcho}

func TestMain(m *testing.M) {
	maps.Copy(roles, worker.Roles)
	if len(os.Args) > 1 {
		if role := roles[os.Args[1]]; role != nil {
			role()
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

var command = []string{os.Args[0], asWorker}

func beWorker() {
	if err := worker.Serve(os.Stdin, os.Stdout, answersInside); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answersInside answers what names it, and leaves the rest to the server.
func answersInside(function string, input []byte) ([]byte, bool) {
	return []byte(`{"by":"the worker"}`), function == "kv_get" && bytes.Contains(input, []byte("inside"))
}

func beEcho() {
	_, _ = io.Copy(struct{ io.Writer }{os.Stdout}, struct{ io.Reader }{os.Stdin})
}
