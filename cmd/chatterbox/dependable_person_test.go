package main

import (
	"math/rand/v2"
	"strings"

	"chatterbox/runtime/conversation"
)

// This file is the person of TestDialoguesBesideAnyModel: what it wants, what it says, and what dictation makes of it.

// The facts of a dialogue as people say them, and what they mean on that Wednesday.
var (
	people = []string{
		"Sarah Johnson", "Bob Miller", "Anna Schmidt", "Peter Brown", "Maria Garcia", "Kevin O'Brien", "Linda Nguyen", "Thomas Clark", "Emily Carter",
		"Daniel Wilson", "Laura Davis", "James Thompson",
	}
	addresses = [][2]string{
		{"789 Main Street", "789 Main Street"}, {"12 Oak Avenue", "12 Oak Avenue"}, {"45 Maple Drive", "45 Maple Drive"},
		{"230 Elm Road", "230 Elm Road"}, {"four twenty one Oak Street", "421 Oak Street"}, {"one hundred and five Cedar Lane", "105 Cedar Lane"},
		{"six oh two Hill Road", "602 Hill Road"}, {"seven eighty nine Lake Drive", "789 Lake Drive"}, {"8 Park Lane", "8 Park Lane"},
		{"eight hundred Pine Avenue", "800 Pine Avenue"}, {"ninety two Washington Street", "92 Washington Street"},
	}
	days = [][2]string{
		{"tomorrow", "2031-03-06"}, {"on friday", "2031-03-07"}, {"on the 12th of march", "2031-03-12"}, {"on march 20th", "2031-03-20"},
		{"the day after tomorrow", "2031-03-07"}, {"on saturday", "2031-03-08"}, {"next tuesday", "2031-03-11"}, {"on march twenty first", "2031-03-21"},
		{"on the fourteenth", "2031-03-14"}, {"on monday", "2031-03-10"},
	}
	clocks = [][2]string{
		{"at ten", "10:00"}, {"at 2 pm", "14:00"}, {"at half past two", "14:30"}, {"at 11 am", "11:00"}, {"at quarter past nine", "09:15"},
		{"at eight am", "08:00"}, {"at four pm", "16:00"}, {"at four thirty", "16:30"}, {"at half past eight", "08:30"}, {"at two o'clock", "14:00"},
		{"at three in the afternoon", "15:00"}, {"at quarter to four", "15:45"}, {"at noon", "12:00"},
	}
	// misheard are words and what speech recognition takes them for.
	misheard = [][2]string{
		{"four", "for"}, {"eight", "ate"}, {"two", "to"}, {"tomorrow", "to morrow"}, {"afternoon", "after noon"}, {"o'clock", "o clock"},
		{"past", "passed"}, {"am", "a m"}, {"pm", "p m"},
	}
	duties    = []string{"call mom", "water the plants", "take out the trash", "buy milk"}
	asides    = []string{"what is the capital of France", "tell me a joke", "who wrote Hamlet", "how old is the universe"}
	detoursOf = []string{"remind me to feed the cat", "please remind me at 8 pm"} // and then the person thinks better of it
	// unagreed have a yes in them and are none.
	unagreed = []string{
		"yes but not on monday", "ok anything other than friday", "sure but no later than noon", "yes if my wife agrees", "my sister said yes",
		"okay sounds good I'm away on friday", "yes and also cancel the one on monday", "yes, is that a holiday?", "yes no maybe", "ok google play some music",
	}
	hums = []string{"", "", "um ", "uh ", "so "}
)

// task is what a person wants in one dialogue.
type task struct {
	opening string
	facts   []fact // in the order in which the person thinks of them
	tool    string
	want    map[string]string // of the call's arguments
	unsure  bool              // what was said last is no consent
}

// fact is one thing to tell: the field that knows it, the words, and the value that they mean. A person who is mistaken says
// something else first.
type fact struct{ field, said, value, mistaken string }

// mistake has the person say something else first for one of three facts.
func mistake(dice *rand.Rand, right [2]string, all [][2]string) string {
	if wrong := pick(dice, all); dice.IntN(3) == 0 && wrong != right {
		return wrong[0]
	}
	return ""
}

func pick[T any](dice *rand.Rand, list []T) T { return list[dice.IntN(len(list))] }

func newTask(dice *rand.Rand, booking bool) task {
	day, clock := pick(dice, days), pick(dice, clocks)
	when := []fact{{"date", day[0], day[1], mistake(dice, day, days)}, {"time", clock[0], clock[1], mistake(dice, clock, clocks)}}
	if !booking {
		duty := pick(dice, duties)
		when[1].mistaken = "" // nothing is shown before it is set
		return task{
			opening: pick(dice, []string{"remind me to " + duty, "set a reminder", "please remind me " + day[0], "remind me"}),
			facts:   append([]fact{{"message", "to " + duty, duty, ""}}, when...), tool: "set_reminder",
			want: map[string]string{"message": duty, "at": day[1] + "T" + clock[1]},
		}
	}
	person, address := pick(dice, people), pick(dice, addresses)
	facts := append(when, fact{"customer_name", "my name is " + person, person, ""}, fact{"address", address[0], address[1], ""})
	dice.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	return task{
		opening: pick(dice, []string{
			"schedule a cleaning estimate", "I'd like to book an appointment", "book an appointment " + day[0], "can I make an appointment please",
		}),
		facts: facts, tool: "book_appointment",
		want: map[string]string{"customer_name": person, "address": address[1], "date": day[1], "time": clock[1]},
	}
}

// take takes the time that is offered instead.
func (w *task) take(offer map[string]string) string {
	for i := range w.facts {
		if value := offer[w.facts[i].field]; value != "" {
			w.facts[i].said, w.facts[i].value, w.facts[i].mistaken = value, value, ""
			w.want[w.facts[i].field] = value
		}
	}
	return "the first one"
}

// next is what the person says to where the workflow stands.
func (w *task) next(dice *rand.Rand, flow *conversation.WorkflowTrace) string {
	var open []*fact
	for i := range w.facts {
		if f := &w.facts[i]; flow == nil || !strings.EqualFold(flow.Fields[f.field], f.value) {
			open = append(open, f)
		}
	}
	if len(open) == 0 {
		if w.unsure = dice.IntN(4) == 0; w.unsure {
			return pick(dice, unagreed)
		}
		return "yes"
	}
	f := open[0]
	switch {
	case f.mistaken != "" && (flow == nil || flow.Fields[f.field] == ""):
		wrong := f.mistaken
		f.mistaken = ""
		return pick(dice, hums) + wrong
	case flow == nil || flow.Fields[f.field] == "":
		return pick(dice, hums) + f.said
	case len(open) == 1 && flow.Phase == "CONFIRMING" && dice.IntN(2) == 0:
		return "yes, but " + f.said
	}
	return pick(dice, []string{"no, ", "sorry, ", "no, sorry, "}) + f.said
}

// dictated is what speech recognition makes of a text at times: small letters, no punctuation, and one word taken for another.
func dictated(dice *rand.Rand, text string) string {
	if dice.IntN(3) > 0 {
		return text
	}
	text = strings.NewReplacer(",", "", ".", "", "?", "").Replace(strings.ToLower(text))
	words, wrong := strings.Fields(text), pick(dice, misheard)
	for i, word := range words {
		if word == wrong[0] && dice.IntN(2) == 0 {
			words[i] = wrong[1]
		}
	}
	return strings.Join(words, " ")
}
