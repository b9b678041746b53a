// Package openai asks a language model on any server that speaks OpenAI's chat completions API.
//
// The requests go through go-openai. Around it stand a round tripper, which bounds and cleans what servers send before
// that client sees it, and an assembler, which puts streamed pieces together as servers really send them.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"sync/atomic"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"chatterbox/loop"
	"chatterbox/runtime/internal/addresses"
)

// Defaults of [Options].
const (
	DefaultBaseURL       = "https://api.openai.com/v1"
	DefaultFirstToken    = 20 * time.Second
	DefaultBetweenTokens = 15 * time.Second
	DefaultWhole         = 60 * time.Second
	// DefaultLocalWait is for the first token of a private address, whose models load first; the whole call gets as much
	// more.
	DefaultLocalWait      = 120 * time.Second
	DefaultMaxAnswerBytes = 1 << 20
)

// afterFinish is how long a stream may take to end once its finish_reason was seen: usage comes in that time, and a
// server that never ends its streams costs no more.
const afterFinish = time.Second

// Options says which model to ask, where, and how long. Zero values mean the defaults.
type Options struct {
	// BaseURL is what stands before /chat/completions. One without /v1 is tried with it when the server knows no such
	// path.
	BaseURL string
	Model   string
	APIKey  string // sent as a bearer token unless empty

	FirstToken    time.Duration // until the first event of a stream; comments are no events
	BetweenTokens time.Duration // between two events
	Whole         time.Duration // one call from request to end

	// MaxAnswerBytes bounds one event, one answer that is not streamed, and the text and arguments of one answer. A
	// stream may have 32 times as many bytes, which is what its framing costs. All counted after decompression.
	MaxAnswerBytes int

	Transport http.RoundTripper // nil: an own one that keeps connections open
}

// Client asks one model. It implements [loop.Model].
type Client struct {
	api           *goopenai.Client
	wire          *transport
	model         string
	firstToken    time.Duration
	betweenTokens time.Duration
	whole         time.Duration
	maxBytes      int
	noUsage       atomic.Bool // the server refuses stream_options
	offer         atomic.Pointer[offer]
}

var _ loop.Model = (*Client)(nil)

// New checks the options and returns a client. It sends nothing. The error says what to change in the address.
func New(options Options) (*Client, error) {
	base, err := parseBase(options.BaseURL)
	if err != nil {
		return nil, err
	}
	firstToken, whole := DefaultFirstToken, DefaultWhole
	if addresses.Local(base.Hostname()) {
		firstToken, whole = DefaultLocalWait, DefaultWhole+DefaultLocalWait-DefaultFirstToken
	}
	c := &Client{
		model:         options.Model,
		firstToken:    cmp.Or(options.FirstToken, firstToken),
		betweenTokens: cmp.Or(options.BetweenTokens, DefaultBetweenTokens),
		whole:         cmp.Or(options.Whole, whole),
		maxBytes:      cmp.Or(options.MaxAnswerBytes, DefaultMaxAnswerBytes),
	}
	c.wire = newTransport(options.Transport, base, c.maxBytes)
	config := goopenai.DefaultConfig(options.APIKey)
	config.BaseURL = base.String()
	config.HTTPClient = &http.Client{Transport: c.wire}
	c.api = goopenai.NewClientWithConfig(config)
	return c, nil
}

// Close waits for connections that are being made ready for reuse, at most a second, and closes the idle ones. Calls
// that still run are not affected.
func (c *Client) Close() { c.wire.close() }

// Complete implements [loop.Model]. It sends one request, and a second one only to learn what the server can do:
// whether its paths begin with /v1, whether it streams, whether it knows stream_options. What it learned it keeps.
func (c *Client) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	if onDelta == nil {
		onDelta = func(string) {}
	}
	messages, err := messagesOf(request.Messages)
	if err != nil {
		return loop.Completion{}, err
	}
	tools, err := c.toolsOf(request.Tools)
	if err != nil {
		return loop.Completion{}, err
	}
	streamed, usage := !c.wire.noStream.Load(), !c.noUsage.Load()
	for {
		completion, err := c.attempt(ctx, content{messages, tools, !streamed}, usage, onDelta)
		switch {
		case err == nil:
			c.learn(streamed, usage)
			return completion, nil
		case ctx.Err() != nil:
			return loop.Completion{}, fmt.Errorf("ask model %s: %w", c.model, ctx.Err())
		case streamed && usage && refuses(err, aboutUsage):
			usage = false
		case streamed && refuses(err, aboutStreams):
			streamed = false
		default:
			return loop.Completion{}, err
		}
	}
}

