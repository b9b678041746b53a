package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"chatterbox/loop"
)

// body is a response body as go-openai reads it.
type body struct {
	transport *transport
	raw       io.ReadCloser
	events    *eventReader
	detach    func() bool // from the caller's context; false when that has ended
	cancel    func()      // ends the request
	once      sync.Once
}

func (b *body) Read(p []byte) (int, error) { return b.events.Read(p) }

// Close ends the request. After [DONE] the rest of the body is still read, in the background, since a connection can
// be used again only when its response was read to the end, and servers send that end a moment after [DONE].
func (b *body) Close() (err error) {
	b.once.Do(func() {
		if b.detach() && b.events != nil && b.events.done && b.drain() {
			return
		}
		err = b.raw.Close()
		b.cancel()
	})
	return err
}

// drain reports whether it takes care of the body.
func (b *body) drain() bool {
	select {
	case b.transport.slots <- struct{}{}:
	default:
		return false
	}
	b.transport.drains.Go(func() {
		defer func() { <-b.transport.slots }()
		defer b.cancel()
		defer b.raw.Close()                          //nolint:errcheck // nobody is left to tell
		timer := time.AfterFunc(drainTime, b.cancel) // which makes Read return
		defer timer.Stop()
		io.CopyN(io.Discard, b.raw, drainBytes) //nolint:errcheck // an error costs the connection and nothing else
	})
	return true
}

// eventsMax bounds the events of one stream, of which each costs more time than its bytes tell.
const eventsMax = 50_000

// brokeOff is the end of a stream before [DONE].
func brokeOff() *loop.Error {
	return &loop.Error{Kind: loop.KindConnection, Message: "the model server's stream broke off"}
}

// eventReader reads a stream of events and gives only what go-openai understands: one line per event and [DONE].
// Comments, event names and empty lines are left out, so a flood of them is neither kept nor taken for progress.
type eventReader struct {
	from   *bufio.Reader
	max    int // bytes of one line
	events int
	ready  []byte
	done   bool // [DONE] was read
	named  bool // the current event is called error
	err    error
}

func newEventReader(from io.Reader, max int) *eventReader {
	return &eventReader{from: bufio.NewReader(from), max: max}
}

func (e *eventReader) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// peek is the first byte that is no white space, 0 at the end.
func (e *eventReader) peek() (byte, error) {
	for {
		c, err := e.from.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // the last three are a byte order mark
		default:
			return c, e.from.UnreadByte()
		}
	}
}

// rest reads all that is left, as something that is no stream of events.
func (e *eventReader) rest() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(e.from, int64(e.max)+1))
	if err == nil && len(data) > e.max {
		err = tooLarge("one piece")
	}
	return data, err
}

// replace makes data the whole content.
func (e *eventReader) replace(data string) {
	e.ready, e.err, e.done = []byte(data), io.EOF, true
}

// next reads one line.
func (e *eventReader) next() {
	line, err := e.line()
	if err != nil {
		e.err = err
		if !errors.Is(err, io.EOF) {
			return
		}
		e.err = brokeOff()
		if half := bytes.TrimPrefix(line, []byte("data:")); !json.Valid(half) && !bytes.Contains(half, []byte("[DONE]")) {
			return
		}
	}
	line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\uFEFF"))
	data, isData := bytes.CutPrefix(line, []byte("data:"))
	switch {
	case len(line) == 0:
		e.named = false
		return
	case isData:
		data = bytes.TrimSpace(data)
	case line[0] == '{': // an event without its prefix
		data = line
	case bytes.HasPrefix(line, []byte("event:")):
		e.named = string(bytes.TrimSpace(line[len("event:"):])) == "error"
		return
	default:
		return
	}
	switch {
	case string(data) == "[DONE]":
		e.done, e.err = true, io.EOF
		e.ready = append(e.ready[:0], "data: [DONE]\n"...)
	case len(data) == 0:
	case e.events == eventsMax:
		e.err = tooLarge(fmt.Sprintf("more than %d events", eventsMax))
	case e.named || isError(data):
		e.err = errorFromBody(200, data)
	default:
		e.events++
		e.ready = append(e.ready[:0], "data: "...)
		if bytes.HasPrefix(data, []byte(`{"error":`)) {
			e.ready, data = append(e.ready, "{ "...), data[1:] // go-openai takes lines that begin so for errors
		}
		e.ready = append(append(e.ready, data...), '\n')
	}
}

// isError reports whether an event is an error instead of a piece of the answer.
func isError(data []byte) bool {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return false
	}
	var event struct {
		Error json.RawMessage `json:"error"`
	}
	return json.Unmarshal(data, &event) == nil && hasError(event.Error)
}

// line reads up to the end of a line. The result is valid until the next call.
func (e *eventReader) line() ([]byte, error) {
	line, err := e.from.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := append([]byte(nil), line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(long) > e.max {
			return nil, tooLarge("one event")
		}
		line, err = e.from.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}
