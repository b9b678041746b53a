package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
)

// The mail server of TestRealMailServer, which .ci/smtp starts: where it listens, by protection, and the Maildir into which it
// puts what it accepts.
var (
	smtpMailbox  = flag.String("smtp.mailbox", "", "`folder` in which a mail server keeps its mail; without it there is no test of one")
	smtpLogin    = flag.String("smtp.login", "", "`name:password` there")
	smtpNone     = flag.String("smtp.none", "", "`host:port` of it without protection")
	smtpStartTLS = flag.String("smtp.starttls", "", "`host:port` of it with STARTTLS")
	smtpTLS      = flag.String("smtp.tls", "", "`host:port` of it with TLS")
)

// sendingHouse is the product as serve assembles it, beside a model that wants one message sent.
type sendingHouse struct {
	t     *testing.T
	app   *app
	tool  string
	wants string // the arguments of the message
}

func newSendingHouse(t *testing.T, tool string, settings config.Deliver) *sendingHouse {
	t.Helper()
	h := &sendingHouse{t: t, tool: tool}
	all := config.Default()
	all.Data = t.TempDir()
	all.Tools.Dir = filepath.Join(all.Data, "tools")
	all.LLM.BaseURL, all.LLM.Model, all.LLM.Discover = "http://127.0.0.1:1/v1", "sending", false
	all.Log.Level = "error"
	all.Deliver = settings
	env := env{Env: cli.Env{Stdout: io.Discard, Stderr: io.Discard, Stdin: strings.NewReader(""), Getenv: func(string) string { return "" }}}
	env.decorate.Model = func(loop.Model) loop.Model { return modelDoing{nil, h.complete} }
	var err error
	if h.app, err = assemble(t.Context(), env, all); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.app.close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *sendingHouse) complete(_ *rand.Rand, request loop.Request) (loop.Completion, error) {
	if request.Messages[len(request.Messages)-1].Role == loop.FromTool {
		return says("I see.")
	}
	return loop.Completion{FinishReason: "tool_calls", ToolCalls: []loop.Call{{ID: "1", Name: h.tool, Arguments: h.wants}}}, nil
}

