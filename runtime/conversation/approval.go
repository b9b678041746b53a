package conversation

import (
	"strings"
	"unicode"
)

// yesPhrases are what counts as a yes, and yesFillers what may stand beside one. A yes runs exactly the call that was
// shown, so anything else in the same breath ("yes, but at ten") makes it no yes.
var (
	yesPhrases = phrases("yes", "yeah", "yep", "yup", "ok", "okay", "sure", "correct", "right", "that's right",
		"that is right", "perfect", "sounds good", "go ahead", "do it", "confirm", "confirmed", "absolutely", "of course",
		"ja", "jawohl", "genau", "gerne", "gern", "richtig", "korrekt", "stimmt", "passt", "perfekt", "einverstanden",
		"in ordnung", "alles klar", "mach das", "bestätigt")
	yesFillers = phrases("please", "thanks", "thank you", "bitte", "danke", "sehr")
)

// phrases splits each phrase into its words.
func phrases(all ...string) [][]string {
	out := make([][]string, len(all))
	for i, phrase := range all {
		out[i] = words(phrase)
	}
	return out
}

// words returns the lower-case words of text without punctuation, an apostrophe being part of its word.
func words(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// isYes reports whether text says yes and nothing else, in English or German.
func isYes(text string) bool {
	rest, yes := words(text), false
	for len(rest) > 0 {
		if n := prefixOf(rest, yesPhrases); n > 0 {
			yes, rest = true, rest[n:]
		} else if n := prefixOf(rest, yesFillers); n > 0 {
			rest = rest[n:]
		} else {
			return false
		}
	}
	return yes
}

// prefixOf returns the length of the longest phrase that text begins with.
func prefixOf(text []string, phrases [][]string) int {
	longest := 0
	for _, phrase := range phrases {
		if len(phrase) <= longest || len(phrase) > len(text) {
			continue
		}
		same := true
		for i, word := range phrase {
			same = same && word == text[i]
		}
		if same {
			longest = len(phrase)
		}
	}
	return longest
}

// view returns the approval as replies show it.
func (a *Approval) view() *ApprovalView {
	return &ApprovalView{Tool: a.Tool, Arguments: a.Arguments, Question: a.Question, Expires: a.Expires}
}
