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
	"slices"
	"strings"
	"sync"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
)

// storedTraceBytesMax bounds the trace that is stored with a turn. A larger one is stored without the calls' results.
const storedTraceBytesMax = 64 << 10

// turn is one call of Converse. Its methods run one after the other, on the caller's goroutine.
type turn struct {
	*Service
	request   Request
	started   time.Time
	text      string // of the request, or what is left of it to be answered
	mode      *route.Mode
	model     loop.Model // nil: rules and nothing else answer
	dialogue  dialogue
	route     RouteTrace
	outcome   loop.Outcome
	before    loop.Trace // of the turn's machines that ended before the present one began
	record    *record
	speaker   *speaker
	undone    bool       // the turn has taken something back
	reminders []Reminder // that the reply begins with
}

func (t *turn) run(ctx context.Context) (Reply, error) {
	t.route.Stage = string(route.StageNone)
	t.mode = t.opts.Modes.Start()
	reminders, end := t.takeReminders()
	defer end()
	if t.reminders = reminders; len(reminders) > 0 {
		t.speaker.first = t.sayReminders() + " "
	}
	if err := t.record.load(ctx, t.opts.MaxHistoryTurns); err != nil {
		t.fail(KindStorage, err)
	} else {
		t.openWorkflow()
		t.enterMode()
		t.answer(ctx)
		if interrupted := t.interrupted(); interrupted != "" {
			t.outcome.Text = strings.TrimSpace(interrupted + " " + t.outcome.Text)
		}
	}
	if t.record.keep && t.base.Err() == nil {
		ctx = context.WithoutCancel(ctx)
	} else if t.outcome.Cause == loop.ClientGone || t.outcome.Cause == loop.Shutdown || ctx.Err() != nil {
		t.logTurn(slog.LevelInfo, "turn given up")
		return Reply{}, givenUp(context.Cause(ctx))
	}
	if t.outcome.Failure == nil && t.record.id != "" {
		t.save(ctx)
	}
	t.acknowledge(ctx, t.reminders)
	return t.reply(), nil
}

func (t *turn) fail(kind loop.Kind, err error) {
	t.outcome.Failure = &loop.Error{Kind: kind, Message: err.Error()}
}

// answer fills the outcome in: with what a pending approval resumes, or with what the stage that takes the turn says.
func (t *turn) answer(ctx context.Context) {
	decide := sync.OnceValues(t.decide)
	if approval := t.record.state.Approval; approval != nil {
		t.record.state.Approval = nil
		if t.resume(ctx, approval, decide) {
			return
		}
	}
	if choice := t.record.state.Choice; choice != nil {
		t.record.state.Choice = nil
		if t.pick(ctx, choice) {
			return
		}
	}
	if t.takesBack(ctx) {
		return
	}
	offered, decision := t.decideRest(decide())
	t.route = RouteTrace{Stage: string(decision.Stage), Reason: decision.Reason, ToolsOffered: names(offered)}
	t.answerBy(ctx, offered, decision)
}

// answerBy fills the outcome in with what the stage of decision says.
func (t *turn) answerBy(ctx context.Context, offered []loop.Tool, decision route.Decision) {
	switch {
	case decision.Mode != nil:
		t.answerWith(ctx, t.enterAsked(decision.Mode))
	case decision.Workflow != "":
		t.followWorkflow(ctx, decision)
	case len(decision.Parts) > 0:
		t.answerParts(ctx, decision.Parts)
	case decision.Command != nil:
		t.byRule(ctx, decision.Command)
	case t.model != nil:
		t.askModel(ctx, offered)
	case len(decision.Known) > 0:
		t.answerSome(ctx, decision.Known, decision.Unknown)
	default:
		t.answerWith(ctx, t.sentence("no_model"))
	}
}

// decide asks the router which stage takes the turn, and returns the tools that a model is offered.
func (t *turn) decide() ([]loop.Tool, route.Decision) {
	var tools []loop.Tool
	if t.opts.Offered != nil {
		tools = t.opts.Offered()
	}
	input := route.Input{
		Now: t.opts.Now(), Text: t.text, Language: t.request.Language, Mode: t.mode.Name, Model: t.model != nil,
		Tools: t.opts.Modes.Tools(t.mode, names(tools)),
	}
	if t.dialogue.digressing { // what the workflow does is not for the model to do beside it
		own := t.dialogue.flows.Get(t.dialogue.state.Flow).Tools()
		isOwn := func(name string) bool { return slices.Contains(own, name) }
		input.Tools = slices.DeleteFunc(slices.Clone(input.Tools), isOwn)
	} else if t.opts.Strategy.routes() {
		input.Modes = t.opts.Modes
		if t.dialogue.others = []string{}; t.record.id != "" { // nothing would keep what the person tells
			t.dialogue.others = t.dialogue.openable(t.mode, names(tools))
		}
		input.Trigger = t.dialogue.trigger
		input.Whole = func(name, text, language string) bool {
			return t.dialogue.flows.Whole(name, t.input(text, language))
		}
		input.Timed = func(text, language string) bool {
			return t.dialogue.flows.Timed(text, language, t.request.country(t.opts.Country), input.Now)
		}
		if t.dialogue.state.Open() && t.dialogue.flows != nil {
			input.Open = t.dialogue.state.Flow
		}
	}
	decision := route.Decide(t.rules(), input)
	return named(tools, decision.Tools), decision
}

