package config_test

import (
	"strings"
	"testing"

	"chatterbox/runtime/config"
)

func TestDeliverIsChecked(t *testing.T) {
	whole := config.Default().Deliver
	whole.Mail = config.DeliverMail{Server: "smtp.example.org:587", Security: "tls", User: "home", Password: "open-sesame", From: "Home <home@example.org>"}
	whole.Notification.URL, whole.Notification.Recipients = "https://ntfy.example.org", []string{"kitchen"}
	whole.MQTT = config.DeliverMQTT{URL: "mqtts://broker.example.org", User: "home", Password: "open-barley", Recipients: []string{"house/say"}, Reminders: "house/say"}
	for name, c := range map[string]struct {
		change func(*config.Deliver)
		want   string
	}{
		"nothing is wrong":     {func(*config.Deliver) {}, ""},
		"no port":              {func(d *config.Deliver) { d.Mail.Server = "smtp.example.org" }, "deliver.mail.server: must be a host and a port"},
		"no sender":            {func(d *config.Deliver) { d.Mail.From = "" }, "deliver.mail.from: must be an address"},
		"half a login":         {func(d *config.Deliver) { d.Mail.Password = "" }, "belong together"},
		"another security":     {func(d *config.Deliver) { d.Mail.Security = "ssl" }, "deliver.mail.security: must be"},
		"another format":       {func(d *config.Deliver) { d.Notification.Format = "gotify" }, "deliver.notification.format: must be"},
		"a service without it": {func(d *config.Deliver) { d.Notification.URL = "ntfy.example.org" }, "deliver.notification.url"},
		"another protocol":     {func(d *config.Deliver) { d.MQTT.URL = "https://broker.example.org" }, "deliver.mqtt.url: must begin with mqtt:// or mqtts://"},
		"a broker's path":      {func(d *config.Deliver) { d.MQTT.URL += "/house" }, "deliver.mqtt.url: must begin"},
		"a login in the URL":   {func(d *config.Deliver) { d.MQTT.URL = "mqtt://home:open-sesame@broker" }, "deliver.mqtt.url: must not hold a login"},
		"a password of nobody": {func(d *config.Deliver) { d.MQTT.User = "" }, "deliver.mqtt.password: needs deliver.mqtt.user"},
		"many topics":          {func(d *config.Deliver) { d.MQTT.Recipients = []string{"house/#"} }, "must each name one topic"},
		"many for reminders":   {func(d *config.Deliver) { d.MQTT.Reminders = "house/+" }, "must each name one topic"},
		"a topic twice":        {func(d *config.Deliver) { d.MQTT.Recipients = []string{"kitchen"} }, "also in deliver.notification.recipients"},
		"no broker":            {func(d *config.Deliver) { d.MQTT.URL = "" }, "deliver.mqtt.reminders: needs deliver.mqtt.url"},
		"a negative limit":     {func(d *config.Deliver) { d.PerMinute = -1 }, "deliver.per_minute"},
	} {
		configured := config.Default()
		configured.Data, configured.Deliver = "x", whole
		c.change(&configured.Deliver)
		err := config.Validate(configured)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the password is legible in %v", name, err)
		}
	}
	configured := config.Default()
	configured.Deliver = whole
	if secrets := strings.Join(configured.Secrets(), " "); !strings.Contains(secrets, "open-sesame") || !strings.Contains(secrets, "open-barley") {
		t.Errorf("the secrets are %s", secrets)
	}
}
