package flows_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"chatterbox/loop/workflow"
)

// This file invents people who talk to the workflows. Everything comes from a seed: what they want, in which order they
// tell it, what they say wrong first, what they ask in between, and how speech recognition writes it down.

// said is a value and how a person says it.
type said struct{ words, value string }

// person wants something and knows the facts.
type person struct {
	*rand.Rand
	now    time.Time
	facts  map[string]said // by field, what must come out
	wrong  map[string]said // what is said first, and corrected later
	told   map[string]bool
	clear  bool // of noise: the recogniser writes what was said
	atOnce bool // the time is told with the day, because nothing is shown before it is done
	detour int  // how many more times the person strays
	open   bool // what was said last leaves open whether the person agrees
	opens  int  // how often that was so
}

func newPerson(seed uint64, now time.Time) *person {
	p := &person{Rand: rand.New(rand.NewPCG(seed, 17)), now: now, facts: map[string]said{}, wrong: map[string]said{}, told: map[string]bool{}}
	p.clear, p.detour = p.IntN(3) > 0, p.IntN(4)
	return p
}

func pick[T any](p *person, list ...T) T { return list[p.IntN(len(list))] }

func (p *person) name() said {
	first := pick(p, "Sarah", "Ann", "Michael", "David", "Emily", "James", "Laura", "Kevin", "Maria", "Peter", "Olivia", "Daniel", "Linda", "Thomas")
	last := pick(p, "Johnson", "Miller", "Garcia", "Thompson", "Davis", "Carter", "Nguyen", "Anderson", "Schmidt", "O'Brien", "Wilson", "Clark")
	return said{first + " " + last, first + " " + last}
}

func (p *person) address() said {
	number := p.IntN(899) + 100
	street := pick(p, "Main", "Oak", "Elm", "Maple", "Cedar", "Lake", "Hill", "Washington", "Park", "Pine") + " " + pick(p, "Street", "Avenue", "Road", "Drive", "Lane")
	value := fmt.Sprintf("%d %s", number, street)
	if p.IntN(3) == 0 {
		return said{p.houseNumber(number) + " " + street, value}
	}
	return said{value, value}
}

// houseNumber is a number of three digits as people say it.
func (p *person) houseNumber(n int) string {
	small := strings.Fields("oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety")
	rest := ""
	switch low := n % 100; {
	case low == 0:
		return small[n/100] + " hundred"
	case low < 20:
		rest = small[low]
	default:
		rest = strings.TrimSuffix(tens[low/10-2]+" "+small[low%10], " oh")
	}
	if p.IntN(2) == 0 {
		return small[n/100] + " hundred and " + rest
	}
	if n%100 < 10 {
		rest = "oh " + rest
	}
	return small[n/100] + " " + rest
}

// day is one of the next two weeks but today.
func (p *person) day() said {
	away := p.IntN(13) + 1
	at := p.now.AddDate(0, 0, away)
	forms := []string{at.Format("January 2"), fmt.Sprintf("on the %s of %s", ordinal(at.Day()), at.Format("January"))}
	if away < 7 {
		forms = append(forms, "on "+at.Format("Monday"), at.Format("Monday"))
	}
	if away == 1 {
		forms = []string{"tomorrow"}
	}
	return said{pick(p, forms...), at.Format("2006-01-02")}
}

func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}

// clock is a time between seven and nineteen.
func (p *person) clock() said {
	names := []string{"seven", "eight", "nine", "ten", "eleven", "twelve", "one", "two", "three", "four", "five", "six", "seven"}
	i := p.IntN(12)
	hour := 7 + i
	half := "am"
	if hour >= 12 {
		half = "pm"
	}
	switch p.IntN(6) {
	case 0:
		return said{"half past " + names[i], fmt.Sprintf("%02d:30", hour)}
	case 1:
		return said{fmt.Sprintf("%d:15 %s", (hour+11)%12+1, half), fmt.Sprintf("%02d:15", hour)}
	case 2:
		return said{fmt.Sprintf("%d %s", (hour+11)%12+1, half), fmt.Sprintf("%02d:00", hour)}
	case 3:
		return said{names[i] + " " + half, fmt.Sprintf("%02d:00", hour)}
	case 4:
		return said{"quarter past " + names[i], fmt.Sprintf("%02d:15", hour)}
	default:
		return said{names[i] + " o'clock", fmt.Sprintf("%02d:00", hour)}
	}
}

// tell says a fact: bare where it was asked for, in a sentence otherwise.
func (p *person) tell(field string, asked bool) string {
	fact := p.facts[field]
	if wrong, ok := p.wrong[field]; ok && !p.told[field] {
		fact = wrong
	}
	p.told[field] = true
	words := fact.words
	switch {
	case field == "customer_name" && !asked:
		return pick(p, "my name is ", "this is ", "the name is ", "it's for ") + words
	case field == "person" && !asked:
		return "with " + words
	case field == "time" && p.atOnce && !p.told["date"]:
		return p.tell("date", false) + " at " + words
	case field == "time":
		return "at " + words
	case field == "date" && !asked && !strings.HasPrefix(words, "on ") && words != "tomorrow":
		return "on " + words
	case field == "address" && !asked:
		return pick(p, "at ", "the address is ", "it's at ") + words
	}
	return words
}

