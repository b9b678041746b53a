package run

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
)

// This file keeps what models answered, by the whole request and which repeat of it it was, so that a run can be had
// again without them.

// lineBytesMax bounds one recorded exchange.
const lineBytesMax = 64 << 20

// Key finds an exchange.
type RequestKey struct {
	Request json.RawMessage // as it was sent; the order of its fields does not matter
	Trial   string          // scenario and repeat
	Repeat  int             // which of several equal requests of the trial, from 0
}

// Exchange is a request and what was answered.
type Exchange struct {
	Trial       string          `json:"trial"`
	Repeat      int             `json:"repeat,omitempty"`
	Request     json.RawMessage `json:"request"`
	Status      int             `json:"status"`
	ContentType string          `json:"content_type,omitempty"`
	Body        string          `json:"body"`
}

// Response is the exchange as a client gets it.
func (e Exchange) Response() *http.Response {
	return &http.Response{
		StatusCode: e.Status, Header: http.Header{"Content-Type": {e.ContentType}},
		Body: io.NopCloser(bytes.NewReader([]byte(e.Body))),
	}
}

// Recording is a file of exchanges. A nil recording neither records nor replays. It may be used by several goroutines at once.
type Recording struct {
	to       *Journal            // that is recorded to; nil where the recording is replayed
	kept     map[string]Exchange // by id
	requests []string            // ids in the order of the file, to look for the nearest
}

// Record adds to a file, which is made if it is not there. Exchanges that the file has already are recorded again.
func StartRecording(name string) (*Recording, error) {
	to, err := OpenJournal(name, 0o600)
	if err != nil {
		return nil, err
	}
	return &Recording{to: to}, nil
}

// Torn says that the last line of the file that is added to had no end and was cut off.
func (t *Recording) Torn() bool { return t.to != nil && t.to.Torn }

// Err is why nothing more is recorded, nil as long as all went well.
func (t *Recording) Err() error {
	if t == nil || t.to == nil || t.to.Err() == nil {
		return nil
	}
	return fmt.Errorf("record: %w", t.to.Err())
}

// Replay reads a file. Of exchanges with the same key the last one counts. A last line without its end is left out.
func OpenRecording(name string) (*Recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &Recording{kept: map[string]Exchange{}}
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, lineBytesMax)
	for n := 1; scanner.Scan(); n++ {
		var e Exchange
		if err := json.Unmarshal(scanner.Bytes(), &e); err != nil {
			if !scanner.Scan() {
				break
			}
			return nil, fmt.Errorf("%s:%d: expected a recorded exchange: %w", name, n, err)
		}
		id, err := RequestKey{e.Request, e.Trial, e.Repeat}.id()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if _, ok := t.kept[id]; !ok {
			t.requests = append(t.requests, id)
		}
		t.kept[id] = e
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.kept) == 0 {
		return nil, fmt.Errorf("%s: there is no recorded exchange", name)
	}
	return t, nil
}

// Replays says whether exchanges come from the recording.
func (t *Recording) Replays() bool { return t != nil && t.kept != nil }

// Keep records an exchange, where the recording records.
func (t *Recording) Keep(key RequestKey, status int, contentType string, body []byte) error {
	if t == nil || t.to == nil {
		return nil
	}
	line, err := json.Marshal(Exchange{key.Trial, key.Repeat, key.Request, status, contentType, string(body)})
	if err != nil {
		return err
	}
	if err := t.to.Append(line); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// Close ends the recording.
func (t *Recording) Close() error {
	if t == nil || t.to == nil {
		return nil
	}
	return t.to.Close()
}

// Find gives what was answered. Where nothing was recorded for the key, the error names the nearest request and in what
// it differs.
func (t *Recording) Find(key RequestKey) (Exchange, error) {
	id, err := key.id()
	if err != nil {
		return Exchange{}, err
	}
	if e, ok := t.kept[id]; ok {
		return e, nil
	}
	return Exchange{}, t.miss(key)
}

func (k RequestKey) id() (string, error) {
	var value any
	if err := json.Unmarshal(k.Request, &value); err != nil {
		return "", fmt.Errorf("a request that is no JSON: %w", err)
	}
	canonical, err := json.Marshal(value) // sorts the fields
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return fmt.Sprintf("%s %s %d", hex.EncodeToString(sum[:]), k.Trial, k.Repeat), nil
}

// missCandidatesMax bounds how many recorded requests a miss is compared with.
const missCandidatesMax = 2000

func (t *Recording) miss(key RequestKey) error {
	var wanted any
	if err := json.Unmarshal(key.Request, &wanted); err != nil {
		return err
	}
	best, least := Exchange{}, []string(nil)
	for n, id := range t.requests {
		if n == missCandidatesMax {
			break
		}
		e := t.kept[id]
		var recorded any
		if json.Unmarshal(e.Request, &recorded) != nil {
			continue
		}
		found := differences("", recorded, wanted)
		if e.Trial != key.Trial {
			found = append(found, fmt.Sprintf("it is of trial %s, not %s", e.Trial, key.Trial))
		}
		if e.Repeat != key.Repeat {
			found = append(found, fmt.Sprintf("it is request %d of its kind, not %d", e.Repeat+1, key.Repeat+1))
		}
		if least == nil || len(found) < len(least) {
			best, least = e, found
		}
	}
	if least == nil {
		return errors.New("no request is recorded")
	}
	const shown = 5
	more := ""
	if len(least) > shown {
		more = fmt.Sprintf("\n  and %d more", len(least)-shown)
		least = least[:shown]
	}
	text := fmt.Sprintf("no answer is recorded for this request of trial %s; the nearest one, of trial %s, differs:", key.Trial, best.Trial)
	for _, line := range least {
		text += "\n  " + line
	}
	return errors.New(text + more)
}

// differences lists the places in which two JSON values differ.
func differences(at string, a, b any) []string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		names := maps.Clone(x)
		maps.Copy(names, y)
		var out []string
		for _, name := range slices.Sorted(maps.Keys(names)) {
			left, inLeft := x[name]
			right, inRight := y[name]
			switch {
			case !inLeft:
				out = append(out, fmt.Sprintf("%s.%s is new: %s", at, name, brief(right)))
			case !inRight:
				out = append(out, fmt.Sprintf("%s.%s is gone: %s", at, name, brief(left)))
			default:
				out = append(out, differences(at+"."+name, left, right)...)
			}
		}
		return out
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		var out []string
		if len(x) != len(y) {
			out = append(out, fmt.Sprintf("%s has %d entries, was %d", at, len(y), len(x)))
		}
		for i := range min(len(x), len(y)) {
			out = append(out, differences(fmt.Sprintf("%s[%d]", at, i), x[i], y[i])...)
		}
		return out
	}
	if left, right := brief(a), brief(b); left != right || !equal(a, b) {
		return []string{fmt.Sprintf("%s is %s, was %s", at, right, left)}
	}
	return nil
}

func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func brief(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const most = 100
	if runes := []rune(string(text)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(text)
}
