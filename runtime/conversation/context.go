package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatterbox/loop"
)

// This file decides what a model reads: which tools are offered when there are many, and what is left out when the
// prompt does not fit into the model's window. A server that reads only a part of a prompt says nothing of it, and what
// it drops are often the tools; where its count shows that, the turn is asked once more with less.

// windowed is a model that knows how much it reads at once.
type windowed interface {
	Window() loop.Window
}

// askModel runs the loop. Offered are the tools that the turn may offer. Where the model or the loop alone is measured,
// all is sent as it is.
func (t *turn) askModel(ctx context.Context, offered []loop.Tool) {
	prompt := messages(t.systemPrompt(t.mode), t.record.conversation, t.opts.MaxHistoryTurns, t.text)
	if !t.opts.Strategy.routes() {
		t.begin(ctx, t.opts.Limits, loop.Request{Messages: prompt, Tools: offered})
		return
	}
	chosen, why := t.choose(t.text, offered, &t.record.state)
	if why != "" {
		t.because("%s", why)
	}
	request := loop.Request{Messages: prompt, Tools: chosen}
	expendable := func() []string { return t.expendable(t.text, offered, request.Tools) }
	var known loop.Window
	if model, ok := t.model.(windowed); ok {
		known = model.Window()
	}
	window := t.windows.of(known, t.opts.Now())
	if window.PromptTokens() > 0 {
		var left loop.Left
		if request, left = window.Fit(request, expendable()); left.Any() {
			t.because("%s did not fit into the model's window", describeLeft(left))
		}
	}
	watch := &watched{Model: t.model, name: known.Model}
	t.model = watch
	defer func() { t.model = watch.Model }()
	t.begin(ctx, t.opts.Limits, request)
	if watch.cut == nil {
		return
	}
	cut := *watch.cut
	again := t.windows.note(cut, t.opts.Now(), func(advice string) { t.opts.Log.Warn(advice) })
	limits, enough := limitsLeft(t.opts.Limits, t.outcome.Trace.Usage, t.opts.Now().Sub(t.started))
	if !again || !enough || t.outcome.Failure != nil || t.outcome.Pending != nil || len(t.outcome.Trace.ToolCalls) > 0 {
		return
	}
	helped := false
	if less, left := cut.Narrowed().Fit(request, expendable()); left.Any() {
		t.because("the model's server cut the prompt, so it was asked again without %s", describeLeft(left))
		watch.cut = nil
		helped = t.askAgain(ctx, limits, less) && watch.cut == nil
	}
	t.windows.learn(cut, helped, t.opts.Now())
}

func (t *turn) begin(ctx context.Context, limits loop.Limits, request loop.Request) {
	t.route.ToolsOffered = names(request.Tools)
	t.drive(ctx, t.tools(), loop.New(limits, request.Tools), loop.Event{Kind: loop.Start, Messages: request.Messages})
}

// askAgain runs the loop once more, with what the first run used counted in, and reports whether that gave an answer.
// If not, the first answer stands.
func (t *turn) askAgain(ctx context.Context, limits loop.Limits, request loop.Request) bool {
	first := t.outcome
	t.speaker.takeBack()
	t.begin(ctx, limits, request)
	answered := t.outcome.Failure == nil
	abandoned := t.outcome.Cause == loop.ClientGone || t.outcome.Cause == loop.Shutdown
	if !answered && !abandoned && len(t.outcome.Trace.ToolCalls) == 0 {
		t.outcome.Failure, t.outcome.Cause, t.outcome.Text = nil, "", first.Text
	}
	t.outcome.Warnings = slices.Concat(first.Warnings, t.outcome.Warnings)
	return answered
}

// limitsLeft is what a turn may still use up after used and elapsed, and whether that is anything.
func limitsLeft(limits loop.Limits, used loop.Usage, elapsed time.Duration) (loop.Limits, bool) {
	enough := true
	if limits.Tokens > 0 {
		limits.Tokens -= used.PromptTokens + used.CompletionTokens
		enough = enough && limits.Tokens > 0
	}
	if limits.CostUSD > 0 && used.CostUSD != nil {
		limits.CostUSD -= *used.CostUSD
		enough = enough && limits.CostUSD > 0
	}
	if limits.Wall > 0 {
		limits.Wall -= elapsed
		enough = enough && limits.Wall > 0
	}
	return limits, enough
}

// because adds to the route's reason.
func (t *turn) because(format string, arguments ...any) {
	t.route.Reason = strings.TrimPrefix(t.route.Reason+"; "+fmt.Sprintf(format, arguments...), "; ")
}

func describeLeft(left loop.Left) string {
	var parts []string
	if left.Messages > 0 {
		parts = append(parts, fmt.Sprintf("%d old messages", left.Messages))
	}
	if len(left.Tools) > 0 {
		parts = append(parts, "the tools "+strings.Join(left.Tools, ", "))
	}
	return strings.Join(parts, " and ")
}

// choose picks the tools that fit a text where there are more than are offered at once, and says why where it does.
// State remembers the choice.
func (s *Service) choose(text string, tools []loop.Tool, state *State) ([]loop.Tool, string) {
	limit := s.opts.ToolsOfferedMax
	if limit <= 0 || len(tools) <= limit {
		return tools, ""
	}
	choice := s.indexes.of(tools).Choose(text, limit, s.opts.Modes.Shared(), state.Offered)
	if !slices.Equal(choice.Tools, state.Offered) {
		state.Offered, state.LastMatch = choice.Tools, choice.Best
	}
	return named(tools, choice.Tools), choice.Reason
}

// expendable lists those of chosen that may be left out, the least fitting first: neither shared tools nor the best
// match.
func (s *Service) expendable(text string, all, chosen []loop.Tool) []string {
	if len(chosen) < 2 {
		return nil
	}
	have := names(chosen)
	var out []string
	best := true
	for _, r := range s.indexes.of(all).Rank(text) {
		name := all[r.Tool].Name
		if !slices.Contains(have, name) {
			continue
		}
		if !best && !slices.Contains(s.opts.Modes.Shared(), name) {
			out = append(out, name)
		}
		best = false
	}
	slices.Reverse(out)
	return out
}

// watched is a model that is looked at for signs of a cut prompt.
type watched struct {
	loop.Model
	name string // as its server calls it; empty is not known
	cut  *loop.Cut
}

func (w *watched) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	completion, err := w.Model.Complete(ctx, request, onDelta)
	if err == nil {
		name := w.name
		if name == "" || completion.Model != "" && !strings.HasPrefix(completion.Model, name) {
			name = completion.Model // another model has answered
		}
		if cut, found := loop.FindCut(name, request, completion.Usage); found {
			w.cut = &cut
		}
	}
	return completion, err
}
