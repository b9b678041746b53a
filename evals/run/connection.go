package run

import (
	"bytes"
	"cmp"
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

// Usage is what passed a connection.
type Usage struct {
	Calls            int
	PromptTokens     int
	CompletionTokens int
	Unmetered        bool // the server did not tell the tokens of a call
	Truncated        bool // the server cut a prompt
	FirstToken       time.Duration
	Fingerprint      string
	Retries          int
}

// Connection is the connection to a model during one trial.
type Connection struct {
	Model  Model
	Client *http.Client
	// Recording records or replays what passes; nil does neither.
	Recording *Recording
	// Trial is which repeat the connection serves, for the recording.
	Trial string
	// Pause is before the first retry; 0 is half a second.
	Pause time.Duration

	mu    sync.Mutex
	usage Usage          // guarded by mu
	seen  map[string]int // guarded by mu: how often a request came in this trial
}

// Usage is what passed so far.
func (c *Connection) Usage() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage
}

// Complete sends a request for a completion, with the model's name and sampling in it. The caller closes the body of
// the response, whose status is 200. Anything else is an infrastructure error.
func (c *Connection) Complete(ctx context.Context, request map[string]any) (*http.Response, error) {
	full := maps.Clone(request)
	full["model"] = c.Model.Name
	maps.Copy(full, c.Model.Sampling)
	body, err := json.Marshal(full)
	if err != nil {
		return nil, err
	}
	exchange := Exchange{Request: body, Trial: c.Trial, Repeat: c.repeat(body)}
	started := time.Now()
	response, err := c.answer(ctx, exchange)
	if err != nil {
		return nil, err
	}
	exchange.Status, exchange.ContentType = response.StatusCode, response.Header.Get("Content-Type")
	response.Body = &measured{from: response.Body, connection: c, started: started, exchange: exchange}
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response)
	}
	return response, nil
}

// answer comes from the recording where it is replayed, else from the server.
func (c *Connection) answer(ctx context.Context, asked Exchange) (*http.Response, error) {
	if !c.Recording.Replays() {
		return c.send(ctx, asked.Request)
	}
	kept, err := c.Recording.Find(asked)
	if err != nil {
		return nil, &InfrastructureError{"replay", err}
	}
	return kept.Response(), nil
}

// repeat counts equal requests of the trial, from 0.
func (c *Connection) repeat(body []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]int{}
	}
	c.seen[string(body)]++
	return c.seen[string(body)] - 1
}

// send sends the request, again where the server is busy or the connection fails.
func (c *Connection) send(ctx context.Context, body []byte) (*http.Response, error) {
	pause := cmp.Or(c.Pause, retryPause)
	for try := 1; ; try++ {
		response, err := c.once(ctx, body)
		wait := retryAfter(response, err, pause<<(try-1))
		switch {
		case wait > 0 && try < tries && ctx.Err() == nil:
		case err != nil:
			return nil, connectionError(ctx, err)
		default:
			return response, nil
		}
		if err == nil {
			response.Body.Close()
		}
		c.mu.Lock()
		c.usage.Retries++
		c.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// retryAfter is how long to wait before the next try, 0 where another one does not help. The server may say it
// itself.
func retryAfter(response *http.Response, err error, usual time.Duration) time.Duration {
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
			return 0 // there is no server
		}
		return usual
	}
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode < 500 {
		return 0
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	said := time.Duration(seconds) * time.Second
	switch {
	case err != nil || seconds <= 0:
		return usual
	case said > retryAfterMax:
		return 0
	}
	return said
}

func (c *Connection) once(ctx context.Context, body []byte) (*http.Response, error) {
	url := strings.TrimRight(c.Model.BaseURL, "/") + "/chat/completions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.Model.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Model.Key)
	}
	return c.Client.Do(request)
}

// noTools is how servers say that the model cannot be offered tools, as it is or as it is served.
var noTools = []string{
	"does not support tools", "support tool use", "support tool calling", "support function calling",
	"tools param requires", "tool choice requires",
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
	from       io.ReadCloser
	connection *Connection
	started    time.Time
	exchange   Exchange

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
	m.whole = m.whole || errors.Is(err, io.EOF)
	return n, err
}

// Close counts what passed, and records it when it passed whole.
func (m *measured) Close() error {
	err := m.from.Close()
	m.done.Do(func() {
		if m.exchange.Status == http.StatusOK {
			m.connection.count(m)
		}
		if m.whole {
			m.exchange.Body = m.kept.String()
			err = cmp.Or(err, m.connection.Recording.Keep(m.exchange))
		}
	})
	return err
}

func (c *Connection) count(m *measured) {
	prompt, completion, fingerprint := readUsage(m.exchange.ContentType, m.kept.Bytes())
	c.mu.Lock()
	defer c.mu.Unlock()
	u := &c.usage
	u.Calls++
	u.PromptTokens += prompt
	u.CompletionTokens += completion
	u.FirstToken = cmp.Or(u.FirstToken, m.first)
	u.Fingerprint = cmp.Or(fingerprint, u.Fingerprint)
	u.Unmetered = u.Unmetered || prompt == 0
	u.Truncated = u.Truncated || truncated(len(m.exchange.Request), prompt, completion)
}

// Signs of a prompt that the server cut: contexts that servers give without being asked, filled to the last token; or
// far fewer tokens than the request can have. No tokenizer needs more than bytesPerTokenMost bytes a token on
// average.
var usualContexts = []int{2048, 4096, 8192}

const (
	bytesPerTokenMost = 12
	longRequestBytes  = 6000 // shorter ones fit into every context
)

func truncated(askedBytes, prompt, completion int) bool {
	if prompt == 0 {
		return false
	}
	full := slices.Contains(usualContexts, prompt+completion)
	return full || askedBytes > longRequestBytes && prompt < askedBytes/bytesPerTokenMost
}
