package worker

// This file is the form of what goes through the pipe between a server and its worker: frames of a kind, a length and a
// payload. The server takes a worker for hostile: nothing is allocated for a length that its reader did not allow.

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// The kinds of frames.
const (
	frameSetup    = 's' // server: what the worker is for; the first
	frameReady    = 'r' // worker: the walls that it stands behind
	frameLoad     = 'l' // server: a module; answered by a compile worker only
	frameLoaded   = 'L' // compile worker: whether it compiled
	frameDrop     = 'd' // server: a module that is not called again
	frameCall     = 'c' // server: a call, or the question for a manifest
	frameRequest  = 'q' // worker: the guest calls a host function
	frameAnswer   = 'a' // server: what that came to
	frameResult   = 'R' // worker: what the call came to
	frameHeader   = 5
	frameBytesMax = 64 << 20 // of what a worker takes; a module is the largest
)

var errFrame = errors.New("the other side does not keep to the protocol")

// frames reads frames. A payload is valid until the next one is read.
type frames struct {
	from   *bufio.Reader
	buffer []byte
}

func newFrames(from io.Reader) *frames { return &frames{from: bufio.NewReaderSize(from, 16<<10)} }

// next reads a frame whose payload has at most limit bytes.
func (f *frames) next(limit int) (kind byte, payload []byte, err error) {
	header, err := f.from.Peek(frameHeader)
	if err != nil {
		return 0, nil, err
	}
	kind = header[0]
	length := int64(binary.LittleEndian.Uint32(header[1:]))
	if length > int64(limit) {
		return 0, nil, fmt.Errorf("%w: a frame of %d bytes, at most %d were expected", errFrame, length, limit)
	}
	_, _ = f.from.Discard(frameHeader)
	if int64(cap(f.buffer)) < length {
		f.buffer = make([]byte, length)
	}
	payload = f.buffer[:length]
	_, err = io.ReadFull(f.from, payload)
	return kind, payload, err
}

// shrink gives a buffer back that one large frame needed.
func (f *frames) shrink() {
	if cap(f.buffer) > 64<<10 {
		f.buffer = nil
	}
}

// message builds frames one behind the other.
type message struct {
	bytes []byte
	begin int // of the frame that is being built
}

func (m *message) open(kind byte) {
	m.begin = len(m.bytes)
	m.bytes = append(m.bytes, kind, 0, 0, 0, 0)
}

func (m *message) close() { m.closeBefore(0) }

// closeBefore ends a frame whose last bytes are sent after the message.
func (m *message) closeBefore(bytes int) {
	binary.LittleEndian.PutUint32(m.bytes[m.begin+1:], uint32(len(m.bytes)-m.begin-frameHeader+bytes))
}

// send writes the frames, and keeps the room for others unless it is large.
func (m *message) send(to io.Writer) error {
	_, err := to.Write(m.bytes)
	m.bytes = m.bytes[:0]
	if cap(m.bytes) > 256<<10 {
		m.bytes = nil
	}
	return err
}

func (m *message) number(n int64) { m.bytes = binary.AppendVarint(m.bytes, n) }

func (m *message) flag(set bool) {
	if set {
		m.number(1)
	} else {
		m.number(0)
	}
}

func (m *message) data(b []byte) {
	m.number(int64(len(b)))
	m.bytes = append(m.bytes, b...)
}

func (m *message) text(s string) {
	m.number(int64(len(s)))
	m.bytes = append(m.bytes, s...)
}

// fields reads a payload. The first failure stays.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) number() int64 {
	n, length := binary.Varint(f.rest)
	if length <= 0 {
		f.rest, f.err = nil, errFrame
		return 0
	}
	f.rest = f.rest[length:]
	return n
}

func (f *fields) flag() bool { return f.number() != 0 }

// data is a view of the payload.
func (f *fields) data() []byte {
	n := f.number()
	if n < 0 || n > int64(len(f.rest)) {
		f.rest, f.err = nil, errFrame
		return nil
	}
	b := f.rest[:n:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) text() string { return string(f.data()) }

func (f *fields) duration() time.Duration { return time.Duration(f.number()) }

// end says whether all was read and nothing was wrong.
func (f *fields) end() error {
	if f.err == nil && len(f.rest) > 0 {
		f.err = errFrame
	}
	return f.err
}
