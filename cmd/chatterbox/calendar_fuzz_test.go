package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatterbox/runtime/agenda"
)

// FuzzCalendarAnswer gives the calendar tools any answer of a server. Whatever it is, they end with a result of their own.
func FuzzCalendarAnswer(f *testing.F) {
	const object = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART;TZID=Europe/Berlin:20310220T090000\r\nDURATION:PT1H\r\n" +
		"RRULE:FREQ=MONTHLY;BYDAY=-1FR,2MO;BYMONTH=2,3;COUNT=4\r\nEXDATE:20310221,20310228T080000Z\r\nSUMMARY:a\\, b\r\n c\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	const answer = `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/a.ics</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag>` +
		`<c:calendar-data><![CDATA[%s]]></c:calendar-data></d:prop></d:propstat></d:response></d:multistatus>`
	f.Add(fmt.Sprintf(answer, object))
	f.Add(fmt.Sprintf(answer, strings.Replace(object, "VEVENT", "VTODO", 2)))
	f.Add(`<response><href>&#x41;&amp;&bad;</href><calendar-data>BEGIN:VEVENT&#10;DTSTART:99999999T999999Z`)
	f.Add("<!-- <response>")
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusMultiStatus)
		fmt.Fprint(w, body)
	}))
	f.Cleanup(server.Close)
	d := &desk{t: f}
	d.open(server.URL + agenda.HomePath)
	f.Fuzz(func(t *testing.T, given string) {
		body = given
		d.t = t
		for _, call := range []string{`get_calendar {"start":"2031-02-20","end":"2031-03-20"}`, "check_availability {" + thatTime + "}"} {
			tool, arguments, _ := strings.Cut(call, " ")
			content := d.call(tool, arguments)
			text, failed := content["error"].(string)
			if failed && !strings.HasPrefix(text, "The calendar") || !failed && content["events"] == nil && content["available"] == nil {
				t.Errorf("%s: %v", call, content)
			}
		}
	})
}
