package history_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/history"
)

func TestAMigrationKeepsTheTurnsAndACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := openStore(t, history.Options{Path: path})
	for range 50 {
		say(t, s, "a", "hello")
	}
	want := load(t, s, "a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	later, err := history.OpenLater(t.Context(), history.Options{Path: path},
		"ALTER TABLE turn ADD COLUMN mood TEXT; UPDATE turn SET mood = 'good'")
	if err != nil {
		t.Fatal(err)
	}
	if got := load(t, later, "a"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after the migration %+v\nwant %+v", got, want)
	}
	if err := later.Close(); err != nil {
		t.Fatal(err)
	}
	t.Run("this version refuses the later file and leaves it alone", func(t *testing.T) {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = history.Open(t.Context(), history.Options{Path: path})
		var failure *history.Error
		if !errors.Is(err, history.ErrNewer) || !errors.As(err, &failure) || !strings.Contains(failure.Hint, "newer") {
			t.Errorf("%v", err)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(before) != string(after) {
			t.Errorf("the file was changed: %v", err)
		}
	})
	t.Run("the copy is the file of before", func(t *testing.T) {
		old := openStore(t, history.Options{Path: fmt.Sprintf("%s.v%d", path, history.Version)})
		if got := load(t, old, "a"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the copy has %+v\nwant %+v", got, want)
		}
	})
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := openStore(t, history.Options{Path: path})
	say(t, s, "a", "hello")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := history.OpenLater(t.Context(), history.Options{Path: path},
		"ALTER TABLE turn ADD COLUMN mood TEXT", "UPDATE turn SET mood = 'good'; UPDATE nowhere SET nothing = 1")
	if err == nil {
		t.Fatal("a broken migration succeeds")
	}
	again := openStore(t, history.Options{Path: path})
	if c := load(t, again, "a"); len(c.Turns) != 1 {
		t.Errorf("after a migration that failed: %+v", c)
	}
	if err := again.Exec(t.Context(), "UPDATE turn SET mood = 'bad'"); err == nil {
		t.Error("the first step of the migration is still there")
	}
}

const (
	migrateVariable = "CHATTERBOX_HISTORY_TEST_MIGRATE"
	migrateKills    = 12
	// slowMigration changes every turn, and thinks about it for some ten milliseconds.
	slowMigration = `ALTER TABLE turn ADD COLUMN mood TEXT; UPDATE turn SET mood = 'good';
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000)
		UPDATE turn SET mood = (SELECT max(i) FROM n) WHERE seq < 3`
)

// migrateChild brings the file to a later format, if it is given the time.
func migrateChild(path string) int {
	fmt.Println("ready")
	s, err := history.OpenLater(context.Background(), history.Options{Path: path}, slowMigration)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer s.Close()
	time.Sleep(time.Minute) // until the kill
	return 0
}

func TestKillDuringMigration(t *testing.T) {
	t.Parallel()
	original := filepath.Join(t.TempDir(), "history.db")
	s := openStore(t, history.Options{Path: original})
	for range 200 {
		say(t, s, "a", "hello")
	}
	want := load(t, s, "a")
	before, after := 0, 0
	// How long the migration takes depends on the machine: the moments of the kills close in on it from both sides.
	moment := 80 * time.Millisecond
	for range migrateKills {
		path := filepath.Join(t.TempDir(), "history.db")
		if err := s.Backup(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		kill(t, path, rand.N(moment), migrateVariable+"=1")
		old, err := history.Open(t.Context(), history.Options{Path: path})
		switch {
		case err == nil:
			before++
			moment *= 2
			if err := old.Exec(t.Context(), "UPDATE turn SET mood = 'bad'"); err == nil {
				t.Error("half a migration is in the file")
			}
			if err := old.Close(); err != nil {
				t.Error(err)
			}
		case errors.Is(err, history.ErrNewer):
			after++
			moment = max(moment/2, time.Millisecond)
			path, err := filepath.Abs(fmt.Sprintf("%s.v%d", path, history.Version))
			if err != nil {
				t.Fatal(err)
			}
			if c := load(t, openStore(t, history.Options{Path: path}), "a"); fmt.Sprint(c) != fmt.Sprint(want) {
				t.Errorf("the copy made before the migration has %d turns, want %d", len(c.Turns), len(want.Turns))
			}
		default:
			t.Fatal(err)
		}
		later, err := history.OpenLater(t.Context(), history.Options{Path: path}, slowMigration)
		if err != nil {
			t.Fatal(err)
		}
		if c := load(t, later, "a"); fmt.Sprint(c) != fmt.Sprint(want) {
			t.Errorf("after a migration that was killed and made again: %d turns, want %d", len(c.Turns), len(want.Turns))
		}
		if err := errors.Join(later.CheckAll(t.Context()), later.Close()); err != nil {
			t.Error(err)
		}
	}
	t.Logf("killed before the migration was complete: %d times, after: %d", before, after)
	if before == 0 {
		t.Error("no kill came before the migration was complete: nothing was tested")
	}
}
