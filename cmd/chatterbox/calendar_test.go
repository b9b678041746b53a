package main

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/loop"
)

func TestCaldavABooking(t *testing.T) {
	d := newDesk(t)
	const when = `"date":"2031-02-20","time":"09:00"`
	d.wants(d.call("check_availability", `{`+when+`}`), `{"available":true,`+when+`,"alternatives":[]}`)
	booked := d.call("book_appointment", `{"customer_name":"Sarah Johnson",`+when+`,"address":"789 Main Street; Springfield","customer_phone":"+15550123","email":"sarah@example.com"}`)
	d.wants(booked, `{"title":"Free Estimate - Sarah Johnson",`+when+`}`)
	// The same again, as after an answer that was lost, is the same booking.
	if again := d.call("book_appointment", `{"customer_name":"Sarah Johnson",`+when+`}`); again["event_id"] != booked["event_id"] {
		t.Errorf("again: %v", again)
	}
	d.wants(d.call("check_availability", `{`+when+`,"duration_minutes":30}`),
		`{"available":false,"alternatives":[{"date":"2031-02-20","time":"08:30"},{"date":"2031-02-20","time":"10:00"},{"date":"2031-02-21","time":"09:00"}]}`)
	d.wants(d.call("book_appointment", `{"customer_name":"Bob","date":"2031-02-20","time":"09:30"}`),
		`{"error":"That time is taken","alternatives":[{"date":"2031-02-20","time":"10:00"},{"date":"2031-02-20","time":"10:30"},{"date":"2031-02-21","time":"09:30"}]}`)
	// Right after is free.
	d.wants(d.call("book_appointment", `{"customer_name":"Ann","service":"Cleaning","date":"2031-02-20","time":"10:00","duration_minutes":30}`),
		`{"title":"Cleaning - Ann","time":"10:00"}`)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","end":"2031-02-20"}`), `{"events":[
		{"title":"Free Estimate - Sarah Johnson","date":"2031-02-20","time":"09:00","end_time":"10:00","all_day":false},
		{"title":"Cleaning - Ann","date":"2031-02-20","time":"10:00","end_time":"10:30","all_day":false}]}`)
	status, object := d.phone("GET", d.calendar+booked["event_id"].(string)+".ics", "")
	unfolded := strings.ReplaceAll(object, "\r\n ", "")
	for _, line := range []string{"DTSTART:20310220T080000Z", "STATUS:CONFIRMED", `LOCATION:789 Main Street\; Springfield`, `Customer: Sarah Johnson\nPhone: +15550123\nEmail: sarah@example.com`} {
		if status != http.StatusOK || !strings.Contains(unfolded, line) {
			t.Errorf("%d: no %s in\n%s", status, line, object)
		}
	}
	if strings.Contains(unfolded, "CLAIM") {
		t.Errorf("it is still a claim:\n%s", object)
	}
}

func TestCaldavCancelAndMove(t *testing.T) {
	d := newDesk(t)
	for _, booking := range []string{
		`"customer_name":"Sarah Johnson","date":"2031-02-20","time":"09:00"`, `"customer_name":"Sarah Miller","date":"2031-02-20","time":"11:00"`,
		`"customer_name":"Bob","date":"2031-02-20","time":"14:00","duration_minutes":90`,
	} {
		d.wants(d.call("book_appointment", `{`+booking+`}`), `{"date":"2031-02-20"}`)
	}
	several := d.call("cancel_appointment", `{"customer_name":"sarah","date":"2031-02-20"}`)
	if candidates, _ := several["candidates"].([]any); len(candidates) != 2 {
		t.Errorf("candidates %v", several)
	}
	d.wants(d.call("cancel_appointment", `{"customer_name":"sarah","date":"2031-02-20","time":"11:00"}`),
		`{"cancelled":{"title":"Free Estimate - Sarah Miller","date":"2031-02-20","time":"11:00"}}`)
	d.wants(d.call("cancel_appointment", `{"customer_name":"sarah miller","date":"2031-02-20"}`), `{"error":"There is no such appointment in the calendar"}`)
	d.wants(d.call("cancel_appointment", `{}`), `{"error":"Say whose appointment it is, or when: customer_name, date or event_id"}`)

	d.wants(d.call("reschedule_appointment", `{"customer_name":"Bob","date":"2031-02-20","new_time":"08:30"}`), `{"error":"That time is taken"}`)
	moved := d.call("reschedule_appointment", `{"customer_name":"Bob","date":"2031-02-20","new_time":"14:30"}`) // over its own old time
	d.wants(moved, `{"title":"Free Estimate - Bob","date":"2031-02-20","time":"14:30","previous":{"date":"2031-02-20","time":"14:00"}}`)
	d.wants(d.call("reschedule_appointment", fmt.Sprintf(`{"event_id":%q,"date":"2031-02-20","new_date":"2031-02-21"}`, moved["event_id"])),
		`{"date":"2031-02-21","time":"14:30"}`)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","end":"2031-02-22"}`), `{"events":[
		{"title":"Free Estimate - Sarah Johnson","date":"2031-02-20","time":"09:00","end_time":"10:00","all_day":false},
		{"title":"Free Estimate - Bob","date":"2031-02-21","time":"14:30","end_time":"16:00","all_day":false}]}`)
	// What was cancelled can be booked again.
	d.wants(d.call("book_appointment", `{"customer_name":"Sarah Miller","date":"2031-02-20","time":"11:00"}`), `{"time":"11:00"}`)
}

