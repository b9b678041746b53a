package loop_test

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"chatterbox/loop"
)

// check holds one effect to the rules, and opens what it asks for.
func (w *world) check(effect loop.Effect, event loop.Event) {
	switch effect.Kind {
	case loop.CallModel, loop.CheckTool, loop.CallTool:
		w.checkBudget(effect.Kind)
	}
	switch effect.Kind {
	case loop.CallModel:
		w.asked++
		w.said, w.content, w.verdicts, w.past, w.proposed, w.began = "", "", map[int]loop.Verdict{}, nil, nil, map[int]bool{}
		if w.words {
			w.t.Error("a model is asked where the caller words the results")
		}
		if w.asked > w.limits.Iterations {
			w.t.Errorf("model call %d of %d", w.asked, w.limits.Iterations)
		}
		w.checkMessages(effect.Request.Messages, nil)
		w.queue = append(w.queue, loop.Event{Kind: loop.Completed})
	case loop.CheckTool:
		w.queue = append(w.queue, loop.Event{Kind: loop.Checked, Index: effect.Index})
	case loop.CallTool:
		w.ran++
		if w.limits.Calls > 0 && w.ran > w.limits.Calls {
			w.t.Errorf("tool call %d of %d", w.ran, w.limits.Calls)
		}
		w.checkConsent(effect.Index)
		if !json.Valid([]byte(effect.Call.Arguments)) || effect.Call.Arguments[0] != '{' {
			w.t.Errorf("a call runs with the arguments %q", effect.Call.Arguments)
		}
		w.approved = false
		w.running[effect.Index] = effect.Call.ID
		w.queue = append(w.queue, loop.Event{Kind: loop.ToolDone, Index: effect.Index})
	case loop.Emit:
		switch effect.Emission.Kind {
		case loop.EmitDelta:
			w.said += effect.Emission.Text
			if w.limits.OutputBytes > 0 && len(w.said) > w.limits.OutputBytes {
				w.t.Errorf("%d of %d bytes were shown", len(w.said), w.limits.OutputBytes)
			}
		case loop.EmitInterim:
			w.said = ""
		}
	case loop.Finish:
		w.checkEnd(*effect.Outcome)
	}
}

// checkConsent holds that a call runs by its verdict or by the person's yes, once, and a proposed one that acts not
// before those that stand before it have acted.
func (w *world) checkConsent(index int) {
	verdict := w.verdicts[index]
	agreed := w.approved || w.proposed != nil && w.proposed[index].Approved
	if verdict.Decision != loop.Run && (verdict.Decision != loop.Ask || !agreed) {
		w.t.Errorf("call %d runs by the verdict %q", index, verdict.Decision)
	}
	if w.began[index] {
		w.t.Errorf("call %d runs twice", index)
	}
	w.began[index] = true
	if w.proposed == nil || !verdict.Acts || w.approved {
		return
	}
	for i, open := range w.machine.Calls[:index] {
		if open.Phase == loop.CallChecking || open.Phase == loop.CallRunning && w.verdicts[i].Acts {
			w.t.Errorf("call %d acts while call %d is %s", index, i, open.Phase)
		}
	}
}

// propose has event carry calls, of which some cannot be made.
func (w *world) propose(event *loop.Event) {
	w.verdicts, w.past, w.began = map[int]loop.Verdict{}, nil, map[int]bool{}
	for range 1 + w.random.IntN(4) {
		event.Proposed = append(event.Proposed, loop.Proposed{Approved: w.random.IntN(3) == 0, Call: loop.Call{
			ID:        pick(w.random, []string{"", "rule", "workflow"}),
			Name:      pick(w.random, []string{"get_weather", "book", "unknown", "odd name"}),
			Arguments: pick(w.random, []string{`{}`, `{"n":1}`, ` {"n":2}`, ``, `[]`, `{"n":`}),
		}})
	}
	w.proposed = event.Proposed
}

// paused says whether the machine waits for its caller.
func (w *world) paused() bool { return len(w.queue) == 1 && w.queue[0].Kind == loop.Start }

