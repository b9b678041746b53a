package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/scenario"
)

// contextSentences are about how much the model reads.
func (w *world) contextSentences() bindings {
	return bindings{
		`the model is offered at most {n} tools`: func(n int) error {
			return w.configure(func(s *Settings) { s.ToolsOffered = n })
		},
		`the model's server reads only {n} tokens`: func(tokens int) { w.modelWindow = tokens },
		`they talk {n} times at length`: func(ctx context.Context, n int) error {
			for i := range n {
				answer := fmt.Sprintf("That was part %d.%s", i+1, strings.Repeat(" I am listening.", 40))
				w.script.Add(mockllm.Reply{Content: answer})
				said := fmt.Sprintf("My story, part %d.%s", i+1, strings.Repeat(" And then something else happened.", 40))
				if err := w.say(ctx, said, defaultConversation); err != nil {
					return err
				}
				if got := w.last.reply.ResponseText; got != answer {
					return fmt.Errorf("the answer to part %d is %q", i+1, got)
				}
			}
			return nil
		},
		`the model reads less on call {n} than on call {n}`: func(less, more int) error {
			a, err := w.request(less)
			if err != nil {
				return err
			}
			b, err := w.request(more)
			if err == nil && len(a.Body) >= len(b.Body) {
				err = fmt.Errorf("it reads %d bytes on call %d and %d on call %d", len(a.Body), less, len(b.Body), more)
			}
			return err
		},
		`the model is offered {n} tools, among them {tool}`: func(n int, tool string) error {
			request, err := w.request(1)
			if err == nil && (len(request.Tools) != n || !slices.Contains(request.Tools, tool)) {
				err = fmt.Errorf("it is offered %s", strings.Join(request.Tools, ", "))
			}
			return err
		},
		`the log mentions {text} {count}`: func(part, often string) error {
			n, err := scenario.ReadCount(often)
			if err == nil && strings.Count(w.instance.Log(), part) != n {
				err = fmt.Errorf("it does so %d times: %s", strings.Count(w.instance.Log(), part), w.instance.Log())
			}
			return err
		},
	}
}
