package run_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// planOf reads a recorded scenario back.
func planOf(t *testing.T, s run.RecordedScenario) (scenario.Plan, string) {
	t.Helper()
	tools, err := json.Marshal(s.Tools)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := scenario.Open(fstest.MapFS{"r.feature": {Data: []byte(s.Feature)}, "tools.json": {Data: tools}})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Feature)
	}
	plan, err := opened.Plan(opened.Scenarios[0])
	if err != nil {
		t.Fatal(err)
	}
	return plan, s.Feature + string(tools)
}

func call(name, arguments, result string) run.RecordedCall {
	return run.RecordedCall{Name: name, Arguments: json.RawMessage(arguments), Result: json.RawMessage(result)}
}

func TestAConversationBecomesAScenario(t *testing.T) {
	const key = "sk-abcdefghijklmnop1234"
	s, err := run.MakeScenario(run.Conversation{Name: "Log in", Turns: []run.RecordedTurn{
		{User: "My password is hunter22 and the key " + key + ", said \"Ada\".\nThanks!", Answer: "I keep it: hunter22."},
		{User: "Light in hall | loft, 1 to 3", Answer: "Done.", Steps: [][]run.RecordedCall{
			{call("light", `{"room":"hall | loft","level":"1 to 3","on":true,"note":"/x…","n":"5","l":["a\nb"]}`, `{"done":true}`)},
			{call("heat", `{}`, `"warm"`), call("login", `{"password":"other-one","user":"Ada"}`, ``)},
		}},
	}}, []string{"Ada"})
	if err != nil {
		t.Fatal(err)
	}
	plan, text := planOf(t, s)
	for _, secret := range []string{key, "hunter22", "other-one", "Ada"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is still in %s", secret, text)
		}
		if strings.Contains(strings.Join(s.Removed, "\n"), secret) {
			t.Errorf("%s is told in %s", secret, s.Removed)
		}
	}
	told := strings.Join(s.Removed, "\n")
	for _, want := range []string{"a password in turn 1, what the user said", "a key in turn 1", "a named secret in turn 1", "a password in turn 2, arguments of login"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told in\n%s", want, told)
		}
	}
	if len(plan.Turns) != 2 || !plan.Turns[0].Expect.NoTool || len(plan.Turns[1].Script) != 3 || len(plan.Turns[1].Expect.Calls) != 3 {
		t.Fatalf("%+v\n%s", plan, s.Feature)
	}
	played := plan.Turns[1].Script[0].ToolCalls[0]
	var arguments map[string]any
	if err := json.Unmarshal(played.Arguments, &arguments); err != nil || fmt.Sprint(arguments) != "map[l:[a\nb] level:1 to 3 n:5 note:/x… on:true room:hall | loft]" {
		t.Errorf("%v, %v", arguments, err)
	}
	if _, isText := arguments["n"].(string); !isText {
		t.Errorf("a text of digits has become %T", arguments["n"])
	}
	if string(plan.Tools[1].Answer) != `{"text":"\"warm\""}` || string(plan.Tools[2].Answer) != `{"done":true}` {
		t.Errorf("%s %s", plan.Tools[1].Answer, plan.Tools[2].Answer)
	}
	if _, err := run.MakeScenario(run.Conversation{Name: "x"}, nil); err == nil {
		t.Error("no turn is no error")
	}
}

func TestAProxyRemembers(t *testing.T) {
	mock := mockllm.New(&mockllm.Script{Replies: []mockllm.Reply{
		{ToolCalls: []mockllm.ToolCall{{ID: "c1", Name: "light", Arguments: json.RawMessage(`{"room":"hall"}`)}}},
		{Content: "Done."}, {Content: "You are welcome."},
	}}, mockllm.Options{})
	defer mock.Close()
	upstream := httptest.NewServer(mock)
	defer upstream.Close()
	proxy := &run.Proxy{Upstream: upstream.URL + "/v1", Client: upstream.Client()}
	if _, err := proxy.Conversations(); err == nil {
		t.Error("nothing is a conversation")
	}
	front := httptest.NewServer(proxy)
	defer front.Close()
	const tools = `"tools":[{"type":"function","function":{"name":"light","description":"Light.","parameters":{"type":"object","properties":{"room":{"type":"string"}}}}}]`
	const asked = `{"role":"system","content":"x"},{"role":"user","content":"Light!"}`
	const made = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"light","arguments":"{\"room\":\"hall\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"{\"done\":1}"}`
	for _, messages := range []string{asked, asked + "," + made, asked + `,{"role":"assistant","content":"Done."},{"role":"user","content":"Thanks."}`} {
		response, err := http.Post(front.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","stream":true,"messages":[`+messages+`],`+tools+`}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 || !strings.Contains(string(body), "[DONE]") {
			t.Fatalf("%d %s %v", response.StatusCode, body, err)
		}
	}
	conversations, err := proxy.Conversations()
	if err != nil || len(conversations) != 1 {
		t.Fatalf("%+v, %v", conversations, err)
	}
	s, err := run.MakeScenario(conversations[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := planOf(t, s)
	if len(plan.Turns) != 2 || len(plan.Turns[0].Expect.Calls) != 1 || plan.Turns[0].Script[1].Content != "Done." ||
		plan.Turns[1].Said[0] != "Thanks." || string(plan.Tools[0].Answer) != `{"done":1}` || plan.Tools[0].Description != "Light." {
		t.Errorf("%+v\n%s", plan, s.Feature)
	}
}

func TestAProxyWithoutAServer(t *testing.T) {
	front := httptest.NewServer(&run.Proxy{Upstream: "http://127.0.0.1:1/v1", Client: http.DefaultClient})
	defer front.Close()
	response, err := http.Post(front.URL+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), "cannot be reached") {
		t.Errorf("%d %s %v", response.StatusCode, body, err)
	}
}

// FuzzMake: whatever was said, the scenario can be read, and says what was said.
func FuzzMakeScenario(f *testing.F) {
	f.Add("Light!", "Done.", `{"room":"a|b"}`)
	f.Add("a\n\"\"\"\n```", "x\\", `{"a":{"b":[1e9]},"":" x "}`)
	f.Fuzz(func(t *testing.T, user, answer, arguments string) {
		if strings.TrimSpace(user) == "" {
			return
		}
		s, err := run.MakeScenario(run.Conversation{Name: "fuzz", Turns: []run.RecordedTurn{{User: user, Answer: answer, Steps: [][]run.RecordedCall{{call("light", arguments, "")}}}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(user+answer, "```") || strings.ContainsAny(user+answer+arguments, "\r") || !json.Valid([]byte(arguments)) || strings.Contains(arguments, `"":`) {
			return // what Gherkin cannot write
		}
		planOf(t, s)
	})
}
