package wasm

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/sys"
)

// FuzzSession lets a server write anything: the client neither fails nor reads more than a line may have, and a result
// is always one that a tool may have.
func FuzzSession(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"id":2,"result":{"content":[{"type":"text","text":"x"}]}}`,
		`{"id":1,"error":{"message":"no"}}`, `{"id":[],"method":"ping"}`, `{"method":"notifications/message","params":{"level":"a"}}`,
		`{"id":1,"result":{}}` + "\n" + `{"id":2,"result":{"tools":[null],"nextCursor":"a"}}` + "\n" + `{"id":3,"result":{"tools":[]}}`,
		"not JSON", "null", "[]", `{"id":1,"result":{}}` + "\n" + `{"id":2,"error":{}}`,
	} {
		f.Add([]byte(line), true)
		f.Add([]byte(line), false)
	}
	f.Fuzz(func(t *testing.T, written []byte, lists bool) {
		in := &instance{Context: t.Context(), deadline: time.Now().Add(time.Minute), abi: MCPStdio}
		in.log.max = 1 << 10
		method := "tools/call"
		if lists {
			method = "tools/list"
		}
		s := &session{in: in, method: method, params: "{}"}
		s.request("initialize", "{}")
		ended := writes(t, s, append(written, '\n'))
		for line := range strings.Lines(string(in.stdin)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("sent %q", line)
			}
		}
		if s.answered != (ended && in.failure == "") || s.answered && s.waits < 2 {
			t.Errorf("answered is %v, ended %v, failure %q", s.answered, ended, in.failure)
		}
		if r := toolResult(s.result, 100); r.Fault == NoFault && (len(r.Output) > 100 || !utf8.Valid(r.Output)) {
			t.Errorf("result %q", r.Output)
		}
		if manifest, err := describedTools(s.tools); err == nil && !json.Valid(manifest) {
			t.Errorf("manifest %s", manifest)
		}
	})
}

// writes writes, and says whether that ended the call.
func writes(t *testing.T, s *session, b []byte) (ended bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sys.ExitError:
			ended = true
		default:
			t.Errorf("panicked with %v", r)
		}
	}()
	s.write(b)
	return false
}

func TestAServersLineHasALimit(t *testing.T) {
	in := &instance{Context: t.Context(), deadline: time.Now().Add(time.Minute), abi: MCPStdio}
	s := &session{in: in}
	block := make([]byte, 64<<10)
	for range lineBytesMax / len(block) {
		if writes(t, s, block) {
			t.Fatal("ended too early")
		}
	}
	if !writes(t, s, []byte{0}) || !strings.Contains(in.failure, "a line of more than") || cap(s.line) > 2*lineBytesMax {
		t.Errorf("failure %q with %d bytes kept", in.failure, cap(s.line))
	}
}

func TestWhatMCPSaysBecomesAResult(t *testing.T) {
	for name, tt := range map[string]struct {
		raw, want string
		fault     Fault
	}{
		"a text":                             {`{"content":[{"type":"text","text":"a"}]}`, "a", NoFault},
		"structured content wins":            {`{"content":[{"type":"text","text":"a"}],"structuredContent":{"b":1}}`, `{"b":1}`, NoFault},
		"but not over an error":              {`{"content":[{"type":"text","text":"a"}],"structuredContent":{"b":1},"isError":true}`, `{"error":"a"}`, NoFault},
		"an error without words":             {`{"content":[],"isError":true}`, `{"error":"the tool failed and did not say why"}`, NoFault},
		"a link":                             {`{"content":[{"type":"resource_link","uri":"a:b","name":"c"}]}`, "a:b", NoFault},
		"a resource that is bytes":           {`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"AA==","mimeType":"x/y"}}]}`, "(a:b x/y, which cannot be shown)", NoFault},
		"nothing":                            {`{"content":[]}`, "", BadOutput},
		"no bytes":                           {``, "", BadOutput},
		"what is not a result stands":        {`[1, 2]`, `[1, 2]`, NoFault},
		"an object without content, too":     {`{"a":1}`, `{"a":1}`, NoFault},
		"content that is not a list, too":    {`{"content":"a"}`, `{"content":"a"}`, NoFault},
		"a structured content that is null":  {`{"content":[{"type":"text","text":"a"}],"structuredContent":null}`, "a", NoFault},
		"an empty text is no result at all":  {`{"content":[{"type":"text","text":""}]}`, "", BadOutput},
		"bytes that are not UTF-8 are wrong": {"\xff", "", BadOutput},
	} {
		if r := toolResult([]byte(tt.raw), 1<<10); string(r.Output) != tt.want || r.Fault != tt.fault {
			t.Errorf("%s: %s (%s %s), want %s", name, r.Output, r.Fault, r.Message, tt.want)
		}
	}
}
