package toolbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/worker"
)

// postbox is a channel that keeps what it is given, or fails.
type postbox struct {
	sent []string
	err  error
}

func (p *postbox) Send(ctx context.Context, to, title, text string) error {
	if _, ok := ctx.Deadline(); !ok {
		return errors.New("a message without a deadline")
	}
	if p.err != nil {
		return p.err
	}
	p.sent = append(p.sent, to+": "+title+": "+text)
	return nil
}

// deliverBox opens a toolbox with a tool that may send mail to Ann, and gives what has it deliver something.
func deliverBox(t *testing.T, options Options) func(input string) string {
	t.Helper()
	var input, answer string
	options.Workers = &workers{call: func(c ctx, _ call, host hostFunc) output {
		answer = string(host(c, "deliver", []byte(input)))
		return worker.Output{Result: []byte("{}")}
	}}
	f, grants := newFolder(t), t.TempDir()
	const asks = `,"effects":"write","deliver":[{"channel":"mail","recipients":["ann@example.org","bob@example.org"]},{"channel":"pager","recipients":["9"]}]`
	f.put(t, "it.wasm", moduleWith+manifest("it", asks))
	approve(t, grants, moduleWith+manifest("it", asks), manifest("it", asks),
		`{"effects":"write","deliver":[{"channel":"mail","recipients":["ann@example.org","eve@example.org"]},{"channel":"pager","recipients":["9"]}]}`)
	options.Dir, options.Approvals = string(f), grants
	box := open(t, options)
	return func(in string) string {
		input, answer = in, ""
		call := loop.Call{ID: "1", Name: "it", Arguments: "{}"}
		verdict := box.Check(t.Context(), call)
		if verdict.Decision != loop.Ask {
			t.Fatalf("%+v: a message is sent without a yes", verdict)
		}
		verdict.Decision = loop.Run
		box.Call(t.Context(), call, verdict)
		return answer
	}
}

func TestDeliver(t *testing.T) {
	mail := &postbox{}
	ask := deliverBox(t, Options{Deliver: map[string]Sender{"mail": mail}})
	const noGrant = `{"error":"this tool has no grant to send to that recipient over that channel","kind":"refused"}`
	for _, step := range [][2]string{
		{`{"channel":"mail","to":"ann@example.org","title":"Oven","text":"It is on."}`, `{"accepted":true}`},
		{`{"channel":"mail","to":"ann@example.org","text":"No title."}`, `{"accepted":true}`},
		{`{"channel":"mail","to":"bob@example.org","text":"Asked for, not granted."}`, noGrant},
		{`{"channel":"mail","to":"eve@example.org","text":"Granted, not asked for."}`, noGrant},
		{`{"channel":"mail","to":"ANN@example.org","text":"x"}`, noGrant},
		{`{"channel":"mail","to":"ann@example.org, eve@example.org","text":"x"}`, noGrant},
		{`{"channel":"Mail","to":"ann@example.org","text":"x"}`, noGrant},
		{`{"to":"ann@example.org","text":"x"}`, noGrant},
		{`{"channel":"pager","to":"9","text":"x"}`, `{"error":"the channel pager is not set up on this host"}`},
		{`{"channel":"mail","to":"ann@example.org","title":"a\nBcc: eve@example.org","text":"x"}`, `{"error":"member title must be one line of at most 200 bytes"}`},
		{`{"channel":"mail","to":"ann@example.org","title":"` + strings.Repeat("x", 201) + `","text":"x"}`, `{"error":"member title must be one line of at most 200 bytes"}`},
		{`{"channel":"mail","to":"ann@example.org","text":" "}`, `{"error":"member text must have 1 to 16384 bytes"}`},
		{`{"channel":"mail","to":"ann@example.org","text":"` + strings.Repeat("x", 16385) + `"}`, `{"error":"member text must have 1 to 16384 bytes"}`},
		{`{"channel":"mail","to":7,"text":"x"}`, `{"error":"member to must not be a JSON number"}`},
	} {
		if got := ask(step[0]); got != step[1] {
			t.Errorf("%.120s: %s, want %s", step[0], got, step[1])
		}
	}
	if want := []string{"ann@example.org: Oven: It is on.", "ann@example.org: : No title."}; fmt.Sprint(mail.sent) != fmt.Sprint(want) {
		t.Errorf("sent %q, want %q", mail.sent, want)
	}
}

// TestDeliveryThatFails holds that the tool reads what happened, and only the log why.
func TestDeliveryThatFails(t *testing.T) {
	var log bytes.Buffer
	mail := &postbox{err: hint{errors.New("535 smtp.example.org: no")}}
	ask := deliverBox(t, Options{Deliver: map[string]Sender{"mail": mail}, Log: logTo(&log)})
	if got := ask(`{"channel":"mail","to":"ann@example.org","text":"x"}`); got != `{"error":"it was not accepted"}` {
		t.Errorf("the tool reads %s", got)
	}
	if !strings.Contains(log.String(), "535 smtp.example.org: no") {
		t.Errorf("the log is %s", log.String())
	}
}

type hint struct{ cause error }

func (hint) Error() string   { return "it was not accepted" }
func (h hint) Unwrap() error { return h.cause }

func TestDeliveriesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent deliveries
		for range 3 {
			if wait := sent.book("it", 3, time.Now()); wait != 0 {
				t.Fatalf("has to wait %v", wait)
			}
			time.Sleep(10 * time.Second)
		}
		if wait := sent.book("it", 3, time.Now()); wait != 30*time.Second {
			t.Errorf("the fourth has to wait %v", wait)
		}
		if wait := sent.book("other", 3, time.Now()); wait != 0 {
			t.Errorf("another tool has to wait %v", wait)
		}
		time.Sleep(31 * time.Second)
		if wait := sent.book("it", 3, time.Now()); wait != 0 {
			t.Errorf("a minute later it has to wait %v", wait)
		}
	})
	ask := deliverBox(t, Options{Deliver: map[string]Sender{"mail": &postbox{}}, DeliverPerMinute: 1})
	const message = `{"channel":"mail","to":"ann@example.org","text":"x"}`
	if got := ask(message); got != `{"accepted":true}` {
		t.Error(got)
	}
	if got := ask(message); !strings.HasPrefix(got, `{"error":"this tool may send 1 messages a minute; try again in `) || !strings.HasSuffix(got, `"kind":"limit"}`) {
		t.Error(got)
	}
}
