package server_test

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/server"
)

const smuggled = "POST /conversation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 19\r\n\r\n{\"text\":\"smuggled\"}"

// post is a request whose header has the given lines beside Host.
func post(lines, body string) string {
	return "POST /conversation HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n" + body
}

// TestFramingThatCouldBeReadTwoWaysIsRefused has what TestProbesAreRefused has not.
func TestFramingThatCouldBeReadTwoWaysIsRefused(t *testing.T) {
	const body = `{"text":"x"}`
	const chunked = "c\r\n" + body + "\r\n0\r\n\r\n"
	refuses(t, map[string]string{
		"length and encoding":            post("Content-Length: 12\r\nTransfer-Encoding: chunked\r\n", chunked),
		"two equal lengths":              post("Content-Length: 12\r\nContent-Length: 12\r\n", body),
		"a list of lengths":              post("Content-Length: 12, 12\r\n", body),
		"identity alone":                 post("Transfer-Encoding: identity\r\n", body),
		"two encodings":                  post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunked),
		"a list of encodings":            post("Transfer-Encoding: gzip, chunked\r\n", chunked),
		"chunked twice":                  post("Transfer-Encoding: chunked, chunked\r\n", chunked),
		"a header folded with a tab":     post("X-A: b\r\n\tc\r\nContent-Length: 12\r\n", body),
		"a space in a name":              post("X A: b\r\nContent-Length: 12\r\n", body),
		"a bare LF after a header":       post("X: a\nContent-Length: 12\r\n", body),
		"no host in HTTP/1.0":            "POST /conversation HTTP/1.0\r\nContent-Length: 12\r\n\r\n" + body,
		"HTTP/2.0":                       "POST /conversation HTTP/2.0\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"HTTP/1.2":                       "POST /conversation HTTP/1.2\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"no version":                     "POST /conversation\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a version in lower case":        "POST /conversation http/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a space too much":               "POST  /conversation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a space in the target":          "POST /conver sation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a fragment":                     "POST /conversation#a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a target without slash":         "POST conversation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a target of another host":       "POST http://evil.example/conversation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a target of no host":            "POST http:///conversation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a target of another scheme":     "POST ftp://localhost/conversation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"a chunk size that is none":      post("Transfer-Encoding: chunked\r\n", "xyz\r\n"+body+"\r\n0\r\n\r\n"),
		"a chunk longer than its size":   post("Transfer-Encoding: chunked\r\n", "5\r\n"+body+"\r\n0\r\n\r\n"),
		"a trailer that sets the length": post("Transfer-Encoding: chunked\r\n", "c\r\n"+body+"\r\n0\r\nContent-Length: 1\r\n\r\n"),
		"another protocol":               "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	})
}

// refuses sends each request with another behind it, and holds that one 400 comes back and the connection ends.
func refuses(t *testing.T, tests map[string]string) {
	t.Helper()
	double := &service{}
	address := start(t, server.Options{Service: double})
	for name, payload := range tests {
		t.Run(name, func(t *testing.T) {
			before := double.count()
			answers, closed := raw(t, address, payload+smuggled)
			if len(answers) != 1 || !closed || answers[0].Response == nil || answers[0].StatusCode != http.StatusBadRequest {
				t.Fatalf("got %d answers (closed: %v): %+v; want one 400 and the end", len(answers), closed, answers)
			}
			answers[0].problem(t)
			if double.count() != before {
				t.Errorf("the conversations were asked %+v", double.asked[before:])
			}
		})
	}
}

func TestFramingThatIsRightIsServed(t *testing.T) {
	const body = `{"text":"x"}`
	tests := map[string]string{
		"a length":              post("Content-Length: 12\r\n", body),
		"chunks":                post("Transfer-Encoding: chunked\r\n", "5\r\n{\"tex\r\n7;a=b\r\nt\":\"x\"}\r\n0\r\n\r\n"),
		"a size in capitals":    post("Transfer-Encoding: chunked\r\n", "C\r\n"+body+"\r\n0\r\n\r\n"),
		"chunks and a trailer":  post("Transfer-Encoding: Chunked\r\n", "c\r\n"+body+"\r\n0\r\nX-Sum: 1\r\n\r\n"),
		"an absolute target":    "POST http://LOCALHOST/conversation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body,
		"an empty line before":  "\r\n" + post("Content-Length: 12\r\n", body),
		"a tab around a value":  post("Content-Length:\t12 \r\n", body),
		"a value not in ASCII":  post("X-Name: J\xc3\xbcrgen\r\nContent-Length: 12\r\n", body),
		"a client that asks":    post("Expect: 100-continue\r\nContent-Length: 12\r\n", body),
		"an upgrade it ignores": post("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 12\r\n", body),
	}
	double := &service{}
	address := start(t, server.Options{Service: double})
	for name, payload := range tests {
		t.Run(name, func(t *testing.T) {
			before := double.count()
			answers, _ := raw(t, address, payload+post("Connection: close\r\nContent-Length: 12\r\n", body))
			final := 0
			for _, a := range answers {
				if a.StatusCode == http.StatusOK {
					final++
				}
			}
			if final != 2 || double.count() != before+2 {
				t.Errorf("got %+v", answers)
			}
		})
	}
}

func TestSizes(t *testing.T) {
	double := &service{}
	address := start(t, server.Options{Service: double})
	long := strings.Repeat("a", 100<<10)
	big := `{"text":"` + strings.Repeat("a", 8<<20) + `"}`
	tests := map[string]struct {
		payload string
		status  int
		says    string
	}{
		"a body of 8 MB": {post(fmt.Sprintf("Content-Length: %d\r\n", len(big)), big), 413, "262144 bytes"},
		"chunks of 8 MB": {post("Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(big), big)), 413, "262144 bytes"},
		"an extension":   {post("Transfer-Encoding: chunked\r\n", "2;a="+long+long+long+"\r\n{}\r\n0\r\n\r\n"), 413, "262144 bytes"},
		"many of them": {
			post("Transfer-Encoding: chunked\r\n", strings.Repeat("1;"+strings.Repeat("a", 1000)+"\r\n \r\n", 1000)), 413, "262144 bytes",
		},
		"one without end": {post("Transfer-Encoding: chunked\r\n", "2;"+big), 413, "262144 bytes"},
		"a body of 2^62":  {post("Content-Length: 4611686018427387904\r\n", ""), 413, "262144 bytes"},
		"a long field":    {post("X: "+long+"\r\nContent-Length: 2\r\n", "{}"), 431, "8192 bytes"},
		"many fields":     {post(strings.Repeat("X: y\r\n", 20_000)+"Content-Length: 2\r\n", "{}"), 431, "8192 bytes"},
		"a long target":   {"POST /" + long + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 414, "8192 bytes"},
		"a long method":   {long + " / HTTP/1.1\r\nHost: localhost\r\n\r\n", 414, "8192 bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			answers, closed := raw(t, address, tt.payload)
			if len(answers) != 1 || !closed || answers[0].StatusCode != tt.status {
				t.Fatalf("got %d answers (closed: %v): %+v; want one %d and the end", len(answers), closed, answers, tt.status)
			}
			if p := answers[0].problem(t); !strings.Contains(p.Detail, tt.says) {
				t.Errorf("detail %q does not say %q", p.Detail, tt.says)
			}
		})
	}
	if double.count() > 0 {
		t.Errorf("the conversations were asked %d times", double.count())
	}
	largest := `{"text":"` + strings.Repeat("a", 256<<10-11) + `"}`
	if got := ask(t, "POST", "http://"+address+"/conversation", largest); got.StatusCode != 200 {
		t.Errorf("a body of exactly the limit got %d", got.StatusCode)
	}
	if got := ask(t, "POST", "http://"+address+"/conversation", largest+" "); got.StatusCode != 413 {
		t.Errorf("a body of one byte more got %d", got.StatusCode)
	}
}

// TestWhatCountsBeginsAnew has requests of one connection, in chunks of the sizes that clients send, take more together
// than one may.
func TestWhatCountsBeginsAnew(t *testing.T) {
	const chunkBytes, requests = 4 << 10, 4
	double := &service{}
	body := `{"text":"` + strings.Repeat("a", 256<<10-11) + `"}`
	var chunks strings.Builder
	for rest := body; rest != ""; {
		n := min(chunkBytes, len(rest))
		fmt.Fprintf(&chunks, "%x;n=1\r\n%s\r\n", n, rest[:n])
		rest = rest[n:]
	}
	one := post("Transfer-Encoding: chunked\r\n", chunks.String()+"0\r\n\r\n")
	last := post("Connection: close\r\nContent-Length: 12\r\n", `{"text":"x"}`)
	answers, closed := raw(t, start(t, server.Options{Service: double}), strings.Repeat(one, requests)+last)
	if len(answers) != requests+1 || !closed || double.count() != requests+1 {
		t.Fatalf("got %d answers (closed: %v), the conversations were asked %d times", len(answers), closed, double.count())
	}
}

func TestManyBigRequestsDoNotTakeMemory(t *testing.T) {
	address := start(t, server.Options{Service: &service{}})
	header := post("Content-Length: 100000000\r\n", strings.Repeat("a", 1000))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var conns []net.Conn
	for range 100 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte(header)); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	for _, c := range conns {
		_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := c.Read(make([]byte, 12)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 20<<20 {
		t.Errorf("100 announcements of 100 MB took %d bytes", grown)
	}
}
