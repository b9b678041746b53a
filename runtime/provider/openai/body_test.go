package openai

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"chatterbox/loop"
)

func readEvents(from io.Reader, max int) (string, error) {
	out, err := io.ReadAll(newEventReader(from, max))
	return string(out), err
}

func TestEvents(t *testing.T) {
	const a, b, done = "data: {\"a\":1}\n", "data: {\"b\":2}\n", "data: [DONE]\n"
	tests := map[string]struct {
		in, out string
		kind    loop.Kind
		says    string
	}{
		"as it should be":                     {"data: {\"a\":1}\n\ndata: {\"b\":2}\n\ndata: [DONE]\n\n", a + b + done, "", ""},
		"without spaces":                      {"data:{\"a\":1}\n\ndata:[DONE]\n\n", a + done, "", ""},
		"with carriage returns":               {"data: {\"a\":1}\r\n\r\ndata: [DONE]\r\n\r\n", a + done, "", ""},
		"with a byte order mark":              {"\uFEFFdata: {\"a\":1}\n\ndata: [DONE]\n\n", a + done, "", ""},
		"without empty lines between":         {"data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n", a + b + done, "", ""},
		"comments, names, ids, retry":         {": hi\nevent: message\nid: 7\nretry: 10\ndata: {\"a\":1}\n\n: hi\n\ndata: [DONE]\n\n", a + done, "", ""},
		"empty data":                          {"data:\n\ndata: {\"a\":1}\n\ndata: [DONE]\n", a + done, "", ""},
		"events without their prefix":         {"{\"a\":1}\n{\"b\":2}\ndata: [DONE]\n", a + b + done, "", ""},
		"nothing after [DONE] is read":        {"data: [DONE]\n\ndata: {\"a\":1}\n\n", done, "", ""},
		"[DONE] without an end of line":       {"data: {\"a\":1}\n\ndata: [DONE]", a + done, "", ""},
		"an error that is null":               {"data: {\"error\":null,\"a\":1}\n\ndata: [DONE]\n", "data: { \"error\":null,\"a\":1}\n" + done, "", ""},
		"the word in the text is no error":    {"data: {\"a\":\"\\\"error\\\":{}\"}\n\ndata: [DONE]\n", "data: {\"a\":\"\\\"error\\\":{}\"}\n" + done, "", ""},
		"no [DONE]":                           {"data: {\"a\":1}\n\n", a, loop.KindConnection, "broke off"},
		"nothing at all":                      {"", "", loop.KindConnection, "broke off"},
		"half a last event":                   {"data: {\"a\":1}\n\ndata: {\"b", a, loop.KindConnection, "broke off"},
		"a whole last event without its end":  {"data: {\"a\":1}\n\ndata: {\"b\":2}", a + b, loop.KindConnection, "broke off"},
		"an error object":                     {"data: {\"a\":1}\n\ndata: {\"error\":{\"message\":\"no memory\",\"code\":500}}\n\n", a, loop.KindAPI, "no memory"},
		"an error as text":                    {"data: {\"error\":\"no memory\"}\n\n", "", loop.KindAPI, "no memory"},
		"an error not at the beginning":       {"data: {\"id\":1,\"error\":{\"message\":\"no memory\"}}\n\n", "", loop.KindAPI, "no memory"},
		"an event called error":               {"event: error\ndata: {\"message\":\"no memory\"}\n\n", "", loop.KindAPI, "no memory"},
		"an error about the quota":            {"data: {\"error\":{\"message\":\"x\",\"code\":\"insufficient_quota\"}}\n\n", "", loop.KindQuota, "x"},
		"a line that is too long":             {"data: {\"a\":\"" + strings.Repeat("a", 20_000) + "\"}\n\n", "", loop.KindAPI, "too large"},
		"a comment that is too long, and all": {": " + strings.Repeat("a", 20_000) + "\n", "", loop.KindAPI, "too large"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, from := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in)), iotest.DataErrReader(strings.NewReader(test.in))} {
				out, err := readEvents(from, 10_000)
				var failure *loop.Error
				errors.As(err, &failure)
				if out != test.out || (err == nil) != (test.kind == "") || failure != nil && (failure.Kind != test.kind || !strings.Contains(failure.Message, test.says)) {
					t.Errorf("got %q, %v", out, err)
				}
			}
		})
	}
}

func TestEventsAreCounted(t *testing.T) {
	one := "data: {}\n"
	if _, err := readEvents(strings.NewReader(strings.Repeat(one, eventsMax)+"data: [DONE]\n"), 1000); err != nil {
		t.Error(err)
	}
	if out, err := readEvents(strings.NewReader(strings.Repeat(one, eventsMax+1)), 1000); loop.AsError(err).Kind != loop.KindAPI || len(out) != eventsMax*len(one) {
		t.Error(len(out), err)
	}
}

// FuzzEvents: the result does not depend on how the stream is cut, every line is one that go-openai reads as an event,
// and what comes of the events is never a panic.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n"))
	f.Add([]byte(": c\r\nevent: error\ndata: {\"message\":\"x\"}\n\n"))
	f.Add([]byte("data: {\"error\":null,\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":\"1\",\"id\":3,\"function\":{\"name\":\"f\",\"arguments\":{}}}]}}]}\n"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"caf\xc3\"}}]}\ndata: {\"choices\":[{\"delta\":{\"content\":\"\xa9\"}}]}\n"))
	f.Add([]byte("\uFEFF{\"choices\":[{\"message\":{\"content\":[{\"text\":\"a\"}],\"function_call\":{\"name\":\"g\"}},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1e9}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const max = 5000
		out, err := readEvents(bytes.NewReader(data), max)
		again, errAgain := readEvents(iotest.OneByteReader(bytes.NewReader(data)), max)
		if out != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("%q, %v in one piece and %q, %v byte by byte", out, err, again, errAgain)
		}
		var lines []string
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, "data: ") || !strings.HasSuffix(line, "\n") || strings.HasPrefix(line, `data: {"error":`) {
				t.Fatalf("line %q", line)
			}
			if line != "data: [DONE]\n" {
				lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "data: ")))
			}
		}
		completion, given, err := assemble(lines, max)
		if err == nil && completion.Content != given {
			t.Fatalf("content %q, deltas %q", completion.Content, given)
		}
		if err == nil && strings.ToValidUTF8(completion.Content, "") != completion.Content {
			t.Fatalf("content %q", completion.Content)
		}
	})
}
