package page

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

// transcripts are what was said in trials, compressed in pieces that the page opens when one is looked at.
type transcripts struct {
	chunks []string // base64 of deflated JSON lists of transcripts
	places []place  // by row
	left   int      // how many had no room
}

// place is where a transcript is: which piece, and which of its list. The piece is -1 for none.
type place [2]int

// transcript is all that is shown of one trial beside its row.
type transcript struct {
	Messages    []message `json:"messages"`
	Cut         int       `json:"cut,omitempty"` // messages that are left out
	Detail      string    `json:"detail,omitempty"`
	Expected    string    `json:"expected,omitempty"`
	Sampling    string    `json:"sampling,omitempty"`
	Fingerprint string    `json:"fingerprint,omitempty"`
	Seed        string    `json:"seed,omitempty"`
	Version     string    `json:"version,omitempty"`
	Context     int       `json:"context,omitempty"`
	Repaired    int       `json:"repaired,omitempty"`
	Cost        string    `json:"cost"`
	Simulated   bool      `json:"simulated,omitempty"`
}

type message struct {
	Role      string `json:"role"`
	Text      string `json:"text,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Result    string `json:"result,omitempty"`
	Refusal   string `json:"refusal,omitempty"`
	Cached    bool   `json:"cached,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
}

// errFull ends the reading when no more fits.
var errFull = errors.New("full")

// transcripts gathers as many transcripts of listed trials as fit, those that failed first.
func (l *listing) transcripts(logs *report.Logs, bytesMax int) (*transcripts, error) {
	out := &transcripts{places: make([]place, len(l.Columns.Trial))}
	for i := range out.places {
		out.places[i] = place{-1, 0}
	}
	p := &packer{room: bytesMax - len(out.places)*len(`[9999,9999],`)}
	for i, outcome := range order {
		if !slices.Contains(l.Columns.Outcome, i) {
			continue
		}
		err := logs.Each(func(t judge.Trial) error {
			row, listed := l.rows[key{t.Subject, t.Scenario, t.Trial}]
			if !listed || t.Outcome != outcome || len(t.Messages) == 0 && t.Detail == "" {
				return nil
			}
			at, err := p.add(newTranscript(t))
			if err != nil {
				return err
			}
			out.places[row] = at
			return nil
		})
		if errors.Is(err, errFull) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.flush(); err != nil && !errors.Is(err, errFull) {
		return nil, err
	}
	out.chunks = p.chunks
	for i, at := range out.places {
		if at[0] >= len(out.chunks) {
			out.places[i] = place{-1, 0} // the last piece had no room
		}
		if out.places[i][0] < 0 {
			out.left++
		}
	}
	return out, nil
}

func (t *transcripts) write(b *builder) {
	for i, chunk := range t.chunks {
		b.put("<script type=\"text/plain\" id=\"piece%d\">%s</script>\n", i, raw(chunk))
	}
	places, _ := json.Marshal(map[string]any{"places": t.places, "left": t.left}) //nolint:errchkjson // numbers only
	b.put("<script type=\"application/json\" id=\"places\">%s</script>\n", raw(places))
}

// packer compresses transcripts piece by piece.
type packer struct {
	room    int
	chunks  []string
	current bytes.Buffer // a JSON list without its end
	in      int          // how many are in current
}

func (p *packer) add(t transcript) (place, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return place{}, err
	}
	if p.in > 0 && p.current.Len()+len(text) > chunkBytes {
		if err := p.flush(); err != nil {
			return place{}, err
		}
	}
	separator := byte(',')
	if p.in == 0 {
		separator = '['
	}
	p.current.WriteByte(separator)
	p.current.Write(text)
	p.in++
	return place{len(p.chunks), p.in - 1}, nil
}

// flush closes a piece. It is dropped when there is no room for it.
func (p *packer) flush() error {
	if p.in == 0 {
		return nil
	}
	p.current.WriteByte(']')
	var packed bytes.Buffer
	writer, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := writer.Write(p.current.Bytes()); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	p.current.Reset()
	p.in = 0
	size := base64.StdEncoding.EncodedLen(packed.Len())
	if size > p.room {
		p.room = 0
		return errFull
	}
	p.room -= size
	p.chunks = append(p.chunks, base64.StdEncoding.EncodeToString(packed.Bytes()))
	return nil
}

func newTranscript(t judge.Trial) transcript {
	out := transcript{
		Detail: cut(t.Detail), Expected: cut(string(t.Expected)), Fingerprint: short(t.Fingerprint, nameMax), Version: short(t.Version, nameMax),
		Context: t.Context, Repaired: t.Repaired, Cost: report.Cost(t.CostUSD), Simulated: t.Simulated,
	}
	if t.Seed != 0 {
		out.Seed = fmt.Sprint(t.Seed)
	}
	if len(t.Sampling) > 0 {
		if text, err := json.Marshal(t.Sampling); err == nil {
			out.Sampling = cut(string(text))
		}
	}
	messages := report.Transcript(t)
	if left := len(messages) - messagesMax; left > 0 { // the end is where it failed
		out.Cut, messages = left, messages[left:]
	}
	for _, m := range messages {
		out.Messages = append(out.Messages, message{
			Role: short(m.Role, nameMax), Text: cut(m.Text), Name: short(m.Name, nameMax), Arguments: cut(m.Arguments), Result: cut(m.Result),
			Refusal: short(m.Refusal, nameMax), Cached: m.Cached, Failed: m.Failed,
		})
	}
	return out
}

// cut shortens a text and says by how much.
func cut(text string) string {
	kept := short(text, messageMax)
	if len(kept) >= len(text) {
		return text
	}
	return fmt.Sprintf("%s (%d characters left out)", kept, utf8.RuneCountInString(text)-messageMax)
}
