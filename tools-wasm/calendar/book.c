#include "book.h"

#include <stdint.h>
#include <string.h>

#include "host.h"

// A booking goes in four steps, so that of several at once at most one is made, with nothing but what every CalDAV server has:
//
//   1. who sees an event in the way stops;
//   2. a claim is put under a name that follows from what is booked, if nothing has that name;
//   3. the time is looked at again: an event in the way, or a claim that came earlier, ends this one; a claim that
//      came later is deleted, if it still is what was seen;
//   4. the claim is made certain, if it still is what was seen.
//
// Of two that made theirs certain, the one that was claimed later saw the other in step 3, as an event, or as a claim that it deleted, or
// that it could not delete because it had been made certain: then it looks again.

enum { CLAIM_SECONDS = 60, ROUNDS_MAX = 6, NAMES_MAX = 3 };

static instant read_stamp(const char *at) {
  date d;
  int hour, minute, second;
  if (strlen(at) < 15 || !read_digits(at, 4, &d.year) || !read_digits(at + 4, 2, &d.month) || !read_digits(at + 6, 2, &d.day) ||
      !read_digits(at + 9, 2, &hour) || !read_digits(at + 11, 2, &minute) || !read_digits(at + 13, 2, &second))
    return 0;
  return day_of(d) * DAY + hour * HOUR + minute * MINUTE + second;
}

static bool left_behind(const event *e) { return e->claim && read_stamp(e->created) < now() - CLAIM_SECONDS; }

bool in_the_way(const event *e, const char *except) {
  return e->busy && !left_behind(e) && !(except && strcmp(e->uid, except) == 0);
}

static bool came_earlier(const event *a, const event *b) {
  int order = strcmp(a->created, b->created);
  return order ? order < 0 : strcmp(a->uid, b->uid) < 0;
}

void put_name(text *t, const text *seed) {
  static const char digits[] = "0123456789abcdef";
  put_word(t, "chatterbox-");
  uint64_t hash = 14695981039346656037u;
  for (int half = 0; half < 2; half++) {
    for (size_t i = 0; i < seed->length; i++) hash = (hash ^ (unsigned char)seed->at[i]) * 1099511628211u;
    for (int i = 60; i >= 0; i -= 4) put(t, &digits[hash >> i & 15], 1);
  }
}

// name_of gives the identity that follows from what is booked.
static const char *name_of(const booking *b, int attempt) {
  text seed = {0}, name = {0};
  for (const char *at = b->summary; *at; at++) {
    char c = *at >= 'A' && *at <= 'Z' ? (char)(*at | 0x20) : *at;
    put(&seed, &c, 1);
  }
  put_word(&seed, "|");
  put_stamp(&seed, b->e.start);
  put_stamp(&seed, b->e.end);
  put_int(&seed, attempt);
  put_name(&name, &seed);
  return written(&name);
}

static bool overlaps(const event *a, const event *b) { return a->start < b->end && b->start < a->end; }

static const event *find(const events *list, const char *uid) {
  for (int i = 0; i < list->count; i++) {
    if (strcmp(list->at[i].uid, uid) == 0) return &list->at[i];
  }
  return NULL;
}

static const text *object_of(const booking *b, bool claim) {
  text *object = room(sizeof *object);
  *object = (text){0};
  put_event(object, &b->e, b->summary, claim);
  return object;
}

typedef enum { MINE, TAKEN, LOOK_AGAIN } outcome;

// settle looks at the time once and does steps 3 and 4.
static outcome settle(booking *b) {
  events seen = {0};
  if (!query(calendar_url(), b->e.start, b->e.end, &seen)) fail("There is no calendar at ", calendar_url(), "");
  const event *own = find(&seen, b->e.uid);
  if (!own) return TAKEN; // who came earlier deleted it
  if (!own->claim) return MINE;
  b->e.created = own->created;
  for (int i = 0; i < seen.count; i++) {
    const event *other = &seen.at[i];
    if (other == own || !other->busy || !overlaps(other, &b->e) || (b->except && strcmp(other->uid, b->except) == 0)) continue;
    if (!other->claim || (!left_behind(other) && came_earlier(other, own))) {
      delete(b->url, own->etag);
      return TAKEN;
    }
    if (!done(delete(url_of(other->href), other->etag))) return LOOK_AGAIN;
  }
  return done(replace(b->url, object_of(b, false), own->etag)) ? MINE : LOOK_AGAIN;
}

// put_claim is false when the time is taken.
static bool put_claim(booking *b) {
  for (int attempt = 0; attempt < NAMES_MAX; attempt++) {
    b->e.uid = name_of(b, attempt);
    text url = {0}, stamp = {0};
    put_stamp(&stamp, now());
    b->e.created = written(&stamp);
    put_word(&url, calendar_url());
    put_word(&url, b->e.uid);
    put_word(&url, ".ics");
    b->url = written(&url);
    int status = create(b->url, object_of(b, true));
    if (done(status)) return true;
    if (status == 404) fail("There is no calendar at ", calendar_url(), "");
    const char *etag, *there = fetch(b->url, &etag);
    events same = {0};
    if (there) read_object(&same, there, "", etag, b->e.start, b->e.end);
    if (find(&same, b->e.uid)) return true; // it was booked, or claimed, before
    // What had this name was moved to another time by somebody: another name, then.
  }
  return false;
}

bool book(booking *b) {
  events seen = {0};
  if (!query(calendar_url(), b->e.start, b->e.end, &seen)) fail("There is no calendar at ", calendar_url(), "");
  for (int i = 0; i < seen.count; i++) {
    const event *other = &seen.at[i];
    bool own = strcmp(other->uid, name_of(b, 0)) == 0;
    if (!own && !other->claim && in_the_way(other, b->except) && overlaps(other, &b->e)) return false;
  }
  if (!put_claim(b)) return false;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    outcome o = settle(b);
    if (o != LOOK_AGAIN) return o == MINE;
  }
  fail("The calendar is being changed by others at the same time. Try again", "", "");
}