// learn keeps what a request had to do without when the server answered it.
func (c *Client) learn(streamed, usage bool) {
	if !streamed {
		c.wire.noStream.Store(true)
	}
	if !usage {
		c.noUsage.Store(true)
	}
}

func (c *Client) attempt(ctx context.Context, asked content, usage bool, onDelta func(string),
) (loop.Completion, error) {
	ctx, done := context.WithTimeoutCause(ctx, c.whole, tooSlow("no whole answer within %s", c.whole))
	defer done()
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, contentKey{}, &asked))
	defer cancel(nil)
	quiet := newQuiet(cancel, c.firstToken, "no token within %s")
	defer func() { quiet.stop() }()
	request := goopenai.ChatCompletionRequest{Model: c.model}
	if asked.whole {
		quiet.stop() // the first token comes with the last
	} else if usage {
		request.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	stream, err := c.api.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return loop.Completion{}, c.failure(ctx, err)
	}
	defer stream.Close() //nolint:errcheck // nothing is written

	answer := newAssembler(c.maxBytes, onDelta)
	for first := true; ; first = false {
		line, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) { // the transport lets only [DONE] become one
			return answer.completion(c.model)
		}
		if err != nil {
			err = c.failure(ctx, err)
			if answer.finished() && loop.AsError(err).Kind == loop.KindConnection {
				return answer.completion(c.model)
			}
			return loop.Completion{}, err
		}
		piece, err := decodeChunk(line)
		if err != nil {
			return loop.Completion{}, err
		}
		if err := answer.add(piece); err != nil {
			return loop.Completion{}, err
		}
		switch {
		case answer.finished():
			quiet.stop()
			quiet = newQuiet(cancel, min(afterFinish, c.betweenTokens), "no end within %s of finish_reason")
		case first:
			quiet.stop()
			quiet = newQuiet(cancel, c.betweenTokens, "no further token within %s")
		default:
			quiet.reset()
		}
	}
}

// quiet cancels a call when nothing happens for a time.
type quiet struct {
	timer *time.Timer
	after time.Duration
}

func newQuiet(cancel context.CancelCauseFunc, after time.Duration, format string) quiet {
	return quiet{after: after, timer: time.AfterFunc(after, func() { cancel(tooSlow(format, after)) })}
}

func (q quiet) reset() { q.timer.Reset(q.after) }
func (q quiet) stop()  { q.timer.Stop() }

func tooSlow(format string, limit time.Duration) *loop.Error {
	message := "the model server was too slow: " + fmt.Sprintf(format, limit)
	return &loop.Error{Kind: loop.KindConnection, Message: message, Err: os.ErrDeadlineExceeded}
}

// failure is err as a *loop.Error. The reason for which the call was given up comes before the error that this caused.
func (c *Client) failure(ctx context.Context, err error) error {
	var typed *loop.Error
	if errors.As(context.Cause(ctx), &typed) || errors.As(err, &typed) {
		return typed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &loop.Error{Kind: loop.KindAPI, Message: clip(err.Error())}
}

// What servers say of that which they do not know.
var (
	aboutUsage   = regexp.MustCompile(`(?i)stream_options|include_usage`)
	aboutStreams = regexp.MustCompile(`(?i)\bstream`)
)

// refuses reports whether a server turned a request down because of what about names.
func refuses(err error, about *regexp.Regexp) bool {
	var typed *loop.Error
	if !errors.As(err, &typed) || typed.Kind != loop.KindAPI {
		return false
	}
	switch typed.Status {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return about.MatchString(typed.Message)
	}
	return false
}
