//go:build race

package main

import "testing"

const raceDetector = true

// startsMany skips what starts the program many times or plays whole evaluations: with the race detector that takes many
// minutes and finds no more than the smaller tests do. `.ci/run` has a step for these without it.
func startsMany(t *testing.T) {
	t.Helper()
	t.Skip("runs without the race detector")
}
