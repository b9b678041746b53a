package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextCannotSteerTheTerminal(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"plain text stays":               {"Grüße,\n\t日本 🙂", "Grüße,\n\t日本 🙂"},
		"a colour":                       {"a\x1b[31mb", "a\uFFFD[31mb"},
		"a window title":                 {"\x1b]0;owned\x07", "\uFFFD]0;owned\uFFFD"},
		"an escape in one character":     {"a\u009b31mb", "a\uFFFD31mb"},
		"the same as a byte":             {"a\x9b31mb", "a\uFFFD31mb"},
		"a return to the line's start":   {"rm -rf /\rls", "rm -rf /ls"},
		"line ends of another system":    {"one\r\ntwo\r\n", "one\ntwo\n"},
		"writing turned around":          {"Send to \u202emoc.live\u202c now\u2066", "Send to \uFFFDmoc.live\uFFFD now\uFFFD"},
		"marks of a direction":           {"\u200fשלום\u200e!", "\u200fשלום\u200e!"},
		"a backspace":                    {"ab\bc\x7f", "ab\uFFFDc\uFFFD"},
		"a character that is cut short":  {"a\xe6\x97b", "a\uFFFD\uFFFDb"},
		"the first half of an escape":    {"\xc2", ""},
		"nothing":                        {"", ""},
		"a character of the astral kind": {"\U0001F9EA", "\U0001F9EA"},
	} {
		t.Run(name, func(t *testing.T) {
			whole, bytewise := &strings.Builder{}, &strings.Builder{}
			if n, err := NewText(whole).Write([]byte(test.text)); n != len(test.text) || err != nil {
				t.Errorf("wrote %d of %d bytes: %v", n, len(test.text), err)
			}
			split := NewText(bytewise)
			for i := range len(test.text) {
				split.Write([]byte{test.text[i]})
			}
			if whole.String() != test.want || bytewise.String() != test.want {
				t.Errorf("%q is shown as %q, in single bytes as %q, want %q", test.text, whole, bytewise, test.want)
			}
		})
	}
}

// TestJSONKeepsWhatItEscapes has all characters that a terminal may act on.
func TestJSONKeepsWhatItEscapes(t *testing.T) {
	var controls strings.Builder
	for r := rune(0); r < 0xa1; r++ {
		controls.WriteRune(r)
	}
	controls.WriteString("\u202a\u202e\u2066\u2069")
	var printed strings.Builder
	if err := PrintJSON(&printed, controls.String()); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(printed.String()), &back); err != nil || back != controls.String() {
		t.Errorf("%q comes back as %q: %v", printed.String(), back, err)
	}
	if i := strings.IndexFunc(strings.TrimSuffix(printed.String(), "\n"), steers); i >= 0 {
		t.Errorf("%q has a control character at %d", printed.String(), i)
	}
}

func FuzzInLine(f *testing.F) {
	f.Add("a\nb\t\u202e\x1b\xff\u2028")
	f.Fuzz(func(t *testing.T, name string) {
		shown := InLine(name)
		if strings.ContainsFunc(shown, breaks) || !utf8.ValidString(shown) {
			t.Errorf("%q is shown as %q", name, shown)
		}
		if back, err := strconv.Unquote(`"` + strings.ReplaceAll(shown, `"`, `\"`) + `"`); !strings.Contains(name, `\`) && (err != nil || back != name) {
			t.Errorf("%q is shown as %q, which says %q", name, shown, back)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\u009b\x9b\r\n"), 3)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = min(max(at, 0), len(text))
		var out strings.Builder
		w := NewText(&out)
		w.Write(text[:at])
		w.Write(text[at:])
		if !utf8.ValidString(out.String()) {
			t.Errorf("%q is shown as %q", text, out.String())
		}
		for _, r := range out.String() {
			if steers(r) {
				t.Errorf("%q lets %q through", text, r)
			}
		}
	})
}
