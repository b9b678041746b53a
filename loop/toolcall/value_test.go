package toolcall

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// canonicalOf is the canonical form of a value, which is read as an argument.
func canonicalOf(text string) (string, error) {
	read, err := ReadArguments(`{"argument":` + text + `}`)
	if err != nil {
		return "", err
	}
	form := strings.TrimPrefix(read.Canonical(), `{"argument":`)
	return strings.TrimSuffix(form, "}"), nil
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		` { "b" : 1 , "a" : [ true , null ] } `: `{"a":[true,null],"b":1}`,
		`{"c":{"z":1,"y":{"x":1,"w":2}},"b":0}`: `{"b":0,"c":{"y":{"w":2,"x":1},"z":1}}`,
		`{}`:                                    `{}`,
		`[]`:                                    `[]`,
		`""`:                                    `""`,
		`5`:                                     `5`,
		`5.0`:                                   `5`,
		`5e0`:                                   `5`,
		`50e-1`:                                 `5`,
		`0.5E1`:                                 `5`,
		`5e2`:                                   `500`,
		`-0`:                                    `0`,
		`0.000`:                                 `0`,
		`0e999`:                                 `0`,
		`-1.50`:                                 `-15e-1`,
		`0.001`:                                 `1e-3`,
		`9007199254740993`:                      `9007199254740993`,
		`9007199254740993.0`:                    `9007199254740993`,
		`123456789012345678901234`:              `123456789012345678901234`,
		`1e400`:                                 `1e400`,
		`10e399`:                                `1e400`,
		`"a\u0041\/\n\u000a"`:                   `"aA/\n\n"`,
		`"\ud83d\ude00"`:                        `"😀"`,
		`"\"\\"`:                                `"\"\\"`,
		`"\ud83d"`:                              "\"\uFFFD\"",
		`"\ude00\ud83d"`:                        "\"\uFFFD\uFFFD\"",
		`1e9999999999`:                          `1e9999999999`,
		`{"\u0061":1}`:                          `{"a":1}`,
		`"<é>"`:                                 `"<é>"`,
	} {
		if got, err := canonicalOf(text); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestWhatIsNoArgument(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "two values": "1 2", "a comma at the end": `{"a":1,}`, "a name without quotes": `{a:1}`,
		"the same name twice": `{"a":1,"b":2,"a":3}`, "the same name, escaped": `{"a":1,"\u0061":2}`,
		"a leading zero": `01`, "a plus": `+1`, "a bare dot": `1.`, "a bare exponent": `1e`,
		"bytes that are not UTF-8": "\"\xff\"",
		"a line break in a string": "\"\n\"", "an unknown escape": `"\x"`, "an open string": `"a`, "an open object": `{"a":1`,
		"too deep": strings.Repeat("[", 100) + strings.Repeat("]", 100), "another member": "1}{", "NaN": "NaN", "a word cut short": "tru",
	} {
		if got, err := canonicalOf(text); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// FuzzCanonical compares with encoding/json: what has a canonical form is JSON of the same value, the form is its own
// canonical form, and white space and the order of members do not matter.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50,-0,1e5],"a":"\u00e9\n\ud83d\ude00"}`, `[{"x":{}},"",null,true,false]`, `1e-9`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		canonical, err := canonicalOf(text)
		if err != nil {
			return
		}
		if !utf8.ValidString(canonical) {
			t.Fatalf("%q: not UTF-8", text)
		}
		if !json.Valid([]byte(text)) || !json.Valid([]byte(canonical)) {
			t.Fatalf("%q became %q: not JSON", text, canonical)
		}
		if !longExponent.MatchString(text) && !reflect.DeepEqual(decode(t, canonical), decode(t, text)) {
			t.Fatalf("%q became %q", text, canonical)
		}
		if again, err := canonicalOf(canonical); err != nil || again != canonical {
			t.Fatalf("%q became %q and then %q, %v", text, canonical, again, err)
		}
		var indented bytes.Buffer
		if json.Indent(&indented, []byte(text), " ", "\t") == nil {
			if again, err := canonicalOf(indented.String()); err != nil || again != canonical {
				t.Fatalf("%q: indented it is %q, %v", text, again, err)
			}
		}
	})
}

// longExponent finds numbers that big.Rat would need too much memory for.
var longExponent = regexp.MustCompile(`[eE][-+]?0*[0-9]{4}`)

// decode reads JSON with numbers by value.
func decode(t *testing.T, text string) any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return byValue(value)
}

func byValue(value any) any {
	switch value := value.(type) {
	case json.Number:
		number, _ := new(big.Rat).SetString(value.String())
		return number.String()
	case []any:
		for i := range value {
			value[i] = byValue(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = byValue(value[name])
		}
	}
	return value
}
