package flows

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
)

var rewrite = flag.Bool("parsed", false, "write parsed.json anew")

// TestBuiltInFilesAreParsed holds that parsed.json is what the built-in files say. With -parsed it is written.
func TestBuiltInFilesAreParsed(t *testing.T) {
	files, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	all := builtInParsed{map[string][]route.Rule{}, map[string]workflow.Definition{}, map[string]workflow.Speech{}, map[string]route.Grammar{}}
	for _, f := range files {
		if f.kind() == kindSentences {
			s, err := parseSentences(file{name: f.name, text: f.text})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
			s.grammar.Checked = true
			all.Sentences[f.name] = s.grammar
			continue
		}
		if f.isWorkflow() {
			s, err := workflowSource{}.parse(f)
			if err != nil {
				t.Fatal(err)
			}
			if s.speech != nil {
				all.Speeches[f.name] = *s.speech
			} else {
				all.Workflows[f.name] = s.definition
			}
			continue
		}
		sources, err := parseRules(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sources {
			all.Rules[f.name] = append(all.Rules[f.name], s.Rule)
		}
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile("parsed.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(want.Bytes(), parsedText) {
		t.Error("parsed.json is not what the built-in files say; write it with: go test ./runtime/flows -run Parsed -parsed")
	}
}
