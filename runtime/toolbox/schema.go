package toolbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is a tool's inputSchema, compiled once.
type schema struct{ resolved *jsonschema.Resolved }

// compileSchema reads a JSON Schema of type object. References to elsewhere are refused: nothing is fetched for a
// schema.
func compileSchema(raw json.RawMessage) (*schema, error) {
	var parsed jsonschema.Schema
	if err := json.Unmarshal(raw, &parsed); err != nil {
		return nil, fmt.Errorf(`field "inputSchema" is not a JSON Schema: %w`, err)
	}
	if parsed.Type != "object" {
		return nil, errors.New(`field "inputSchema" must have "type": "object"`)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf(`field "inputSchema" cannot be used: %w`, err)
	}
	return &schema{resolved}, nil
}

// complaint says in one line, for the model, which argument does not fit and what was expected; empty when all fit.
func (s *schema) complaint(arguments map[string]any) string {
	value, err := plain(arguments)
	if err != nil {
		return "Arguments cannot be compared: " + err.Error()
	}
	err = s.resolved.Validate(value)
	if err == nil {
		return impossible(s.resolved.Schema(), value, "")
	}
	if said := explain(s.resolved.Schema(), value, ""); said != "" {
		return said
	}
	// Keywords that explain does not know: the library's own words, without its path of schemas.
	words := err.Error()
	if i := strings.LastIndex(words, "validating "); i >= 0 {
		if _, rest, ok := strings.Cut(words[i:], ": "); ok {
			words = rest
		}
	}
	return "Arguments do not fit the tool: " + oneLine(words, 200)
}

// explain finds the first thing wrong with value at path, in the words of a caller. It is asked only after validation
// failed and says nothing about what it does not know.
func explain(s *jsonschema.Schema, value any, path string) string {
	if s == nil {
		return ""
	}
	if said := explainType(s, value, path); said != "" {
		return said
	}
	switch value := value.(type) {
	case map[string]any:
		return explainObject(s, value, path)
	case []any:
		if s.MinItems != nil && len(value) < *s.MinItems {
			return fmt.Sprintf("%s must have at least %d elements", argument(path), *s.MinItems)
		}
		if s.MaxItems != nil && len(value) > *s.MaxItems {
			return fmt.Sprintf("%s must have at most %d elements", argument(path), *s.MaxItems)
		}
		for i, element := range value {
			if said := explain(s.Items, element, fmt.Sprintf("%s[%d]", path, i)); said != "" {
				return said
			}
		}
	case string:
		return explainString(s, value, path)
	case int64:
		return explainNumber(s, float64(value), path)
	case float64:
		return explainNumber(s, value, path)
	}
	return ""
}

func explainType(s *jsonschema.Schema, value any, path string) string {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	kind := typeOf(value)
	fits := len(types) == 0 || slices.Contains(types, kind) || kind == "integer" && slices.Contains(types, "number")
	if !fits {
		return fmt.Sprintf("%s must be of type %s, not %s", argument(path), strings.Join(types, " or "), show(value))
	}
	allowed := s.Enum
	if s.Const != nil {
		allowed = []any{*s.Const}
	}
	if len(allowed) == 0 {
		return ""
	}
	shown := make([]string, len(allowed))
	for i, one := range allowed {
		if shown[i] = show(one); shown[i] == show(value) {
			return ""
		}
	}
	return fmt.Sprintf("%s must be one of %s, not %s", argument(path), oneLine(strings.Join(shown, ", "), 400),
		show(value))
}

func explainObject(s *jsonschema.Schema, value map[string]any, path string) string {
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			return "Missing required argument: " + join(path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		property, known := s.Properties[name]
		if known {
			if said := explain(property, value[name], join(path, name)); said != "" {
				return said
			}
			continue
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil && len(s.PatternProperties) == 0 {
			said := fmt.Sprintf("Unknown argument: %s", join(path, name))
			if names := slices.Sorted(maps.Keys(s.Properties)); len(names) > 0 {
				said += "; the known ones are " + oneLine(strings.Join(names, ", "), 400)
			}
			return said
		}
	}
	return ""
}

func explainString(s *jsonschema.Schema, value, path string) string {
	length := utf8.RuneCountInString(value)
	switch {
	case s.MinLength != nil && *s.MinLength > 0 && length == 0:
		return argument(path) + " must not be empty"
	case s.MinLength != nil && length < *s.MinLength:
		return fmt.Sprintf("%s must have at least %d characters", argument(path), *s.MinLength)
	case s.MaxLength != nil && length > *s.MaxLength:
		return fmt.Sprintf("%s must have at most %d characters", argument(path), *s.MaxLength)
	}
	if fits, err := regexp.MatchString(s.Pattern, value); err == nil && !fits {
		return fmt.Sprintf("%s must match %s, not %s", argument(path), s.Pattern, show(value))
	}
	return ""
}

func explainNumber(s *jsonschema.Schema, value float64, path string) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	switch {
	case s.Minimum != nil && value < *s.Minimum:
		return argument(path) + " must be at least " + number(*s.Minimum)
	case s.Maximum != nil && value > *s.Maximum:
		return argument(path) + " must be at most " + number(*s.Maximum)
	case s.ExclusiveMinimum != nil && value <= *s.ExclusiveMinimum:
		return argument(path) + " must be more than " + number(*s.ExclusiveMinimum)
	case s.ExclusiveMaximum != nil && value >= *s.ExclusiveMaximum:
		return argument(path) + " must be less than " + number(*s.ExclusiveMaximum)
	case s.MultipleOf != nil && math.Mod(value, *s.MultipleOf) != 0:
		return argument(path) + " must be a multiple of " + number(*s.MultipleOf)
	}
	return ""
}

func argument(path string) string {
	if path == "" {
		return "The arguments"
	}
	return "Argument " + path
}

func typeOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int64:
		return "integer"
	case float64:
		if value == math.Trunc(value) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// show writes a value as the model would, on one line.
func show(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return "that"
	}
	return oneLine(string(data), 60)
}

// oneLine is text without line breaks, cut behind max characters.
func oneLine(text string, max int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > max {
		return string(runes[:max]) + "…"
	}
	return text
}
