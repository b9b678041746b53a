package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/deliver"
)

// The MQTT broker of TestRealBroker, which .ci/mqtt starts.
var (
	mqttOpen    = flag.String("mqtt.open", "", "`host:port` of an MQTT broker that lets everybody in; without it there is no test of one")
	mqttGuarded = flag.String("mqtt.guarded", "", "`host:port` of it with a login, which may publish to house/say and house/hall/say")
	mqttTLS     = flag.String("mqtt.tls", "", "`host:port` of it with TLS and a login")
	mqttLogin   = flag.String("mqtt.login", "", "`name:password` there")
)

// subscriber is Debian's own, who hears some topics of the broker.
type subscriber struct {
	t     *testing.T
	lines chan string // topic, quality, whether it was retained, and the message
}

// subscribe returns when the broker has the subscription.
func subscribe(t *testing.T, topics ...string) *subscriber {
	t.Helper()
	host, port, err := net.SplitHostPort(*mqttOpen)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-d", "-V", "5", "-h", host, "-p", port, "-q", "1", "-F", "%t %q %r %p", "-t", "end"}
	for _, topic := range topics {
		args = append(args, "-t", topic)
	}
	command := exec.CommandContext(t.Context(), "stdbuf", append([]string{"-oL", "mosquitto_sub"}, args...)...) // or what it says of itself comes late
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &subscriber{t, make(chan string, 100)}
	go func() {
		defer close(s.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.lines <- lines.Text()
		}
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		for range s.lines {
		}
	})
	s.next("Subscribed ")
	return s
}

// next waits for a line that begins so.
func (s *subscriber) next(beginnings ...string) string {
	s.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case line, open := <-s.lines:
			if !open {
				s.t.Fatal("the subscriber has ended")
			}
			for _, beginning := range beginnings {
				if strings.HasPrefix(line, beginning) {
					return line
				}
			}
		case <-late:
			s.t.Fatalf("the subscriber does not say %q", beginnings)
		}
	}
}

// heard is what the subscriber has heard until now.
func (s *subscriber) heard() string {
	s.t.Helper()
	marks, err := deliver.NewMQTT(deliver.MQTTOptions{URL: "mqtt://" + *mqttOpen})
	if err == nil {
		err = marks.Send(s.t.Context(), "end", "", "")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for {
		line := s.next("house/", "end ")
		if strings.HasPrefix(line, "end ") {
			return strings.Join(all, "\n")
		}
		all = append(all, line)
	}
}

// elderly stands before a broker as one that knows version 3.1.1 only, and says so to whoever comes first.
func elderly(t *testing.T, broker string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			first := make([]byte, 9) // up to the version
			if _, err := io.ReadFull(connection, first); err != nil || first[8] != 4 {
				_, _ = connection.Write([]byte{0x20, 2, 0, 1})
				connection.Close()
				continue
			}
			behind, err := net.Dial("tcp", broker)
			if err != nil {
				connection.Close()
				continue
			}
			_, _ = behind.Write(first)
			go func() { _, _ = io.Copy(connection, behind); connection.Close() }()
			go func() { _, _ = io.Copy(behind, connection); behind.Close() }()
		}
	}()
	return listener.Addr().String()
}

