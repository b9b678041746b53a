package server

import (
	"bufio"
	"bytes"
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"
)

// FuzzFraming holds what is let through against a second reader: both must see the body begin and end at the same
// bytes.
func FuzzFraming(f *testing.F) {
	for _, lines := range []string{
		"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"Content-Length: 5\r\n 6\r\n", "content-length:5\r\nX: y\n\r\n", "Transfer-Encoding: identity\r\n", "X : y\r\n", "",
	} {
		f.Add([]byte("POST /conversation HTTP/1.1\r\nHost: a\r\n" + lines + "\r\nhello"))
	}
	f.Add([]byte("GET http://a/b HTTP/1.0\r\nHost: a\r\nContent-Length: 00005\r\n\r\nhello"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var header fasthttp.RequestHeader
		if err := header.Read(bufio.NewReaderSize(bytes.NewReader(data), headerBytesMax)); err != nil || framingFault(&header) != "" {
			return
		}
		other, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data)))
		if err != nil {
			return // stricter than we are
		}
		length := header.ContentLength()
		if length == -2 { // none was given: no body
			length = 0
		}
		if int64(length) != other.ContentLength {
			t.Errorf("%q has a body of %d bytes here and of %d elsewhere", data, length, other.ContentLength)
		}
		if string(header.RequestURI()) != other.RequestURI {
			t.Errorf("%q asks for %q here and for %q elsewhere", data, header.RequestURI(), other.RequestURI)
		}
	})
}
