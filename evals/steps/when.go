package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

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
			return w.exchange(ctx, spoken{defaultConversation, said, true})
		},
		`this is said at the same time:`: func(ctx context.Context, table *godog.Table) error {
			list, err := rows(table, "conversation", "text")
			if err != nil {
				return err
			}
			var said []spoken
			for _, row := range list {
				said = append(said, spoken{conversation: row["conversation"], text: row["text"]})
			}
			return w.exchange(ctx, said...)
		},
		`they talk:`: w.talk,
		`they talk {n} times at length`: func(ctx context.Context, n int) error {
			for i := range n {
				said := fmt.Sprintf("My story, part %d.%s", i+1, strings.Repeat(" And then something else happened.", 40))
				answer := fmt.Sprintf("That was part %d.%s", i+1, strings.Repeat(" I am listening.", 40))
				if err := w.chat(ctx, said, answer); err != nil {
					return err
				}
			}
			return nil
		},
		`the conversation is deleted`: func(ctx context.Context) error {
			return w.deleted(ctx, "/"+defaultConversation, fmt.Sprintf("{%q:%q}", "cleared", defaultConversation))
		},
		`conversation {text} is deleted`: func(ctx context.Context, id string) error {
			return w.deleted(ctx, "/"+url.PathEscape(id), fmt.Sprintf("{%q:%q}", "cleared", id))
		},
		`all {n} conversations are deleted`: func(ctx context.Context, n int) error {
			return w.deleted(ctx, "", fmt.Sprintf("{%q:%q,%q:%d}", "cleared", "*", "count", n))
		},
		`the conversation is put into mode {text}`: func(ctx context.Context, mode string) error {
			return w.modeIs(ctx, http.MethodPut, fmt.Sprintf("{%q:%q}", "mode", mode), mode)
		},
		`a phone puts the reminder {text} into the list, due just now`: func(ctx context.Context, message string) error {
			return w.putReminder(ctx, message, 0)
		},
		`a phone puts the reminder {text} into the list, due {n} minutes ago`: w.putReminder,
		`the assistant is restarted`:                                          w.restart,
		`{n} {seconds|minutes} pass`:                                          w.pass,
	}
}

// talk has one turn for each row: what the user says, and what the model replies to it.
func (w *world) talk(ctx context.Context, table *godog.Table) error {
	list, err := rows(table, "user", "model")
	if err != nil {
		return err
	}
	for _, row := range list {
		if err := w.chat(ctx, row["user"], row["model"]); err != nil {
			return err
		}
	}
	return nil
}

// chat has a turn in which the person hears what the model replies.
func (w *world) chat(ctx context.Context, said, replied string) error {
	w.script.Add(mockllm.Reply{Content: replied})
	if err := w.say(ctx, said, defaultConversation); err != nil {
		return err
	}
	return scenario.MatchText("the answer to "+said, replied, w.answer())
}

// deleted deletes and checks that the product says what it deleted.
func (w *world) deleted(ctx context.Context, path, want string) error {
	body, err := w.fetch(ctx, http.MethodDelete, "/conversation"+path, "")
	if err != nil {
		return err
	}
	value, err := scenario.ReadJSON(body)
	if err != nil {
		return fmt.Errorf("the answer %s: %w", body, err)
	}
	return scenario.MatchValue("the answer", want, value)
}

// modeIs asks for the mode of the scenario's conversation, or sets it, and compares the answer.
func (w *world) modeIs(ctx context.Context, method, body, mode string) error {
	got, err := w.fetch(ctx, method, "/conversation/"+defaultConversation+"/mode", body)
	if err != nil {
		return err
	}
	var answer struct{ Mode string }
	err = json.Unmarshal(got, &answer)
	return unless(err == nil && answer.Mode == mode, "the product answered %s", got)
}

// remindersPath is the product's own list of reminders, as a phone sees it.
const remindersPath = "/dav/calendars/reminders/"

// dueTime is how long a reminder that is due may take to come up, far beyond what it takes; dueLook is how often the
// log is looked at meanwhile.
const (
	dueTime = 30 * time.Second
	dueLook = 10 * time.Millisecond
)

// putReminder puts a reminder there whose time has come, and waits until the product has noticed.
func (w *world) putReminder(ctx context.Context, message string, minutes int) error {
	at := time.Now().UTC().Add(-time.Duration(minutes) * time.Minute).Format("20060102T150405Z")
	id := "from-the-phone-" + at
	object := strings.Join([]string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//phone//EN", "BEGIN:VTODO", "UID:" + id, "DTSTAMP:" + at, "DUE:" + at,
		"SUMMARY:" + message, "END:VTODO", "END:VCALENDAR", "",
	}, "\r\n")
	got, err := w.ask(ctx, http.MethodPut, remindersPath+id+".ics", object, "Content-Type", "text/calendar")
	if err != nil {
		return err
	}
	if got.status != http.StatusCreated && got.status != http.StatusNoContent {
		return fmt.Errorf("the product answered %d %s", got.status, got.body)
	}
	ctx, cancel := context.WithTimeout(ctx, dueTime)
	defer cancel()
	look := time.NewTicker(dueLook)
	defer look.Stop()
	for !strings.Contains(w.instance.Log(), "reminder="+id) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the reminder did not come up: %s", w.instance.Log())
		case <-look.C:
		}
	}
	return nil
}

// clientSentences are what programs send, for features about the HTTP API itself.
func (w *world) clientSentences() bindings {
	request := func(ctx context.Context, method, path, body string) error {
		w.giveScript()
		var err error
		if w.response, err = w.ask(ctx, method, path, body); err != nil {
			return err
		}
		return w.model.Err()
	}
	return bindings{
		`a client sends {GET|POST|PUT|DELETE|PATCH} {path}`: func(ctx context.Context, method, path string) error {
			return request(ctx, method, path, "")
		},
		`a client sends {GET|POST|PUT|DELETE|PATCH} {path} with:`: func(
			ctx context.Context, method, path string, body *godog.DocString,
		) error {
			return request(ctx, method, path, body.Content)
		},
		`a client says {n} characters`: func(ctx context.Context, n int) error {
			return request(ctx, http.MethodPost, "/conversation", fmt.Sprintf(`{"text":"%*s"}`, n, "x"))
		},
	}
}
