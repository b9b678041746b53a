package wasm

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// withElements is a module whose only function stands n times in a table, as that of a big program has each of its own.
func withElements(n int) []byte {
	number := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	section := func(id byte, parts ...[]byte) []byte {
		content := bytes.Join(parts, nil)
		return append(append([]byte{id}, number(len(content))...), content...)
	}
	return bytes.Join([][]byte{
		[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{1, 0x60, 0, 0}),
		section(3, []byte{1, 0}),
		section(4, []byte{1, 0x70, 0}, number(tableStartMax)),
		section(5, []byte{1, 0, 1}),
		section(7, []byte("\x02\x06memory\x02\x00\x06_start\x00\x00")),
		section(9, []byte{1, 0, 0x41, 0, 0x0b}, number(n), make([]byte, n)),
		section(10, []byte{1, 2, 0, 0x0b}),
	}, nil)
}

// TestAListOfElementsMayFillTheLargestTable holds that what a table can start with can also be put into it.
func TestAListOfElementsMayFillTheLargestTable(t *testing.T) {
	for n, want := range map[int]string{tableStartMax: "", tableStartMax + 1: "elements: 32769 of them; the limit is 32768"} {
		m, err := admit(withElements(n))
		if err == nil {
			_, err = instrument(m)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d elements: %v, want %q", n, err, want)
		}
	}
}
