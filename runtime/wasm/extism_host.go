package wasm

// This file is what an extism plugin reaches through its kernel: configuration, variables and HTTP.

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/sys"
)

// fail ends the guest's call from inside a host function with a sentence about it.
func (in *instance) fail(format string, args ...any) {
	in.failure = fmt.Sprintf(format, args...)
	leave(sys.ExitCodeContextCanceled)
}

// countHost counts a host function and ends the call of a plugin that uses too many: extism has no way to say so.
func (in *instance) countHost() {
	in.mustGoOn()
	if in.hostCalls++; in.hostCalls > hostCallsMax {
		in.fail("used more than %d host functions", hostCallsMax)
	}
}

// newBlock is a block of the kernel, or 0 when the plugin has no room for it.
func (in *instance) newBlock(length uint64) uint64 {
	at := in.kernel.alloc(length)
	if at == 0 && length > 0 {
		in.linear.denied = true
	}
	return at
}

// keep puts bytes into a new block. No bytes need none.
func (in *instance) keep(b []byte) uint64 {
	at := in.newBlock(uint64(len(b)))
	copy(in.kernel.bytes(at, uint64(len(b))), b)
	return at
}

// taken is a copy of what a host function was given, whose block it frees.
func (in *instance) taken(at uint64) []byte {
	in.countHost()
	k := in.kernel
	length := k.length(at)
	if length > hostInputMax {
		in.fail("gave a host function %d bytes; the limit is %d", length, hostInputMax)
	}
	given := append([]byte(nil), k.bytes(at, length)...)
	k.free(at)
	return given
}

func (in *instance) configGet(s []uint64) {
	in.countHost()
	k := in.kernel
	s[0] = in.keep([]byte(k.config[string(k.bytes(s[0], k.length(s[0])))]))
}

// asked lets the Host answer, and ends the call where it cannot be understood.
func (in *instance) asked(function string, input, answer any) {
	if in.host == nil {
		in.fail("uses %s, which is not available here", function)
	}
	question, err := json.Marshal(input)
	if err == nil {
		err = json.Unmarshal(in.askHost(function, question), answer)
	}
	in.mustGoOn()
	if err != nil {
		in.hostFailed = fmt.Sprintf("%s: %v", function, err)
		leave(sys.ExitCodeContextCanceled)
	}
}

// either is how bytes travel: as text, or as base64 where they are not UTF-8.
func either(member string, b []byte) (string, any) {
	if utf8.Valid(b) {
		return member, string(b)
	}
	return member + "_base64", base64.StdEncoding.EncodeToString(b)
}

// whichever is the way back.
func whichever(text, encoded string) []byte {
	if encoded == "" {
		return []byte(text)
	}
	b, _ := base64.StdEncoding.DecodeString(encoded)
	return b
}

func (in *instance) varGet(s []uint64) {
	k, name := in.kernel, string(in.taken(s[0]))
	value, ok := k.vars[name]
	if !ok && !k.noKV && in.host != nil {
		var answer struct {
			Value  string `json:"value"`
			Base64 string `json:"value_base64"`
			Error  string `json:"error"`
		}
		in.asked("kv_get", map[string]string{"key": name}, &answer)
		k.noKV = answer.Error != ""
		value = whichever(answer.Value, answer.Base64)
	}
	s[0] = in.keep(value)
}

// varSet keeps a value for the rest of the call, and in kv where the tool has that.
func (in *instance) varSet(s []uint64) {
	k, name := in.kernel, string(in.taken(s[0]))
	var value []byte
	question := map[string]any{"key": name, "value": nil}
	if s[1] != 0 {
		value = in.taken(s[1])
		delete(question, "value")
		member, content := either("value", value)
		question[member] = content
	}
	size := len(name) + len(value)
	for other, kept := range k.vars {
		if other != name {
			size += len(other) + len(kept)
		}
	}
	if size > varBytesMax {
		in.fail("keeps more than %d bytes of variables", varBytesMax)
	}
	if k.vars == nil {
		k.vars = map[string][]byte{}
	}
	k.vars[name] = value
	if k.noKV || in.host == nil {
		return
	}
	var answer struct {
		Error string `json:"error"`
	}
	if in.asked("kv_set", question, &answer); answer.Error != "" {
		k.noKV = true
		in.log.line("info: variables last for this call only: " + answer.Error)
	}
}

const varBytesMax = 1 << 20

// extismRequest makes a request through the Host. As with extism's own hosts, one that fails ends the call.
func (in *instance) extismRequest(s []uint64) {
	k := in.kernel
	k.status, k.headers = 0, nil
	var asked struct {
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	if json.Unmarshal(in.taken(s[0]), &asked) != nil {
		in.fail("made an HTTP request that is not one")
	}
	request := map[string]any{"url": asked.URL}
	if asked.Method != "" {
		request["method"] = strings.ToUpper(asked.Method)
	}
	if len(asked.Headers) > 0 {
		request["headers"] = asked.Headers
	}
	if s[1] != 0 {
		member, body := either("body", in.taken(s[1]))
		request[member] = body
	}
	var answer struct {
		Status     int             `json:"status"`
		Headers    json.RawMessage `json:"headers"`
		Body       string          `json:"body"`
		BodyBase64 string          `json:"body_base64"`
		Error      string          `json:"error"`
	}
	in.asked("http_request", request, &answer)
	if answer.Error != "" {
		in.fail("could not make its HTTP request: %s", answer.Error)
	}
	k.status, k.headers = answer.Status, answer.Headers
	s[0] = in.keep(whichever(answer.Body, answer.BodyBase64))
}

func (in *instance) extismHeaders(s []uint64) {
	in.countHost()
	s[0] = in.keep(in.kernel.headers)
}
