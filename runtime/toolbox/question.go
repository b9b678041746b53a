package toolbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
		said = append(said, oneLine(argument, 64)+" "+sayValue(arguments[argument]))
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

const valueCharactersMax = 300

func sayValue(value any) string {
	text := encode(value)
	if n := len([]rune(text)); n > valueCharactersMax {
		return fmt.Sprintf("%s (%d characters in all)", oneLine(text, valueCharactersMax), n)
	}
	return oneLine(text, valueCharactersMax)
}
