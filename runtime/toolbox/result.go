package toolbox

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"chatterbox/loop"
	"chatterbox/runtime/internal/texts"
)

// readResult makes a guest's output a result: a JSON value as it is, other text as {"text": …}, an object with a member
// error as a failure. Output that was cut is text, because a value that lost its end is another value.
func readResult(output []byte, truncated bool, bytesMax int) loop.Result {
	output = bytes.TrimSpace(output)
	switch {
	case len(output) == 0:
		return loop.ErrorResult("The tool wrote no result.")
	case !utf8.Valid(output):
		return loop.ErrorResult("The tool wrote a result that is not UTF-8.")
	case truncated || !json.Valid(output):
		return loop.Result{Content: textResult(string(output), truncated, bytesMax)}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, output) == nil {
		output = compact.Bytes()
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(output, &members) // what is no object has no member
	_, failed := members["error"]
	return loop.Result{Content: string(output), Failed: failed}
}

// textResult is {"text": …} in at most bytesMax bytes, with "truncated": true where something is missing.
func textResult(text string, truncated bool, bytesMax int) string {
	if content := encodeText(text, truncated); len(content) <= bytesMax {
		return content
	}
	// Escapes make the encoding longer than the text, by up to six times: find the longest beginning that fits.
	fits, tooLong := 0, len(text)
	for tooLong-fits > utf8.UTFMax {
		middle := len(texts.Cut(text, (fits+tooLong)/2))
		if middle <= fits {
			break
		}
		if len(encodeText(text[:middle], true)) <= bytesMax {
			fits = middle
		} else {
			tooLong = middle
		}
	}
	return encodeText(text[:fits], true)
}

func encodeText(text string, truncated bool) string {
	return encode(struct {
		Text      string `json:"text"`
		Truncated bool   `json:"truncated,omitempty"`
	}{text, truncated})
}

// encode is value as JSON without escapes for HTML.
func encode(value any) string {
	text, err := texts.JSON(value)
	if err != nil {
		return `{"error":"the host's answer cannot be written"}`
	}
	return text
}

// withError is the result of a guest that left with a bad status: its own error, or the status with what it wrote.
func withError(result loop.Result, message string) loop.Result {
	if result.Failed {
		return result
	}
	return loop.Result{Failed: true, Content: encode(struct {
		Error  string          `json:"error"`
		Result json.RawMessage `json:"result"`
	}{message, json.RawMessage(result.Content)})}
}
