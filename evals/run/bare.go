package run

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// bareCallsMax is how often a model is asked in one turn.
const bareCallsMax = 10

// barePrompt is the system message of the bare strategy.
const barePrompt = "You are a helpful voice assistant for the home. " +
	"Be concise, because your answers are spoken aloud. " +
	"Use tools for real-time information and for actions. Do not make things up; say so when you don't know. " +
	"Plain sentences: no markdown, no emoji, no lists."

// Bare is a model by its chat completions, with all tools and no help: calls run as the model makes them, and what
// cannot run ends the turn.
type Bare struct{}

// Prepare implements [Strategy].
func (Bare) Prepare(_ context.Context, plan scenario.Plan, offered []scenario.Tool) (Setup, error) {
	return Setup{Begin: func(_ context.Context, model *Connection) (Say, error) {
		s := &bareSession{model: model, offered: offered, messages: []any{message("system", barePrompt)}}
		s.once = slices.ContainsFunc(plan.Turns, func(t scenario.Turn) bool { return t.Expect.Leaderboard != nil })
		for _, e := range plan.Before {
			s.messages = append(s.messages, message("user", e.User), message("assistant", e.Model))
		}
		for _, tool := range offered {
			s.tools = append(s.tools, map[string]any{"type": "function", "function": map[string]any{
				"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters,
			}})
		}
		return s.say, nil
	}}, nil
}

// bareSession is a conversation with a model.
type bareSession struct {
	model    *Connection
	offered  []scenario.Tool
	tools    []any
	messages []any
	once     bool // the first answer is all that is judged
}

func (s *bareSession) say(ctx context.Context, said string) (judge.Observed, error) {
	var got judge.Observed
	s.messages = append(s.messages, message("user", said))
	for got.Asked < bareCallsMax {
		reply, err := s.ask(ctx)
		if err != nil {
			return got, err
		}
		got.Asked++
		s.messages = append(s.messages, reply)
		if len(reply.ToolCalls) == 0 {
			got.Answer = reply.text()
			return got, nil
		}
		if stop := s.run(reply.ToolCalls, &got); stop || s.once {
			return got, nil
		}
	}
	got.Failure = judge.IterationLimit
	return got, nil
}

// run answers the calls, and says whether one of them ends the turn.
func (s *bareSession) run(calls []apiCall, got *judge.Observed) (stop bool) {
	for _, c := range calls {
		made := judge.Call{Name: c.Function.Name, Answer: got.Asked, Arguments: json.RawMessage(c.Function.Arguments)}
		if c.Function.Arguments == "" {
			made.Arguments = json.RawMessage(`{}`)
		}
		at := slices.IndexFunc(s.offered, func(t scenario.Tool) bool { return t.Name == made.Name })
		var object map[string]any
		switch {
		case at < 0:
			made.Refusal = judge.NotOffered
		case json.Unmarshal(made.Arguments, &object) != nil || object == nil:
			made.Refusal = judge.NotReadable
		default:
			made.Result = s.offered[at].Answer
		}
		// A call that needs a yes has run, and nobody was asked: the turn is lost.
		stop = stop || made.Refusal != judge.Ran || s.offered[at].Confirm
		if !json.Valid(made.Arguments) {
			made.Arguments = marshal(string(made.Arguments))
		}
		got.Calls = append(got.Calls, made)
		result := message("tool", string(made.Result))
		result.CallID = c.ID
		s.messages = append(s.messages, result)
	}
	return stop
}

// ask has one completion.
func (s *bareSession) ask(ctx context.Context) (apiMessage, error) {
	request := map[string]any{
		"messages": s.messages, "stream": true, "stream_options": map[string]any{"include_usage": true},
	}
	if len(s.tools) > 0 {
		request["tools"] = s.tools
	}
	response, err := s.model.Complete(ctx, request)
	if err != nil {
		return apiMessage{}, err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return apiMessage{}, connectionError(ctx, err)
	}
	return readMessage(response.Header.Get("Content-Type"), body)
}
