package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// masked stands for a secret that is set.
const masked = "********"

// Value is one key of the effective configuration, fit to be shown: secrets are masked.
type Value struct {
	Key    string `json:"key"`
	Value  any    `json:"value"` // what JSON can hold; times and sizes as the file writes them
	Origin string `json:"origin"`
}

// Values lists every key in the order of the template.
func (l Loaded) Values() []Value {
	all := keys()
	values := make([]Value, len(all))
	for i, k := range all {
		values[i] = Value{Key: k.name, Value: shown(k, k.field(&l.Config)), Origin: l.Origin(k.name).String()}
	}
	return values
}

// Text is the effective configuration as YAML, with the origin of each value behind it. Secrets are masked.
func (l Loaded) Text() string {
	var b strings.Builder
	if l.File == "" {
		b.WriteString("# no configuration file was found\n")
	} else {
		fmt.Fprintf(&b, "# %s\n", l.File)
	}
	values := l.Values()
	var open []string
	for i, k := range keys() {
		var headings []string
		open, headings = openSections(open, k)
		b.WriteString(strings.Join(headings, ""))
		indent := strings.Repeat("  ", len(open))
		fmt.Fprintf(&b, "%s%s: %s  # %s\n", indent, k.leaf(), flowText(values[i].Value), values[i].Origin)
	}
	return b.String()
}

// shown is the field as JSON holds it.
func shown(k key, field any) any {
	switch field := field.(type) {
	case *string:
		if k.secret && *field != "" {
			return masked
		}
		return withoutPassword(*field)
	case *bool:
		return *field
	case *int:
		return *field
	case *float64:
		return *field
	case *time.Duration:
		return durationText(*field)
	case *Bytes:
		return field.String()
	case *[]string:
		return append([]string{}, *field...)
	case *[]Model:
		return shownList(*field, modelFields)
	case *[]Mode:
		return shownList(*field, modeFields)
	case *map[string]Price:
		prices := map[string]any{}
		for name, price := range *field {
			prices[name] = shownFields(priceFields(&price))
		}
		return prices
	default:
		panic(fmt.Sprintf("config: key %s has a field of type %T", k.name, field))
	}
}

func shownList[T any](list []T, fields func(*T) []namedField) []map[string]any {
	shown := make([]map[string]any, len(list))
	for i := range list {
		shown[i] = shownFields(fields(&list[i]))
	}
	return shown
}

// shownFields leaves out what is not set, except a price's zero.
func shownFields(fields []namedField) map[string]any {
	result := map[string]any{}
	for _, f := range fields {
		switch field := f.field.(type) {
		case **Price:
			if *field != nil {
				result[f.name] = shownFields(priceFields(*field))
			}
		case *float64:
			result[f.name] = *field
		case *[]string:
			if *field != nil {
				result[f.name] = shown(key{}, field)
			}
		case *time.Duration:
			if *field != 0 {
				result[f.name] = shown(key{}, field)
			}
		default:
			value := shown(key{secret: f.name == "api_key"}, field)
			if value != "" && value != false && value != 0 {
				result[f.name] = value
			}
		}
	}
	return result
}

// withoutPassword masks the password of a URL; other text stays as it is.
func withoutPassword(text string) string {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return masked
	}
	if _, has := u.User.Password(); !has {
		return text
	}
	return u.Redacted()
}

// flowText writes a value of shown on one line of YAML.
func flowText(value any) string {
	switch value := value.(type) {
	case string:
		return yamlText(value)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case []string:
		parts := make([]string, len(value))
		for i, text := range value {
			parts[i] = yamlText(text)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []map[string]any:
		parts := make([]string, len(value))
		for i, fields := range value {
			parts[i] = flowText(fields)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, yamlText(name)+": "+flowText(value[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return fmt.Sprint(value)
	}
}