// Many at once who want the same time or overlapping ones: one gets it.
func TestCaldavHammerOneTime(t *testing.T) {
	d := newDesk(t)
	const rounds, writers = 4, 6
	for round := range rounds {
		var won atomic.Int32
		var booking sync.WaitGroup
		for i := range writers {
			booking.Go(func() {
				result := d.call("book_appointment", fmt.Sprintf(`{"customer_name":"Person %d","date":"2031-03-%02d","time":"09:%02d"}`, i, round+1, i*5))
				switch {
				case result["event_id"] != nil:
					won.Add(1)
				case result["error"] != "That time is taken":
					t.Errorf("%v", result)
				}
			})
		}
		booking.Wait()
		events, _ := d.call("get_calendar", fmt.Sprintf(`{"start":"2031-03-%02d"}`, round+1))["events"].([]any)
		if won.Load() != 1 || len(events) != 1 {
			t.Errorf("round %d: %d were told that they have it, and there are %v", round, won.Load(), events)
		}
	}
}

// A claim whose booking never ended holds its time for a minute only, and is no event.
func TestCaldavAClaimThatWasLeftBehind(t *testing.T) {
	d := newDesk(t)
	d.put("left", ":20310220T080000Z", ":20310220T090000Z", "CREATED:20260101T000000Z", "STATUS:TENTATIVE", "X-CHATTERBOX-CLAIM:1")
	fresh := time.Now().Add(-10 * time.Second).UTC().Format("20060102T150405Z")
	d.put("fresh", ":20310221T080000Z", ":20310221T090000Z", "CREATED:"+fresh, "STATUS:TENTATIVE", "X-CHATTERBOX-CLAIM:1")
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","end":"2031-02-21"}`), `{"events":[]}`)
	d.wants(d.call("check_availability", `{"date":"2031-02-20","time":"09:00"}`), `{"available":true}`)
	d.wants(d.call("book_appointment", `{"customer_name":"Ann","date":"2031-02-20","time":"09:00"}`), `{"time":"09:00"}`)
	if status, _ := d.phone("GET", d.calendar+"left.ics", ""); status != http.StatusNotFound {
		t.Errorf("the claim is still there: %d", status)
	}
	d.wants(d.call("book_appointment", `{"customer_name":"Ann","date":"2031-02-21","time":"09:30"}`), `{"error":"That time is taken"}`)
}

