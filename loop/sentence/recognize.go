package sentence

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Best is the best reading of a text, or nil. context is what the sentence does not say, such as the room it was said
// in; live are the names of the house.
//
// Fewer wildcards are better, then more text of the template itself, then shorter wildcards, then the intent's name.
// Before all that, the reading with the longest slot of the name prefer goes first.
func (s *Set) Best(text string, live Lists, context map[string]any, prefer string) *Match {
	var best *Match
	var score []int
	s.All(text, live, context, func(match *Match) bool {
		this := scoreOf(match, prefer)
		if order := slices.Compare(this, score); best == nil || order < 0 || order == 0 && match.Intent < best.Intent {
			best, score = match, this
		}
		return true
	})
	return best
}

// scoreOf is lower for a better reading.
func scoreOf(match *Match, prefer string) []int {
	wildcards, swallowed := 0, 0
	for _, slot := range match.Slots {
		if slot.Wildcard {
			wildcards++
			swallowed += len([]rune(slot.Text))
		}
	}
	named := 0
	if slot := match.Slot(prefer); slot != nil && !slot.Wildcard {
		named = 1
		if _, text := slot.Value.(string); text {
			named += len([]rune(slot.Text))
		}
	}
	return []int{-named, wildcards, -match.Literal, swallowed}
}

// forms are the texts that templates are tried on.
type forms struct {
	set          *Set
	whole, short form // with the words that may be skipped, and without
	first, last  func() form
}

func (s *Set) forms(text string) *forms {
	text = strings.TrimSpace(normal(bare(text)))
	cut := func(start, end bool) func() form {
		return sync.OnceValue(func() form { return s.form(without(text, s.skip, start, end, s.dense)) })
	}
	return &forms{s, s.form(text), cut(true, true)(), cut(false, true), cut(true, false)}
}

func (s *Set) form(text string) form {
	runes := []rune(text)
	if s.dense {
		runes = dense(runes)
	} else {
		runes = append(runes, ' ') // every word has an end
	}
	return form{runes, folded(string(runes))}
}

// of are the forms of the text for a template. A wildcard at its edge keeps the words there that are skipped elsewhere.
func (f *forms) of(t *template) []form {
	switch {
	case t.wildcard.first && t.wildcard.last && len(t.root.items) == 1:
		return []form{f.whole}
	case t.wildcard.first:
		return f.with(f.first())
	case t.wildcard.last:
		return f.with(f.last())
	}
	return f.with(f.short)
}

// with puts the whole text first where the form is the short one: what was said is better than what is left of it.
func (f *forms) with(one form) []form {
	if slices.Equal(one.text, f.short.text) && !slices.Equal(f.short.text, f.whole.text) {
		return []form{f.whole, f.short}
	}
	return []form{one}
}

// All gives the readings of a text one by one until yield says no.
func (s *Set) All(text string, live Lists, context map[string]any, yield func(*Match) bool) {
	forms := s.forms(text)
	present := make([]bool, len(s.fragments.ids))
	s.fragments.in(forms.whole.lower, present)
	s.fragments.in(forms.short.lower, present)
	words := strings.Fields(string(forms.short.text))
	for i := range s.templates {
		t := &s.templates[i]
		if !t.may(present, words, context) {
			continue
		}
		for _, form := range forms.of(t) {
			if !s.try(t, form, live, context, nil, yield) {
				return
			}
		}
	}
}

// may tells whether a text can fit at all.
func (t *template) may(present []bool, words []string, context map[string]any) bool {
	for _, clause := range t.clauses {
		if !slices.ContainsFunc(clause, func(id int) bool { return present[id] }) {
			return false
		}
	}
	if len(t.block.Keywords) > 0 &&
		!slices.ContainsFunc(words, func(word string) bool { return slices.Contains(t.block.Keywords, word) }) {
		return false
	}
	return allowed(t.block, context)
}

// try reads one form of a text by one template.
func (s *Set) try(t *template, form form, live Lists, context map[string]any, far *miss, yield func(*Match) bool) bool {
	more := true
	m := &matcher{set: s, t: t, live: live, form: form, miss: far}
	m.node(t.root, state{wordStart: true, context: context}, func(end state) {
		if !more {
			return
		}
		if match := m.finish(end); match != nil {
			more = yield(match)
		}
	})
	return more
}

