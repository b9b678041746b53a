// sums, a stdio module of three tools: the tool's name is the second argument, its arguments stand on stdin.

#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "host.h"
#include "units.h"

enum { SPOKEN_DIGITS = 6, SPOKEN_WHOLE = 15 };

// put_value writes the exact value and, where it has more digits than anybody wants to hear, a short one.
static void put_value(text *out, decimal value) {
  text exact = {0}, brief = {0};
  int whole = value.exponent + value.count;
  put_decimal(&exact, value);
  put_decimal(&brief, rounded(value, whole > SPOKEN_DIGITS ? (whole < SPOKEN_WHOLE ? whole : SPOKEN_DIGITS) : SPOKEN_DIGITS));
  put_member(out, "result", written(&exact));
  put_member(out, "rounded", written(&brief));
  put_word(out, strcmp(written(&exact), written(&brief)) == 0 ? ",\"exact\":true" : ",\"exact\":false");
}

static char *needed(json arguments, const char *name) {
  char *value = member_string(arguments, name);
  if (!value || !*value) fail("Missing required argument: ", name, "");
  return value;
}

static void run_calculate(json arguments) {
  text out = {0};
  const char *expression = needed(arguments, "expression");
  decimal value = calculate(expression);
  put_word(&out, "{");
  put_member(&out, "expression", expression);
  put_value(&out, value);
  put_word(&out, "}");
  print(&out);
}

static const unit *unit_of(json arguments, const char *name) {
  const char *said = needed(arguments, name);
  const unit *found = find_unit(said);
  if (!found) fail("Unknown unit: ", said, "");
  return found;
}

// put_unit writes what answers call a unit: the first of its names.
static void put_unit(text *out, const char *member, const unit *u) { put_member(out, member, word(u->names + 1, strcspn(u->names + 1, "|"))); }

static void run_convert(json arguments) {
  text out = {0};
  json number;
  decimal value;
  if (!json_member(arguments, "value", &number)) fail("Missing required argument: ", "value", "");
  char *digits = word(number.at, (size_t)(number.end - number.at));
  bool below = *digits == '-';
  if (!read_decimal(digits + below, &value)) fail("That is too large to calculate", "", "");
  if (below) value = negated(value);
  const unit *from = unit_of(arguments, "from"), *to = unit_of(arguments, "to");
  if (strcmp(from->kind, to->kind) != 0) {
    text both = {0};
    put_word(&both, from->kind);
    put_word(&both, " and ");
    put_word(&both, to->kind);
    fail("Those units measure different things: ", written(&both), "");
  }
  decimal result;
  if (!convert(value, from, to, &result)) fail("That is too large to calculate", "", "");
  put_word(&out, "{\"value\":");
  put_word(&out, digits);
  put_unit(&out, "from", from);
  put_unit(&out, "to", to);
  put_value(&out, result);
  put_word(&out, "}");
  print(&out);
}

// day_number counts days from 1 March of the year 0, by the Gregorian calendar; false for what is no date.
static bool day_number(const char *date, long *number) {
  if (strlen(date) != 10 || strspn(date, "0123456789") != 4 || date[4] != '-' || strspn(date + 5, "0123456789") != 2 || date[7] != '-' ||
      strspn(date + 8, "0123456789") != 2) {
    return false;
  }
  int year = atoi(date), month = atoi(date + 5), day = atoi(date + 8);
  if (year < 1 || month < 1 || month > 12) return false;
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (day < 1 || day > lengths[month - 1] + (leap && month == 2)) return false;
  long y = month > 2 ? year : year - 1, m = (month + 9) % 12;
  *number = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
  return true;
}

static long day_of(const char *date) {
  long number;
  if (!day_number(date, &number)) fail("That is no date such as 2026-12-24: ", date, "");
  return number;
}

static void run_count_days(json arguments) {
  text out = {0}, today = {0};
  put_word(&today, "{}");
  char *from = member_string(arguments, "from"), *to = needed(arguments, "to");
  if (!from || !*from) from = member_string(host_now(&today), "date");
  put_word(&out, "{");
  put_member(&out, "from", from);
  put_member(&out, "to", to);
  put_word(&out, ",\"days\":");
  put_int(&out, day_of(to) - day_of(from));
  put_word(&out, "}");
  print(&out);
}

int main(int count, char **words) {
  static const tool tools[] = {{"calculate", run_calculate}, {"convert", run_convert}, {"count_days", run_count_days}};
  run_tool(tools, sizeof tools / sizeof *tools, count, words);
}
