package history_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the process that the tests kill.
func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		if os.Getenv(migrateVariable) != "" {
			os.Exit(migrateChild(path))
		}
		os.Exit(child(path))
	}
	goleak.VerifyTestMain(m)
}
