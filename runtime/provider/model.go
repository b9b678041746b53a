package provider

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"chatterbox/loop"
	"chatterbox/runtime/provider/openai"
)

// A model's circuit opens after this many failures in a row, and lets one call through after the delay.
const (
	breakerFailures = 5
	breakerDelay    = 10 * time.Second
)

// errOpen marks the error of a model that was not asked because its circuit is open.
var errOpen = errors.New("circuit open")

func skipped(err error) bool { return errors.Is(err, errOpen) }

// model is one configured model with what is known about its health.
type model struct {
	Model
	name    string
	price   *Price
	close   func() // nil when the model was handed in
	breaker circuitbreaker.CircuitBreaker[any]

	mu      sync.Mutex
	failed  *loop.Error // the last failure; nil after a success
	at      time.Time   // of failed
	success time.Time   // of the last success
}

func newModel(configured Model, prices map[string]Price) (*model, error) {
	m := &model{Model: configured, name: cmp.Or(configured.Name, configured.Model), price: configured.Price}
	if m.price == nil && configured.Local {
		m.price = &Price{}
	}
	if m.price == nil {
		m.price = find(prices, configured.Model)
	}
	if m.Complete == nil {
		c, err := openai.New(openai.Options{
			BaseURL: configured.BaseURL, Model: configured.Model, APIKey: configured.APIKey,
			FirstToken: configured.FirstToken, BetweenTokens: configured.BetweenTokens, Whole: configured.Whole,
		})
		if err != nil {
			return nil, err
		}
		m.Complete, m.close = c, c.Close
	}
	m.breaker = circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(breakerFailures).
		WithDelay(breakerDelay).
		WithSuccessThreshold(1).
		Build()
	return m, nil
}

// ask sends the request once, unless the circuit is open.
func (m *model) ask(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	if !m.breaker.TryAcquirePermit() {
		m.mu.Lock()
		defer m.mu.Unlock()
		e := &loop.Error{
			Kind: loop.KindConnection, Message: "not asked after repeated failures",
			RetryAfter: m.breaker.RemainingDelay(), Err: errOpen,
		}
		if m.failed != nil {
			e.Message += ", the last one: " + m.failed.Message
		}
		return loop.Completion{}, e
	}
	halfOpen := m.breaker.IsHalfOpen()
	completion, err := m.Complete.Complete(ctx, request, onDelta)
	switch {
	case err == nil:
		m.breaker.RecordSuccess()
		m.note(nil)
	case ctx.Err() != nil:
		// The turn ended, which says nothing about the model. But a trial must have a result, or no further one is
		// let through.
		if halfOpen {
			m.breaker.RecordFailure()
		}
	default:
		failure := loop.AsError(err)
		if broken(failure) {
			m.breaker.RecordFailure()
		} else {
			m.breaker.RecordSuccess()
		}
		m.note(failure)
		err = failure
	}
	return completion, err
}

// broken reports whether a failure shows that the server is not working, rather than that it works and refuses.
func broken(e *loop.Error) bool {
	switch e.Kind {
	case loop.KindConnection, loop.KindInternal:
		return true
	case loop.KindAPI:
		return e.Status >= 500
	}
	return false
}

func (m *model) note(failure *loop.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = failure
	if failure == nil {
		m.success = time.Now()
	} else {
		m.at = time.Now()
	}
}

// Status is how a model is doing.
type Status struct {
	Name    string    `json:"name"`
	Model   string    `json:"model"`
	BaseURL string    `json:"base_url,omitempty"`
	Local   bool      `json:"local"`
	Circuit string    `json:"circuit"`           // closed, open, half-open
	Success time.Time `json:"success,omitzero"`  // the last one
	Failure string    `json:"failure,omitempty"` // the kind of the last call's failure, empty when it succeeded
	Failed  time.Time `json:"failed,omitzero"`
}

func (m *model) status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Status{
		Name: m.name, Model: m.Model.Model, BaseURL: openai.Public(m.BaseURL), Local: m.Local,
		Circuit: m.breaker.State().String(), Success: m.success,
	}
	if m.failed != nil {
		s.Failure, s.Failed = string(m.failed.Kind), m.at
	}
	return s
}
