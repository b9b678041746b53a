package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chatterbox/loop"
)

// This file lets the model say a workflow's or a command's sentence in its own words. The rules are: phase, fields and
// calls are settled before it is asked, and nothing that it writes changes them; it reads the sentence and the facts
// behind it, and no tools; what it writes is spoken only where it says what the sentence says, with no number, day,
// time, name or promise that is not in sentence and facts; in every other case, and when it is late, the sentence
// itself is spoken.

// phrasedBytesMax bounds a phrased reply, beside twice the sentence.
const phrasedBytesMax = 600

// factsBytesMax bounds what the model reads beside the sentence. Longer facts are those of a table or a text, of which
// a sentence says a part; it is then spoken as it is.
const factsBytesMax = 8 << 10

const phrasePrompt = "You say one sentence of a voice assistant in your own words. Answer with that one sentence, " +
	"friendly and short, in its language. Keep every name, number, day and time exactly. A question stays a question. " +
	"Add nothing, promise nothing, no markup."

// phrasing is what the model may read beside a sentence that it words, and how long it may take; 0 is not at all.
type phrasing struct {
	facts any
	time  time.Duration
}

// phrase is a sentence, in the model's words where that is wanted and goes well, and what asking it cost.
func (t *turn) phrase(ctx context.Context, sentence string, by phrasing) (said string, cost loop.Trace) {
	if by.time <= 0 || t.model == nil || strings.TrimSpace(sentence) == "" {
		return sentence, cost
	}
	facts, err := json.Marshal(by.facts)
	if err != nil || len(facts) > factsBytesMax {
		return sentence, cost
	}
	ctx, cancel := context.WithTimeout(ctx, by.time)
	defer cancel()
	given, _ := json.Marshal(map[string]any{"sentence": sentence, "facts": json.RawMessage(facts)}) // texts and JSON
	completion, err := t.model.Complete(ctx, loop.Request{Messages: []loop.Message{
		{Role: loop.System, Content: phrasePrompt}, {Role: loop.User, Content: string(given)},
	}, Again: func() bool { return true }}, func(string) {})
	reason := ""
	switch {
	case err != nil:
		reason = "the model did not phrase it: " + string(loop.AsError(err).Kind)
	case len(completion.ToolCalls) > 0:
		reason = "the model called a tool instead of phrasing it"
	default:
		reason = unfaithful(strings.TrimSpace(completion.Content), sentence, string(facts))
	}
	cost = loop.Trace{LLMCalls: 1, Usage: completion.Usage}
	if reason != "" {
		t.route.Reason += "; said as written, " + reason
		return sentence, cost
	}
	t.route.Reason += "; said in the model's words"
	return strings.TrimSpace(completion.Content), cost
}

var (
	digits = regexp.MustCompile(`\pN+`)

	// factWords are what names a number, a day or a time without digits, in English and German.
	factWords = wordSet(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen twenty thirty forty fifty sixty half quarter noon midnight morning afternoon evening tonight
		today tomorrow yesterday week weeks month months hour hours minute minutes first second third last next am pm
		monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
		october november december daily weekly monthly dollar dollars euro euros pound pounds free cost costs price percent
		eins ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig halb viertel mittag mitternacht morgen
		vormittag nachmittag abend heute gestern woche wochen monat monate stunde stunden minute minuten nächste nächsten
		montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember kostenlos
		preis prozent`)
	// claimWords say that something has happened or will.
	claimWords = wordSet(`booked scheduled reserved confirmed arranged done set saved sent cancelled canceled moved rescheduled
		added created registered finished completed called promise guarantee gebucht vereinbart reserviert bestätigt erledigt
		gespeichert gesendet abgesagt verschoben eingetragen versprochen garantiert`)
	// denialWords turn a sentence into its opposite.
	denialWords = wordSet(`no not never none neither cannot can't won't don't isn't wasn't couldn't unable unfortunately sorry
		nein nicht nie kein keine keinen leider`)
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// unfaithful says why phrased must not be spoken for sentence, or nothing where it may.
func unfaithful(phrased, sentence, facts string) string {
	switch {
	case phrased == "" || !utf8.ValidString(phrased):
		return "the model's words are none"
	case len(phrased) > min(phrasedBytesMax, 2*len(sentence)+100):
		return "the model's words are too many"
	case strings.ContainsAny(phrased, "<>{}[]|*#`_\n\\"):
		return "the model's words have markup"
	case strings.HasSuffix(phrased, "?") != strings.HasSuffix(strings.TrimSpace(sentence), "?"):
		return "the model made another kind of sentence"
	}
	said, known := numbers(phrased), numbers(sentence)
	allowed := append(numbers(facts), known...)
	if i := slices.IndexFunc(said, func(n string) bool { return !slices.Contains(allowed, n) }); i >= 0 {
		return fmt.Sprintf("the model said %s, which is not in the facts", said[i])
	}
	if i := slices.IndexFunc(known, func(n string) bool { return !slices.Contains(said, n) }); i >= 0 {
		return fmt.Sprintf("the model left out %s", known[i])
	}
	return unfaithfulWords(phrased, sentence, facts)
}

func unfaithfulWords(phrased, sentence, facts string) string {
	said, known := words(phrased), words(sentence)
	given := append(words(facts), known...)
	denies := func(list []string) bool {
		return slices.ContainsFunc(list, func(word string) bool { return denialWords[word] })
	}
	if denies(said) != denies(known) {
		return "the model denies what the sentence says, or the other way round"
	}
	for _, word := range said {
		if (factWords[word] || claimWords[word]) && !slices.Contains(known, word) {
			return fmt.Sprintf("the model said %q, which is not in the sentence", word)
		}
	}
	for _, name := range properNames(sentence) {
		if !slices.Contains(said, name) {
			return fmt.Sprintf("the model left out %q", name)
		}
	}
	for _, name := range properNames(phrased) {
		if !slices.Contains(given, name) {
			return fmt.Sprintf("the model said %q, which is not in the facts", name)
		}
	}
	return ""
}

// words returns the lower-case words of text without punctuation, an apostrophe being part of its word.
func words(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// numbers lists the numbers in text as they compare: without leading zeros, and without the minutes of a full hour.
func numbers(text string) []string {
	var found []string
	for _, number := range digits.FindAllString(text, -1) {
		if number = strings.TrimLeft(number, "0"); number != "" {
			found = append(found, number)
		}
	}
	return found
}

// properNames lists the words of text that begin with a capital within a sentence, in lower case.
func properNames(text string) []string {
	var found []string
	begins := true
	for _, word := range strings.Fields(text) {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, `"'„“(`))
		if !begins && unicode.IsUpper(first) {
			found = append(found, words(word)...)
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?:")
	}
	return slices.DeleteFunc(found, func(word string) bool { return word == "i" || strings.HasPrefix(word, "i'") })
}
