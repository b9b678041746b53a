package bfcl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// This file reads JSON as Python's json module does, because that is what gave the published verdicts. encoding/json
// does the reading, once the text is rewritten where the two differ. The rules are:
//
//   - NaN, Infinity and -Infinity are numbers; 1e999 is infinite; an integer has any size up to integerDigitsMax.
//   - 1 and 1.0 are of different kinds.
//   - A lone surrogate is no error: it equals itself and no other text.
//   - The last of two equal keys counts.

const (
	depthMax         = 990       // Python's recursion limit, less what is in use when the decoder starts
	integerDigitsMax = 4300      // Python refuses to convert more
	fileBytesMax     = 512 << 20 // of questions, results or verdicts; real ones stay below a tenth of it
)

// parse decodes text as one JSON value.
func parse(text string) (any, error) {
	decoder := newDecoder(strings.NewReader(rewritten(text)))
	value, err := valueOf(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more after the value")
	}
	return value, nil
}

func newDecoder(from io.Reader) *json.Decoder {
	decoder := json.NewDecoder(from)
	decoder.UseNumber()
	return decoder
}

// notANumber is a literal that stands for NaN: nobody writes zero so.
const notANumber = "0e-99999"

var (
	// pythonOnly also finds whole texts, so that what is in them is not taken for a number.
	pythonOnly    = expression(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)
	escapes       = expression(surrogatePair + `|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.`)
	surrogatePair = `\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`
)

// suspects are in every text that may have to be rewritten.
var suspects = []string{"NaN", "Infinity", `\ud`, `\uD`}

// rewritten is a text of Python's JSON as encoding/json reads it.
func rewritten(text string) string {
	if !slices.ContainsFunc(suspects, func(part string) bool { return strings.Contains(text, part) }) {
		return text
	}
	return pythonOnly().ReplaceAllStringFunc(text, func(found string) string {
		switch found {
		case "NaN":
			return " " + notANumber + " "
		case "Infinity":
			return " 1e999 "
		case "-Infinity":
			return " -1e999 "
		}
		return escapes().ReplaceAllStringFunc(found, withoutSurrogate)
	})
}

// withoutSurrogate gives a lone surrogate a code point for private use. Other escapes stay.
func withoutSurrogate(escape string) string {
	const private = 0x10F000
	if len(escape) != len(`\ud800`) {
		return escape
	}
	unit, err := strconv.ParseUint(escape[2:], 16, 16)
	if err != nil {
		return escape
	}
	return string(rune(private + unit - 0xD800))
}

func valueOf(from *json.Decoder, depth int) (any, error) {
	if depth > depthMax {
		return nil, errors.New("nested too deeply")
	}
	token, err := from.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		return numberOf(string(token))
	case json.Delim:
		if token == '{' {
			return objectOf(from, depth)
		}
		return listOf(from, depth)
	}
	return token, nil
}

// objectOf reads on from behind the brace.
func objectOf(from *json.Decoder, depth int) (*dict, error) {
	object := newDict()
	for from.More() {
		key, err := from.Token()
		if err != nil {
			return nil, err
		}
		value, err := valueOf(from, depth+1)
		if err != nil {
			return nil, err
		}
		object.set(key.(string), value)
	}
	_, err := from.Token()
	return object, err
}

func listOf(from *json.Decoder, depth int) (any, error) {
	list := []any{}
	for from.More() {
		value, err := valueOf(from, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := from.Token()
	return list, err
}

func numberOf(literal string) (any, error) {
	switch {
	case literal == notANumber:
		return math.NaN(), nil
	case strings.ContainsAny(literal, ".eE"):
		return float(literal), nil
	}
	return integer(literal)
}

// float converts a literal that is known to be one. Out of range it is infinite or zero.
func float(literal string) float64 {
	value, _ := strconv.ParseFloat(literal, 64)
	return value
}

// integer converts a literal that is known to be one, with or without a sign.
func integer(literal string) (any, error) {
	if value, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return value, nil
	}
	if len(strings.TrimLeft(literal, "+-")) > integerDigitsMax {
		return nil, fmt.Errorf("an integer of more than %d digits", integerDigitsMax)
	}
	value, ok := new(big.Int).SetString(literal, 10)
	if !ok {
		return nil, errors.New("no integer")
	}
	return value, nil
}

// objects gives fn each object of a file, which holds objects one after the other or one list of them. It stops at the
// first error, its own or fn's; name is the file's, for errors.
func objects(name string, from io.Reader, fn func(*dict) error) error {
	raw, err := io.ReadAll(io.LimitReader(from, fileBytesMax+1))
	if err == nil && len(raw) > fileBytesMax {
		err = fmt.Errorf("more than %d bytes", fileBytesMax)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := rewritten(strings.TrimRight(string(raw), "\r\n"))
	decoder := newDecoder(strings.NewReader(text))
	for inList, isFirst := false, true; ; isFirst = false {
		token, err := decoder.Token()
		begin := decoder.InputOffset()
		switch {
		case err == io.EOF && !inList:
			return nil
		case err == io.EOF:
			err = errors.New("the list has no end")
		case err != nil:
		case token == json.Delim('[') && isFirst:
			inList = true
		case token == json.Delim(']') && inList:
			inList = false
			if decoder.More() {
				err = errors.New("more after the list")
			}
		case token == json.Delim('{'):
			err = object(decoder, fn)
		default:
			err = errors.New("expected an object")
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", name, 1+strings.Count(text[:begin], "\n"), err)
		}
	}
}

// object gives fn the object whose brace was read.
func object(from *json.Decoder, fn func(*dict) error) error {
	object, err := objectOf(from, 0)
	switch {
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return errors.New("the file ends within an object")
	case err != nil:
		return err
	}
	return fn(object)
}