// pause has the caller go on with further calls, or with words.
func (w *world) pause(results []loop.Result) {
	if !w.words || len(results) != len(w.proposed) {
		w.t.Errorf("the caller is given %d results of %d calls", len(results), len(w.proposed))
	}
	for i, result := range results {
		if given, ran := w.results[w.machine.Calls[i].Call.ID]; ran && json.Valid([]byte(given)) && utf8.ValidString(given) {
			if result.Content != given {
				w.t.Errorf("call %d was given %s, and the caller reads %s", i, given, result.Content)
			}
		} else if !result.Failed {
			w.t.Errorf("call %d, which has no result, has %+v", i, result)
		}
	}
	next := loop.Event{Kind: loop.Start, CallerWords: true, Text: pick(w.random, pieces)}
	if w.random.IntN(3) == 0 {
		w.propose(&next)
	}
	w.queue = []loop.Event{next}
}

func (w *world) checkBudget(kind loop.EffectKind) {
	if w.limits.Wall > 0 && w.elapsed >= w.limits.Wall {
		w.t.Errorf("%s after %v of %v", kind, w.elapsed, w.limits.Wall)
	}
	if w.limits.CostUSD > 0 && w.cost >= w.limits.CostUSD {
		w.t.Errorf("%s after %v of %v dollars", kind, w.cost, w.limits.CostUSD)
	}
	if w.limits.Tokens > 0 && w.tokens >= w.limits.Tokens {
		w.t.Errorf("%s after %d of %d tokens", kind, w.tokens, w.limits.Tokens)
	}
}

// checkMessages holds that each call has exactly one result, in the order of the calls, but for those of pending.
func (w *world) checkMessages(messages []loop.Message, pending *loop.Pending) {
	var open []string
	ids := map[string]bool{}
	for _, message := range messages {
		if message.Role == loop.FromTool {
			if len(open) == 0 || open[0] != message.ToolCallID {
				w.t.Errorf("the result of %q stands where %q wait for theirs", message.ToolCallID, open)
				return
			}
			open = open[1:]
			if !json.Valid([]byte(message.Content)) || w.limits.ResultBytes > 0 && len(message.Content) > w.limits.ResultBytes {
				w.t.Errorf("the model reads a result of %d bytes: %s", len(message.Content), message.Content)
			}
			w.checkResult(message)
			continue
		}
		if len(open) > 0 {
			w.t.Errorf("%q have no result", open)
		}
		for _, call := range message.ToolCalls {
			if call.ID == "" || ids[call.ID] {
				w.t.Errorf("the id %q is not the call's own", call.ID)
			}
			ids[call.ID] = true
			open = append(open, call.ID)
		}
	}
	if pending == nil && len(open) > 0 {
		w.t.Errorf("%q have no result", open)
	}
}

// checkResult holds that the model reads of a call what that call was given, where it is neither cut nor has a note,
// and an error where the call was given nothing.
func (w *world) checkResult(message loop.Message) {
	given, ran := w.results[message.ToolCallID]
	cut := w.limits.ResultBytes > 0 && len(given) > w.limits.ResultBytes
	switch {
	case !ran || !utf8.ValidString(given) || !json.Valid([]byte(given)):
		if !strings.HasPrefix(message.Content, `{"error":`) {
			w.t.Errorf("call %q, which has no result, has %s", message.ToolCallID, message.Content)
		}
	case message.Content != given && !cut && !strings.Contains(message.Content, "This repeats an earlier call"):
		w.t.Errorf("call %q was given %s, and the model reads %s", message.ToolCallID, given, message.Content)
	}
}

func (w *world) checkEnd(outcome loop.Outcome) {
	if outcome.Failure == nil && outcome.Results == nil && w.said != outcome.Text {
		w.t.Errorf("%q was shown, %q is the answer", w.said, outcome.Text)
	}
	if w.limits.OutputBytes > 0 && len(outcome.Text) > w.limits.OutputBytes {
		w.t.Errorf("the answer has %d of %d bytes", len(outcome.Text), w.limits.OutputBytes)
	}
	calls := 0
	for _, message := range w.machine.Messages {
		calls += len(message.ToolCalls)
	}
	switch {
	case outcome.Pending != nil:
		w.end = "pending"
		w.checkMessages(w.machine.Messages, outcome.Pending)
		if slices.Contains(outcome.Trace.States, loop.Output) {
			w.t.Error("a turn that awaits approval has no OUTPUT")
		}
		w.checkRecords(calls-1, outcome.Trace)
		w.resume(calls - 1)
		return
	case outcome.Results != nil:
		w.checkMessages(w.machine.Messages, nil)
		w.checkRecords(calls, outcome.Trace)
		w.pause(outcome.Results)
		return
	case outcome.Failure != nil:
		w.end = string(outcome.Failure.Kind)
	case w.words:
		w.end = "words"
	default:
		w.end = "answer"
	}
	w.checkRecords(calls, outcome.Trace)
	w.finished = true
}

