package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"chatterbox/loop"
	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

var (
	caldavServer = flag.String("caldav", "", "`address` of the folder for calendars on a CalDAV server, instead of the built-in one")
	caldavLogin  = flag.String("caldav.login", "", "`name:password` there")
)

// desk is the real calendar tools over a calendar, which is one of the server that the flags name, or of the built-in one.
type desk struct {
	t        testing.TB
	box      *toolbox.Toolbox
	calendar string // its address, for what a phone does
	login    string
	client   *http.Client
	timeout  time.Duration // of a call; 0 is the product's own
	agenda   http.Handler  // behind the internal name; nil is one of its own
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	if *caldavServer == "" {
		server := httptest.NewServer(builtInAgenda(t))
		t.Cleanup(server.Close)
		d := &desk{t: t, calendar: server.URL + agenda.HomePath, client: server.Client()}
		d.open(d.calendar)
		return d
	}
	address := fmt.Sprintf("%s%s-%d/", *caldavServer, strings.ToLower(strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())), time.Now().UnixNano())
	d := &desk{t: t, calendar: address, login: *caldavLogin, client: http.DefaultClient}
	if status, answer := d.phone("MKCALENDAR", address, ""); status != http.StatusCreated {
		t.Fatalf("make a calendar: %d %s", status, answer)
	}
	d.open(d.calendar)
	return d
}

func builtInAgenda(t testing.TB) http.Handler {
	t.Helper()
	a, err := agenda.Open(agenda.Options{Dir: t.TempDir(), Zone: zoneOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	return a.Handler()
}

func zoneOf(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// open opens the tools on a calendar.
func (d *desk) open(calendar string) {
	d.t.Helper()
	if d.agenda == nil {
		d.agenda = builtInAgenda(d.t)
	}
	settings := config.Config{}
	settings.Tools.Calendar.URL = calendar
	settings.Tools.Calendar.User, settings.Tools.Calendar.Password, _ = strings.Cut(d.login, ":")
	options := configured(settings)
	options.Timezone, options.Timeout = zoneOf(d.t), d.timeout
	d.box = openBuiltin(d.t, map[string]http.Handler{agendaHost: d.agenda}, options)
}

// call runs a tool with the yes that its policy asks for, and gives its result.
func (d *desk) call(tool, arguments string) map[string]any {
	d.t.Helper()
	call := loop.Call{ID: "1", Name: tool, Arguments: arguments}
	verdict := d.box.Check(d.t.Context(), call)
	if verdict.Decision == loop.Refuse {
		d.t.Fatalf("%s %s: %s", tool, arguments, verdict.Reason)
	}
	verdict.Decision = loop.Run // the person has said yes
	result := d.box.Call(d.t.Context(), call, verdict)
	var content map[string]any
	if err := json.Unmarshal([]byte(result.Content), &content); err != nil {
		d.t.Fatalf("%s %s: %s", tool, arguments, result.Content)
	}
	if _, isError := content["error"]; isError != result.Failed {
		d.t.Errorf("%s %s: failed is %v: %s", tool, arguments, result.Failed, result.Content)
	}
	return content
}

// wants compares the members of a result that want names.
func (d *desk) wants(content map[string]any, want string) {
	d.t.Helper()
	var wanted map[string]any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		d.t.Fatal(err)
	}
	for name, value := range wanted {
		if !reflect.DeepEqual(content[name], value) {
			d.t.Errorf("%s is %v, want %v, in %v", name, content[name], value, content)
		}
	}
}

// phone does what another client of the calendar does.
func (d *desk) phone(method, address, body string) (int, string) {
	d.t.Helper()
	request, err := http.NewRequestWithContext(d.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "text/calendar")
	}
	if name, password, ok := strings.Cut(d.login, ":"); ok {
		request.SetBasicAuth(name, password)
	}
	response, err := d.client.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// put puts an event into the calendar as a phone does.
func (d *desk) put(uid, start, end string, more ...string) {
	d.t.Helper()
	lines := append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//phone//EN", "BEGIN:VEVENT", "UID:" + uid,
		"DTSTAMP:20260101T000000Z", "DTSTART" + start, "DTEND" + end, "SUMMARY:" + uid}, more...)
	body := strings.Join(append(lines, "END:VEVENT", "END:VCALENDAR", ""), "\r\n")
	if status, answer := d.phone("PUT", d.calendar+uid+".ics", body); status != http.StatusCreated {
		d.t.Fatalf("put %s: %d %s", uid, status, answer)
	}
}