// finish makes a match of a reading that has come to the template's end, or nil when text is left or the context
// forbids it.
func (m *matcher) finish(end state) *Match {
	rest := strings.TrimSpace(string(m.text[end.at:]))
	match := &Match{Intent: m.t.intent, Block: m.t.block, Template: m.t.text, Literal: end.literal}
	for i, slot := range m.slots {
		if slot.Wildcard {
			if end.open && i == len(m.slots)-1 {
				slot.Text, rest = rest, ""
			}
			slot.Text = strings.TrimSpace(slot.Text)
			if slot.Text == "" {
				return nil
			}
			slot.Value = slot.Text
		}
		if !strings.HasPrefix(slot.Name, "@") {
			match.Slots = append(match.Slots, slot)
		}
	}
	if strings.TrimSpace(bare(rest)) != "" {
		m.failed(end.at, []rune("the end"))
		return nil
	}
	if !excluded(m.t.block.Excludes, end.context) || !m.required(match, end.context) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.t.block.Slots)) {
		if match.Slot(name) == nil {
			match.Slots = append(match.Slots, Slot{Name: name, Value: m.t.block.Slots[name]})
		}
	}
	return match
}

// required tells whether the context has what the block requires, and takes the slots that it gives.
func (m *matcher) required(match *Match, context map[string]any) bool {
	for _, key := range slices.Sorted(maps.Keys(m.t.block.Requires)) {
		want := m.t.block.Requires[key]
		slot := ""
		if object, is := want.(map[string]any); is {
			switch given := object["slot"].(type) {
			case string:
				slot = given
			case bool:
				if given {
					slot = key
				}
			}
		}
		actual := plain(context[key])
		if actual == nil || plain(want) != nil && !among(actual, plain(want)) {
			m.failed(len(m.text), []rune("the context "+key))
			return false
		}
		if slot != "" && match.Slot(slot) == nil {
			match.Slots = append(match.Slots, Slot{Name: slot, Value: actual})
		}
	}
	return true
}

// allowed tells whether a context contradicts what a block requires or excludes. What it does not have may still come.
func allowed(block *Block, context map[string]any) bool {
	for key, want := range block.Requires {
		actual, there := context[key]
		if there && plain(want) != nil && !among(plain(actual), plain(want)) {
			return false
		}
	}
	return excluded(block.Excludes, context)
}

// excluded tells whether the context has none of what must not be.
func excluded(never map[string]any, context map[string]any) bool {
	for key, value := range never {
		if actual, there := context[key]; there && among(plain(actual), plain(value)) {
			return false
		}
	}
	return true
}

// plain takes the value out of {value, …}.
func plain(value any) any {
	if object, is := value.(map[string]any); is {
		return object["value"]
	}
	return value
}

// among tells whether the value is the wanted one, or one of them.
func among(value, wanted any) bool {
	if list, is := wanted.([]any); is {
		return slices.ContainsFunc(list, func(one any) bool { return reflect.DeepEqual(value, one) })
	}
	return reflect.DeepEqual(value, wanted)
}

// Miss is a template that almost fits.
type Miss struct {
	Intent, Template string
	Read             string // how much of the text it could read
	Wanted           string // what it wanted there instead
}

// Nearest are the templates that come furthest in a text that none fits, the furthest first, at most limit.
func (s *Set) Nearest(text string, live Lists, context map[string]any, limit int) []Miss {
	forms := s.forms(text)
	type scored struct {
		Miss
		at int
	}
	var misses []scored
	for i := range s.templates {
		t := &s.templates[i]
		for _, form := range forms.of(t) {
			far := miss{}
			s.try(t, form, live, context, &far, func(*Match) bool { return true })
			read := strings.TrimSpace(string(form.text[:min(far.at, len(form.text))]))
			misses = append(misses, scored{Miss{t.intent, t.text, read, strings.TrimSpace(far.want)}, far.at})
		}
	}
	slices.SortStableFunc(misses, func(a, b scored) int { return cmp.Compare(b.at, a.at) })
	var nearest []Miss
	for _, m := range misses {
		if len(nearest) < limit && !slices.ContainsFunc(nearest, func(n Miss) bool { return n.Template == m.Template }) {
			nearest = append(nearest, m.Miss)
		}
	}
	return nearest
}
