package extract

import "strings"

// set is a set of words.
type set map[string]bool

func words(text string) set {
	all := set{}
	for word := range strings.FieldsSeq(text) {
		all[word] = true
	}
	return all
}

// frames are the words around a value that tell what it is.
type frames struct {
	nameIs, nameMaybe *phrases // before a name; before a usual first name or one with a capital letter
	speaking          set      // behind a usual first name: "maria speaking"
	calling           set      // likewise, where the text begins with it: "maria here"
	lastName          set      // between a first and a last name that are said one by one
	titles            map[string]string
	answer            *phrases // before a bare answer

	remind, link *phrases // begins a reminder; leads from there to its message
	remindAsk    *phrases // likewise, where remindEnd follows somewhere
	remindEnd    set
	hesitation   set // gone from both ends of a message
	messageEnd   set // gone from the end of a message, and messageJoin before it
	messageJoin  set
	question     set // begins no message

	placeLead, weakLead set      // before a place; those that do not suffice for a name with a capital letter
	placeOf             *phrases // behind them any word is a place
	article             set
	noDay               set // before a weekday that is none: "cyber monday"

	afterDay            set      // may follow "the 20th"
	ofWhole             set      // behind a fraction
	agoLead             set      // before one
	ago                 set      // behind a span in the past
	per                 set      // before a unit, meaning one of it
	lasting             set      // before such a unit where it is a length of time
	code                set      // before digits that are no phone number and no time
	span                set      // before the first of two hours
	either              set      // between two hours of which one is meant
	amounts, amountLead set      // words of a text in which "by ten" is no time, and that "by"
	andHalf             *phrases // behind a number: half of one more, a quarter, three quarters
	andQuarter          *phrases
	andThree            *phrases
	surnames            set // last names that are everyday words too
	wordNames           set // names that are everyday words too; only where a name must come
	until               set // between them
	bareHour            pattern
	beforePart          *phrases         // goes with a part of the day
	noPart              set              // before a word that then is no part of the day: "good morning"
	noPartOf            set              // likewise behind it: "morning routine"
	partAfter           map[string]set   // words that are a part of the day only behind these
	plural              func(token) bool // whether a word names what the number before it counts

	dayLead             set // before a bare day of a month
	plainDay, plainLead set // "tomorrow", and the words that lead to it
	travel              set // behind a span that says how far or how old
	fractions           set // behind a number that counts parts
	placeWord           set // everyday words that begin names of places
	area                set // before "code", which then begins a phone number

	dialFiller set // inside a spoken phone number
	emailIs    set // before a spoken address
	beforeOne  set // before "one" as a number

	wholeStreet, noStreet set // streets of one word; words between number and street that make it none
	abbreviations         map[string]string
	digitHeard            map[string]int // words that are written for an hour or, behind addressLead, a first digit
	addressLead           set
}

func (f *frames) compile(l *language) {
	for _, p := range []*phrases{f.nameIs, f.nameMaybe, f.answer, f.remind, f.remindAsk, f.link, f.placeOf, f.beforePart,
		f.andHalf, f.andQuarter, f.andThree} {
		p.compile(l)
	}
	f.bareHour = l.pattern(f.bareHour.say)
}

// greeting says whether a part of the day is none: "good morning", "morning routine".
func (f *frames) greeting(s *speech, at int) bool {
	if only := f.partAfter[s.at(at)]; only != nil && !only[s.at(at-1)] {
		return true
	}
	return f.noPart[s.at(at-1)] || s.joined(at+1) && f.noPartOf[s.at(at+1)]
}
