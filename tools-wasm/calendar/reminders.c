#include "reminders.h"

#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "book.h"
#include "host.h"
#include "rule.h"

enum { REMINDERS_MAX = 100, NAMES_MAX = 5, CANDIDATES_MAX = 5 };

typedef struct {
  const char *id, *message, *rule, *href, *etag;
  instant at;  // of a series the next time
  bool timed;  // it has a time
  bool closed; // completed, or a series that is over
} reminder;

typedef struct {
  reminder *at;
  int count, room;
} reminders;

static const char *reminders_url(void) {
  const char *configured = getenv("REMINDERS_URL");
  return configured && *configured ? configured : "http://agenda.internal/dav/calendars/reminders/";
}

// next_time is what the times of a series are looked through for.
typedef struct {
  instant at;
  bool found;
} next_time;

static bool look(void *with, long long local) {
  next_time *next = with;
  next->at = instant_of(home(), local);
  next->found = next->at >= now();
  return !next->found;
}

static void read_reminder(void *with, const char *data, const char *href, const char *etag) {
  reminder r = {.message = "", .rule = "", .href = href, .etag = etag};
  bool inside = false, due = false;
  int pass_over = 0;
  property p;
  for (char *at = unfolded(data); at;) {
    if (!next_property(&at, &p)) continue;
    bool begins = strcmp(p.name, "BEGIN") == 0, ends = strcmp(p.name, "END") == 0;
    if (begins && strcmp(p.value, "VTODO") == 0) inside = true;
    else if (ends && strcmp(p.value, "VTODO") == 0) break;
    else if (inside && begins) pass_over++;
    else if (inside && ends) pass_over--;
    if (!inside || pass_over || begins || ends) continue;
    if (strcmp(p.name, "UID") == 0) r.id = p.value;
    if (strcmp(p.name, "SUMMARY") == 0) r.message = words_of(p.value);
    if (strcmp(p.name, "RRULE") == 0) r.rule = p.value;
    if (strcmp(p.name, "DUE") == 0) r.timed = due = instant_in(&p, &r.at);
    if (strcmp(p.name, "DTSTART") == 0 && !due) r.timed = instant_in(&p, &r.at);
    if (strcmp(p.name, "STATUS") == 0) r.closed = strcmp(p.value, "COMPLETED") == 0 || strcmp(p.value, "CANCELLED") == 0;
    if (strcmp(p.name, "COMPLETED") == 0) r.closed = true;
  }
  if (!r.id) return;
  if (*r.rule && r.timed) {
    next_time next = {0};
    each_time(r.rule, local_of(home(), r.at), 1LL << 40, home(), look, &next);
    r.at = next.at;
    r.closed = r.closed || !next.found;
  }
  reminders *into = with;
  if (into->count == into->room) {
    into->room = into->room * 2 + 32;
    into->at = realloc(into->at, sizeof r * (size_t)into->room);
    if (!into->at) __builtin_trap();
  }
  into->at[into->count++] = r;
}

static int earlier(const void *a, const void *b) {
  const reminder *x = a, *y = b;
  if (x->timed != y->timed) return x->timed ? -1 : 1;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return strcmp(x->id, y->id);
}

static reminders read_all(void) {
  reminders all = {0};
  text wanted = {0}, filter = {0};
  put_word(&filter, "<C:comp-filter name=\"VTODO\"/>");
  if (!list(reminders_url(), &wanted, &filter, read_reminder, &all)) fail("There is no list of reminders at ", reminders_url(), "");
  if (all.count) qsort(all.at, (size_t)all.count, sizeof *all.at, earlier);
  return all;
}

static const char *url_in_list(const char *name) {
  text url = {0};
  put_word(&url, reminders_url());
  put_word(&url, name);
  return written(&url);
}

static const char *reminder_url(const reminder *r) {
  const char *slash = strrchr(r->href, '/');
  return url_in_list(slash ? slash + 1 : r->href);
}

// put_reminder writes a reminder as a result.
static void put_reminder(text *t, const char *id, const char *message, bool timed, long long local, const char *rule) {
  text at = {0};
  if (timed) {
    put_date(&at, floor_div(local, DAY));
    put_word(&at, "T");
    put_time(&at, local);
  }
  put_word(t, "{");
  put_member(t, "id", id);
  put_member(t, "message", message);
  put_member(t, "at", written(&at));
  put_member(t, "recurrence", rule);
  put_word(t, "}");
}

static void put_one(text *t, const reminder *r) {
  put_reminder(t, r->id, r->message, r->timed, r->timed ? local_of(home(), r->at) : 0, r->rule);
}

