package toolbox

import (
	"strings"
	"time"
)

// clock is what now answers.
type clock struct {
	Zone     string `json:"zone"`
	Known    bool   `json:"known"`
	ISO      string `json:"datetime_iso"`
	Date     string `json:"date"`
	Time     string `json:"time"`
	Day      string `json:"day_of_week"`
	UnixTime int64  `json:"unix"`

	// The rest is told only of a moment that was asked for: the seconds by which the zone is ahead of UTC then, and
	// since and until when it is so. 0 is always.
	Offset *int  `json:"offset,omitempty"`
	Since  int64 `json:"offset_since,omitempty"`
	Until  int64 `json:"offset_until,omitempty"`
}

// unixMax bounds the moments that may be asked for: the year 9999.
const unixMax = 253402300799

// Clock answers now where the guest names a zone, and leaves everything else to the server. It needs no rights and
// nothing of the server, so that a worker need not ask for it.
func Clock(function string, input []byte) (answer []byte, ok bool) {
	if function != "now" {
		return nil, false
	}
	told := now(input, "", nil)
	if told == nil {
		return nil, false
	}
	return []byte(encode(told)), true
}

// now is the time in the zone that input names, or else in the one given; nil where there is none.
func now(input []byte, name string, location *time.Location) any {
	var asked struct {
		Zone string `json:"zone"`
		At   *int64 `json:"at"`
	}
	if wrong := read(input, &asked); wrong != nil {
		return *wrong
	}
	known := true
	if zone := strings.TrimSpace(asked.Zone); zone != "" {
		if name, location, known = findZone(zone); !known {
			name, location = "UTC", time.UTC
		}
	}
	if location == nil {
		return nil
	}
	at := time.Now()
	if asked.At != nil {
		if *asked.At < 0 || *asked.At > unixMax {
			return failure{Error: "member at must be seconds since 1970, before the year 10000"}
		}
		at = time.Unix(*asked.At, 0)
	}
	at = at.In(location)
	answer := clock{
		Zone: name, Known: known, ISO: at.Format("2006-01-02T15:04:05-07:00"), Date: at.Format(time.DateOnly),
		Time: at.Format(time.TimeOnly), Day: at.Weekday().String(), UnixTime: at.Unix(),
	}
	if asked.At != nil {
		_, offset := at.Zone()
		answer.Offset = &offset
		since, until := at.ZoneBounds()
		if !since.IsZero() {
			answer.Since = since.Unix()
		}
		if !until.IsZero() {
			answer.Until = until.Unix()
		}
	}
	return answer
}
