// Events out of iCalendar objects, and iCalendar objects out of events.
#ifndef ICAL_H
#define ICAL_H

#include "when.h"

// event is one time of an event; a series gives several.
typedef struct {
  const char *uid, *summary;
  const char *location, *description; // as iCalendar writes them; NULL is none
  const char *created;                // a stamp, "" is none
  const char *href, *etag;            // of the object that it stands in
  instant start, end;
  bool all_day;
  bool busy;   // it takes its time: neither free nor cancelled
  bool claim;  // a booking that is not certain yet
  bool series; // one of several in its object
} event;

typedef struct {
  event *at;
  int count, room;
} events;

// read_object adds the events of an object that touch [start, end). What it cannot read of an object is left out.
void read_object(events *into, const char *data, const char *href, const char *etag, instant start, instant end);

// sort puts events in order of their start.
void sort(events *list);

// put_event writes an object with one event. Its summary is text as people write it.
void put_event(text *t, const event *e, const char *summary, bool claim);

// property is a line of a component: its name, what stands behind the name, and its value, all as written.
typedef struct {
  const char *name, *head, *value;
} property;

// unfolded is an object's text with one line for each property.
char *unfolded(const char *object);

// next_property reads the property at *at and moves on; false for a line that is none, and at the end, where *at is NULL.
bool next_property(char **at, property *p);

// words_of is a value as people read it.
char *words_of(const char *value);

// instant_in reads a time; false when it is none.
bool instant_in(const property *p, instant *at);

// put_line writes a property, folded; its name ends in a colon.
void put_line(text *t, const char *name, const char *value);

// put_value writes text as the value of a property.
void put_value(text *t, const char *words);

#endif
