package history_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	s := openStore(t, history.Options{})
	for id, user := range map[string]string{
		"rain":   "Will it rain in Köln tomorrow?",
		"sun":    "Does the sun shine in Cologne tomorrow?",
		"lamp":   "Turn the lamp off",
		"quote":  `She said "turn off" and left`,
		"number": "Book it at 14:30 for Sarah-Jane O'Neil",
	} {
		say(t, s, id, user)
	}
	for name, test := range map[string]struct {
		query string
		want  string
	}{
		"a word":                          {"lamp", "lamp"},
		"all words must be there":         {"tomorrow rain", "rain"},
		"capitals and accents":            {"KOLN", "rain"},
		"the beginning of a word":         {"tomor*", "rain sun"},
		"a part of a word is not a match": {"tomor", ""},
		"words in quotes in their order":  {`"turn off"`, "quote"},
		"words without quotes anywhere":   {"off turn", "lamp quote"},
		"a quote that is left open":       {`lamp "the`, "lamp"},
		"a time":                          {"14:30", "number"},
		"an apostrophe and a hyphen":      {"o'neil sarah-jane", "number"},
		"operators are words":             {"lamp OR rain", ""},
		"columns are words":               {"user:lamp", ""},
		"what the assistant said":         {"yes", "lamp number quote rain sun"},
		"nothing but signs":               {`*** "" ( NEAR`, ""},
		"only signs":                      {`*-()^`, ""},
		"nothing":                         {"  ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := found(t, s, test.query); got != test.want {
				t.Errorf("%s finds %q, want %q", test.query, got, test.want)
			}
		})
	}
	matches, err := s.Search(t.Context(), "tomorrow", 1)
	if err != nil || len(matches) != 1 {
		t.Fatalf("%d matches with a limit of 1: %v", len(matches), err)
	}
	m := matches[0]
	if m.Turn == "" || m.At.IsZero() || !strings.Contains(m.User, "tomorrow") || m.Assistant != "yes" ||
		!strings.Contains(m.Excerpt, "tomorrow") {
		t.Errorf("a match is %+v", m)
	}
}

// found is the conversations that a search finds, sorted.
func found(t *testing.T, s *history.SQLite, query string) string {
	t.Helper()
	matches, err := s.Search(t.Context(), query, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range matches {
		ids = append(ids, m.Conversation)
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " ")
}

func TestTheIndexFollowsTheTurns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.db")
	s := openStore(t, history.Options{Path: path})
	if got := found(t, s, "word"); got != "" {
		t.Errorf("an empty history has %q", got)
	}
	var group sync.WaitGroup
	for c := range 3 {
		group.Go(func() {
			for i := range 150 { // together more than two batches
				say(t, s, fmt.Sprint("c", c), fmt.Sprintf("word number%d", c*1000+i))
			}
		})
	}
	group.Wait()
	check := func(when string, want ...string) {
		t.Helper()
		if got := found(t, s, "word"); got != strings.Join(want, " ") {
			t.Errorf("%s: found in %q, want %q", when, got, want)
		}
		if err := s.Exec(t.Context(), "INSERT INTO search (search, rank) VALUES ('integrity-check', 1)"); err != nil {
			t.Errorf("%s: the index does not agree with the turns: %v", when, err)
		}
	}
	check("first", "c0", "c1", "c2")
	if got := found(t, s, "number2149"); got != "c2" {
		t.Errorf("the newest turn is found in %q", got)
	}
	say(t, s, "new", "a word more")
	check("after another turn", "c0", "c1", "c2", "new")
	// The newest turn goes; the next one gets its number.
	if err := s.Delete(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	say(t, s, "c0", "the wordless one")
	check("after the newest turn was deleted", "c0", "c1", "c2")
	if got := found(t, s, "wordless"); got != "c0" {
		t.Errorf("the turn in the place of a deleted one is found in %q", got)
	}
	say(t, s, "few", "another word")
	check("with a short conversation", "c0", "c1", "c2", "few")
	say(t, s, "few", "not yet indexed word")
	if err := s.Delete(t.Context(), "few"); err != nil {
		t.Fatal(err)
	}
	check("after deleting a short conversation, which is partly in the index", "c0", "c1", "c2")
	say(t, s, "c1", "not yet indexed word")
	if err := s.Delete(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	check("after deleting a long one", "c0", "c2")
	other := openStore(t, history.Options{Path: path})
	say(t, other, "other", "word of another process")
	check("after a turn of another process", "c0", "c2", "other")
	if _, err := s.DeleteAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("after deleting all")
	say(t, s, "c0", "a last word")
	check("after a new beginning", "c0")
}

// FuzzSearch looks for a query that is an error, and for text that cannot be found again.
func FuzzSearch(f *testing.F) {
	s := openStore(f, history.Options{})
	say(f, s, "a", "some text to search in")
	for _, query := range []string{"", `"`, `a"b`, "a*", "*", "NOT a", "a AND", "(", "user:a", "\x00", "\xff", "a\x00b", "ß", "1:2", "^a", "{a b}: c", "a + b"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := s.Search(t.Context(), query, 10); err != nil {
			t.Errorf("query %q, expression %q: %v", query, history.MatchExpression(query), err)
		}
	})
}

// FuzzTurn looks for a text that does not come back as it was, or that breaks the index.
func FuzzTurn(f *testing.F) {
	s := openStore(f, history.Options{})
	for _, text := range []string{"", "hello", "a\x00b", "\xff\xfe", "\ufeff", "e\u0301", "👩‍👩‍👧", strings.Repeat("x", 5000)} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, user, assistant string) {
		c := load(t, s, "a")
		turn := conversation.Turn{ID: fmt.Sprint(c.Version), User: user, Assistant: assistant}
		if err := s.Append(t.Context(), "a", c.Version, turn, conversation.State{}); err != nil {
			t.Fatal(err)
		}
		if got := load(t, s, "a").Turns[0]; got.User != user || got.Assistant != assistant {
			t.Errorf("stored %q and %q, loaded %q and %q", user, assistant, got.User, got.Assistant)
		}
		if _, err := s.Search(t.Context(), user+" word", 0); err != nil {
			t.Error(err)
		}
		if err := s.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := s.Exec(t.Context(), "INSERT INTO search (search, rank) VALUES ('integrity-check', 1)"); err != nil {
			t.Errorf("the index still has what was deleted: %v", err)
		}
	})
}

// TestHammerSearch searches while turns are stored and deleted.
func TestHammerSearch(t *testing.T) {
	t.Parallel()
	s := openStore(t, history.Options{})
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			id := fmt.Sprint("c", i)
			for n := range 15 {
				turn := conversation.Turn{ID: fmt.Sprint(n), User: fmt.Sprintf("word%d of %s", n, id)}
				c, err := s.Load(t.Context(), id, 0)
				if err == nil {
					err = s.Append(t.Context(), id, c.Version, turn, conversation.State{})
				}
				if err != nil {
					t.Error(err)
					return
				}
				matches, err := s.Search(t.Context(), fmt.Sprintf("word%d %s", n, id), 0)
				if err != nil || len(matches) != 1 || matches[0].Conversation != id {
					t.Errorf("%s, turn %d: found %d, %v", id, n, len(matches), err)
				}
				if n%10 == 9 {
					if err := s.Delete(t.Context(), id); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
}
