package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/runtime/agenda"
)

// deskBehind is the calendar tools over the built-in calendar behind fault, which may answer itself or hand on.
func deskBehind(t *testing.T, timeout time.Duration, fault func(w http.ResponseWriter, r *http.Request, next http.Handler)) *desk {
	t.Helper()
	inner := builtInAgenda(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Phone") != "" {
			inner.ServeHTTP(w, r)
			return
		}
		fault(w, r, inner)
	}))
	t.Cleanup(server.Close)
	d := &desk{t: t, calendar: server.URL + agenda.HomePath, client: &http.Client{Transport: asPhone{}}, timeout: timeout}
	d.open(d.calendar)
	return d
}

// asPhone marks the requests that no fault is for.
type asPhone struct{}

func (asPhone) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Phone", "yes")
	return http.DefaultTransport.RoundTrip(r)
}

const (
	thatTime = `"date":"2031-02-20","time":"09:00"`
	annWants = `{"customer_name":"Ann",` + thatTime + `}`
)

func TestCalendarFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(w http.ResponseWriter, r *http.Request, next http.Handler)
		want  string
	}{
		"it fails": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(http.StatusInternalServerError)
		},
			"The calendar answered with error 500"},
		"it is not there": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusNotFound) },
			"There is no calendar at http://127.0.0.1"},
		"it is none": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fmt.Fprint(w, "welcome") },
			"The calendar sent an answer that cannot be read"},
		"it breaks off": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { panic(http.ErrAbortHandler) },
			"The calendar did not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			d := deskBehind(t, 0, c.fault)
			for tool, arguments := range callsOfEachKind {
				if text, _ := d.call(tool, arguments)["error"].(string); !strings.HasPrefix(text, c.want) {
					t.Errorf("%s %s: %q", tool, arguments, text)
				}
			}
		})
	}
}

var callsOfEachKind = map[string]string{
	"check_availability": "{" + thatTime + "}", "book_appointment": annWants,
	"cancel_appointment": `{"date":"2031-02-20"}`, "get_calendar": `{"start":"2031-02-20"}`,
}

// The tools are told in time that the calendar takes too long, so that they can say so.
func TestCalendarThatTakesLong(t *testing.T) {
	d := deskBehind(t, 5*time.Second, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is a client that leaves seen
		<-r.Context().Done()
	})
	for tool, arguments := range callsOfEachKind {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			if text, _ := d.call(tool, arguments)["error"].(string); !strings.HasPrefix(text, "The calendar did not answer in time") {
				t.Errorf("%s: %q", arguments, text)
			}
		})
	}
}

func TestCalendarThatIsDown(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	d := &desk{t: t}
	d.open(server.URL + "/home/")
	if text, _ := d.call("check_availability", "{"+thatTime+"}")["error"].(string); !strings.HasPrefix(text, "The calendar cannot be reached: ") {
		t.Errorf("%q", text)
	}
}

func TestCalendarLogin(t *testing.T) {
	for login, want := range map[string]string{
		"house:right-password": `{"available":true}`, "house:wrong-password": `{"error":"The calendar refused the user name or the password"}`,
		"": `{"error":"The calendar refused the user name or the password"}`,
	} {
		inner := builtInAgenda(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if name, password, ok := r.BasicAuth(); !ok || name != "house" || password != "right-password" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			inner.ServeHTTP(w, r)
		}))
		d := &desk{t: t, login: login}
		d.open(server.URL + agenda.HomePath)
		d.wants(d.call("check_availability", "{"+thatTime+"}"), want)
		server.Close()
	}
}

// A slot that somebody takes between the look and the booking is not booked twice.
func TestCalendarTakenInBetween(t *testing.T) {
	var d *desk
	var once atomic.Bool
	d = deskBehind(t, 0, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == "PUT" && once.CompareAndSwap(false, true) {
			d.put("dentist", ":20310220T083000Z", ":20310220T093000Z")
		}
		next.ServeHTTP(w, r)
	})
	d.wants(d.call("book_appointment", annWants), `{"error":"That time is taken"}`)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20"}`),
		`{"events":[{"title":"dentist","date":"2031-02-20","time":"09:30","end_time":"10:30","all_day":false}]}`)
	if status, answer := d.phone("PROPFIND", d.calendar, ""); strings.Contains(answer, "chatterbox-") {
		t.Errorf("%d: the claim is still there: %s", status, answer)
	}
}

// Wherever a booking ends halfway, before a request or after it, trying again makes it once, and nobody else has the time too.
func TestCalendarEndsHalfway(t *testing.T) {
	var asked, last atomic.Int32
	var after atomic.Bool
	d := deskBehind(t, 0, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if asked.Add(1) != last.Load() {
			next.ServeHTTP(w, r)
			return
		}
		if after.Load() {
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	})
	day := 0
	for _, late := range []bool{false, true} {
		for end := int32(1); end <= 5; end++ {
			day++
			when := fmt.Sprintf(`"date":"2031-05-%02d","time":"09:00"`, day)
			asked.Store(0)
			last.Store(end)
			after.Store(late)
			first := d.call("book_appointment", `{"customer_name":"Ann",`+when+`}`)
			if end <= 4 && first["error"] == nil {
				t.Errorf("request %d, after it %v: %v", end, late, first)
			}
			last.Store(0)
			other := d.call("book_appointment", `{"customer_name":"Bob",`+when+`}`)
			again := d.call("book_appointment", `{"customer_name":"Ann",`+when+`}`)
			events, _ := d.call("get_calendar", fmt.Sprintf(`{"start":"2031-05-%02d"}`, day))["events"].([]any)
			if len(events) != 1 || (other["error"] == nil) == (again["error"] == nil) {
				t.Errorf("request %d, after it %v: Bob got %v, Ann %v, and there is %v", end, late, other, again, events)
			}
		}
	}
}

// What somebody changed between the look and the change is left as it is.
func TestCalendarChangedMeanwhile(t *testing.T) {
	var d *desk
	var once atomic.Bool
	d = deskBehind(t, 0, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == "DELETE" && once.CompareAndSwap(false, true) {
			d.put("Ann", ":20310220T130000Z", ":20310220T140000Z")
		}
		next.ServeHTTP(w, r)
	})
	const sorry = `{"error":"The appointment was changed by somebody else just now. Look at the calendar and try again"}`
	d.put("Ann", ":20310220T080000Z", ":20310220T090000Z")
	d.wants(d.call("cancel_appointment", `{"customer_name":"Ann","date":"2031-02-20"}`), sorry)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20"}`),
		`{"events":[{"title":"Ann","date":"2031-02-20","time":"14:00","end_time":"15:00","all_day":false}]}`)
	once.Store(false)
	d.put("Ann", ":20310220T080000Z", ":20310220T090000Z")
	d.wants(d.call("reschedule_appointment", `{"customer_name":"Ann","date":"2031-02-20","new_time":"17:00"}`), sorry)
	d.wants(d.call("get_calendar", `{"start":"2031-02-20"}`),
		`{"events":[{"title":"Ann","date":"2031-02-20","time":"14:00","end_time":"15:00","all_day":false}]}`)
}

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
