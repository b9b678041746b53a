package main

import (
	"log/slog"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/flows"
	"chatterbox/runtime/history/historytest"
)

func TestCalendarOfAnotherPerson(t *testing.T) {
	d := &desk{t: t}
	d.open("") // the built-in one, under its internal name
	d.wants(d.call("check_availability", `{`+thatTime+`,"with":"Nobody"}`), `{"available":true,"unknown_calendar":"Nobody"}`)
	d.wants(d.call("book_appointment", annWants), `{"title":"Free Estimate - Ann"}`)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","person":"Home"}`), `{"events":[{"title":"Free Estimate - Ann","date":"2031-02-20","time":"09:00","end_time":"10:00","all_day":false}]}`)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","person":"../home"}`), `{"events":[{"title":"Free Estimate - Ann","date":"2031-02-20","time":"09:00","end_time":"10:00","all_day":false}]}`)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","person":"Zoë B"}`), `{"error":"There is no calendar of Zoë B"}`)
	d.wants(d.call("check_availability", `{"date":"2031-02-20","time":"09:30","with":"Home"}`), `{"available":false,"with":"Home"}`)
}

// newDeskBeside is a desk configured by the environment, beside the calendar of Bob.
func newDeskBeside(t *testing.T) (own, bob *desk) {
	t.Helper()
	own = newDesk(t)
	folder := strings.TrimSuffix(own.calendar, path.Base(own.calendar)+"/")
	bob = &desk{t: t, calendar: folder + "bob/", login: own.login, client: own.client}
	if status, answer := bob.phone("MKCALENDAR", bob.calendar, ""); status != http.StatusCreated {
		t.Fatalf("make a calendar: %d %s", status, answer)
	}
	environ := map[string]string{"CHATTERBOX_DATA": t.TempDir(), "CHATTERBOX_TOOLS_CALENDAR_URL": own.calendar, "CHATTERBOX_TOOLS_CALENDAR_PEOPLE_URL": folder}
	if name, password, ok := strings.Cut(own.login, ":"); ok {
		environ["CHATTERBOX_TOOLS_CALENDAR_USER"], environ["CHATTERBOX_TOOLS_CALENDAR_PASSWORD"] = name, password
		t.Cleanup(func() { // the server outlives the test
			request, err := http.NewRequest("DELETE", bob.calendar, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.SetBasicAuth(name, password)
			if response, err := bob.client.Do(request); err == nil {
				response.Body.Close()
			}
		})
	}
	loaded, err := config.Resolve(config.Source{Getenv: func(name string) string { return environ[name] }})
	if err != nil {
		t.Fatal(err)
	}
	own.box = openConfigured(t, loaded.Config.Tools, 0)
	return own, bob
}

// A time at which the other person is busy is not free for both, and what is offered instead is.
func TestCaldavOfTwoPeople(t *testing.T) {
	own, bob := newDeskBeside(t)
	own.put("early", ":20310220T090000Z", ":20310220T100000Z")
	own.put("late", ":20310220T110000Z", ":20310220T120000Z")
	bob.put("busy", ":20310220T100000Z", ":20310220T110000Z")
	bob.put("lunch", ":20310220T120000Z", ":20310220T130000Z")
	const ten = `"date":"2031-02-20","time":"10:00"`
	own.wants(own.call("check_availability", "{"+ten+"}"), `{"available":true,"with":null}`)
	own.wants(own.call("check_availability", "{"+ten+`,"with":"Bob"}`), `{"available":false,"with":"Bob","alternatives":[
		{"date":"2031-02-20","time":"08:00"},{"date":"2031-02-20","time":"13:00"},{"date":"2031-02-21","time":"10:00"}]}`)
	own.wants(own.call("check_availability", `{"date":"2031-02-20","time":"11:30","with":"Bob"}`), `{"available":false,"with":"Bob"}`)
	own.wants(own.call("check_availability", `{"date":"2031-02-20","time":"13:00","with":"BOB"}`), `{"available":true,"with":"BOB"}`)
	own.wants(own.call("get_calendar", `{"start":"2031-02-20","person":"Bob"}`), `{"events":[
		{"title":"busy","date":"2031-02-20","time":"10:00","end_time":"11:00","all_day":false},
		{"title":"lunch","date":"2031-02-20","time":"12:00","end_time":"13:00","all_day":false}]}`)
}

// A call with somebody whose calendar is known is put where both are free, and is said to be.
func TestCaldavACallWithSomebody(t *testing.T) {
	own, bob := newDeskBeside(t)
	bob.put("busy", ":20310220T100000Z", ":20310220T110000Z")
	spoken, err := flows.Open("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	service := conversation.New(conversation.Options{
		Store: new(historytest.Memory), Tools: own.box, Offered: own.box.Offered, Limits: loop.DefaultLimits(),
		Model: func(string) loop.Model { return modelDoing{nil, modelKinds["down"]} },
		Rules: spoken.Rules, Workflows: spoken.Workflows, MaxHistoryTurns: 20, QueueMax: 1,
		Now: func() time.Time { return time.Date(2031, 2, 19, 8, 0, 0, 0, time.UTC) },
	})
	for _, turn := range [][2]string{
		{"schedule a call with Bob tomorrow at ten", "that time is taken"},
		{"tomorrow at one", "Your calendar is free then, and so is Bob's. Shall I put in the call with Bob tomorrow at 1 PM?"},
		{"yes", "Done."},
		{"schedule a call with Zeno tomorrow at three", "Your calendar is free then; I don't know Zeno's."},
	} {
		reply, err := service.Converse(t.Context(), conversation.Request{Text: turn[0], ConversationID: "a"}, nil)
		if err != nil || !strings.Contains(reply.ResponseText, turn[1]) {
			t.Errorf("%s: %q %v", turn[0], reply.ResponseText, err)
		}
	}
	own.wants(own.call("get_calendar", `{"start":"2031-02-20"}`),
		`{"events":[{"title":"Call - Bob","date":"2031-02-20","time":"13:00","end_time":"14:00","all_day":false}]}`)
}
