package wasm

import (
	"errors"
	"unicode/utf8"
)

// errShort is what a reader stops with when the bytes end before the value does, or a number is too long.
var errShort = errors.New("ends in the middle of a value")

// reader takes the values of the WebAssembly binary format from a slice, front to back. After the first failure err
// stays set and every method answers zero, so a caller checks once at the end of a group of values.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errShort
	}
	r.at = len(r.b)
}

func (r *reader) done() bool { return r.at >= len(r.b) }

func (r *reader) byte() byte {
	if r.at >= len(r.b) {
		r.fail()
		return 0
	}
	c := r.b[r.at]
	r.at++
	return c
}

// bytes takes n bytes; the slice aliases the input.
func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)-r.at) {
		r.fail()
		return nil
	}
	taken := r.b[r.at : r.at+int(n)]
	r.at += int(n)
	return taken
}

// u32 takes an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	var value uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		value |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if value > 1<<32-1 {
				break
			}
			return uint32(value)
		}
	}
	r.fail()
	return 0
}

// s64 takes a signed LEB128 number of at most 64 bits. Block types and constants are read with it; the engine's own
// validation looks at their exact width.
func (r *reader) s64() int64 {
	var value int64
	for shift := 0; shift < 70; shift += 7 {
		c := r.byte()
		value |= int64(c&0x7f) << shift
		if c < 0x80 {
			if c&0x40 != 0 && shift+7 < 64 {
				value |= -1 << (shift + 7)
			}
			return value
		}
	}
	r.fail()
	return 0
}

// count takes a vector's length. Each element takes at least one byte, so a length beyond the bytes left is a lie that
// must not be allocated for.
func (r *reader) count() uint32 {
	n := r.u32()
	if uint64(n) > uint64(len(r.b)-r.at) {
		r.fail()
		return 0
	}
	return n
}

func (r *reader) name() string {
	text := r.bytes(r.u32())
	if !utf8.Valid(text) {
		r.fail()
		return ""
	}
	return string(text)
}

func appendU32(b []byte, value uint32) []byte {
	for value >= 0x80 {
		b = append(b, byte(value)|0x80)
		value >>= 7
	}
	return append(b, byte(value))
}

func appendS32(b []byte, value int32) []byte {
	for {
		c := byte(value & 0x7f)
		value >>= 7
		if value == 0 && c&0x40 == 0 || value == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, name string) []byte {
	return append(appendU32(b, uint32(len(name))), name...)
}
