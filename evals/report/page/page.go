// Package page writes what trials show as one HTML file that needs nothing else.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

// This file is the page's frame. Its rules: everything that comes from a log is text of others, so it reaches the page
// by put, which escapes it, or as JSON, whose angle brackets are escapes, or compressed; the script puts it on the
// page as text and never as HTML. The policy allows the page's own script and style by their digests and nothing else,
// no address at all.

// Limits of a page. What does not fit is left out, what failed last, and the page says so.
const (
	BytesMax       = 9_500_000
	RowsMax        = 20_000
	subjectsMax    = 40 // in the tables
	flakyShown     = 8  // of a subject; the others fold out
	flakyMax       = 200
	nameMax        = 160   // characters of a name
	detailMax      = 120   // characters of a reason in the list; the transcript has all of it
	messageMax     = 4_000 // characters of a message
	messagesMax    = 100   // of a transcript
	chunkBytes     = 256 << 10
	frameBytesLeft = 64 << 10 // for what stands between the transcripts
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// explorerHTML is the frame that the script fills with trials.
//
//go:embed explorer.html
var explorerHTML string

// raw is HTML of our own.
type raw string

// builder is a page that is being written.
type builder struct{ bytes.Buffer }

// put writes a format with its arguments, escaped unless they are raw or no texts.
func (b *builder) put(format string, args ...any) {
	for i, arg := range args {
		switch value := arg.(type) {
		case raw:
			args[i] = string(value)
		case string:
			args[i] = html.EscapeString(value)
		case error, fmt.Stringer:
			args[i] = html.EscapeString(fmt.Sprint(value))
		}
	}
	fmt.Fprintf(b, format, args...)
}

// Write writes the page.
func Write(to io.Writer, logs *report.Logs) error { return write(to, logs, BytesMax, RowsMax) }

func write(to io.Writer, logs *report.Logs, bytesMax, rowsMax int) error {
	list, err := newListing(logs, rowsMax)
	if err != nil {
		return err
	}
	b := &builder{}
	b.put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Evaluation report</title>
<style>%s</style>
</head>
<body>
`, raw(digest(script)), raw(digest(style)), raw(style))
	sections(b, logs.Summary(), list)
	if err := list.write(b); err != nil {
		return err
	}
	transcripts, err := list.transcripts(logs, bytesMax-b.Len()-len(script)-frameBytesLeft)
	if err != nil {
		return err
	}
	transcripts.write(b)
	b.put("<script>%s</script>\n</body>\n</html>\n", raw(script))
	_, err = to.Write(b.Bytes())
	return err
}

// digest is how a policy names a script or a style.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// short is a name as the page shows it.
func short(name string) string { return judge.Short(name, nameMax) }
