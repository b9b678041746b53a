package agenda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"
	"github.com/emersion/go-webdav"
	"github.com/emersion/go-webdav/caldav"
)

// backend is the agenda as go-webdav's server wants it.
type backend struct{ *Agenda }

// asked is what of a request go-webdav does not hand on.
type asked struct {
	ifMatch string
	expand  *span
}

type askedKey struct{}

func (b backend) CurrentUserPrincipal(context.Context) (string, error) { return Prefix, nil }
func (b backend) CalendarHomeSetPath(context.Context) (string, error)  { return homeSet, nil }

// CreateCalendar makes a calendar beside the two that are always there.
func (b backend) CreateCalendar(_ context.Context, calendar *caldav.Calendar) error {
	name, object, ok := split(calendar.Path)
	if !ok || object != "" {
		return webdav.NewHTTPError(http.StatusForbidden, errors.New("calendars stand in "+homeSet))
	}
	title := calendar.Name
	if title == "" {
		title = name
	}
	return failure(b.store.create(name, title))
}

func (b backend) ListCalendars(context.Context) ([]caldav.Calendar, error) {
	titles, err := b.store.calendars()
	if err != nil {
		return nil, failure(err)
	}
	var all []caldav.Calendar
	for _, name := range slices.Sorted(maps.Keys(titles)) {
		all = append(all, calendarOf(name, titles[name]))
	}
	return all, nil
}

func (b backend) GetCalendar(_ context.Context, path string) (*caldav.Calendar, error) {
	name, object, ok := split(path)
	titles, err := b.store.calendars()
	if err != nil {
		return nil, failure(err)
	}
	title, there := titles[name]
	if !ok || object != "" || !there {
		return nil, failure(errNotFound)
	}
	calendar := calendarOf(name, title)
	return &calendar, nil
}

func calendarOf(name, title string) caldav.Calendar {
	kinds := []string{ical.CompEvent}
	if name == reminders {
		kinds = []string{ical.CompToDo}
	}
	return caldav.Calendar{
		Path: homeSet + name + "/", Name: title, MaxResourceSize: objectBytesMax, SupportedComponentSet: kinds,
	}
}

func (b backend) GetCalendarObject(
	ctx context.Context, path string, _ *caldav.CalendarCompRequest,
) (*caldav.CalendarObject, error) {
	calendar, name, ok := split(path)
	if !ok || name == "" {
		return nil, failure(errNotFound)
	}
	if err := ctx.Err(); err != nil { // one of many that are asked for
		return nil, err
	}
	o, err := b.store.get(calendar, name)
	if err != nil {
		return nil, failure(err)
	}
	return b.objectOf(calendar, o)
}

func (b backend) objectOf(calendar string, o object) (*caldav.CalendarObject, error) {
	data, err := parse(o.data)
	if err != nil {
		return nil, failure(fmt.Errorf("%s/%s: %w", calendar, o.name, err))
	}
	return &caldav.CalendarObject{
		Path: homeSet + calendar + "/" + o.name, ModTime: o.modified, ETag: o.etag, Data: data,
	}, nil
}

func (b backend) ListCalendarObjects(
	ctx context.Context, path string, _ *caldav.CalendarCompRequest,
) ([]caldav.CalendarObject, error) {
	return b.QueryCalendarObjects(ctx, path, &caldav.CalendarQuery{CompFilter: caldav.CompFilter{Name: ical.CompCalendar}})
}

