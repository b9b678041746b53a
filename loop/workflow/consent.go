package workflow

import (
	"slices"
	"strings"
	"unicode"
)

// This file reads a sentence as an answer to a question that a yes answers. It is a consent when every word is part of
// a consent, of a value that is stated as the new one, or means nothing. There is no list of words that forbid:
// whatever is in no list is left over.

// reading is what a sentence says to such a question.
type reading struct {
	whole   bool // no word is left over
	consent bool // whole, and a yes
	declined,
	agreed bool // a word says no, a word says yes, whatever else is said
	no      bool   // the first of those words says no
	but     bool   // a yes, and then only words that lead to a change
	stated  uint64 // which values are stated as new ones, as bits
	strange bool   // a word is of no kind at all
}

// walk goes through the words once.
type walk struct {
	*machine
	all     []found
	does    *phrases
	reading reading
	open    uint64 // the values that a word left over behind them would make unsure, as bits
	left    bool   // a word is left over
	clean   bool   // the words before lead to a value and say nothing else
	soft    bool   // the word before means nothing by itself
	lead    bool   // the words before lead to a value that has yet to come
	makes   bool   // and are a consent with it: "make it"
	valued  bool   // the words before are a value
	more    bool   // more is to come: "and"
	until   int    // the word behind an ordinal
	begun   uint64 // the values of which a word was taken, as bits
}

// read reads the sentence. The values are those that were found in it.
func (m *machine) read(all []found) reading {
	w := walk{machine: m, all: all, does: m.voice.does[verb(m.flow.acts(m.phase()))], clean: true}
	for i := 0; i < len(m.heard.words); {
		i += w.step(i)
	}
	r := &w.reading
	r.whole = !w.left && !w.lead
	r.but = r.agreed && !w.left && w.lead
	asks := strings.HasSuffix(m.heard.text, "?") || strings.ContainsFunc(m.heard.text, unicode.IsSymbol)
	r.consent = r.whole && r.agreed && !w.more && !asks && !m.cut() && !m.turned
	return *r
}

// cut says whether only the beginning of the text is heard.
func (m *machine) cut() bool { return len(m.input.Text) > textMax }

// step takes the words from the i-th on that belong together, and returns how many they are.
func (w *walk) step(i int) int {
	if w.value(i) {
		return 1
	}
	v, rest := w.voice, w.heard.words[i:]
	agree, filler, lead, makes := longest(rest, v.confirm, w.does), v.filler.at(rest), v.lead.at(rest), v.makes.at(rest)
	reject, other, fix := v.reject.at(rest), longest(rest, v.hold, v.doubt), longest(rest, v.correct, v.own)
	named, states := w.named(rest)
	behind := 0
	if w.valued {
		behind = v.behind.at(rest)
	}
	n := max(agree, filler, lead, makes, reject, other, fix, named, behind)
	switch {
	case n == 0:
		clean := w.clean && v.isWeekday(rest[:1]) // one that another has taken the place of
		w.over()
		w.clean, w.reading.strange = clean, w.reading.strange || !clean
		return 1
	case n == behind:
	case n == lead, n == makes:
		w.lead, w.valued, w.more = true, false, false
		w.makes = n == makes
		w.clean = w.clean || w.makes && w.soft
		w.soft = false
	case n == named:
		w.left = w.left || !states
		w.lead, w.valued, w.soft = true, false, false
	case n == reject || n == other:
		w.reading.no = w.reading.no || n == reject && !w.reading.agreed
		w.reading.declined = w.reading.declined || n == reject
		switch {
		case n == reject && n < len(rest) && v.isWeekday(rest[n:n+1]) && !w.covered(i+n):
			w.fix() // "not Sunday", before the right day
			return n + 1
		case n == fix:
			w.fix()
		default:
			w.over()
		}
	case n == agree:
		w.left = w.left || w.lead
		w.reading.agreed, w.open = true, 0
		w.lead, w.valued, w.more, w.soft = false, false, false, true
	case n == fix:
		w.fix()
	default: // filler
		w.more = w.more || v.more.at(rest) == n
		w.soft = true
	}
	return n
}

// over takes a word that is left over.
func (w *walk) over() {
	w.reading.stated &^= w.open
	w.open = 0
	w.left, w.clean, w.soft, w.lead, w.makes, w.valued = true, false, false, false, false, false
}

// fix takes words that come before the right value: "no, I mean", "could we make it". They are part of no consent.
func (w *walk) fix() {
	w.clean = w.clean || w.soft
	w.open = 0
	w.left, w.soft, w.lead, w.makes, w.valued = true, true, false, false, false
}

