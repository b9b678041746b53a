package bfcl_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"chatterbox/evals/bfcl"
)

const (
	twoIntegers = `"x":{"type":"integer"},"y":{"type":"integer"}`
	oneOptional = `{"demo.call":{"x":[1],"y":[2,""]}}`
)

func TestCalls(t *testing.T) {
	const both = `{"demo.call":{"x":[1],"y":[2]}}`
	const parallel = `{"demo.call":{"x":[1]}},{"demo.call":{"x":[2]}}`
	one, two := `{"demo_call":"{\"x\":1}"}`, `{"demo_call":"{\"x\":2}"}`
	tests := map[string]struct{ category, accepted, result, kind string }{
		"a dotted name is called with underscores": {"simple_python", oneOptional, called(`{"x":1}`), ""},
		"a name is case-sensitive":                 {"simple_python", oneOptional, `[{"Demo_call":"{\"x\":1}"}]`, "simple_function_checker:wrong_func_name"},
		"a required parameter is missing":          {"simple_python", oneOptional, called(`{"y":2}`), "simple_function_checker:missing_required"},
		"another parameter is too much":            {"simple_python", oneOptional, called(`{"x":1,"z":2}`), "simple_function_checker:unexpected_param"},
		"a parameter that this question needs":     {"simple_python", both, called(`{"x":1}`), "simple_function_checker:missing_optional"},
		"no call":                                  {"simple_python", oneOptional, `[]`, "simple_function_checker:wrong_count"},
		"two calls":                                {"simple_python", oneOptional, "[" + one + "," + one + "]", "simple_function_checker:wrong_count"},
		"one of several functions":                 {"live_multiple", oneOptional, "[" + one + "]", ""},
		"two calls of several functions":           {"multiple", oneOptional, "[" + one + "," + one + "]", "multiple_function_checker:wrong_count"},
		"calls at once, in another order":          {"parallel", parallel, "[" + two + "," + one + "]", ""},
		"calls at once, one of them twice":         {"live_parallel_multiple", parallel, "[" + one + "," + one + "]", "parallel_function_checker_no_order:cannot_find_match"},
		"calls at once, one too few":               {"parallel", parallel, "[" + one + "]", "parallel_function_checker_no_order:wrong_count"},
		"no choice is taken back": {"parallel", `{"demo.call":{"x":[1,2]}},{"demo.call":{"x":[1]}}`, "[" + one + "," + two + "]",
			"parallel_function_checker_no_order:cannot_find_match"},
		"text is no call":             {"simple_python", oneOptional, `"Error during inference: x"`, undecoded},
		"arguments that are no JSON":  {"simple_python", oneOptional, called(`{"x":1`), undecoded},
		"arguments with a line end":   {"simple_python", oneOptional, called("{\"x\":\"\n\"}"), undecoded},
		"arguments that are a list":   {"simple_python", oneOptional, called(`[1]`), noObject},
		"arguments that are no text":  {"simple_python", oneOptional, `[{"demo_call":{"x":1}}]`, undecoded},
		"two names in one call":       {"simple_python", oneOptional, `[{"demo_call":"{\"x\":1}","b":"{}"}]`, undecoded},
		"irrelevance without a call":  {"irrelevance", oneOptional, `[]`, ""},
		"irrelevance with text":       {"live_irrelevance", oneOptional, `"I cannot do that"`, ""},
		"irrelevance with no JSON":    {"irrelevance", oneOptional, called(`{`), ""},
		"irrelevance with any call":   {"irrelevance", oneOptional, `[{"other":"{}"}]`, "irrelevance_error:decoder_success"},
		"relevance with any call":     {"live_relevance", oneOptional, `[{"other":"{}"}]`, ""},
		"relevance without a call":    {"live_relevance", oneOptional, `[]`, "relevance_error:decoder_failed"},
		"relevance with broken calls": {"relevance", oneOptional, called(`{`), "relevance_error:decoder_failed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantKind(t, judge(t, test.category, twoIntegers, test.accepted, test.result), test.kind)
		})
	}
}

