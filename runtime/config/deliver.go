package config

import (
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strings"
)

// Deliver is what the host sends for tools, and by whom.
type Deliver struct {
	PerMinute    int // messages of each tool; 0 is no limit
	Mail         DeliverMail
	Notification DeliverNotification
	MQTT         DeliverMQTT
}

// DeliverMail is the mail server that is sent by.
type DeliverMail struct {
	Server   string // host:port; empty is no mail
	Security string
	User     string
	Password string // secret
	From     string

	Recipients []string // whom send_email may write to
	Reminders  string   // who gets due reminders; empty is nobody
}

// DeliverNotification is the service that notifications go to.
type DeliverNotification struct {
	URL    string // empty is none
	Format string
	Token  string // secret

	Recipients []string // whom send_notification may notify
	Reminders  string   // who gets due reminders; empty is nobody
}

// DeliverMQTT is the broker that messages are published by.
type DeliverMQTT struct {
	URL      string // empty is none
	User     string
	Password string // secret

	Recipients []string // topics that send_notification may publish to
	Reminders  string   // topic of due reminders; empty is none
}

func defaultDeliver() Deliver {
	return Deliver{PerMinute: 10, Mail: DeliverMail{Security: "starttls", Recipients: []string{}},
		Notification: DeliverNotification{Format: "ntfy", Recipients: []string{}}, MQTT: DeliverMQTT{Recipients: []string{}}}
}

func deliverKeys(c *Config) []key {
	return []key{
		{name: "deliver.per_minute", field: &c.Deliver.PerMinute, max: 1e6,
			doc: "Messages per minute that are sent for one tool; 0 is no limit."},
		{name: "deliver.mail.server", field: &c.Deliver.Mail.Server,
			doc: "Mail server that sends what tools may send, such as smtp.example.org:587.", empty: "no mail"},
		{name: "deliver.mail.security", field: &c.Deliver.Mail.Security, oneOf: []string{"starttls", "tls", "none"},
			doc: "Protection of the connection: starttls, usual on port 587, tls, usual on port 465, or none, for a server on this machine."},
		{name: "deliver.mail.user", field: &c.Deliver.Mail.User, doc: "User name for that server.", empty: "no login"},
		{name: "deliver.mail.password", field: &c.Deliver.Mail.Password, secret: true, doc: "Password for that server.",
			empty: "none"},
		{name: "deliver.mail.from", field: &c.Deliver.Mail.From,
			doc: "Address that mail comes from, such as Home <home@example.org>."},
		{name: "deliver.mail.recipients", field: &c.Deliver.Mail.Recipients,
			doc: "Whom the tool send_email may write to, such as Ann <ann@example.org>.", empty: "nobody"},
		{name: "deliver.mail.reminders", field: &c.Deliver.Mail.Reminders,
			doc: "Address that reminders go to when their time comes.", empty: "nobody"},
		{name: "deliver.notification.url", field: &c.Deliver.Notification.URL,
			doc:   "Where notifications go: the root of an ntfy server, such as https://ntfy.sh, or a service of your own.",
			empty: "into conversations"},
		{name: "deliver.notification.format", field: &c.Deliver.Notification.Format, oneOf: []string{"ntfy", "webhook"},
			doc: "ntfy, where the recipient is the topic, or webhook, which gets {\"to\", \"title\", \"text\"}."},
		{name: "deliver.notification.token", field: &c.Deliver.Notification.Token, secret: true,
			doc: "Bearer token for that service.", empty: "none"},
		{name: "deliver.notification.recipients", field: &c.Deliver.Notification.Recipients,
			doc: "Whom the tool send_notification may notify: topics of ntfy.", empty: "nobody"},
		{name: "deliver.notification.reminders", field: &c.Deliver.Notification.Reminders,
			doc: "Topic, or recipient, that reminders go to when their time comes.", empty: "nobody"},
		{name: "deliver.mqtt.url", field: &c.Deliver.MQTT.URL,
			doc:   "MQTT broker that publishes {\"title\", \"message\"}, such as mqtt://homeassistant.local:1883, or mqtts:// for TLS.",
			empty: "none"},
		{name: "deliver.mqtt.user", field: &c.Deliver.MQTT.User, doc: "User name for that broker.", empty: "no login"},
		{name: "deliver.mqtt.password", field: &c.Deliver.MQTT.Password, secret: true, doc: "Password for that broker.",
			empty: "none"},
		{name: "deliver.mqtt.recipients", field: &c.Deliver.MQTT.Recipients,
			doc: "Topics that the tool send_notification may publish to, such as house/kitchen/say.", empty: "nobody"},
		{name: "deliver.mqtt.reminders", field: &c.Deliver.MQTT.Reminders,
			doc: "Topic that reminders are published to when their time comes.", empty: "nobody"},
	}
}