func TestCaldavWhatCountsAsTaken(t *testing.T) {
	d := newDesk(t)
	d.put("dentist", ";TZID=America/New_York:20310220T040000", ";TZID=America/New_York:20310220T050000") // 10:00 here
	d.put("holiday", ";VALUE=DATE:20310221", ";VALUE=DATE:20310222")
	d.put("birthday", ";VALUE=DATE:20310222", ";VALUE=DATE:20310223", "TRANSP:TRANSPARENT")
	d.put("off", ":20310222T080000Z", ":20310222T090000Z", "STATUS:CANCELLED")
	d.put("alarmed", ":20310223T080000Z", ":20310223T090000Z", "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "DESCRIPTION:soon", "END:VALARM")
	for when, available := range map[string]bool{
		`"date":"2031-02-20","time":"10:00"`: false, `"date":"2031-02-20","time":"09:30"`: false, `"date":"2031-02-20","time":"09:00"`: true,
		`"date":"2031-02-20","time":"11:00"`: true, `"date":"2031-02-21","time":"15:00"`: false, `"date":"2031-02-21","time":"00:00"`: false,
		`"date":"2031-02-22","time":"09:00"`: true, `"date":"2031-02-23","time":"09:30"`: false,
	} {
		d.wants(d.call("check_availability", `{`+when+`}`), fmt.Sprintf(`{"available":%v}`, available))
	}
	d.wants(d.call("get_calendar", `{"start":"2031-02-21","end":"2031-02-21"}`),
		`{"events":[{"title":"holiday","date":"2031-02-21","time":"","end_time":"","all_day":true}]}`)
}

func TestCaldavSeries(t *testing.T) {
	d := newDesk(t)
	// Mondays at nine, over the clock change of 30 March 2031; one is left out.
	d.put("weekly", ";TZID=Europe/Berlin:20310317T090000", ";TZID=Europe/Berlin:20310317T100000", "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=6",
		"EXDATE;TZID=Europe/Berlin:20310324T090000")
	d.put("last-friday", ";TZID=Europe/Berlin:20310328T150000", ";TZID=Europe/Berlin:20310328T160000", "RRULE:FREQ=MONTHLY;BYDAY=-1FR")
	d.put("every-other-day", ";VALUE=DATE:20310601", ";VALUE=DATE:20310602", "RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20310605", "TRANSP:TRANSPARENT")
	d.put("yearly", ";VALUE=DATE:20280229", ";VALUE=DATE:20280301", "RRULE:FREQ=YEARLY", "TRANSP:TRANSPARENT")
	titles := func(start, end string) (found []string) {
		events, _ := d.call("get_calendar", fmt.Sprintf(`{"start":%q,"end":%q}`, start, end))["events"].([]any)
		for _, e := range events {
			event := e.(map[string]any)
			found = append(found, strings.TrimSpace(fmt.Sprint(event["title"], " ", event["date"], " ", event["time"])))
		}
		return found
	}
	for span, want := range map[string][]string{
		"2031-03-17 2031-04-30": {"weekly 2031-03-17 09:00", "last-friday 2031-03-28 15:00", "weekly 2031-03-31 09:00", "weekly 2031-04-07 09:00",
			"weekly 2031-04-14 09:00", "weekly 2031-04-21 09:00", "last-friday 2031-04-25 15:00"},
		"2031-05-25 2031-06-10": {"last-friday 2031-05-30 15:00", "every-other-day 2031-06-01", "every-other-day 2031-06-03", "every-other-day 2031-06-05"},
		"2032-02-25 2032-03-01": {"last-friday 2032-02-27 15:00", "yearly 2032-02-29"},
	} {
		start, end, _ := strings.Cut(span, " ")
		if got := titles(start, end); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", span, got, want)
		}
	}
	d.wants(d.call("book_appointment", `{"customer_name":"Ann","date":"2031-04-07","time":"09:30"}`), `{"error":"That time is taken"}`)
	d.wants(d.call("book_appointment", `{"customer_name":"Ann","date":"2031-03-24","time":"09:00"}`), `{"time":"09:00"}`)
	// One of a series is taken out, the others stay.
	d.wants(d.call("cancel_appointment", `{"customer_name":"weekly","date":"2031-04-07"}`), `{"cancelled":{"title":"weekly","date":"2031-04-07","time":"09:00"}}`)
	d.wants(d.call("reschedule_appointment", `{"customer_name":"weekly","date":"2031-04-14","new_time":"16:00"}`), `{"time":"16:00"}`)
	if got := titles("2031-04-01", "2031-04-24"); !reflect.DeepEqual(got, []string{"weekly 2031-04-14 16:00", "weekly 2031-04-21 09:00"}) {
		t.Errorf("%q", got)
	}
}

// An hour that does not exist is as long after the change as it was said after it; of one that is twice the first is meant.
func TestCaldavClockChanges(t *testing.T) {
	d := newDesk(t)
	d.wants(d.call("book_appointment", `{"customer_name":"Spring","date":"2031-03-30","time":"02:30","duration_minutes":30}`), `{"date":"2031-03-30","time":"03:30"}`)
	booked := d.call("book_appointment", `{"customer_name":"Autumn","date":"2031-10-26","time":"02:30","duration_minutes":30}`)
	d.wants(booked, `{"date":"2031-10-26","time":"02:30"}`)
	if _, object := d.phone("GET", d.calendar+booked["event_id"].(string)+".ics", ""); !strings.Contains(object, "DTSTART:20311026T003000Z") {
		t.Error(object)
	}
	d.put("whole", ";VALUE=DATE:20311026", ";VALUE=DATE:20311027")
	d.wants(d.call("check_availability", `{"date":"2031-10-26","time":"23:30","duration_minutes":30}`), `{"available":false}`)
	d.wants(d.call("check_availability", `{"date":"2031-10-27","time":"00:00","duration_minutes":30}`), `{"available":true}`)
}

