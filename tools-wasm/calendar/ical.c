#include "ical.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "rule.h"

enum { LIST_MAX = 64, LINE_BYTES = 73 };

// moment is a date or a time as it was written, and what it means.
typedef struct {
  bool there, is_date;
  zone *z;
  long long local;
  instant at;
} moment;

// component is a VEVENT as it was read.
typedef struct {
  const char *uid, *summary, *location, *description, *created, *rule;
  moment start, end, id;
  long long duration; // -1 is none
  bool free, cancelled, claim;
  moment left_out[LIST_MAX], added[LIST_MAX];
  int left_out_count, added_count;
} component;

// unfolded joins lines that were folded, and ends every line with one \n.
char *unfolded(const char *data) {
  char *out = room(strlen(data) + 2), *to = out;
  for (const char *at = data; *at; at++) {
    if (*at == '\r') continue;
    if (*at == '\n' && (at[1] == ' ' || at[1] == '\t')) {
      at++;
      continue;
    }
    *to++ = *at;
  }
  *to++ = '\n';
  *to = 0;
  return out;
}

char *words_of(const char *value) {
  char *out = word(value, strlen(value)), *to = out;
  for (const char *at = out; *at; at++) {
    if (*at == '\\' && at[1]) {
      at++;
      *to++ = *at == 'n' || *at == 'N' ? ' ' : *at;
    } else {
      *to++ = *at;
    }
  }
  *to = 0;
  return out;
}

// parameter gives a parameter of a property, whose name and parameters are head.
static char *parameter(const char *head, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strchr(head, ';'); at; at = strchr(at, ';')) {
    at++;
    if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
    at += length + 1;
    return *at == '"' ? word(at + 1, strcspn(at + 1, "\"")) : word(at, strcspn(at, ";"));
  }
  return NULL;
}

static moment read_moment(const char *head, const char *value) {
  moment m = {0};
  date d;
  int hour = 0, minute = 0, second = 0;
  size_t length = strlen(value);
  if (length < 8 || !read_digits(value, 4, &d.year) || !read_digits(value + 4, 2, &d.month) || !read_digits(value + 6, 2, &d.day) ||
      d.month < 1 || d.month > 12 || d.day < 1 || d.day > days_in(d.year, d.month))
    return m;
  m.is_date = length == 8;
  if (!m.is_date && (length < 15 || value[8] != 'T' || !read_digits(value + 9, 2, &hour) || !read_digits(value + 11, 2, &minute) ||
                     !read_digits(value + 13, 2, &second)))
    return m;
  m.there = true;
  m.local = day_of(d) * DAY + hour * HOUR + minute * MINUTE + second;
  if (length == 16 && value[15] == 'Z') {
    m.z = find_zone("UTC");
    m.at = m.local;
    return m;
  }
  const char *name = m.is_date ? NULL : parameter(head, "TZID");
  m.z = name ? find_zone(name) : NULL;
  if (!m.z) m.z = home(); // a zone that the host does not know is taken for its own
  m.at = instant_of(m.z, m.local);
  return m;
}

// read_moments reads a list of dates or times, with the time of day of start where only dates are told.
static int read_moments(moment *into, int count, const char *head, const char *value, const moment *start) {
  while (count < LIST_MAX) {
    size_t length = strcspn(value, ",");
    moment m = read_moment(head, word(value, length));
    if (m.there && m.is_date && start->there && !start->is_date) {
      m.local += start->local - floor_div(start->local, DAY) * DAY;
      m.z = start->z;
      m.at = instant_of(m.z, m.local);
    }
    if (m.there) into[count++] = m;
    if (!value[length]) break;
    value += length + 1;
  }
  return count;
}

static long long read_duration(const char *at) {
  long long total = 0;
  bool back = *at == '-';
  if (*at == '-' || *at == '+') at++;
  if (*at++ != 'P') return -1;
  while (*at) {
    if (*at == 'T') at++;
    char *rest;
    long long n = strtoll(at, &rest, 10);
    if (rest == at) return -1;
    switch (*rest) {
    case 'W': total += n * 7 * DAY; break;
    case 'D': total += n * DAY; break;
    case 'H': total += n * HOUR; break;
    case 'M': total += n * MINUTE; break;
    case 'S': total += n; break;
    default: return -1;
    }
    at = rest + 1;
  }
  return back ? 0 : total;
}

