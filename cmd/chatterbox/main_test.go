package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// What makes the test binary be chatterbox: scenarios start it so, with the name of a mutation where they want one.
const (
	envAsProgram = "TEST_AS_CHATTERBOX"
	envMutation  = "TEST_MUTATION"
)

func TestMain(m *testing.M) {
	// A worker's environment is empty: the word is all that tells it what it is.
	if os.Getenv(envAsProgram) != "" || len(os.Args) == 2 && os.Args[1] == "worker" {
		os.Exit(asProgram())
	}
	testscript.Main(m, map[string]func(){"chatterbox": func() { os.Exit(asProgram()) }})
}

func asProgram() int {
	return runProcess(mutations[os.Getenv(envMutation)])
}
