// calendar, a stdio module of nine tools: the tool's name is the second argument, its arguments stand on stdin. Whatever is printed
// is a result; errors are results, too.

#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "book.h"
#include "slots.h"
#include "host.h"
#include "reminders.h"

enum { EVENTS_MAX = 100, RANGE_DAYS_MAX = 366, CANDIDATES_MAX = 5 };

// put_when writes the members date and time of an instant.
static void put_when(text *t, long long local) {
  text day = {0}, clock = {0};
  put_date(&day, floor_div(local, DAY));
  put_time(&clock, local);
  put_member(t, "date", written(&day));
  put_member(t, "time", written(&clock));
}

static void put_short(text *t, const event *e, bool with_id) {
  put_word(t, "{");
  if (with_id) put_member(t, "event_id", e->uid);
  put_member(t, "title", e->summary);
  put_when(t, local_of(home(), e->start));
  put_word(t, "}");
}

static void put_alternatives(text *t, const slots *found) {
  put_word(t, ",\"alternatives\":[");
  for (int i = 0; i < found->count; i++) {
    if (i) put_word(t, ",");
    put_word(t, "{");
    put_when(t, found->at[i]);
    put_word(t, "}");
  }
  put_word(t, "]");
}

static void check_availability(json arguments) {
  long long local = read_when(arguments, "date", "time"), length = read_minutes(arguments);
  refuse_past(local);
  busy_times busy = {0};
  read_busy(&busy, local, NULL);
  bool known = true;
  const char *with = member_string(arguments, "with");
  if (with) known = read_busy_of(&busy, local, with);
  text t = {0};
  slots others = {0};
  bool available = is_free(&busy, local, length);
  if (!available) find_free(&busy, local, length, &others);
  put_word(&t, available ? "{\"available\":true" : "{\"available\":false");
  put_when(&t, local);
  put_alternatives(&t, &others);
  if (with) put_member(&t, known ? "with" : "unknown_calendar", with);
  put_word(&t, "}");
  print(&t);
}

static _Noreturn void print_taken(long long local, long long length, const char *except) {
  busy_times busy = {0};
  slots others = {0};
  read_busy(&busy, local, except);
  find_free(&busy, local, length, &others);
  text t = {0};
  put_word(&t, "{\"error\":\"That time is taken\"");
  put_alternatives(&t, &others);
  put_word(&t, "}");
  print(&t);
}

static void put_detail(text *t, json arguments, const char *label, const char *name) {
  const char *value = member_string(arguments, name);
  if (!value || !*value) return;
  if (t->length) put_word(t, "\\n");
  put_word(t, label);
  put_value(t, value);
}

static void book_appointment(json arguments) {
  const char *customer = required(arguments, "customer_name"), *address = member_string(arguments, "address");
  const char *title = member_string(arguments, "title"), *service = member_string(arguments, "service");
  long long local = read_when(arguments, "date", "time"), length = read_minutes(arguments);
  refuse_past(local);
  text summary = {0}, place = {0}, details = {0};
  put_word(&summary, title && *title ? title : service && *service ? service : "Free Estimate");
  put_word(&summary, " - ");
  put_word(&summary, customer);
  if (address) put_value(&place, address);
  put_detail(&details, arguments, "Customer: ", "customer_name");
  put_detail(&details, arguments, "Phone: ", "customer_phone");
  put_detail(&details, arguments, "Email: ", "email");
  put_detail(&details, arguments, "Service: ", "service");
  booking b = {.summary = written(&summary)};
  b.e.start = instant_of(home(), local);
  b.e.end = b.e.start + length;
  b.e.location = place.length ? written(&place) : NULL;
  b.e.description = written(&details);
  if (!book(&b)) print_taken(local, length, NULL);
  text t = {0};
  put_word(&t, "{");
  put_member(&t, "event_id", b.e.uid);
  put_member(&t, "title", b.summary);
  put_when(&t, local_of(home(), b.e.start));
  put_word(&t, "}");
  print(&t);
}

// choose finds the one event that the arguments mean; where several fit, it prints them.
static event choose(json arguments) {
  const char *name = member_string(arguments, "customer_name"), *id = member_string(arguments, "event_id");
  long long day = 0;
  int seconds = 0;
  bool by_day = optional_date(arguments, "date", &day), by_time = optional_time(arguments, "time", &seconds);
  if (!name && !id && !by_day) fail("Say whose appointment it is, or when: customer_name, date or event_id", "", "");
  instant start = by_day ? instant_of(home(), day * DAY) : now();
  instant end = by_day ? instant_of(home(), (day + 1) * DAY) : now() + (instant)RANGE_DAYS_MAX * DAY;
  events seen = {0}, fit = {0};
  if (!query(calendar_url(), start, end, &seen)) fail("There is no calendar at ", calendar_url(), "");
  fit.at = room(sizeof(event) * (size_t)(seen.count + 1));
  for (int i = 0; i < seen.count; i++) {
    event *e = &seen.at[i];
    long long local = local_of(home(), e->start);
    if (e->claim || (by_day && floor_div(local, DAY) != day) || (id && strcmp(id, e->uid) != 0) ||
        (by_time && (e->all_day || local - floor_div(local, DAY) * DAY != seconds)) || (name && !has_words(e->summary, name)))
      continue;
    fit.at[fit.count++] = *e;
  }
  if (fit.count == 1) return fit.at[0];
  if (fit.count == 0) fail("There is no such appointment in the calendar", "", "");
  text t = {0};
  put_word(&t, "{\"error\":\"Several appointments fit. Say which one is meant\",\"candidates\":[");
  for (int i = 0; i < fit.count && i < CANDIDATES_MAX; i++) {
    if (i) put_word(&t, ",");
    put_short(&t, &fit.at[i], true);
  }
  put_word(&t, "]}");
  print(&t);
}

