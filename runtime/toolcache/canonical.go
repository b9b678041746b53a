package toolcache

import (
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"
)

// This file writes JSON in the one form that equal values share: no white space, members sorted by name, strings with the
// fewest escapes, numbers by value. 5, 5.0 and 5e0 are one; integers keep every digit however many they have.

// errNotCanonical is returned for text that is not JSON, and for JSON that two readers could understand differently:
// duplicate members, half a surrogate pair, bytes that are not UTF-8. Nothing is cached for it.
var errNotCanonical = errors.New("no canonical form")

const (
	depthMax         = 64
	plainDigitsMax   = 40 // an integer of more digits is written with an exponent
	exponentDigitMax = 9
)

// canonicalizer appends canonical JSON to out. It is reused, so that a call allocates nothing.
type canonicalizer struct {
	text    string
	pos     int
	out     []byte
	members []member // of all objects that are open
	scratch []byte
}

// member is where one member of an object stands in out.
type member struct{ start, nameEnd, end int }

// append writes the canonical form of text behind what out holds.
func (c *canonicalizer) append(text string) error {
	c.text, c.pos, c.members = text, 0, c.members[:0]
	if err := c.value(0); err != nil {
		return err
	}
	c.space()
	if c.pos != len(c.text) {
		return errNotCanonical
	}
	return nil
}

func (c *canonicalizer) space() {
	for c.pos < len(c.text) {
		switch c.text[c.pos] {
		case ' ', '\t', '\n', '\r':
			c.pos++
		default:
			return
		}
	}
}

// next skips white space and gives the byte there, 0 at the end.
func (c *canonicalizer) next() byte {
	c.space()
	if c.pos == len(c.text) {
		return 0
	}
	return c.text[c.pos]
}

func (c *canonicalizer) take(b byte) bool {
	if c.next() != b {
		return false
	}
	c.pos++
	return true
}

func (c *canonicalizer) value(depth int) error {
	if depth > depthMax {
		return errNotCanonical
	}
	switch b := c.next(); b {
	case '{':
		return c.object(depth)
	case '[':
		return c.array(depth)
	case '"':
		return c.string()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	default:
		return c.number()
	}
}

func (c *canonicalizer) word(word string) error {
	if len(c.text)-c.pos < len(word) || c.text[c.pos:c.pos+len(word)] != word {
		return errNotCanonical
	}
	c.pos += len(word)
	c.out = append(c.out, word...)
	return nil
}

func (c *canonicalizer) array(depth int) error {
	c.pos++
	c.out = append(c.out, '[')
	if !c.take(']') {
		for {
			if err := c.value(depth + 1); err != nil {
				return err
			}
			if c.take(']') {
				break
			}
			if !c.take(',') {
				return errNotCanonical
			}
			c.out = append(c.out, ',')
		}
	}
	c.out = append(c.out, ']')
	return nil
}

func (c *canonicalizer) object(depth int) error {
	c.pos++
	start, first := len(c.out), len(c.members)
	c.out = append(c.out, '{')
	sorted := true
	for more := !c.take('}'); more; {
		m := member{start: len(c.out)}
		if c.next() != '"' {
			return errNotCanonical
		}
		if err := c.string(); err != nil {
			return err
		}
		m.nameEnd = len(c.out)
		if !c.take(':') {
			return errNotCanonical
		}
		c.out = append(c.out, ':')
		if err := c.value(depth + 1); err != nil {
			return err
		}
		c.out = append(c.out, ',')
		m.end = len(c.out)
		if sorted && len(c.members) > first {
			sorted = c.order(c.members[len(c.members)-1], m) < 0
		}
		c.members = append(c.members, m)
		if more = !c.take('}'); more && !c.take(',') {
			return errNotCanonical
		}
	}
	members := c.members[first:]
	c.members = c.members[:first]
	if !sorted {
		if err := c.sort(start+1, members); err != nil {
			return err
		}
	}
	if len(members) > 0 {
		c.out = c.out[:len(c.out)-1] // the last comma
	}
	c.out = append(c.out, '}')
	return nil
}

func (c *canonicalizer) order(a, b member) int {
	return slices.Compare(c.out[a.start:a.nameEnd], c.out[b.start:b.nameEnd])
}

// sort puts the members, which stand in out from start to its end, in the order of their names.
func (c *canonicalizer) sort(start int, members []member) error {
	slices.SortFunc(members, c.order)
	c.scratch = c.scratch[:0]
	for i, m := range members {
		if i > 0 && c.order(members[i-1], m) == 0 {
			return errNotCanonical
		}
		c.scratch = append(c.scratch, c.out[m.start:m.end]...)
	}
	c.out = append(c.out[:start], c.scratch...)
	return nil
}

