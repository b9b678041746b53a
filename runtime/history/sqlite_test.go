package history_test

import (
	"context"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
	"chatterbox/runtime/history/historytest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestSQLite(t *testing.T) {
	historytest.Run(t, func(t *testing.T) conversation.Store { return openStore(t, history.Options{}) })
}

// openStore opens a store, in a new folder unless options name a path, and closes it with the test.
func openStore(t testing.TB, options history.Options) *history.SQLite {
	t.Helper()
	if options.Path == "" {
		options.Path = filepath.Join(t.TempDir(), "history.db")
	}
	s, err := history.Open(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
