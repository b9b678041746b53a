package agenda_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"chatterbox/runtime/agenda"

	"github.com/emersion/go-ical"
	"github.com/emersion/go-webdav/caldav"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func berlin(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func open(t testing.TB, dir string) *agenda.Agenda {
	t.Helper()
	a, err := agenda.Open(agenda.Options{Dir: dir, Zone: berlin(t)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func serve(t testing.TB, dir string) string {
	t.Helper()
	server := httptest.NewServer(open(t, dir).Handler())
	t.Cleanup(func() { server.Close(); http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	return server.URL
}

// event is an event as a phone sends one, with more lines.
func event(uid, start, end string, more ...string) string {
	lines := append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//phone//EN", "BEGIN:VEVENT", "UID:" + uid,
		"DTSTAMP:20260101T000000Z", "DTSTART" + start, "DTEND" + end, "SUMMARY:" + uid}, more...)
	return strings.Join(append(lines, "END:VEVENT", "END:VCALENDAR", ""), "\r\n")
}

func do(t testing.TB, method, url, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer), response.Header
}

func put(t testing.TB, url, name, body string, headers ...string) int {
	t.Helper()
	status, _, _ := do(t, "PUT", url+agenda.HomePath+name, body, append([]string{"Content-Type", "text/calendar"}, headers...)...)
	return status
}

const (
	query = `<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data>%s</C:calendar-data></D:prop>` +
		`<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="%s"><C:time-range start="%s" end="%s"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`
	expand = `<C:expand start="%s" end="%s"/>`
)

func report(t testing.TB, url, start, end string, expanding bool) string {
	t.Helper()
	inner := ""
	if expanding {
		inner = fmt.Sprintf(expand, start, end)
	}
	status, answer, _ := do(t, "REPORT", url+agenda.HomePath, fmt.Sprintf(query, inner, "VEVENT", start, end), "Content-Type", "application/xml", "Depth", "1")
	if status != http.StatusMultiStatus {
		t.Fatalf("REPORT: %d %s", status, answer)
	}
	return answer
}

func TestAPhoneFindsItsWay(t *testing.T) {
	url := serve(t, t.TempDir())
	client, err := caldav.NewClient(http.DefaultClient, url)
	if err != nil {
		t.Fatal(err)
	}
	status, _, header := do(t, "PROPFIND", url+"/.well-known/caldav", "")
	if status != http.StatusPermanentRedirect || header.Get("Location") != agenda.Prefix {
		t.Errorf("/.well-known/caldav: %d %s", status, header.Get("Location"))
	}
	home, err := client.FindCalendarHomeSet(t.Context(), agenda.Prefix)
	if err != nil {
		t.Fatal(err)
	}
	calendars, err := client.FindCalendars(t.Context(), home)
	if err != nil || len(calendars) != 2 || calendars[0].Path != agenda.HomePath || calendars[1].Name != "Reminders" {
		t.Fatalf("calendars %+v, %v", calendars, err)
	}
	if kinds := calendars[1].SupportedComponentSet; len(kinds) != 1 || kinds[0] != ical.CompToDo {
		t.Errorf("reminders hold %v", kinds)
	}
	at := time.Date(2026, 2, 20, 8, 0, 0, 0, time.UTC)
	one := ical.NewEvent()
	one.Props.SetText(ical.PropUID, "u1")
	one.Props.SetText(ical.PropSummary, "Dentist, at last")
	one.Props.SetDateTime(ical.PropDateTimeStamp, at)
	one.Props.SetDateTime(ical.PropDateTimeStart, at)
	one.Props.SetDateTime(ical.PropDateTimeEnd, at.Add(time.Hour))
	calendar := ical.NewCalendar()
	calendar.Props.SetText(ical.PropVersion, "2.0")
	calendar.Props.SetText(ical.PropProductID, "-//test//EN")
	calendar.Children = append(calendar.Children, one.Component)
	if _, err := client.PutCalendarObject(t.Context(), agenda.HomePath+"u1.ics", calendar); err != nil {
		t.Fatal(err)
	}
	found, err := client.QueryCalendar(t.Context(), agenda.HomePath, &caldav.CalendarQuery{
		CompRequest: caldav.CalendarCompRequest{Name: "VCALENDAR", AllProps: true, AllComps: true},
		CompFilter: caldav.CompFilter{Name: "VCALENDAR", Comps: []caldav.CompFilter{
			{Name: "VEVENT", Start: at, End: at.Add(time.Hour)},
		}},
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if summary, _ := found[0].Data.Events()[0].Props.Text(ical.PropSummary); summary != "Dentist, at last" {
		t.Errorf("summary %q", summary)
	}
	if err := client.RemoveAll(t.Context(), agenda.HomePath+"u1.ics"); err != nil {
		t.Error(err)
	}
}

func TestConditions(t *testing.T) {
	dir := t.TempDir()
	url := serve(t, dir)
	body := event("a", ":20260220T080000Z", ":20260220T090000Z")
	if got := put(t, url, "a.ics", body, "If-Match", `"x"`); got != http.StatusPreconditionFailed {
		t.Errorf("If-Match of nothing: %d", got)
	}
	if got := put(t, url, "a.ics", body, "If-None-Match", "*"); got != http.StatusCreated {
		t.Errorf("first: %d", got)
	}
	if got := put(t, url, "a.ics", body, "If-None-Match", "*"); got != http.StatusPreconditionFailed {
		t.Errorf("second: %d", got)
	}
	if got := put(t, url, "b.ics", body); got != http.StatusConflict {
		t.Errorf("one identity twice: %d", got)
	}
	_, text, header := do(t, "GET", url+agenda.HomePath+"a.ics", "")
	etag := header.Get("ETag")
	if !strings.Contains(text, "SUMMARY:a") || etag == "" {
		t.Fatalf("GET: %s %v", text, header)
	}
	if got := put(t, url, "a.ics", event("a", ":20260220T100000Z", ":20260220T110000Z"), "If-Match", etag); got != http.StatusCreated {
		t.Errorf("with its ETag: %d", got)
	}
	if got, _, _ := do(t, "DELETE", url+agenda.HomePath+"a.ics", "", "If-Match", etag); got != http.StatusPreconditionFailed {
		t.Errorf("DELETE of another state: %d", got)
	}
	// Another process on the same folder sees it, and its change is seen here.
	other := serve(t, dir)
	_, _, header = do(t, "GET", other+agenda.HomePath+"a.ics", "")
	if got, _, _ := do(t, "DELETE", other+agenda.HomePath+"a.ics", "", "If-Match", header.Get("ETag")); got != http.StatusNoContent {
		t.Errorf("DELETE: %d", got)
	}
	if got, _, _ := do(t, "GET", url+agenda.HomePath+"a.ics", ""); got != http.StatusNotFound {
		t.Errorf("GET of what is gone: %d", got)
	}
	if rest, err := filepath.Glob(filepath.Join(dir, "home", ".new-*")); err != nil || len(rest) > 0 {
		t.Errorf("left behind: %v, %v", rest, err)
	}
}

func TestHammerOneNameIsTakenOnce(t *testing.T) {
	dir := t.TempDir()
	urls := []string{serve(t, dir), serve(t, dir)}
	var won atomic.Int32
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			body := event("same", ":20260220T080000Z", ":20260220T090000Z", fmt.Sprint("DESCRIPTION:", i))
			if put(t, urls[i%2], "same.ics", body, "If-None-Match", "*") == http.StatusCreated {
				won.Add(1)
			}
		})
	}
	writers.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers made the same object", won.Load())
	}
}

func TestWhatARangeHolds(t *testing.T) {
	url := serve(t, t.TempDir())
	for name, body := range map[string]string{
		"exact":    event("exact", ":20260220T080000Z", ":20260220T090000Z"),
		"long":     event("long", ":20260101T000000Z", ":20260601T000000Z"),
		"before":   event("before", ":20260220T070000Z", ":20260220T080000Z"),
		"after":    event("after", ":20260220T090000Z", ":20260220T100000Z"),
		"zoned":    event("zoned", ";TZID=America/New_York:20260220T033000", ";TZID=America/New_York:20260220T034500"),
		"floating": event("floating", ":20260220T091500", ":20260220T093000"),
		"allday":   event("allday", ";VALUE=DATE:20260220", ";VALUE=DATE:20260221"),
		"outlook":  event("outlook", ";TZID=W. Europe Standard Time:20260220T091500", ";TZID=W. Europe Standard Time:20260220T093000"),
		"moment":   event("moment", ":20260220T080000Z", ":20260220T080000Z"),
	} {
		if got := put(t, url, name+".ics", body); got != http.StatusCreated {
			t.Fatalf("%s: %d", name, got)
		}
	}
	answer := report(t, url, "20260220T080000Z", "20260220T090000Z", false)
	for name, want := range map[string]bool{"exact": true, "long": true, "before": false, "after": false, "zoned": true, "floating": true,
		"allday": true, "outlook": true, "moment": true} {
		if strings.Contains(answer, "SUMMARY:"+name) != want {
			t.Errorf("%s is found: %v", name, !want)
		}
	}
}

func TestSeriesAreTakenApart(t *testing.T) {
	url := serve(t, t.TempDir())
	// Mondays at nine in Berlin over the clock change of 29 March; one is left out, one was moved.
	body := strings.Replace(event("weekly", ";TZID=Europe/Berlin:20260316T090000", ";TZID=Europe/Berlin:20260316T100000",
		"RRULE:FREQ=WEEKLY;BYDAY=MO", "EXDATE;TZID=Europe/Berlin:20260323T090000"),
		"END:VCALENDAR", "BEGIN:VEVENT\r\nUID:weekly\r\nDTSTAMP:20260101T000000Z\r\nRECURRENCE-ID;TZID=Europe/Berlin:20260406T090000\r\n"+
			"DTSTART;TZID=Europe/Berlin:20260407T150000\r\nDTEND;TZID=Europe/Berlin:20260407T160000\r\nSUMMARY:moved\r\nEND:VEVENT\r\nEND:VCALENDAR", 1)
	if got := put(t, url, "weekly.ics", body); got != http.StatusCreated {
		t.Fatalf("weekly: %d", got)
	}
	answer := report(t, url, "20260301T000000Z", "20260414T000000Z", true)
	for line, want := range map[string]int{
		"DTSTART:20260316T080000Z": 1, "DTSTART:20260323T080000Z": 0, "DTSTART:20260330T070000Z": 1,
		"DTSTART:20260406T070000Z": 0, "DTSTART:20260407T130000Z": 1, "DTSTART:20260413T070000Z": 1, "RRULE": 0,
	} {
		if got := strings.Count(answer, line); got != want {
			t.Errorf("%s: %d times, want %d in\n%s", line, got, want, answer)
		}
	}
	if answer = report(t, url, "20260323T000000Z", "20260324T000000Z", false); strings.Contains(answer, "SUMMARY") {
		t.Error("the one that was left out is found")
	}
	if answer = report(t, url, "20260330T073000Z", "20260330T074500Z", false); !strings.Contains(answer, "RRULE") {
		t.Error("a series is not found in the middle of one of its events")
	}
}

func TestRefused(t *testing.T) {
	url := serve(t, t.TempDir())
	good := event("a", ":20260220T080000Z", ":20260220T090000Z")
	for name, c := range map[string]struct {
		path, body string
		status     int
	}{
		"no calendar":            {agenda.HomePath + "a.ics", "hello", 400},
		"a line without its end": {agenda.HomePath + "a.ics", strings.Replace(good, "SUMMARY:a", "SUMMARY;X=1", 1), 400},
		"a task in a calendar":   {agenda.HomePath + "a.ics", strings.ReplaceAll(strings.Replace(good, "DTEND", "DUE", 1), "VEVENT", "VTODO"), 403},
		"an event in the tasks":  {agenda.RemindersPath + "a.ics", good, 403},
		"no identity":            {agenda.HomePath + "a.ics", strings.Replace(good, "UID:a\r\n", "", 1), 403},
		"no start":               {agenda.HomePath + "a.ics", strings.Replace(good, "DTSTART:20260220T080000Z\r\n", "", 1), 403},
		"no such date":           {agenda.HomePath + "a.ics", strings.Replace(good, "20260220T080000Z", "20260231T080000Z", 1), 403},
		"every second":           {agenda.HomePath + "a.ics", event("a", ":20260220T080000Z", ":20260220T090000Z", "RRULE:FREQ=SECONDLY"), 403},
		"two in one":             {agenda.HomePath + "a.ics", strings.Replace(good, "END:VCALENDAR", strings.SplitAfterN(good, "EN\r\n", 2)[1], 1), 403},
		"at Easter":              {agenda.HomePath + "a.ics", event("a", ":20260220T080000Z", ":20260220T090000Z", "RRULE:FREQ=YEARLY;BYEASTER=400"), 403},
		"too large":              {agenda.HomePath + "a.ics", event("a", ":20260220T080000Z", ":20260220T090000Z", "DESCRIPTION:"+strings.Repeat("x", 70<<10)), 413},
		"much too large":         {agenda.HomePath + "a.ics", strings.Repeat("x", 200<<10), 413},
		"no such calendar":       {"/dav/calendars/none/a.ics", good, 404},
		"outside":                {"/dav/calendars/..%2fx/a.ics", good, 404},
		"a hidden file":          {agenda.HomePath + ".title", good, 404},
		"another ending":         {agenda.HomePath + "a.txt", good, 404},
		"too long a name":        {agenda.HomePath + strings.Repeat("a", 300) + ".ics", good, 404},
	} {
		if got, answer, _ := do(t, "PUT", url+c.path, c.body, "Content-Type", "text/calendar"); got != c.status {
			t.Errorf("%s: %d %s, want %d", name, got, answer, c.status)
		}
	}
	if got, _, _ := do(t, "DELETE", url+agenda.HomePath, ""); got != http.StatusForbidden {
		t.Errorf("a whole calendar is deleted: %d", got)
	}
	for name, body := range map[string]string{"no XML": "<a", "no times": `<x xmlns="urn:ietf:params:xml:ns:caldav"><expand start="x" end="y"/></x>`} {
		if got, _, _ := do(t, "REPORT", url+agenda.HomePath, body, "Content-Type", "application/xml"); got != http.StatusBadRequest {
			t.Errorf("REPORT with %s: %d", name, got)
		}
	}
}

// A rule that never comes true ends with the range.
func TestARuleThatNeverComesTrue(t *testing.T) {
	url := serve(t, t.TempDir())
	for i, rule := range []string{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY"} {
		name := fmt.Sprint("never", i)
		if got := put(t, url, name+".ics", event(name, ":20260220T080000Z", ":20260220T090000Z", "RRULE:"+rule)); got != http.StatusCreated {
			t.Fatalf("%s: %d", rule, got)
		}
	}
	if answer := report(t, url, "20260301T000000Z", "20270301T000000Z", true); strings.Contains(answer, "never1") || !strings.Contains(answer, "never2") {
		t.Errorf("found %s", answer)
	}
}

func TestACalendarOfSomebodyElse(t *testing.T) {
	url := serve(t, t.TempDir())
	body := `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>Anna</D:displayname></D:prop></D:set></C:mkcalendar>`
	if got, answer, _ := do(t, "MKCALENDAR", url+"/dav/calendars/anna/", body); got != http.StatusCreated {
		t.Fatalf("%d %s", got, answer)
	}
	client, err := caldav.NewClient(http.DefaultClient, url)
	if err != nil {
		t.Fatal(err)
	}
	calendars, err := client.FindCalendars(t.Context(), "/dav/calendars/")
	if err != nil || len(calendars) != 3 || calendars[0].Name != "Anna" {
		t.Errorf("%+v %v", calendars, err)
	}
	for i := range 20 {
		status, _, _ := do(t, "MKCALENDAR", fmt.Sprintf("%s/dav/calendars/more%d/", url, i), "")
		if want := i < 13; (status == http.StatusCreated) != want {
			t.Errorf("calendar %d: %d", i, status)
		}
	}
}

// What somebody put into the folder and is no object hides nothing else.
func TestAForeignFile(t *testing.T) {
	dir := t.TempDir()
	url := serve(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "home", "bad.ics"), []byte("BEGIN:VCALENDAR\r\nX;Y=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := put(t, url, "a.ics", event("a", ":20260220T080000Z", ":20260220T090000Z")); got != http.StatusCreated {
		t.Fatal(got)
	}
	if answer := report(t, url, "20260220T000000Z", "20260221T000000Z", false); !strings.Contains(answer, "SUMMARY:a") {
		t.Error(answer)
	}
	if got, _, _ := do(t, "GET", url+agenda.HomePath+"bad.ics", ""); got != http.StatusInternalServerError {
		t.Errorf("the bad file: %d", got)
	}
}

func TestOpenSaysWhyNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"no folder": "", "a file": file} {
		if _, err := agenda.Open(agenda.Options{Dir: dir}); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzPut(f *testing.F) {
	handler := open(f, f.TempDir()).Handler()
	f.Add(event("a", ":20260220T080000Z", ":20260220T090000Z", "RRULE:FREQ=DAILY;COUNT=3"))
	f.Add(event("a", ";VALUE=DATE:20260220", ";VALUE=DATE:20260221", "EXDATE:20260220,20260221"))
	f.Add("BEGIN:VCALENDAR\r\nX;Y=1")
	f.Fuzz(func(t *testing.T, body string) {
		answer := httptest.NewRecorder()
		request := httptest.NewRequest("PUT", agenda.HomePath+"a.ics", strings.NewReader(body))
		request.Header.Set("Content-Type", "text/calendar")
		handler.ServeHTTP(answer, request)
		if answer.Code >= 500 {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
		if answer.Code != http.StatusCreated {
			return
		}
		answer = httptest.NewRecorder()
		request = httptest.NewRequest("REPORT", agenda.HomePath, strings.NewReader(fmt.Sprintf(query, fmt.Sprintf(expand, "20260101T000000Z", "20270101T000000Z"), "VEVENT", "20260101T000000Z", "20270101T000000Z")))
		request.Header.Set("Content-Type", "application/xml")
		handler.ServeHTTP(answer, request)
		if answer.Code != http.StatusMultiStatus {
			t.Fatalf("what was kept is not found: %d %s", answer.Code, answer.Body)
		}
	})
}
