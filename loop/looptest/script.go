package looptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/loop"
)

// script is a transcript that has been read.
type script struct {
	limits  loop.Limits
	tools   []scriptTool
	history []loop.Message
	user    string
	calls   []scriptCall  // of a rule or a workflow
	words   []scriptWords // what the caller does at each pause; nil: the model words the results
	replies []scriptReply
	cancel  *scriptCancel
	answers []scriptAnswer
}

type scriptTool struct {
	Name     string
	Results  []json.RawMessage // one per call, the last for all that follow
	Cached   bool
	Refuse   string
	Ask      string
	Acts     bool
	Wary     string   // is asked when the model has read what strangers wrote
	Trusted  bool     // its results hold nothing of strangers
	Required []string // a call without one of these arguments is refused
	Takes    string   // a duration
	Hang     bool     // until the context ends
	Deaf     bool     // far beyond the end of the context
	Panic    string
}

type scriptCall struct {
	ID        string
	Name      string
	Arguments any // a string is taken as it is
	Approved  bool
}

// scriptWords are further calls, or the text that ends the turn.
type scriptWords struct {
	Calls []scriptCall
	Say   string
}

type scriptReply struct {
	Say    string
	Deltas []string
	Broken []string
	Calls  []scriptCall
	Finish string
	Tokens int
	Cost   *float64
	Error  string // a loop.Kind
	Takes  string
	Hang   bool
	Panic  string
}

type scriptCancel struct {
	After string
	Cause string // client or shutdown
}

type scriptAnswer struct {
	Yes       bool
	Text      string
	Arguments json.RawMessage // what the person names instead
	Words     bool            // the caller words what comes of it
	Updated   string          // a tool that is replaced before the answer
}

func parse(all []section) (*script, error) {
	s := &script{limits: loop.DefaultLimits()}
	for _, part := range all {
		var err error
		switch part.name {
		case "limits":
			err = strict(part.text, &s.limits)
		case "tools":
			s.tools, err = lines[scriptTool](part.text)
		case "history":
			s.history, err = lines[loop.Message](part.text)
		case "user":
			s.user = strings.TrimSuffix(part.text, "\n")
		case "proposed":
			s.calls, err = lines[scriptCall](part.text)
		case "words":
			s.words, err = lines[scriptWords](part.text)
		case "model":
			s.replies, err = lines[scriptReply](part.text)
		case "cancel":
			err = strict(part.text, &s.cancel)
		case "answer":
			s.answers, err = lines[scriptAnswer](part.text)
		case "events":
		default:
			err = errors.New("unknown section")
		}
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", part.name, err)
		}
	}
	return s, nil
}

func strict(text string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func lines[T any](text string) (all []T, err error) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var one T
		if err := strict(line, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
		all = append(all, one)
	}
	return all, nil
}

