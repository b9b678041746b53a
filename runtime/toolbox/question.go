package toolbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// question asks the person for a yes to a call. It is composed here, from the arguments that will run, so that neither the
// model nor the tool chooses its words; all arguments are named, and how much of a long one is not shown.
func question(manifest Manifest, arguments map[string]any) string {
	name := manifest.Title
	if name == "" {
		name = strings.NewReplacer("_", " ", "-", " ").Replace(manifest.Name)
	}
	var said []string
	for _, argument := range slices.Sorted(maps.Keys(arguments)) {
		said = append(said, sayName(argument)+" "+sayValue(arguments[argument]))
	}
	text := fmt.Sprintf("Shall I run %q", oneLine(name, 64))
	switch len(said) {
	case 0:
	case 1:
		text += " with " + said[0]
	default:
		text += " with " + strings.Join(said[:len(said)-1], ", ") + " and " + said[len(said)-1]
	}
	return text + "?"
}

// sayName says an argument's name. One that is more than a word stands in quotes, so that it cannot pass for a name with
// its value.
func sayName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
		return oneLine(visible(encode(name)), 64)
	}
	return oneLine(strings.ReplaceAll(name, "_", " "), 64)
}

// visible is a JSON text with escapes for what a person does not see or what turns what stands around it: a yes is given to
// what is shown.
func visible(text string) string {
	if _, found := hidden(text); !found {
		return text
	}
	var shown strings.Builder
	for _, r := range text {
		if _, found := hidden(string(r)); !found {
			shown.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&shown, `\u%04x`, unit)
		}
	}
	return shown.String()
}

const valueCharactersMax = 300

func sayValue(value any) string {
	text := visible(encode(value))
	if n := len([]rune(text)); n > valueCharactersMax {
		return fmt.Sprintf("%s (%d characters in all)", oneLine(text, valueCharactersMax), n)
	}
	return oneLine(text, valueCharactersMax)
}