// TestRealBroker publishes by a real broker, from the model's wish over the person's yes to what a subscriber hears.
func TestRealBroker(t *testing.T) {
	if *mqttOpen == "" {
		t.Skip("there is no MQTT broker; .ci/mqtt starts one")
	}
	user, password, _ := strings.Cut(*mqttLogin, ":")
	for name, c := range map[string]struct {
		url, user, password, to, want string
	}{
		"no login":                        {"mqtt://" + *mqttOpen, "", "", "house/say", ""},
		"a login":                         {"mqtt://" + *mqttGuarded, user, password, "house/say", ""},
		"a topic by its words":            {"mqtt://" + *mqttGuarded, user, password, "hall", ""},
		"TLS and a login":                 {"mqtts://" + *mqttTLS, user, password, "house/say", ""},
		"version 3.1.1":                   {"mqtt://" + elderly(t, *mqttGuarded), user, password, "house/say", ""},
		"a wrong password":                {"mqtt://" + *mqttGuarded, user, "open-barley", "house/say", "Not sent: the MQTT broker does not let this host in"},
		"a wrong password in 3.1.1":       {"mqtt://" + elderly(t, *mqttGuarded), user, "open-barley", "house/say", "Not sent: the MQTT broker does not let this host in"},
		"a wrong password over TLS":       {"mqtts://" + *mqttTLS, user, "open-barley", "house/say", "Not sent: the MQTT broker does not let this host in"},
		"no login where one is needed":    {"mqtt://" + *mqttGuarded, "", "", "house/say", "Not sent: the MQTT broker does not let this host in"},
		"a topic that the broker forbids": {"mqtt://" + *mqttGuarded, user, password, "house/lock", "Not sent: the MQTT broker does not let this host publish to that topic"},
		"a topic to which nobody listens": {"mqtt://" + *mqttOpen, "", "", "house/attic", "Not sent: nobody listens to that topic at the MQTT broker"},
		"TLS where there is none":         {"mqtts://" + *mqttOpen, "", "", "house/say", "Not sent: the connection to the MQTT broker cannot be protected"},
		"no TLS where it is asked for":    {"mqtt://" + *mqttTLS, user, password, "house/say", "Not sent: the MQTT broker closed the connection before it let this host in"},
		"a broker that is down":           {"mqtt://127.0.0.1:1", user, password, "house/say", "Not sent: the MQTT broker cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			settings := config.Default().Deliver
			settings.MQTT = config.DeliverMQTT{URL: c.url, User: c.user, Password: c.password,
				Recipients: []string{"house/say", "house/hall/say", "house/lock", "house/attic"}}
			h, ear := newSendingHouse(t, "send_notification", settings), subscribe(t, "house/say", "house/hall/+", "house/lock")
			wish := map[string]string{"to": c.to, "title": mailSubject, "text": mailText}
			if result := h.send(wish, "No.", ear.heard); result != `{"error":"declined by the person"}` {
				t.Errorf("after a no: %s", result)
			}
			result := h.send(wish, "Yes.", ear.heard)
			got := ear.heard()
			if c.want != "" {
				if !strings.Contains(result, `{"error":"`+c.want) || strings.Contains(result, "open-") || got != "" {
					t.Errorf("%s, want %q; the subscriber has %q", result, c.want, got)
				}
				return
			}
			topic := map[string]string{"hall": "house/hall/say"}[c.to]
			if topic == "" {
				topic = c.to
			}
			head, message, _ := strings.Cut(got, " {")
			var said struct{ Title, Message string }
			if err := json.Unmarshal([]byte("{"+message), &said); err != nil || said.Title != mailSubject || said.Message != mailText {
				t.Errorf("the subscriber has %q, %v", got, err)
			}
			if head != topic+" 1 0" || result != `{"sent_to":"`+topic+`"}` {
				t.Errorf("%s; the subscriber has %q", result, head)
			}
		})
	}
	t.Run("a topic without a grant", func(t *testing.T) { // nobody is asked about what cannot be sent
		settings := config.Default().Deliver
		settings.MQTT = config.DeliverMQTT{URL: "mqtt://" + *mqttOpen, Recipients: []string{"house/say"}}
		h, ear := newSendingHouse(t, "send_notification", settings), subscribe(t, "house/oven")
		reply := h.want(map[string]string{"to": "house/oven", "title": mailSubject, "text": mailText})
		if result := h.result(reply); reply.Extra.Approval != nil || !strings.Contains(result, "That recipient is not allowed") {
			t.Errorf("%s, and asked: %+v", result, reply.Extra.Approval)
		}
		if got := ear.heard(); got != "" {
			t.Errorf("the subscriber has %q", got)
		}
	})
}

// TestRealBrokerReminders has a reminder that comes due go to the topic for reminders, and only when somebody listens there.
func TestRealBrokerReminders(t *testing.T) {
	if *mqttOpen == "" {
		t.Skip("there is no MQTT broker; .ci/mqtt starts one")
	}
	user, password, _ := strings.Cut(*mqttLogin, ":")
	settings := config.Default()
	settings.Deliver.MQTT = config.DeliverMQTT{URL: "mqtts://" + *mqttTLS, User: user, Password: password, Reminders: "house/say"}
	channels, err := reminderChannels(settings.Deliver)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := agenda.Open(agenda.Options{Dir: t.TempDir(), Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	notify := kept.Notifier(channels, func(string) string { return "Reminder" })
	due := agenda.Due{ID: "1", Message: "Pflanzen gießen", At: time.Date(2026, 2, 20, 9, 0, 0, 0, time.UTC)}
	if err := notify(t.Context(), due); err == nil || !strings.Contains(err.Error(), "nobody listens") {
		t.Errorf("it counts as told: %v", err)
	}
	ear := subscribe(t, "house/say")
	if err := notify(t.Context(), due); err != nil {
		t.Error(err)
	}
	if got := ear.heard(); got != `house/say 1 0 {"message":"Pflanzen gießen (2026-02-20 09:00)","title":"Reminder"}` {
		t.Errorf("the subscriber has %s", got)
	}
}
