package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// forward hands requests on to the calendar's server.
func (d *desk) forward() http.Handler {
	d.t.Helper()
	target, err := url.Parse(d.calendar)
	if err != nil {
		d.t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	proxy.ErrorLog = log.New(io.Discard, "", 0) // who breaks off leaves its requests behind
	return proxy
}

// behind has the tools reach the calendar through server, and the phone too.
func (d *desk) behind(server *httptest.Server) {
	d.t.Helper()
	d.calendar = strings.Replace(d.calendar, hostOf(d.calendar), hostOf(server.URL), 1)
	d.open(d.calendar)
}

// deskBehind is the calendar tools over a calendar behind fault, which may answer itself or hand on.
func deskBehind(t *testing.T, timeout time.Duration, fault func(w http.ResponseWriter, r *http.Request, next http.Handler)) *desk {
	t.Helper()
	d := newDesk(t)
	next := d.forward()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Phone") != "" {
			next.ServeHTTP(w, r)
			return
		}
		fault(w, r, next)
	}))
	t.Cleanup(server.Close)
	d.client, d.timeout = &http.Client{Transport: asPhone{}}, timeout
	d.behind(server)
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

func TestCaldavFaults(t *testing.T) {
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
func TestCaldavThatTakesLong(t *testing.T) {
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

// A calendar that goes down is said to be down, and has everything when it is back.
func TestCaldavThatIsDown(t *testing.T) {
	d := newDesk(t)
	next := d.forward()
	server := httptest.NewServer(next)
	d.behind(server)
	d.wants(d.call("book_appointment", annWants), `{"title":"Free Estimate - Ann"}`)
	server.Close()
	d.open(d.calendar) // without the connection of before, which breaks off instead
	for tool, arguments := range callsOfEachKind {
		if text, _ := d.call(tool, arguments)["error"].(string); !strings.HasPrefix(text, "The calendar cannot be reached: ") {
			t.Errorf("%s: %q", tool, text)
		}
	}
	listener, err := net.Listen("tcp", hostOf(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	back := &httptest.Server{Listener: listener, Config: &http.Server{Handler: next}}
	back.Start()
	defer back.Close()
	d.wants(d.call("check_availability", "{"+thatTime+"}"), `{"available":false}`)
}

func TestCaldavLogin(t *testing.T) {
	right := *caldavLogin
	if *caldavServer == "" {
		right = "house:right-password"
	}
	d := deskBehind(t, 0, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if name, password, _ := r.BasicAuth(); *caldavServer == "" && name+":"+password != right { // another server looks itself
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
	name, _, _ := strings.Cut(right, ":")
	for login, want := range map[string]string{
		right: `{"available":true}`, name + ":wrong-password": `{"error":"The calendar refused the user name or the password"}`,
		"": `{"error":"The calendar refused the user name or the password"}`,
	} {
		d.login = login
		d.open(d.calendar)
		d.wants(d.call("check_availability", "{"+thatTime+"}"), want)
	}
}

// A slot that somebody takes between the look and the booking is not booked twice.
func TestCaldavTakenInBetween(t *testing.T) {
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
func TestCaldavEndsHalfway(t *testing.T) {
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
func TestCaldavChangedMeanwhile(t *testing.T) {
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
