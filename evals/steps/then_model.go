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
		`the model is asked {count}`: w.modelAsked,
		// Where the product tries again after a failure, there are more requests than it counts.
		`the model's server is tried {count}`: func(often string) error {
			return counted("it is tried", w.last.tried(), often)
		},
		`on call {n} the model reads:`: w.modelReads,
		`the model reads {n} messages on call {n}`: func(n, call int) error {
			request, err := w.request(call)
			if err != nil {
				return err
			}
			return unless(len(request.Messages) == n, "it reads %s", conversationOf(request))
		},
		`the model reads less on call {n} than on call {n}`: func(less, more int) error {
			a, err := w.request(less)
			b, err2 := w.request(more)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			holds := len(a.Body) < len(b.Body)
			return unless(holds, "it reads %d bytes on call %d and %d on call %d", len(a.Body), less, len(b.Body), more)
		},
		`the model does not read {text}`: w.modelDoesNotRead,
		`the model is offered no tools`:  func() error { return w.modelOffered("") },
		`the model is offered {tools}`:   w.modelOffered,
		`the model is offered {n} tools, among them {tool}`: func(n int, tool string) error {
			request, err := w.request(1)
			if err != nil {
				return err
			}
			holds := len(request.Tools) == n && slices.Contains(request.Tools, tool)
			return unless(holds, "it is offered %s", strings.Join(request.Tools, ", "))
		},
		`the turn goes through:`: func(want *godog.DocString) error {
			states := w.trace().States
			return unless(slices.Equal(strings.Fields(want.Content), states), "it goes through %s", strings.Join(states, " "))
		},
		`the turn is taken by {name}`: func(stage string) error {
			return scenario.MatchText("the stage", stage, w.trace().Route.Stage)
		},
	}
}

// modelAsked checks the requests that came to the model, and that the product counts the same.
func (w *world) modelAsked(often string) error {
	if err := counted("it is asked", w.last.tried(), often); err != nil {
		return err
	}
	return counted("the trace says that it is asked", w.trace().LLMCalls, often)
}

// request is what the model was asked by the n-th call of the last turn.
func (w *world) request(n int) (mockllm.Request, error) {
	if n < 1 || n > len(w.last.asked) {
		return mockllm.Request{}, fmt.Errorf("the model was asked %d times", len(w.last.asked))
	}
	return w.last.asked[n-1], nil
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
	if len(w.last.asked) == 0 {
		return errors.New("the model was not asked")
	}
	for _, request := range w.last.asked {
		for _, message := range request.Messages {
			if strings.Contains(message.Content, part) {
				return fmt.Errorf("it reads %s", conversationOf(request))
			}
		}
	}
	return nil
}

// modelOffered compares the tools of the turn's first call, in any order. An empty list also asks that the request
// has no list of tools, which some servers refuse when it is empty.
func (w *world) modelOffered(list string) error {
	want := scenario.Names(list)
	request, err := w.request(1)
	if err != nil {
		return err
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(request.Tools)); !slices.Equal(want, got) {
		return fmt.Errorf("it is offered %q", got)
	}
	empty := len(want) == 0 && strings.Contains(string(request.Body), `"tools"`)
	return unless(!empty, "the request has an empty list of tools")
}
