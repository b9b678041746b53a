// Package provider makes one dependable model out of the configured ones: it limits the rate of calls, tries again
// where that helps, leaves a broken server alone for a while, falls back to the next model, and keeps account of the
// money.
package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"chatterbox/loop"
)

// DefaultMaxWait is the longest time for which a turn waits to ask the same model again.
const DefaultMaxWait = 3 * time.Second

// DefaultBudgetPeriod is the time in which Options.BudgetUSD may be spent.
const DefaultBudgetPeriod = 24 * time.Hour

// Model is one configured model.
type Model struct {
	Name    string // for logs and /health; empty means Model
	BaseURL string
	Model   string // as its server calls it
	APIKey  string
	Local   bool   // runs on the owner's hardware: costs nothing unless Price says so
	Price   *Price // nil: the price list's
	Context int    // tokens that fit into one request, 0 when not known

	// Time limits of a call; 0 means the defaults of package openai.
	FirstToken, BetweenTokens, Whole time.Duration

	// Complete, where it is set, is asked instead of BaseURL.
	Complete loop.Model
}

// Options are the settings of a [Provider]. Zero values mean the defaults.
type Options struct {
	Models []Model // in the order of preference; at least one
	// MaxWait is the longest single wait before a further attempt. A server that wants to be left alone for longer, or
	// for longer than the turn lasts, is not waited for.
	MaxWait        time.Duration
	CallsPerMinute int              // in any 60 seconds, over all models and attempts; 0 is no limit
	BudgetUSD      float64          // after it is spent, calls are refused until the period ends; 0 is no limit
	BudgetPeriod   time.Duration    // begins with the first call after the last one ended; not kept over a restart
	Prices         map[string]Price // by the model as its server calls it
	Log            *slog.Logger     // nil: none
}

// Provider asks the configured models. It implements [loop.Model].
type Provider struct {
	models  []*model
	maxWait time.Duration
	calls   *window
	ledger  *ledger
	log     *slog.Logger
}

var _ loop.Model = (*Provider)(nil)

// ErrNoModel means that no model is configured.
var ErrNoModel = errors.New("no model is configured")

// New checks the options. It sends nothing.
func New(options Options) (*Provider, error) {
	if len(options.Models) == 0 {
		return nil, ErrNoModel
	}
	p := &Provider{
		maxWait: cmp.Or(options.MaxWait, DefaultMaxWait), log: cmp.Or(options.Log, slog.New(slog.DiscardHandler)),
		ledger: &ledger{budgetUSD: options.BudgetUSD, period: cmp.Or(options.BudgetPeriod, DefaultBudgetPeriod)},
	}
	for _, configured := range options.Models {
		m, err := newModel(configured, options.Prices)
		if err != nil {
			p.Close()
			return nil, err
		}
		if options.BudgetUSD > 0 && m.price == nil {
			p.log.Warn("the budget cannot count this model, its price is not known", "model", m.name)
		}
		p.models = append(p.models, m)
	}
	if options.CallsPerMinute > 0 {
		p.calls = newWindow(options.CallsPerMinute, time.Minute)
	}
	return p, nil
}

// Close closes what the provider opened itself. Calls must have ended.
func (p *Provider) Close() {
	for _, m := range p.models {
		if m.close != nil {
			m.close()
		}
	}
}

// Preferring is the provider with the models that prefer picks before the others; the rest is shared, health and
// account included.
func (p *Provider) Preferring(prefer func(Model) bool) *Provider {
	preferred := *p
	preferred.models = nil
	for _, first := range []bool{true, false} {
		for _, m := range p.models {
			if prefer(m.Model) == first {
				preferred.models = append(preferred.models, m)
			}
		}
	}
	return &preferred
}

// Window is how much the preferred model reads at once.
func (p *Provider) Window() loop.Window {
	return loop.Window{Model: p.models[0].Model.Model, Tokens: p.models[0].Context}
}

// Usage is what all calls so far consumed.
func (p *Provider) Usage() Totals { return p.ledger.totals() }

// Status tells how each model is doing, in the configured order.
func (p *Provider) Status() []Status {
	all := make([]Status, len(p.models))
	for i, m := range p.models {
		all[i] = m.status()
	}
	return all
}

// Complete implements [loop.Model]. Models are asked in the configured order until one answers. The error is that of
// the first one that was asked, since that is the one the owner prefers.
func (p *Provider) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	given := &delivered{again: request.Again}
	deltas := func(text string) {
		if onDelta != nil {
			given.any = true
			onDelta(text)
		}
	}
	var first error
	tooLongFor := 0 // the largest context that the request is known not to fit into
	for i, m := range p.models {
		if m.Context > 0 && m.Context <= tooLongFor {
			continue
		}
		completion, err := p.ask(ctx, m, request, deltas, given)
		if err == nil {
			if i > 0 {
				p.log.Info("another model answered", "model", m.name)
			}
			return completion, nil
		}
		if first == nil || skipped(first) && !skipped(err) {
			first = err
		}
		if ctx.Err() != nil || final(err) || i+1 < len(p.models) && !given.forget() {
			return loop.Completion{}, err
		}
		if loop.AsError(err).Kind == loop.KindContextLength {
			tooLongFor = max(tooLongFor, m.Context)
		}
		if i+1 < len(p.models) {
			p.log.Warn("model failed, there is another", "model", m.name, "error", err)
		}
	}
	return loop.Completion{}, first
}

// delivered is what was given of an answer.
type delivered struct {
	any   bool
	again func() bool // of the request
}

// forget makes what was given nothing, which a further attempt needs, and reports whether that is possible.
func (h *delivered) forget() bool {
	if h.any && (h.again == nil || !h.again()) {
		return false
	}
	h.any = false
	return true
}

// final reports whether an error holds for every model.
func final(err error) bool {
	var typed *loop.Error
	return errors.As(err, &typed) && (typed.Kind == loop.KindBudget || errors.Is(typed.Err, errOwnLimit))
}

// ask asks one model, several times where that may help. It is the only retry loop.
func (p *Provider) ask(ctx context.Context, m *model, request loop.Request, onDelta func(string), given *delivered,
) (loop.Completion, error) {
	var last error
	for attempt := 1; ; attempt++ {
		if err := p.ledger.permit(time.Now()); err != nil {
			return loop.Completion{}, err
		}
		if err := p.pass(ctx); err != nil {
			return loop.Completion{}, err
		}
		completion, err := m.ask(ctx, request, onDelta)
		if last != nil && skipped(err) {
			return loop.Completion{}, last
		}
		last = err
		if err == nil {
			completion.Usage.CostUSD = m.cost(completion.Usage)
			p.ledger.add(time.Now(), completion.Usage)
			return completion, nil
		}
		wait, again := retry(err, attempt)
		if ctx.Err() != nil || !again || wait > p.maxWait || !given.forget() || !waitFor(ctx, wait) {
			return loop.Completion{}, err
		}
		p.log.Info("asking the model again", "model", m.name, "attempt", attempt+1, "after", wait, "error", err)
	}
}

// pass waits until the rate limiter lets a call through, at most maxWait.
func (p *Provider) pass(ctx context.Context) error {
	if p.calls == nil {
		return nil
	}
	wait := p.calls.reserve(time.Now(), p.maxWait)
	if wait > p.maxWait || !waitFor(ctx, wait) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("wait for the rate limiter: %w", err)
		}
		return &loop.Error{
			Kind: loop.KindRateLimit, Message: "the configured number of calls per minute is reached",
			RetryAfter: wait, Err: errOwnLimit,
		}
	}
	return nil
}

var errOwnLimit = errors.New("own rate limit")
