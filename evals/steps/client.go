package steps

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// answerTimeout ends a request to a product that does not answer. It is far beyond what any turn here takes.
const answerTimeout = 60 * time.Second

// reply is the product's answer to one turn.
type reply struct {
	ResponseText   string  `json:"response_text"`
	ConversationID *string `json:"conversation_id"`
	Extra          struct {
		Error *struct {
			Kind       string  `json:"kind"`
			RetryAfter float64 `json:"retry_after"`
		} `json:"error"`
		Approval *approvalView `json:"approval"`
	} `json:"extra"`
	Trace *trace `json:"trace"`
}

// trace is what the product says it did in a turn.
type trace struct {
	States    []string   `json:"states"`
	LLMCalls  int        `json:"llm_calls"`
	ToolCalls []toolCall `json:"tool_calls"`
	Route     struct {
		Stage  string `json:"stage"`
		Reason string `json:"reason"`
	} `json:"route"`
	Mode     string         `json:"mode"`
	Claims   []string       `json:"claim"`
	Workflow *workflowTrace `json:"workflow"`
}

// workflowTrace is the workflow that a turn belongs to.
type workflowTrace struct {
	Name   string            `json:"name"`
	Phase  string            `json:"phase"`
	Fields map[string]string `json:"fields"`
}

// approvalView is a call that waits for a yes.
type approvalView struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Question  string          `json:"question"`
	Expires   time.Time       `json:"expires"`
}

type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Cached    bool            `json:"cached"`
	Repaired  []string        `json:"repaired"`
}

// response is what came back over HTTP.
type response struct {
	status int
	body   []byte
}

// streamEvent is one event of a streamed answer.
type streamEvent struct {
	name string
	data []byte
}

// send sends one request to the product. An empty body is sent as none.
func (w *world) send(ctx context.Context, method, path string, header map[string]string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, w.instance.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	return w.client.Do(request)
}

// ask sends one request and reads the whole response.
func (w *world) ask(ctx context.Context, method, path string, header map[string]string, body []byte) (response, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	got, err := w.send(ctx, method, path, header, body)
	if err != nil {
		return response{}, err
	}
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	return response{got.StatusCode, content}, err
}

// turnBody is the request for one turn. An empty conversation is left out.
func turnBody(text, conversation string) []byte {
	fields := map[string]any{"text": text, "trace": true}
	if conversation != "" {
		fields["conversation_id"] = conversation
	}
	body, _ := json.Marshal(fields) // strings always marshal
	return body
}

// converse says text and returns the answer, whose status must be 200.
func (w *world) converse(ctx context.Context, text, conversation string) (reply, error) {
	got, err := w.ask(ctx, http.MethodPost, "/conversation", nil, turnBody(text, conversation))
	if err != nil {
		return reply{}, err
	}
	if got.status != http.StatusOK {
		return reply{}, fmt.Errorf("the product answered %d %s", got.status, got.body)
	}
	return readReply(got.body)
}

// listen says text and returns the answer with the events it came in.
func (w *world) listen(ctx context.Context, text, conversation string) (reply, []streamEvent, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	accept := map[string]string{"Accept": "text/event-stream"}
	got, err := w.send(ctx, http.MethodPost, "/conversation", accept, turnBody(text, conversation))
	if err != nil {
		return reply{}, nil, err
	}
	defer got.Body.Close()
	if kind := got.Header.Get("Content-Type"); got.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		return reply{}, nil, fmt.Errorf("the product answered %d with %q instead of a stream", got.StatusCode, kind)
	}
	events, err := readEvents(got.Body)
	if err != nil {
		return reply{}, nil, err
	}
	if len(events) == 0 || events[len(events)-1].name != "done" {
		return reply{}, events, fmt.Errorf("the stream of %d events does not end with done", len(events))
	}
	last, err := readReply(events[len(events)-1].data)
	return last, events, err
}

func readReply(body []byte) (reply, error) {
	var out reply
	if err := json.Unmarshal(body, &out); err != nil {
		return reply{}, fmt.Errorf("the reply %s: %w", body, err)
	}
	if out.Trace == nil {
		return reply{}, fmt.Errorf("the reply has no trace: %s", body)
	}
	return out, nil
}

// readEvents reads server-sent events to the end of the stream.
func readEvents(stream io.Reader) ([]streamEvent, error) {
	var events []streamEvent
	var current streamEvent
	var data []string
	scanner := bufio.NewScanner(stream)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := scanner.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				current.data = []byte(strings.Join(data, "\n"))
				events = append(events, current)
			}
			current, data = streamEvent{}, nil
		case field == "event":
			current.name = value
		case field == "data":
			data = append(data, value)
		}
	}
	if data != nil {
		return events, errors.Join(scanner.Err(), errors.New("the stream ends in the middle of an event"))
	}
	return events, scanner.Err()
}
