package workflow

import (
	"slices"
	"strings"
	"time"
)

// Choose is which of the candidates a text means, or -1: by their place ("the second one"), by a day or a time that
// they have, or by words of theirs. Every word must be part of that, and one candidate alone must fit.
func (f *Flows) Choose(text string, candidates []map[string]any, in Context) int {
	if f == nil || len(f.voices) == 0 || len(candidates) == 0 || len(text) > textMax {
		return -1
	}
	v := f.voice(baseLanguage(in.Language))
	u := hear(text)
	fitting := make([]bool, len(candidates))
	for i := range fitting {
		fitting[i] = true
	}
	said, led := false, false
	keep := func(fits func(int) bool) {
		said = true
		for i := range fitting {
			fitting[i] = fitting[i] && fits(i)
		}
	}
	values := f.momentsIn(u.text, in, v)
	for i := 0; i < len(u.words); {
		rest := u.words[i:]
		value, long := valueAt(values, u, i, led)
		led = false
		if place, n := v.place(rest, len(candidates)); n >= long && n > 0 {
			keep(func(k int) bool { return k == place })
			i += n
			continue
		}
		if long > 0 {
			keep(func(k int) bool { return hasValue(candidates[k], value) })
			i += long
			continue
		}
		if slices.ContainsFunc(candidates, func(c map[string]any) bool { return hasWord(c, rest[0]) }) && v.one.at(rest) < 2 {
			keep(func(k int) bool { return hasWord(candidates[k], rest[0]) })
			i++
			continue
		}
		n := longest(rest, v.one, v.lead, v.article, v.filler)
		if n == 0 {
			return -1
		}
		led = v.lead.at(rest) == n
		i += n
	}
	if chosen := slices.Index(fitting, true); said && chosen >= 0 && !slices.Contains(fitting[chosen+1:], true) {
		return chosen
	}
	return -1
}

// momentsIn are the days and times in a text.
func (f *Flows) momentsIn(text string, in Context, v *voice) []Match {
	var all []Match
	for _, kind := range moments {
		if extract := f.extractors[kind]; extract != nil {
			in.Language, in.Expect = v.Language, kind
			for _, match := range extract(text, in) {
				if usable(match, len(text)) && !match.Approximate {
					all = append(all, match)
				}
			}
		}
	}
	return all
}

// valueAt is the value that begins at the i-th word, and how many words it has. A bare number is a time where something
// led to it, or where nothing else is said.
func valueAt(values []Match, u utterance, i int, led bool) (Match, int) {
	for _, match := range values {
		end := u.before(match.End)
		bare := end == i+1 && match.Kind == "time" && !strings.Contains(match.Text, ":")
		if match.Start == u.starts[i] && (!bare || led || len(u.words) == 1) {
			return match, end - i
		}
	}
	return Match{}, 0
}

// hasValue says whether a candidate has that day or time.
func hasValue(candidate map[string]any, match Match) bool {
	for _, value := range candidate {
		text, _ := value.(string)
		kind := shapeOf(text)
		if kind == "datetime" {
			at, _ := time.Parse(layoutDatetime, text[:len(layoutDatetime)])
			text, kind = at.Format(map[string]string{"date": layoutDate, "time": layoutTime}[match.Kind]), match.Kind
		}
		if kind == match.Kind && strings.HasPrefix(text, match.Value) {
			return true
		}
	}
	return false
}

// hasWord says whether a candidate has that word in one of its texts.
func hasWord(candidate map[string]any, word string) bool {
	for _, value := range candidate {
		if text, ok := value.(string); ok && shapeOf(text) == "" && slices.Contains(hear(text).words, word) {
			return true
		}
	}
	return false
}