// value takes the i-th word where it is part of a value.
func (w *walk) value(i int) bool {
	at, is := w.heard.starts[i], false
	for k, one := range w.all {
		if at < one.start || at >= one.end {
			continue
		}
		is = true
		if w.begun&(1<<k) != 0 {
			continue // not its first word
		}
		w.begun |= 1 << k
		fits := w.fits(i, one)
		w.left = w.left || !fits || !w.clean || !w.lead && w.number(one)
		w.clean = w.clean && fits
		if !w.clean {
			continue
		}
		w.reading.stated |= 1 << k
		if isMoment(w.flow.fields[one.field].kind) {
			w.open |= 1 << k
		}
	}
	if !is && len(w.state.Offers) > 0 {
		is = w.ordinal(i)
	}
	if is {
		w.reading.agreed = w.reading.agreed || w.makes
		w.lead, w.makes, w.soft, w.more, w.valued = false, false, false, false, true
	}
	return is
}

// fits says whether a value has no word in front that it does not need, but for those that lead to it: "before ten" is
// another thing than ten.
func (w *walk) fits(i int, one found) bool {
	switch kind := w.flow.fields[one.field].kind; {
	case !isMoment(kind):
		return true
	case kind == "time" && strings.Contains(w.heard.text[one.start:one.end], ","): // "at ten, eleven"
		return false
	}
	for end := w.heard.before(one.end); i+1 < end; {
		rest := w.heard.words[i:]
		makes := w.voice.makes.at(rest)
		n := max(makes, longest(rest, w.voice.lead, w.voice.article, w.voice.filler))
		switch {
		case w.voice.doubt.at(rest) > 0:
			return false
		case n > 0:
			w.lead, w.makes = true, w.makes || makes > 0
			i += n
			continue
		}
		return w.voice.days.at(rest) > 0 || w.voice.months.at(rest) > 0 || !w.needless(one, w.heard.starts[i+1])
	}
	return true
}

// needless says whether a value is the same without what stands before that place in the text.
func (w *walk) needless(one found, start int) bool {
	f := &w.flow.fields[one.field]
	for _, k := range f.extractors {
		for _, match := range k.extract(w.heard.text[start:one.end], w.context(kindAsked{k.kind, true})) {
			if value, ok := project(f.kind, match); ok && value.Value == one.value.Value && !value.Approximate {
				return true
			}
		}
	}
	return false
}

// covered says whether the i-th word is part of a value.
func (w *walk) covered(i int) bool {
	at := w.heard.starts[i]
	return slices.ContainsFunc(w.all, func(one found) bool { return at >= one.start && at < one.end })
}

// number says whether a value is a bare number for a time, which may as well be a word: "yes the one", "yes 2".
func (w *walk) number(one found) bool {
	text := w.heard.text[one.start:one.end]
	if w.flow.fields[one.field].kind != "time" || one.value.Approximate || strings.ContainsAny(text, " :.") {
		return false
	}
	letters, digits := strings.ContainsFunc(text, unicode.IsLetter), strings.ContainsFunc(text, unicode.IsDigit)
	return letters != digits
}

// ordinal says whether the i-th word is part of what chooses an offer: "the second one".
func (w *walk) ordinal(i int) bool {
	if i < w.until {
		return true
	}
	_, n := w.voice.place(w.heard.words[i:], 0)
	w.until = i + n
	return n > 0
}

// named is how many words name a field and lead to its value: "the address is". States says whether they state it.
func (w *walk) named(words []string) (n int, states bool) {
	article := w.voice.article.at(words)
	if _, n = w.calledAt(words[article:]); n == 0 {
		return 0, false
	}
	n += article
	if link := w.voice.link.at(words[n:]); link > 0 {
		return n + link, w.voice.states.at(words[n:]) == link
	}
	return n, false
}

// acts is the tool that a yes runs in a phase, or empty.
func (f *Flow) acts(p *phase) string {
	if to, ok := p.on[onConfirmed]; ok && f.phases[to].call != nil {
		return f.phases[to].call.Tool
	}
	return ""
}

// verb is what a tool does, by its name: send of send_email, mail.send_email and sendEmail.
func verb(tool string) string {
	tool = tool[strings.LastIndexAny(tool, "./:")+1:]
	if end := strings.IndexFunc(tool, func(r rune) bool { return !unicode.IsLower(r) }); end >= 0 {
		tool = tool[:end]
	}
	return tool
}
