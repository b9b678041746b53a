package extract

import (
	"strings"
	"sync"
	"time"
)

type flags uint32

const (
	numeral    flags = 1 << iota // part of a number
	measure                      // behind a number: what it counts, so that it is no time of day
	filler                       // means nothing between a correction and its value: "uh", "at", "let's say"
	correction                   // what follows replaces what came before: "no", "i mean"
	negation                     // what follows does not count: "not", "instead of"
	why                          // before a negation: it does count ("why not tuesday")
	polite                       // means nothing at the end: "please"
	title                        // before a name: "mr"
	particle                     // inside a name, in small letters: "de", "van"
	given                        // a usual first name
	common                       // a word that is no part of a name
	street                       // "avenue"
	direction                    // before or behind a street: "north"
	unitWord                     // behind a street: "apartment"
	placeNoun                    // somewhere to be: "airport"
	noPlace                      // not somewhere to be: "general"
	city                         // a name, or the beginning of one
	spokenAt                     // the sign of an address
	topDomain                    // "com"
	lead                         // before a day or time, and gone with it: "at", "on"
	domainless                   // no beginning of a spoken address: "is", "to"
	timed                        // a unit of time
)

// entry is all that a language knows about a word. The zero value is an unknown one.
type entry struct {
	word    string
	flags   flags
	number  int32
	ordinal int8
	weekday int8 // 1 is Monday
	plural  bool // of a weekday: each of them
	month   int8
	unit    unit
	part    int8 // index into the language's parts, from 1
	half    int8 // 1 am, 2 pm
	sign    byte // of a spoken address
}

func (e entry) is(f flags) bool { return e.flags&f != 0 }

// language is one language's words and grammar. A new one is a file like en.go and a line in languages.
type language struct {
	country string // where none is given

	lists    []list
	numerals map[string]int32 // words of numbers; sign as below
	ordinals map[string]int8
	weekdays [7]string // from Monday: all words for the day
	each     [7]string // all words for every such day
	months   [12]string
	units    [7]string // from the second
	parts    []dayPart
	signs    map[byte]string // of spoken addresses
	halves   [2]string       // am, pm
	unfit    *phrases        // behind a value that does not count
	denied   *phrases        // before one

	dateRules, timeRules, durationRules, recurrenceRules, momentRules *ruleset
	frames                                                            frames

	numberFirst bool // the house number stands before the street
	compounds   bool // numbers, streets and days with their part are written as one word
	cities      string
	streetEnds  []string          // of compounds
	clockSign   string            // what @ means before an hour
	short       map[string]string // units behind digits: "1h30m"
	thousand    string            // inside numbers of one word, and joint what may stand behind it
	joint       string
	joined      map[string]string // numerals that stand before it in another form

	known map[string]entry
	pairs map[string]bool // cities of several words, by all of them
}

type list struct {
	flags flags
	words string
}

// dayPart is a time of day and the hour that stands in for it.
type dayPart struct {
	words  string
	minute int
	zone   partZone
}

// partZone says how a part of the day tells morning from evening hours.
type partZone int8

const (
	forenoon  partZone = iota // 12 is 0, the rest as said
	afternoon                 // 1 to 11 are 13 to 23
	evening                   // likewise, and 12 is midnight
	nighttime                 // 6 to 11 are evening, the rest as said
)

// Number words: a value from joint on multiplies what stands before it; and joins two parts; point begins the decimals.
const (
	wordHundred  = 100
	wordThousand = 1000
	wordMillion  = 1000000
	wordAnd      = -1
	wordPoint    = -2
	wordMinus    = -3
	wordA        = -4 // "a hundred"
	wordOh       = -5 // nought inside digits only
	wordDouble   = -6
	wordTriple   = -7
	wordPlus     = -8
	wordDozen    = -9
)

// languages are made at their first use: a start that never extracts does not pay for them.
var languages = map[string]func() *language{
	"en": sync.OnceValue(func() *language { return english().built() }),
	"de": sync.OnceValue(func() *language { return german().built() }),
}

func languageFor(tag string) *language {
	base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if l := languages[strings.ToLower(base)]; l != nil {
		return l()
	}
	return languages["en"]()
}

// built makes the lexicon and compiles the rules.
func (l *language) built() *language {
	l.known, l.pairs = map[string]entry{}, map[string]bool{}
	for _, list := range l.lists {
		l.flag(list.flags, list.words)
	}
	for word, n := range l.numerals {
		l.change(word, func(e *entry) { e.number = n; e.flags |= numeral })
	}
	for word, n := range l.ordinals {
		l.change(word, func(e *entry) { e.ordinal = n })
	}
	l.ranked(l.weekdays[:], func(e *entry, n int8) { e.weekday = n })
	l.ranked(l.each[:], func(e *entry, n int8) { e.weekday, e.plural = n, true })
	l.ranked(l.months[:], func(e *entry, n int8) { e.month = n })
	l.ranked(l.units[:], func(e *entry, n int8) { e.unit = unit(n); e.flags |= timed })
	l.ranked(l.halves[:], func(e *entry, n int8) { e.half = n })
	for i, p := range l.parts {
		l.ranked([]string{p.words}, func(e *entry, _ int8) { e.part = int8(i + 1) })
	}
	for sign, words := range l.signs {
		l.ranked([]string{words}, func(e *entry, _ int8) { e.sign = sign })
	}
	if l.compounds {
		l.compoundDays()
	}
	for name := range strings.SplitSeq(l.cities, ",") {
		name = strings.TrimSpace(name)
		first, _, _ := strings.Cut(name, " ")
		l.flag(city, first)
		l.pairs[name] = true
	}
	for _, r := range []*ruleset{l.dateRules, l.timeRules, l.durationRules, l.recurrenceRules, l.momentRules} {
		r.compile(l)
	}
	l.frames.compile(l)
	l.unfit.compile(l)
	l.denied.compile(l)
	return l
}

// compoundDays are a weekday and a part of the day in one word.
func (l *language) compoundDays() {
	for i, weekdays := range l.weekdays {
		for weekday := range strings.FieldsSeq(weekdays) {
			for p, part := range l.parts {
				for word := range strings.FieldsSeq(part.words) {
					l.change(weekday+word, func(e *entry) { e.weekday, e.part = int8(i+1), int8(p+1) })
				}
			}
		}
	}
}

func (l *language) flag(f flags, words string) {
	l.ranked([]string{words}, func(e *entry, _ int8) { e.flags |= f })
}

// ranked changes the words of each list, with the place of the list, from 1.
func (l *language) ranked(lists []string, change func(e *entry, n int8)) {
	for i, words := range lists {
		for word := range strings.FieldsSeq(words) {
			l.change(word, func(e *entry) { change(e, int8(i+1)) })
		}
	}
}

func (l *language) change(word string, change func(*entry)) {
	e := l.known[word]
	e.word = word
	change(&e)
	l.known[word] = e
}

type unit int8

const (
	noUnit unit = iota
	second
	minute
	hour
	day
	week
	month
	year
)

// midnight is the day of the clock, as midnight UTC: days are counted without zones.
func (s *speech) midnight() time.Time {
	y, m, d := s.context.Now.Date()
	return date(y, int(m), d)
}

func date(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
