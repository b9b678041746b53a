// Dates, times and zones. An instant is seconds since 1970 in UTC, a local time the same count on the zone's own clock.
#ifndef WHEN_H
#define WHEN_H

#include <stdbool.h>

#include "text.h"

typedef long long instant;

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

typedef struct {
  int year, month, day;
} date;

long long day_of(date d); // days since 1970
date date_of(long long day);
int weekday(long long day); // 0 is Monday
int days_in(int year, int month);
long long floor_div(long long a, long long b);

typedef struct zone zone;
zone *home(void);                  // the host's configured zone
zone *find_zone(const char *name); // NULL when the host does not know it
instant now(void);
const char *home_name(void); // of the host's configured zone

// local_of is the zone's clock at an instant. instant_of is the other way: of an hour that happens twice the first, of one that
// does not happen as far behind the change.
long long local_of(zone *z, instant at);
instant instant_of(zone *z, long long local);

bool read_date(const char *words, long long *day);       // 2026-02-20
bool read_time(const char *words, int *seconds);         // 09:00 or 09:00:00
void put_date(text *t, long long day);                   // 2026-02-20
void put_time(text *t, long long local);                 // 09:00
void put_stamp(text *t, instant at);                     // 20260220T080000Z
void put_padded(text *t, long long number, int digits);
bool read_digits(const char *at, int count, int *number); // exactly count digits

#endif
