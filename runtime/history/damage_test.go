package history_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

var flippedSeeds = flag.Int("history.flipped", 60, "how many damaged files TestFlippedBits looks at")

// written is a history of some conversations as bytes of a file, and what was said by number.
func written(t *testing.T) ([]byte, map[int64]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	s, err := history.Open(t.Context(), history.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	said, seq := map[int64]string{}, int64(0)
	for i := range 120 {
		id := fmt.Sprint("c", i%8)
		c, err := s.Load(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		seq++
		said[seq] = fmt.Sprintf("%d: %s", i, strings.Repeat("word ", i*i%300))
		turn := conversation.Turn{
			ID: fmt.Sprint("t", i), At: time.Unix(1_770_000_000+seq, 0), User: said[seq], Assistant: "yes",
			Trace: json.RawMessage(`{"usage":{"prompt_tokens":7}}`),
		}
		if err := s.Append(t.Context(), id, c.Version, turn, conversation.State{Mode: "AUTO"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, said
}

// seen is what SQLite by itself makes of a file.
type seen struct {
	damaged  bool            // its quick check says so
	readable map[string]bool // what was said that is found by its number
	along    int             // how many of them come when the table is read from its start until something fails
}

func look(t *testing.T, path string, said map[int64]string) (found seen) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	err = db.QueryRowContext(t.Context(), "PRAGMA quick_check(1)").Scan(&verdict)
	found.damaged, found.readable = err != nil || verdict != "ok", map[string]bool{}
	for seq, text := range said {
		var turn [7]any
		err := db.QueryRowContext(t.Context(), "SELECT user, id, at, assistant, language, mode, trace FROM turn NOT INDEXED WHERE seq = ?", seq).
			Scan(&turn[0], &turn[1], &turn[2], &turn[3], &turn[4], &turn[5], &turn[6])
		_, whole := turn[2].(int64)
		if err == nil && whole && turn[0] == text {
			found.readable[text] = true
		}
	}
	rows, err := db.QueryContext(t.Context(), "SELECT user FROM turn NOT INDEXED ORDER BY seq")
	if err != nil {
		return found
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if rows.Scan(&text) == nil && found.readable[text] {
			found.along++
		}
	}
	return found
}

func exported(t *testing.T, s *history.SQLite) (map[string]bool, error) {
	t.Helper()
	var out bytes.Buffer
	err := s.Export(t.Context(), &out)
	texts := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		var c history.Exported
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		for _, turn := range c.Turns {
			texts[turn.User] = true
		}
	}
	return texts, err
}

// TestFlippedBits holds that damage which SQLite's quick check sees is noticed at a start, that an export has every
// turn that is there, and a repaired file too. That something is read which reading along does not find shows that it
// proves anything.
func TestFlippedBits(t *testing.T) {
	data, said := written(t)
	folder := t.TempDir()
	noticed, rescued, refused := 0, 0, 0
	for seed := range *flippedSeeds {
		random := rand.New(rand.NewPCG(uint64(seed), 53))
		flipped := bytes.Clone(data)
		for range 1 + random.IntN(8) {
			at := random.IntN(len(flipped))
			if seed%2 == 1 { // where a page says what it holds
				at = at/1024*1024 + at%32
			}
			flipped[at] ^= 1 << random.IntN(8)
		}
		path := filepath.Join(folder, fmt.Sprintf("%d.db", seed))
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		found := look(t, path, said)
		if err := os.WriteFile(path+"-damaged", nil, 0o600); err != nil { // as after an end that was not clean
			t.Fatal(err)
		}
		s, err := history.Open(t.Context(), history.Options{Path: path, Check: true})
		if err == nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if found.damaged {
			noticed++
			if err == nil {
				t.Errorf("seed %d: a damaged file is opened", seed)
			}
		}
		if after, err := os.ReadFile(path); err != nil || found.damaged && !bytes.Equal(after, flipped) {
			t.Errorf("seed %d: a damaged file is written to, %v", seed, err)
		}
		s, err = history.Open(t.Context(), history.Options{Path: path})
		if err != nil {
			refused++
			if s, err = history.OpenDamaged(history.Options{Path: path}); err != nil {
				t.Fatal(err)
			}
		}
		texts, err := exported(t, s)
		for text := range found.readable {
			if !texts[text] {
				t.Errorf("seed %d: %.20q is not exported: %v", seed, text, err)
			}
		}
		if damage := new(history.Damage); found.damaged && !errors.As(err, &damage) {
			t.Errorf("seed %d: the export does not say what is lost: %v", seed, err)
		}
		if len(found.readable) > found.along {
			rescued++
		}
		saved := path + ".repaired"
		if _, whole, err := s.Repair(t.Context(), saved); err != nil || whole && found.damaged {
			t.Errorf("seed %d: repair: %v, %v", seed, whole, err)
		} else if !whole {
			again := openStore(t, history.Options{Path: saved, Check: true})
			kept, err := exported(t, again)
			if err != nil || again.CheckAll(t.Context()) != nil || len(kept) < len(found.readable) {
				t.Errorf("seed %d: of %d turns %d are in the repaired file, %v", seed, len(found.readable), len(kept), err)
			}
		}
		if err := s.Close(); err != nil {
			t.Logf("seed %d: close: %v", seed, err)
		}
	}
	t.Logf("%d noticed, %d rescued, %d could be opened as damaged only", noticed, rescued, refused)
	if noticed < *flippedSeeds/4 || rescued == 0 {
		t.Errorf("%d were noticed, and of %d reading along found less: that proves nothing", noticed, rescued)
	}
}

// A start looks for damage only after an end that was not clean, and until it finds none.
func TestWhenAStartLooks(t *testing.T) {
	data, _ := written(t)
	flipped := bytes.Clone(data)
	for at := len(data) / 2; at < len(data)/2+4096; at += 1024 {
		flipped[at] ^= 0xff // the kind of a page
	}
	path := filepath.Join(t.TempDir(), "history.db")
	open := func() error {
		s, err := history.Open(t.Context(), history.Options{Path: path, Check: true})
		if err != nil {
			return err
		}
		return s.Close()
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path, flipped)
	if err := open(); err != nil {
		t.Errorf("after a clean end: %v", err)
	}
	write(path, flipped)
	write(path+"-wal", make([]byte, 64)) // no valid log: it is there because nobody closed the file
	for range 2 {
		err := open()
		var failure *history.Error
		if !errors.Is(err, history.ErrDamaged) || !errors.As(err, &failure) || !strings.Contains(failure.Hint, "history repair") {
			t.Errorf("after an unclean end: %v", err)
		}
	}
	write(path, data)
	if err := open(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path + "-damaged"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is whole counts as damaged: %v", err)
	}
}
