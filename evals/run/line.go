package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of what a model's server may do.
const (
	answerBytesMax = 32 << 20
	errorBytesMax  = 4 << 10
	tries          = 3
	retryAfterMax  = 30 * time.Second
)

// retryPause is how long the first retry waits where the server does not say; the next waits twice as long.
const retryPause = 500 * time.Millisecond

// Model is a model at an address.
type Model struct {
	Name    string
	BaseURL string // such as http://127.0.0.1:11434/v1
	Key     string
	// Sampling are fields of every request: temperature, seed, options.
	Sampling map[string]any
}

// Meter is what passed a line.
type Meter struct {
	Calls            int
	PromptTokens     int
	CompletionTokens int
	Unmetered        bool // the server did not tell the tokens of a call
	Truncated        bool // the server cut a prompt
	FirstToken       time.Duration
	Fingerprint      string
	Retries          int
}

// Line is the connection to a model during one trial.
type Line struct {
	Model  Model
	Client *http.Client
	// Recording records or replays what passes; nil does neither.
	Recording *Recording
	// Trial is which repeat the line serves, for the recording.
	Trial string
	// Pause is before the first retry; 0 is half a second.
	Pause time.Duration

	mu    sync.Mutex
	meter Meter          // guarded by mu
	seen  map[string]int // guarded by mu: how often a request came in this trial
}

// Meter is what passed so far.
func (l *Line) Meter() Meter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.meter
}

// Complete sends a request for a completion, with the model's name and sampling in it. The caller closes the body of the
// response, whose status is 200. Anything else is an infrastructure error.
func (l *Line) Complete(ctx context.Context, request map[string]any) (*http.Response, error) {
	full := maps.Clone(request)
	full["model"] = l.Model.Name
	maps.Copy(full, l.Model.Sampling)
	body, err := json.Marshal(full)
	if err != nil {
		return nil, err
	}
	key := RequestKey{Request: body, Trial: l.Trial, Repeat: l.repeat(body)}
	started := time.Now()
	var response *http.Response
	if l.Recording.Replays() {
		kept, err := l.Recording.Find(key)
		if err != nil {
			return nil, &InfrastructureError{"replay", err}
		}
		response = kept.Response()
	} else if response, err = l.send(ctx, body); err != nil {
		return nil, err
	}
	response.Body = &measured{
		from: response.Body, line: l, started: started, asked: len(body), key: key,
		kind: response.Header.Get("Content-Type"), status: response.StatusCode,
	}
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response)
	}
	return response, nil
}

// repeat counts equal requests of the trial, from 0.
func (l *Line) repeat(body []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]int{}
	}
	l.seen[string(body)]++
	return l.seen[string(body)] - 1
}

// send sends the request, again where the server is busy or the connection fails.
func (l *Line) send(ctx context.Context, body []byte) (*http.Response, error) {
	pause := l.Pause
	if pause == 0 {
		pause = retryPause
	}
	for try := 1; ; try++ {
		response, err := l.once(ctx, body)
		again := err != nil && !unreachable(err) || err == nil && (response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500)
		if !again || try == tries || ctx.Err() != nil {
			if err != nil {
				return nil, connectionError(ctx, err)
			}
			return response, nil
		}
		wait := pause << (try - 1)
		if err == nil {
			if seconds, bad := strconv.Atoi(response.Header.Get("Retry-After")); bad == nil && seconds > 0 {
				if wait = time.Duration(seconds) * time.Second; wait > retryAfterMax {
					return response, nil
				}
			}
			response.Body.Close()
		}
		l.mu.Lock()
		l.meter.Retries++
		l.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// unreachable says that there is no server: asking again at once does not help.
func unreachable(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

func connectionError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &InfrastructureError{"connection", err}
}

func (l *Line) once(ctx context.Context, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(l.Model.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if l.Model.Key != "" {
		request.Header.Set("Authorization", "Bearer "+l.Model.Key)
	}
	return l.Client.Do(request)
}

// noTools is how servers say that the model cannot be offered tools, as it is or as it is served.
var noTools = []string{
	"does not support tools", "support tool use", "support tool calling", "support function calling", "tools param requires", "tool choice requires",
}

// refusal is the infrastructure error that a response with an error tells of. It closes the response.
func refusal(response *http.Response) error {
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, errorBytesMax))
	if err != nil {
		return &InfrastructureError{"connection", err}
	}
	said := strings.TrimSpace(string(text))
	lower := strings.ToLower(said)
	kind := "server"
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		kind = "authentication"
	case status == http.StatusTooManyRequests:
		kind = "rate_limit"
	case strings.Contains(lower, "context length") || strings.Contains(lower, "context_length"):
		kind = "context_length"
	case slices.ContainsFunc(noTools, func(words string) bool { return strings.Contains(lower, words) }):
		kind = "tools"
	case status == http.StatusNotFound:
		kind = "not_found"
	}
	return infrastructure(kind, "the model's server answered %d %s", response.StatusCode, said)
}

