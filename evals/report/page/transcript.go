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
	pieces []string // base64 of deflated JSON lists of transcripts
	places []place  // by row
	room   int      // bytes that are left for pieces

	current bytes.Buffer // a JSON list without its end
	in      int          // how many are in current
}

// place is where a transcript is: which piece, and which of its list. The piece is -1 for none.
type place [2]int

// transcript is all that is shown of one trial beside its row.
type transcript struct {
	Messages    []report.Message `json:"messages"`
	Cut         int              `json:"cut,omitempty"` // messages that are left out
	Detail      string           `json:"detail,omitempty"`
	Expected    string           `json:"expected,omitempty"`
	Sampling    string           `json:"sampling,omitempty"`
	Fingerprint string           `json:"fingerprint,omitempty"`
	Seed        string           `json:"seed,omitempty"`
	Version     string           `json:"version,omitempty"`
	Context     int              `json:"context,omitempty"`
	Repaired    int              `json:"repaired,omitempty"`
	Cost        string           `json:"cost"`
	Simulated   bool             `json:"simulated,omitempty"`
}

// errFull ends the reading when no more fits.
var errFull = errors.New("full")

// nowhere is the place of a transcript that is not on the page.
var nowhere = place{-1, 0}

// transcripts gathers as many transcripts of listed trials as fit, those that failed first.
func (l *listing) transcripts(logs *report.Logs, bytesMax int) (*transcripts, error) {
	out := &transcripts{places: slices.Repeat([]place{nowhere}, len(l.Columns.Trial))}
	out.room = bytesMax - len(out.places)*len(`[9999,9999],`)
	for i, outcome := range order {
		if !slices.Contains(l.Columns.Outcome, i) {
			continue
		}
		err := logs.Each(func(t judge.Trial) (err error) {
			row, listed := l.rows[key{t.Subject, t.Scenario, t.Trial}]
			if listed && t.Outcome == outcome && (len(t.Messages) > 0 || t.Detail != "") {
				out.places[row], err = out.add(newTranscript(t))
			}
			return err
		})
		if errors.Is(err, errFull) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if err := out.flush(); err != nil && !errors.Is(err, errFull) {
		return nil, err
	}
	return out, nil
}

func (t *transcripts) write(b *builder) {
	for i, piece := range t.pieces {
		b.put("<script type=\"text/plain\" id=\"piece%d\">%s</script>\n", i, raw(piece))
	}
	left := 0 // how many had no room
	for i, at := range t.places {
		if at[0] >= len(t.pieces) {
			t.places[i] = nowhere // the last piece had no room
		}
		if t.places[i] == nowhere {
			left++
		}
	}
	places, _ := json.Marshal(map[string]any{"places": t.places, "left": left}) // numbers only
	b.put("<script type=\"application/json\" id=\"places\">%s</script>\n", raw(places))
}

func (t *transcripts) add(one transcript) (place, error) {
	text, err := json.Marshal(one)
	if err != nil {
		return nowhere, err
	}
	if t.in > 0 && t.current.Len()+len(text) > chunkBytes {
		if err := t.flush(); err != nil {
			return nowhere, err
		}
	}
	separator := byte(',')
	if t.in == 0 {
		separator = '['
	}
	t.current.WriteByte(separator)
	t.current.Write(text)
	t.in++
	return place{len(t.pieces), t.in - 1}, nil
}

// flush closes a piece. It is dropped when there is no room for it.
func (t *transcripts) flush() error {
	if t.in == 0 {
		return nil
	}
	t.current.WriteByte(']')
	var packed bytes.Buffer
	writer, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := t.current.WriteTo(writer); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	t.in = 0
	piece := base64.StdEncoding.EncodeToString(packed.Bytes())
	if len(piece) > t.room {
		t.room = 0
		return errFull
	}
	t.room -= len(piece)
	t.pieces = append(t.pieces, piece)
	return nil
}

func newTranscript(t judge.Trial) transcript {
	out := transcript{
		Messages: report.Transcript(t), Detail: cut(t.Detail), Expected: cut(string(t.Expected)),
		Fingerprint: short(t.Fingerprint), Version: short(t.Version), Context: t.Context, Repaired: t.Repaired,
		Cost: report.Cost(t.CostUSD), Simulated: t.Simulated,
	}
	if t.Seed != 0 {
		out.Seed = fmt.Sprint(t.Seed)
	}
	if len(t.Sampling) > 0 {
		if text, err := json.Marshal(t.Sampling); err == nil {
			out.Sampling = cut(string(text))
		}
	}
	if left := len(out.Messages) - messagesMax; left > 0 { // the end is where it failed
		out.Cut, out.Messages = left, out.Messages[left:]
	}
	for i := range out.Messages {
		m := &out.Messages[i]
		m.Role, m.Name, m.Refusal = short(m.Role), short(m.Name), short(m.Refusal)
		m.Text, m.Arguments, m.Result = cut(m.Text), cut(m.Arguments), cut(m.Result)
	}
	return out
}

// cut shortens a text and says by how much.
func cut(text string) string {
	kept := judge.Short(text, messageMax)
	if len(kept) >= len(text) {
		return text
	}
	return fmt.Sprintf("%s (%d characters left out)", kept, utf8.RuneCountInString(text)-messageMax)
}