func TestFiles(t *testing.T) {
	const question = `{"id":"q","function":{"name":"f","parameters":{"properties":{}}}}`
	const answer = `{"id":"q","ground_truth":[{"f":{}}]}`
	data := fstest.MapFS{
		"BFCL_v3_simple.json":                   {Data: []byte(`not this one`)},
		"BFCL_v10_simple.json":                  {Data: []byte("\n[\n" + question + "\n]\n")},
		"possible_answer/BFCL_v10_simple.json":  {Data: []byte(answer + "\r\n\n")},
		"BFCL_v4_live_multiple.json":            {Data: []byte(question)},
		"BFCL_v4_parallel.json":                 {Data: []byte(question)},
		"possible_answer/BFCL_v4_parallel.json": {Data: []byte(`{"id":"q","ground_truth":["f()"]}`)},
	}
	suite, err := bfcl.Open(data, "simple_python")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 200<<10)
	results := `{"id":"q","result":"` + long + `"}` + "\n" + `{"id":"q","result":[{"f":"{}"}]}`
	for name, text := range map[string]string{"lines": results, "a list": "[" + strings.Replace(results, "\n", ",", 1) + "]"} {
		var passes []bool
		err := suite.Check("r", strings.NewReader(text), func(v bfcl.Verdict) error {
			passes = append(passes, v.Pass)
			return nil
		})
		if err != nil || len(passes) != 2 || passes[0] || !passes[1] {
			t.Errorf("%s: %v, %v", name, passes, err)
		}
	}
	err = suite.Check("r", strings.NewReader(`{"id":"other","result":[]}`), func(bfcl.Verdict) error { return nil })
	if !errors.Is(err, bfcl.ErrUnknownID) {
		t.Errorf("an unknown id: %v", err)
	}
	if _, err := bfcl.Open(data, "multiple"); !errors.Is(err, bfcl.ErrNoCategory) {
		t.Errorf("multiple is not live_multiple: %v", err)
	}
	if _, err := bfcl.Open(data, "live_multiple"); err == nil {
		t.Error("a category without answers opens")
	}
}

