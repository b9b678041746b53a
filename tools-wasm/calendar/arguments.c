#include "arguments.h"

#include <string.h>

#include "host.h"

enum { MINUTES = 60, MINUTES_MIN = 5, MINUTES_MAX = 1440 };

static _Noreturn void refuse(const char *name, const char *value, const char *like) {
  text sentence = {0};
  put_word(&sentence, name);
  put_word(&sentence, " must be written like ");
  put_word(&sentence, like);
  put_word(&sentence, ", not '");
  put_word(&sentence, value);
  fail(written(&sentence), "'", "");
}

const char *required(json arguments, const char *name) {
  const char *value = member_string(arguments, name);
  if (!value || strspn(value, " \t\r\n") == strlen(value)) fail("Missing required argument: ", name, "");
  return value;
}

bool optional_date(json arguments, const char *name, long long *day) {
  const char *value = member_string(arguments, name);
  if (!value || !*value) return false;
  if (!read_date(value, day)) refuse(name, value, "2026-02-20");
  return true;
}

bool optional_time(json arguments, const char *name, int *seconds) {
  const char *value = member_string(arguments, name);
  if (!value || !*value) return false;
  if (!read_time(value, seconds)) refuse(name, value, "09:00");
  return true;
}

long long read_when(json arguments, const char *date, const char *time) {
  long long day;
  int seconds;
  required(arguments, date);
  required(arguments, time);
  optional_date(arguments, date, &day);
  optional_time(arguments, time, &seconds);
  return day * DAY + seconds;
}

long long read_minutes(json arguments) {
  double minutes = MINUTES;
  member_number(arguments, "duration_minutes", &minutes);
  if (minutes < MINUTES_MIN || minutes > MINUTES_MAX) fail("duration_minutes must be 5 to 1440", "", "");
  return (long long)minutes * MINUTE;
}

void refuse_past(long long local) {
  if (instant_of(home(), local) >= now()) return;
  text asked = {0}, today = {0};
  long long current = local_of(home(), now());
  put_date(&asked, floor_div(local, DAY));
  put_word(&asked, " ");
  put_time(&asked, local);
  put_date(&today, floor_div(current, DAY));
  put_word(&today, " ");
  put_time(&today, current);
  fail(written(&asked), " is in the past; it is ", written(&today));
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

static bool has_word(const char *title, const char *at, size_t length) {
  for (; *title; title++) {
    size_t i = 0;
    while (i < length && title[i] && lower(title[i]) == lower(at[i])) i++;
    if (i == length) return true;
  }
  return false;
}

bool has_words(const char *title, const char *words) {
  while (*(words += strspn(words, " \t"))) {
    size_t length = strcspn(words, " \t");
    if (!has_word(title, words, length)) return false;
    words += length;
  }
  return true;
}
