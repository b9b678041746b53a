package agenda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teambition/rrule-go"
)

// followed gives the times of a rule within a span, and how many steps they took.
func followed(t testing.TB, text string, start time.Time, within span, steps int) ([]time.Time, int, error) {
	t.Helper()
	rule, err := newRecurrence(text, start)
	if err != nil {
		t.Fatal(err)
	}
	e := newEffort(t.Context(), time.UTC)
	e.left = steps
	found, err := rule.times(e, within)
	return found, steps - e.left, err
}

func days(times []time.Time) string {
	text := make([]string, len(times))
	for i, at := range times {
		text[i] = at.Format("060102")
	}
	return strings.Join(text, " ")
}

func TestRulesAreFollowed(t *testing.T) {
	start := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC) // a Saturday
	for rule, want := range map[string]string{
		"FREQ=DAILY;INTERVAL=10;COUNT=3":                "260131 260210 260220",
		"FREQ=DAILY;BYMONTH=3;BYMONTHDAY=-1":            "260331 270331",
		"FREQ=WEEKLY;COUNT=2":                           "260131 260207",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SA;COUNT=4":    "260131 260209 260214 260223",
		"FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,SA":    "260131 260208 260214",
		"FREQ=MONTHLY":                                  "260131 260331 260531 260731",
		"FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3":            "260131 260228 260331",
		"FREQ=MONTHLY;BYDAY=1MO,-1FR;COUNT=4":           "260202 260227 260302 260327",
		"FREQ=MONTHLY;BYDAY=SA,2SU;COUNT=4":             "260131 260207 260208 260214",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1": "260227 260331 260430",
		"FREQ=YEARLY":                                       "260131 270131 280131",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29":               "280229 320229",
		"FREQ=YEARLY;INTERVAL=4;BYMONTH=1":                  "260131 300131",
		"FREQ=YEARLY;BYDAY=20MO":                            "260518 270517",
		"FREQ=YEARLY;BYMONTH=11;BYDAY=4TH":                  "261126 271125",
		"FREQ=YEARLY;BYYEARDAY=-1,60":                       "260301 261231 270301",
		"FREQ=YEARLY;BYWEEKNO=53;BYDAY=TH":                  "261231 321230",
		"FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO":                  "261228 271227",
		"FREQ=YEARLY;BYWEEKNO=1;BYDAY=FR":                   "270108 280107",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30":                "",
		"FREQ=YEARLY;INTERVAL=4000000000":                   "260131",
		"FREQ=DAILY;UNTIL=20260202T090000Z":                 "260131 260201 260202",
		"FREQ=DAILY;UNTIL=20260202":                         "260131 260201",
		"FREQ=MONTHLY;BYDAY=-5SA,5SA;COUNT=2":               "260131 260502",
		"FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=31;BYDAY=SU":      "270131",
		"FREQ=DAILY;INTERVAL=30;BYDAY=MO;BYMONTH=3,4,5,6,7": "260302",
	} {
		within := span{start.AddDate(-1, 0, 0), start.AddDate(7, 0, 0)}
		found, _, err := followed(t, rule, start, within, stepsMax)
		if got := days(found); err != nil || !strings.HasPrefix(got+" ", want+" ") || want == "" && got != "" {
			t.Errorf("%s: %.60s, %v; want %s", rule, got, err, want)
		}
	}
}

// Whatever is asked for is the same part of the same series.
func TestARuleIsFollowedFromAnywhere(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2024, 2, 29, 2, 30, 0, 0, zone)
	for _, text := range []string{
		"FREQ=DAILY;INTERVAL=3", "FREQ=DAILY;COUNT=900", "FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,SU;WKST=SU",
		"FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=-1,15", "FREQ=MONTHLY;BYDAY=2SU;UNTIL=20290101T000000Z",
		"FREQ=YEARLY;INTERVAL=2;BYMONTH=1,12;BYDAY=MO;BYSETPOS=1,-1",
	} {
		end := start.AddDate(6, 0, 0)
		all, _, err := followed(t, text, start, span{start, end}, stepsMax)
		if err != nil || len(all) < 6 {
			t.Fatalf("%s: %d, %v", text, len(all), err)
		}
		for from := start.AddDate(-1, 0, 0); from.Before(end); from = from.Add(17*24*time.Hour + 1234*time.Second) {
			within := span{from, from.AddDate(0, 0, 40)}
			if within.end.After(end) {
				within.end = end
			}
			got, _, err := followed(t, text, start, within, stepsMax)
			want := slices.DeleteFunc(slices.Clone(all), func(at time.Time) bool {
				return at.Before(within.start) || !at.Before(within.end)
			})
			if err != nil || days(got) != days(want) {
				t.Fatalf("%s from %v: %s, want %s, %v", text, from, days(got), days(want), err)
			}
		}
	}
}

