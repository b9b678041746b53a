package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// unit runs the trials of a unit and writes each as it ends. Only what keeps the run from going on is an error.
func (r *run) unit(ctx context.Context, u unit) (err error) {
	if ctx.Err() != nil || r.givenUp(u.subject.Name) {
		return nil
	}
	offered, err := r.Suite.Offered(u.plan, u.subject.Tools, r.Seed)
	if err != nil {
		return err
	}
	setup, err := u.subject.Strategy.Prepare(ctx, u.plan, offered)
	if ctx.Err() != nil {
		return setup.close()
	}
	if err != nil {
		return fmt.Errorf("prepare %s for %s: %w", u.subject.Name, u.plan.Scenario.ID, err)
	}
	defer func() { err = errors.Join(err, setup.close()) }()
	for _, n := range u.trials {
		if ctx.Err() != nil || r.givenUp(u.subject.Name) {
			return nil
		}
		one := &attempt{run: r, unit: u, offered: offered, setup: setup, n: n}
		t := one.trial(ctx)
		if ctx.Err() != nil {
			return nil // a trial that was cut off says nothing
		}
		if err := r.Recording.Err(); err != nil {
			return err // nor one that could not be replayed
		}
		if err := r.record(t, u.subject.Price != nil); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) givenUp(subject string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.result.Stopped[subject]
	return ok
}

// record writes a trial and counts it. What a priced one cost should be known.
func (r *run) record(t judge.Trial, priced bool) error {
	if err := r.Log.Append(t); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &r.result.Progress
	p.Ran++
	p.Last = t
	if t.CostUSD != nil {
		p.CostUSD += *t.CostUSD
	} else if r.MaxCostUSD > 0 && priced {
		r.stop(&limitReached{fmt.Sprintf("what %s costs is not known: its server does not tell the tokens", t.Subject)})
	}
	counts := map[judge.Outcome]*int{
		judge.Pass: &p.Passed, judge.Fail: &p.Failed, judge.Excluded: &p.Excluded, judge.Error: &p.Errors,
	}
	*counts[t.Outcome]++
	if r.healthOf(t.Subject).ended(t) {
		r.result.Stopped[t.Subject] = t.Detail
	}
	r.pay()
	if r.Progress != nil {
		r.Progress(*p)
	}
	return nil
}

// ended takes a trial in, and says whether its subject is to be given up.
func (h *health) ended(t judge.Trial) bool {
	h.why = t.Detail
	if t.Outcome != judge.Error {
		h.good, h.inRow = true, 0
		return false
	}
	h.inRow++
	return h.inRow >= errorsInRowMax || !h.good && h.inRow >= errorsFirstMax
}

// attempt is one trial that runs.
type attempt struct {
	*run
	unit
	offered []scenario.Tool
	setup   Setup
	n       int

	heard    []string // what the next turns may speak of
	messages []any    // the transcript
	took     time.Duration
	asked    int
	repaired int
}

// trial runs one trial and says how it ended.
func (a *attempt) trial(ctx context.Context) judge.Trial {
	model := &Connection{
		Model: a.subject.Model, Client: a.Client, Recording: a.Recording, Pause: a.RetryPause,
		Trial: fmt.Sprintf("%s %s #%d", a.subject.Name, a.plan.Scenario.ID, a.n),
	}
	var played *playedModel
	if a.subject.Player != nil {
		played = a.subject.Player.Begin(a.plan, a.offered, a.subject.Rates, a.Seed, a.n)
		defer played.End()
		model.Model.BaseURL = played.BaseURL
	}
	verdict, err := a.turns(ctx, model, played)
	usage := model.Usage()
	var expected []scenario.Expect
	for _, turn := range a.plan.Turns {
		expected = append(expected, turn.Expect)
	}
	t := judge.Trial{
		Subject: a.subject.Name, Scenario: a.plan.Scenario.ID, Trial: a.n, Outcome: judge.Pass, Tags: a.plan.Scenario.Tags,
		ToolsOffered: len(a.offered), Context: a.subject.Context,
		MS: milliseconds(a.took), FirstTokenMS: milliseconds(usage.FirstToken),
		LLMCalls: max(a.asked, usage.Calls), PromptTokens: usage.PromptTokens, CompletionTokens: usage.CompletionTokens,
		CostUSD: a.cost(usage), Repaired: a.repaired, Simulated: a.subject.Player != nil,
		Version: a.plan.Scenario.Digest, Seed: a.Seed, Sampling: a.subject.Model.Sampling, Fingerprint: usage.Fingerprint,
		Retries: usage.Retries, Messages: asJSON(a.messages), Expected: asJSON(expected),
	}
	switch {
	case usage.Truncated || KindOf(err) == "context_length":
		t.Outcome, t.Class = judge.Excluded, string(judge.ContextTruncated)
		t.Detail = "the server cut what the model was to read: give the model a longer context"
	case err != nil:
		t.Outcome, t.Detail = judge.Error, err.Error()
	case !verdict.Pass():
		t.Outcome, t.Class, t.Detail = judge.Fail, string(verdict.Class), verdict.Detail
	}
	return t
}

func milliseconds(d time.Duration) float64 { return float64(d.Round(10*time.Microsecond)) / 1e6 }

func asJSON(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil // a transcript that cannot be shown is no reason to lose a trial
	}
	return raw
}

