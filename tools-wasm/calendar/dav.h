// A calendar on a CalDAV server.
#ifndef DAV_H
#define DAV_H

#include "ical.h"

// calendar_url is where the calendar stands, with a slash at its end.
const char *calendar_url(void);

// query adds the events of a calendar that touch [start, end), in order; false when there is no such calendar. It ends the call when
// the server does not answer.
bool query(const char *calendar, instant start, instant end, events *found);

// list calls with_object for each object that a calendar-query with this filter finds; false when there is no such calendar.
bool list(const char *calendar, const text *wanted, const text *filter, void (*with_object)(void *with, const char *data, const char *href, const char *etag),
          void *with);

// The changes answer the server's status: 2xx is done, 404 and 412 are that the object is not there, or is not what etag says.
// Other failures end the call.
int create(const char *url, const text *object);
int replace(const char *url, const text *object, const char *etag);
int delete(const char *url, const char *etag);

// fetch gives an object and its etag; NULL when it is not there.
char *fetch(const char *url, const char **etag);

// url_of is the address of an object that query found.
const char *url_of(const char *href);

static inline bool done(int status) { return status >= 200 && status < 300; }

#endif