// QueryCalendarObjects leaves out, with a line in the log, files that somebody put there and that are no objects.
func (b backend) QueryCalendarObjects(
	ctx context.Context, path string, query *caldav.CalendarQuery,
) ([]caldav.CalendarObject, error) {
	calendar, name, ok := split(path)
	if !ok || name != "" {
		return nil, failure(errNotFound)
	}
	objects, err := b.store.list(calendar)
	if err != nil {
		return nil, failure(err)
	}
	if size(query.CompFilter) > filtersMax {
		return nil, webdav.NewHTTPError(http.StatusForbidden, fmt.Errorf("a query has at most %d filters", filtersMax))
	}
	request, _ := ctx.Value(askedKey{}).(asked)
	var found []caldav.CalendarObject
	for _, o := range objects {
		object, err := b.objectOf(calendar, o)
		var fits bool
		effort := newEffort(ctx, b.zone)
		if err == nil {
			fits, err = effort.matches(object.Data, query.CompFilter)
		}
		if err == nil && fits && request.expand != nil {
			var times []occurrence
			if times, err = effort.occurrences(object.Data, *request.expand); err == nil {
				times = times[:min(len(times), max(expandedBytesMax/len(o.data), 1))]
				fits, object.Data = len(times) > 0, expanded(object.Data, times)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			b.log.WarnContext(ctx, "an object of the calendar cannot be read",
				"calendar", calendar, "object", o.name, "error", err)
			continue
		}
		if fits {
			found = append(found, *object)
		}
	}
	return found, nil
}

// PutCalendarObject keeps an object that is whole, and whose identity no other of the calendar has.
func (b backend) PutCalendarObject(
	ctx context.Context, path string, data *ical.Calendar, options *caldav.PutCalendarObjectOptions,
) (*caldav.CalendarObject, error) {
	calendar, name, ok := split(path)
	if !ok || name == "" {
		return nil, failure(errNotFound)
	}
	uid, err := b.validate(ctx, calendar, data)
	if err != nil {
		return nil, webdav.NewHTTPError(http.StatusForbidden, err)
	}
	var text bytes.Buffer
	if err := ical.NewEncoder(&text).Encode(data); err != nil {
		return nil, webdav.NewHTTPError(http.StatusForbidden, err)
	}
	if text.Len() > objectBytesMax {
		return nil, webdav.NewHTTPError(http.StatusRequestEntityTooLarge,
			fmt.Errorf("an object has at most %d bytes", objectBytesMax))
	}
	when := condition{absent: options.IfNoneMatch.IsSet()}
	if options.IfMatch.IsSet() {
		if when.etag, err = etagIn(string(options.IfMatch)); err != nil {
			return nil, err
		}
	}
	o, err := b.store.put(calendar, name, text.Bytes(), when, func(others []object) error {
		for _, other := range others {
			if other.name != name && other.uid == uid {
				return caldav.NewPreconditionError(caldav.PreconditionNoUIDConflict)
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure(err)
	}
	b.wake()
	return b.objectOf(calendar, o)
}

// validate gives the identity of an object that this calendar can keep.
func (b backend) validate(ctx context.Context, calendar string, data *ical.Calendar) (uid string, err error) {
	kind, uid, err := caldav.ValidateCalendarObject(data)
	if err != nil {
		return "", err
	}
	wanted := calendarOf(calendar, "").SupportedComponentSet[0]
	if kind != wanted || uid == "" {
		return "", fmt.Errorf("this calendar keeps %s with a UID", wanted)
	}
	if err := oneSeries(data); err != nil {
		return "", err
	}
	effort := newEffort(ctx, b.zone)
	for _, component := range data.Children {
		when, timed, err := effort.extent(component)
		if err != nil {
			return "", err
		}
		if kind == ical.CompEvent && component.Name == kind && !timed {
			return "", errors.New("an event needs a DTSTART")
		}
		if rule := component.Props.Get(ical.PropRecurrenceRule); rule != nil {
			if _, err := newRecurrence(rule.Value, when.start); err != nil {
				return "", err
			}
		}
	}
	now := time.Now()
	_, err = effort.occurrences(data, span{now, now.AddDate(1, 0, 0)})
	return uid, err
}

// uidOf reads the identity out of the text that put wrote, which may be folded.
func uidOf(data []byte) string {
	text := strings.ReplaceAll(string(data), "\r\n ", "")
	_, after, _ := strings.Cut(text, "\nUID:")
	uid, _, _ := strings.Cut(after, "\r\n")
	return uid
}

func (b backend) DeleteCalendarObject(ctx context.Context, path string) error {
	calendar, name, ok := split(path)
	if !ok {
		return failure(errNotFound)
	}
	if name == "" {
		return webdav.NewHTTPError(http.StatusForbidden, errors.New("a whole calendar is not deleted here"))
	}
	var when condition
	if request, _ := ctx.Value(askedKey{}).(asked); request.ifMatch != "" {
		var err error
		if when.etag, err = etagIn(request.ifMatch); err != nil {
			return err
		}
	}
	return failure(b.store.remove(calendar, name, when))
}

func etagIn(header string) (string, error) {
	if header == "*" {
		return header, nil
	}
	etag, err := webdav.ConditionalMatch(header).ETag()
	if err != nil || etag == "" {
		return "", webdav.NewHTTPError(http.StatusBadRequest, errors.New("If-Match must hold one ETag"))
	}
	return etag, nil
}

// split takes a path apart: the calendar's name, and the object's where there is one. A path means what it shows:
// nothing is cleaned.
func split(path string) (calendar, object string, ok bool) {
	rest, ok := strings.CutPrefix(path, homeSet)
	if !ok {
		return "", "", false
	}
	calendar, object, _ = strings.Cut(rest, "/")
	_, named := fileName(calendar)
	if object == "" {
		return calendar, "", named
	}
	_, ok = fileName(object)
	return calendar, object, named && ok
}

// failure is the HTTP error that a failure of the store is.
func failure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNotFound):
		return webdav.NewHTTPError(http.StatusNotFound, err)
	case errors.Is(err, errChanged):
		return webdav.NewHTTPError(http.StatusPreconditionFailed, err)
	case errors.Is(err, errFull):
		return webdav.NewHTTPError(http.StatusInsufficientStorage, err)
	}
	return err
}

// parse reads an object. The library panics on lines that end within a parameter.
func parse(data []byte) (calendar *ical.Calendar, err error) {
	defer func() {
		if r := recover(); r != nil {
			calendar, err = nil, fmt.Errorf("not iCalendar: %v", r)
		}
	}()
	return ical.NewDecoder(bytes.NewReader(data)).Decode()
}
