package server_test

import "testing"

// TestProbesAreRefused sends what the rows of the suite Http11Probe are about that a server must refuse; the keys are
// their ids. Requests that are right are in TestFramingThatIsRightIsServed, those that end too early in
// TestSlowClientsAreClosed. Refused, but not with 400, are COMP-HOST-WITH-USERINFO and SMUG-MULTIPLE-HOST-COMMA (403:
// no host of this server), COMP-ASTERISK-WITH-GET and COMP-OPTIONS-STAR (404). What stands behind a chunk's size is
// left to fasthttp, which serves SMUG-CHUNK-BARE-SEMICOLON and SMUG-CHUNK-EXT-CTRL.
func TestProbesAreRefused(t *testing.T) {
	const body = `{"text":"x"}`
	const chunked = "c\r\n" + body + "\r\n0\r\n\r\n"
	line := func(line string) string { return line + "\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + body }
	field := func(field string) string { return post(field+"\r\nContent-Length: 12\r\n", body) }
	host := func(field string) string {
		return "POST /conversation HTTP/1.1\r\n" + field + "Content-Length: 12\r\n\r\n" + body
	}
	length := func(value string) string { return post("Content-Length: "+value+"\r\n", body) }
	encoding := func(value string) string { return post("Transfer-Encoding: "+value+"\r\n", chunked) }
	both := func(value string) string {
		return post("Transfer-Encoding: "+value+"\r\nContent-Length: 12\r\n", chunked)
	}
	chunk := func(chunks string) string { return post("Transfer-Encoding: chunked\r\n", chunks+"0\r\n\r\n") }
	refuses(t, map[string]string{
		"RFC9112-3-MISSING-TARGET":         line("POST HTTP/1.1"),
		"RFC9112-3-CR-ONLY-LINE-ENDING":    "POST /conversation HTTP/1.1\rHost: localhost\rContent-Length: 12\r\r" + body,
		"COMP-VERSION-MISSING-MINOR":       line("POST /conversation HTTP/1"),
		"COMP-VERSION-LEADING-ZEROS":       line("POST /conversation HTTP/01.01"),
		"COMP-VERSION-WHITESPACE":          line("POST /conversation HTTP/ 1.1"),
		"COMP-WHITESPACE-BEFORE-HEADERS":   line("POST /conversation HTTP/1.1\r\n X: y"),
		"MAL-NUL-IN-URL":                   line("POST /conver\x00sation HTTP/1.1"),
		"MAL-NON-ASCII-URL":                line("POST /conversätion HTTP/1.1"),
		"MAL-URL-OVERLONG-UTF8":            line("POST /conversation\xc0\xaf HTTP/1.1"),
		"RFC9112-7.1-MISSING-HOST":         host(""),
		"RFC9110-5.4-DUPLICATE-HOST":       host("Host: localhost\r\nHost: other.example\r\n"),
		"COMP-DUPLICATE-HOST-SAME":         host("Host: localhost\r\nHost: localhost\r\n"),
		"COMP-HOST-WITH-PATH":              host("Host: localhost/path\r\n"),
		"COMP-HOST-EMPTY-VALUE":            host("Host:\r\n"),
		"RFC9110-5.6.2-SP-BEFORE-COLON":    field("X : b"),
		"RFC9112-5.1-OBS-FOLD":             field("X: b\r\n c"),
		"RFC9112-5-EMPTY-HEADER-NAME":      field(": b"),
		"RFC9112-5-INVALID-HEADER-NAME":    field("[X]: b"),
		"RFC9112-5-HEADER-NO-COLON":        field("X"),
		"MAL-NON-ASCII-HEADER-NAME":        field("Xä: b"),
		"MAL-CONTROL-CHARS-HEADER":         field("X: a\x01b"),
		"MAL-NUL-IN-HEADER-VALUE":          field("X: a\x00b"),
		"NORM-TAB-IN-NAME":                 field("X\ta: b"),
		"SMUG-BARE-CR-HEADER-VALUE":        field("X: a\rContent-Length: 0"),
		"NORM-SP-BEFORE-COLON-CL":          post("Content-Length : 12\r\n", body),
		"RFC9112-6.1-CL-NON-NUMERIC":       length("twelve"),
		"RFC9112-6.1-CL-PLUS-SIGN":         length("+12"),
		"SMUG-DUPLICATE-CL":                length("12\r\nContent-Length: 0"),
		"SMUG-CL-COMMA-DIFFERENT":          length("12, 0"),
		"SMUG-CL-NEGATIVE":                 length("-12"),
		"SMUG-CL-NEGATIVE-ZERO":            length("-0"),
		"SMUG-CL-UNDERSCORE":               length("1_2"),
		"SMUG-CL-OCTAL":                    length("0o14"),
		"SMUG-CL-HEX-PREFIX":               length("0xc"),
		"SMUG-CL-INTERNAL-SPACE":           length("1 2"),
		"MAL-CL-EMPTY":                     length(""),
		"MAL-CL-OVERFLOW":                  length("18446744073709551628"),
		"SMUG-TE-SP-BEFORE-COLON":          post("Transfer-Encoding : chunked\r\n", chunked),
		"SMUG-TE-NOT-FINAL-CHUNKED":        encoding("chunked, gzip"),
		"SMUG-TE-HTTP10":                   "POST /conversation HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked,
		"SMUG-TE-EMPTY-VALUE":              encoding(""),
		"SMUG-TE-DUPLICATE-HEADERS":        both("chunked\r\nTransfer-Encoding: chunked"),
		"SMUG-TE-IDENTITY":                 both("identity"),
		"SMUG-TE-VTAB":                     encoding("\x0bchunked"),
		"SMUG-TE-FORMFEED":                 encoding("\x0cchunked"),
		"SMUG-TE-NULL":                     encoding("chunked\x00"),
		"SMUG-TE-OBS-FOLD":                 encoding("\r\n chunked"),
		"SMUG-TE-XCHUNKED":                 both("xchunked"),
		"SMUG-TE-TRAILING-SPACE":           both("chunked "),
		"COMP-UNKNOWN-TE-501":              encoding("gzip"),
		"SMUG-TECL-PIPELINE":               both("chunked"),
		"SMUG-CLTE-PIPELINE":               post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
		"SMUG-CHUNK-HEX-PREFIX":            chunk("0xc\r\n" + body + "\r\n"),
		"SMUG-CHUNK-UNDERSCORE":            chunk("0_c\r\n" + body + "\r\n"),
		"SMUG-CHUNK-LEADING-SP":            chunk(" c\r\n" + body + "\r\n"),
		"SMUG-CHUNK-MISSING-TRAILING-CRLF": chunk("c\r\n" + body),
		"SMUG-CHUNK-SPILL":                 chunk("c\r\n" + body + "XX\r\n"),
		"SMUG-CHUNK-NEGATIVE":              chunk("-c\r\n" + body + "\r\n"),
		"SMUG-CHUNK-EXT-CR":                chunk("c;a\rb\r\n" + body + "\r\n"),
		"SMUG-CHUNK-BARE-CR-TERM":          chunk("c\r" + body + "\r\n"),
		"MAL-CHUNK-SIZE-OVERFLOW":          chunk("1000000000000000c\r\n" + body + "\r\n"),
	})
}
