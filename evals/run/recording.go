package run

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
)

// This file keeps what models answered, by the whole request and which repeat of it it was, so that a run can be had
// again without them.

// lineBytesMax bounds one recorded exchange.
const lineBytesMax = 64 << 20

// Exchange is a request and what was answered. Its first three fields find it again.
type Exchange struct {
	Trial       string          `json:"trial"`            // subject, scenario and repeat
	Repeat      int             `json:"repeat,omitempty"` // which of several equal requests of the trial, from 0
	Request     json.RawMessage `json:"request"`          // as it was sent; the order of its fields does not matter
	Status      int             `json:"status"`
	ContentType string          `json:"content_type,omitempty"`
	Body        string          `json:"body"`
}

// Response is the exchange as a client gets it.
func (e Exchange) Response() *http.Response {
	return &http.Response{
		StatusCode: e.Status, Header: http.Header{"Content-Type": {e.ContentType}},
		Body: io.NopCloser(strings.NewReader(e.Body)),
	}
}

// id is by which an exchange is found.
func (e Exchange) id() (string, error) {
	var value any
	if err := json.Unmarshal(e.Request, &value); err != nil {
		return "", fmt.Errorf("a request that is no JSON: %w", err)
	}
	return fmt.Sprintf("%x %s %d", sha256.Sum256(marshal(value)), e.Trial, e.Repeat), nil // marshal sorts the fields
}

// Recording is a file of exchanges. A nil recording neither records nor replays. It may be used by several goroutines
// at once.
type Recording struct {
	to       *Lines              // that is recorded to; nil where the recording is replayed
	kept     map[string]Exchange // by id
	requests []string            // ids in the order of the file, to look for the nearest
}

// StartRecording adds to a file, which is made if it is not there. Exchanges that the file has already are recorded
// again.
func StartRecording(name string) (*Recording, error) {
	to, err := OpenLines(name, 0o600)
	if err != nil {
		return nil, err
	}
	return &Recording{to: to}, nil
}

func (r *Recording) records() bool { return r != nil && r.to != nil }

// Replays says whether exchanges come from the recording.
func (r *Recording) Replays() bool { return r != nil && r.kept != nil }

// Torn says that the last line of the file that is added to had no end and was cut off.
func (r *Recording) Torn() bool { return r.records() && r.to.Torn }

// Err is why nothing more is recorded, nil as long as all went well.
func (r *Recording) Err() error {
	if !r.records() || r.to.Err() == nil {
		return nil
	}
	return fmt.Errorf("record: %w", r.to.Err())
}

// OpenRecording reads a file. Of exchanges with the same id the last one counts. A last line without its end is left
// out.
func OpenRecording(name string) (*Recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := &Recording{kept: map[string]Exchange{}}
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
		id, err := e.id()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if _, ok := r.kept[id]; !ok {
			r.requests = append(r.requests, id)
		}
		r.kept[id] = e
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(r.kept) == 0 {
		return nil, fmt.Errorf("%s: there is no recorded exchange", name)
	}
	return r, nil
}

// Keep records an exchange, where the recording records.
func (r *Recording) Keep(e Exchange) error {
	if !r.records() {
		return nil
	}
	if err := r.to.Append(marshal(e)); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// Close ends the recording.
func (r *Recording) Close() error {
	if !r.records() {
		return nil
	}
	return r.to.Close()
}

// Find gives the exchange with what was answered. Where nothing was recorded, the error names the nearest request and
// in what it differs.
func (r *Recording) Find(asked Exchange) (Exchange, error) {
	id, err := asked.id()
	if err != nil {
		return Exchange{}, err
	}
	if e, ok := r.kept[id]; ok {
		return e, nil
	}
	return Exchange{}, r.miss(asked)
}

// missCandidatesMax bounds how many recorded requests a miss is compared with.
const missCandidatesMax = 2000

// differencesShown bounds how many differences a miss names.
const differencesShown = 5

func (r *Recording) miss(asked Exchange) error {
	var best Exchange
	var least []string
	for _, id := range r.requests[:min(len(r.requests), missCandidatesMax)] {
		e := r.kept[id]
		found := differences("", decoded(e.Request), decoded(asked.Request))
		if e.Trial != asked.Trial {
			found = append(found, fmt.Sprintf("it is of trial %s, not %s", e.Trial, asked.Trial))
		}
		if e.Repeat != asked.Repeat {
			found = append(found, fmt.Sprintf("it is request %d of its kind, not %d", e.Repeat+1, asked.Repeat+1))
		}
		if least == nil || len(found) < len(least) {
			best, least = e, found
		}
	}
	more := ""
	if len(least) > differencesShown {
		more = fmt.Sprintf("\n  and %d more", len(least)-differencesShown)
		least = least[:differencesShown]
	}
	return fmt.Errorf("no answer is recorded for this request of trial %s; the nearest one, of trial %s, differs:\n  %s%s",
		asked.Trial, best.Trial, strings.Join(least, "\n  "), more)
}

// decoded is the value of JSON that was read before.
func decoded(raw json.RawMessage) (value any) {
	if err := json.Unmarshal(raw, &value); err != nil {
		panic(err)
	}
	return value
}

// differences lists the places in which two JSON values differ.
func differences(at string, was, is any) (out []string) {
	switch x := was.(type) {
	case map[string]any:
		y, ok := is.(map[string]any)
		if !ok {
			break
		}
		names := maps.Clone(x)
		maps.Copy(names, y)
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
		y, ok := is.([]any)
		if !ok {
			break
		}
		if len(x) != len(y) {
			out = append(out, fmt.Sprintf("%s has %d entries, was %d", at, len(y), len(x)))
		}
		for i := range min(len(x), len(y)) {
			out = append(out, differences(fmt.Sprintf("%s[%d]", at, i), x[i], y[i])...)
		}
		return out
	}
	if !reflect.DeepEqual(was, is) {
		out = append(out, fmt.Sprintf("%s is %s, was %s", at, brief(is), brief(was)))
	}
	return out
}

// briefRunesMax is how much of a value a difference shows.
const briefRunesMax = 100

func brief(value any) string {
	if runes := []rune(string(marshal(value))); len(runes) > briefRunesMax {
		return string(runes[:briefRunesMax]) + "…"
	}
	return string(marshal(value))
}