// cost is in USD, nil where it is not known.
func (a *attempt) cost(usage Usage) *float64 {
	switch {
	case a.subject.Player != nil:
		return new(0.0)
	case a.subject.Price == nil || usage.Unmetered:
		return nil
	}
	prompt, completion := float64(usage.PromptTokens)/1000, float64(usage.CompletionTokens)/1000
	return new(prompt*a.subject.Price[0] + completion*a.subject.Price[1])
}

// turns has the conversation up to the first turn that is not as expected.
func (a *attempt) turns(ctx context.Context, model *Connection, played *playedModel) (judge.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(len(a.plan.Turns)+len(a.plan.Before))*a.TurnTimeout)
	defer cancel()
	say, err := a.setup.Begin(ctx, model)
	if err != nil {
		return a.late(ctx, err)
	}
	for _, e := range a.plan.Before {
		a.heard = append(a.heard, e.User, e.Model)
	}
	for i, turn := range a.plan.Turns {
		if played != nil {
			played.Turn(i)
		}
		verdict, err := a.turn(ctx, say, turn)
		if err != nil || !verdict.Pass() {
			return verdict, err
		}
	}
	return judge.Verdict{}, nil
}

// turn has one turn.
func (a *attempt) turn(ctx context.Context, say Say, turn scenario.Turn) (judge.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, a.TurnTimeout)
	defer cancel()
	said := turn.Said[(a.n-1)%len(turn.Said)]
	started := time.Now()
	got, err := say(ctx, said)
	a.took += time.Since(started)
	got.Said, got.History, got.Offered = said, a.heard, toolNames(a.offered)
	a.keep(got)
	if err != nil {
		return a.late(ctx, err)
	}
	return judge.Judge(turn.Expect, got), nil
}

// late makes a turn that took too long the subject's failure; any other error stays what it is.
func (a *attempt) late(ctx context.Context, err error) (judge.Verdict, error) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return judge.Verdict{}, err
	}
	return judge.Verdict{Class: judge.Timeout, Detail: fmt.Sprintf("the turn was not over after %v", a.TurnTimeout)}, nil
}

// keep adds a turn to the transcript and to what the next turns may speak of.
func (a *attempt) keep(got judge.Observed) {
	a.asked += got.Asked
	a.repaired += got.Repaired
	a.messages = append(a.messages, map[string]any{"role": "user", "content": got.Said})
	a.heard = append(a.heard, got.Said)
	for _, c := range got.Calls {
		call := map[string]any{
			"role": "tool", "name": c.Name, "arguments": c.Arguments, "result": c.Result, "refusal": c.Refusal,
		}
		if round := got.Round(c); round > 0 {
			call["round"] = round
		}
		if c.Cached {
			call["cached"] = true
		}
		a.messages = append(a.messages, call)
		a.heard = append(a.heard, string(c.Arguments), string(c.Result))
	}
	a.messages = append(a.messages, map[string]any{"role": "assistant", "content": got.Answer})
	a.heard = append(a.heard, got.Answer)
}
