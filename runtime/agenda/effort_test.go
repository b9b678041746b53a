package agenda

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ask gives an agenda a request of a phone.
func ask(a *Agenda, method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Content-Type", map[string]string{"PUT": "text/calendar"}[method])
	if method == "REPORT" {
		request.Header.Set("Content-Type", "application/xml")
	}
	answer := httptest.NewRecorder()
	a.Handler().ServeHTTP(answer, request)
	return answer
}

const (
	month        = ` start="20260220T000000Z" end="20260320T000000Z"/>`
	availability = `<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">` +
		`<D:prop><C:calendar-data><C:expand` + month + `</C:calendar-data></D:prop>` +
		`<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range` + month +
		`</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`
)

func fresh(t testing.TB) *Agenda {
	t.Helper()
	a, err := Open(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWhatIsKept says which of the hostile objects are: those that cost little.
func TestWhatIsKept(t *testing.T) {
	refused := map[string]int{
		"never, counted, ancient": 403, "never, yearly": 403, "zones": 403,
		"twenty masters": 403, "masters that fill it": 403,
	}
	for name, text := range hostile() {
		answer := ask(fresh(t), "PUT", HomePath+"a.ics", text)
		want, ok := refused[name]
		if !ok {
			want = http.StatusCreated
		}
		if answer.Code != want {
			t.Errorf("%s: %d %s, want %d", name, answer.Code, answer.Body, want)
		}
	}
}

func TestAQueryHasFewFilters(t *testing.T) {
	for n, want := range map[int]int{10: http.StatusMultiStatus, 100: http.StatusForbidden} {
		many := strings.Repeat(`<C:prop-filter name="SUMMARY"/>`, n)
		body := strings.Replace(availability, "<C:time-range", many+"<C:time-range", 1)
		if answer := ask(fresh(t), "REPORT", HomePath, body); answer.Code != want {
			t.Errorf("%d filters: %d %s", n, answer.Code, answer.Body)
		}
	}
}

// BenchmarkHostileObjects says what each request about one such object costs: a write, a look at availability, and, as
// a task, a look at the reminders.
func BenchmarkHostileObjects(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			a := fresh(b)
			reminder := strings.NewReplacer("VEVENT", "VTODO", "DTEND", "DUE").Replace(text)
			if err := os.WriteFile(filepath.Join(a.store.dir, reminders, "a.ics"), []byte(reminder), 0o600); err != nil {
				b.Fatal(err)
			}
			var put, report, look time.Duration
			for i := range b.N {
				began := time.Now()
				ask(a, "PUT", HomePath+"a.ics", strings.Replace(text, "VERSION:2.0", fmt.Sprint("VERSION:2.0\r\nX-N:", i), 1))
				put += time.Since(began)
				began = time.Now()
				ask(a, "REPORT", HomePath, availability)
				report += time.Since(began)
				began = time.Now()
				_, _, _ = a.due(context.Background(), began) // what cannot be followed is logged
				look += time.Since(began)
			}
			for unit, spent := range map[string]time.Duration{"ms/put": put, "ms/report": report, "ms/look": look} {
				b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), unit)
			}
		})
	}
}
