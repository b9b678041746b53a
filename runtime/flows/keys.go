package flows

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"chatterbox/runtime/internal/texts"
)

// unknownKeys complains about keys of a file that its type does not have, and tells the nearest.
func unknownKeys(file string, node ast.Node, t reflect.Type) []error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var errs []error
	switch node := node.(type) {
	case *ast.MappingNode:
		for _, entry := range node.Values {
			errs = append(errs, unknownKey(file, entry, t)...)
		}
	case *ast.MappingValueNode:
		errs = unknownKey(file, node, t)
	case *ast.SequenceNode:
		if t.Kind() == reflect.Slice {
			for _, value := range node.Values {
				errs = append(errs, unknownKeys(file, value, t.Elem())...)
			}
		}
	}
	return errs
}

func unknownKey(file string, entry *ast.MappingValueNode, t reflect.Type) []error {
	switch t.Kind() {
	case reflect.Map:
		return unknownKeys(file, entry.Value, t.Elem())
	case reflect.Struct:
		key := entry.Key.GetToken()
		known := keysOf(t)
		if of := known[key.Value]; of != nil {
			return unknownKeys(file, entry.Value, of)
		}
		names := slices.Sorted(maps.Keys(known))
		return []error{fmt.Errorf("%s:%d:%d: there is no key %q here%s", file, key.Position.Line, key.Position.Column, key.Value,
			Suggestion(key.Value, names))}
	}
	return nil // the decoder complains
}

// Suggestion is a hint for a mistake: the nearest of the known names, or all of them.
func Suggestion(name string, known []string) string {
	best, edits := texts.Nearest(name, known)
	switch {
	case len(known) == 0:
		return "; there is none"
	case edits <= max(2, len(name)/2):
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; there is " + strings.Join(known, ", ")
}

// keysOf are the keys of a struct, with their types.
func keysOf(t reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if options == "inline" {
			maps.Copy(keys, keysOf(field.Type))
		} else if name != "-" {
			keys[name] = field.Type
		}
	}
	return keys
}
