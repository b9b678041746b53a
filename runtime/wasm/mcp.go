package wasm

// This file speaks the Model Context Protocol, as the client, with a guest that is a server: one JSON object on each
// line of its pipe. The rules are:
//   - a server is asked one thing, and is over when it has answered it;
//   - it gets to read what it may know so far; a server that waits for more than that will wait in vain, and is ended;
//   - what it asks of its client it does not get: there is no person and no model behind this one.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"chatterbox/runtime/internal/texts"
)

const (
	protocolVersion = "2025-06-18"
	lineBytesMax    = 4 << 20
	toolPagesMax    = 32 // of a list of tools
)

// session is one conversation with a server.
type session struct {
	in       *instance
	line     []byte // what has come of a line that has not ended
	waits    int    // the number of the request that is to be answered; 1 is initialize
	method   string // what is asked then
	params   string
	answered bool
	result   json.RawMessage
	refusal  string            // the error that was answered instead
	tools    []json.RawMessage // pages of tools/list
}

// message is one line.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// converse runs a server until it has answered the request. The error is the engine's.
func (in *instance) converse(method, params string) (*session, error) {
	s := &session{in: in, method: method, params: params}
	in.session = s
	s.request("initialize", `{"protocolVersion":"`+protocolVersion+
		`","capabilities":{},"clientInfo":{"name":"chatterbox","version":"1"}}`)
	return s, in.start.CallWithStack(in, in.words[:])
}

func (s *session) request(method, params string) {
	s.waits++
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.waits, method, params))
}

func (s *session) send(line string) { s.in.stdin = append(append(s.in.stdin, line...), '\n') }

// write takes what the server writes to its stdout.
func (s *session) write(b []byte) {
	for len(b) > 0 {
		s.in.mustGoOn() // one write can hold any number of lines
		part, rest, ended := bytes.Cut(b, []byte{'\n'})
		if len(s.line)+len(part) > lineBytesMax {
			s.in.fail("wrote a line of more than %d bytes", lineBytesMax)
		}
		s.line = append(s.line, part...)
		if b = rest; ended {
			s.take(s.line)
			s.line = s.line[:0]
		}
	}
}

// take reads one line.
func (s *session) take(line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	var m message
	if json.Unmarshal(line, &m) != nil {
		s.in.log.line("warn: a line on stdout is not a message of MCP: " + string(texts.Cut(line, 200)))
		return
	}
	switch {
	case m.Method != "" && m.ID != nil:
		s.in.countHost()
		s.reply(m)
	case m.Method == "notifications/message":
		s.in.log.line(loggedMessage(m.Params))
	case m.Method == "" && !s.answered && string(m.ID) == strconv.Itoa(s.waits):
		s.proceed(m)
	}
}

// reply answers a request of the server's.
func (s *session) reply(m message) {
	answer := `"error":{"code":-32601,"message":"this client has nothing of that kind"}`
	switch m.Method {
	case "ping":
		answer = `"result":{}`
	case "roots/list":
		answer = `"result":{"roots":[]}`
	}
	s.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + answer + `}`)
}

// proceed takes the answer that was waited for.
func (s *session) proceed(m message) {
	switch {
	case m.Error != nil && s.waits == 1:
		s.in.fail("does not begin to serve: %s", texts.Cut(m.Error.Message, failureBytesMax))
	case m.Error != nil:
		s.refusal = m.Error.Message
	case s.waits == 1:
		s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		s.request(s.method, s.params)
		return
	case s.method == "tools/list" && s.another(m.Result):
		return
	}
	s.answered, s.result = true, bytes.Clone(m.Result)
	leave(0)
}

// another takes a page of tools and asks for the next one, if there is one.
func (s *session) another(result json.RawMessage) bool {
	var page struct {
		Tools []json.RawMessage `json:"tools"`
		Next  string            `json:"nextCursor"`
	}
	if json.Unmarshal(result, &page) != nil {
		return false
	}
	for _, tool := range page.Tools {
		s.tools = append(s.tools, bytes.Clone(tool))
	}
	if page.Next == "" || s.waits > toolPagesMax {
		return false
	}
	cursor, _ := json.Marshal(page.Next)
	s.request(s.method, `{"cursor":`+string(cursor)+`}`)
	return true
}

// waitsInVain ends a server that waits for nothing but input when it has not answered what it was asked.
func (s *session) waitsInVain() { s.in.fail("waits for more input, and has not answered") }

// server calls a tool of a server. The error is the engine's.
func (in *instance) server(call *Call) (Result, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, appendEnvelope(in.buffer[:0], call)); err != nil {
		return Result{Fault: Refused, Message: "cannot be given arguments that are not JSON"}, nil
	}
	s, err := in.converse("tools/call", line.String())
	switch {
	case err != nil && !in.left(err):
		return Result{}, err
	case s.refusal != "":
		return failedTool(s.refusal, in.stdout.max), nil
	case !s.answered:
		return Result{Fault: BadOutput, Message: "ended without an answer" + in.log.last()}, err
	}
	return toolResult(s.result, in.stdout.max), err
}

// describeServer answers the manifest that a server's list of tools comes to.
func (in *instance) describeServer() ([]byte, error) {
	s, err := in.converse("tools/list", "{}")
	switch {
	case err != nil && !in.left(err):
		_, message := in.fault(err)
		return nil, refuse("does not list its tools: it %s", message)
	case s.refusal != "":
		return nil, refuse("does not list its tools: %s", texts.Cut(s.refusal, failureBytesMax))
	case !s.answered:
		return nil, refuse("does not list its tools: it ended without an answer%s", in.log.last())
	}
	return describedTools(s.tools)
}
