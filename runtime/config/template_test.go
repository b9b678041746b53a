package config_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"chatterbox/runtime/config"
)

func TestTheTemplateIsTheDefault(t *testing.T) {
	template := config.Template()
	c, err := config.Parse("t", []byte(template))
	if err != nil || !reflect.DeepEqual(c, config.Default()) {
		t.Fatalf("%v\n%s", err, template)
	}
	active := regexp.MustCompile(`(?m)^( *)# ([a-z_]+: .*)$`).ReplaceAllString(template, "$1$2")
	if changed := len(template) - len(active); changed < 2*45 {
		t.Errorf("only %d keys were found", changed/2)
	}
	if c, err := config.Parse("t", []byte(active)); err != nil || !reflect.DeepEqual(c, config.Default()) {
		t.Errorf("with every key active: %v\n%s", err, active)
	}
	for _, value := range (config.Loaded{Config: config.Default()}).Values() {
		leaf := value.Key[strings.LastIndexByte(value.Key, '.')+1:]
		if !strings.Contains(template, "# "+leaf+":") {
			t.Errorf("%s is not in the template", value.Key)
		}
	}
}

func TestWhatIsShownCanBeReadAgain(t *testing.T) {
	c := config.Default()
	c.Conversation.SystemPrompt = "Say \"hi\".\nBe: kind #1 \\ \t€\u2028"
	c.Server.Hosts = []string{"a.home", "-b"}
	c.Models = []config.Model{{Name: "x y", BaseURL: "http://h/v1", Model: "m:8b", Local: true, Price: &config.Price{Output: .1}}}
	text := config.Loaded{Config: c}.Text()
	again, err := config.Parse("shown", []byte(text))
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%v\n%s\ngot  %+v\nwant %+v", err, text, again, c)
	}
}

func TestTheSchemaHasEveryKey(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(config.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	for _, value := range (config.Loaded{Config: config.Default()}).Values() {
		node := root
		for part := range strings.SplitSeq(value.Key, ".") {
			if node["additionalProperties"] != false {
				t.Fatalf("the schema allows unknown keys beside %s", value.Key)
			}
			child, ok := node["properties"].(map[string]any)[part].(map[string]any)
			if !ok {
				t.Fatalf("%s is not in the schema", value.Key)
			}
			node = child
		}
		if node["description"] == "" || node["type"] == nil {
			t.Errorf("%s has no description or type: %v", value.Key, node)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(config.Template()))
	f.Add([]byte("listen: 127.0.0.1:1\nmodels:\n  - {base_url: http://h, model: m, price: {input: 1}}\n"))
	f.Add([]byte("? a\n: - b\n  - |\n    x\n"))
	f.Add([]byte("server: {hosts: [a, 'b', \"c\"]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Parse("f", text)
		again, errAgain := config.Parse("f", text)
		if !reflect.DeepEqual(c, again) || (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
			t.Fatalf("two readings differ: %v, %v", err, errAgain)
		}
		if err == nil && config.Validate(c) == nil {
			shown, err := config.Parse("shown", []byte(config.Loaded{Config: c}.Text()))
			if c.Auth.Token == "" && c.LLM.APIKey == "" && c.LLM.BaseURL == "" && len(c.Models) == 0 && (err != nil || !reflect.DeepEqual(shown, c)) {
				t.Fatalf("what is shown reads differently: %v\n%+v\n%+v", err, c, shown)
			}
		}
	})
}
