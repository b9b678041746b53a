package toolbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"chatterbox/loop"
)

// Asked is a call that waits for a person's yes, as it is shown: characters that nobody sees are written as escapes.
type Asked struct {
	Tool, Title string
	Language    string // of the person; empty where nobody said
	Arguments   map[string]any
}

// ask gives the question for a yes to a call: the host's words, in the person's language, or else this package's
// own. It is composed from the arguments that will run, so that neither the model nor the tool chooses its words.
func (t *Toolbox) ask(tool *tool, call loop.Call, arguments map[string]any) string {
	if t.options.Question != nil {
		asked := Asked{
			Tool: call.Name, Title: titleOf(tool.manifest), Language: call.Language,
			Arguments: make(map[string]any, len(arguments)),
		}
		for name, value := range arguments {
			asked.Arguments[shownName(name)] = shown(tool.meant(name, value))
		}
		if text := t.options.Question(asked); text != "" {
			return text
		}
	}
	return question(tool.manifest, arguments)
}

func titleOf(manifest Manifest) string {
	name := manifest.Title
	if name == "" {
		name = strings.NewReplacer("_", " ", "-", " ").Replace(manifest.Name)
	}
	return oneLine(name, 64)
}

// shown is a value of JSON with escapes in its texts and names for what a person does not see.
func shown(value any) any {
	return transform(value, func(leaf any) any {
		if text, ok := leaf.(string); ok {
			return visible(text)
		}
		return leaf
	}, visible)
}

// question asks for a yes in English. All arguments are named, and of a long one its beginning, its end and its length.
func question(manifest Manifest, arguments map[string]any) string {
	var said []string
	for _, argument := range slices.Sorted(maps.Keys(arguments)) {
		said = append(said, sayName(argument)+" "+sayValue(arguments[argument]))
	}
	text := fmt.Sprintf("Shall I run %q", titleOf(manifest))
	switch len(said) {
	case 0:
	case 1:
		text += " with " + said[0]
	default:
		text += " with " + strings.Join(said[:len(said)-1], ", ") + " and " + said[len(said)-1]
	}
	return text + "?"
}

// sayName says an argument's name. One that is more than a word stands in quotes, so that it cannot pass for a name
// with its value.
func sayName(name string) string { return strings.ReplaceAll(shownName(name), "_", " ") }

func shownName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}) {
		return oneLine(visible(encode(name)), 64)
	}
	return oneLine(name, 64)
}

// visible is a text with escapes for what a person does not see or what turns what stands around it: a yes is given to
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

// How much of a long value is shown: a yes to its beginning is none to what stands at its end.
const (
	valueCharactersMax = 300
	valueBeginning     = 200
	valueEnd           = 80
)

func sayValue(value any) string {
	text := visible(encode(value))
	runes := []rune(text)
	if len(runes) <= valueCharactersMax {
		return oneLine(text, valueCharactersMax)
	}
	return fmt.Sprintf("%s … %s (%d characters in all)", oneLine(string(runes[:valueBeginning]), valueBeginning),
		oneLine(string(runes[len(runes)-valueEnd:]), valueEnd), len(runes))
}
