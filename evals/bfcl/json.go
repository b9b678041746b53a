package bfcl

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads JSON as Python's json module does, because that is what gave the published verdicts. The rules are:
//
//   - NaN, Infinity and -Infinity are numbers; 1e999 is infinite; an integer has any size up to integerDigitsMax.
//   - 1 and 1.0 are of different kinds.
//   - A raw control character in a string is an error; a lone surrogate is none, and stays what it is.
//   - The last of two equal keys counts.
//   - Nothing but space, tab and line ends may surround the value, no byte order mark either.

const (
	depthMax         = 990  // Python's recursion limit, less what is in use when the decoder starts
	integerDigitsMax = 4300 // Python refuses to convert more
)

// parse decodes text as one JSON value.
func parse(text string) (any, error) {
	p := parser{text: text}
	p.skipSpace()
	value, err := p.value(0)
	if err != nil {
		return nil, fmt.Errorf("at byte %d: %w", p.at, err)
	}
	p.skipSpace()
	if p.at < len(text) {
		return nil, fmt.Errorf("at byte %d: more after the value", p.at)
	}
	return value, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) && isJSONSpace(p.text[p.at]) {
		p.at++
	}
}

func isJSONSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// take skips word when it comes next.
func (p *parser) take(word string) bool {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) value(depth int) (any, error) {
	if depth > depthMax {
		return nil, errors.New("nested too deeply")
	}
	switch {
	case p.take(`"`):
		return p.string()
	case p.take("{"):
		return p.object(depth)
	case p.take("["):
		return p.list(depth)
	case p.take("null"):
		return nil, nil
	case p.take("true"):
		return true, nil
	case p.take("false"):
		return false, nil
	case p.take("NaN"):
		return math.NaN(), nil
	case p.take("Infinity"):
		return math.Inf(1), nil
	case p.take("-Infinity"):
		return math.Inf(-1), nil
	}
	return p.number()
}

func (p *parser) object(depth int) (any, error) {
	object := newDict()
	p.skipSpace()
	if p.take("}") {
		return object, nil
	}
	for {
		if !p.take(`"`) {
			return nil, errors.New("expected a key in double quotes")
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		p.skipSpace()
		if !p.take(":") {
			return nil, errors.New("expected a colon")
		}
		p.skipSpace()
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		object.set(key, value)
		p.skipSpace()
		if p.take("}") {
			return object, nil
		}
		if !p.take(",") {
			return nil, errors.New("expected a comma or the object's end")
		}
		p.skipSpace()
	}
}

func (p *parser) list(depth int) (any, error) {
	list := []any{}
	p.skipSpace()
	if p.take("]") {
		return list, nil
	}
	for {
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		p.skipSpace()
		if p.take("]") {
			return list, nil
		}
		if !p.take(",") {
			return nil, errors.New("expected a comma or the list's end")
		}
		p.skipSpace()
	}
}

// number reads what JSON calls a number; 01 is read as 0, so that the caller finds the 1 that should not be there.
func (p *parser) number() (any, error) {
	start := p.at
	p.take("-")
	if !p.take("0") && p.digits() == 0 {
		return nil, errors.New("expected a value")
	}
	end, isFloat := p.at, false
	if p.take(".") && p.digits() > 0 {
		end, isFloat = p.at, true
	}
	p.at = end
	if p.take("e") || p.take("E") {
		if !p.take("+") {
			p.take("-")
		}
		if p.digits() > 0 {
			end, isFloat = p.at, true
		}
	}
	p.at = end
	if isFloat {
		return float(p.text[start:end]), nil
	}
	return integer(p.text[start:end])
}

func (p *parser) digits() int {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - start
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

// string reads on from behind the opening quote.
func (p *parser) string() (string, error) {
	var text strings.Builder
	for {
		start := p.at
		for p.at < len(p.text) && p.text[p.at] >= ' ' && p.text[p.at] != '"' && p.text[p.at] != '\\' {
			p.at++
		}
		plain := p.text[start:p.at]
		switch {
		case p.take(`"`):
			if text.Len() == 0 {
				return plain, nil
			}
			text.WriteString(plain)
			return text.String(), nil
		case p.take(`\`):
			text.WriteString(plain)
			if err := p.escape(&text); err != nil {
				return "", err
			}
		case p.at < len(p.text):
			return "", errors.New("a raw control character in a string")
		default:
			return "", errors.New("a string without an end")
		}
	}
}

func (p *parser) escape(to *strings.Builder) error {
	if p.at == len(p.text) {
		return errors.New("a string without an end")
	}
	c := p.text[p.at]
	p.at++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		to.WriteByte("\"\\/\b\f\n\r\t"[i])
		return nil
	}
	if c != 'u' {
		return errors.New("an unknown escape")
	}
	unit, err := p.hex()
	if err != nil {
		return err
	}
	if unit>>10 == 0xD800>>10 && strings.HasPrefix(p.text[p.at:], `\u`) {
		behindFirst := p.at
		p.at += 2
		second, err := p.hex()
		if err != nil {
			return err
		}
		if second>>10 == 0xDC00>>10 {
			to.WriteRune(0x10000 + (unit-0xD800)<<10 + second - 0xDC00)
			return nil
		}
		p.at = behindFirst
	}
	writeUnit(to, unit)
	return nil
}

func (p *parser) hex() (rune, error) {
	if len(p.text)-p.at < 4 {
		return 0, errors.New(`\u without four hexadecimal digits`)
	}
	unit, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, errors.New(`\u without four hexadecimal digits`)
	}
	p.at += 4
	return rune(unit), nil
}

// writeUnit writes a code point below 0x10000. A lone surrogate, which UTF-8 has no place for, is written in three bytes
// as if it had: it then equals itself and no other text.
func writeUnit(to *strings.Builder, unit rune) {
	if utf8.ValidRune(unit) {
		to.WriteRune(unit)
		return
	}
	to.Write([]byte{0xE0 | byte(unit>>12), 0x80 | byte(unit>>6)&0x3F, 0x80 | byte(unit)&0x3F})
}
