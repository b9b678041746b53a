package bfcl_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"chatterbox/evals/bfcl"
	"chatterbox/evals/mockllm"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// sample is a small benchmark, by category: questions, and what they accept.
var sample = map[string][2]string{
	"simple_python": {
		`{"id":"s_0","question":[[{"role":"system","content":"You are brief."},{"role":"user","content":"Root of 2,\n  \"\"\"\n  in full | please \\n"}]],
		"function":[{"name":"math.root","description":"A root.","parameters":{"type":"dict","required":["of"],"properties":{"of":{"type":"float","description":"x"},"way":{"type":"tuple","items":{"type":"any"}}}}}]}
		{"id":"s_1","question":[[{"role":"user","content":"Hello."},{"role":"assistant","content":"Hello | you.\nHow are you?"},{"role":"user","content":"Root of 3?"}]],
		"function":[{"name":"root","description":"A root.","parameters":{"type":"dict","required":["of"],"properties":{"of":{"type":"dict","properties":{"n":{"type":"integer"},"m":{"type":"integer"}}}}}}]}`,
		`{"id":"s_0","ground_truth":[{"math.root":{"of":[2.0],"way":["",["a"]]}}]}
		{"id":"s_1","ground_truth":[{"root":{"of":[{"n":[3,"3"],"m":["",1]}]}}]}`,
	},
	"parallel": {
		`{"id":"p_0","question":[[{"role":"user","content":"Both"}]],"function":[{"name":"light","description":"L","parameters":{"type":"dict","required":["room"],"properties":{"room":{"type":"string"}}}}]}`,
		`{"id":"p_0","ground_truth":[{"light":{"room":["hall"]}},{"light":{"room":["loft"]}}]}`,
	},
	"simple_java": {
		`{"id":"j_0","question":[[{"role":"user","content":"Go"}]],"function":{"name":"go","description":"G","parameters":{"type":"dict","required":["n"],"properties":{"n":{"type":"integer","description":"How often."},"all":{"type":"ArrayList","items":{"type":"String"}}}}}}`,
		`{"id":"j_0","ground_truth":[{"go":{"n":[5],"all":["",["x"]]}}]}`,
	},
	"irrelevance": {
		`{"id":"i_0","question":[[{"role":"user","content":"Hm?"}]],"function":[{"name":"light","description":"L","parameters":{"type":"dict","properties":{}}}]}`, "",
	},
}

func sampleData() fstest.MapFS {
	data := fstest.MapFS{}
	for category, c := range sample {
		name := "BFCL_v4_" + category + ".json"
		data[name] = &fstest.MapFile{Data: []byte(c[0])}
		if c[1] != "" {
			data["possible_answer/"+name] = &fstest.MapFile{Data: []byte(c[1])}
		}
	}
	return data
}