// TestOddEntries has each judge its own row: as the published checker reads it, and where that one ends, as a failure.
func TestOddEntries(t *testing.T) {
	const odd = "data_error:odd_entry"
	const plain = `{"name":"f","parameters":{"properties":{"x":{"type":"string"}},"required":[]}}`
	tests := map[string]struct{ category, functions, expected, result, kind string }{
		"no arguments are expected":            {"simple", plain, `[{"f":[]}]`, `[{"f":"{}"}]`, ""},
		"one is given all the same":            {"simple", plain, `[{"f":[]}]`, `[{"f":"{\"x\":\"a\"}"}]`, "simple_function_checker:unexpected_param"},
		"arguments as an empty text":           {"simple", plain, `[{"f":""}]`, `[{"f":"{}"}]`, ""},
		"arguments as a list of names":         {"simple", plain, `[{"f":["x"]}]`, `[{"f":"{\"x\":\"a\"}"}]`, odd},
		"arguments as a list, left out":        {"simple", plain, `[{"f":["x"]}]`, `[{"f":"{}"}]`, odd},
		"arguments as null":                    {"simple", plain, `[{"f":null}]`, `[{"f":"{}"}]`, odd},
		"another function, arguments as null":  {"simple", plain, `[{"f":null}]`, `[{"g":"{}"}]`, "simple_function_checker:wrong_func_name"},
		"two calls, arguments as a number":     {"simple", plain, `[{"f":7}]`, `[{"f":"{}"},{"f":"{}"}]`, "simple_function_checker:wrong_count"},
		"no call, arguments as a number":       {"simple", plain, `[{"f":7}]`, `"no"`, undecoded},
		"a text for what is accepted":          {"simple", plain, `[{"f":{"x":"ab"}}]`, `[{"f":"{\"x\":\"B\"}"}]`, ""},
		"it is no value of that text":          {"simple", plain, `[{"f":{"x":"ab"}}]`, `[{"f":"{\"x\":\"ab\"}"}]`, wrongText},
		"it may be left out":                   {"simple", plain, `[{"f":{"x":"ab"}}]`, `[{"f":"{}"}]`, ""},
		"a number for what is accepted":        {"simple", plain, `[{"f":{"x":5}}]`, `[{"f":"{\"x\":\"a\"}"}]`, odd},
		"a number, left out":                   {"simple", plain, `[{"f":{"x":5}}]`, `[{"f":"{}"}]`, odd},
		"two keys, the first counts":           {"simple", plain, `[{"f":{"x":["a"]},"g":{}}]`, `[{"f":"{\"x\":\"a\"}"}]`, ""},
		"a call without a key":                 {"simple", plain, `[{}]`, `[{"f":"{}"}]`, odd},
		"a call as text":                       {"parallel", plain, `["f()"]`, `[{"f":"{}"}]`, "parallel_function_checker_no_order:cannot_find_match"},
		"a call as text among several":         {"multiple", plain, `["f()"]`, `[{"f":"{}"}]`, odd},
		"answers that are no list":             {"simple", plain, `{"f":{}}`, `[{"f":"{}"}]`, odd},
		"no answers":                           {"simple", plain, `[]`, `[{"f":"{}"}]`, odd},
		"a function without parameters":        {"simple", `{"name":"f"}`, `[{"f":{}}]`, `[{"f":"{}"}]`, odd},
		"another one without parameters":       {"multiple", plain + `,{"name":"g"}`, `[{"f":{}}]`, `[{"f":"{}"}]`, ""},
		"a function without a name":            {"simple", `{}`, `[{"f":{}}]`, `[{"f":"{}"}]`, odd},
		"a function that is no object":         {"simple", `"f"`, `[{"f":{}}]`, `[{"f":"{}"}]`, odd},
		"no function":                          {"simple", ``, `[{"f":{}}]`, `[{"f":"{}"}]`, odd},
		"a parameter that is no object":        {"simple", `{"name":"f","parameters":{"properties":{"x":7}}}`, `[{"f":{"x":["a"]}}]`, `[{"f":"{\"x\":\"a\"}"}]`, simpleType},
		"a parameter that is none, left alone": {"simple", `{"name":"f","parameters":{"properties":{"x":7}}}`, `[{"f":{}}]`, `[{"f":"{}"}]`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := "BFCL_v4_" + test.category + ".json"
			const good = `{"id":"good","function":[{"name":"f","parameters":{"properties":{}}}]}`
			data := fstest.MapFS{
				file: {Data: []byte(`{"id":"q","function":[` + test.functions + `]}` + "\n" + good)},
				"possible_answer/" + file: {Data: []byte(`{"id":"q","ground_truth":` + test.expected + `}` + "\n" +
					`{"id":"good","ground_truth":[{"f":{}}]}` + "\n" + `{"id":"stranger","ground_truth":[{"f":{}}]}`)},
			}
			suite, err := bfcl.Open(data, test.category)
			if err != nil {
				t.Fatal(err)
			}
			var verdicts []bfcl.Verdict
			results := `{"id":"q","result":` + test.result + `}` + "\n" + `{"id":"good","result":[{"f":"{}"}]}`
			err = suite.Check("results", strings.NewReader(results), func(v bfcl.Verdict) error {
				verdicts = append(verdicts, v)
				return nil
			})
			if err != nil || len(verdicts) != 2 || !verdicts[1].Pass {
				t.Fatalf("%+v, %v", verdicts, err)
			}
			wantKind(t, verdicts[0], test.kind)
		})
	}
}

func TestScore(t *testing.T) {
	text := "{\"accuracy\":0.5,\"total_count\":4}\n{\"id\":\"a\",\"valid\":false}\n{\"id\":\"b\"}\n{\"id\":\"c\",\"valid\":true}"
	failed, err := bfcl.ReadScore("s", strings.NewReader(text))
	if err != nil || !failed["a"] || !failed["b"] || failed["c"] {
		t.Errorf("%v, %v", failed, err)
	}
	for name, broken := range map[string]string{"torn": `{"id":"a"`, "no id": `{}`, "no object": `7`, "open list": `[{"id":"a"}`} {
		if _, err := bfcl.ReadScore("s", strings.NewReader(broken)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