// hostile are objects of few bytes that ask for much.
func hostile() map[string]string {
	event := func(more ...string) string {
		lines := append([]string{"BEGIN:VEVENT", "UID:a", "DTSTAMP:20260101T000000Z", "DTEND:20260220T090000Z"}, more...)
		return strings.Join(append(lines, "END:VEVENT"), "\r\n")
	}
	object := func(components ...string) string {
		const head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\n"
		return head + strings.Join(components, "\r\n") + "\r\nEND:VCALENDAR\r\n"
	}
	const now, ancient = "DTSTART:20260220T080000Z", "DTSTART:00010101T080000Z"
	const never, alarms = "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", 2_000
	override := event(now, "RECURRENCE-ID:20260301T080000Z")
	list := func(n int, value string) string { return strings.TrimSuffix(strings.Repeat(value+",", n), ",") }
	zones := make([]string, 1000)
	for i := range zones {
		zones[i] = fmt.Sprintf("EXDATE;TZID=Area/No%d:20260101T080000", i)
	}
	return map[string]string{
		"never":                   object(event(now, "RRULE:"+never)),
		"never, for centuries":    object(event(ancient, "RRULE:"+never)),
		"never, counted":          object(event(now, "RRULE:"+never+";COUNT=2")),
		"never, counted, ancient": object(event(ancient, "RRULE:"+never+";COUNT=2")),
		"never, yearly":           object(event(ancient, "RRULE:FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1;COUNT=2")),
		"twenty masters":          object(slices.Repeat([]string{event(now, "RRULE:"+never)}, 20)...),
		"masters that fill it":    object(slices.Repeat([]string{event(now, "RRULE:"+never)}, 480)...),
		"as long as it is":        object(event(ancient, "RRULE:FREQ=DAILY")),
		"a list of days":          object(event(ancient, "RRULE:FREQ=DAILY;BYMONTHDAY="+list(20_000, "30")+";BYMONTH=2")),
		"a list of weekdays":      object(event(ancient, "RRULE:FREQ=YEARLY;BYDAY="+list(10_000, "-53MO"))),
		"a list of places":        object(event(ancient, "RRULE:FREQ=YEARLY;BYMONTHDAY=1;BYSETPOS="+list(15_000, "300"))),
		"exceptions":              object(event(now, "RRULE:FREQ=DAILY", "EXDATE;TZID=Europe/Berlin:"+list(4_000, "20260301T090000"))),
		"additions":               object(event(now, "RDATE;VALUE=DATE:"+list(7_000, "20260301"))),
		"zones":                   object(event(append(zones, now, "RRULE:FREQ=DAILY")...)),
		"a long text":             object(event(now, "RRULE:FREQ=DAILY", "DESCRIPTION:"+strings.Repeat("x", 60<<10))),
		"folded lines":            object(event(now, "DESCRIPTION:"+strings.Repeat("x\r\n ", 15<<10))),
		"nested":                  object(event(now, strings.Repeat("BEGIN:VALARM\r\n", alarms)+strings.Repeat("END:VALARM\r\n", alarms)+"X-A:1")),
		"overrides":               object(append(slices.Repeat([]string{override}, 450), event(now, "RRULE:"+never))...),
	}
}