// put_todo writes the object. What repeats is written in the house's own zone, so that it stays at its hour when the clock changes.
static void put_todo(text *t, const char *id, const char *message, long long local, const char *rule) {
  static const char *const names[] = {"DTSTART", "DUE"};
  text summary = {0}, stamp = {0};
  put_value(&summary, message);
  put_stamp(&stamp, now());
  put_word(t, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Chatterbox//Calendar//EN\r\nBEGIN:VTODO\r\n");
  put_line(t, "UID:", id);
  put_line(t, "DTSTAMP:", written(&stamp));
  put_line(t, "CREATED:", stamp.at);
  for (int i = 0; i < 2; i++) {
    text name = {0}, value = {0};
    put_word(&name, names[i]);
    if (*rule) {
      put_word(&name, ";TZID=");
      put_word(&name, home_name());
    }
    put_word(&name, ":");
    put_stamp(&value, *rule ? local : instant_of(home(), local));
    if (*rule) value.length--; // no Z: it is a local time
    put_line(t, written(&name), written(&value));
  }
  if (*rule) put_line(t, "RRULE:", rule);
  put_line(t, "SUMMARY:", written(&summary));
  put_word(t, "STATUS:NEEDS-ACTION\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:PT0S\r\n");
  put_line(t, "DESCRIPTION:", written(&summary));
  put_word(t, "END:VALARM\r\nEND:VTODO\r\nEND:VCALENDAR\r\n");
}

static const char *read_rule_argument(json arguments) {
  const char *rule = member_string(arguments, "recurrence");
  if (!rule || !*rule) return "";
  if (strncmp(rule, "RRULE:", 6) == 0) rule += 6;
  static const char *const every[] = {"FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY"};
  for (int i = 0; i < 4; i++) {
    size_t length = strlen(every[i]);
    if (strncmp(rule, every[i], length) == 0 && (!rule[length] || rule[length] == ';') &&
        strspn(rule, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=;,+-") == strlen(rule))
      return rule;
  }
  fail("recurrence must be written like FREQ=WEEKLY;BYDAY=MO, not '", rule, "'");
}

static long long read_at(json arguments) {
  const char *at = required(arguments, "at");
  char *day_part = word(at, strlen(at) < 10 ? strlen(at) : 10);
  long long day;
  int seconds;
  if (strlen(at) < 16 || at[10] != 'T' || !read_date(day_part, &day) || !read_time(at + 11, &seconds))
    fail("at must be written like 2026-02-20T09:00, not '", at, "'");
  return day * DAY + seconds;
}

void set_reminder(json arguments) {
  const char *message = required(arguments, "message"), *rule = read_rule_argument(arguments);
  long long local = read_at(arguments);
  refuse_past(local);
  for (int attempt = 0; attempt < NAMES_MAX; attempt++) {
    text seed = {0}, name = {0}, object = {0};
    put_word(&seed, message);
    put_word(&seed, "|");
    put_stamp(&seed, local);
    put_word(&seed, rule);
    put_int(&seed, attempt);
    put_name(&name, &seed);
    const char *id = written(&name), *etag;
    text file = {0}, out = {0};
    put_word(&file, id);
    put_word(&file, ".ics");
    const char *url = url_in_list(written(&file));
    put_todo(&object, id, message, local, rule);
    int status = create(url, &object);
    if (status == 404) fail("There is no list of reminders at ", reminders_url(), "");
    if (!done(status)) { // it was set before; another name when that one is closed
      reminders same = {0};
      char *there = fetch(url, &etag);
      if (there) read_reminder(&same, there, url, etag);
      if (same.count != 1 || same.at[0].closed || strcmp(same.at[0].message, message) != 0) continue;
    }
    put_reminder(&out, id, message, true, local_of(home(), instant_of(home(), local)), rule);
    print(&out);
  }
  fail("This reminder was set and completed several times already. Word it differently", "", "");
}

void list_reminders(json arguments) {
  (void)arguments;
  reminders all = read_all();
  text t = {0};
  int told = 0, more = 0;
  put_word(&t, "{\"reminders\":[");
  for (int i = 0; i < all.count; i++) {
    if (all.at[i].closed) continue;
    if (told == REMINDERS_MAX) {
      more++;
      continue;
    }
    if (told++) put_word(&t, ",");
    put_one(&t, &all.at[i]);
  }
  print_list(&t, more);
}

// choose finds the one open reminder that the arguments mean; where several fit, it prints them.
static reminder choose(json arguments) {
  const char *id = member_string(arguments, "id"), *message = member_string(arguments, "message");
  if (!(id && *id) && !(message && *message)) fail("Say which reminder: its id, or words of its message", "", "");
  reminders all = read_all();
  text t = {0};
  int fit = 0;
  reminder last = {0};
  put_word(&t, "{\"error\":\"Several reminders fit. Say which one is meant\",\"candidates\":[");
  for (int i = 0; i < all.count; i++) {
    const reminder *r = &all.at[i];
    if (r->closed || (id && *id && strcmp(r->id, id) != 0) || (message && *message && !has_words(r->message, message))) continue;
    last = *r;
    if (fit < CANDIDATES_MAX) {
      if (fit) put_word(&t, ",");
      put_one(&t, r);
    }
    fit++;
  }
  if (fit == 1) return last;
  if (fit == 0) fail("There is no such reminder", "", "");
  put_word(&t, "]}");
  print(&t);
}

static _Noreturn void print_changed(const char *what, const reminder *r, int status) {
  if (!done(status)) fail("The reminder was changed by somebody else just now. List the reminders and try again", "", "");
  text t = {0};
  put_word(&t, "{\"");
  put_word(&t, what);
  put_word(&t, "\":");
  put_one(&t, r);
  put_word(&t, "}");
  print(&t);
}

void complete_reminder(json arguments) {
  reminder r = choose(arguments);
  if (*r.rule) fail("\"", r.message, "\" repeats. Delete it when it shall not come again");
  const char *etag;
  char *object = fetch(reminder_url(&r), &etag), *end = object ? strstr(object, "END:VTODO") : NULL;
  if (!end) print_changed("completed", &r, 404);
  text changed = {0};
  for (char *at = object; at < end;) { // the old status goes
    size_t length = strcspn(at, "\n") + 1;
    if (strncmp(at, "STATUS", 6) != 0 && strncmp(at, "PERCENT-COMPLETE", 16) != 0) put(&changed, at, length);
    at += length;
  }
  put_word(&changed, "STATUS:COMPLETED\r\nPERCENT-COMPLETE:100\r\nCOMPLETED:");
  put_stamp(&changed, now());
  put_word(&changed, "\r\n");
  put_word(&changed, end);
  print_changed("completed", &r, replace(reminder_url(&r), &changed, etag));
}

void delete_reminder(json arguments) {
  reminder r = choose(arguments);
  print_changed("deleted", &r, delete(reminder_url(&r), r.etag));
}
