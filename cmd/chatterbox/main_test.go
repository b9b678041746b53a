package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"chatterbox/loop"
)

// What makes the test binary be chatterbox: scenarios start it so, with the name of a mutation where they want one, and the
// file that moves its clock.
const (
	envAsProgram = "TEST_AS_CHATTERBOX"
	envMutation  = "TEST_MUTATION"
	envClock     = "TEST_CLOCK"
)

var long = flag.Bool("long", false, "what takes most of a minute by itself, too")

// startsMany skips what starts the program many times: with the race detector that takes many minutes and finds no more
// than the smaller tests do. `.ci/run` has a step for these without it.
func startsMany(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("runs without the race detector")
	}
}

// takesLong skips what plays whole evaluations or attacks; `.ci/run` has steps for these.
func takesLong(t *testing.T) {
	t.Helper()
	startsMany(t)
	if !*long {
		t.Skip("runs with -long, as in .ci/run")
	}
}

func TestMain(m *testing.M) {
	// A worker's environment is empty: the word is all that tells it what it is.
	if os.Getenv(envAsProgram) != "" || len(os.Args) == 2 && os.Args[1] == "worker" {
		os.Exit(asProgram())
	}
	testscript.Main(together{m}, map[string]func(){"chatterbox": func() { os.Exit(asProgram()) }})
}

func asProgram() int {
	mutation := os.Getenv(envMutation)
	if mutation == handsOver {
		return runProcess(decorations{Guests: func(inner loop.Tools) loop.Tools { return generousGuests{inner} }})
	}
	if mutation == diesOnWish || mutation == diesCarelessly {
		return runProcess(mortal(mutation == diesCarelessly))
	}
	with := mutations[mutation]
	if file := os.Getenv(envClock); file != "" {
		with = movedClock{file}.keptBy(with)
	}
	return runProcess(with)
}

// together runs the tests over one folder of compiled modules: to compile the built-in ones takes longer than most tests,
// and with the race detector much longer.
type together struct{ tests *testing.M }

var compiledFolder string

func (r together) Run() int {
	folder, err := os.MkdirTemp("", "compiled-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	compiledFolder = folder
	return r.tests.Run()
}
