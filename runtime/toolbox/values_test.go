package toolbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"chatterbox/loop"
)

// TestWhatCannotBeIsRefused holds that nobody is asked about a day or a time that does not exist.
func TestWhatCannotBeIsRefused(t *testing.T) {
	s, err := compileSchema(json.RawMessage(`{"type":"object","properties":{
		"date":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},"time":{"type":"string","pattern":"^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$"},
		"due":{"type":"string","format":"date"},"at":{"type":"string","pattern":"T"},"text":{"type":"string"},
		"days":{"type":"array","items":{"type":"string","format":"date"}},"in":{"type":"object","properties":{"time":{"type":"string","format":"time"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		`{"date":"2026-11-30","time":"09:00"}`: "",
		`{"time":"23:59:59"}`:                  "",
		`{"date":"2028-02-29"}`:                "",
		`{"due":"soon"}`:                       "",
		`{"text":"2026-11-31"}`:                "",
		`{"at":"2026-11-30T10:00"}`:            "",
		`{"date":"2026-11-31"}`:                `Argument date is not a day that exists: "2026-11-31"`,
		`{"date":"2026-02-29"}`:                `Argument date is not a day that exists: "2026-02-29"`,
		`{"date":"2026-13-01","time":"25:00"}`: `Argument date is not a day that exists: "2026-13-01"`,
		`{"time":"25:00"}`:                     `Argument time is not a time that exists: "25:00"`,
		`{"time":"10:60"}`:                     `Argument time is not a time that exists: "10:60"`,
		`{"time":"24:00:00"}`:                  `Argument time is not a time that exists: "24:00:00"`,
		`{"due":"2026-04-31"}`:                 `Argument due is not a day that exists: "2026-04-31"`,
		`{"at":"2026-11-31T10:00"}`:            `Argument at is not a day and time that exists: "2026-11-31T10:00"`,
		`{"at":"2026-11-30T24:00:00"}`:         `Argument at is not a day and time that exists: "2026-11-30T24:00:00"`,
		`{"days":["2026-11-30","2026-11-31"]}`: `Argument days[1] is not a day that exists: "2026-11-31"`,
		`{"in":{"time":"99:00"}}`:              `Argument in.time is not a time that exists: "99:00"`,
	} {
		decoded, complaint := readArguments(loop.Call{Arguments: arguments}, 1000)
		if complaint != "" {
			t.Fatal(arguments, complaint)
		}
		if got := s.complaint(decoded.Values); got != want {
			t.Errorf("%s:\n got %s\nwant %s", arguments, got, want)
		}
	}
}

const posts = `,"effects":"irreversible","annotations":{"recipient":"to"},` +
	`"deliver":[{"channel":"mail","recipients":["Ann Lee <ann@example.org>","Bob Lee <bob@example.org>","eve@example.org"]}]`

// askedOf opens a toolbox with a tool that may send mail to Ann Lee and Bob Lee, and gives what checks its calls.
func askedOf(t *testing.T, options Options) func(arguments string) loop.Verdict {
	t.Helper()
	f, grants := newFolder(t), t.TempDir()
	f.put(t, "it.wasm", moduleWith+manifest("it", posts))
	approve(t, grants, moduleWith+manifest("it", posts), manifest("it", posts),
		`{"effects":"irreversible","deliver":[{"channel":"mail","recipients":["Ann Lee <ann@example.org>","Bob Lee <bob@example.org>"]}]}`)
	options.Dir, options.Approvals = string(f), grants
	box := open(t, options)
	return func(arguments string) loop.Verdict {
		return box.Check(t.Context(), loop.Call{ID: "1", Name: "it", Arguments: arguments, Language: "de"})
	}
}

// TestARecipientThatTheGrantRefusesIsNotAskedAbout holds that the grant is looked at before the person is.
func TestARecipientThatTheGrantRefusesIsNotAskedAbout(t *testing.T) {
	check := askedOf(t, Options{})
	for to, want := range map[string]string{
		"ann":                       "",
		"ANN LEE <ann@example.org>": "",
		"bob@example.org":           "",
		"eve@example.org":           "That recipient is not allowed. Allowed are Ann Lee <ann@example.org> and Bob Lee <bob@example.org>",
		"grandma":                   "That recipient is not allowed. Allowed are Ann Lee <ann@example.org> and Bob Lee <bob@example.org>",
		"":                          "Say to whom. Allowed are Ann Lee <ann@example.org> and Bob Lee <bob@example.org>",
		"lee":                       "Several recipients fit. Say which one is meant: Ann Lee <ann@example.org> and Bob Lee <bob@example.org>",
	} {
		verdict := check(fmt.Sprintf(`{"to":%q}`, to))
		if verdict.Reason != want || (verdict.Decision == loop.Ask) != (want == "") {
			t.Errorf("%s: %+v, want %q", to, verdict, want)
		}
	}
}

// TestTheHostWordsTheQuestion holds what the host gets to word it with: the person's language, the recipient whom the name means,
// and what nobody sees as escapes.
func TestTheHostWordsTheQuestion(t *testing.T) {
	var got Asked
	answer := "Darf ich?"
	check := askedOf(t, Options{Question: func(a Asked) string { got = a; return answer }})
	verdict := check("{\"to\":\"ann\",\"text\":\"a\u202eb\",\"n\":1.50,\"list\":[\"\u2066\"],\"to \\\"x\\\"\":true}")
	if verdict.Question != answer || got.Tool != "it" || got.Language != "de" {
		t.Errorf("%+v, asked %+v", verdict, got)
	}
	encoded, _ := json.Marshal(got.Arguments)
	if want := `{"\"to \\\"x\\\"\"":true,"list":["\\u2066"],"n":1.50,"text":"a\\u202eb","to":"Ann Lee \u003cann@example.org\u003e"}`; string(encoded) != want {
		t.Errorf("got  %s\nwant %s", encoded, want)
	}
	answer = ""
	if verdict := check(`{"to":"ann"}`); !strings.HasPrefix(verdict.Question, "Shall I run ") {
		t.Errorf("without words of the host: %+v", verdict)
	}
}
