package loop

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"chatterbox/loop/toolcall"
)

// wellFormed is result, or an error result when its content is not JSON: the model and every reader of the trace rely
// on it.
func wellFormed(result Result) Result {
	if utf8.ValidString(result.Content) && json.Valid([]byte(result.Content)) {
		return result
	}
	return ErrorResult("the tool's result was not valid JSON")
}

const repeatNote = "This repeats an earlier call with the same arguments and the same result. " +
	"Do not call it again; answer with what you have."

// present is content as the model reads it: at most bytesMax bytes (0 is no limit), and with the note on repeating
// where noted. It is JSON if content is.
func present(content string, noted bool, bytesMax int) string {
	if !noted {
		return cutResult(content, bytesMax)
	}
	note, _ := json.Marshal(repeatNote)
	room := bytesMax
	if room > 0 {
		room = max(1, bytesMax-len(note)-len(`{"result":,"note":}`))
	}
	content = strings.TrimSpace(cutResult(content, room))
	body, isObject := strings.CutPrefix(content, "{")
	if !isObject || strings.Contains(content, `"note"`) {
		return `{"result":` + content + `,"note":` + string(note) + `}`
	}
	body = strings.TrimSpace(strings.TrimSuffix(body, "}"))
	if body != "" {
		body += ","
	}
	return "{" + body + `"note":` + string(note) + "}"
}

// cutResult is content where it fits, else {"truncated":true,"text":"..."} with the beginning of content, or of the one
// text that content consists of.
func cutResult(content string, bytesMax int) string {
	if bytesMax <= 0 || len(content) <= bytesMax {
		return content
	}
	text := content
	var plain map[string]string
	if json.Unmarshal([]byte(content), &plain) == nil && len(plain) == 1 {
		if only, isText := plain["text"]; isText {
			text = only
		}
	}
	const before, after = `{"truncated":true,"text":`, `}`
	room := bytesMax - len(before) - len(after)
	for n := min(len(text), max(0, room-2)); ; {
		quoted := toolcall.Encode(runePrefix(text, n))
		over := len(quoted) - room
		if over <= 0 || n == 0 {
			return before + quoted + after
		}
		n -= min(n, (over+5)/6) // an escape is at most six bytes for one
	}
}

// runePrefix is the beginning of text in at most n bytes, without half a character at its end.
func runePrefix(text string, n int) string {
	if n >= len(text) {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

type repeat int

const (
	repeatNone repeat = iota
	repeatFirst
	repeatAgain
)

// repeats compares a call with the trace, whose first earlier records are of earlier answers. It is again only after a
// note that the model has read, so equal calls within one answer are told once.
func (s *step) repeats(open *OpenCall, earlier int) repeat {
	found := repeatNone
	for i, record := range s.Trace.ToolCalls {
		if record.Name != open.Call.Name || record.Result != open.Result.Content ||
			!sameArguments(record.Arguments, open.arguments()) {
			continue
		}
		if i < earlier && slices.Contains(s.Noted, i) {
			return repeatAgain
		}
		found = repeatFirst
	}
	return found
}

// sameArguments says whether a and b are the same value, or the same bytes where they are none.
func sameArguments(a, b string) bool {
	if a == b {
		return true
	}
	left, err := toolcall.ReadArguments(a)
	if err != nil {
		return false
	}
	right, err := toolcall.ReadArguments(b)
	return err == nil && left.Canonical() == right.Canonical()
}
