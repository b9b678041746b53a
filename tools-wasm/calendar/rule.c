#include "rule.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 32, DAYS_MAX = 40000 };

typedef enum { DAILY, WEEKLY, MONTHLY, YEARLY, UNKNOWN } frequency;

typedef struct {
  frequency every;
  int interval, count;
  long long until; // local; the end of time when there is none
  int months[LIST_MAX], month_count;
  int month_days[LIST_MAX], month_day_count;
  struct {
    int which, weekday; // which of the month, 0 is every
  } days[LIST_MAX];
  int day_count;
} rule;

static int number(const char *at) { return (int)strtol(at, NULL, 10); }

static long long read_until(const char *at, zone *z) {
  date d;
  int hour = 23, minute = 59, second = 59;
  if (!read_digits(at, 4, &d.year) || !read_digits(at + 4, 2, &d.month) || !read_digits(at + 6, 2, &d.day)) return 1LL << 60;
  if (at[8] == 'T' && !(read_digits(at + 9, 2, &hour) && read_digits(at + 11, 2, &minute) && read_digits(at + 13, 2, &second))) return 1LL << 60;
  long long local = day_of(d) * DAY + hour * HOUR + minute * MINUTE + second;
  return at[8] == 'T' && at[15] == 'Z' ? local_of(z, local) : local;
}

static void read_days(rule *r, const char *at, const char *end) {
  static const char names[] = "MOTUWETHFRSASU";
  while (at < end && r->day_count < LIST_MAX) {
    char *rest;
    int which = (int)strtol(at, &rest, 10);
    for (int i = 0; i < 7 && rest + 1 < end; i++) {
      if (rest[0] != names[2 * i] || rest[1] != names[2 * i + 1]) continue;
      r->days[r->day_count].which = which;
      r->days[r->day_count++].weekday = i;
    }
    at = memchr(at, ',', (size_t)(end - at));
    if (!at++) return;
  }
}

static int read_numbers(int *into, const char *at, const char *end) {
  int count = 0;
  while (at < end && count < LIST_MAX) {
    into[count++] = number(at);
    at = memchr(at, ',', (size_t)(end - at));
    if (!at++) break;
  }
  return count;
}

static rule read_rule(const char *at, zone *z) {
  static const char *const frequencies[] = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
  rule r = {.every = UNKNOWN, .interval = 1, .until = 1LL << 60};
  while (*at) {
    const char *end = at + strcspn(at, ";"), *value = memchr(at, '=', (size_t)(end - at));
    if (value++) {
      size_t length = (size_t)(value - 1 - at);
#define PART(name) (length == sizeof name - 1 && memcmp(at, name, length) == 0)
      for (int i = 0; PART("FREQ") && i < 4; i++) {
        if (strlen(frequencies[i]) == (size_t)(end - value) && memcmp(value, frequencies[i], (size_t)(end - value)) == 0) r.every = (frequency)i;
      }
      if (PART("INTERVAL")) r.interval = number(value);
      if (PART("COUNT")) r.count = number(value);
      if (PART("UNTIL")) r.until = read_until(value, z);
      if (PART("BYDAY")) read_days(&r, value, end);
      if (PART("BYMONTH")) r.month_count = read_numbers(r.months, value, end);
      if (PART("BYMONTHDAY")) r.month_day_count = read_numbers(r.month_days, value, end);
    }
    at = *end ? end + 1 : end;
  }
  if (r.interval < 1) r.interval = 1;
  return r;
}

static bool in(const int *list, int count, int value) {
  for (int i = 0; i < count; i++) {
    if (list[i] == value) return true;
  }
  return false;
}

static bool on_weekday(const rule *r, long long day, date d, bool counted) {
  int length = days_in(d.year, d.month);
  for (int i = 0; i < r->day_count; i++) {
    int which = r->days[i].which;
    if (r->days[i].weekday != weekday(day)) continue;
    if (!counted || which == 0 || which == (d.day - 1) / 7 + 1 || which == -((length - d.day) / 7 + 1)) return true;
  }
  return false;
}

static bool holds(const rule *r, long long day, long long first) {
  date d = date_of(day), f = date_of(first);
  long long passed;
  switch (r->every) {
  case DAILY: passed = day - first; break;
  case WEEKLY: passed = (day - weekday(day) - (first - weekday(first))) / 7; break;
  case MONTHLY: passed = (d.year - f.year) * 12 + d.month - f.month; break;
  default: passed = d.year - f.year;
  }
  if (passed % r->interval) return false;
  if (r->month_count && !in(r->months, r->month_count, d.month)) return false;
  if (r->month_day_count && !in(r->month_days, r->month_day_count, d.day) &&
      !in(r->month_days, r->month_day_count, d.day - days_in(d.year, d.month) - 1))
    return false;
  if (r->day_count && !on_weekday(r, day, d, r->every >= MONTHLY)) return false;
  if (r->day_count || r->month_day_count || r->every == DAILY) return true;
  if (r->every == WEEKLY) return weekday(day) == weekday(first);
  return d.day == f.day && (r->every == MONTHLY || r->month_count || d.month == f.month);
}

void each_time(const char *words, long long start, long long last, zone *z, bool (*found)(void *with, long long local), void *with) {
  rule r = read_rule(words, z);
  long long first = floor_div(start, DAY), of_day = start - first * DAY;
  if (r.every == UNKNOWN) r.count = 1;
  int times = 0;
  for (long long day = first; day < first + DAYS_MAX; day++) {
    long long local = day * DAY + of_day;
    if (local > last || local > r.until) return;
    if (day != first && !holds(&r, day, first)) continue; // the first is one of them, whatever the rule says
    if (!found(with, local) || ++times == r.count) return;
  }
}
