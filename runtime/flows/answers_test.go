package flows_test

import (
	"strings"
	"testing"

	"chatterbox/loop/workflow"
	"chatterbox/runtime/flows"
)

func TestIsYes(t *testing.T) {
	spoken, err := flows.Workflows(flows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[bool][]string{
		true: {
			"yes", "Yes!", "yeah, sounds good", "Ok.", "perfect", "yes please", "That's right, go ahead", "that’s right",
			"um yes", "uh yeah sure", "yes chatterbox", "yes that's correct", "yeah that sounds good", "please do", "yes, right", "please do it",
			"Sorry, yes.", "yes please and thank you", "ok then", "so yes, run it", "yes, I'm sure", "that's fine, thanks a lot",
			"Ja, bitte.", "in Ordnung", "alles klar, danke", "äh ja", "ja chatterbox", "ja das stimmt", "ja genau so ist es", "na klar, gerne doch",
			"ja, mach das bitte", "also gut", "Natürlich.", "sehr gerne, vielen Dank", "Entschuldigung, ja", "auf jeden Fall", "kein Problem",
		},
		false: {
			"", "please", "um", "no", "yes, but at ten", "yes, but not that one", "yes and also delete the other one", "yes and no", "not ok",
			"yes and", "yes, also", "yes actually", "ok, let's", "yes um and um", "yes?", "sure?", "why not", "no that's all", "no problem",
			"no, that's wrong", "change it", "different", "yesterday", "all right then maybe", "is that right for you", "in", "yes if it rains",
			"yes wait", "ok, cancel", "yes, stop", "ok, nothing to change", "yes delete all of them", "yes 2", "yes to the first", "don't do it",
			"did I say yes", "yes, he said", "of course not", "okay never mind", "yes at nine", "that's fine, later",
			"nein", "ja, aber um zehn", "ja, aber nicht den", "ja und", "ja, und auch die andere", "ja nein", "natürlich nicht", "schon gut",
			"keine Änderung", "ja, vielleicht", "ja, wenn es geht", "ja moment", "auf keinen Fall", "gut, lass es", "ja, eigentlich",
			"yes " + strings.Repeat("yes ", 1000) + "but not that one", // of which only the beginning is heard
		},
	}
	for want, texts := range tests {
		for _, text := range texts {
			if got := spoken.IsYes(text); got != want {
				t.Errorf("IsYes(%q) = %v", text, got)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	spoken, err := flows.Workflows(flows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[bool][]string{
		true: {
			"no", "No, thanks.", "um no", "nope", "no please don't", "do not", "cancel that", "oh, never mind", "of course not", "stop",
			"nein", "Nee, danke.", "nein, lass das", "doch nicht", "äh nein", "vergiss es", "auf keinen Fall",
		},
		false: {"", "um", "yes", "no, at ten", "no lights in the hall", "what time is it", "nein, um zehn", "ja", "keine Ahnung, wie spät ist es"},
	}
	for want, texts := range tests {
		for _, text := range texts {
			if got := refuses(spoken, text); got != want {
				t.Errorf("%q is a refusal: %v", text, got)
			}
		}
	}
}

// refuses says whether a text is a refusal in one of the languages.
func refuses(spoken *workflow.Flows, text string) bool {
	return spoken.Answer(text, "en", "") == workflow.Refusal || spoken.Answer(text, "de", "") == workflow.Refusal
}

func FuzzIsYes(f *testing.F) {
	f.Add("Yes, please.")
	f.Add("ja\x00\xffnein")
	spoken, err := flows.Workflows(flows.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !spoken.IsYes(text) {
			return
		}
		if refuses(spoken, text) {
			t.Errorf("%q is a yes and a no", text)
		}
		for _, more := range []string{" no", " but not that one", " and", " at ten", " nicht", " aber später", "?"} {
			if spoken.IsYes(text + more) {
				t.Errorf("%q is a yes even when %q follows", text, more)
			}
		}
	})
}
