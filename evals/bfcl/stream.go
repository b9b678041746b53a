package bfcl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// valueBytesMax bounds one question, one result and one verdict. Real ones stay below a megabyte.
const valueBytesMax = 64 << 20

// objects gives fn each object of a file, which holds one object a line or one list of objects, with the line it begins
// on. Only one object is in memory at a time. It stops at the first error, its own or fn's.
func objects(from io.Reader, fn func(line int, object *dict) error) error {
	s := scanner{from: bufio.NewReaderSize(from, 64<<10), line: 1}
	first, err := s.next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	list := first == '['
	if !list {
		_ = s.from.UnreadByte() // cannot fail right after a read
	}
	for {
		line, raw, err := s.object(list)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		value, err := parse(string(raw))
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if err := fn(line, value.(*dict)); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

type scanner struct {
	from *bufio.Reader
	line int
	raw  bytes.Buffer
}

// next is the next byte that is no space.
func (s *scanner) next() (byte, error) {
	for {
		c, err := s.from.ReadByte()
		if err != nil {
			return 0, err
		}
		if c == '\n' {
			s.line++
		}
		if !isJSONSpace(c) {
			return c, nil
		}
	}
}

// object finds the next object's text by its braces, and the line it begins on. It ends with io.EOF behind the last one.
func (s *scanner) object(inList bool) (line int, raw []byte, err error) {
	c, err := s.next()
	if inList && err == nil && c == ',' {
		c, err = s.next()
	}
	switch {
	case err == io.EOF && inList:
		return s.line, nil, errors.New("the list has no end")
	case err != nil:
		return s.line, nil, err
	case c == ']' && inList:
		if _, err := s.next(); err == nil {
			return s.line, nil, errors.New("more after the list")
		}
		return 0, nil, io.EOF
	case c != '{':
		return s.line, nil, fmt.Errorf("expected an object, found %q", c)
	}
	line = s.line
	s.raw.Reset()
	depth, inString, escaped := 0, false, false
	for {
		s.raw.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case c == '\\' && inString:
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if depth == 0 {
			return line, s.raw.Bytes(), nil
		}
		if s.raw.Len() == valueBytesMax {
			return line, nil, fmt.Errorf("an object of more than %d bytes", valueBytesMax)
		}
		if c, err = s.from.ReadByte(); err == io.EOF {
			return line, nil, errors.New("the file ends within an object")
		} else if err != nil {
			return line, nil, err
		}
		if c == '\n' {
			s.line++
		}
	}
}
