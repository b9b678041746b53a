package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/steps"
	"chatterbox/loop"
	"chatterbox/runtime/egress"
)

// canary is a secret of a tool, as it is sent.
const (
	canaryToken = "canary-7Qk9/Xw+2z=Lm4Rt8"
	canary      = "Bearer " + canaryToken
)

// canaryForms are the shapes in which a secret could be legible.
func canaryForms() map[string]string {
	raw := []byte(canaryToken)
	backwards := slices.Clone(raw)
	slices.Reverse(backwards)
	half := len(canaryToken) / 2
	forms := map[string]string{
		"raw": canaryToken, "reversed": string(backwards), "url": url.QueryEscape(canaryToken),
		"hex": hex.EncodeToString(raw), "HEX": strings.ToUpper(hex.EncodeToString(raw)),
		"the first half": canaryToken[:half], "the second half": canaryToken[half:],
	}
	for lead := range 3 { // base64 depends on where the value begins; what is left out depends on its neighbours
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, lead), raw...))
		forms[fmt.Sprintf("base64 behind %d bytes", lead)] = text[4 : len(text)-4]
	}
	return forms
}

// legible are the forms of the canary that text holds.
func legible(text string) (found []string) {
	for name, form := range canaryForms() {
		if strings.Contains(text, form) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// parrot is a service that was given the secret, and answers it in a form of its own on each path.
type parrot struct {
	*httptest.Server
	mu   sync.Mutex
	sent map[string]string // guarded by mu: the header that came, by path
}

var parrotPaths = []string{
	"/fine", "/echo", "/header", "/hex", "/base64", "/basic", "/url", "/reversed", "/halves", "/moved", "/malformed", "/error",
}

func newParrot(t *testing.T) *parrot {
	t.Helper()
	p := &parrot{sent: map[string]string{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	value := r.Header.Get("Authorization")
	p.mu.Lock()
	p.sent[r.URL.Path] = value
	p.mu.Unlock()
	_, token, _ := strings.Cut(value, " ")
	forms := canaryForms()
	switch r.URL.Path {
	case "/fine":
		io.WriteString(w, "the service is fine")
	case "/echo":
		fmt.Fprint(w, r.Header)
	case "/header":
		w.Header().Set("X-Seen", value)
	case "/base64":
		io.WriteString(w, base64.StdEncoding.EncodeToString([]byte(token)))
	case "/basic":
		io.WriteString(w, base64.URLEncoding.EncodeToString([]byte("me:"+token+"\n")))
	case "/halves":
		fmt.Fprintf(w, `{"one":%q,"two":%q}`, forms["the first half"], forms["the second half"])
	case "/moved":
		http.Redirect(w, r, "http://"+hex.EncodeToString([]byte(token))+".example.org/"+url.PathEscape(token), http.StatusFound)
	case "/malformed":
		if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
			io.WriteString(connection, value+"\r\n\r\n")
			connection.Close()
		}
	case "/error":
		http.Error(w, "wrong key: "+value, http.StatusUnauthorized)
	default:
		io.WriteString(w, forms[path.Base(r.URL.Path)])
	}
}

// canaryScript has the model ask the service on each path, for the answer and for all that the guest has in its memory.
func canaryScript(t *testing.T, base string) *mockllm.Script {
	t.Helper()
	var script strings.Builder
	line := func(value any) {
		if err := json.NewEncoder(&script).Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	call := func(said, tool string, arguments any) {
		line(map[string]any{
			"match": map[string]any{"last": "user", "user": said}, "repeat": "forever",
			"tool_calls": []any{map[string]any{"name": tool, "arguments": arguments}},
		})
	}
	for _, path := range parrotPaths {
		call("Ask "+path+" now.", "http_request", map[string]any{"url": base + path})
		call("Remember "+path+" now.", "http_request", map[string]any{"url": base + path, "memory": true})
	}
	call("Is there a key?", "secret_exists", map[string]any{"ref": "key", "memory": true})
	line(map[string]any{"match": map[string]any{"last": "tool"}, "content": "It answered.", "repeat": "forever"})
	parsed, err := mockllm.Parse("canary", strings.NewReader(script.String()))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// prowl has a real server talk to a tool that was granted the secret, and gives all that was written, by where.
func prowl(t *testing.T, mutation string) map[string]string {
	t.Helper()
	service := newParrot(t)
	mock := mockllm.New(canaryScript(t, service.URL), mockllm.Options{})
	var traffic logBuffer
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(&traffic, "%v %s\n", r.Header, body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mock.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { mock.Close(); model.Close() })
	settings := steps.Settings{Data: t.TempDir(), Model: "mock", ModelURL: model.URL + "/v1"}
	if err := os.CopyFS(filepath.Join(settings.Data, "compiled"), os.DirFS(compiled(t))); err != nil {
		t.Fatal(err)
	}
	secrets := filepath.Join(settings.Data, "secrets")
	write(t, filepath.Join(secrets, "key"), canary+"\n")
	start := func(arguments ...string) *exec.Cmd {
		command := exec.CommandContext(t.Context(), os.Args[0], arguments...)
		command.Env = append(environment(settings), envAsProgram+"=1", envMutation+"="+mutation, "CHATTERBOX_LOG_LEVEL=debug")
		return command
	}
	installed, err := start(installProwler(t, service.URL)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, installed)
	}
	server, err := launch(start("serve"))
	if err != nil {
		t.Fatal(err)
	}
	replies := converse(t, server)
	if err := server.Stop(); err != nil {
		t.Errorf("the server did not end well: %v\n%s", err, server.Log())
	}
	service.mu.Lock()
	defer service.mu.Unlock()
	for _, path := range parrotPaths {
		if service.sent[path] != canary {
			t.Errorf("the service was sent %q on %s", service.sent[path], path)
		}
	}
	return map[string]string{
		"what install printed": string(installed), "replies": replies, "the model's requests": traffic.String(),
		"the log": server.Log(), "the data folder": contents(t, settings.Data, secrets),
	}
}

// installProwler writes a tool that may ask the service, and its grant, and gives the command that installs it.
func installProwler(t *testing.T, service string) []string {
	t.Helper()
	folder := t.TempDir()
	module, err := os.ReadFile("../../tools-wasm/testkit/modules/asks.wasm")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(service, "http://"), ":")
	rights := `"secrets":[{"ref":"key","header":"Authorization","only_to":"127.0.0.1"}],
		"net":[{"scheme":"http","host":"127.0.0.1","port":` + port + `%s}]`
	limits := `"cache":{"ttl":"300s"},"limits":{"output":262144}`
	write(t, filepath.Join(folder, "asks.wasm"), string(module))
	write(t, filepath.Join(folder, "asks.tool.json"), fmt.Sprintf(`{"tools":[
		{"name":"http_request","description":"Asks a service.",%[1]s,%[2]s},
		{"name":"secret_exists","description":"Looks for a key.",%[1]s,%[2]s}]}`, fmt.Sprintf(rights, ""), limits))
	write(t, filepath.Join(folder, "grant.json"), "{"+fmt.Sprintf(rights, `,"private":true`)+"}")
	return []string{"tool", "install", folder, "--grant", filepath.Join(folder, "grant.json")}
}

// converse asks for each path, and once again for one that is answered from the cache then.
func converse(t *testing.T, server steps.Instance) string {
	t.Helper()
	said := []string{"Is there a key?"}
	for _, path := range parrotPaths {
		said = append(said, "Ask "+path+" now.", "Remember "+path+" now.")
	}
	said = append(said, "Remember /fine now.")
	var replies strings.Builder
	for i, text := range said {
		body, _ := json.Marshal(map[string]any{"text": text, "conversation_id": "prowl", "trace": true})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/conversation", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if i%2 == 1 {
			request.Header.Set("Accept", "text/event-stream")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%v\n%s", err, server.Log())
		}
		answer, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !bytes.Contains(answer, []byte("It answered.")) {
			t.Errorf("%s: %s, %v", text, answer, err)
		}
		replies.Write(answer)
	}
	return replies.String()
}

// contents are all files below folder, but for those below without.
func contents(t *testing.T, folder, without string) string {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == without:
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(&all, "%s\n%s\n", name, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSecretLeavesNoTraceOfItself holds that a secret reaches the service that it is for, and is legible nowhere else in the
// product: not to the guest, whose memory is in its results, nor to the model, the listener, the log, the history or the cache.
func TestSecretLeavesNoTraceOfItself(t *testing.T) {
	seen := prowl(t, "")
	for where, text := range seen {
		if found := legible(text); len(found) > 0 {
			t.Errorf("%s: legible (%s)", where, strings.Join(found, ", "))
			for line := range strings.Lines(text) {
				if len(legible(line)) > 0 {
					t.Logf("%.600q", line)
				}
			}
		}
	}
	for where, marks := range map[string][]string{ // what must be there, or the test looks at nothing
		"replies":              {"the service is fine", `"cached":true`, "answered with the secret that it was sent", "secret_exists deliver"},
		"the model's requests": {"the service is fine", "answered with the secret that it was sent", "exists"},
		"the log":              {"egress request", "tool=http_request", egress.Redacted},
		"the data folder":      {"the service is fine", "Remember /fine now.", "only_to"},
	} {
		for _, mark := range marks {
			if !strings.Contains(seen[where], mark) {
				t.Errorf("%s: %q is not there: %.3000s", where, mark, seen[where])
			}
		}
	}
}

// handsOver is a mutation: a guest gets the secret, and tells it in every form.
const handsOver = "a secret handed over"

// generousGuests adds every form of the secret to a result.
type generousGuests struct{ loop.Tools }

func (g generousGuests) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	result := g.Tools.Call(ctx, call, verdict)
	text, _ := json.Marshal(canaryForms())
	result.Content = string(text)
	return result
}

// TestSecretThatIsHandedOverIsFound is the control: every form of it is seen where results go.
func TestSecretThatIsHandedOverIsFound(t *testing.T) {
	seen := prowl(t, handsOver)
	for _, where := range []string{"replies", "the model's requests", "the data folder"} {
		if found := legible(seen[where]); len(found) != len(canaryForms()) {
			t.Errorf("%s: only %v are found", where, found)
		}
	}
}
