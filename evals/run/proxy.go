package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"chatterbox/evals/scenario"
)

// exchangesMax bounds what a proxy keeps.
const exchangesMax = 10_000

// requestBytesMax bounds a request to a proxy.
const requestBytesMax = 32 << 20

// Proxy stands before a model's server, passes everything on and remembers what was said. It is an [http.Handler].
type Proxy struct {
	Upstream string // such as http://127.0.0.1:11434/v1
	Client   *http.Client

	mu    sync.Mutex
	order []string         // guarded by mu: first words of conversations
	had   map[string]*talk // guarded by mu, by first words
	count int              // guarded by mu
}

// talk is a conversation as the requests show it. Of each turn the last request has the most.
type talk struct {
	turns map[int]RecordedTurn // by how many turns the request had
	tools []scenario.Tool
	model string
}

// chat is a request for a completion, as far as it tells of a conversation.
type chat struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

// ServeHTTP passes a request on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestBytesMax))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	response, err := p.forward(r.Context(), r, path, body)
	if err != nil {
		http.Error(w, fmt.Sprintf(`{"error":{"message":%q}}`, "the model's server cannot be reached: "+err.Error()), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	w.WriteHeader(response.StatusCode)
	var answer strings.Builder
	Pass(w, io.TeeReader(io.LimitReader(response.Body, requestBytesMax), &answer))
	if path == "/chat/completions" && response.StatusCode == http.StatusOK {
		p.remember(body, response.Header.Get("Content-Type"), answer.String())
	}
}

func (p *Proxy) forward(ctx context.Context, r *http.Request, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, strings.TrimRight(p.Upstream, "/")+path, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Content-Type", "Authorization", "Accept"} {
		if value := r.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	return p.Client.Do(request)
}

// remember adds an exchange to its conversation.
func (p *Proxy) remember(body []byte, kind, answered string) {
	var asked chat
	answer, err := ReadMessage(kind, []byte(answered))
	if err != nil || json.Unmarshal(body, &asked) != nil {
		return // what a client cannot read is no part of a conversation
	}
	first, users, turn := lastTurn(asked.Messages, answer)
	if users == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count++; p.count > exchangesMax {
		return
	}
	if p.had == nil {
		p.had = map[string]*talk{}
	}
	one := p.had[first]
	if one == nil {
		one = &talk{turns: map[int]RecordedTurn{}, model: asked.Model}
		p.had[first], p.order = one, append(p.order, first)
	}
	one.turns[users] = turn
	for _, tool := range asked.Tools {
		f := tool.Function
		known := func(t scenario.Tool) bool { return t.Name == f.Name }
		if !containsTool(one.tools, known) {
			one.tools = append(one.tools, scenario.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
		}
	}
}

func containsTool(tools []scenario.Tool, fits func(scenario.Tool) bool) bool {
	for _, t := range tools {
		if fits(t) {
			return true
		}
	}
	return false
}

// lastTurn is the turn that a request and its answer end with, how many turns there are, and the first words of all.
func lastTurn(messages []Message, answer Message) (first string, users int, turn RecordedTurn) {
	for _, m := range messages {
		switch m.Role {
		case "user":
			if users++; users == 1 {
				first = textOf(m)
			}
			turn = RecordedTurn{User: textOf(m)}
		case "assistant":
			turn.add(m)
		case "tool":
			turn.settle(m.CallID, jsonText(textOf(m)))
		}
	}
	turn.add(answer)
	return first, users, turn
}

// pending marks a call whose result is not known yet by its id.
const pending = "pending:"

func (t *RecordedTurn) add(m Message) {
	if len(m.ToolCalls) == 0 {
		t.Answer = textOf(m)
		return
	}
	var step RecordedStep
	for _, c := range m.ToolCalls {
		step = append(step, RecordedCall{c.Function.Name, json.RawMessage(c.Function.Arguments), json.RawMessage(pending + c.ID)})
	}
	t.Steps = append(t.Steps, step)
}

func (t *RecordedTurn) settle(id string, result json.RawMessage) {
	for _, step := range t.Steps {
		for i := range step {
			if string(step[i].Result) == pending+id {
				step[i].Result = result
			}
		}
	}
}

// forget leaves calls without a result whose result nobody sent.
func (t *RecordedTurn) forget() {
	for _, step := range t.Steps {
		for i := range step {
			if strings.HasPrefix(string(step[i].Result), pending) {
				step[i].Result = nil
			}
		}
	}
}

func textOf(m Message) string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

func jsonText(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // a text always marshals
	}
	return raw
}

// Conversations are those that were had so far.
func (p *Proxy) Conversations() ([]Conversation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Conversation
	for _, first := range p.order {
		c := Conversation{Name: first, Model: p.had[first].model, Tools: p.had[first].tools}
		for n := 1; n <= exchangesMax; n++ {
			turn, ok := p.had[first].turns[n]
			if !ok {
				break
			}
			turn.forget()
			c.Turns = append(c.Turns, turn)
		}
		if len(c.Turns) > 0 {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no conversation was had")
	}
	return out, nil
}
