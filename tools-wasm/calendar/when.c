#include "when.h"

#include <string.h>

#include "host.h"

long long floor_div(long long a, long long b) { return a / b - (a % b < 0); }

// Days are counted in eras of 400 years that begin on the first of March, so that the leap day is the last of its year.
long long day_of(date d) {
  long long year = d.month <= 2 ? d.year - 1 : d.year;
  long long era = floor_div(year, 400), of_era = year - era * 400;
  long long of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

date date_of(long long day) {
  day += 719468;
  long long era = floor_div(day, 146097), of_era = day - era * 146097;
  long long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  long long of_year = of_era - (365 * year + year / 4 - year / 100);
  long long month = (5 * of_year + 2) / 153;
  date d = {(int)(year + era * 400), (int)(month < 10 ? month + 3 : month - 9), (int)(of_year - (153 * month + 2) / 5 + 1)};
  if (d.month <= 2) d.year++;
  return d;
}

int weekday(long long day) { return (int)(day + 3 - floor_div(day + 3, 7) * 7); }

int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

enum { ZONES_MAX = 16, SPANS_MAX = 32 };

// span is a time in which a zone's offset does not change.
struct span {
  instant since, until;
  int offset;
};

struct zone {
  const char *name;
  struct span spans[SPANS_MAX];
  int count;
};

static zone zones[ZONES_MAX];
static int zone_count;

static const instant always = 1LL << 60;

// learn asks the host for the span around an instant; false when it does not know the zone.
static bool learn(zone *z, instant at) {
  text input = {0};
  put_word(&input, "{\"zone\":");
  put_quoted(&input, z->name, strlen(z->name));
  put_word(&input, ",\"at\":");
  put_int(&input, at < 0 ? 0 : at);
  put_word(&input, "}");
  json answer = host_now(&input), known;
  double offset, since, until;
  if (!json_member(answer, "known", &known) || *known.at != 't' || !member_number(answer, "offset", &offset)) return false;
  struct span *s = &z->spans[z->count < SPANS_MAX ? z->count++ : SPANS_MAX - 1];
  s->offset = (int)offset;
  s->since = at > 0 && member_number(answer, "offset_since", &since) ? (instant)since : -always;
  s->until = member_number(answer, "offset_until", &until) ? (instant)until : always;
  return true;
}

static zone *add_zone(const char *name) {
  if (zone_count == ZONES_MAX) return NULL;
  zone *z = &zones[zone_count++];
  z->name = name;
  if (learn(z, now())) return z;
  zone_count--;
  return NULL;
}

zone *home(void) {
  static zone *z;
  if (!z) z = add_zone("");
  if (!z) __builtin_trap();
  return z;
}

zone *find_zone(const char *name) {
  if (!*name) return NULL;
  for (int i = 0; i < zone_count; i++) {
    if (strcmp(zones[i].name, name) == 0) return &zones[i];
  }
  return add_zone(name);
}

instant now(void) {
  static instant at;
  if (!at) {
    text input = {0};
    put_word(&input, "{}");
    double unix;
    if (!member_number(host_now(&input), "unix", &unix)) __builtin_trap();
    at = (instant)unix;
  }
  return at;
}

const char *home_name(void) {
  text input = {0};
  put_word(&input, "{}");
  const char *name = member_string(host_now(&input), "zone");
  return name ? name : "UTC";
}

static int offset_at(zone *z, instant at) {
  for (int tries = 0; tries < 2; tries++) {
    for (int i = z->count - 1; i >= 0; i--) {
      if (z->spans[i].since <= at && at < z->spans[i].until) return z->spans[i].offset;
    }
    if (!learn(z, at)) break;
  }
  return z->spans[z->count - 1].offset;
}

long long local_of(zone *z, instant at) { return at + offset_at(z, at); }

instant instant_of(zone *z, long long local) {
  int before = offset_at(z, local - DAY), after = offset_at(z, local + DAY);
  if (offset_at(z, local - before) == before) return local - before;
  if (offset_at(z, local - after) == after) return local - after;
  return local - before;
}

bool read_digits(const char *at, int count, int *number) {
  *number = 0;
  for (; count > 0; count--, at++) {
    if (*at < '0' || *at > '9') return false;
    *number = *number * 10 + (*at - '0');
  }
  return true;
}

bool read_date(const char *words, long long *day) {
  date d;
  if (!words || strlen(words) != 10 || words[4] != '-' || words[7] != '-' || !read_digits(words, 4, &d.year) ||
      !read_digits(words + 5, 2, &d.month) || !read_digits(words + 8, 2, &d.day) || d.year < 1970 || d.month < 1 || d.month > 12 ||
      d.day < 1 || d.day > days_in(d.year, d.month))
    return false;
  *day = day_of(d);
  return true;
}

bool read_time(const char *words, int *seconds) {
  int hour, minute, second = 0;
  size_t length = words ? strlen(words) : 0;
  if ((length != 5 && length != 8) || words[2] != ':' || !read_digits(words, 2, &hour) || !read_digits(words + 3, 2, &minute) ||
      (length == 8 && (words[5] != ':' || !read_digits(words + 6, 2, &second))) || hour > 23 || minute > 59 || second > 59)
    return false;
  *seconds = hour * HOUR + minute * MINUTE + second;
  return true;
}

void put_padded(text *t, long long number, int digits) {
  long long bound = 1;
  for (int i = 1; i < digits; i++) bound *= 10;
  for (; bound > 1 && number < bound; bound /= 10) put_word(t, "0");
  put_int(t, number);
}

void put_date(text *t, long long day) {
  date d = date_of(day);
  put_padded(t, d.year, 4);
  put_word(t, "-");
  put_padded(t, d.month, 2);
  put_word(t, "-");
  put_padded(t, d.day, 2);
}

void put_time(text *t, long long local) {
  long long seconds = local - floor_div(local, DAY) * DAY;
  put_padded(t, seconds / HOUR, 2);
  put_word(t, ":");
  put_padded(t, seconds % HOUR / MINUTE, 2);
}

void put_stamp(text *t, instant at) {
  date d = date_of(floor_div(at, DAY));
  long long seconds = at - floor_div(at, DAY) * DAY;
  put_padded(t, d.year, 4);
  put_padded(t, d.month, 2);
  put_padded(t, d.day, 2);
  put_word(t, "T");
  put_padded(t, seconds / HOUR, 2);
  put_padded(t, seconds % HOUR / MINUTE, 2);
  put_padded(t, seconds % MINUTE, 2);
  put_word(t, "Z");
}
