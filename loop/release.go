package loop

import (
	"slices"
	"strings"
	"unicode"
)

// This file decides what of a model's text is spoken while no call of the turn has changed anything. The rules are:
//   - A sentence leaves when it has ended and claims no effect. What its beginning cannot turn into a claim leaves at once,
//     word by word, up to the next boundary within the sentence.
//   - The first claim and all behind it wait for the end of the model's answer. If that is the answer, one honest sentence
//     takes the place of the claims. If calls follow, promises were the beginning of them, and other claims are left out.
//   - How text was split on its way makes no difference to what is spoken.

// Honest are the sentences that take the place of claims, in the person's language.
type Honest struct {
	NothingDone string `json:"nothing_done"`
	Failed      string `json:"failed"` // a call has failed
}

// Done is what the calls of a turn have done so far.
type Done struct {
	// Acted says that a call succeeded that changes something, or that the person had to agree to. Who goes on with the
	// result of a tool that somebody else ran sets it before the turn begins.
	Acted  bool `json:"acted,omitempty"`
	Failed bool `json:"failed,omitempty"` // a call failed that was not declined
	Read   bool `json:"read,omitempty"`   // a call that changes nothing succeeded
}

// note counts a call that has its result.
func (d *Done) note(open *OpenCall) {
	switch {
	case open.Result.Failed:
		d.Failed = d.Failed || open.Verdict.Decision != Ask
	case open.Verdict.Acts, open.Approved:
		d.Acted = true
	default:
		d.Read = true
	}
}

// Gate holds back what may be a claim, in an answer that arrives in pieces. The zero value is ready.
type Gate struct {
	Held string `json:"held,omitempty"` // the sentence that has not ended
	Sent int    `json:"sent,omitempty"` // bytes of Held that have left
	Shut bool   `json:"shut,omitempty"` // all else waits for the end of the answer
}

// judge judges the sentences of a turn.
type judge struct {
	readers []*claimReader
	now     situation // who asks in one language may be answered in another
}

// judge returns nil where everything is spoken as it comes.
func (s *step) judge() *judge {
	if s.Honest == nil || s.Done.Acted {
		return nil
	}
	if s.Shown.judge != nil {
		return s.Shown.judge
	}
	var texts []string
	for i := len(s.Messages) - 1; i >= 0 && len(texts) < 2; i-- {
		message := s.Messages[i]
		if message.Role == User {
			texts = append(texts, message.Content)
		} else if message.Role == Assistant && len(texts) > 0 && !strings.HasSuffix(strings.TrimSpace(message.Content), "?") {
			break
		}
	}
	j := &judge{now: situation{read: s.Done.Read}}
	for _, language := range []string{"en", "de"} {
		reader := claimLanguages[language]()
		j.readers = append(j.readers, reader)
		asks, playful := reader.wants(texts)
		j.now.asks, j.now.playful = j.now.asks || asks, j.now.playful || playful
	}
	s.Shown.judge = j
	return j
}

// claims says what sentence claims behind its first from bytes.
func (j *judge) claims(sentence string, from int) claimKind {
	for _, reader := range j.readers {
		if kind := reader.claims(sentence, from, j.now); kind != noClaim {
			return kind
		}
	}
	return noClaim
}

// release takes the next piece of an answer and returns what of it may leave now.
func (s *step) release(piece string) string {
	j := s.judge()
	if j == nil {
		return piece
	}
	gate := &s.Shown.Gate
	if gate.Shut {
		return ""
	}
	gate.Held += piece
	var out strings.Builder
	for !gate.Shut {
		n := sentenceEnd(gate.Held, false)
		until := n
		if n == 0 {
			until = len(gate.Held)
		}
		sent := max(gate.Sent, j.head(gate.Held[:until]))
		out.WriteString(gate.Held[gate.Sent:sent])
		gate.Sent = sent
		if n == 0 {
			break
		}
		if j.claims(gate.Held[:n], sent) != noClaim {
			gate.Shut, gate.Held, gate.Sent = true, "", 0
			break
		}
		out.WriteString(gate.Held[sent:n])
		gate.Held, gate.Sent = gate.Held[n:], 0
	}
	return out.String()
}

// spoken is what of a whole answer is spoken. calling says that calls follow it.
func (s *step) spoken(text string, calling bool) string {
	j := s.judge()
	if j == nil {
		return text
	}
	var out strings.Builder
	corrected := false
	for rest := text; rest != ""; {
		n := sentenceEnd(rest, true)
		sentence := rest[:n]
		rest = rest[n:]
		sent := j.head(sentence)
		kind := j.claims(sentence, sent)
		if kind == noClaim || calling && kind == promise {
			out.WriteString(sentence)
			continue
		}
		out.WriteString(sentence[:sent])
		if sent > 0 {
			out.WriteByte('.')
		}
		if calling {
			continue
		}
		s.Trace.Claims = append(slices.Clip(s.Trace.Claims), strings.TrimSpace(sentence[sent:]))
		if !corrected {
			space := sentence[:len(sentence)-len(strings.TrimLeftFunc(sentence, unicode.IsSpace))]
			if sent > 0 {
				space = " "
			}
			out.WriteString(space + s.honest())
			corrected = true
		}
	}
	if limit := s.Limits.OutputBytes; limit > 0 {
		return runePrefix(out.String(), limit)
	}
	return out.String()
}

// honest is what is said in place of a claim.
func (s *step) honest() string {
	if s.Done.Failed {
		return s.Honest.Failed
	}
	return s.Honest.NothingDone
}

// head is how many bytes of a sentence may leave before it has ended: its whole words up to the first boundary, once
// they begin a sentence that makes no claim before that. The last word always waits.
func (j *judge) head(sentence string) int {
	at := len(sentence) - len(strings.TrimLeftFunc(sentence, unicode.IsSpace))
	ends := 0 // of the words so far
	for first := true; ; first = false {
		space := strings.IndexFunc(sentence[at:], unicode.IsSpace)
		if space < 0 {
			break
		}
		word := sentence[at : at+space]
		bare := strings.TrimRight(word, ",;:–—-")
		if ends := strings.TrimRight(bare, ".!?…\"'”’“»«)"); ends != bare || word == "" || j.bounds(bare, first) {
			break
		}
		ends = at + len(bare)
		if bare != word && !first {
			break
		}
		at += space + len(sentence[at+space:]) - len(strings.TrimLeftFunc(sentence[at+space:], unicode.IsSpace))
	}
	for _, reader := range j.readers {
		plain := reader.plain(sentence[:ends])
		if reader.is("safe", plain) || reader.is("harmless", plain) {
			return ends
		}
	}
	return 0
}

// bounds says whether a claim may begin with word. first says that it is the sentence's first, which may be its
// subject.
func (j *judge) bounds(word string, first bool) bool {
	word = strings.ToLower(strings.ReplaceAll(word, "’", "'"))
	return word == "" || slices.ContainsFunc(j.readers, func(r *claimReader) bool {
		return r.is("boundary", word) && !(first && r.is("subject", word))
	})
}
