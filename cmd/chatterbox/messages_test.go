package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"chatterbox/loop"
	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/deliver"
	"chatterbox/runtime/toolbox"
)

// outbox keeps what is sent.
type outbox struct {
	mu   sync.Mutex
	sent []string // guarded by mu
	err  error
}

func (o *outbox) Send(_ context.Context, to, title, text string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.sent = append(o.sent, to+"|"+title+"|"+text)
	}
	return o.err
}

// named sends what it gets as something that came over a channel of its own.
type named struct {
	channel string
	*outbox
}

func (n named) Send(ctx context.Context, to, title, text string) error {
	return n.outbox.Send(ctx, n.channel+to, title, text)
}

// messageTools are the real tools, with these settings, over an outbox.
func messageTools(t *testing.T, settings config.Deliver, box *outbox) *toolbox.Toolbox {
	t.Helper()
	options := configured(config.Config{Deliver: settings})
	options.Deliver = map[string]toolbox.Sender{"mail": box, "notification": box, "mqtt": named{"mqtt ", box}}
	return openBuiltin(t, nil, options)
}

func TestMessagesGoToThoseThatAreNamed(t *testing.T) {
	box := &outbox{}
	tools := messageTools(t, config.Deliver{
		Mail:         config.DeliverMail{Server: "smtp.example.org:587", Recipients: []string{"Ann Lee <ann@example.org>", "Bob Lee <bob@example.org>"}},
		Notification: config.DeliverNotification{URL: "https://ntfy.example.org", Recipients: []string{"kitchen"}},
		MQTT:         config.DeliverMQTT{URL: "mqtt://broker.example.org", Recipients: []string{"house/hall/say", "house/bath/say"}},
	}, box)
	for _, c := range []struct{ tool, arguments, want, sent string }{
		{"send_email", `{"to":"ann","subject":"Dinner","text":"At \"seven\"."}`, `{"sent_to":"Ann Lee <ann@example.org>"}`, `Ann Lee <ann@example.org>|Dinner|At "seven".`},
		{"send_email", `{"to":"bob@example.org","text":"Hi."}`, `{"sent_to":"Bob Lee <bob@example.org>"}`, "Bob Lee <bob@example.org>||Hi."},
		{"send_email", `{"to":"lee","text":"Hi."}`, "Several recipients fit", ""},
		{"send_email", `{"to":"eve@example.org","text":"Hi."}`, "That recipient is not allowed. Allowed are Ann Lee <ann@example.org> and Bob Lee <bob@example.org>", ""},
		{"send_email", `{"to":"ann@example.org, eve@example.org","text":"Hi."}`, "not allowed", ""},
		{"send_email", `{"to":"ann","subject":"a\nBcc: eve@example.org","text":"Hi."}`, "Not sent: member title must be one line", ""},
		{"send_email", `{"to":"ann","text":" "}`, "Missing required argument: text", ""},
		{"send_notification", `{"to":"Kitchen","text":"The oven is on."}`, `{"sent_to":"kitchen"}`, "kitchen||The oven is on."},
		{"send_notification", `{"to":"hall","text":"Hi."}`, `{"sent_to":"house/hall/say"}`, "mqtt house/hall/say||Hi."},
		{"send_notification", `{"to":"house/bath/say","title":"Oven","text":"Hi."}`, `{"sent_to":"house/bath/say"}`, "mqtt house/bath/say|Oven|Hi."},
		{"send_notification", `{"to":"house/#","text":"Hi."}`, "That recipient is not allowed", ""},
		{"send_notification", `{"to":"house","text":"Hi."}`, "Several recipients fit", ""},
		{"send_notification", `{"to":"cellar","text":"Hi."}`, "Allowed are kitchen, house/hall/say and house/bath/say", ""},
		{"send_notification", `{"text":"Hi."}`, "Say to whom", ""},
	} {
		box.sent = nil
		call := loop.Call{ID: "1", Name: c.tool, Arguments: c.arguments}
		verdict := tools.Check(t.Context(), call)
		if verdict.Decision == loop.Refuse && verdict.Reason != "" && c.sent == "" { // nobody is asked about what cannot be sent
			if !strings.Contains(verdict.Reason, c.want) {
				t.Errorf("%s %s: refused, %s", c.tool, c.arguments, verdict.Reason)
			}
			continue
		}
		if verdict.Decision != loop.Ask {
			t.Errorf("%s %s is not asked for: %+v", c.tool, c.arguments, verdict)
		}
		verdict.Decision = loop.Run // the person has said yes
		result := tools.Call(t.Context(), call, verdict)
		if !strings.Contains(strings.ReplaceAll(result.Content, `\u003c`, "<"), c.want) || strings.Join(box.sent, " ") != c.sent {
			t.Errorf("%s %s: %s, sent %q", c.tool, c.arguments, result.Content, box.sent)
		}
	}
	box.err = &deliver.Error{Message: "the mail server cannot be reached", Err: errors.New("secret")}
	call := loop.Call{ID: "1", Name: "send_email", Arguments: `{"to":"ann","text":"Hi."}`}
	verdict := tools.Check(t.Context(), call)
	verdict.Decision = loop.Run
	if result := tools.Call(t.Context(), call, verdict); !result.Failed || result.Content != `{"error":"Not sent: the mail server cannot be reached"}` {
		t.Errorf("%+v", result)
	}
}

