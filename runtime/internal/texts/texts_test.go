package texts_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"chatterbox/runtime/internal/texts"
)

func TestCut(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"abcd":                 "abcd",
		"abcde":                "abcd",
		"abcé":                 "abc",
		"abé":                  "abé",
		"a😀":                   "a",
		"😀b":                   "😀",
		"\x80\x80\x80\x80\x80": "\x80\x80\x80\x80",
		"abc\xff\xff":          "abc\xff",
	} {
		if got := texts.Cut(in, 4); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if got := texts.Cut([]byte(in), 4); string(got) != want {
			t.Errorf("%q as bytes: %q, want %q", in, got, want)
		}
	}
	const said = "zwölf Töne: 🎵🎶"
	for n := range len(said) {
		if got := texts.Cut(said, n); !utf8.ValidString(got) || !strings.HasPrefix(said, got) || len(got) > n || len(got) < n-3 {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestWhole(t *testing.T) {
	for in, want := range map[string]string{"a": "a", "a\xc3": "a", "aé": "aé", "\xf0\x9f\x98": "", "": "", "a\xff": "a\xff"} {
		if got := texts.Whole(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	if got, err := texts.JSON(map[string]string{"a": "<b> & c"}); err != nil || got != `{"a":"<b> & c"}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := texts.JSON(func() {}); err == nil {
		t.Error("a function is JSON")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"listen", "auth.token", "llm.model", "llm.models"}
	for name, want := range map[string]struct {
		nearest string
		edits   int
	}{
		"listen":     {"listen", 0},
		"lsten":      {"listen", 1},
		"auth.tokne": {"auth.token", 2},
		"llm.modelx": {"llm.model", 1}, // the first of two
		"":           {"listen", 6},
	} {
		if nearest, edits := texts.Nearest(name, names); nearest != want.nearest || edits != want.edits {
			t.Errorf("%q: %q with %d edits, want %q with %d", name, nearest, edits, want.nearest, want.edits)
		}
	}
	if nearest, _ := texts.Nearest("a", nil); nearest != "" {
		t.Errorf("%q of none", nearest)
	}
}