func TestCaldavArgumentsThatAreNone(t *testing.T) {
	d := newDesk(t)
	for arguments, want := range map[string]string{
		`{"date":"2031-02-31","time":"09:00"}`: `Argument date is not a day that exists: "2031-02-31".`,
		`{"date":"2031-02-20","time":"25:00"}`: `Argument time is not a time that exists: "25:00".`,
	} {
		verdict := d.box.Check(t.Context(), loop.Call{ID: "1", Name: "check_availability", Arguments: arguments})
		if verdict.Decision != loop.Refuse || !strings.HasPrefix(verdict.Reason, want) {
			t.Errorf("%s: %+v", arguments, verdict)
		}
	}
	past := d.call("book_appointment", `{"customer_name":"Ann","date":"2023-02-20","time":"09:00"}`)
	if text, _ := past["error"].(string); !strings.HasPrefix(text, "2023-02-20 09:00 is in the past; it is 20") {
		t.Errorf("%v", past)
	}
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","end":"2031-02-19"}`), `{"error":"end is before start"}`)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20","end":"2033-02-19"}`), `{"error":"Ask for at most a year at once"}`)
}

func TestCalendarReminders(t *testing.T) {
	d := &desk{t: t}
	d.open("")
	const mom = `"message":"call mom","at":"2031-02-20T17:00"`
	set := d.call("set_reminder", `{`+mom+`}`)
	d.wants(set, `{`+mom+`,"recurrence":""}`)
	if again := d.call("set_reminder", `{`+mom+`}`); again["id"] != set["id"] {
		t.Errorf("again: %v", again)
	}
	// Every Monday at eight, also after the clock change of 30 March 2031.
	d.wants(d.call("set_reminder", `{"message":"bins, \"both\"","at":"2031-03-24T08:00","recurrence":"FREQ=WEEKLY;BYDAY=MO"}`),
		`{"at":"2031-03-24T08:00","recurrence":"FREQ=WEEKLY;BYDAY=MO"}`)
	reminders, _ := d.call("list_reminders", `{}`)["reminders"].([]any)
	if len(reminders) != 2 || reminders[1].(map[string]any)["message"] != `bins, "both"` || reminders[1].(map[string]any)["at"] != "2031-03-24T08:00" {
		t.Errorf("reminders %v", reminders)
	}
	d.wants(d.call("complete_reminder", `{"message":"bins"}`), `{"error":"\"bins, \"both\"\" repeats. Delete it when it shall not come again"}`)
	d.wants(d.call("complete_reminder", `{"message":"MOM"}`), fmt.Sprintf(`{"completed":{"id":%q,%s,"recurrence":""}}`, set["id"], mom))
	d.wants(d.call("complete_reminder", `{"message":"mom"}`), `{"error":"There is no such reminder"}`)
	if again := d.call("set_reminder", `{`+mom+`}`); again["error"] != nil || again["id"] == set["id"] {
		t.Errorf("after it was completed: %v", again)
	}
	d.wants(d.call("set_reminder", `{"message":"call Bob","at":"2031-02-20T18:00"}`), `{"message":"call Bob"}`)
	if several, _ := d.call("delete_reminder", `{"message":"call"}`)["candidates"].([]any); len(several) != 2 {
		t.Errorf("candidates %v", several)
	}
	d.wants(d.call("delete_reminder", `{"message":"bins"}`), `{"error":null}`)
	d.wants(d.call("delete_reminder", `{}`), `{"error":"Say which reminder: its id, or words of its message"}`)
	if left, _ := d.call("list_reminders", `{}`)["reminders"].([]any); len(left) != 2 {
		t.Errorf("left %v", left)
	}
	for arguments, want := range map[string]string{
		`{"message":"x","at":"2031-02-20T09:00","recurrence":"FREQ=SECONDLY"}`:      "recurrence must be written like FREQ=WEEKLY;BYDAY=MO, not 'FREQ=SECONDLY'",
		`{"message":"x","at":"2031-02-20T09:00","recurrence":"FREQ=DAILY\nX:y"}`:    "recurrence must be written like FREQ=WEEKLY;BYDAY=MO, not 'FREQ=DAILY\nX:y'",
		`{"message":"x","at":"2031-02-20T09:00","recurrence":"FREQ=DAILY;COUNT=x"}`: "recurrence must be written like FREQ=WEEKLY;BYDAY=MO, not 'FREQ=DAILY;COUNT=x'",
	} {
		if got := d.call("set_reminder", arguments)["error"]; got != want {
			t.Errorf("%s: %v", arguments, got)
		}
	}
}
