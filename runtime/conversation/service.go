// Package conversation carries out one turn of one conversation: it waits for the turn before, loads, lets route decide
// and the loop answer, stores, and replies. It declares the [Store] that it needs.
package conversation

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
)

// storeTime bounds one commit. A turn that was answered is stored even when its client has left meanwhile.
const storeTime = 10 * time.Second

// Options are what a [Service] is made of. They do not change afterwards.
type Options struct {
	Store Store
	Tools loop.Tools // nil: there are none
	// Model is asked once a turn for the model to use, with the choice of the conversation's mode; where it is nil, or
	// gives nil, rules and nothing else answer.
	Model func(choice string) loop.Model
	// Offered lists the tools that a model may be offered now; nil is none. Rules are the router's; nil is no router.
	// Both are called by every turn, by several goroutines at once.
	Offered func() []loop.Tool
	Rules   func() *route.Rules
	// Workflows are called for likewise. They also hold the catalogue: without them nothing but the model's words and
	// the rules' is said, and no approval gets a yes.
	Workflows func() *workflow.Flows
	Country   string // where telephone numbers are from when the person's language does not say, as ISO 3166 has it

	Reminders Reminders // nil: there are none

	Limits          loop.Limits   // of one turn
	ApprovalExpiry  time.Duration // how long a call waits for its yes; 0 is 5 minutes
	MaxHistoryTurns int           // earlier turns in the prompt
	ToolsOfferedMax int           // of more tools, those are offered that fit the text; 0 is no limit
	QueueMax        int           // turns of one conversation that wait for their predecessor
	TurnsMax        int           // turns at once, waiting ones included; 0 is 1024

	// PhraseTime is how long the model may take to say a workflow's sentence in its own words; 0 leaves the sentence as
	// it is.
	PhraseTime time.Duration
	// WordingTime is the same for the answer to a command that ran by rule.
	WordingTime time.Duration

	Name         string       // how the assistant is called; empty is Chatterbox
	SystemPrompt string       // empty is DefaultSystemPrompt(Name)
	Modes        *route.Modes // nil: the default ones
	Strategy     Strategy
	AutoCreateID bool // a request without an id gets one, instead of being stateless

	Log *slog.Logger     // nil: nothing is logged
	Now func() time.Time // with the location that people mean; nil is time.Now
}

// Service answers what people say. All its methods may be called by several goroutines at once.
type Service struct {
	opts    Options
	queue   *queue
	windows windows
	indexes indexes
	claims  claims
	slots   chan struct{} // holds one element per turn

	base    context.Context // of every turn beside its caller's; ends when turns are abandoned
	abandon context.CancelCauseFunc

	mu       sync.Mutex
	stopping bool // guarded by mu; no turn begins after it is set
	turns    sync.WaitGroup
}

// New returns a service that is ready to use.
func New(opts Options) *Service {
	if opts.Name == "" {
		opts.Name = "Chatterbox"
	}
	if opts.SystemPrompt == "" {
		opts.SystemPrompt = DefaultSystemPrompt(opts.Name)
	}
	if opts.Modes == nil {
		opts.Modes = defaultModes(opts.Name)
	}
	if opts.Workflows == nil {
		opts.Workflows = func() *workflow.Flows { return nil }
	}
	if opts.ApprovalExpiry <= 0 {
		opts.ApprovalExpiry = 5 * time.Minute
	}
	if opts.TurnsMax <= 0 {
		opts.TurnsMax = 1024
	}
	if opts.Tools == nil {
		opts.Tools = noTools{}
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	base, abandon := context.WithCancelCause(context.Background())
	return &Service{
		opts: opts, queue: newQueue(opts.QueueMax), slots: make(chan struct{}, opts.TurnsMax),
		base: base, abandon: abandon,
	}
}

// Converse answers one request and returns when the turn is durable. Meanwhile emit, where it is not nil, gets what a
// listener may see, in order, on one goroutine at a time: provisional until Converse returns, and then the deltas since
// the last interim are the reply's text.
//
// Whatever fails on this side of the request is a reply too: a sentence to be spoken, with Extra.Error for programs.
// The error is a *[RequestError], [ErrQueueFull], [ErrBusy], [ErrStopping], or [ErrClientGone] when ctx ended first;
// such a turn leaves nothing behind.
func (s *Service) Converse(ctx context.Context, request Request, emit func(Emission)) (reply Reply, err error) {
	if err := s.validate(request); err != nil {
		return Reply{}, err
	}
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return Reply{}, err
	}
	defer end()

	if request.Language == "" {
		request.Language = "en"
	}
	id := request.ConversationID
	if id == "" && s.opts.AutoCreateID {
		id = rand.Text()
	}
	if id != "" {
		leave, err := s.queue.enter(ctx, id)
		if err != nil {
			return Reply{}, givenUp(err)
		}
		defer leave()
	}
	t := &turn{
		Service: s, request: request, text: request.Text, speaker: &speaker{emit: emit}, started: s.opts.Now(),
		record: &record{id: id, store: s.opts.Store, log: s.opts.Log},
	}
	defer func() {
		if r := recover(); r != nil {
			s.opts.Log.Error("turn panicked", "conversation", id, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			t.outcome.Failure = &loop.Error{Kind: loop.KindInternal, Message: "panic"}
			reply, err = t.reply(), nil
		}
	}()
	return t.run(ctx)
}

// validate is Request.Validate and what only the service knows.
func (s *Service) validate(request Request) error {
	if err := request.Validate(); err != nil {
		return err
	}
	if request.Mode != "" {
		_, err := s.findMode(request.Mode)
		return err
	}
	return nil
}

// begin admits a turn. Its context ends with the caller's, and with cause [ErrStopping] when turns are abandoned.
func (s *Service) begin(ctx context.Context) (context.Context, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return nil, nil, ErrStopping
	}
	select {
	case s.slots <- struct{}{}:
	default:
		return nil, nil, ErrBusy
	}
	s.turns.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(s.base, func() { cancel(ErrStopping) })
	return ctx, func() {
		release()
		cancel(nil)
		<-s.slots
		s.turns.Done()
	}, nil
}

// givenUp returns the error of a turn whose context ended with cause.
func givenUp(cause error) error {
	switch {
	case errors.Is(cause, ErrQueueFull):
		return ErrQueueFull
	case errors.Is(cause, ErrStopping):
		return ErrStopping
	default:
		return ErrClientGone
	}
}

// Delete forgets a conversation. One that does not exist is no error; a turn of it that is running ends in a conflict.
func (s *Service) Delete(ctx context.Context, id string) error {
	if err := ValidateID(id); err != nil {
		return err
	}
	return s.opts.Store.Delete(ctx, id)
}

// Clear forgets every conversation and says how many there were.
func (s *Service) Clear(ctx context.Context) (int, error) {
	return s.opts.Store.DeleteAll(ctx)
}

// Shutdown lets no further turn begin and returns when all have ended. Turns that still run when ctx ends are
// abandoned: they store nothing and their Converse returns [ErrStopping]. The error is then ctx's.
func (s *Service) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()

	release := context.AfterFunc(ctx, func() { s.abandon(ErrStopping) })
	defer release()
	s.turns.Wait()
	if s.base.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
