package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var byteUnits = []struct {
	name string
	size Bytes
}{{"", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// setScalar writes text into the field, which keeps its value when the text does not fit. The error says what would.
func setScalar(field any, text string) error {
	switch field := field.(type) {
	case *string:
		*field = text
	case *bool:
		switch text {
		case "true", "false":
			*field = text == "true"
		default:
			return errors.New("must be true or false")
		}
	case *int:
		n, err := strconv.ParseInt(text, 10, 32) // what an int holds on every machine
		if err != nil {
			return errors.New("must be a whole number")
		}
		*field = int(n)
	case *float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return errors.New("must be a number")
		}
		*field = x
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return errors.New("must be a time with its unit, such as 1s, 90s, 5m or 720h")
		}
		*field = d
	case *Bytes:
		return setBytes(field, text)
	default:
		return fmt.Errorf("must be %s", shape(field))
	}
	return nil
}

func setBytes(field *Bytes, text string) error {
	complaint := errors.New("must be a size in bytes, such as 65536 or 64KiB")
	for i := len(byteUnits) - 1; i >= 0; i-- {
		unit := byteUnits[i]
		digits, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n > math.MaxInt64/int64(unit.size) || n < math.MinInt64/int64(unit.size) {
			return complaint
		}
		*field = Bytes(n) * unit.size
		return nil
	}
	return complaint
}

// shape says in words what a field's value looks like in the file.
func shape(field any) string {
	switch field.(type) {
	case *[]string:
		return "a list"
	case *[]Model, *Model:
		return "a list of models, each with its base_url and model"
	case *[]Mode, *Mode:
		return "a list of modes, each with its name"
	case *map[string]Price:
		return "a section of model names, each with its {input: …, output: …}"
	case *Price:
		return "{input: …, output: …} in USD per 1,000 tokens"
	default:
		return "one value"
	}
}

// number is the field's value for comparison with a key's min and max; ok is false for what is not a number.
func number(field any) (value float64, ok bool) {
	switch value := reflect.ValueOf(field).Elem(); {
	case value.CanInt():
		return float64(value.Int()), true
	case value.CanFloat():
		return value.Float(), true
	}
	return 0, false
}

// numberText writes a number in the notation of the field.
func numberText(field any, value float64) string {
	switch field.(type) {
	case *time.Duration:
		return durationText(time.Duration(value))
	case *Bytes:
		return Bytes(value).String()
	default:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
}

// durationText is d without the zeros that String adds: 1h, not 1h0m0s.
func durationText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// scalarText is the field's value as the file accepts it; ok is false for lists and maps.
func scalarText(field any) (text string, ok bool) {
	switch field := field.(type) {
	case *string:
		return *field, true
	case *bool:
		return strconv.FormatBool(*field), true
	}
	if value, ok := number(field); ok {
		return numberText(field, value), true
	}
	return "", false
}

// plainText needs no quotes in YAML.
var plainText = regexp.MustCompile(`^[A-Za-z0-9_./:+][A-Za-z0-9_./:+-]*$`)

// yamlText is text as a YAML scalar: as it is where that is safe, else quoted.
func yamlText(text string) string {
	if plainText.MatchString(text) && !strings.HasSuffix(text, ":") && text != "null" {
		return text
	}
	return strconv.Quote(text)
}

// Settings are the values of all keys that are set, as texts, one for each word of a list.
func (c Config) Settings() map[string][]string {
	all := map[string][]string{}
	for _, k := range keys(&c) {
		if list, ok := k.field.(*[]string); ok && len(*list) > 0 {
			all[k.name] = *list
		} else if text, ok := scalarText(k.field); ok && text != "" {
			all[k.name] = []string{text}
		}
	}
	return all
}
