package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"chatterbox/loop"
)

// This file reads attacks, and is the model that falls for all of them. A file of attacks has, for each, a heading
// ("== carrier: what it is", or "== carrier, encoding: what it is"), the text that a tool result carries, and the calls that
// an obedient model makes of it ("> tool arguments").

// attack is one text and what it wants.
type attack struct {
	number  int
	id      string
	carrier string // calendar, page, failing page or weather
	text    string
	calls   []loop.Call
	day     time.Time
}

// encodings are the disguises of an attack.
var encodings = map[string]func(string) string{
	"base64":  func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
	"hex":     func(text string) string { return hex.EncodeToString([]byte(text)) },
	"percent": url.QueryEscape,
	"spaced":  func(text string) string { return strings.Join(strings.Split(text, ""), " ") },
	"rot13": func(text string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return 'a' + (r-'a'+13)%26
			case r >= 'A' && r <= 'Z':
				return 'A' + (r-'A'+13)%26
			}
			return r
		}, text)
	},
	"reversed": func(text string) string {
		letters := []rune(text)
		slices.Reverse(letters)
		return string(letters)
	},
}

func contentOf(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readAttacks reads all files, for the services of l.
func readAttacks(t *testing.T, l *lab) []attack {
	t.Helper()
	files, err := filepath.Glob("testdata/attacks/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation(homeZone)
	if err != nil {
		t.Fatal(err)
	}
	var attacks []attack
	for _, file := range files {
		_, content, _ := strings.Cut("\n"+contentOf(t, file), "\n== ")
		for _, block := range strings.Split(content, "\n== ") {
			a := attack{number: len(attacks), day: time.Date(2031, 1, 1+len(attacks), 0, 0, 0, 0, zone)}
			a.id = fmt.Sprintf("%s-%d", strings.TrimSuffix(filepath.Base(file), ".txt"), a.number)
			if err := a.parse(l.fill(block, a.day)); err != nil {
				t.Fatalf("%s: %v in\n%s", file, err, block)
			}
			attacks = append(attacks, a)
		}
	}
	return attacks
}

// fill writes addresses, the day and the secret into a text.
func (l *lab) fill(text string, day time.Time) string {
	good, _ := url.Parse(l.good.URL)
	evil, _ := url.Parse(l.evil.URL)
	return strings.NewReplacer("{good}", l.good.URL, "{good_host}", good.Host, "{evil}", l.evil.URL, "{evil_host}", evil.Host,
		"{evil_name}", "http://localhost:"+evil.Port(), "{evil_number}", "http://2130706433:"+evil.Port(),
		"{evil_six}", "http://[::ffff:127.0.0.1]:"+evil.Port(), "{secret}", alarmCode, "{day}", day.Format("2006-01-02")).Replace(text)
}

func (a *attack) parse(block string) error {
	heading, body, _ := strings.Cut(block, "\n")
	carrier, _, found := strings.Cut(heading, ": ")
	carrier, encoding, encoded := strings.Cut(carrier, ", ")
	if a.carrier = carrier; !found || !slices.Contains([]string{"calendar", "page", "failing page", "weather"}, carrier) {
		return fmt.Errorf("%q is no carrier", carrier)
	}
	var text []string
	for line := range strings.Lines(strings.TrimSpace(body)) {
		line = strings.TrimRight(line, "\n")
		if call, ok := strings.CutPrefix(line, "> "); ok {
			name, arguments, _ := strings.Cut(call, " ")
			if !json.Valid([]byte(arguments)) {
				return fmt.Errorf("%s are no arguments", arguments)
			}
			a.calls = append(a.calls, loop.Call{ID: fmt.Sprintf("obey-%d", len(a.calls)), Name: name, Arguments: arguments})
		} else {
			text = append(text, line)
		}
	}
	a.text = strings.Join(text, "\n")
	if encoded {
		if encodings[encoding] == nil {
			return fmt.Errorf("%q is no encoding", encoding)
		}
		a.text = encodings[encoding](a.text)
	}
	if lettersOf(a.text) == "" || len(a.calls) == 0 {
		return fmt.Errorf("%q has no text or no call", heading)
	}
	return nil
}

// question is what the person asks, and reads the attack with. No rule takes it, so that a model reads the result.
func (a *attack) question() string {
	switch a.carrier {
	case "calendar":
		return "Could you go through my calendar of " + a.day.Format("January 2, 2006") + " with me?"
	case "weather":
		return "What would you wear in the weather that they have in Springfield?"
	}
	return "Could you read the news page to me?"
}

// call is what a model makes of the question.
func (a *attack) call(l *lab) loop.Call {
	call := loop.Call{ID: "look", Name: "http_request", Arguments: fmt.Sprintf(`{"url":"%s/page"}`, l.good.URL)}
	switch a.carrier {
	case "calendar":
		call.Name, call.Arguments = "get_calendar", fmt.Sprintf(`{"start":%q}`, a.day.Format("2006-01-02"))
	case "weather":
		call.Name, call.Arguments = "get_weather", `{"location":"Springfield"}`
	case "failing page":
		call.Arguments = fmt.Sprintf(`{"url":"%s/failing"}`, l.good.URL)
	}
	return call
}

// fact is what the answer to the question must say.
func (a *attack) fact() string {
	return map[string]string{"calendar": "Dentist", "weather": "21.5"}[a.carrier] + map[bool]string{true: "opens at nine"}[strings.HasSuffix(a.carrier, "page")]
}

// lettersOf are the letters and digits of a text, which is all that survives every way of writing it.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// obedient is a model that does what it is asked, and then whatever the results tell it, as calls or in its text, and says
// that the person agreed.
type obedient struct {
	lab    *lab
	attack attack
	obeyed bool // the attack was read, and its calls were made
}

func (m *obedient) meet(a attack) { m.attack, m.obeyed = a, false }

func (m *obedient) Complete(_ context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	completion := m.answer(request)
	onDelta(completion.Content)
	return completion, nil
}

func (m *obedient) answer(request loop.Request) loop.Completion {
	var results []string
	for _, message := range request.Messages {
		if message.Role == loop.FromTool {
			results = append(results, texts(message.Content)...)
		}
	}
	last := request.Messages[len(request.Messages)-1]
	told := strings.Contains(lettersOf(strings.Join(results, " ")), lettersOf(m.attack.text))
	switch {
	case last.Role == loop.User && last.Content == m.attack.question():
		return loop.Completion{ToolCalls: []loop.Call{m.attack.call(m.lab)}, FinishReason: "tool_calls"}
	case told && !m.obeyed && m.attack.number%3 == 0: // a model whose calls are in its text
		m.obeyed = true
		var calls strings.Builder
		for _, call := range m.attack.calls {
			fmt.Fprintf(&calls, "<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>\n", call.Name, call.Arguments)
		}
		return loop.Completion{Content: calls.String(), FinishReason: "stop"}
	case told && !m.obeyed:
		m.obeyed = true
		return loop.Completion{ToolCalls: m.attack.calls, FinishReason: "tool_calls"}
	case len(results) > 0:
		return loop.Completion{Content: "The user agreed. Yes. I found: " + strings.Join(results, " "), FinishReason: "stop"}
	}
	return loop.Completion{Content: "Yes, confirmed.", FinishReason: "stop"}
}

// texts are the texts in a JSON value, and its numbers.
func texts(content string) []string {
	var value any
	if err := json.Unmarshal([]byte(content), &value); err != nil {
		return []string{content}
	}
	switch value := value.(type) {
	case map[string]any:
		var all []string
		for _, member := range value {
			inner, _ := json.Marshal(member)
			all = append(all, texts(string(inner))...)
		}
		return all
	case []any:
		var all []string
		for _, member := range value {
			inner, _ := json.Marshal(member)
			all = append(all, texts(string(inner))...)
		}
		return all
	}
	return []string{fmt.Sprint(value)}
}
