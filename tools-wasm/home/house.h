// The house as Home Assistant's REST API shows it.
#ifndef HOUSE_H
#define HOUSE_H

#include "host.h"
#include "names.h"

// entity is a thing of the house with its state.
typedef struct {
  char *id; // such as light.kitchen
  char *name, *state;
  json attributes;
  char *since; // of its state, as the server writes it; NULL when it does not
} entity;

typedef struct {
  entity *at;
  int count;
} entities;

bool in_domain(const entity *e, const char *domain);
bool available(const entity *e);

// attribute is a text among an entity's attributes; "" when it is absent.
const char *attribute(const entity *e, const char *name);

// get is the JSON value at a path below the API's address.
json get(const char *path);

// all_entities asks the server for everything; it ends the call when the server does not answer well.
entities all_entities(void);

// of_domain are the entities of a domain.
entities of_domain(const entities *all, const char *domain);

// serve calls a service with a JSON object.
void serve(const char *domain, const char *service, const text *data);

// put_ids writes the member entity_id.
void put_ids(text *t, const entities *which);

// choose finds what was said among a pool. One thing is found, or several where a plural or a place was said and several is true.
// Otherwise the call ends with an error that lists whom else the words may mean. what names one of the pool, as in "light".
entities choose(const entities *pool, const char *said, const kind *kinds, const char *what, bool several);

// fail_several ends the call: all of the pool may be meant.
_Noreturn void fail_several(const entities *pool, const char *said, const char *what);

// put_names writes a list of objects with a name each.
void put_names(text *t, const char *member, const entities *which);

#endif
