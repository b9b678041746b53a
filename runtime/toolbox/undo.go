package toolbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"chatterbox/loop"
)

// This file is about taking an effect back. The rules are: only an effect of the kind write can be; the call that
// does it is one of a tool of the same module, itself of the kind write, so that nobody's yes to one tool is a yes
// to somebody else's; its arguments come from the result and from nowhere else.

// Undo names the call that takes the effect of a call back.
type Undo struct {
	Tool      string            `json:"tool" max:"64"`
	Arguments map[string]string `json:"arguments" max:"16"` // by name, the member of the result that is the value
}

func (u *Undo) check(path string) error {
	if u.Tool == "" || len(u.Arguments) == 0 {
		return fieldError(path, "needs tool and arguments")
	}
	return nil
}

// shape is as much of a schema as undo is compared with.
type shape struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// validateUndo compares each undo with the tool that it names and with the result that it takes arguments from. at
// is where the undo of a manifest stands.
func validateUndo(manifests []Manifest, at func(i int) string) error {
	for i := range manifests {
		m := &manifests[i]
		if m.Undo == nil {
			continue
		}
		other := slices.IndexFunc(manifests, func(other Manifest) bool { return other.Name == m.Undo.Tool })
		switch {
		case m.Asks.Effects != Write:
			return fieldError(at(i), "is only for tools whose effects are write")
		case other < 0:
			return fieldError(join(at(i), "tool"), fmt.Sprintf("%q: the module has no such tool", m.Undo.Tool))
		case manifests[other].Asks.Effects != Write:
			return fieldError(join(at(i), "tool"), fmt.Sprintf("%q: its effects must be write", m.Undo.Tool))
		}
		if err := m.Undo.fits(&manifests[other], m.OutputSchema, join(at(i), "arguments")); err != nil {
			return err
		}
	}
	return nil
}

// fits says what is wrong with the arguments, given the tool that takes them and the schema of the result that has
// them.
func (u *Undo) fits(other *Manifest, output json.RawMessage, at string) error {
	var takes, gives shape
	_ = json.Unmarshal(other.InputSchema, &takes) // a schema that cannot be read is refused where it is compiled
	_ = json.Unmarshal(output, &gives)
	for _, name := range slices.Sorted(maps.Keys(u.Arguments)) {
		member := u.Arguments[name]
		switch _, taken := takes.Properties[name]; {
		case !taken:
			return fieldError(join(at, name), fmt.Sprintf("%s takes no such argument", other.Name))
		case gives.Properties[member] == nil:
			return fieldError(join(at, name), fmt.Sprintf("%q: outputSchema has no such member", member))
		}
	}
	for _, name := range takes.Required {
		if u.Arguments[name] == "" {
			return fieldError(at, fmt.Sprintf("lacks %q, which %s requires", name, other.Name))
		}
	}
	return nil
}

// undo is the call that takes an effect of the tool back, where the tool that it names is there.
func (t *Toolbox) undo(of *tool) *loop.Undo {
	if of.manifest.Undo == nil {
		return nil
	}
	other := t.current.Load().tools[of.manifest.Undo.Tool]
	if other == nil || other.module != of.module || other.blocked != "" {
		return nil
	}
	return &loop.Undo{Tool: other.manifest.Name, Digest: other.digest, Arguments: of.manifest.Undo.Arguments}
}
