// Package sentence recognises sentences by templates in the format of Home Assistant's hassil: alternatives
// (a|b), optionals [a], permutations (a;b), expansion rules <rule> and lists {list:slot} of texts, numbers or anything.
//
// A [Set] is what one language can say. It is made once and never changes; several goroutines may match with it at
// once. The format is that of https://github.com/OHF-Voice/hassil; which of several matches is best is decided as
// there.
package sentence

import (
	"encoding/json"
	"fmt"
)

// Language is everything that can be said in one language, as people and Home Assistant write it.
type Language struct {
	Language  string            `json:"language"`
	Intents   map[string]Intent `json:"intents"`
	Lists     map[string]List   `json:"lists"`
	Rules     map[string]string `json:"expansion_rules"`
	SkipWords []string          `json:"skip_words"` // may stand anywhere and mean nothing
	Settings  Settings          `json:"settings"`
}

// Settings hold for a whole language.
type Settings struct {
	IgnoreWhitespace bool `json:"ignore_whitespace"` // between characters of scripts that put none between words
}

// Intent is one thing that can be meant.
type Intent struct {
	Data []Block `json:"data"`
}

// Block is templates that share slots and conditions.
type Block struct {
	Sentences []string          `json:"sentences"`
	Slots     map[string]any    `json:"slots"`             // given to every match that has no such slot
	Requires  map[string]any    `json:"requires_context"`  // must be in the context: a value, a list of them, null for any, or {value, slot}
	Excludes  map[string]any    `json:"excludes_context"`  // must not be in the context
	Keywords  []string          `json:"required_keywords"` // one of these words must be said; none is no such condition
	Rules     map[string]string `json:"expansion_rules"`
	Lists     map[string]List   `json:"lists"`
	Response  string            `json:"response"`
	Metadata  map[string]any    `json:"metadata"`
}

// List is what may stand for a slot: one of Values, a number in Range, or any text.
type List struct {
	Values   []Value `json:"values"`
	Range    *Range  `json:"range"`
	Wildcard bool    `json:"wildcard"`
}

// Value is one text of a list.
type Value struct {
	In       string         `json:"in"` // a template
	Out      any            `json:"out"`
	Context  map[string]any `json:"context"` // joins the context when this value was said
	Metadata map[string]any `json:"metadata"`
}

// UnmarshalJSON reads an object, or a text that stands for itself.
func (v *Value) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*v = Value{In: text, Out: text}
		return nil
	}
	type plain Value
	return json.Unmarshal(data, (*plain)(v))
}

// Range is the whole numbers From to To by Step (0 is 1), with Fractions halves or tenths of them too.
type Range struct {
	From       int      `json:"from"`
	To         int      `json:"to"`
	Step       int      `json:"step"`
	Multiplier *float64 `json:"multiplier"`
	Fractions  string   `json:"fractions"`
	Digits     *bool    `json:"digits"` // nil is true
	Words      *bool    `json:"words"`  // nil is true
}

// holds tells whether the number is one of the range's.
func (r *Range) holds(number float64) bool {
	if number < float64(r.From) || number > float64(r.To)+r.finest() {
		return false
	}
	whole, parts := int(number), 0.0
	switch r.Fractions {
	case "halves":
		parts = 2
	case "tenths":
		parts = 10
	}
	if fraction := number - float64(whole); fraction != 0 {
		if parts == 0 || fraction*parts != float64(int(fraction*parts+0.5)) {
			return false
		}
	}
	return (whole-r.From)%max(r.Step, 1) == 0
}

// finest is how far beyond the last whole number the range's fractions go.
func (r *Range) finest() float64 {
	switch r.Fractions {
	case "halves":
		return 0.5
	case "tenths":
		return 0.9
	}
	return 0
}

func (r *Range) check() error {
	switch {
	case r.From > r.To:
		return fmt.Errorf("the range goes from %d down to %d: from must not be above to", r.From, r.To)
	case r.Step < 0:
		return fmt.Errorf("the step %d is negative", r.Step)
	case r.Digits != nil && !*r.Digits && r.Words != nil && !*r.Words:
		return fmt.Errorf("the range takes neither digits nor words: allow one of them")
	}
	switch r.Fractions {
	case "", "halves", "tenths":
		return nil
	}
	return fmt.Errorf("fractions is %q: it can be halves or tenths", r.Fractions)
}

// Slot is what a sentence said for a name.
type Slot struct {
	Name     string
	Value    any
	Text     string // as it was said; empty when the template or the context gave it
	Wildcard bool
	from     int
	wordEnd  bool // of a wildcard: a word must begin behind it
}

// Match is one reading of a sentence.
type Match struct {
	Intent   string
	Block    *Block
	Template string
	Slots    []Slot
	Literal  int // characters that stand in the template itself
}

// Slot is the slot of a name, or nil.
func (m *Match) Slot(name string) *Slot {
	for i := range m.Slots {
		if m.Slots[i].Name == name {
			return &m.Slots[i]
		}
	}
	return nil
}

// Number is a number that begins a text.
type Number struct {
	Runes int // how many characters of the text it takes
	Value float64
}