static void put_left_out(text *t, const event *e) {
  if (!e->all_day) {
    put_word(t, "EXDATE:");
    put_stamp(t, e->start);
  } else {
    text stamp = {0};
    put_stamp(&stamp, local_of(home(), e->start));
    put_word(t, "EXDATE;VALUE=DATE:");
    put(t, stamp.at, 8);
  }
  put_word(t, "\r\n");
}

// take_out removes an event, of a series that one; false when somebody changed it meanwhile.
static bool take_out(const event *e) {
  const char *url = url_of(e->href), *etag;
  if (!e->series) return done(delete(url, e->etag));
  const char *object = fetch(url, &etag);
  if (!object) return false;
  const char *end = strstr(object, "END:VEVENT");
  if (strstr(object, "RECURRENCE-ID") || !end)
    fail("\"", e->summary, "\" is one of a series of which some were changed. Change it in the calendar itself");
  text changed = {0};
  put(&changed, object, (size_t)(end - object));
  put_left_out(&changed, e);
  put_word(&changed, end);
  return done(replace(url, &changed, etag));
}

static const char meanwhile[] = "The appointment was changed by somebody else just now. Look at the calendar and try again";

static void cancel_appointment(json arguments) {
  event e = choose(arguments);
  if (!take_out(&e)) fail(meanwhile, "", "");
  text t = {0};
  put_word(&t, "{\"cancelled\":");
  put_short(&t, &e, false);
  put_word(&t, "}");
  print(&t);
}

static void reschedule_appointment(json arguments) {
  event e = choose(arguments);
  if (e.all_day) fail("\"", e.summary, "\" takes whole days. Change it in the calendar itself");
  long long before = local_of(home(), e.start), day = floor_div(before, DAY);
  int seconds = (int)(before - day * DAY);
  bool moved = optional_date(arguments, "new_date", &day);
  moved = optional_time(arguments, "new_time", &seconds) || moved;
  if (!moved) fail("Say when it shall be: new_date, new_time or both", "", "");
  long long local = day * DAY + seconds;
  refuse_past(local);
  booking b = {.summary = e.summary, .except = e.uid};
  b.e.location = e.location;
  b.e.description = e.description;
  b.e.start = instant_of(home(), local);
  b.e.end = b.e.start + (e.end - e.start);
  if (b.e.start == e.start) fail("The appointment is at that time already", "", "");
  if (!book(&b)) print_taken(local, e.end - e.start, e.uid);
  if (!take_out(&e)) { // nobody may have it twice
    const char *etag;
    if (fetch(b.url, &etag)) delete(b.url, etag);
    fail(meanwhile, "", "");
  }
  text t = {0};
  put_word(&t, "{");
  put_member(&t, "event_id", b.e.uid);
  put_member(&t, "title", e.summary);
  put_when(&t, local_of(home(), b.e.start));
  put_word(&t, ",\"previous\":{");
  put_when(&t, before);
  put_word(&t, "}}");
  print(&t);
}

static void put_full(text *t, const event *e) {
  long long start = local_of(home(), e->start), end = local_of(home(), e->end);
  text day = {0}, last = {0}, clock = {0}, until = {0};
  put_date(&day, floor_div(start, DAY));
  put_date(&last, floor_div(end > start ? end - 1 : end, DAY));
  if (!e->all_day) {
    put_time(&clock, start);
    put_time(&until, end);
  }
  put_word(t, "{");
  put_member(t, "title", e->summary);
  put_member(t, "date", written(&day));
  put_member(t, "time", written(&clock));
  put_member(t, "end_time", written(&until));
  put_word(t, e->all_day ? ",\"all_day\":true" : ",\"all_day\":false");
  if (strcmp(written(&day), written(&last)) != 0) put_member(t, "end_date", last.at);
  put_word(t, "}");
}

static void get_calendar(json arguments) {
  long long first, last;
  if (!optional_date(arguments, "start", &first)) fail("Missing required argument: start", "", "");
  if (!optional_date(arguments, "end", &last)) last = first;
  if (last < first) fail("end is before start", "", "");
  if (last - first > RANGE_DAYS_MAX) fail("Ask for at most a year at once", "", "");
  const char *person = member_string(arguments, "person"), *calendar = person ? calendar_of(person) : calendar_url();
  events seen = {0};
  if (!query(calendar, instant_of(home(), first * DAY), instant_of(home(), (last + 1) * DAY), &seen)) {
    if (person) fail("There is no calendar of ", person, "");
    fail("There is no calendar at ", calendar, "");
  }
  text t = {0};
  int told = 0, more = 0;
  put_word(&t, "{\"events\":[");
  for (int i = 0; i < seen.count; i++) {
    if (seen.at[i].claim) continue;
    if (told == EVENTS_MAX) {
      more++;
      continue;
    }
    if (told++) put_word(&t, ",");
    put_full(&t, &seen.at[i]);
  }
  print_list(&t, more);
}

int main(int count, char **words) {
  static const tool tools[] = {
      {"check_availability", check_availability},
      {"book_appointment", book_appointment},
      {"cancel_appointment", cancel_appointment},
      {"reschedule_appointment", reschedule_appointment},
      {"get_calendar", get_calendar},
      {"set_reminder", set_reminder},
      {"list_reminders", list_reminders},
      {"complete_reminder", complete_reminder},
      {"delete_reminder", delete_reminder},
  };
  run_tool(tools, sizeof tools / sizeof *tools, count, words);
}
