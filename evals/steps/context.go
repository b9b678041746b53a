package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/scenario"
)

// contextSettings decide how much the model reads.
func (w *world) contextSettings() []sentence {
	return []sentence{
		{`the model is offered at most (\d+) tools`, func(n int) error {
			return w.configure(func(s *Settings) { s.ToolsOffered = n })
		}},
		{`the model's server reads only (\d+) tokens`, func(tokens int) { w.modelWindow = tokens }},
	}
}

// contextDoings make prompts long.
func (w *world) contextDoings() []sentence {
	return []sentence{
		{`they talk (\d+) times at length`, func(ctx context.Context, n int) error {
			for i := range n {
				answer := fmt.Sprintf("That was part %d.%s", i+1, strings.Repeat(" I am listening.", 40))
				w.reply(mockllm.Reply{Content: answer})
				said := fmt.Sprintf("My story, part %d.%s", i+1, strings.Repeat(" And then something else happened.", 40))
				if err := w.say(ctx, said, defaultConversation); err != nil {
					return err
				}
				if got := w.last.reply.ResponseText; got != answer {
					return fmt.Errorf("the answer to part %d is %q", i+1, got)
				}
			}
			return nil
		}},
	}
}

// contextChecks are about how much the model was asked to read.
func (w *world) contextChecks() []sentence {
	return []sentence{
		{`the model reads less on call (\d+) than on call (\d+)`, func(less, more int) error {
			a, err := w.request(less)
			if err != nil {
				return err
			}
			b, err := w.request(more)
			if err == nil && len(a.Body) >= len(b.Body) {
				err = fmt.Errorf("it reads %d bytes on call %d and %d on call %d", len(a.Body), less, len(b.Body), more)
			}
			return err
		}},
		{`the model is offered (\d+) tools, among them ` + name, func(n int, tool string) error {
			request, err := w.request(1)
			if err == nil && (len(request.Tools) != n || !slices.Contains(request.Tools, tool)) {
				err = fmt.Errorf("it is offered %s", strings.Join(request.Tools, ", "))
			}
			return err
		}},
		{`the log mentions ` + text + ` ` + count, func(part, often string) error {
			n, err := scenario.ReadCount(often)
			if err == nil && strings.Count(w.instance.Log(), part) != n {
				err = fmt.Errorf("it does so %d times: %s", strings.Count(w.instance.Log(), part), w.instance.Log())
			}
			return err
		}},
	}
}
