package flows_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/loop/route"
	"chatterbox/runtime/flows"
)

// folder makes a folder of rule files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAnAbsentFolderIsNoMistake(t *testing.T) {
	rules, err := flows.Load(flows.Options{Dir: filepath.Join(t.TempDir(), "none")})
	if err != nil || len(rules.Names()) != len(load(t).Names()) {
		t.Errorf("%v, %v", rules, err)
	}
}

func TestTheUsersRulesReplaceAndAdd(t *testing.T) {
	dir := folder(t, map[string]string{
		"mine.yaml": `language: en
define:
  lamp: (?:lamp|light)
commands:
  - name: time
    tool: get_current_datetime
    patterns: ['tick tock']
    reply: It is {{.result.time}}.
  - name: lamp
    tool: set_lamp
    patterns: ['turn on the (?P<lamp>\w+) {lamp}{1,2}']
    arguments:
      lamp: {group: lamp}
      on: {value: true}
      level: {value: 80}
    reply: Done.
`,
		"notes.txt": "not a rule", ".hidden.yaml": "::",
	})
	rules, err := flows.Load(flows.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(rules.Names()), len(load(t).Names())+1; got != want {
		t.Errorf("%d rules, want %d: %v", got, want, rules.Names())
	}
	input := route.Input{Language: "en", Tools: []string{"get_current_datetime", "set_lamp"}}
	for text, want := range map[string]string{"tick tock": `{}`, "turn on the red light": `{"lamp":"red","level":80,"on":true}`, "what time is it": ""} {
		input.Text = text
		got := route.Decide(rules, input)
		if want == "" && got.Command != nil || want != "" && (got.Command == nil || string(got.Command.Arguments) != want) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestTheExampleOfTheManualWorks(t *testing.T) {
	manual, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(manual), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	rules, err := flows.Load(flows.Options{Dir: folder(t, map[string]string{"lamp.yaml": example})})
	if err != nil {
		t.Fatal(err)
	}
	got := route.Decide(rules, route.Input{Text: "Hey, turn on the kitchen light, please!", Tools: []string{"set_lamp"}})
	if got.Command == nil || string(got.Command.Arguments) != `{"on":true,"room":"kitchen"}` {
		t.Fatalf("%+v", got)
	}
	for result, want := range map[string]string{`{}`: "The kitchen lamp is on.", `{"error":"no such room"}`: "There is no kitchen.", `{"error":"x"}`: "That didn't work."} {
		if answer, err := got.Command.Answer([]byte(result)); err != nil || answer != want {
			t.Errorf("%s: %q, %v", result, answer, err)
		}
	}
}

func TestMistakesHaveTheirPlace(t *testing.T) {
	const command = "language: en\ncommands:\n  - name: a\n    tool: b\n    reply: c\n    patterns:\n      - x\n"
	tests := map[string]struct{ text, want string }{
		"no YAML":                    {"language: [\n", "bad.yaml:1:"},
		"an unknown key":             {command + "    patern: y\n", "bad.yaml:8:5: unknown field \"patern\""},
		"a key of another type":      {"language: en\ncommands: 7\n", "bad.yaml:2:11: "},
		"a bad pattern":              {command + "      - (\n", `bad.yaml:8: command "a": patterns[1]: error parsing regexp: missing closing )`},
		"a part that is not defined": {command + "      - '{nosuch}'\n", `bad.yaml:8: command "a": patterns[1]: {nosuch} is not defined; there is nothing`},
		"parts without end":          {"define:\n  a: '{b}'\n  b: '{a}'\n" + command + "      - '{a}'\n", "name each other without end"},
		"parts that grow":            {"define:\n  a: '" + strings.Repeat("{b}", 99) + "'\n  b: '" + strings.Repeat("x", 99) + "'\n" + command + "      - '{a}'\n", "is longer than 8192 bytes"},
		"an unknown resolver":        {command + "      - (?P<p>y)\n    arguments:\n      q: {group: p, resolver: planet}\n", `bad.yaml:10: command "a": arguments.q: there is no resolver named "planet"`},
		"a template":                 {strings.Replace(command, "reply: c", "reply: '{{if}}'", 1), `bad.yaml:5: command "a": reply: template`},
		"nothing to say":             {strings.Replace(command, "reply: c\n    ", "", 1), `bad.yaml:3: command "a": reply: is missing`},
		"no language":                {strings.Replace(command, "language: en\n", "", 1), `bad.yaml:2: command "a": language: is missing`},
		"an alias":                   {"language: &l en\ndefine: {x: *l}\n", "bad.yaml:2:13: aliases are not supported"},
		"two documents":              {"language: en\n---\nlanguage: de\n", "bad.yaml: must hold exactly one YAML document"},
		"nothing":                    {"", "bad.yaml: must hold exactly one YAML document"},
		"not UTF-8":                  {"language: \xff\n", "bad.yaml: line 1 is not UTF-8"},
		"nested too deeply":          {strings.Repeat("[", 50000), "bad.yaml: line 1 is nested too deeply"},
		"too large":                  {strings.Repeat("#\n", 40000), "bad.yaml: is larger than"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := flows.Load(flows.Options{Dir: folder(t, map[string]string{"bad.yaml": test.text})})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestMistakesOfAllFilesComeTogether(t *testing.T) {
	_, err := flows.Load(flows.Options{Dir: folder(t, map[string]string{"a.yaml": "x: 1\n", "b.yml": "commands: [{name: n, patterns: ['{no}', '{none}']}]\n"})})
	for _, want := range []string{"a.yaml:1:1", "b.yml:1", "{no} is not defined"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
