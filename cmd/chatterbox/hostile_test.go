//go:build !race

// With the race detector a worker has no limits of memory and processor time, so hostile guests are judged without it.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/steps"
	"chatterbox/tools-wasm/testkit/hostile"
)

// TestHostileTools lets a conversation call one tool after the other that turns on it. After each the server lives, a good
// tool answers, the person has heard a sentence and the log names tool and reason.
func TestHostileTools(t *testing.T) {
	attacks, err := hostile.Table("product")
	if err != nil {
		t.Fatal(err)
	}
	settings, tools := withTools(t, time.Minute) // which only a hang reaches
	putTool(t, tools, "good", hostile.Good(), nil)
	var script strings.Builder
	for _, attack := range attacks {
		binary, err := attack.Module()
		if err != nil {
			t.Fatal(err)
		}
		var limits map[string]int64
		if strings.Contains(attack.Result, "did not finish") {
			limits = map[string]int64{"wall_ms": 500} // nothing else ends it, so nothing is gained by waiting
		}
		putTool(t, tools, attack.Name, binary, limits)
		fmt.Fprintf(&script, "{\"match\":{\"last\":\"user\",\"user\":\"use %s now\"},\"tool_calls\":[{\"name\":%[1]q}]}\n", attack.Name)
		if attack.Refused == "" {
			fmt.Fprintf(&script, "{\"match\":{\"tool\":%q},\"content\":\"It did not work.\"}\n", attack.Result)
		}
	}
	script.WriteString(`{"match":{"last":"user","user":"use good now"},"tool_calls":[{"name":"good"}],"repeat":"forever"}
{"match":{"tool":"\"name\":\"good\""},"content":"The good one works.","repeat":"forever"}
{"match":{"tool":"Unknown tool"},"content":"There is no such tool.","repeat":"forever"}
`)
	server, mock := scripted(t.Context(), t, settings, script.String())
	for _, attack := range attacks {
		t.Run(attack.Name, func(t *testing.T) { converseWith(t, server, attack) })
	}
	if err := server.Stop(); err != nil {
		t.Errorf("the server did not end well: %v\n%s", err, server.Log())
	}
	if log := server.Log(); strings.Contains(log, "\nlevel=INFO msg=forged") || strings.Contains(log, "\x1b") {
		t.Errorf("a guest wrote into the log:\n%s", log)
	}
	if err := mock.Err(); err != nil {
		t.Errorf("the model: %v", err)
	}
}

// withTools are the settings of a server with a model, and its folder of tools.
func withTools(t testing.TB, timeout time.Duration) (settings steps.Settings, tools string) {
	t.Helper()
	settings = steps.Settings{Data: t.TempDir(), Model: "mock", ToolTimeout: timeout}
	tools = filepath.Join(settings.Data, "tools")
	if err := os.Mkdir(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	return settings, tools
}

// putTool puts a tool into the folder; limits may be nil.
func putTool(t testing.TB, folder, name string, binary []byte, limits map[string]int64) {
	t.Helper()
	words := map[string]any{"name": name, "description": "Does what it does."}
	if limits != nil {
		words["limits"] = limits
	}
	manifest, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{name + ".wasm": binary, name + ".tool.json": manifest} {
		if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// scripted is a server that lives as long as ctx, and its model, which says what the script does.
func scripted(ctx context.Context, t testing.TB, settings steps.Settings, script string) (steps.Instance, *mockllm.Server) {
	t.Helper()
	replies, err := mockllm.Parse("hostile", strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	mock := mockllm.New(replies, mockllm.Options{})
	model := httptest.NewServer(mock)
	t.Cleanup(func() { mock.Close(); model.Close() })
	settings.ModelURL = model.URL + "/v1"
	server, err := product(t, t.TempDir(), "")(ctx, settings)
	if err != nil {
		t.Fatal(err)
	}
	return server, mock
}

// converseWith has one turn with the attack and one with the good tool.
func converseWith(t *testing.T, server steps.Instance, attack hostile.Attack) {
	t.Helper()
	grown, began := hostile.Watch(), time.Now()
	want := "It did not work."
	if attack.Refused != "" {
		want = "There is no such tool."
	}
	if got := say(t, server, "Please use "+attack.Name+" now"); got != want {
		t.Errorf("the person hears %q, want %q", got, want)
	}
	if took := time.Since(began); took > attack.Within*20 { // a busy machine is given time
		t.Errorf("it took %v, the bound is %v", took, attack.Within)
	}
	if memory := grown(); memory > attack.Memory {
		t.Errorf("memory grew by %d MiB, the bound is %d", memory>>20, attack.Memory>>20)
	}
	named := attack.Message == ""
	for line := range strings.Lines(server.Log()) {
		named = named || strings.Contains(line, attack.Name) && strings.Contains(line, attack.Message)
	}
	if !named {
		t.Errorf("no line of the log names tool and reason (%s):\n%s", attack.Message, server.Log())
	}
	if got := say(t, server, "Please use good now"); got != "The good one works." {
		t.Errorf("then the good tool: %q", got)
	}
}

// say is one turn, in a conversation of its own.
func say(t testing.TB, server steps.Instance, text string) string {
	t.Helper()
	heard, err := ask(context.Background(), server, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, server.Log())
	}
	return heard
}

// ask is say for a person who may leave.
func ask(ctx context.Context, server steps.Instance, text string) (heard string, err error) {
	body, _ := json.Marshal(map[string]string{"text": text})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/conversation", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fmt.Errorf("the server does not answer: %w", err)
	}
	defer response.Body.Close()
	var reply struct {
		Text string `json:"response_text"`
	}
	err = json.NewDecoder(response.Body).Decode(&reply)
	return reply.Text, err
}
