package flows

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
)

// parsed.json holds what the built-in files come to: reading so much YAML would take most of a start. A test holds that
// it is what the files say.
//
//go:embed parsed.json
var parsedText []byte

// builtInParsed is what parsed.json holds, each by the name of its file.
type builtInParsed struct {
	Rules     map[string][]route.Rule
	Workflows map[string]workflow.Definition
	Speeches  map[string]workflow.Speech
	Sentences map[string]route.Grammar
}

var parsed = sync.OnceValue(func() (all builtInParsed) {
	if err := json.Unmarshal(parsedText, &all); err != nil {
		panic(fmt.Sprintf("parsed.json: %v", err)) // it is part of the program
	}
	return all
})

// builtInTree is the tree of a built-in file, for the place of a mistake; nil where there is none.
func builtInTree(name string) ast.Node {
	text, err := builtin.ReadFile("builtin/" + name)
	if err != nil {
		return nil
	}
	root, err := file{name: name, text: text, checked: true}.tree()
	if err != nil {
		return nil
	}
	return root
}
