package history_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the process that TestKill kills.
func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		os.Exit(child(path))
	}
	goleak.VerifyTestMain(m)
}
