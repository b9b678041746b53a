package steps

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/scenario"
)

// modelChecks are about what the model was asked in the last turn, and how the turn went.
func (w *world) modelChecks() bindings {
	return bindings{
		`the model is asked {count}`:          w.modelAsked,
		`the model's server is tried {count}`: w.modelTried,
		`on call {n} the model reads:`:        w.modelReads,
		`the model reads {n} messages on call {n}`: func(n, call int) error {
			request, err := w.request(call)
			if err == nil && len(request.Messages) != n {
				err = fmt.Errorf("it reads %s", conversationOf(request))
			}
			return err
		},
		`the model does not read {text}`: w.modelDoesNotRead,
		`the model is offered no tools`:  func() error { return w.modelOffered("") },
		`the model is offered {tools}`:   w.modelOffered,
		`the turn goes through:`: func(want *godog.DocString) error {
			current, err := w.lastTurn()
			if err == nil && !slices.Equal(strings.Fields(want.Content), current.reply.Trace.States) {
				err = fmt.Errorf("it goes through %s", strings.Join(current.reply.Trace.States, " "))
			}
			return err
		},
		`the turn is taken by {name}`: w.takenBy,
	}
}

// modelAsked checks the requests that came to the model, and that the product counts the same.
func (w *world) modelAsked(often string) error {
	n, err := scenario.ReadCount(often)
	if err != nil {
		return err
	}
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	if len(current.asked)+current.knocked != n {
		return fmt.Errorf("it is asked %d times", len(current.asked)+current.knocked)
	}
	if counted := current.reply.Trace.LLMCalls; counted != n {
		return fmt.Errorf("it is asked %d times, but the trace counts %d", n, counted)
	}
	return nil
}

// modelTried checks the requests only: where the product tries again after a failure, there are more than it counts.
func (w *world) modelTried(often string) error {
	n, err := scenario.ReadCount(often)
	if err != nil {
		return err
	}
	current, err := w.lastTurn()
	if err == nil && len(current.asked)+current.knocked != n {
		err = fmt.Errorf("it is tried %d times", len(current.asked)+current.knocked)
	}
	return err
}

// request is what the model was asked by the n-th call of the last turn.
func (w *world) request(n int) (mockllm.Request, error) {
	current, err := w.lastTurn()
	if err != nil {
		return mockllm.Request{}, err
	}
	if n < 1 || n > len(current.asked) {
		return mockllm.Request{}, fmt.Errorf("the model was asked %d times", len(current.asked))
	}
	return current.asked[n-1], nil
}

// modelReads compares all messages of one call. The column calls has the ids of the calls that an assistant's message
// makes, or the id that a tool's message answers.
func (w *world) modelReads(n int, table *godog.Table) error {
	want, err := rows(table, "role", "calls?", "text")
	if err != nil {
		return err
	}
	request, err := w.request(n)
	if err != nil {
		return err
	}
	if len(want) != len(request.Messages) {
		return fmt.Errorf("%d messages, not %d: %s", len(request.Messages), len(want), conversationOf(request))
	}
	for i, message := range request.Messages {
		what := fmt.Sprintf("of message %d", i+1)
		err := errors.Join(
			scenario.MatchText("the role "+what, want[i]["role"], message.Role),
			scenario.MatchText("the calls "+what, want[i]["calls"], callIDs(message)),
			scenario.MatchText("the text "+what, want[i]["text"], message.Content),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

func callIDs(message mockllm.Message) string {
	if message.CallID != "" {
		return message.CallID
	}
	var ids []string
	for _, call := range message.Calls {
		ids = append(ids, call.ID)
	}
	return strings.Join(ids, ", ")
}

// conversationOf shows the messages of a request.
func conversationOf(request mockllm.Request) string {
	var out strings.Builder
	for _, message := range request.Messages {
		fmt.Fprintf(&out, "\n  %s [%s] %q", message.Role, callIDs(message), message.Content)
	}
	return out.String()
}

func (w *world) modelDoesNotRead(part string) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	if len(current.asked) == 0 {
		return errors.New("the model was not asked")
	}
	for _, request := range current.asked {
		for _, message := range request.Messages {
			if strings.Contains(message.Content, part) {
				return fmt.Errorf("it reads %s", conversationOf(request))
			}
		}
	}
	return nil
}

// modelOffered compares the tools of the turn's first call, in any order. An empty list also asks that the request has
// no list of tools, which some servers refuse when it is empty.
func (w *world) modelOffered(list string) error {
	want := strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(list))
	request, err := w.request(1)
	if err != nil {
		return err
	}
	slices.Sort(want)
	got := slices.Sorted(slices.Values(request.Tools))
	if !slices.Equal(want, got) {
		return fmt.Errorf("it is offered %q", got)
	}
	if len(want) == 0 && strings.Contains(string(request.Body), `"tools"`) {
		return errors.New("the request has an empty list of tools")
	}
	return nil
}

func (w *world) takenBy(stage string) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	return scenario.MatchText("the stage", stage, current.reply.Trace.Route.Stage)
}