// imported is the sample as scenarios.
func imported(t *testing.T) *scenario.Suite {
	t.Helper()
	files := fstest.MapFS{}
	for category := range sample {
		features, err := bfcl.Features(sampleData(), category)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range features {
			files[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
			if f.Scripted != f.Scenarios {
				t.Errorf("%s: %d of %d scenarios have a right answer", f.Name, f.Scripted, f.Scenarios)
			}
		}
	}
	opened, err := scenario.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// TestImportedQuestions has a model that plays the accepted answers pass, and one that goes wrong fail, over HTTP.
func TestImportedQuestions(t *testing.T) {
	opened := imported(t)
	player, err := run.NewPlayer()
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	log, err := run.OpenLog(filepath.Join(t.TempDir(), "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	subject := func(name string, rates mockllm.Rates) run.Subject {
		return run.Subject{Name: name, Model: run.Model{Name: "m"}, Strategy: run.Bare{}, Player: player, Rates: rates}
	}
	classes := map[string]bool{}
	_, err = run.Run(t.Context(), run.Options{
		Suite: opened, Scenarios: opened.Scenarios, Log: log,
		Subjects: []run.Subject{
			subject("right", nil), subject("wrong_arguments", mockllm.Rates{"wrong_arguments": 1}), subject("no_call", mockllm.Rates{"no_call": 1}),
			subject("extra_call", mockllm.Rates{"extra_call": 1}), subject("unknown_tool", mockllm.Rates{"unknown_tool": 1}),
		},
		Progress: func(p run.Progress) {
			one, class := p.Last, p.Last.Class
			switch {
			case one.Subject == "right" || strings.Contains(one.Scenario, "irrelevance"):
				if one.Outcome != "pass" {
					t.Errorf("%s %s: %s %s", one.Subject, one.Scenario, class, one.Detail)
				}
			case one.Outcome != "fail" || class != one.Subject && !strings.Contains(one.Scenario, "parallel"):
				t.Errorf("%s %s: %s %s", one.Subject, one.Scenario, class, one.Detail)
			}
			classes[class] = true
		},
	})
	if err != nil || len(classes) < 5 {
		t.Errorf("%v, %v", classes, err)
	}
}

func TestWhatIsSaidStaysAsItIs(t *testing.T) {
	opened := imported(t)
	plans := map[string]scenario.Plan{}
	for _, one := range opened.Scenarios {
		plan, err := opened.Plan(one)
		if err != nil {
			t.Fatal(err)
		}
		plans[one.Name] = plan
	}
	if got, want := plans["s_0"].Turns[0].Said[0], "You are brief.\n\nRoot of 2,\n  \"\"\"\n  in full | please \\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := plans["s_1"].Before, []scenario.Exchange{{User: "Hello.", Model: "Hello | you.\nHow are you?"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	for name, want := range map[string]string{
		"s_0": `math_root {"type":"object","required":["of"],"properties":{"of":{"type":"number","description":"x"},"way":{"type":"array","items":{"type":"string"}}}}`,
		"s_1": `root {"type":"object","required":["of"],"properties":{"of":{"type":"object","properties":{"n":{"type":"integer"},"m":{"type":"integer"}}}}}`,
		"j_0": `go {"type":"object","required":["n"],"properties":{"n":{"type":"string","description":"How often. As a text: the source, in Java, of a value of type integer."},` +
			`"all":{"type":"string","description":"As a text: the source, in Java, of a value of type ArrayList with elements of type String."}}}`,
	} {
		if tool := plans[name].Tools[0]; tool.Name+" "+string(tool.Parameters) != want {
			t.Errorf("%s: %s %s", name, tool.Name, tool.Parameters)
		}
	}
}

func TestWhatCannotBeImported(t *testing.T) {
	for talk, want := range map[string]string{
		`[[{"role":"user","content":"a"}],[{"role":"user","content":"b"}]]`:    "expected one turn, found 2",
		`[[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]]`: "the person says nothing last",
		`[[{"role":"tool","content":"a"}]]`:                                    `a message of role "tool"`,
		`[["a"]]`:                                                              "a message that is no object",
	} {
		data := fstest.MapFS{"BFCL_v4_irrelevance.json": {Data: []byte(`{"id":"i","question":` + talk + `,"function":[]}`)}}
		if _, err := bfcl.Features(data, "irrelevance"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", talk, err, want)
		}
	}
	if _, err := bfcl.Features(fstest.MapFS{}, "irrelevance"); !errors.Is(err, bfcl.ErrNoCategory) {
		t.Error(err)
	}
	if _, err := bfcl.Features(fstest.MapFS{"BFCL_v4_irrelevance.json": {}}, "irrelevance"); err == nil {
		t.Error("a category without questions is imported")
	}
}

// TestPublishedQuestionsImported makes scenarios of all published questions, where the data is at hand, and reads some
// of each category.
func TestPublishedQuestionsImported(t *testing.T) {
	folder := os.Getenv("BFCL_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data", "bfcl")
	}
	names, err := filepath.Glob(filepath.Join(folder, "BFCL_v*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		category := regexp.MustCompile(`BFCL_v\d+_(.*)\.json`).FindStringSubmatch(name)[1]
		features, err := bfcl.Features(os.DirFS(folder), category)
		if err != nil {
			t.Error(err)
			continue
		}
		files := fstest.MapFS{features[0].Name: {Data: []byte(features[0].Text)}}
		for _, f := range features {
			if f.Scripted < f.Scenarios*3/4 {
				t.Errorf("%s: only %d of %d have a right answer", f.Name, f.Scripted, f.Scenarios)
			}
		}
		if _, err := scenario.Open(files); err != nil {
			t.Errorf("%s: %v", category, err)
		}
	}
}

func FuzzReadQuestion(f *testing.F) {
	f.Add(`{"category":"simple_python","id":"s","function":[{"name":"f","parameters":{"properties":{"x":{"type":"dict"}}}}],"ground_truth":[{"f":{"x":[{"a":[1]}]}}]}`)
	f.Add(`{"category":"simple_java","id":"s","function":{"name":"f","parameters":{"properties":{"x":{"type":"Array"}}}},"ground_truth":[{"f":{"x":[""]}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		question, err := bfcl.ReadQuestion(text)
		if err != nil {
			return
		}
		for _, tool := range question.Tools() {
			if strings.Contains(tool.Name, ".") || !strings.HasPrefix(string(tool.Parameters), "{") {
				t.Errorf("%+v", tool)
			}
		}
		if calls := question.Right(); calls != nil {
			if v, err := question.Judge(calls); err != nil || !v.Pass {
				t.Errorf("what is right fails: %+v, %v", v, err)
			}
		}
	})
}
