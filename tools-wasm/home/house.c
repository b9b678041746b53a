#include "house.h"

#include <stdlib.h>
#include <string.h>

bool in_domain(const entity *e, const char *domain) {
  size_t length = strlen(domain);
  return strncmp(e->id, domain, length) == 0 && e->id[length] == '.';
}

bool available(const entity *e) { return strcmp(e->state, "unavailable") != 0; }

const char *attribute(const entity *e, const char *name) {
  const char *value = member_string(e->attributes, name);
  return value ? value : "";
}

static const char *api_url(void) {
  const char *configured = getenv("HOME_ASSISTANT_URL");
  if (!configured || !*configured) fail("Home Assistant is not configured: set tools.home.url and tools.home.token", "", "");
  return configured;
}

static _Noreturn void fail_status(int status, const char *path) {
  if (status == 401 || status == 403) fail("Home Assistant refused the token: make a new long-lived one and set tools.home.token", "", "");
  if (status == 404) fail("Home Assistant has nothing at ", path, ". Look at tools.home.url");
  text number = {0};
  put_int(&number, status);
  if (status == 400) fail("Home Assistant refused ", path, ": this thing may not be able to do that");
  fail("Home Assistant answered with error ", written(&number), "");
}

static json request(const char *path, const text *body) {
  text input = {0}, url = {0};
  put_word(&url, api_url());
  put_word(&url, path);
  put_word(&input, body ? "{\"method\":\"POST\",\"url\":" : "{\"method\":\"GET\",\"url\":");
  put_quoted(&input, url.at, url.length);
  put_word(&input, ",\"headers\":{\"Accept\":\"application/json\",\"Content-Type\":\"application/json\"}");
  if (body) {
    put_word(&input, ",\"body\":");
    put_quoted(&input, body->at, body->length);
  }
  put_word(&input, "}");
  json answer = host_request(&input), value;
  if (json_member(answer, "error", &value)) {
    const char *kind = member_string(answer, "kind"), *error = member_string(answer, "error");
    if (kind && strcmp(kind, "timeout") == 0)
      fail("Home Assistant did not answer in time", body ? ". It is not known whether it was done" : "", "");
    fail("Home Assistant cannot be reached: ", error ? error : "no reason was given", "");
  }
  double status = 0;
  member_number(answer, "status", &status);
  if (status < 200 || status > 299) fail_status((int)status, path);
  const char *content = member_string(answer, "body");
  if (!content || !json_valid(content, strlen(content), &value)) fail("Home Assistant sent an answer that cannot be read", "", "");
  return value;
}

json get(const char *path) { return request(path, NULL); }

void serve(const char *domain, const char *service, const text *data) {
  text path = {0};
  put_word(&path, "services/");
  put_word(&path, domain);
  put_word(&path, "/");
  put_word(&path, service);
  request(written(&path), data);
}

// read_entity is false for what has no id or state.
static bool read_entity(json value, entity *e) {
  e->id = member_string(value, "entity_id");
  e->state = member_string(value, "state");
  if (!e->id || !e->state || !strchr(e->id, '.')) return false;
  if (!json_member(value, "attributes", &e->attributes)) e->attributes = value;
  e->since = member_string(value, "last_changed");
  e->name = member_string(e->attributes, "friendly_name");
  if (e->name && e->name[strspn(e->name, " ")]) return true;
  const char *object = strchr(e->id, '.') + 1;
  e->name = word(object, strlen(object));
  for (char *at = e->name; *at; at++) {
    if (*at == '_') *at = ' ';
  }
  return true;
}

entities all_entities(void) {
  json states = get("states"), value;
  json_elements elements;
  entities all = {0};
  int size = 0;
  if (*states.at != '[') fail("Home Assistant sent an answer that cannot be read", "", "");
  for (bool more = json_first(states, &elements, &value); more; more = json_next(&elements, &value)) {
    if (all.count == size) {
      size = size * 2 + 256;
      all.at = realloc(all.at, sizeof(entity) * (size_t)size);
      if (!all.at) __builtin_trap();
    }
    all.count += read_entity(value, &all.at[all.count]);
  }
  return all;
}

