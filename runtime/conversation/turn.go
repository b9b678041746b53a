package conversation

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
)

// storedTraceBytesMax bounds the trace that is stored with a turn. A larger one is stored without the calls' results.
const storedTraceBytesMax = 64 << 10

// turn is one call of Converse. Its methods run one after the other, on the caller's goroutine.
type turn struct {
	*Service
	request Request
	id      string // empty: stateless
	speaker *speaker
	model   loop.Model // nil: rules and nothing else answer
	started time.Time

	conversation Conversation
	route        RouteTrace
	outcome      loop.Outcome
	state        State // to be stored with the turn
}

func (t *turn) run(ctx context.Context) (Reply, error) {
	t.route.Stage = "none"
	if t.load(ctx) {
		t.answer(ctx)
	}
	if t.outcome.Cause == loop.ClientGone || t.outcome.Cause == loop.Shutdown || ctx.Err() != nil {
		t.logTurn(slog.LevelInfo, "turn given up")
		return Reply{}, givenUp(context.Cause(ctx))
	}
	if t.outcome.Failure == nil && t.id != "" {
		t.save(ctx)
	}
	return t.reply(), nil
}

// load reads the conversation. It reports whether the turn can go on.
func (t *turn) load(ctx context.Context) bool {
	if t.id == "" {
		return true
	}
	conversation, err := t.opts.Store.Load(ctx, t.id, max(t.opts.MaxHistoryTurns, 0))
	if err != nil {
		t.fail(KindStorage, fmt.Errorf("load conversation: %w", err))
		return false
	}
	t.conversation, t.state = conversation, conversation.State
	return true
}

func (t *turn) fail(kind loop.Kind, err error) {
	t.outcome.Failure = &loop.Failure{Kind: kind, Message: err.Error()}
}

// answer fills the outcome in: with what a pending approval resumes, or with what the stage that takes the turn says.
func (t *turn) answer(ctx context.Context) {
	if approval := t.state.Approval; approval != nil {
		t.state.Approval = nil
		if t.model != nil && t.opts.Now().Before(approval.Expires) {
			t.resume(ctx, approval)
			return
		}
	}
	offered, decision := t.decide()
	t.route = RouteTrace{Stage: string(decision.Stage), Reason: decision.Reason, ToolsOffered: names(offered)}
	switch {
	case t.model != nil:
		t.askModel(ctx, offered)
		if decision.Command != nil && t.modelFailedFirst() {
			t.route.Reason += fmt.Sprintf("; the model failed (%s), so by rule", t.outcome.Failure.Kind)
			t.byRule(ctx, decision.Command)
		}
	case decision.Command != nil:
		t.byRule(ctx, decision.Command)
	default:
		t.outcome.Text = t.opts.NoModelHint
		t.outcome.Trace.States = []loop.State{loop.ReceiveInput, loop.ResponseComposition, loop.Output}
	}
}

// decide asks the router which stage takes the turn, and returns the tools that a model is offered.
func (t *turn) decide() ([]loop.Tool, route.Decision) {
	var tools []loop.Tool
	if t.opts.Offered != nil {
		tools = t.opts.Offered()
	}
	var rules *route.Rules
	if t.opts.Rules != nil && t.opts.Strategy != "bare" && t.opts.Strategy != "loop" {
		rules = t.opts.Rules()
	}
	decision := route.Decide(rules, route.Input{
		Text: t.request.Text, Language: t.request.Language, Mode: t.mode(), Model: t.model != nil, Tools: names(tools),
	})
	return named(tools, decision.Tools), decision
}

func (t *turn) mode() string {
	if t.state.Mode != "" {
		return t.state.Mode
	}
	return t.opts.Mode
}

// askModel runs the loop.
func (t *turn) askModel(ctx context.Context, offered []loop.Tool) {
	prompt := messages(t.opts.SystemPrompt, t.conversation, t.opts.MaxHistoryTurns, t.request.Text)
	t.drive(ctx, loop.New(t.opts.Limits, offered), loop.Event{Kind: loop.Start, Messages: prompt})
}

// resume goes on with the machine that waits for a yes. The approval is used up before its call runs, and durably so:
// after a crash between the call and the turn's commit, the same yes cannot run it again.
func (t *turn) resume(ctx context.Context, approval *Approval) {
	yes := isYes(t.request.Text)
	t.route = RouteTrace{Stage: "approval", Reason: "the person declined " + approval.Tool}
	if yes {
		t.route.Reason = "the person approved " + approval.Tool
	}
	var machine loop.Machine
	if err := json.Unmarshal(approval.Machine, &machine); err != nil {
		t.fail(loop.KindInternal, fmt.Errorf("resume approval: %w", err))
		return
	}
	if yes {
		if err := t.opts.Store.SetState(ctx, t.id, t.conversation.Version, t.state); err != nil {
			t.fail(storeKind(err), fmt.Errorf("use up approval: %w", err))
			return
		}
		t.conversation.Version++
	}
	t.route.ToolsOffered = names(machine.Tools)
	t.drive(ctx, machine, loop.Event{Kind: loop.Answered, Text: t.request.Text, Yes: yes})
}

