package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// Mapping says how a product that runs already is spoken to. Without Body and Reply it has the API of this one.
type Mapping struct {
	Name    string            `json:"name"`
	URL     string            `json:"url"` // of one turn; of a product of this kind, without /conversation
	Headers map[string]string `json:"headers"`
	Tools   []string          `json:"tools"` // that it has; scenarios about others are left out
	// Body is what is posted: in its texts {text}, {conversation} and {language} are filled in.
	Body json.RawMessage `json:"body"`
	// Reply is where things stand in the answer: names joined by points, numbers for places in a list.
	Reply *struct {
		Answer    string `json:"answer"`
		Calls     string `json:"calls"`     // a list; the next three are within its entries
		Name      string `json:"name"`      // of the tool
		Arguments string `json:"arguments"` // an object, or its JSON as text
		Result    string `json:"result"`
	} `json:"reply"`
}

// ReadMapping reads a mapping. getenv fills in $NAME in headers.
func ReadMapping(name string, getenv func(string) string) (Mapping, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Mapping{}, err
	}
	var m Mapping
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	address, err := url.Parse(m.URL)
	switch {
	case err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "":
		err = fmt.Errorf("expected url, such as http://127.0.0.1:8080/chat, found %q", m.URL)
	case m.Name == "":
		err = errors.New("expected name, which the log calls the product")
	case len(m.Tools) == 0:
		err = errors.New("expected tools, the names of those that the product has")
	case (m.Body == nil) != (m.Reply == nil):
		err = errors.New("expected body and reply, or neither for a product of this kind")
	case m.Reply != nil && (m.Reply.Answer == "" ||
		m.Reply.Calls != "" && (m.Reply.Name == "" || m.Reply.Arguments == "")):
		err = errors.New("expected reply.answer, and with reply.calls also reply.name and reply.arguments")
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	for key, value := range m.Headers {
		m.Headers[key] = os.Expand(value, getenv)
	}
	return m, nil
}

// Mapped is a product that runs already.
type Mapped struct {
	Mapping Mapping
	Client  *http.Client
}

// Prepare implements [Strategy].
func (m Mapped) Prepare(_ context.Context, plan scenario.Plan, _ []scenario.Tool) (Setup, error) {
	return Setup{Begin: func(ctx context.Context, _ *Connection) (Say, error) {
		if m.Mapping.Reply != nil {
			return m.conversation(cmp.Or(plan.Language, "en")).after(ctx, plan.Before)
		}
		url := strings.TrimRight(m.Mapping.URL, "/")
		p := product{url: url, header: m.Mapping.Headers, client: m.Client, language: plan.Language, anyResult: true}
		return p.conversation().after(ctx, plan.Before)
	}}, nil
}

// conversation is one with a product that has an API of its own.
func (m Mapped) conversation(language string) Say {
	id := newConversation()
	return func(ctx context.Context, said string) (judge.Observed, error) {
		fill := strings.NewReplacer("{text}", inText(said), "{conversation}", id, "{language}", inText(language))
		body := json.RawMessage(fill.Replace(string(m.Mapping.Body)))
		raw, err := exchange(ctx, m.Client, m.Mapping.URL, m.Mapping.Headers, body)
		if err != nil {
			return judge.Observed{}, err
		}
		return m.read(raw)
	}
}

// inText is how a text stands within a text of JSON.
func inText(text string) string {
	quoted := marshal(text)
	return string(quoted[1 : len(quoted)-1])
}

// read finds answer and calls in a reply.
func (m Mapped) read(raw []byte) (judge.Observed, error) {
	var got judge.Observed
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil && !errors.Is(err, io.EOF) {
		return got, infrastructure("server", "the product's reply is no JSON: %.300s", raw)
	}
	at := m.Mapping.Reply
	answer, ok := lookUp(value, at.Answer).(string)
	if !ok {
		return got, infrastructure("server", "the product's reply has no text at %s: %.300s", at.Answer, raw)
	}
	got.Answer = answer
	if at.Calls == "" {
		return got, nil
	}
	list, ok := lookUp(value, at.Calls).([]any)
	if !ok && lookUp(value, at.Calls) != nil {
		return got, infrastructure("server", "the product's reply has no list at %s: %.300s", at.Calls, raw)
	}
	for i, entry := range list {
		name, ok := lookUp(entry, at.Name).(string)
		if !ok {
			return got, infrastructure("server", "call %d has no name at %s: %.300s", i+1, at.Name, raw)
		}
		call := judge.Call{Name: name, Arguments: rawArguments(lookUp(entry, at.Arguments))}
		if at.Result != "" {
			call.Result = marshal(lookUp(entry, at.Result))
		}
		if len(call.Arguments) == 0 || call.Arguments[0] != '{' {
			call.Refusal = judge.NotReadable
		}
		got.Calls = append(got.Calls, call)
	}
	return got, nil
}

// rawArguments are arguments as JSON: what is a text of an object becomes the object.
func rawArguments(value any) json.RawMessage {
	if text, ok := value.(string); ok && json.Valid([]byte(text)) && strings.HasPrefix(strings.TrimSpace(text), "{") {
		return json.RawMessage(strings.TrimSpace(text))
	}
	if value == nil {
		return json.RawMessage(`{}`)
	}
	return marshal(value)
}

// lookUp follows a path; nil where it leads nowhere.
func lookUp(value any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(v) {
				return nil
			}
			value = v[n]
		default:
			return nil
		}
	}
	return value
}

// Has says whether the product has all tools.
func (m Mapping) Has(tools []scenario.Tool) bool {
	return !slices.ContainsFunc(tools, func(t scenario.Tool) bool { return !slices.Contains(m.Tools, t.Name) })
}