// duration is 0 for an empty text.
func duration(t testing.TB, text string) time.Duration {
	t.Helper()
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// model gives the replies, each after 100 ms unless it says otherwise.
func (s *script) model(t testing.TB) *Model {
	var replies []Reply
	for _, r := range s.replies {
		reply := Reply{Deltas: r.Deltas, Broken: r.Broken, Hang: r.Hang, Panic: r.Panic, Takes: 100 * time.Millisecond}
		if r.Takes != "" {
			reply.Takes = duration(t, r.Takes)
		}
		if r.Error != "" {
			reply.Err = &loop.Error{Kind: loop.Kind(r.Error), Message: "scripted"}
		}
		reply.Completion = loop.Completion{
			Content: r.Say, FinishReason: r.Finish, Usage: loop.Usage{PromptTokens: r.Tokens, CostUSD: r.Cost},
		}
		if r.Say == "" {
			reply.Completion.Content = strings.Join(r.Deltas, "")
		}
		for _, call := range r.Calls {
			reply.Completion.ToolCalls = append(reply.Completion.ToolCalls, call.made(t))
		}
		if r.Finish == "" {
			reply.Completion.FinishReason = "stop"
			if len(r.Calls) > 0 {
				reply.Completion.FinishReason = "tool_calls"
			}
		}
		replies = append(replies, reply)
	}
	return NewModel(t, replies...)
}

// made is the call, with its arguments as they stand in one.
func (c scriptCall) made(t testing.TB) loop.Call {
	text, isText := c.Arguments.(string)
	if !isText {
		text = encode(t, c.Arguments)
	}
	return loop.Call{ID: c.ID, Name: c.Name, Arguments: text}
}

// start is the event of a turn, or of what follows a pause.
func (s *script) start(t testing.TB, messages []loop.Message, next scriptWords) loop.Event {
	event := loop.Event{Kind: loop.Start, Messages: messages, CallerWords: s.words != nil, Text: next.Say}
	for _, call := range next.Calls {
		event.Proposed = append(event.Proposed, loop.Proposed{Call: call.made(t), Approved: call.Approved})
	}
	return event
}

// toolset makes the tools. A check takes as many milliseconds as the number at the end of the call's id says, and a
// call takes those beside its own, so that calls of one answer end in an order that the script chooses.
func (s *script) toolset(t testing.TB) *Tools {
	var tools []Tool
	for _, spec := range s.tools {
		var given atomic.Int64
		takes := duration(t, spec.Takes)
		tool := Static(spec.Name, "{}")
		tool.Check = func(call loop.Call) loop.Verdict {
			time.Sleep(number(call.ID))
			return spec.verdict(call)
		}
		tool.Call = func(ctx context.Context, call loop.Call) loop.Result {
			return spec.call(ctx, callTakes+takes+number(call.ID), &given)
		}
		tools = append(tools, tool)
	}
	return NewTools(tools...)
}

func (spec scriptTool) verdict(call loop.Call) loop.Verdict {
	arguments, err := call.Read()
	if err != nil {
		return loop.Verdict{Decision: loop.Refuse, Reason: err.Error()}
	}
	for _, name := range spec.Required {
		if _, given := arguments.Values[name]; !given {
			return loop.Verdict{Decision: loop.Refuse, Reason: "Missing required argument: " + name}
		}
	}
	switch {
	case spec.Refuse != "":
		return loop.Verdict{Decision: loop.Refuse, Reason: spec.Refuse}
	case spec.Ask != "":
		return loop.Verdict{Decision: loop.Ask, Question: spec.Ask, Acts: spec.Acts}
	}
	return loop.Verdict{Decision: loop.Run, Acts: spec.Acts, Question: spec.Wary, Trusted: spec.Trusted}
}

// callTakes is longer than the checks of one answer take, so that no call ends at the moment of a check.
const callTakes = 20 * time.Millisecond

// deaf is how long a deaf tool takes, far longer than any turn.
const deaf = time.Hour

// call gives the result whose number is how many calls have ended with it, which given counts.
func (spec scriptTool) call(ctx context.Context, takes time.Duration, given *atomic.Int64) loop.Result {
	switch {
	case spec.Deaf:
		time.Sleep(deaf)
	case spec.Hang:
		<-ctx.Done()
		return loop.ErrorResult("the tool was interrupted")
	}
	if wait(ctx, takes) != nil {
		return loop.ErrorResult("the tool was interrupted")
	}
	if spec.Panic != "" {
		panic(spec.Panic)
	}
	n := int(given.Add(1))
	if len(spec.Results) == 0 {
		return loop.Result{Content: "{}", Cached: spec.Cached}
	}
	content := spec.Results[min(n, len(spec.Results))-1]
	var failed struct{ Error string }
	_ = json.Unmarshal(content, &failed) // a result that is no object has not failed
	return loop.Result{Content: string(content), Failed: failed.Error != "", Cached: spec.Cached}
}

// number is the one that id ends with, in milliseconds.
func number(id string) time.Duration {
	digits := strings.TrimLeft(id[len(strings.TrimRight(id, "0123456789")):], "0")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}
