package steps

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// answerTimeout ends a request to a product that does not answer. It is far beyond what any turn here takes.
const answerTimeout = 60 * time.Second

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

// ask sends one request to the product, which it starts where it does not run, and reads the whole response. An empty
// body is sent as none; header has names and values by turns.
func (w *world) ask(ctx context.Context, method, path, body string, header ...string) (response, error) {
	if err := w.start(ctx); err != nil {
		return response{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, w.instance.URL+path, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for pair := range slices.Chunk(header, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	got, err := w.client.Do(request)
	if err != nil {
		return response{}, err
	}
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	return response{got.StatusCode, content}, err
}

// fetch is ask, and fails where the status is not 200.
func (w *world) fetch(ctx context.Context, method, path, body string, header ...string) ([]byte, error) {
	got, err := w.ask(ctx, method, path, body, header...)
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("the product answered %d %s", got.status, got.body)
	}
	return got.body, err
}

// spoken is what one person says. An empty conversation is left out.
type spoken struct {
	conversation, text string
	listening          bool // to a streamed answer
}

// converse says something and returns the answer, with the events it came in where somebody listens.
func (w *world) converse(ctx context.Context, said spoken) (out turn, err error) {
	out.conversation = said.conversation
	fields := map[string]any{"text": said.text, "trace": true}
	if said.conversation != "" {
		fields["conversation_id"] = said.conversation
	}
	header := []string{}
	if said.listening {
		header = []string{"Accept", "text/event-stream"}
	}
	body, err := w.fetch(ctx, http.MethodPost, "/conversation", scenario.Compact(fields), header...)
	if err != nil {
		return out, err
	}
	if said.listening {
		if out.events, err = readEvents(bytes.NewReader(body)); err != nil {
			return out, err
		}
		last := len(out.events) - 1
		if last < 0 || out.events[last].name != "done" {
			return out, fmt.Errorf("the stream of %d events does not end with done: %.300s", last+1, body)
		}
		body = out.events[last].data
	}
	out.reply, err = run.ReadReply(body)
	return out, err
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
