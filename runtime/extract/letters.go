package extract

// letters is a set of # letters.
type letters uint16

const (
	numberLetters  letters = 1 << iota // n x y h i
	ordinalLetter                      // o
	clockLetter                        // c
	monthLetter                        // m
	weekdayLetters                     // d D w
	unitLetter                         // u
	partLetter                         // p
	halfLetter                         // a
	spanLetter                         // t
)

// letterOf is the set that a # letter is in.
func letterOf(kind byte) letters {
	switch kind {
	case 'o':
		return ordinalLetter
	case 'c':
		return clockLetter
	case 'm':
		return monthLetter
	case 'd', 'D', 'w':
		return weekdayLetters
	case 'u':
		return unitLetter
	case 'p':
		return partLetter
	case 'a':
		return halfLetter
	case 't':
		return spanLetter
	}
	return numberLetters
}

// digitsOpen are the letters that a run of digits may be the beginning of.
const digitsOpen = numberLetters | ordinalLetter | clockLetter

// letters are those that a word may be the beginning of, but for #t.
func (e *entry) letters() letters {
	var all letters
	add := func(one letters, opens bool) {
		if opens {
			all |= one
		}
	}
	add(numberLetters, e.is(numeral) && (e.number >= 0 || e.number == wordA || e.number == wordOh || e.number == wordDozen))
	add(ordinalLetter, e.ordinal != 0 || e.is(numeral) && e.number >= 20 && e.number <= 30) // "thirty first" is the last day
	add(monthLetter, e.month != 0)
	add(weekdayLetters, e.weekday != 0)
	add(unitLetter, e.unit != noUnit)
	add(partLetter, e.part != 0)
	add(halfLetter, e.half != 0)
	return all
}

// open notes which letters each word may be the beginning of. A span of time begins as one of its rules does.
func (l *language) open() {
	for word, e := range l.known {
		e.opens = e.letters()
		if e.opens&l.durationRules.opens != 0 || l.durationRules.byWord.has(e.id) {
			e.opens |= spanLetter
		}
		if e.opens != 0 {
			l.known[word] = e
		}
	}
	l.digits.opens = digitsOpen
	if digitsOpen&l.durationRules.opens != 0 {
		l.digits.opens |= spanLetter
	}
}

// opens are the letters whose value may begin at a token. It is asked before anything is written down: most rules end
// here.
func (s *speech) opens(at int) letters {
	if s.seen.is(timed) {
		return s.tokens[at].entry.opens
	}
	return s.tokens[at].entry.opens &^ spanLetter
}
