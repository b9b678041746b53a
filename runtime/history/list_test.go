package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

func TestListShowExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // for its clock
		s := openStore(t, history.Options{})
		for _, id := range []string{"a", "b", "c", "a"} {
			say(t, s, id, "hello from "+id)
			time.Sleep(time.Minute)
		}
		if err := s.Delete(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		testList(t, s)
		testShow(t, s)
		testExport(t, s)
	})
}

func testList(t *testing.T, s *history.SQLite) {
	all, err := s.List(t.Context(), history.ListOptions{})
	if err != nil || len(all) != 2 || all[0].ID != "a" || all[1].ID != "c" {
		t.Fatalf("list %+v, %v", all, err)
	}
	if a := all[0]; a.Turns != 2 || a.First != "hello from a" || !a.Updated.Equal(time.Now().Add(-time.Minute)) {
		t.Errorf("a is %+v, now it is %v", a, time.Now())
	}
	for name, test := range map[string]struct {
		options history.ListOptions
		want    string
	}{
		"one":    {history.ListOptions{Limit: 1}, "a"},
		"before": {history.ListOptions{Before: all[0].Updated}, "c"},
		"none":   {history.ListOptions{Before: all[1].Updated}, ""},
	} {
		got, err := s.List(t.Context(), test.options)
		ids := ""
		for _, summary := range got {
			ids += summary.ID
		}
		if err != nil || ids != test.want {
			t.Errorf("%s: %q, want %q (%v)", name, ids, test.want, err)
		}
	}
}

func testShow(t *testing.T, s *history.SQLite) {
	if c, err := s.Show(t.Context(), "a"); err != nil || len(c.Turns) != 2 {
		t.Errorf("show: %+v, %v", c, err)
	}
	for _, id := range []string{"b", "never"} {
		if _, err := s.Show(t.Context(), id); !errors.Is(err, history.ErrNotFound) {
			t.Errorf("show %s: %v", id, err)
		}
	}
}

func testExport(t *testing.T, s *history.SQLite) {
	var all bytes.Buffer
	if err := s.Export(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range strings.Lines(all.String()) {
		var exported history.Exported
		if err := json.Unmarshal([]byte(line), &exported); err != nil {
			t.Fatal(err)
		}
		c := load(t, s, exported.ID)
		if fmt.Sprint(exported.Turns, exported.Updated, exported.State) != fmt.Sprint(c.Turns, c.Updated, c.State) {
			t.Errorf("exported %+v, stored %+v", exported, c)
		}
		ids = append(ids, exported.ID)
	}
	if fmt.Sprint(ids) != "[c a]" {
		t.Errorf("exported %v, want the oldest first", ids)
	}
	var one bytes.Buffer
	if err := s.Export(t.Context(), &one, "c"); err != nil || strings.Count(one.String(), "\n") != 1 || !strings.HasPrefix(all.String(), one.String()) {
		t.Errorf("export of one: %s, %v", one.String(), err)
	}
	if err := s.Export(t.Context(), io.Discard, "c", "b"); !errors.Is(err, history.ErrNotFound) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("export of a deleted conversation: %v", err)
	}
	if err := s.Export(t.Context(), brokenPipe{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("export to a broken pipe: %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ttl = 24 * time.Hour
		s := openStore(t, history.Options{TTL: ttl})
		say(t, s, "old", "an old word")
		say(t, s, "kept", "a kept word")
		version := load(t, s, "old").Version
		time.Sleep(ttl - time.Second)
		if c := load(t, s, "old"); len(c.Turns) != 1 {
			t.Fatalf("before its time: %+v", c)
		}
		say(t, s, "kept", "another word")
		time.Sleep(2 * time.Second) // not yet swept

		c := load(t, s, "old")
		if len(c.Turns) != 0 || c.Skipped != 0 || c.State.Mode != "" || !c.Updated.IsZero() || c.Version != version {
			t.Errorf("expired: %+v", c)
		}
		if got := found(t, s, "word"); got != "kept" {
			t.Errorf("search finds %q", got)
		}
		if list, err := s.List(t.Context(), history.ListOptions{}); err != nil || len(list) != 1 || list[0].ID != "kept" {
			t.Errorf("list: %+v, %v", list, err)
		}
		if err := s.SetState(t.Context(), "old", version-1, conversation.State{}); !errors.Is(err, conversation.ErrConflict) {
			t.Errorf("set state of an expired conversation: %v", err)
		}
		// It begins anew.
		say(t, s, "old", "a new word")
		if c := load(t, s, "old"); len(c.Turns) != 1 || c.Turns[0].User != "a new word" || c.Version != version+1 {
			t.Errorf("begun anew: %+v", c)
		}
		time.Sleep(3 * ttl)
		synctest.Wait()
		if rows := s.Rows(t); rows["turn"] != 0 || rows["conversation"] != 0 {
			t.Errorf("long after all has expired there are %v", rows)
		}
		if err := s.Exec(t.Context(), "INSERT INTO search (search, rank) VALUES ('integrity-check', 1)"); err != nil {
			t.Errorf("the index does not agree with the turns: %v", err)
		}
	})
}

func TestTombstonesOutliveEveryTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const turnMax = 3 * time.Hour
		s := openStore(t, history.Options{TurnMax: turnMax})
		say(t, s, "a", "hello")
		version := load(t, s, "a").Version
		for _, id := range []string{"a", "never"} {
			if err := s.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(turnMax + time.Hour - time.Second)
		if got := load(t, s, "a").Version; got != version+1 {
			t.Errorf("version %d while a turn of before may still be under way, want %d", got, version+1)
		}
		if rows := s.Rows(t); rows["conversation"] != 2 {
			t.Errorf("%d tombstones, want 2", rows["conversation"])
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if rows := s.Rows(t); rows["conversation"] != 0 {
			t.Errorf("%d tombstones are kept for ever", rows["conversation"])
		}
	})
}

func TestManyExpireInSeveralCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, history.Options{TTL: time.Hour})
		for i := range 100 {
			say(t, s, fmt.Sprint("c", i), "hello")
		}
		commits := s.Commits()
		time.Sleep(time.Hour + 2*time.Minute)
		synctest.Wait()
		if rows := s.Rows(t); rows["turn"] != 0 {
			t.Errorf("%d turns are left", rows["turn"])
		}
		if got := s.Commits() - commits; got < 3 || got > 5 {
			t.Errorf("100 conversations were removed in %d commits, want about 4", got)
		}
	})
}
