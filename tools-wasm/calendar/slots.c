#include "slots.h"

#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "host.h"

enum { DAYS = 8, STEP = 30 * MINUTE, OPENS = 8 * HOUR, CLOSES = 20 * HOUR, DAY_SLOTS_MAX = 2 };

static bool read_calendar(busy_times *busy, const char *calendar, long long local, const char *except) {
  long long day = floor_div(local, DAY);
  events seen = {0};
  if (!query(calendar, instant_of(home(), day * DAY), instant_of(home(), (day + DAYS + 1) * DAY), &seen)) return false;
  event *all = room(sizeof *all * (size_t)(busy->seen.count + seen.count + 1));
  if (busy->seen.count) memcpy(all, busy->seen.at, sizeof *all * (size_t)busy->seen.count);
  busy->seen.at = all;
  for (int i = 0; i < seen.count; i++) {
    if (in_the_way(&seen.at[i], except)) all[busy->seen.count++] = seen.at[i];
  }
  return true;
}

void read_busy(busy_times *busy, long long local, const char *except) {
  if (!read_calendar(busy, calendar_url(), local, except)) fail("There is no calendar at ", calendar_url(), "");
}

const char *calendar_of(const char *person) {
  const char *folder = getenv("CALENDAR_PEOPLE_URL");
  text url = {0}, name = {0};
  put_word(&url, folder && *folder ? folder : "http://agenda.internal/dav/calendars/");
  for (const char *at = person; *at; at++) {
    char c = *at >= 'A' && *at <= 'Z' ? (char)(*at | 0x20) : *at;
    if (c == ' ') c = '-';
    if (strchr("/\\%?#.;", c)) continue; // a name has none of these, and a path would mean another place
    put(&name, &c, 1);
  }
  put_escaped(&url, name.at ? name.at : "", name.length);
  put_word(&url, "/");
  return written(&url);
}

bool read_busy_of(busy_times *busy, long long local, const char *person) {
  return read_calendar(busy, calendar_of(person), local, NULL);
}

bool is_free(const busy_times *busy, long long local, long long seconds) {
  instant start = instant_of(home(), local), end = start + seconds;
  for (int i = 0; i < busy->seen.count; i++) {
    if (busy->seen.at[i].start < end && start < busy->seen.at[i].end) return false;
  }
  return true;
}

// nearest finds the free time of a day that is nearest to the wanted one and not among those found.
static bool nearest(const busy_times *busy, long long day, long long wanted, long long seconds, const slots *found, long long *best) {
  long long opens = wanted < OPENS ? wanted : OPENS, closes = wanted + seconds > CLOSES ? wanted + seconds : CLOSES, distance = DAY;
  for (long long at = opens; at + seconds <= closes; at += STEP) {
    long long local = day * DAY + at, away = at > wanted ? at - wanted : wanted - at;
    bool told = instant_of(home(), local) < now();
    for (int i = 0; i < found->count; i++) told = told || found->at[i] == local;
    if (told || away > distance || (away == distance && at < wanted) || !is_free(busy, local, seconds)) continue;
    distance = away;
    *best = local;
  }
  return distance < DAY;
}

void find_free(const busy_times *busy, long long local, long long seconds, slots *found) {
  long long day = floor_div(local, DAY);
  for (int i = 0; i < DAYS && found->count < SLOTS_MAX; i++) {
    for (int told = 0; told < DAY_SLOTS_MAX && found->count < SLOTS_MAX; told++) {
      long long best;
      if (!nearest(busy, day + i, local - day * DAY, seconds, found, &best)) break;
      found->at[found->count++] = best;
    }
  }
}
