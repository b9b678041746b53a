package main

import (
	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
)

// reminderChannels are those that are set up for reminders.
func reminderChannels(settings config.Deliver) ([]agenda.Channel, error) {
	set, err := senders(settings)
	if err != nil {
		return nil, err
	}
	var channels []agenda.Channel
	for name, to := range map[string]string{
		"mail": settings.Mail.Reminders, "notification": settings.Notification.Reminders,
		mqttChannel: settings.MQTT.Reminders,
	} {
		if to != "" && set[name] != nil {
			channels = append(channels, agenda.Channel{Name: name, To: to, Sender: set[name]})
		}
	}
	return channels, nil
}

// say is a sentence of the catalogue that is for nobody's turn: the house has no language of its own.
func (a *app) say(sentence string) string { return a.spoken.Workflows().Say("", sentence) }

// houseReminders are the agenda's reminders for conversations.
type houseReminders struct{ agenda *agenda.Agenda }

func (u houseReminders) Pending() ([]conversation.Reminder, error) {
	found, err := u.agenda.Pending()
	out := make([]conversation.Reminder, len(found))
	for i, due := range found {
		out[i] = conversation.Reminder{
			ID: due.ID, Message: due.Message, At: due.At, Late: due.Late, Notification: due.Notification,
		}
	}
	return out, err
}

func (u houseReminders) Acknowledge(heard []conversation.Reminder) error {
	list := make([]agenda.Due, len(heard))
	for i, r := range heard {
		list[i] = agenda.Due{ID: r.ID, At: r.At}
	}
	return u.agenda.Acknowledge(list)
}