// read_line takes a line of a VEVENT.
static void read_line(component *c, const char *head, const char *value) {
  size_t length = strcspn(head, ";");
#define NAMED(name) (length == sizeof name - 1 && strncmp(head, name, length) == 0)
  if (NAMED("UID")) c->uid = value;
  if (NAMED("SUMMARY")) c->summary = words_of(value);
  if (NAMED("LOCATION")) c->location = value;
  if (NAMED("DESCRIPTION")) c->description = value;
  if (NAMED("CREATED")) c->created = value;
  if (NAMED("RRULE")) c->rule = value;
  if (NAMED("DTSTART")) c->start = read_moment(head, value);
  if (NAMED("DTEND")) c->end = read_moment(head, value);
  if (NAMED("DURATION")) c->duration = read_duration(value);
  if (NAMED("RECURRENCE-ID")) c->id = read_moment(head, value);
  if (NAMED("TRANSP")) c->free = strcmp(value, "TRANSPARENT") == 0;
  if (NAMED("STATUS")) c->cancelled = strcmp(value, "CANCELLED") == 0;
  if (NAMED("X-CHATTERBOX-CLAIM")) c->claim = true;
  if (NAMED("EXDATE")) c->left_out_count = read_moments(c->left_out, c->left_out_count, head, value, &c->start);
  if (NAMED("RDATE")) c->added_count = read_moments(c->added, c->added_count, head, value, &c->start);
}

// colon finds where a property's value begins, which may not be the first colon: a parameter in quotes can hold one.
static char *colon(char *line) {
  bool quoted = false;
  for (; *line; line++) {
    if (*line == '"') quoted = !quoted;
    if (*line == ':' && !quoted) return line;
  }
  return NULL;
}

// read_components gives the VEVENTs of an object. DTSTART is read before what needs it.
static component *read_components(const char *data, int *count) {
  char *text = unfolded(data);
  component *list = NULL;
  *count = 0;
  int pass_over = 0; // what stands in an event, such as an alarm
  bool inside = false;
  for (char *line = text, *next; *line; line = next) {
    char *end = strchr(line, '\n');
    *end = 0;
    next = end + 1;
    if (strcmp(line, "BEGIN:VEVENT") == 0) {
      list = realloc(list, sizeof *list * (size_t)(*count + 1));
      if (!list) __builtin_trap();
      memset(&list[*count], 0, sizeof *list);
      list[(*count)++].duration = -1;
      inside = true;
      for (char *ahead = next; strncmp(ahead, "END:VEVENT", 10) != 0;) {
        size_t length = strcspn(ahead, "\n");
        char *copy = word(ahead, length), *at = colon(copy);
        if (strncmp(copy, "DTSTART", 7) == 0 && at) {
          *at = 0;
          read_line(&list[*count - 1], copy, at + 1);
        }
        if (!ahead[length]) break;
        ahead += length + 1;
      }
    } else if (strcmp(line, "END:VEVENT") == 0) {
      inside = false;
    } else if (inside && strncmp(line, "BEGIN:", 6) == 0) {
      pass_over++;
    } else if (inside && strncmp(line, "END:", 4) == 0) {
      pass_over--;
    } else if (inside && pass_over == 0) {
      char *at = colon(line);
      if (!at) continue;
      *at = 0;
      read_line(&list[*count - 1], line, at + 1);
    }
  }
  return list;
}

// gathering is what the times of a series go into.
typedef struct {
  events *into;
  const component *c, *all;
  int all_count;
  event like;
  long long length;
  instant start, end;
} gathering;

static void add(events *into, event e) {
  if (into->count == into->room) {
    into->room = into->room * 2 + 32;
    into->at = realloc(into->at, sizeof e * (size_t)into->room);
    if (!into->at) __builtin_trap();
  }
  into->at[into->count++] = e;
}

static void add_if_touching(gathering *g, instant start, instant end) {
  if (start >= g->end || (end <= g->start && !(end == start && start == g->start))) return;
  g->like.start = start;
  g->like.end = end;
  add(g->into, g->like);
}

static bool add_time(void *with, long long local) {
  gathering *g = with;
  const component *c = g->c;
  instant start = instant_of(c->start.z, local);
  for (int i = 0; i < c->left_out_count; i++) {
    if (c->left_out[i].at == start) return true;
  }
  for (int i = 0; i < g->all_count; i++) { // that one stands as a component of its own
    if (g->all[i].id.there && g->all[i].id.at == start) return true;
  }
  // The length of a day is that of the calendar, also of one with 23 hours.
  instant end = c->start.is_date ? instant_of(c->start.z, local + g->length) : start + g->length;
  add_if_touching(g, start, end);
  return true;
}

