package config

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
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
	all := keys(&l.Config)
	values := make([]Value, len(all))
	for i, k := range all {
		values[i] = Value{Key: k.name, Value: shown(k.secret, k.field), Origin: l.Origin(k.name).String()}
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
	for i, k := range keys(&l.Config) {
		var headings []string
		open, headings = openSections(open, k)
		b.WriteString(strings.Join(headings, ""))
		indent := strings.Repeat("  ", len(open))
		fmt.Fprintf(&b, "%s%s: %s  # %s\n", indent, k.leaf(), flowText(values[i].Value), values[i].Origin)
	}
	return b.String()
}

// shown is the field as JSON holds it.
func shown(secret bool, field any) any {
	switch field := field.(type) {
	case *string:
		if secret && *field != "" {
			return masked
		}
		return withoutPassword(*field)
	case *time.Duration:
		return durationText(*field)
	case *Bytes:
		return field.String()
	}
	value := reflect.ValueOf(field).Elem()
	switch value.Kind() {
	case reflect.Slice:
		list := make([]any, value.Len())
		for i := range list {
			list[i] = shown(secret, value.Index(i).Addr().Interface())
		}
		return list
	case reflect.Map:
		entries := map[string]any{}
		for name, entry := range value.Seq2() {
			copied := reflect.New(entry.Type())
			copied.Elem().Set(entry)
			entries[name.String()] = shown(secret, copied.Interface())
		}
		return entries
	case reflect.Pointer:
		return shown(secret, value.Interface())
	case reflect.Struct:
		return shownItem(field)
	}
	return value.Interface()
}

// shownItem leaves out what is not set, except a price's zero.
func shownItem(item any) map[string]any {
	result := map[string]any{}
	for _, m := range members(item) {
		if value := reflect.ValueOf(m.field).Elem(); !value.IsZero() || value.Kind() == reflect.Float64 {
			result[m.name] = shown(m.name == "api_key", m.field)
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
	case []any:
		parts := make([]string, len(value))
		for i, element := range value {
			parts[i] = flowText(element)
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