// untold are the fields that the person has not told yet, in the order of its liking.
func (p *person) untold(fields ...string) []string {
	fields = slices.DeleteFunc(slices.Clone(fields), func(name string) bool { return p.told[name] || p.facts[name].words == "" })
	p.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return fields
}

// mistaken is a field whose wrong value was told and not corrected yet, or empty.
func (p *person) mistaken() string {
	for _, name := range []string{"address", "date", "time", "message"} {
		if _, wrong := p.wrong[name]; wrong && p.told[name] {
			return name
		}
	}
	return ""
}

// unlike is a field that the assistant has read back as something else than the person said, or not at all, or empty.
func (p *person) unlike(state workflow.State) string {
	for _, name := range slices.Sorted(maps.Keys(p.facts)) {
		if _, wrong := p.wrong[name]; !wrong && p.told[name] && !strings.EqualFold(state.Fields[name].Value, p.facts[name].value) {
			return name
		}
	}
	return ""
}

// correct says the right value of a field that was told wrong. With a yes in front, it is the yes to the rest.
func (p *person) correct(field string) string {
	delete(p.wrong, field)
	return p.tell(field, false)
}

func (p *person) yes() string {
	return pick(p, "yes", "yeah", "correct", "sounds good", "perfect", "ok", "yes please", "yeah that sounds good", "yes that's right", "ok perfect thank you", "sure")
}

// unagreed is what has a yes in it and is none, or not to all of it.
func (p *person) unagreed() string {
	p.open = true
	p.opens++
	yes := pick(p, "yes", "ok", "okay", "sure", "perfect", "sounds good", "yeah")
	day := pick(p, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "tomorrow")
	clock := pick(p, "nine", "10 am", "half past two", "noon", "3 pm")
	switch p.IntN(7) {
	case 0: // exclusions
		return yes + pick(p, " but not on "+day, " but without "+day, " anything other than "+day, " but avoid "+day, " except "+day, " just not at "+clock)
	case 1: // bounds
		return yes + pick(p, " but no later than ", " but not before ", " but before ", " after ", " until ", " by ", " some time after ") + clock
	case 2: // doubts
		return pick(p, yes+" maybe", yes+" if my wife agrees", yes+" unless it rains", "probably "+yes, yes+" i think but i am not certain", yes+" no maybe")
	case 3: // reports
		return pick(p, "my sister said "+yes, yes+" is what he told me", yes+" i'm away on "+day, yes+" my boss says "+day+" is bad", "they would say "+yes, "i said "+yes+" to the other one")
	case 4: // other commands
		return yes + pick(p, " and cancel the one on "+day, " turn on the kitchen light", " and play some music", " and remind me to feed the cat at "+clock, " and book another one", " now call bob")
	case 5: // questions
		return yes + pick(p, " is that a "+day+"?", ", who is coming?", ", what does it cost?", " but is "+day+" a holiday?")
	default: // two values
		return yes + pick(p, " "+day+" or the day after", " at "+clock+" or later", " either "+day+" or never")
	}
}

func (p *person) aside() string {
	return pick(p, "what's the weather tomorrow", "what time is it", "is it going to rain", "who won the game last night", "how tall is the eiffel tower", "do you know any jokes")
}

// lost is what somebody says who did not listen. Where any text is an answer, it is not nonsense.
func (p *person) lost(asked string) string {
	if asked == "message" {
		return pick(p, "pardon", "what did you say", "wait a moment", "can you repeat that")
	}
	return pick(p, "pardon", "what did you say", "wait a moment", "purple monkeys like to juggle quietly", "can you repeat that")
}

// misheard are words that speech recognition takes for others.
var misheard = [][2]string{{"four", "for"}, {"eight", "ate"}, {"two", "to"}, {"tomorrow", "to morrow"}, {" pm", " p m"}, {" am", " a m"}, {"o'clock", "o clock"}, {"past", "passed"}}

// heard is what speech recognition makes of it.
func (p *person) heard(text string) string {
	if p.clear {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune(",.?!", r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	if p.IntN(3) == 0 {
		wrong := pick(p, misheard...)
		text = regexp.MustCompile(wrong[0]+`\b`).ReplaceAllString(text, wrong[1])
	}
	switch p.IntN(6) {
	case 0:
		text = pick(p, "um ", "uh ", "well ", "so ", "hey ") + text
	case 1:
		text += pick(p, " please", " thanks", " thank you")
	}
	return text
}