func TestMessagesWaitForAChannelAndARecipient(t *testing.T) {
	tools := messageTools(t, config.Deliver{
		Mail:         config.DeliverMail{Server: "smtp.example.org:587"},
		Notification: config.DeliverNotification{URL: "https://ntfy.example.org"},
	}, &outbox{})
	for _, offered := range tools.Offered() {
		if strings.HasPrefix(offered.Name, "send_") {
			t.Errorf("%s is offered", offered.Name)
		}
	}
	for tool, want := range map[string]string{
		"send_email":        "waits for deliver.mail.recipients",
		"send_notification": "waits for deliver.notification.recipients",
	} {
		verdict := tools.Check(t.Context(), loop.Call{ID: "1", Name: tool, Arguments: `{"to":"ann","text":"Hi."}`})
		if verdict.Decision != loop.Refuse || !strings.Contains(verdict.Reason, want) {
			t.Errorf("%s: %+v", tool, verdict)
		}
	}
}

// TestNotificationsGoIntoConversations holds that with nothing set up a notification waits for whoever talks next.
func TestNotificationsGoIntoConversations(t *testing.T) {
	kept, err := agenda.Open(agenda.Options{Dir: t.TempDir(), Zone: zoneOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	options := configured(config.Default())
	options.Deliver = map[string]toolbox.Sender{"notification": here{kept}}
	tools := openBuiltin(t, nil, options)
	for arguments, want := range map[string]string{
		`{"text":"The oven is on."}`:                    "The oven is on.",
		`{"to":"me","title":"Oven","text":"It is on."}`: "Oven: It is on.",
		`{"to":"the user","text":"Dinner is ready."}`:   "Dinner is ready.",
		`{"to":"Ann","text":"Dinner is ready."}`:        "That recipient is not allowed. Allowed are everyone here",
		`{"text":"` + strings.Repeat("x", 2049) + `"}`:  "Not sent: a notification must have 1 to 2048 bytes",
	} {
		call := loop.Call{ID: "1", Name: "send_notification", Arguments: arguments}
		verdict := tools.Check(t.Context(), call)
		if verdict.Decision == loop.Refuse && strings.HasPrefix(verdict.Reason, want) {
			continue
		}
		if verdict.Decision != loop.Ask {
			t.Errorf("%s is not asked for: %+v", arguments, verdict)
		}
		verdict.Decision = loop.Run // the person has said yes
		result := tools.Call(t.Context(), call, verdict)
		found, err := houseReminders{kept}.Pending()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case result.Failed && len(found) == 0 && strings.Contains(result.Content, want):
		case !result.Failed && len(found) == 1 && found[0].Message == want && found[0].Notification:
		default:
			t.Errorf("%s: %+v, kept %+v", arguments, result, found)
		}
		if err := (houseReminders{kept}).Acknowledge(found); err != nil {
			t.Error(err)
		}
	}
	// A grant for somebody whom only a service could reach is not told to whoever is there.
	if err := (here{kept}).Send(t.Context(), "ann", "", "Hi."); err == nil {
		t.Error("it was sent to ann")
	}
}

// TestOneTopicIsEnough holds that a broker alone serves send_notification, and that it needs a topic.
func TestOneTopicIsEnough(t *testing.T) {
	for _, topics := range [][]string{nil, {"house/say"}} {
		box := &outbox{}
		tools := messageTools(t, config.Deliver{MQTT: config.DeliverMQTT{URL: "mqtt://broker.example.org", Recipients: topics}}, box)
		call := loop.Call{ID: "1", Name: "send_notification", Arguments: `{"text":"The oven is on."}`}
		verdict := tools.Check(t.Context(), call)
		if topics == nil {
			if verdict.Decision != loop.Refuse || !strings.Contains(verdict.Reason, "waits for deliver.mqtt.recipients") {
				t.Errorf("%+v", verdict)
			}
			continue
		}
		verdict.Decision = loop.Run // the person has said yes
		result := tools.Call(t.Context(), call, verdict)
		if result.Content != `{"sent_to":"house/say"}` || strings.Join(box.sent, " ") != "mqtt house/say||The oven is on." {
			t.Errorf("%s, sent %q", result.Content, box.sent)
		}
	}
}