static entities none(int size) { return (entities){room(sizeof(entity) * (size_t)size), 0}; }

entities of_domain(const entities *all, const char *domain) {
  entities some = none(all->count);
  for (int i = 0; i < all->count; i++) {
    if (in_domain(&all->at[i], domain)) some.at[some.count++] = all->at[i];
  }
  return some;
}

void put_ids(text *t, const entities *which) {
  put_word(t, "\"entity_id\":[");
  for (int i = 0; i < which->count; i++) {
    if (i) put_word(t, ",");
    put_quoted(t, which->at[i].id, strlen(which->at[i].id));
  }
  put_word(t, "]");
}

void put_names(text *t, const char *member, const entities *which) {
  enum { NAMES_MAX = 50 };
  put_word(t, t->length && t->at[t->length - 1] != '{' ? ",\"" : "\"");
  put_word(t, member);
  put_word(t, "\":[");
  for (int i = 0; i < which->count && i < NAMES_MAX; i++) {
    put_word(t, i ? ",{" : "{");
    put_member(t, "name", which->at[i].name);
    put_word(t, "}");
  }
  put_word(t, "]");
}

static _Noreturn void fail_with(const text *sentence, const char *member, const entities *names) {
  text t = {0};
  put_word(&t, "{\"error\":");
  put_quoted(&t, sentence->at, sentence->length);
  put_names(&t, member, names);
  put_word(&t, "}");
  print(&t);
}

_Noreturn void fail_several(const entities *pool, const char *said, const char *what) {
  text sentence = {0};
  put_word(&sentence, "Several fit the ");
  put_word(&sentence, what);
  if (*said) {
    put_word(&sentence, " '");
    put_word(&sentence, said);
    put_word(&sentence, "'");
  }
  put_word(&sentence, ". Say which one is meant");
  fail_with(&sentence, "candidates", pool);
}

// fail_unknown ends the call with the names that are most like what was said.
static _Noreturn void fail_unknown(const entities *pool, const phrase *said, const char *text_, const kind *kinds, const char *what) {
  enum { NEAREST_MAX = 3 };
  entities nearest = none(pool->count);
  size_t *far = room(sizeof(size_t) * (size_t)(pool->count + 1));
  for (int i = 0; i < pool->count; i++) {
    phrase name = read_phrase(pool->at[i].name, kinds);
    size_t away = distance(said->joined, name.joined);
    int at = nearest.count++;
    for (; at > 0 && far[at - 1] > away; at--) {
      far[at] = far[at - 1];
      nearest.at[at] = nearest.at[at - 1];
    }
    far[at] = away;
    nearest.at[at] = pool->at[i];
  }
  if (nearest.count > NEAREST_MAX) nearest.count = NEAREST_MAX;
  text sentence = {0};
  put_word(&sentence, pool->count ? "There is no " : "There is not one ");
  put_word(&sentence, what);
  put_word(&sentence, pool->count ? " called '" : " in Home Assistant, so none called '");
  put_word(&sentence, text_);
  put_word(&sentence, "'");
  fail_with(&sentence, "nearest", &nearest);
}

entities choose(const entities *pool, const char *text_, const kind *kinds, const char *what, bool several) {
  phrase said = read_phrase(text_, kinds);
  fit *how = room(sizeof(fit) * (size_t)(pool->count + 1)), best = NO_FIT;
  for (int i = 0; i < pool->count; i++) {
    phrase name = read_phrase(pool->at[i].name, kinds);
    how[i] = fits(&said, &name);
    if (how[i] > best) best = how[i];
  }
  if (best == NO_FIT) fail_unknown(pool, &said, text_, kinds, what);
  several = several && (said.plural || (said.kind_count == 0 && said.count > 0));
  fit least = several && best < EQUAL ? FITS_IN_PART : best;
  entities found = none(pool->count);
  for (int i = 0; i < pool->count; i++) {
    if (how[i] >= least) found.at[found.count++] = pool->at[i];
  }
  if (found.count > 1 && !several) fail_several(&found, text_, what);
  return found;
}
