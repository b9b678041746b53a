package toolbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatterbox/runtime/internal/texts"
)

// This file decodes what somebody wrote down, strictly: a member that is not known, is there twice, is null or does not
// decode is an error that names it by path. The tags of a field say
//
//   - json: its name;
//   - max: the bytes of a text, the members of a map, or the elements of a list and, behind a comma, the bytes of each;
//   - of: the values that a text may have;
//   - in: the bounds of a number; a time is a number of milliseconds;
//   - inline: its members stand in the object around it, as those of an embedded struct do;
//   - granted: only a grant may have it.

// decoder decodes into structs.
type decoder struct {
	granted bool // it is a grant
}

// preparer is a struct that sets what absent means, checker one that says what is wrong when all is decoded.
type (
	preparer interface{ prepare() }
	checker  interface{ check(path string) error }
)

// member is where a member of an object goes.
type member struct {
	reflect.Value
	tag reflect.StructTag
}

// decode decodes an object into a struct, which into points to.
func (d decoder) decode(path string, raw json.RawMessage, into any) error {
	return d.object(path, raw, reflect.ValueOf(into).Elem())
}

func (d decoder) members(of reflect.Value) map[string]member {
	all := map[string]member{}
	for i := range of.NumField() {
		field := of.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous || field.Tag.Get("inline") != "":
			maps.Copy(all, d.members(of.Field(i)))
		case field.IsExported() && (d.granted || field.Tag.Get("granted") == ""):
			all[name] = member{of.Field(i), field.Tag}
		}
	}
	return all
}

func (d decoder) object(path string, raw json.RawMessage, into reflect.Value) error {
	if p, ok := into.Addr().Interface().(preparer); ok {
		p.prepare()
	}
	reader := json.NewDecoder(bytes.NewReader(raw))
	if token, err := reader.Token(); err != nil || token != json.Delim('{') {
		return fieldError(path, "must be an object")
	}
	seen, known := map[string]bool{}, d.members(into)
	for reader.More() {
		token, err := reader.Token()
		if err != nil {
			return fieldError(path, "is not JSON: "+err.Error())
		}
		name := token.(string)
		at := join(path, name)
		var value json.RawMessage
		if err := reader.Decode(&value); err != nil {
			return fieldError(at, "is not JSON: "+err.Error())
		}
		field, isKnown := known[name]
		switch {
		case !isKnown:
			near, _ := texts.Nearest(name, slices.Sorted(maps.Keys(known)))
			return fmt.Errorf("unknown field %q; the nearest known one is %q", at, near)
		case seen[name]:
			return fieldError(at, "is given twice")
		case bytes.Equal(value, []byte("null")):
			return fieldError(at, "must not be null")
		}
		seen[name] = true
		if err := d.value(at, value, field); err != nil {
			return err
		}
	}
	if c, ok := into.Addr().Interface().(checker); ok {
		return c.check(path)
	}
	return nil
}

func (d decoder) value(path string, raw json.RawMessage, into member) error {
	if target, ok := into.Addr().Interface().(*json.RawMessage); ok {
		return keepObject(path, raw, target)
	}
	switch into.Kind() {
	case reflect.Struct:
		return d.object(path, raw, into.Value)
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return d.value(path, raw, member{into.Elem(), into.tag})
	case reflect.Slice:
		return d.list(path, raw, into)
	case reflect.String:
		return decodeText(path, raw, into)
	case reflect.Map:
		err := json.Unmarshal(raw, into.Addr().Interface())
		if max, _ := strconv.Atoi(into.tag.Get("max")); err != nil || into.Len() > max {
			return fieldError(path, fmt.Sprintf("must be an object of at most %d texts", max))
		}
	case reflect.Bool:
		if json.Unmarshal(raw, into.Addr().Interface()) != nil {
			return fieldError(path, "must be true or false")
		}
	default:
		return decodeNumber(path, raw, into)
	}
	return nil
}

func (d decoder) list(path string, raw json.RawMessage, into member) error {
	most, bytes, _ := strings.Cut(into.tag.Get("max"), ",")
	max, _ := strconv.Atoi(most)
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil || len(elements) == 0 || len(elements) > max {
		return fieldError(path, fmt.Sprintf("must be a list of 1 to %d", max))
	}
	into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
	for i, raw := range elements {
		element := member{into.Index(i), reflect.StructTag(`max:"` + bytes + `"`)}
		if err := d.value(fmt.Sprintf("%s[%d]", path, i), raw, element); err != nil {
			return err
		}
	}
	return nil
}

func decodeText(path string, raw json.RawMessage, into member) error {
	err := json.Unmarshal(raw, into.Addr().Interface())
	if values := strings.Fields(into.tag.Get("of")); len(values) > 0 {
		if err != nil || !slices.Contains(values, into.String()) {
			return fieldError(path, fmt.Sprintf("must be one of %q", values))
		}
		return nil
	}
	if max, _ := strconv.Atoi(into.tag.Get("max")); err != nil || into.Len() > max {
		return fieldError(path, fmt.Sprintf("must be a text of at most %d bytes", max))
	}
	return nil
}

func decodeNumber(path string, raw json.RawMessage, into member) error {
	var value, low, high int64
	if _, err := fmt.Sscanf(into.tag.Get("in"), "%d,%d", &low, &high); err != nil {
		panic("a number without bounds: " + path)
	}
	if json.Unmarshal(raw, &value) != nil || value < low || value > high {
		return fieldError(path, fmt.Sprintf("must be a whole number from %d to %d", low, high))
	}
	if into.Type() == reflect.TypeFor[time.Duration]() {
		value *= int64(time.Millisecond)
	}
	into.Set(reflect.ValueOf(value).Convert(into.Type()))
	return nil
}

// keepObject keeps an object as it is.
func keepObject(path string, raw json.RawMessage, target *json.RawMessage) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return fieldError(path, "must be an object")
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return fieldError(path, "is not JSON")
	}
	*target = compact.Bytes()
	return nil
}

func fieldError(path, problem string) error {
	if path == "" {
		return errors.New("the manifest " + problem)
	}
	return fmt.Errorf("field %q %s", path, problem)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
