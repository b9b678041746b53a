// When there is time: the busy times of a week, of one calendar or of two.
#ifndef SLOTS_H
#define SLOTS_H

#include "dav.h"

typedef struct {
  events seen;
} busy_times;

enum { SLOTS_MAX = 3 };

typedef struct {
  long long at[SLOTS_MAX]; // local times
  int count;
} slots;

// read_busy adds the busy times of the own calendar from the day of local on, but for the event whose uid is except.
void read_busy(busy_times *busy, long long local, const char *except);

// read_busy_of adds those of a person's; false when there is no such calendar.
bool read_busy_of(busy_times *busy, long long local, const char *person);

// calendar_of is where a person's calendar would be.
const char *calendar_of(const char *person);

bool is_free(const busy_times *busy, long long local, long long seconds);

// find_free finds other times of the same length: the nearest first, at most two of a day, within the hours of a day's work.
void find_free(const busy_times *busy, long long local, long long seconds, slots *found);

#endif
