// Package extract finds values in what a person said: a name, a day, a time, a phone number. It knows no workflow, has
// no state and reads no clock.
package extract

import (
	"slices"
	"strings"
	"time"
)

// Match is one value found in a text.
type Match struct {
	Kind string // one of Kinds

	// Start and End are bytes of the text, on borders of characters; Text is what lies between, as it was said.
	Start, End int
	Text       string

	// Value is the canonical form: date 2006-01-02; time 15:04; datetime 2006-01-02T15:04; duration ISO 8601 (PT45M);
	// recurrence the value of an RFC 5545 RRULE; phone E.164; email in lower case; number decimal; the rest is text in
	// tidy case.
	Value string

	// Approximate says that a default stood in for what was said: "morning" is 09:00.
	Approximate bool
}

// Context is what a text alone does not tell.
type Context struct {
	Now      time.Time // with the person's location
	Language string    // "en", "de-AT"; an unknown one is read as English
	Country  string    // ISO 3166, for phone numbers and the order of day and month; empty is the language's own

	// Expect is the kind that the person was asked for. A bare answer ("Sarah Johnson", "ten") counts for it.
	Expect string
}

// Extractor returns what it finds in the text, in order of Start. What the person took back ("not Tuesday, Thursday")
// is not among it. It is pure; several goroutines may call it at once. Only the first textMax bytes are read.
type Extractor func(text string, context Context) []Match

// textMax is far more than a person says in one turn.
const textMax = 4 << 10

// finders are the extractors by kind, in the order of Kinds.
var finders = []struct {
	kind string
	find func(*speech) []found
}{
	{"name", (*speech).names},
	{"phone", (*speech).phones},
	{"address", (*speech).addresses},
	{"email", (*speech).emails},
	{"date", (*speech).dates},
	{"time", (*speech).times},
	{"datetime", (*speech).datetimes},
	{"duration", (*speech).durations},
	{"recurrence", (*speech).recurrences},
	{"message", (*speech).messages},
	{"location", (*speech).locations},
	{"number", (*speech).numbers},
}

// Kinds are the names of all extractors.
func Kinds() []string {
	kinds := make([]string, len(finders))
	for i, f := range finders {
		kinds[i] = f.kind
	}
	return kinds
}

// For returns the extractor of a kind.
func For(kind string) (Extractor, bool) {
	i := slices.Index(Kinds(), kind)
	if i < 0 {
		return nil, false
	}
	return func(text string, context Context) []Match { return matches(kind, finders[i].find, text, context) }, true
}

// found is a match before it is worded: the tokens from (including) to (excluding).
type found struct {
	from, to    int
	value       string
	approximate bool

	span     span // of a duration
	repeats  recurrence
	day      time.Time // of a date or datetime: midnight UTC of that day
	minute   int       // of a time or datetime: minutes since midnight
	halfOpen bool      // of a time: morning and evening would both fit
	moment   bool      // of a date or time: "in two hours" says both
}

func matches(kind string, find func(*speech) []found, text string, context Context) []Match {
	s := recent.Get().(*speech)
	defer recent.Put(s)
	s.recall(text, context)
	if len(s.tokens) == 0 {
		return nil
	}
	var result []Match
	for _, f := range find(s) {
		start, end := s.tokens[f.from].start, s.tokens[f.to-1].end
		match := Match{Kind: kind, Start: start, End: end, Text: text[start:end], Value: f.value, Approximate: f.approximate}
		result = append(result, match)
	}
	return result
}

// settled drops what the person took back: a value behind "not", one that "no, …" replaces, one that "doesn't work".
func (s *speech) settled(all []found) []found {
	var kept []found
	for i, f := range all {
		if s.refused(f) {
			continue
		}
		if i > 0 && len(kept) > 0 && s.corrects(all[i-1].to, f.from) {
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, f)
	}
	return kept
}

// refused says whether "not", "instead of" stands before a match, or "doesn't work" behind it.
func (s *speech) refused(f found) bool {
	at := s.back(f.from, reach, func(i int) bool { return s.is(i, filler) })
	if s.is(at-1, negation) && !s.is(at-2, why) {
		return true
	}
	for end := at; end <= f.from; end++ {
		if _, ok := s.end(s.denied, end); ok {
			return true
		}
	}
	_, ok := s.begin(s.unfit, f.to)
	return ok && s.joined(f.to)
}

// corrects says whether the words right before a match take back what came earlier: "no, at".
func (s *speech) corrects(from, to int) bool {
	for i := to - 1; i >= from && i >= to-reach; i-- {
		switch w := s.tokens[i].entry; {
		case w.is(correction):
			return true
		case !w.is(filler) && w.weekday == 0 && w.month == 0 && !s.frames.plainDay[s.at(i)]:
			return false
		}
	}
	return false
}

// reach is how many words a correction may stand away from what it corrects.
const reach = 6

// bare says whether a match is the whole answer to what was asked, but for the words that mean nothing.
func (s *speech) bare(from, to int) bool {
	return !slices.ContainsFunc(s.tokens[:from], func(t token) bool { return !t.entry.is(filler | correction) }) &&
		!slices.ContainsFunc(s.tokens[to:], func(t token) bool { return !t.entry.is(filler | polite) })
}

// free says whether no token of a range belongs to one of the matches.
func free(from, to int, taken ...[]found) bool {
	for _, all := range taken {
		for _, f := range all {
			if f.from < to && from < f.to {
				return false
			}
		}
	}
	return true
}

func ordered(all []found) []found {
	slices.SortStableFunc(all, func(a, b found) int { return a.from - b.from })
	return all
}

// country is the context's, else the one that the language names, else the language's own.
func (s *speech) country() string {
	if s.context.Country != "" {
		return strings.ToUpper(s.context.Country)
	}
	if _, region, ok := strings.Cut(strings.ReplaceAll(s.context.Language, "_", "-"), "-"); ok && len(region) == 2 {
		return strings.ToUpper(region)
	}
	return s.language.country
}