// says is a turn of the house's conversation.
func (h *sendingHouse) says(text string) conversation.Reply {
	h.t.Helper()
	request := conversation.Request{Text: text, ConversationID: "a", Trace: true}
	reply, err := h.app.service.Converse(h.t.Context(), request, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return reply
}

// want has the model want a message.
func (h *sendingHouse) want(arguments map[string]string) conversation.Reply {
	h.t.Helper()
	wanted, err := json.Marshal(arguments)
	if err != nil {
		h.t.Fatal(err)
	}
	h.wants = string(wanted)
	return h.says("Write to Ann what I told you.")
}

// result is the result of the turn's sending, "" when there was none.
func (h *sendingHouse) result(reply conversation.Reply) string {
	for _, call := range reply.Trace.ToolCalls {
		if call.Name == h.tool {
			return string(call.Result)
		}
	}
	return ""
}

// send has the model want a message and the person answer the question, before which nothing may have arrived. It gives the result
// of the call, "" when there was none.
func (h *sendingHouse) send(arguments map[string]string, answer string, arrived func() string) string {
	h.t.Helper()
	reply := h.want(arguments)
	if reply.Extra.Approval == nil || !strings.Contains(reply.ResponseText, arguments["to"]) {
		h.t.Fatalf("nobody is asked: %+v", reply)
	}
	if early := arrived(); early != "" {
		h.t.Errorf("a message was sent before the yes: %s", early)
	}
	return h.result(h.says(answer))
}

// storedMail is a mail as the server has it.
type storedMail struct {
	header        mail.Header
	subject, text string
}

// arrived takes the mails out of the server's mailbox.
func arrived(t *testing.T) []storedMail {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(*smtpMailbox, "new", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all []storedMail
	for _, file := range files {
		message, err := mail.ReadMessage(strings.NewReader(contentOf(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
		if err != nil {
			t.Error(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(message.Body))
		if err != nil {
			t.Error(err)
		}
		all = append(all, storedMail{message.Header, subject, strings.ReplaceAll(string(text), "\r\n", "\n")})
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The mail that is sent: signs beyond ASCII, lines that begin with a dot or with a word that mailboxes know, and a long one.
const (
	mailSubject = "Küche: is the oven off? ☕"
	mailText    = "Dear Ann,\n.the oven is öff.\n.\nFrom nine on it was on for a very long time, which is why this line is far longer " +
		"than 76 characters.\n..\nGrüße = 100 %\n"
)

// holds compares a mail with what was to be sent to Ann. Of the envelope the server makes two headers.
func (m storedMail) holds(t *testing.T) {
	t.Helper()
	if m.subject != mailSubject || m.text != mailText {
		t.Errorf("it says %q, %q", m.subject, m.text)
	}
	from, err := m.header.AddressList("From")
	if err != nil || *from[0] != (mail.Address{Name: "Hüsli", Address: "home@example.org"}) {
		t.Errorf("it is from %v, %v", from, err)
	}
	for name, want := range map[string]string{
		"X-MailFrom": "home@example.org", "X-RcptTo": "ann@example.org", "To": "<ann@example.org>", "Auto-Submitted": "auto-generated",
		"Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "quoted-printable",
	} {
		if got := m.header.Get(name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	for name, values := range m.header {
		if strings.ContainsFunc(strings.Join(values, ""), func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("%s is not encoded: %q", name, values)
		}
	}
	if _, err := m.header.Date(); err != nil || m.header.Get("Message-Id") == "" {
		t.Errorf("the header is %v, %v", m.header, err)
	}
}

func newMailingHouse(t *testing.T, server, security, user, password string) *sendingHouse {
	t.Helper()
	settings := config.Default().Deliver
	settings.Mail = config.DeliverMail{
		Server: server, Security: security, User: user, Password: password, From: "Hüsli <home@example.org>",
		Recipients: []string{"Ann Lee <ann@example.org>", "Gone Lee <gone@example.org>"},
	}
	return newSendingHouse(t, "send_email", settings)
}

// TestRealMailServer sends by a real mail server, from the model's wish over the person's yes to what the server has stored.
func TestRealMailServer(t *testing.T) {
	if *smtpMailbox == "" {
		t.Skip("there is no mail server; .ci/smtp starts one")
	}
	user, password, _ := strings.Cut(*smtpLogin, ":")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	listener.Close()
	for name, c := range map[string]struct {
		server, security, user, password, to, want string
	}{
		"no protection":                    {*smtpNone, "none", "", "", "ann", ""},
		"STARTTLS and a login":             {*smtpStartTLS, "starttls", user, password, "ann", ""},
		"TLS and a login":                  {*smtpTLS, "tls", user, password, "ann@example.org", ""},
		"a wrong password":                 {*smtpStartTLS, "starttls", user, "open-barley", "ann", "Not sent: the mail server does not let this host in"},
		"a wrong password over TLS":        {*smtpTLS, "tls", user, "open-barley", "ann", "Not sent: the mail server does not let this host in"},
		"no login where one is needed":     {*smtpStartTLS, "starttls", "", "", "ann", "Not sent: the mail server refused the message or its recipient"},
		"a server that offers no STARTTLS": {*smtpNone, "starttls", user, password, "ann", "Not sent: the mail server offers no protected connection"},
		"a mailbox that is gone":           {*smtpNone, "none", "", "", "gone", "Not sent: the mail server refused the message or its recipient"},
		"a server that is down":            {nobody, "starttls", user, password, "ann", "Not sent: the mail server cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newMailingHouse(t, c.server, c.security, c.user, c.password)
			early := func() string { return strings.Trim(fmt.Sprintf("%+v", arrived(t)), "[]") }
			wish := map[string]string{"to": c.to, "subject": mailSubject, "text": mailText}
			if result := h.send(wish, "No.", early); result != `{"error":"declined by the person"}` {
				t.Errorf("after a no: %s", result)
			}
			if early := arrived(t); len(early) > 0 {
				t.Errorf("after a no: %+v", early)
			}
			result, got := h.send(wish, "Yes.", early), arrived(t)
			switch {
			case c.want != "":
				if !strings.Contains(result, `{"error":"`+c.want) || strings.Contains(result, "open-") || len(got) > 0 {
					t.Errorf("%s, want %q; the server has %+v", result, c.want, got)
				}
			case !strings.Contains(result, `"sent_to"`) || len(got) != 1:
				t.Errorf("%s; the server has %+v", result, got)
			default:
				got[0].holds(t)
			}
		})
	}
	t.Run("a recipient without a grant", func(t *testing.T) { // nobody is asked about what cannot be sent
		h := newMailingHouse(t, *smtpNone, "none", "", "")
		reply := h.want(map[string]string{"to": "eve@example.org", "subject": mailSubject, "text": mailText})
		if result := h.result(reply); reply.Extra.Approval != nil || !strings.Contains(result, "That recipient is not allowed") {
			t.Errorf("%s, and asked: %+v", result, reply.Extra.Approval)
		}
		if got := arrived(t); len(got) > 0 {
			t.Errorf("the server has %+v", got)
		}
	})
}
