package main

import (
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
