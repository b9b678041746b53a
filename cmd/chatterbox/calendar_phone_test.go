package main

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/emersion/go-ical"
	"github.com/emersion/go-webdav"
	"github.com/emersion/go-webdav/caldav"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/server"
)

// nobody is a service that is not asked.
type nobody struct{ server.Conversations }

// What a phone puts into the calendar through the front door, the tools see, and the other way round.
func TestCalendarOnAPhone(t *testing.T) {
	opened, err := agenda.Open(agenda.Options{Dir: t.TempDir(), Zone: zoneOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	front, err := server.New(server.Options{Service: nobody{(*conversation.Service)(nil)}, Token: "front-door-key", DAV: opened.Handler()})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- front.Serve(listener) }()
	defer func() {
		if err := front.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	}()
	login := webdav.HTTPClientWithBasicAuth(http.DefaultClient, "phone", "front-door-key")
	phone, err := caldav.NewClient(login, "http://"+listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	home, err := phone.FindCalendarHomeSet(t.Context(), agenda.Prefix)
	if err != nil {
		t.Fatal(err)
	}
	calendars, err := phone.FindCalendars(t.Context(), home)
	if err != nil || len(calendars) != 2 {
		t.Fatalf("%+v %v", calendars, err)
	}
	at := time.Date(2031, 2, 20, 8, 0, 0, 0, time.UTC)
	event := ical.NewEvent()
	event.Props.SetText(ical.PropUID, "dentist")
	event.Props.SetText(ical.PropSummary, "Dentist")
	event.Props.SetDateTime(ical.PropDateTimeStamp, at)
	event.Props.SetDateTime(ical.PropDateTimeStart, at)
	event.Props.SetDateTime(ical.PropDateTimeEnd, at.Add(time.Hour))
	object := ical.NewCalendar()
	object.Props.SetText(ical.PropVersion, "2.0")
	object.Props.SetText(ical.PropProductID, "-//phone//EN")
	object.Children = append(object.Children, event.Component)
	if _, err := phone.PutCalendarObject(t.Context(), agenda.HomePath+"dentist.ics", object); err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, agenda: opened.Handler()}
	d.open("")
	d.wants(d.call("check_availability", "{"+thatTime+"}"), `{"available":false}`)
	booked := d.call("book_appointment", `{"customer_name":"Ann","date":"2031-02-20","time":"10:00"}`)
	id, _ := booked["event_id"].(string)
	found, err := phone.GetCalendarObject(t.Context(), agenda.HomePath+id+".ics")
	if err != nil {
		t.Fatalf("%v: %v", booked, err)
	}
	if summary, _ := found.Data.Events()[0].Props.Text(ical.PropSummary); summary != "Free Estimate - Ann" {
		t.Errorf("summary %q", summary)
	}
}