// decideRest goes on with the rest of a text that begins with another mode: that mode answers it.
func (t *turn) decideRest(offered []loop.Tool, decision route.Decision) ([]loop.Tool, route.Decision) {
	for decision.Mode != nil && decision.Rest != "" {
		reason := decision.Reason
		entered := t.enterAsked(decision.Mode) + " "
		t.speaker.enter(entered)
		t.text = decision.Rest
		offered, decision = t.decide()
		decision.Reason = reason + "; " + decision.Reason
	}
	return offered, decision
}

// rules are the router's, nil where it takes no part.
func (s *Service) rules() *route.Rules {
	if s.opts.Rules == nil || !s.opts.Strategy.routes() {
		return nil
	}
	return s.opts.Rules()
}

// drive runs machine from first to its end, to the question of an approval, which it keeps, or to the pause in which
// the caller words what the calls gave. A machine that begins adds to what others of the turn did before.
func (t *turn) drive(ctx context.Context, tools loop.Tools, machine loop.Machine, first loop.Event) loop.Machine {
	if machine.State == "" {
		t.before = t.outcome.Trace
	}
	if t.opts.Strategy != StrategyBare {
		machine.Honest = &loop.Honest{NothingDone: t.sentence("claim_nothing"), Failed: t.sentence("claim_failed")}
	}
	driver := loop.Driver{Model: t.model, Tools: tools}
	machine, t.outcome = driver.Run(ctx, machine, first, t.speaker.listener())
	t.record.leave()
	if pending := t.outcome.Pending; pending != nil {
		approval, err := newApproval(machine, *pending, t.request.Language, t.opts.Now().Add(t.opts.ApprovalExpiry))
		if err != nil {
			t.fail(loop.KindInternal, fmt.Errorf("keep approval: %w", err))
		}
		t.record.state.Approval = approval
	}
	t.outcome.Trace = joined(t.before, t.outcome.Trace)
	return machine
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

// save commits the turn.
func (t *turn) save(ctx context.Context) {
	full := newTrace(t.outcome.Trace, t.route, "", t.opts.Now().Sub(t.started))
	trace, err := encodeTrace(storedTrace{
		full.LLMCalls, full.ToolCalls, full.Usage, full.MS, storedRoute{t.route.Stage, t.route.Reason}, full.Claims,
		traceOf(t.dialogue.state),
	})
	t.keepLast()
	if err == nil {
		err = t.record.append(ctx, Turn{
			ID: newTurnID(t.started), At: t.started.UTC(), User: t.request.Text, Assistant: t.speaker.first + t.outcome.Text,
			Language: t.request.Language, Mode: t.mode.Name, Trace: trace,
		})
	}
	if err != nil {
		t.fail(storeKind(err), fmt.Errorf("store turn: %w", err))
	}
}

// encodeTrace is a trace as it is stored: without the calls' results where it is too long with them.
func encodeTrace(trace storedTrace) (json.RawMessage, error) {
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
	if t.record.id != "" {
		reply.ConversationID = &t.record.id
	}
	level := slog.LevelInfo
	if failure := t.outcome.Failure; failure != nil {
		f := failingOf(failure.Kind)
		level, reply.ResponseText = f.level, t.sentence(f.sentence)
		t.speaker.stay()
		reply.Extra.Error = replyError(failure)
	} else if t.record.state.Approval != nil {
		reply.Extra.Approval = t.record.state.Approval.view()
	}
	if t.request.Trace {
		reply.Trace = newTrace(t.outcome.Trace, t.route, t.mode.Name, t.opts.Now().Sub(t.started))
		reply.Trace.Workflow = traceOf(t.dialogue.state)
	}
	t.logTurn(level, "turn")
	reply.Extra.Reminders = t.reminders
	reply.ResponseText = t.speaker.first + reply.ResponseText
	t.speaker.settle(reply.ResponseText)
	return reply
}

// logTurn logs the turn without a word of what was said; that is for debugging only.
func (t *turn) logTurn(level slog.Level, message string) {
	ctx := context.Background()
	for _, warning := range t.outcome.Warnings {
		t.opts.Log.LogAttrs(ctx, slog.LevelWarn, warning, slog.String("conversation", t.record.id))
	}
	if !t.opts.Log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("conversation", t.record.id), slog.String("stage", t.route.Stage),
		slog.Int("llm_calls", t.outcome.Trace.LLMCalls), slog.Int("tool_calls", len(t.outcome.Trace.ToolCalls)),
		slog.Float64("ms", milliseconds(t.opts.Now().Sub(t.started))),
	}
	if failure := t.outcome.Failure; failure != nil {
		attributes = append(attributes, slog.String("kind", string(failure.Kind)), slog.String("error", failure.Message))
	}
	t.opts.Log.LogAttrs(ctx, level, message, attributes...)
	for _, call := range t.outcome.Trace.ToolCalls {
		t.opts.Log.LogAttrs(ctx, slog.LevelDebug, "tool call", slog.String("conversation", t.record.id),
			slog.String("tool", call.Name), slog.String("arguments", call.Arguments), slog.Bool("cached", call.Cached))
	}
}