void read_object(events *into, const char *data, const char *href, const char *etag, instant start, instant end) {
  int count;
  component *all = read_components(data, &count);
  for (int i = 0; i < count; i++) {
    const component *c = &all[i];
    if (!c->start.there || !c->uid) continue;
    gathering g = {.into = into, .c = c, .all = all, .all_count = count, .start = start, .end = end};
    g.length = c->start.is_date ? DAY : 0;
    if (c->duration >= 0) g.length = c->duration;
    if (c->end.there) g.length = c->start.is_date ? c->end.local - c->start.local : c->end.at - c->start.at;
    if (g.length < 0) g.length = 0;
    g.like = (event){
        .uid = c->uid, .summary = c->summary ? c->summary : "", .location = c->location, .description = c->description,
        .created = c->created ? c->created : "", .href = href, .etag = etag, .all_day = c->start.is_date,
        .busy = !c->free && !c->cancelled, .claim = c->claim, .series = c->rule || c->added_count || c->id.there,
    };
    if (c->id.there || !c->rule) {
      if (!c->id.there) add_time(&g, c->start.local);
      else add_if_touching(&g, c->start.at, c->start.is_date ? instant_of(c->start.z, c->start.local + g.length) : c->start.at + g.length);
    } else {
      each_time(c->rule, c->start.local, local_of(c->start.z, end), c->start.z, add_time, &g);
    }
    for (int k = 0; k < c->added_count; k++) add_time(&g, local_of(c->start.z, c->added[k].at));
  }
  free(all);
}

static int earlier(const void *a, const void *b) {
  const event *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return strcmp(x->uid, y->uid);
}

void sort(events *list) {
  if (list->count) qsort(list->at, (size_t)list->count, sizeof *list->at, earlier);
}

// put_line writes a content line, folded within the 75 bytes of RFC 5545 and never inside a character.
void put_line(text *t, const char *name, const char *value) {
  text line = {0};
  put_word(&line, name);
  put_word(&line, value);
  for (size_t at = 0; at < line.length;) {
    size_t length = line.length - at < LINE_BYTES ? line.length - at : LINE_BYTES;
    while (at + length < line.length && ((unsigned char)line.at[at + length] & 0xc0) == 0x80) length--;
    if (at) put_word(t, " ");
    put(t, line.at + at, length);
    put_word(t, "\r\n");
    at += length;
  }
}

void put_value(text *t, const char *words) {
  for (; *words; words++) {
    if (*words == '\n') {
      put_word(t, "\\n");
    } else if ((unsigned char)*words >= ' ') {
      if (strchr("\\;,", *words)) put_word(t, "\\");
      put(t, words, 1);
    }
  }
}

static void put_time_line(text *t, const char *name, instant at) {
  text stamp = {0};
  put_stamp(&stamp, at);
  put_line(t, name, written(&stamp));
}

void put_event(text *t, const event *e, const char *summary, bool claim) {
  text title = {0};
  put_value(&title, summary);
  put_word(t, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Chatterbox//Calendar//EN\r\nBEGIN:VEVENT\r\n");
  put_line(t, "UID:", e->uid);
  put_time_line(t, "DTSTAMP:", now());
  put_line(t, "CREATED:", e->created);
  put_time_line(t, "DTSTART:", e->start);
  put_time_line(t, "DTEND:", e->end);
  put_line(t, "SUMMARY:", written(&title));
  if (e->location) put_line(t, "LOCATION:", e->location);
  if (e->description) put_line(t, "DESCRIPTION:", e->description);
  put_word(t, claim ? "STATUS:TENTATIVE\r\nX-CHATTERBOX-CLAIM:1\r\n" : "STATUS:CONFIRMED\r\n");
  put_word(t, "END:VEVENT\r\nEND:VCALENDAR\r\n");
}

bool next_property(char **at, property *p) {
  char *line = *at, *end = line ? strchr(line, '\n') : NULL;
  if (!end) {
    *at = NULL;
    return false;
  }
  *end = 0;
  *at = end + 1;
  char *value = colon(line);
  if (!value) return false;
  *value = 0;
  p->head = line;
  p->value = value + 1;
  p->name = word(line, strcspn(line, ";"));
  return true;
}

bool instant_in(const property *p, instant *at) {
  moment m = read_moment(p->head, p->value);
  *at = m.at;
  return m.there;
}
