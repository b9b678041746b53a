package workflow

import (
	"strings"
	"unicode"
)

// IsYes says whether a text is a yes and nothing else, in one of the languages. It is stricter than a workflow, which
// hears the rest of the text too: whatever stands beside this yes might have changed what it is a yes to.
func (f *Flows) IsYes(text string) bool {
	u, ok := f.short(text)
	agreed := false
	if !ok || strings.HasSuffix(u.text, "?") {
		return false
	}
	for _, v := range f.voices {
		if v.refuses(u.words) {
			return false
		}
		agreed = agreed || v.agrees(u.words, nil)
	}
	return agreed
}

// IsUndo says whether a text asks to take back what was done last and says nothing else, in one of the languages. While
// a workflow is open, what cancels one is meant for that.
func (f *Flows) IsUndo(text string, open bool) bool {
	u, ok := f.short(text)
	if !ok {
		return false
	}
	asked := false
	for _, v := range f.voices {
		if open && v.whole(v.cancel, u) {
			return false
		}
		asked = asked || v.whole(v.undo, u)
	}
	return asked
}

// short hears a text, unless so much is said that a part would be left out.
func (f *Flows) short(text string) (utterance, bool) {
	if f == nil || len(text) > textMax {
		return utterance{}, false
	}
	return hear(text), true
}

// refuses says whether the words have something in them that a yes has not, wherever it stands. "No problem" is not
// worth the risk.
func (v *voice) refuses(words []string) bool {
	return v.reject.in(words) || v.hold.in(words) || v.skip.in(words) || v.cancel.in(words)
}

// agrees says whether the words are a yes and filler, and do not end as if there were more to come.
func (v *voice) agrees(words []string, does *phrases) bool {
	agreed, more := false, false
	for len(words) > 0 {
		n := longest(words, v.confirm, does)
		if n > 0 {
			agreed, more = true, false
		} else if n = v.filler.at(words); n > 0 {
			more = more || v.more.at(words) == n
		} else {
			return false
		}
		words = words[n:]
	}
	return agreed && !more
}

// declines says whether the words are a no and filler, with what the call does directly behind the no: "don't send it".
func (v *voice) declines(words []string, does *phrases) bool {
	declined := false
	for len(words) > 0 {
		n := longest(words, v.reject, v.cancel)
		if n > 0 {
			declined = true
			n += does.at(words[n:])
		}
		if n = max(n, v.filler.at(words)); n == 0 {
			return false
		}
		words = words[n:]
	}
	return declined
}

// Verdict is what a text says to a question that waits for a yes.
type Verdict int

// The verdicts.
const (
	Other   Verdict = iota // something else, or a consent or a refusal with more beside it
	Consent                // a consent and nothing else
	Refusal                // a refusal and nothing else
	Unclear                // contradictory, empty, too long, or a consent in a language that the question was not asked in
	Revised                // another value for an argument of the call, see [Flows.ReadCallAnswer]
)

// Answer reads a text as the answer to a question of that language. Tool is what a consent runs: "send it" is one to
// the tool send_email and to no other.
func (f *Flows) Answer(text, language, tool string) Verdict {
	u, ok := f.short(text)
	if !ok || len(u.words) == 0 {
		return Unclear
	}
	own := f.voice(baseLanguage(language))
	does := own.does[verb(tool)]
	rest := does.without(u.words)
	asks := strings.HasSuffix(u.text, "?") || strings.ContainsFunc(u.text, unicode.IsSymbol)
	switch {
	case !asks && !own.refuses(rest) && own.agrees(u.words, does):
		return Consent
	case !asks && own.declines(u.words, does):
		return Refusal
	case !asks && f.IsYes(text), own.wavers(u.words, does):
		return Unclear
	}
	return Other
}

// wavers says whether the words are a yes and a no, or neither, and nothing else.
func (v *voice) wavers(words []string, does *phrases) bool {
	for n := 1; n > 0; words = words[n:] {
		n = longest(words, v.confirm, does, v.reject, v.cancel, v.doubt, v.filler)
	}
	return len(words) == 0
}
