package toolcall

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads Python literals, which several families of models write in place of JSON: strings in either quotes,
// numbers, True, False, None, lists and dicts with strings as keys, and the words of JSON among them. Nothing else is
// one: names, expressions, tuples, calls and strings set side by side are refused, because running them would be a
// guess.

const literalDepthMax = 64

// literal reads the value that text begins with and gives it as JSON.
func literal(text string) (value, after string, ok bool) {
	l := literalReader{in: text}
	if !l.value(0) {
		return "", "", false
	}
	return string(l.out), l.in, true
}

// literalReader writes what it reads as JSON. Its methods say whether they could read.
type literalReader struct {
	in  string // what is left
	out []byte
}

func (l *literalReader) skip() { l.in = strings.TrimLeft(l.in, space) }

// take drops one byte if it is next.
func (l *literalReader) take(b byte) bool {
	if l.in == "" || l.in[0] != b {
		return false
	}
	l.in = l.in[1:]
	return true
}

var literalWords = []struct{ written, value string }{
	{"True", "true"}, {"False", "false"}, {"None", "null"}, {"true", "true"}, {"false", "false"}, {"null", "null"},
}

func (l *literalReader) value(depth int) bool {
	l.skip()
	if l.in == "" || depth > literalDepthMax {
		return false
	}
	switch l.in[0] {
	case '\'', '"':
		text, ok := l.text()
		l.quote(text)
		return ok
	case '[':
		return l.sequence('[', ']', func() bool { return l.value(depth + 1) })
	case '{':
		return l.sequence('{', '}', func() bool { return l.pair(depth + 1) })
	}
	for _, word := range literalWords {
		if after, found := strings.CutPrefix(l.in, word.written); found && (after == "" || !nameByte(after[0])) {
			l.in, l.out = after, append(l.out, word.value...)
			return true
		}
	}
	return l.number()
}

// sequence reads members between brackets; a comma may stand behind the last.
func (l *literalReader) sequence(open, closing byte, member func() bool) bool {
	l.take(open)
	l.out = append(l.out, open)
	for count := 0; ; count++ {
		l.skip()
		if l.take(closing) {
			l.out = append(l.out, closing)
			return true
		}
		if count > 0 {
			l.out = append(l.out, ',')
		}
		if !member() {
			return false
		}
		l.skip()
		if !l.take(',') && !strings.HasPrefix(l.in, string(closing)) {
			return false
		}
	}
}

func (l *literalReader) pair(depth int) bool {
	l.skip()
	if l.in == "" || l.in[0] != '\'' && l.in[0] != '"' {
		return false
	}
	key, ok := l.text()
	l.quote(key)
	l.skip()
	if !ok || !l.take(':') {
		return false
	}
	l.out = append(l.out, ':')
	return l.value(depth)
}

func (l *literalReader) quote(text string) {
	l.out = append(l.out, Encode(text)...)
}

// text reads a string on one line.
func (l *literalReader) text() (string, bool) {
	quote := l.in[0]
	in := l.in[1:]
	var out strings.Builder
	for {
		at := strings.IndexAny(in, "\\\n\r"+string(quote))
		if at < 0 || in[at] == '\n' || in[at] == '\r' {
			return "", false
		}
		out.WriteString(in[:at])
		if in[at] == quote {
			l.in = in[at+1:]
			text := out.String()
			return text, utf8.ValidString(text)
		}
		in = in[at+1:]
		if in == "" {
			return "", false
		}
		r, after, ok := unescaped(in)
		if !ok {
			return "", false
		}
		out.WriteRune(r)
		in = after
	}
}

// unescaped reads what follows a backslash.
func unescaped(in string) (r rune, after string, ok bool) {
	if strings.IndexByte(`'"/`, in[0]) >= 0 {
		return rune(in[0]), in[1:], true
	}
	r, _, after, err := strconv.UnquoteChar(`\`+in, 0)
	return r, after, err == nil
}

// number reads a number; a point may stand at its beginning or its end.
func (l *literalReader) number() bool {
	end := 0
	for end < len(l.in) && strings.IndexByte("+-.0123456789eE", l.in[end]) >= 0 {
		end++
	}
	text := l.in[:end]
	if end < len(l.in) && nameByte(l.in[end]) {
		return false
	}
	if !json.Valid([]byte(text)) {
		sign, bare := "", text
		if after, negative := strings.CutPrefix(text, "-"); negative {
			sign, bare = "-", after
		}
		if strings.HasPrefix(bare, ".") {
			bare = "0" + bare
		}
		if strings.HasSuffix(bare, ".") {
			bare += "0"
		}
		text = sign + bare
	}
	if !json.Valid([]byte(text)) {
		return false
	}
	l.in, l.out = l.in[end:], append(l.out, text...)
	return true
}

func nameByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b >= utf8.RuneSelf
}
