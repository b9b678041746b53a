package server

import (
	"testing"
	"time"
)

// TestLooksComeInTime holds what the tests of leaving cannot, which wait for as long as a busy machine needs: a turn
// ends within a second of its client's leaving.
func TestLooksComeInTime(t *testing.T) {
	if goneEvery > time.Second/2 {
		t.Errorf("a look comes every %v", goneEvery)
	}
}