// measured is the body of a response that is looked at as it passes.
type measured struct {
	from    io.ReadCloser
	line    *Line
	started time.Time
	asked   int // bytes of the request
	key     RequestKey
	kind    string
	status  int

	kept  bytes.Buffer
	first time.Duration
	whole bool
	done  sync.Once
}

func (m *measured) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if n > 0 && m.first == 0 {
		m.first = time.Since(m.started)
	}
	if m.kept.Len()+n > answerBytesMax {
		return 0, fmt.Errorf("the model's answer is over %d bytes", answerBytesMax)
	}
	m.kept.Write(p[:n])
	if errors.Is(err, io.EOF) {
		m.whole = true
	}
	return n, err
}

// Close counts what passed, and records it when it passed whole.
func (m *measured) Close() error {
	err := m.from.Close()
	m.done.Do(func() {
		if m.status == http.StatusOK {
			m.line.count(m.asked, m.first, readUsage(m.kind, m.kept.Bytes()))
		}
		if m.whole {
			if recorded := m.line.Recording.Keep(m.key, m.status, m.kind, m.kept.Bytes()); err == nil {
				err = recorded
			}
		}
	})
	return err
}

func (l *Line) count(asked int, first time.Duration, usage usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &l.meter
	m.Calls++
	m.PromptTokens += usage.PromptTokens
	m.CompletionTokens += usage.CompletionTokens
	if m.FirstToken == 0 {
		m.FirstToken = first
	}
	if usage.Fingerprint != "" {
		m.Fingerprint = usage.Fingerprint
	}
	m.Unmetered = m.Unmetered || usage.PromptTokens == 0
	m.Truncated = m.Truncated || truncated(asked, usage)
}

// usage is what a server says of one completion.
type usage struct {
	PromptTokens     int
	CompletionTokens int
	Fingerprint      string
}

// readUsage finds usage in a completion, or in the events of a streamed one.
func readUsage(kind string, body []byte) usage {
	var out usage
	look := func(raw []byte) {
		var from struct {
			Usage *struct {
				PromptTokens     int `json:"prompt_tokens"`
				CompletionTokens int `json:"completion_tokens"`
			} `json:"usage"`
			Fingerprint string `json:"system_fingerprint"`
		}
		if json.Unmarshal(raw, &from) != nil {
			return
		}
		if from.Usage != nil {
			out.PromptTokens, out.CompletionTokens = from.Usage.PromptTokens, from.Usage.CompletionTokens
		}
		if from.Fingerprint != "" {
			out.Fingerprint = from.Fingerprint
		}
	}
	if !strings.HasPrefix(kind, "text/event-stream") {
		look(body)
		return out
	}
	first := true
	for line := range bytes.Lines(body) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if ok && (first || bytes.Contains(data, []byte(`"usage"`))) {
			look(data)
			first = false
		}
	}
	return out
}

// Signs of a prompt that the server cut: contexts that servers give without being asked, filled to the last token; or far
// fewer tokens than the request can have. No tokenizer needs more than bytesPerTokenMost bytes a token on average.
var usualContexts = []int{2048, 4096, 8192}

const (
	bytesPerTokenMost = 12
	longRequestBytes  = 6000 // shorter ones fit into every context
)

func truncated(asked int, u usage) bool {
	if u.PromptTokens == 0 {
		return false
	}
	for _, size := range usualContexts {
		if u.PromptTokens+u.CompletionTokens == size {
			return true
		}
	}
	return asked > longRequestBytes && u.PromptTokens < asked/bytesPerTokenMost
}