// TestAnObjectCostsLittle counts what following series takes, with the bound and, for control, with a tenfold one.
func TestAnObjectCostsLittle(t *testing.T) {
	within := span{time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	spent := func(text string, steps int) int {
		calendar, err := parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e := newEffort(t.Context(), time.UTC)
		e.left = steps
		for range 3 { // a query may ask for several things
			_, err := e.occurrences(calendar, within)
			if err != nil && !errors.Is(err, errEffort) && !errors.Is(err, errZones) {
				t.Error(err)
			}
		}
		return steps - e.left
	}
	over := 0
	for name, text := range hostile() {
		if got := spent(text, stepsMax); got > stepsMax {
			t.Errorf("%s takes %d steps", name, got)
		}
		if spent(text, 10*stepsMax) > stepsMax {
			over++
		}
	}
	if over < 5 {
		t.Errorf("with a tenfold bound only %d are too much, so that this proves nothing", over)
	}
}

// What ordinary calendars hold takes a small part of what it may.
func TestOrdinarySeriesCostLittle(t *testing.T) {
	now := time.Date(2036, 2, 20, 0, 0, 0, 0, time.UTC)
	for rule, start := range map[string]time.Time{
		"FREQ=YEARLY":                        time.Date(1604, 2, 29, 0, 0, 0, 0, time.UTC), // a birthday without its year
		"FREQ=YEARLY;COUNT=100":              time.Date(1940, 5, 1, 0, 0, 0, 0, time.UTC),
		"FREQ=WEEKLY;COUNT=520":              time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		"FREQ=WEEKLY;BYDAY=MO,WE;COUNT=1200": time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		"FREQ=DAILY;COUNT=3650":              time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		"FREQ=MONTHLY;BYDAY=-1FR":            time.Date(1990, 5, 1, 0, 0, 0, 0, time.UTC),
	} {
		found, steps, err := followed(t, rule, start, span{now, now.AddDate(1, 0, 0)}, stepsMax)
		if err != nil || len(found) == 0 || steps > stepsMax/4 {
			t.Errorf("%s: %d times in %d steps, %v", rule, len(found), steps, err)
		}
	}
}

// Who asked may leave.
func TestFollowingEndsWithTheRequest(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	rule, err := newRecurrence("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=1", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	e := newEffort(ctx, time.UTC)
	_, err = rule.times(e, span{time.Now(), time.Now().AddDate(1, 0, 0)})
	if !errors.Is(err, context.Canceled) || stepsMax-e.left > askEvery {
		t.Errorf("%v after %d steps", err, stepsMax-e.left)
	}
}

// FuzzRecurrence compares with the library, which has no bounds and reads some rules in its own way.
func FuzzRecurrence(f *testing.F) {
	for _, rule := range []string{
		"FREQ=DAILY;INTERVAL=3;COUNT=9", "FREQ=WEEKLY;WKST=SU;BYDAY=SU,TU;INTERVAL=2", "FREQ=MONTHLY;BYDAY=-1FR,2MO;BYMONTH=2,3",
		"FREQ=YEARLY;BYYEARDAY=-1,60;UNTIL=20300101", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
		"FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR;BYSETPOS=1",
	} {
		f.Add(rule, int64(1_767_225_600), uint16(100))
	}
	f.Fuzz(func(t *testing.T, text string, begin int64, length uint16) {
		start := time.Unix(begin%4_000_000_000, 0).UTC()
		rule, err := newRecurrence(text, start)
		if err != nil {
			return
		}
		e := newEffort(t.Context(), time.UTC)
		within := span{start, start.AddDate(0, 0, int(length))}
		got, err := rule.times(e, within)
		if err != nil || e.left < 0 {
			t.Fatalf("%v, %d steps are left", err, e.left)
		}
		outside := len(got) > 0 && (got[0].Before(start) || !got[len(got)-1].Before(within.end))
		if !slices.IsSortedFunc(got, time.Time.Compare) || outside {
			t.Fatalf("%v is not within the range", got)
		}
		mixed := rule.anyNth && rule.weekdays.any                       // the library wants both to be true at once
		partial := rule.frequency == rrule.WEEKLY && rule.positions.any // it counts from the start in the first week
		if mixed || partial || rule.weeks.any || rule.interval > 1000 || len(got) == 0 && strings.Contains(text, "BY") {
			return // what never comes true keeps the library busy for long
		}
		if want, ok := byLibrary(text, start, within); ok && days(got) != days(want) {
			t.Fatalf("%s from %v: %s, the library has %s", text, start, days(got), days(want))
		}
	})
}

// byLibrary is ok unless the library panics.
func byLibrary(text string, start time.Time, within span) (found []time.Time, ok bool) {
	defer func() { ok = recover() == nil }()
	option, err := rrule.StrToROptionInLocation(text, start.Location())
	if err != nil {
		return nil, false
	}
	option.Dtstart = start
	if last := within.end.Add(-time.Second); option.Until.IsZero() || option.Until.After(last) {
		option.Until = last
	}
	rule, err := rrule.NewRRule(*option)
	if err != nil {
		return nil, false
	}
	for _, at := range rule.All() {
		if found = append(found, at); len(found) == occurrencesMax {
			break
		}
	}
	return found, true
}
