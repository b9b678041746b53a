package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/cucumber/godog"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/scenario"
)

// userSentences are what people do.
func (w *world) userSentences() bindings {
	return bindings{
		`the user says {text}`: func(ctx context.Context, said string) error {
			return w.say(ctx, said, defaultConversation)
		},
		`the user says {text} in conversation {text}`: w.say,
		`the user says {text} outside any conversation`: func(ctx context.Context, said string) error {
			return w.say(ctx, said, "")
		},
		`the user says {text} and listens`: func(ctx context.Context, said string) error {
			return w.exchange(ctx, said, defaultConversation, true)
		},
		`this is said at the same time:`: func(ctx context.Context, table *godog.Table) error {
			list, err := rows(table, "conversation", "text")
			if err != nil {
				return err
			}
			var said []spoken
			for _, row := range list {
				said = append(said, spoken{row["conversation"], row["text"]})
			}
			return w.sayTogether(ctx, said)
		},
		`they talk:`: w.talk,
		`the conversation is deleted`: func(ctx context.Context) error {
			return w.deleted(ctx, "/"+defaultConversation, fmt.Sprintf("{%q:%q}", "cleared", defaultConversation))
		},
		`conversation {text} is deleted`: func(ctx context.Context, id string) error {
			return w.deleted(ctx, "/"+url.PathEscape(id), fmt.Sprintf("{%q:%q}", "cleared", id))
		},
		`all {n} conversations are deleted`: func(ctx context.Context, n int) error {
			return w.deleted(ctx, "", fmt.Sprintf("{%q:%q,%q:%d}", "cleared", "*", "count", n))
		},
		`the assistant is restarted`: w.restart,
		`{n} {seconds|minutes} pass`: w.pass,
	}
}

// talk has one turn for each row: what the user says, and what the model replies to it.
func (w *world) talk(ctx context.Context, table *godog.Table) error {
	list, err := rows(table, "user", "model")
	if err != nil {
		return err
	}
	for _, row := range list {
		w.script.Add(mockllm.Reply{Content: row["model"]})
		if err := w.say(ctx, row["user"], defaultConversation); err != nil {
			return err
		}
		if err := scenario.MatchText("the answer to "+row["user"], row["model"], w.last.reply.ResponseText); err != nil {
			return err
		}
	}
	return nil
}

// deleted deletes and checks that the product says what it deleted.
func (w *world) deleted(ctx context.Context, path, want string) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	got, err := w.ask(ctx, http.MethodDelete, "/conversation"+path, nil, nil)
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return fmt.Errorf("the product answered %d %s", got.status, got.body)
	}
	value, err := scenario.ReadJSON(got.body)
	if err != nil {
		return fmt.Errorf("the answer %s: %w", got.body, err)
	}
	return scenario.MatchValue("the answer", want, value)
}

// clientSentences are what programs send, for features about the HTTP API itself.
func (w *world) clientSentences() bindings {
	request := func(ctx context.Context, method, path string, body string) error {
		if err := w.start(ctx); err != nil {
			return err
		}
		w.giveScript()
		var err error
		if w.response, err = w.ask(ctx, method, path, nil, []byte(body)); err != nil {
			return err
		}
		return w.model.Err()
	}
	return bindings{
		`a client sends {GET|POST|PUT|DELETE|PATCH} {path}`: func(ctx context.Context, method, path string) error { return request(ctx, method, path, "") },
		`a client sends {GET|POST|PUT|DELETE|PATCH} {path} with:`: func(ctx context.Context, method, path string, body *godog.DocString) error {
			return request(ctx, method, path, body.Content)
		},
		`a client says {n} characters`: func(ctx context.Context, n int) error {
			said, err := json.Marshal(map[string]string{"text": fmt.Sprintf("%*s", n, "x")})
			if err != nil {
				return err
			}
			return request(ctx, http.MethodPost, "/conversation", string(said))
		},
	}
}

// responseChecks are about what a program got.
func (w *world) responseChecks() bindings {
	return bindings{
		`the response has status {n}`: func(status int) error {
			if w.response.status != status {
				return fmt.Errorf("the status is %d: %s", w.response.status, w.response.body)
			}
			return nil
		},
		`the response says:`: func(table *godog.Table) error {
			want, err := pairs(table, "field")
			if err != nil {
				return err
			}
			value, err := scenario.ReadJSON(w.response.body)
			if err != nil {
				return fmt.Errorf("the response is no JSON: %s", w.response.body)
			}
			object, ok := value.(map[string]any)
			if !ok {
				return fmt.Errorf("the response is %s, not an object", w.response.body)
			}
			for field, written := range want {
				if err := scenario.MatchValue(field+" of the response", written, object[field]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
