package conversation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chatterbox/loop/route"
)

// Strategy says which parts take a turn. Anything but auto is for measurements.
type Strategy string

// The strategies, each with the parts of the one before it.
const (
	StrategyBare     Strategy = "bare"     // the model, with all tools of the mode
	StrategyLoop     Strategy = "loop"     // the same, with the loop's help
	StrategyRouted   Strategy = "routed"   // modes by voice and single-turn commands
	StrategyWorkflow Strategy = "workflow" // workflows
	StrategyAuto     Strategy = "auto"     // everything; so is an empty one
)

// routes reports whether the router takes part.
func (s Strategy) routes() bool { return s != StrategyBare && s != StrategyLoop }

// opensWorkflows reports whether workflows take part.
func (s Strategy) opensWorkflows() bool { return s.routes() && s != StrategyRouted }

// defaultModes are the modes of a service that was given none. A name that is no part of any mode cannot make them
// wrong.
func defaultModes(name string) *route.Modes {
	modes, err := route.NewModes(route.DefaultModes(), "AUTO", route.DefaultShared(), name)
	if err != nil {
		panic(err)
	}
	return modes
}

// findMode returns the mode of a name, or a *[RequestError].
func (s *Service) findMode(name string) (*route.Mode, error) {
	if mode := s.opts.Modes.Find(name); mode != nil {
		return mode, nil
	}
	return nil, &RequestError{"mode", "is not known here: there is " + strings.Join(s.opts.Modes.Names(), ", ")}
}

// currentMode is the mode that a conversation is in at a time, which idling may have changed since it was stored.
func (s *Service) currentMode(c Conversation, at time.Time) *route.Mode {
	last := c.Updated
	if c.State.ModeSet.After(last) {
		last = c.State.ModeSet
	}
	return s.opts.Modes.After(c.State.Mode, at.Sub(last), len(c.State.Workflow) > 0)
}

// Modes lists the names of the modes.
func (s *Service) Modes() []string { return s.opts.Modes.Names() }

// Mode returns the mode that the conversation's next turn would be in now. An absent conversation is where all begin.
// The error is a *[RequestError] or the store's.
func (s *Service) Mode(ctx context.Context, id string) (string, error) {
	if err := ValidateID(id); err != nil {
		return "", err
	}
	c, err := s.opts.Store.Load(ctx, id, 0)
	if err != nil {
		return "", fmt.Errorf("load conversation: %w", err)
	}
	return s.currentMode(c, s.opts.Now()).Name, nil
}

// SetMode puts the conversation into a mode, after the turns that run or wait, and returns the mode's name. The error
// is a *[RequestError], [ErrQueueFull], [ErrConflict] or the store's.
func (s *Service) SetMode(ctx context.Context, id, name string) (string, error) {
	if err := ValidateID(id); err != nil {
		return "", err
	}
	mode, err := s.findMode(name)
	if err != nil {
		return "", err
	}
	leave, err := s.queue.enter(ctx, id)
	if err != nil {
		return "", givenUp(err)
	}
	defer leave()
	c, err := s.opts.Store.Load(ctx, id, 0)
	if err != nil {
		return "", fmt.Errorf("load conversation: %w", err)
	}
	state := c.State
	state.Mode, state.ModeSet = mode.Name, s.opts.Now().UTC()
	if err := s.opts.Store.SetState(ctx, id, c.Version, state); err != nil {
		return "", fmt.Errorf("store the mode: %w", err)
	}
	return mode.Name, nil
}

// enterMode finds the mode of the turn: the request's, else the one that the conversation is in.
func (t *turn) enterMode() {
	t.setMode(t.currentMode(t.record.conversation, t.started))
	if asked := t.opts.Modes.Find(t.request.Mode); asked != nil {
		t.setMode(asked)
	}
}

// setMode makes mode the turn's and the conversation's, with the model that it names.
func (t *turn) setMode(mode *route.Mode) {
	t.mode = mode
	t.record.state.Mode, t.record.state.ModeSet = "", time.Time{}
	if mode != t.opts.Modes.Start() {
		t.record.state.Mode = mode.Name
	}
	t.model = nil
	if t.opts.Model != nil {
		t.model = t.opts.Model(mode.Model)
	}
}

// enterAsked changes the mode by voice, where there is a conversation to keep it, and returns what is said of it.
func (t *turn) enterAsked(mode *route.Mode) string {
	if t.record.id == "" {
		return t.sentence("mode_stateless")
	}
	t.setMode(mode)
	return t.sentence("mode_entered", "mode", strings.ToLower(mode.Name))
}

// systemPrompt is what the model is told before a conversation in mode.
func (s *Service) systemPrompt(mode *route.Mode) string {
	if mode.Prompt == "" {
		return s.opts.SystemPrompt
	}
	return s.opts.SystemPrompt + " " + mode.Prompt
}
