package worker

import (
	"flag"
	"testing"
)

var long = flag.Bool("long", false, "what takes many seconds by itself, too")

// Long says whether this is the long form, which .ci/run sets.
func Long() bool { return *long }

// OnlyLong skips what the short form leaves to the long one.
func OnlyLong(t *testing.T, why string) {
	t.Helper()
	if !*long {
		t.Skip("-long runs it: " + why)
	}
}