// drive runs machine from first to its end, or to the question of a further approval.
func (t *turn) drive(ctx context.Context, machine loop.Machine, first loop.Event) {
	driver := loop.Driver{Model: t.model, Tools: t.opts.Tools}
	if t.id == "" {
		driver.Tools = unconfirmed{t.opts.Tools}
	}
	machine, t.outcome = driver.Run(ctx, machine, first, t.speaker.pass)
	pending := t.outcome.Pending
	if pending == nil {
		return
	}
	stored, err := json.Marshal(machine)
	if err != nil {
		t.fail(loop.KindInternal, fmt.Errorf("keep approval: %w", err))
		return
	}
	t.state.Approval = &Approval{
		Tool: pending.Call.Name, Arguments: rawJSON(pending.Call.Arguments), Question: pending.Question,
		Expires: t.opts.Now().Add(t.opts.ApprovalExpiry).UTC(), Machine: stored,
	}
}

// modelFailedFirst reports whether the model failed before any tool ran and there is time left.
func (t *turn) modelFailedFirst() bool {
	return t.outcome.Failure != nil && t.outcome.Cause == "" && len(t.outcome.Trace.ToolCalls) == 0
}

// newTurnID returns a random id that begins with the time, so that a store finds the place of a new turn beside the
// last one's.
func newTurnID(at time.Time) string {
	id := make([]byte, 16)
	binary.BigEndian.PutUint64(id, uint64(at.UnixMicro()))
	id = id[1:]              // seven bytes of microseconds last until the year 4253
	_, _ = rand.Read(id[7:]) // never fails
	return base32.HexEncoding.EncodeToString(id)
}

// save commits the turn. The client may leave from now on: the commit is not undone for that.
func (t *turn) save(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	trace, err := t.storedTrace()
	if err == nil {
		err = t.opts.Store.Append(ctx, t.id, t.conversation.Version, Turn{
			ID: newTurnID(t.started), At: t.started.UTC(), User: t.request.Text, Assistant: t.outcome.Text,
			Language: t.request.Language, Mode: t.mode(), Trace: trace,
		}, t.state)
	}
	if err != nil {
		t.fail(storeKind(err), fmt.Errorf("store turn: %w", err))
	}
}

func (t *turn) storedTrace() (json.RawMessage, error) {
	full := newTrace(t.outcome.Trace, t.route, "", t.opts.Now().Sub(t.started))
	trace := storedTrace{full.LLMCalls, full.ToolCalls, full.Usage, full.MS, storedRoute{t.route.Stage, t.route.Reason}}
	out, err := json.Marshal(trace)
	if err == nil && len(out) > storedTraceBytesMax {
		for i := range trace.ToolCalls {
			trace.ToolCalls[i].Result = json.RawMessage("null")
		}
		out, err = json.Marshal(trace)
	}
	return out, err
}

// storeKind is the kind of a store's error.
func storeKind(err error) loop.Kind {
	if errors.Is(err, ErrConflict) {
		return KindConflict
	}
	return KindStorage
}

// reply makes the reply of the outcome, logs the turn and lets the deltas agree with it.
func (t *turn) reply() Reply {
	reply := Reply{ResponseText: t.outcome.Text}
	if t.id != "" {
		reply.ConversationID = &t.id
	}
	level := slog.LevelInfo
	if failure := t.outcome.Failure; failure != nil {
		f := failingOf(failure.Kind)
		level, reply.ResponseText = f.level, f.sentence
		reply.Extra.Error = replyError(failure)
	} else if t.state.Approval != nil {
		reply.Extra.Approval = t.state.Approval.view()
	}
	if t.request.Trace {
		reply.Trace = newTrace(t.outcome.Trace, t.route, t.mode(), t.opts.Now().Sub(t.started))
	}
	t.logTurn(level, "turn")
	t.speaker.settle(reply.ResponseText)
	return reply
}

// logTurn logs the turn without a word of what was said; that is for debugging only.
func (t *turn) logTurn(level slog.Level, message string) {
	ctx := context.Background()
	for _, warning := range t.outcome.Warnings {
		t.opts.Log.LogAttrs(ctx, slog.LevelWarn, warning, slog.String("conversation", t.id))
	}
	if !t.opts.Log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("conversation", t.id), slog.String("stage", t.route.Stage),
		slog.Int("llm_calls", t.outcome.Trace.LLMCalls), slog.Int("tool_calls", len(t.outcome.Trace.ToolCalls)),
		slog.Float64("ms", milliseconds(t.opts.Now().Sub(t.started))),
	}
	if failure := t.outcome.Failure; failure != nil {
		attributes = append(attributes, slog.String("kind", string(failure.Kind)), slog.String("error", failure.Message))
	}
	t.opts.Log.LogAttrs(ctx, level, message, attributes...)
	for _, call := range t.outcome.Trace.ToolCalls {
		t.opts.Log.LogAttrs(ctx, slog.LevelDebug, "tool call", slog.String("conversation", t.id),
			slog.String("tool", call.Name), slog.String("arguments", call.Arguments), slog.Bool("cached", call.Cached))
	}
}