// deliver checks that what is set up can send.
func (v *validator) deliver(d Deliver) {
	if m := d.Mail; m.Server != "" {
		if host, _, err := net.SplitHostPort(m.Server); err != nil || host == "" {
			v.complain("deliver.mail.server", "must be a host and a port, such as smtp.example.org:587, not %q", m.Server)
		}
		if _, err := mail.ParseAddress(m.From); err != nil {
			v.complain("deliver.mail.from", "must be an address, such as home@example.org, not %q", m.From)
		}
	}
	for _, address := range append([]string{d.Mail.Reminders}, d.Mail.Recipients...) {
		if _, err := mail.ParseAddress(address); address != "" && err != nil {
			v.complain("deliver.mail.recipients", "and deliver.mail.reminders must be addresses, such as ann@example.org, not %q", address)
		}
	}
	v.needs("deliver.mail.reminders", "deliver.mail.server, which sends them", d.Mail.Reminders, d.Mail.Server)
	v.needs("deliver.notification.reminders", "deliver.notification.url, where they are sent",
		d.Notification.Reminders, d.Notification.URL)
	v.together("deliver.mail.password", "deliver.mail.user", d.Mail.Password, d.Mail.User)
	v.endpoint("deliver.notification.url", d.Notification.URL)
	v.mqtt(d.MQTT, d.Notification.Recipients)
}

// mqtt checks that a broker can be spoken to, and that its topics are topics and not also others' recipients.
func (v *validator) mqtt(m DeliverMQTT, others []string) {
	u, err := url.Parse(m.URL)
	wrong := err != nil || u.Scheme != "mqtt" && u.Scheme != "mqtts" || u.Hostname() == "" ||
		strings.Trim(u.Path, "/")+u.RawQuery != ""
	if m.URL != "" && wrong {
		v.complain("deliver.mqtt.url", "must begin with mqtt:// or mqtts:// and a host, such as mqtt://homeassistant.local:1883")
	} else if m.URL != "" && u.User != nil {
		v.complain("deliver.mqtt.url", "must not hold a login: set deliver.mqtt.user and deliver.mqtt.password")
	}
	for _, topic := range append([]string{m.Reminders}, m.Recipients...) {
		if strings.ContainsAny(topic, "+#") || hasControl(topic) {
			v.complain("deliver.mqtt.recipients", "and deliver.mqtt.reminders must each name one topic, such as house/say, without + and #, not %q", topic)
		}
	}
	for _, topic := range m.Recipients {
		if slices.Contains(others, topic) {
			v.complain("deliver.mqtt.recipients", "%q is also in deliver.notification.recipients: nobody could say which one is meant", topic)
		}
	}
	v.needs("deliver.mqtt.reminders", "deliver.mqtt.url, the broker that publishes them", m.Reminders, m.URL)
	v.needs("deliver.mqtt.password", "deliver.mqtt.user, whose it is", m.Password, m.User)
}

// needs checks that a value does not stand without another.
func (v *validator) needs(key, other, value, otherValue string) {
	if value != "" && otherValue == "" {
		v.complain(key, "needs %s", other)
	}
}
