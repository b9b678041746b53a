package agenda

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/emersion/go-webdav/caldav"
)

// This file stands before go-webdav's handler: it bounds what comes in, and reads what that handler does not.

const (
	requestBytesMax = 128 << 10
	utcLayout       = "20060102T150405Z"
	calDAV          = "urn:ietf:params:xml:ns:caldav"
)

func (a *Agenda) serve(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if fault := recover(); fault != nil { // the decoder's, on lines that end within a parameter
			a.log.Warn("a calendar request cannot be read", "method", r.Method, "fault", fault)
			http.Error(w, "the request cannot be read", http.StatusBadRequest)
		}
	}()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestBytesMax))
	if err != nil {
		http.Error(w, fmt.Sprintf("a request has at most %d bytes", requestBytesMax), http.StatusRequestEntityTooLarge)
		return
	}
	request := asked{ifMatch: r.Header.Get("If-Match")}
	switch r.Method {
	case "MKCALENDAR":
		a.makeCalendar(w, r, body)
		return
	case http.MethodPut:
		if _, err := parse(body); err != nil {
			http.Error(w, "the object is not iCalendar: "+err.Error(), http.StatusBadRequest)
			return
		}
	case "REPORT":
		if request.expand, err = expandOf(body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	r = r.WithContext(context.WithValue(r.Context(), askedKey{}, request))
	r.Body = io.NopCloser(bytes.NewReader(body))
	a.dav.ServeHTTP(w, r)
}

// makeCalendar answers MKCALENDAR, of which only the name is taken.
func (a *Agenda) makeCalendar(w http.ResponseWriter, r *http.Request, body []byte) {
	var asked struct {
		Name string `xml:"DAV: set>prop>displayname"`
	}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := xml.Unmarshal(body, &asked); err != nil {
			http.Error(w, "the request is not XML", http.StatusBadRequest)
			return
		}
	}
	err := backend{a}.CreateCalendar(r.Context(), &caldav.Calendar{Path: r.URL.Path, Name: asked.Name})
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// expandOf finds the range in which a REPORT wants series as single times.
func expandOf(body []byte) (*span, error) {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, errors.New("the request is not XML")
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name != (xml.Name{Space: calDAV, Local: "expand"}) {
			continue
		}
		var within span
		for _, attribute := range element.Attr {
			at, err := time.Parse(utcLayout, attribute.Value)
			switch {
			case attribute.Name.Local != "start" && attribute.Name.Local != "end":
				continue
			case err != nil:
				return nil, errors.New("expand needs start and end as UTC times")
			case attribute.Name.Local == "start":
				within.start = at
			default:
				within.end = at
			}
		}
		if within.start.IsZero() || !within.end.After(within.start) {
			return nil, errors.New("expand needs start and end as UTC times")
		}
		return &within, nil
	}
}
