//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func roomCommand(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("room is for scripts that ask for [linux]")
}