func (w *world) checkRecords(calls int, trace loop.Trace) {
	if got, want := len(trace.ToolCalls), calls-w.recorded; got != want {
		w.t.Errorf("%d calls have %d records", want, got)
	}
}

// resume lets the person answer once, now and then with a yes, and sometimes not at all.
func (w *world) resume(recorded int) {
	if w.resumed || w.random.IntN(4) == 0 {
		w.finished = true
		return
	}
	w.resumed, w.recorded = true, recorded
	w.approved = w.random.IntN(2) == 0
	w.queue, w.began = []loop.Event{{Kind: loop.Answered, Yes: w.approved, Text: "so be it"}}, map[int]bool{}
	w.asked, w.ran, w.tokens, w.cost, w.elapsed, w.said = 0, 0, 0, 0, 0, ""
}

var pieces = []string{
	"It is ", "21 degrees", "<", "<think>", "</think>", "<tool_call>", "</tool_call>", `{"name":"get_weather","arguments":{"n":1}}`,
	"```json\n", "```", "[TOOL_CALLS]", "[", "{", " ", "\n", "ü", "é and more", `"`,
}

// completion is an answer that costs something where cost is not 0.
func (w *world) completion(cost float64) loop.Event {
	if w.random.IntN(20) == 0 {
		return loop.Event{Kind: loop.ModelFailed, Failure: &loop.Error{Kind: loop.KindConnection}}
	}
	completion := loop.Completion{Content: w.content, FinishReason: pick(w.random, []string{"stop", "tool_calls", "", "length", "odd"})}
	for w.random.IntN(3) == 0 {
		completion.Content += pick(w.random, pieces)
	}
	if w.random.IntN(20) == 0 {
		completion.Content = "not what was streamed"
	}
	for w.random.IntN(4) > 0 && len(completion.ToolCalls) < 5 {
		completion.ToolCalls = append(completion.ToolCalls, loop.Call{
			ID:        pick(w.random, []string{"", "a", "b", "call_1_1", "call_2_1"}),
			Name:      pick(w.random, []string{"get_weather", "book", "unknown", "", "odd name"}),
			Arguments: pick(w.random, []string{`{}`, `{"n":1}`, `{ "n": 1 }`, `{"n":2}`, ``, `{"n":`, `[]`, `"{}"`}),
		})
	}
	completion.Usage.PromptTokens = w.random.IntN(100)
	if cost > 0 {
		completion.Usage.CostUSD = &cost
		w.cost += cost
	}
	return loop.Event{Kind: loop.Completed, Completion: &completion}
}

func (w *world) verdict() *loop.Verdict {
	decision := pick(w.random, []loop.Decision{loop.Run, loop.Run, loop.Run, loop.Refuse, loop.Ask, "odd"})
	return &loop.Verdict{Decision: decision, Reason: "no", Question: "Shall I? ü", Tool: "v1", Acts: w.random.IntN(2) == 0}
}

func (w *world) result() *loop.Result {
	return &loop.Result{Content: pick(w.random, []string{
		`{}`, `{"n":1}`, `{"error":"x"}`, `"text"`, `null`, `not JSON`, ``, "\"\xff\"", `{"note":1}`,
		`{"text":"` + repeatText(w.random, `ä\n\"`) + `"}`, `[` + repeatText(w.random, `"row",`) + `0]`,
	})}
}

// noise is an event that the machine has no use for, or that lacks what it should carry. One that would fit the state
// is given as an index that is never open.
func (w *world) noise() loop.Event {
	return pick(w.random, []loop.Event{
		{Kind: loop.Start, Messages: []loop.Message{{Role: loop.User, Content: "again"}}},
		{Kind: loop.Checked, Index: 99, Verdict: &loop.Verdict{Decision: loop.Run}},
		{Kind: loop.Checked, Index: -1},
		{Kind: loop.ToolDone, Index: 99, Result: &loop.Result{Content: `{}`}},
		{Kind: loop.ToolDone, Index: -1},
		{Kind: "odd"},
		{},
	})
}
