package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
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
	had   []*Conversation // guarded by mu, in the order of their first words, which are their names
	count int             // guarded by mu
}

// chat is a request for a completion, as far as it tells of a conversation.
type chat struct {
	Model    string       `json:"model"`
	Messages []apiMessage `json:"messages"`
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
		told := fmt.Sprintf(`{"error":{"message":%q}}`, "the model's server cannot be reached: "+err.Error())
		http.Error(w, told, http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	w.WriteHeader(response.StatusCode)
	var answer strings.Builder
	pass(w, io.TeeReader(io.LimitReader(response.Body, requestBytesMax), &answer))
	if path == "/chat/completions" && response.StatusCode == http.StatusOK {
		p.remember(body, response.Header.Get("Content-Type"), answer.String())
	}
}

func (p *Proxy) forward(ctx context.Context, r *http.Request, path string, body []byte) (*http.Response, error) {
	url := strings.TrimRight(p.Upstream, "/") + path
	request, err := http.NewRequestWithContext(ctx, r.Method, url, bytes.NewReader(body))
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

// remember adds an exchange to its conversation. Of each turn the last request has the most.
func (p *Proxy) remember(body []byte, kind, answered string) {
	var asked chat
	answer, err := readMessage(kind, []byte(answered))
	if err != nil || json.Unmarshal(body, &asked) != nil {
		return // what a client cannot read is no part of a conversation
	}
	first, turns, turn := lastTurn(append(asked.Messages, answer))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count++; p.count > exchangesMax || turns == 0 {
		return
	}
	at := slices.IndexFunc(p.had, func(c *Conversation) bool { return c.Name == first })
	if at < 0 {
		at = len(p.had)
		p.had = append(p.had, &Conversation{Name: first, Model: asked.Model})
	}
	c := p.had[at]
	switch {
	case turns <= len(c.Turns):
		c.Turns[turns-1] = turn
	case turns == len(c.Turns)+1:
		c.Turns = append(c.Turns, turn)
	}
	for _, tool := range asked.Tools {
		f := tool.Function
		if !slices.ContainsFunc(c.Tools, func(t scenario.Tool) bool { return t.Name == f.Name }) {
			c.Tools = append(c.Tools, scenario.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
		}
	}
}

// lastTurn is the turn that messages end with, how many turns there are, and the first words of all.
func lastTurn(messages []apiMessage) (first string, turns int, turn RecordedTurn) {
	for _, m := range messages {
		switch m.Role {
		case "user":
			if turns++; turns == 1 {
				first = m.text()
			}
			turn = RecordedTurn{User: m.text()}
		case "assistant":
			turn.add(m)
		case "tool":
			turn.settle(m)
		}
	}
	return first, turns, turn
}

func (t *RecordedTurn) add(m apiMessage) {
	var step []RecordedCall
	for _, c := range m.ToolCalls {
		arguments := json.RawMessage(c.Function.Arguments)
		step = append(step, RecordedCall{Name: c.Function.Name, Arguments: arguments, id: c.ID})
	}
	if step == nil {
		t.Answer = m.text()
		return
	}
	t.Steps = append(t.Steps, step)
}

// settle adds a result to its call.
func (t *RecordedTurn) settle(m apiMessage) {
	result := json.RawMessage(m.text())
	if !json.Valid(result) {
		result = marshal(m.text())
	}
	for _, step := range t.Steps {
		for i := range step {
			if c := &step[i]; c.Result == nil && c.id == m.CallID {
				c.Result = result
			}
		}
	}
}

// Conversations are those that were had so far.
func (p *Proxy) Conversations() ([]Conversation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Conversation
	for _, c := range p.had {
		if len(c.Turns) > 0 {
			out = append(out, *c)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no conversation was had")
	}
	return out, nil
}
