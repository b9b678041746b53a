package main

import (
	"context"
	"errors"
	"fmt"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/deliver"
	"chatterbox/runtime/toolbox"
)

// everyoneHere gets notifications where no service for them is set up. The tool finds it by each of its words.
const everyoneHere = "everyone here (me, you, us, the user, this conversation)"

// here is the channel for notifications that needs no service: whoever talks next hears them, as they hear reminders.
type here struct{ agenda *agenda.Agenda }

func (h here) Send(_ context.Context, to, title, text string) error {
	if to != everyoneHere {
		return &deliver.Error{Message: "no service for notifications is set up, so they reach nobody but " + everyoneHere}
	}
	if title != "" {
		text = title + ": " + text
	}
	switch err := h.agenda.Notify(text); {
	case errors.Is(err, agenda.ErrNotKept):
		return &deliver.Error{Message: err.Error()}
	case err != nil:
		return &deliver.Error{Message: "the disk does not keep it", Err: err}
	}
	return nil
}

// mqttChannel is the channel whose recipients are topics.
const mqttChannel = "mqtt"

// senders are the channels that are set up, by the names that grants have for them.
func senders(settings config.Deliver) (map[string]toolbox.Sender, error) {
	set := map[string]toolbox.Sender{}
	if m := settings.Mail; m.Server != "" {
		sender, err := deliver.NewMail(deliver.MailOptions{
			Server: m.Server, Security: deliver.Security(m.Security), User: m.User, Password: m.Password, From: m.From,
		})
		if err != nil {
			return nil, cli.Usage("", "deliver.mail: %w", err)
		}
		set["mail"] = sender
	}
	if n := settings.Notification; n.URL != "" {
		sender, err := deliver.NewNotification(deliver.NotificationOptions{
			URL: n.URL, Format: deliver.Format(n.Format), Token: n.Token,
		})
		if err != nil {
			return nil, cli.Usage("", "deliver.notification: %w", err)
		}
		set["notification"] = sender
	}
	if m := settings.MQTT; m.URL != "" {
		sender, err := deliver.NewMQTT(deliver.MQTTOptions{URL: m.URL, User: m.User, Password: m.Password})
		if err != nil {
			return nil, cli.Usage("", "deliver.mqtt: %w", err)
		}
		set[mqttChannel] = sender
	}
	return set, nil
}

// missingChannel gives what to say of a channel that is not set up.
func missingChannel(settings config.Deliver) func(channel string) string {
	keys := map[string]string{"mail": "deliver.mail.server", "notification": "deliver.notification.url",
		mqttChannel: "deliver.mqtt.url"}
	return func(channel string) string {
		set, _ := senders(settings)
		switch key, known := keys[channel]; {
		case set[channel] != nil:
			return ""
		case known:
			return fmt.Sprintf(" It is not set up yet: %s.", key)
		}
		return " There is no such channel: there are mail, notification and mqtt."
	}
}