func (c *canonicalizer) string() error {
	c.pos++
	c.out = append(c.out, '"')
	for c.pos < len(c.text) {
		switch b := c.text[c.pos]; {
		case b == '"':
			c.pos++
			c.out = append(c.out, '"')
			return nil
		case b == '\\':
			r, err := c.escape()
			if err != nil {
				return err
			}
			c.rune(r)
		case b < ' ':
			return errNotCanonical
		case b < utf8.RuneSelf:
			c.out = append(c.out, b)
			c.pos++
		default:
			r, size := utf8.DecodeRuneInString(c.text[c.pos:])
			if r == utf8.RuneError && size == 1 {
				return errNotCanonical
			}
			c.out = append(c.out, c.text[c.pos:c.pos+size]...)
			c.pos += size
		}
	}
	return errNotCanonical
}

// rune writes a character that was escaped.
func (c *canonicalizer) rune(r rune) {
	const hex = "0123456789abcdef"
	switch {
	case r == '"' || r == '\\':
		c.out = append(c.out, '\\', byte(r))
	case r < ' ':
		c.out = append(c.out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
	default:
		c.out = utf8.AppendRune(c.out, r)
	}
}

func (c *canonicalizer) escape() (rune, error) {
	if c.pos+1 >= len(c.text) {
		return 0, errNotCanonical
	}
	b := c.text[c.pos+1]
	c.pos += 2
	switch b {
	case '"', '\\', '/':
		return rune(b), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return c.unicode()
	}
	return 0, errNotCanonical
}

// unicode reads what follows \u, and the second half of a surrogate pair with it.
func (c *canonicalizer) unicode() (rune, error) {
	r, err := c.hex4()
	switch {
	case err != nil:
		return 0, err
	case r < 0xd800 || r > 0xdfff:
		return r, nil
	case r > 0xdbff || len(c.text)-c.pos < 6 || c.text[c.pos:c.pos+2] != `\u`:
		return 0, errNotCanonical
	}
	c.pos += 2
	low, err := c.hex4()
	if err != nil || low < 0xdc00 || low > 0xdfff {
		return 0, errNotCanonical
	}
	return (r-0xd800)<<10 | (low - 0xdc00) + 0x10000, nil
}

func (c *canonicalizer) hex4() (rune, error) {
	if len(c.text)-c.pos < 4 {
		return 0, errNotCanonical
	}
	var r rune
	for _, b := range []byte(c.text[c.pos : c.pos+4]) {
		switch {
		case '0' <= b && b <= '9':
			r = r<<4 | rune(b-'0')
		case 'a' <= b|0x20 && b|0x20 <= 'f':
			r = r<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, errNotCanonical
		}
	}
	c.pos += 4
	return r, nil
}

// number writes the value as sign, digits without zeros at either end, and a power of ten; an integer that is not too
// long plainly.
func (c *canonicalizer) number() error {
	n, err := c.readNumber()
	if err != nil {
		return err
	}
	digits := c.scratch[:0]
	digits = append(append(digits, n.whole...), n.fraction...)
	c.scratch = digits
	exponent := n.exponent - len(n.fraction)
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	if len(digits) == 0 {
		c.out = append(c.out, '0')
		return nil
	}
	if n.negative {
		c.out = append(c.out, '-')
	}
	c.out = append(c.out, digits...)
	if exponent >= 0 && len(digits)+exponent <= plainDigitsMax {
		for range exponent {
			c.out = append(c.out, '0')
		}
		return nil
	}
	c.out = strconv.AppendInt(append(c.out, 'e'), int64(exponent), 10)
	return nil
}

type number struct {
	negative        bool
	whole, fraction string
	exponent        int
}

func (c *canonicalizer) readNumber() (n number, err error) {
	if n.negative = c.pos < len(c.text) && c.text[c.pos] == '-'; n.negative {
		c.pos++
	}
	if n.whole = c.digits(); n.whole == "" || len(n.whole) > 1 && n.whole[0] == '0' {
		return n, errNotCanonical
	}
	if c.pos < len(c.text) && c.text[c.pos] == '.' {
		c.pos++
		if n.fraction = c.digits(); n.fraction == "" {
			return n, errNotCanonical
		}
	}
	if c.pos < len(c.text) && c.text[c.pos]|0x20 == 'e' {
		c.pos++
		sign := 1
		if c.pos < len(c.text) && (c.text[c.pos] == '-' || c.text[c.pos] == '+') {
			if c.text[c.pos] == '-' {
				sign = -1
			}
			c.pos++
		}
		digits := c.digits()
		if digits == "" || len(digits) > exponentDigitMax {
			return n, errNotCanonical
		}
		value, err := strconv.Atoi(digits)
		if err != nil {
			return n, errNotCanonical
		}
		n.exponent = sign * value
	}
	return n, nil
}

func (c *canonicalizer) digits() string {
	start := c.pos
	for c.pos < len(c.text) && '0' <= c.text[c.pos] && c.text[c.pos] <= '9' {
		c.pos++
	}
	return c.text[start:c.pos]
}
