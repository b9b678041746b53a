package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// Keep adds to a recording what the model answered, as it is asked for when the scenario is run on the model alone.
// The scenario must be the only one of the file.
func (s RecordedScenario) Keep(ctx context.Context, opened *scenario.Suite, file string, to *Recording) error {
	at := slices.IndexFunc(opened.Scenarios, func(one scenario.Scenario) bool { return one.File == file })
	plan, err := opened.Plan(opened.Scenarios[at])
	if err != nil {
		return err
	}
	offered, err := opened.Offered(plan, 0, SeedDefault)
	if err != nil {
		return err
	}
	setup, err := Bare{}.Prepare(ctx, plan, offered)
	if err != nil {
		return err
	}
	subject := Subject{Name: s.Model + "/bare", Model: Model{Name: s.Model, BaseURL: "http://recorded/v1"}}
	client := &http.Client{Transport: answers(s.turns)}
	one := &attempt{
		run:  &run{Options: Options{Recording: to, TurnTimeout: turnTimeoutDefault, Client: client}},
		unit: unit{subject: subject, plan: plan}, offered: offered, setup: setup, n: 1,
	}
	if t := one.trial(ctx); t.Outcome == judge.Error {
		return errors.New(t.Detail)
	}
	return to.Err()
}

// answers are a model's server that says again what was said in each turn. It is an [http.RoundTripper].
type answers []RecordedTurn

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	defer request.Body.Close()
	var asked chat
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		return nil, err
	}
	turn, step := 0, 0
	for _, m := range asked.Messages {
		switch m.Role {
		case "user":
			turn, step = turn+1, 0
		case "assistant":
			step++
		}
	}
	if turn < 1 || turn > len(a) {
		return nil, fmt.Errorf("turn %d was not had", turn)
	}
	choice := map[string]any{"index": 0, "message": a[turn-1].message(step)}
	body := marshal(map[string]any{"choices": []any{choice}})
	return Exchange{Status: http.StatusOK, ContentType: "application/json", Body: string(body)}.Response(), nil
}

// message is the n-th answer of a turn, from 0.
func (t RecordedTurn) message(n int) apiMessage {
	if n >= len(t.Steps) {
		return message("assistant", t.Answer)
	}
	out := apiMessage{Role: "assistant"}
	for i, call := range t.Steps[n] {
		wire := apiCall{ID: fmt.Sprintf("call_%d_%d", n+1, i+1), Type: "function"}
		wire.Function.Name, wire.Function.Arguments = call.Name, argumentText(call.Arguments)
		var text string // what was no JSON is kept as a text
		if json.Unmarshal(call.Arguments, &text) == nil {
			wire.Function.Arguments = argumentText(text)
		}
		out.ToolCalls = append(out.ToolCalls, wire)
	}
	return out
}
