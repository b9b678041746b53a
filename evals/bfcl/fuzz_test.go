package bfcl

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse holds the decoder to encoding/json where the two agree by design: what that accepts, this accepts, to the
// same value.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5,-0,1e999,null,true,"\ud83d\ude00\ud83d"],"a":{}}`, `NaN`, `"\u12"`, `01`, `[`, "\"\x00\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := parse(text)
		if err != nil {
			if utf8.ValidString(text) && json.Valid([]byte(text)) && len(text) < depthMax {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		var reference string // a lone surrogate is U+FFFD in it
		got, isText := value.(string)
		if isText && json.Unmarshal([]byte(text), &reference) == nil &&
			!strings.ContainsRune(reference, utf8.RuneError) && got != reference {
			t.Fatalf("%q is read as %q instead of %q", text, got, reference)
		}
	})
}

// FuzzJudge lets no argument text, in no language, end in anything but a verdict, and softening twice is softening
// once.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{`new int[]{1, 2}`, `{a: 1, "b": [x, y], : c}`, `[[1], [2]]`, `new HashMap<>() {{ put("a", 1) }}`, "ΑΣ İ\xed\xa0\xbd"} {
		f.Add(seed)
	}
	accepted := []any{"", "a", int64(1), 1.5, nil, true, []any{int64(1), "a", newDict()}, newDict()}
	f.Fuzz(func(t *testing.T, text string) {
		if once := soften(text); soften(once) != once && !strings.ContainsRune(text, 'Σ') {
			t.Errorf("%q softens to %q, then to %q", text, once, soften(once))
		}
		for _, category := range []string{"simple_python", "simple_java", "simple_javascript"} {
			l := languageOf(category)
			for name := range l.types {
				for item := range l.types {
					l.judge("x", text, parameter{name: name, item: item}, accepted)
				}
			}
			if value, err := parse(text); err == nil {
				l.judge("x", value, parameter{name: "array", item: "dict"}, accepted)
			}
		}
	})
}

// FuzzObjects reads any file without a panic, and names a line of it where it ends with an error.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{"{\"id\":1}\n{}", `[{"a":"}"},{}]`, `[{}`, `{"a":"\\"}`, "\n\n,", "NaN", "{}\n\"\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := objects("f", strings.NewReader(text), func(object *dict) error {
			if object == nil {
				t.Fatal("no object")
			}
			return nil
		})
		if err == nil {
			return
		}
		line := 0
		if _, scanned := fmt.Sscanf(err.Error(), "f: line %d:", &line); scanned != nil || line < 1 || line > 1+strings.Count(text, "\n") {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// TestLinesOfErrors has a mistake on the third line, whatever stands before it.
func TestLinesOfErrors(t *testing.T) {
	const good, end = "{\"id\":1}\n\n", "the file ends within an object"
	for text, want := range map[string]string{
		good + `{"id":"a"`:         end,
		good + `{"id":"a`:          end,
		good + "{\"id\":[1,\n2,\n": end,
		good + "7":                 "expected an object",
		"[\n{},\n{\n\"id\":}]":     "invalid character",
		"[{}\n,\n{}":               "the list has no end",
		"[{}\n\n] {}":              "more after the list",
		good + " NaN":              "expected an object",
	} {
		err := objects("f", strings.NewReader(text), func(*dict) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "f: line 3: "+want) {
			t.Errorf("%q: %v, want line 3: %s", text, err, want)
		}
	}
}

func TestEqualNumbers(t *testing.T) {
	tests := map[string]struct {
		a, b any
		want bool
	}{
		"one and true":                {int64(1), true, true},
		"one and one point nought":    {int64(1), 1.0, true},
		"nought and minus nought":     {int64(0), math.Copysign(0, -1), true},
		"beyond the float's accuracy": {int64(1<<53 + 1), float64(1 << 53), false},
		"infinity and itself":         {math.Inf(1), math.Inf(1), true},
		"NaN and itself":              {math.NaN(), math.NaN(), false},
		"one and its text":            {int64(1), "1", false},
		"nothing and nought":          {nil, int64(0), false},
	}
	for name, test := range tests {
		if equal(test.a, test.b) != test.want || equal(test.b, test.a) != test.want {
			t.Errorf("%s: want %v", name, test.want)
		}
	}
}
