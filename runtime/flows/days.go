package flows

import (
	"strings"
	"time"

	"chatterbox/loop/route"
	"chatterbox/runtime/extract"
)

// spans are the names of several days, by language, and which days they are.
var spans = map[string]map[string]func(now time.Time) (first, last time.Time){
	"en": {
		"this week": thisWeek, "the week": thisWeek, "the rest of the week": thisWeek, "next week": nextWeek,
		"this weekend": weekend, "the weekend": weekend, "weekend": weekend, "this month": thisMonth, "next month": nextMonth,
		"the next few days": fewDays, "the next days": fewDays, "the coming days": fewDays,
	},
	"de": {
		"diese woche": thisWeek, "dieser woche": thisWeek, "die woche": thisWeek, "nächste woche": nextWeek, "nächster woche": nextWeek,
		"dieses wochenende": weekend, "wochenende": weekend, "am wochenende": weekend, "diesen monat": thisMonth, "nächsten monat": nextMonth,
		"den nächsten tagen": fewDays, "die nächsten tage": fewDays,
	},
}

// partsOfToday are names of today that an extractor of dates does not know as one.
var partsOfToday = map[string]bool{"today": true, "this morning": true, "this afternoon": true, "this evening": true, "tonight": true,
	"heute": true, "heute morgen": true, "heute nachmittag": true, "heute abend": true}

const fewDaysCount = 3

// weekEnd is the Sunday of the week of day; weeks begin on Monday.
func weekEnd(day time.Time) time.Time { return day.AddDate(0, 0, (7-int(day.Weekday()))%7) }

func thisWeek(now time.Time) (first, last time.Time) { return now, weekEnd(now) }

func nextWeek(now time.Time) (first, last time.Time) {
	monday := weekEnd(now).AddDate(0, 0, 1)
	return monday, weekEnd(monday)
}

func weekend(now time.Time) (first, last time.Time) {
	sunday := weekEnd(now)
	if sunday.Equal(now) {
		return now, now
	}
	return sunday.AddDate(0, 0, -1), sunday
}

func thisMonth(now time.Time) (first, last time.Time) {
	return now, time.Date(now.Year(), now.Month()+1, 0, 0, 0, 0, 0, time.UTC)
}

func nextMonth(now time.Time) (first, last time.Time) {
	first = time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	return first, first.AddDate(0, 1, -1)
}

func fewDays(now time.Time) (first, last time.Time) { return now, now.AddDate(0, 0, fewDaysCount) }

// endOf resolves the name of several days to the first (0) or last (1) of them.
func endOf(end int) route.Resolver {
	return func(said string, in route.Context) route.Resolved {
		which := spans[in.Language][strings.ToLower(said)]
		if which == nil || in.Now.IsZero() {
			return route.Resolved{}
		}
		year, month, day := in.Now.Date()
		first, last := which(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
		chosen := []time.Time{first, last}[end]
		return route.Resolved{Value: chosen.Format(time.DateOnly), Spoken: said, Sureness: route.Known}
	}
}

// dayOf resolves a text that names one day and says nothing else.
func dayOf(said string, in route.Context) route.Resolved {
	if in.Now.IsZero() {
		return route.Resolved{}
	}
	if partsOfToday[strings.ToLower(said)] {
		return route.Resolved{Value: in.Now.Format(time.DateOnly), Spoken: said, Sureness: route.Known}
	}
	return only("date", said, in)
}

// timeOf resolves a text that names a time of the day and says nothing else.
func timeOf(said string, in route.Context) route.Resolved { return only("time", said, in) }

// only resolves a text that is one value of a kind, and known exactly.
func only(kind, said string, in route.Context) route.Resolved {
	find, _ := extract.For(kind)
	matches := find(said, extract.Context{Now: in.Now, Language: in.Language, Expect: kind})
	if len(matches) != 1 || matches[0].Start != 0 || matches[0].End != len(said) || matches[0].Approximate {
		return route.Resolved{}
	}
	return route.Resolved{Value: matches[0].Value, Spoken: said, Sureness: route.Known}
}
