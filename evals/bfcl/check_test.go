package bfcl_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"chatterbox/evals/bfcl"
)

// judge gives the verdict on one result of a category with one question. schema is the properties of the only function,
// demo.call, which requires "x"; accepted is what its call may hold.
func judge(t *testing.T, category, schema, accepted, result string) bfcl.Verdict {
	t.Helper()
	question := fmt.Sprintf(`{"id":"q","function":[{"name":"demo.call","parameters":{"properties":{%s},"required":["x"]}}]}`, schema)
	return judgeFiles(t, category, question, `{"id":"q","ground_truth":[`+accepted+`]}`, result)
}

func judgeFiles(t *testing.T, category, question, answers, result string) bfcl.Verdict {
	t.Helper()
	name := "BFCL_v4_" + category + ".json"
	data := fstest.MapFS{name: {Data: []byte(question)}, "possible_answer/" + name: {Data: []byte(answers)}}
	suite, err := bfcl.Open(data, category)
	if err != nil {
		t.Fatal(err)
	}
	var verdict bfcl.Verdict
	err = suite.Check("results", strings.NewReader(`{"id":"q","result":`+result+`}`), func(v bfcl.Verdict) error {
		verdict = v
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

// called is the result of one call with these arguments, as JSON text.
func called(arguments string) string {
	text, _ := json.Marshal(arguments) // a string always has an encoding
	return fmt.Sprintf(`[{"demo_call":%s}]`, text)
}

// wantKind wants a pass when kind is empty, else a failure of that kind.
func wantKind(t *testing.T, got bfcl.Verdict, kind string) {
	t.Helper()
	found, _, _ := strings.Cut(got.Error, ": ")
	if got.ID != "q" || got.Pass != (kind == "") || found != kind {
		t.Errorf("got %+v, want kind %q", got, kind)
	}
}

const (
	simpleType  = "type_error:simple"
	nestedType  = "type_error:nested"
	wrongText   = "value_error:string"
	wrongList   = "value_error:list/tuple"
	wrongOther  = "value_error:others"
	wrongKey    = "value_error:dict_key"
	wrongValue  = "value_error:dict_value"
	wrongLength = "value_error:list_dict_count"
	undecoded   = "ast_decoder:decoder_failed"
	noObject    = "ast_decoder:decoder_wrong_output_format"
)

func TestPythonArguments(t *testing.T) {
	integer, number, text := `{"type":"integer"}`, `{"type":"float"}`, `{"type":"string"}`
	boolean, dict := `{"type":"boolean"}`, `{"type":"dict"}`
	list := func(item string) string { return `{"type":"array","items":{"type":"` + item + `"}}` }
	tests := map[string]struct{ schema, accepted, given, kind string }{
		"an integer is itself":                        {integer, `[5]`, `5`, ""},
		"true is not 1":                               {integer, `[1]`, `true`, simpleType},
		"5.0 is no integer":                           {integer, `[5]`, `5.0`, simpleType},
		"a text is no integer":                        {integer, `[5]`, `"5"`, simpleType},
		"null is no integer":                          {integer, `[5]`, `null`, simpleType},
		"null is a value where it is accepted":        {integer, `["", null]`, `null`, ""},
		"integers have any size":                      {integer, `[99999999999999999999]`, `99999999999999999999`, ""},
		"an integer will do for a float":              {number, `[5.0]`, `5`, ""},
		"a float equals an accepted integer":          {number, `[5]`, `5.0`, ""},
		"NaN equals nothing":                          {number, `[5.5]`, `NaN`, wrongOther},
		"a variable is compared as it is":             {integer, `["Count"]`, `"Count"`, ""},
		"a variable is not softened":                  {integer, `["Count"]`, `"count"`, wrongOther},
		"1 does for a boolean that accepts a number":  {boolean, `[1]`, `true`, ""},
		"a text is softened":                          {text, `["April 1,2024"]`, `"April 1, 2024"`, ""},
		"quotes and case do not matter":               {text, `["Say \"HI\""]`, `"say 'hi'"`, ""},
		"other punctuation matters":                   {text, `["a"]`, `"a!"`, wrongText},
		"case is that of all Unicode":                 {text, `["İSTANBUL ΟΔΟΣ"]`, `"i̇stanbul οδος"`, ""},
		"any is text":                                 {`{"type":"any"}`, `["a"]`, `"A"`, ""},
		"the empty text is one that may be accepted":  {text, `["a", ""]`, `""`, ""},
		"a list is compared in order":                 {list("integer"), `[[1, 3]]`, `[3, 1]`, wrongList},
		"a tuple is a list":                           {`{"type":"tuple","items":{"type":"float"}}`, `[[1.0, 2.5]]`, `[1.0, 2.5]`, ""},
		"integers are no floats in a list":            {list("float"), `[[1.0, 3.0]]`, `[1, 3]`, nestedType},
		"an element may be of the accepted's kind":    {list("float"), `[[1, 3]]`, `[1, 3]`, ""},
		"texts in lists are softened":                 {list("string"), `[["New York"]]`, `["new-york"]`, ""},
		"a list without elements is the empty answer": {list("string"), `["", ["a"]]`, `[]`, ""},
		"no list is accepted by none":                 {list("string"), `[]`, `[]`, simpleType},
		"a dict is compared by key":                   {dict, `[{"a":["Big"],"b":[1,""]}]`, `{"a":"big"}`, ""},
		"a dict has no other keys":                    {dict, `[{"a":[1]}]`, `{"a":1,"b":2}`, wrongKey},
		"a dict's keys are needed":                    {dict, `[{"a":[1]}]`, `{}`, wrongKey},
		"a dict's values count":                       {dict, `[{"a":[1]}]`, `{"a":2}`, wrongValue},
		"true is 1 in a dict":                         {dict, `[{"a":[1]}]`, `{"a":true}`, ""},
		"an accepted value that is no list":           {dict, `[{"a":"x"}]`, `{"a":"x"}`, wrongValue},
		"an empty dict is not the empty answer":       {dict, `[""]`, `{}`, "dict_checker:unclear"},
		"dicts in a list go in order":                 {list("dict"), `[[{"a":[1]},{"a":[2]}]]`, `[{"a":2},{"a":1}]`, wrongValue},
		"dicts in a list pass":                        {list("dict"), `[[{"a":[1]},{"a":[2]}]]`, `[{"a":1},{"a":2}]`, ""},
		"dicts in a list are counted":                 {list("dict"), `[[{"a":[1]}]]`, `[]`, wrongLength},
		"no dicts are the empty answer":               {list("dict"), `["", [{"a":[1]}]]`, `[]`, ""},
		"a type that nobody knows":                    {`{"type":"set"}`, `[1]`, `1`, simpleType},
		"the last of two equal keys counts":           {integer, `[5]`, `4, "x": 5`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			accepted := `{"demo.call":{"x":` + test.accepted + `}}`
			wantKind(t, judge(t, "simple_python", `"x":`+test.schema, accepted, called(`{"x": `+test.given+`}`)), test.kind)
		})
	}
}

func TestSourceText(t *testing.T) {
	tests := map[string]struct{ category, schema, accepted, given, kind string }{
		"a Java number is text":                {"simple_java", `{"type":"integer"}`, `[5]`, `5`, "type_error:java"},
		"a JavaScript number is text":          {"simple_javascript", `{"type":"integer"}`, `[5]`, `5`, "type_error:js"},
		"javascript is not java":               {"javascript", `{"type":"String"}`, `["a"]`, `"'a'"`, ""},
		"a Java text keeps its quotes":         {"java", `{"type":"String"}`, `["a"]`, `"\"a\""`, wrongText},
		"a Java integer has digits only":       {"java", `{"type":"integer"}`, `[5]`, `"5.0"`, simpleType},
		"a Java long ends in L":                {"java", `{"type":"long"}`, `[5]`, `"5L"`, ""},
		"a Java long without L is text":        {"java", `{"type":"long"}`, `[5]`, `"5"`, simpleType},
		"a Java double":                        {"java", `{"type":"double"}`, `[1.5]`, `"1.5"`, ""},
		"a Java boolean is lower case":         {"java", `{"type":"boolean"}`, `[true]`, `"True"`, simpleType},
		"a Java variable":                      {"java", `{"type":"boolean"}`, `["flag"]`, `"flag"`, ""},
		"a Java array of texts keeps quotes":   {"java", `{"type":"Array","items":{"type":"String"}}`, `[["a"]]`, `"new String[]{\"a\"}"`, wrongList},
		"a Java array of integers":             {"java", `{"type":"Array","items":{"type":"integer"}}`, `[[1,2]]`, `"new int[]{1, 2}"`, ""},
		"a Java list loses quotes":             {"java", `{"type":"ArrayList","items":{"type":"String"}}`, `[["a","b"]]`, `"new ArrayList<>(Arrays.asList(\"a\", \"b\"))"`, ""},
		"a Java list is not named in full":     {"java", `{"type":"ArrayList","items":{"type":"String"}}`, `[["a"]]`, `"new java.util.ArrayList<>(Arrays.asList(\"a\"))"`, simpleType},
		"a bare Java list is text":             {"java", `{"type":"ArrayList","items":{"type":"integer"}}`, `[[1]]`, `"Arrays.asList(1)"`, simpleType},
		"a Java map as puts":                   {"java", `{"type":"HashMap"}`, `[{"a":[1],"b":["x"]}]`, `"new HashMap<>() {{ put(\"a\", 1); put(\"b\", \"x\"); }}"`, ""},
		"a Java map as JSON is text":           {"java", `{"type":"HashMap"}`, `[{"a":[1]}]`, `"{\"a\": 1}"`, simpleType},
		"a JavaScript float may be whole":      {"javascript", `{"type":"float"}`, `[5.0]`, `"5"`, ""},
		"a JavaScript any keeps its quotes":    {"javascript", `{"type":"any"}`, `["a"]`, `"'a'"`, wrongText},
		"a JavaScript array ends at a bracket": {"javascript", `{"type":"array","items":{"type":"String"}}`, `[["a","b"]]`, `"['a', \"b\"] + rest]"`, ""},
		"a JavaScript array of arrays":         {"javascript", `{"type":"array","items":{"type":"array"}}`, `[[[1,2],[3]]]`, `"[[1, 2], [3]]"`, ""},
		"a JavaScript object":                  {"javascript", `{"type":"dict"}`, `[{"a":[1],"b":[["x","y"]],"c":[true]}]`, `"{a: 1, 'b': [\"x\", 'y'], c: true}"`, ""},
		"a JavaScript object over two lines":   {"javascript", `{"type":"dict"}`, `[{"a":[1]}]`, `"{a: 1,\nb: 2}"`, simpleType},
		"a JavaScript big integer":             {"javascript", `{"type":"Bigint"}`, `[7]`, `"7n"`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			accepted := `{"demo.call":{"x":` + test.accepted + `}}`
			wantKind(t, judge(t, test.category, `"x":`+test.schema, accepted, called(`{"x": `+test.given+`}`)), test.kind)
		})
	}
}
