#include "watch.h"

#include <stdlib.h>
#include <string.h>

#include "house.h"

static const kind camera_kinds[] = {{"camera", false}, {"cameras", true}, {"cam", false}, {"feed", false}, {"stream", false}, {"video", false},
                                    {"picture", false}, {"kamera", false}, {"kameras", true}, {"bild", false}, {"kamerabild", false}, {NULL, false}};
static const kind screen_kinds[] = {{"screen", false}, {"display", false}, {"bildschirm", false}, {NULL, false}};

// sensor_kinds are the words around a place in a sensor's name: "Driveway Person occupancy" watches the driveway.
static const kind sensor_kinds[] = {{"motion", false}, {"occupancy", false}, {"presence", false}, {"sensor", false}, {"sensors", true},
                                    {"detector", false}, {"detection", false}, {"detections", true}, {"detected", false}, {"camera", false},
                                    {"person", false}, {"people", false}, {"car", false}, {"vehicle", false}, {"dog", false}, {"cat", false},
                                    {"animal", false}, {"package", false}, {"bewegung", false}, {"bewegungsmelder", false}, {"melder", false},
                                    {"praesenz", false}, {"kamera", false}, {"auto", false}, {"hund", false}, {"katze", false}, {NULL, false}};
static const kind person_kinds[] = {{"person", false}, {NULL, false}};

static const char *said(json arguments, const char *name) {
  const char *value = member_string(arguments, name);
  return value ? value + strspn(value, " \t\r\n") : "";
}

// screen_for is where a picture can be shown: the named one, or the only television that is on. NULL is nowhere.
static entity *screen_for(const entities *all, const char *name) {
  entities players = of_domain(all, "media_player");
  if (*name) {
    entities chosen = choose(&players, name, screen_kinds, "screen", false);
    return chosen.at;
  }
  entity *found = NULL;
  for (int i = 0; i < players.count; i++) {
    entity *e = &players.at[i];
    if (strcmp(attribute(e, "device_class"), "tv") != 0 || !available(e) || strcmp(e->state, "off") == 0) continue;
    if (found) return NULL;
    found = e;
  }
  return found;
}

_Noreturn void show_camera_feed(json arguments) {
  const char *name = said(arguments, "camera");
  entities all = all_entities(), cameras = of_domain(&all, "camera");
  entities chosen = choose(&cameras, *name ? name : "camera", camera_kinds, "camera", false);
  entity *camera = chosen.at, *screen = screen_for(&all, said(arguments, "screen"));
  if (!available(camera)) fail("The camera ", camera->name, " does not answer: it may have no power");
  text data = {0}, t = {0}, url = {0};
  if (screen) {
    put_word(&data, "{");
    put_member(&data, "entity_id", camera->id);
    put_member(&data, "media_player", screen->id);
    put_word(&data, "}");
    serve("camera", "play_stream", &data);
  }
  const char *base = getenv("HOME_ASSISTANT_URL");
  put_word(&url, base ? base : "");
  put_word(&url, "camera_proxy/");
  put_word(&url, camera->id);
  put_word(&t, "{");
  put_member(&t, "camera", camera->name);
  put_member(&t, "state", camera->state);
  put_member(&t, "url", written(&url));
  put_member(&t, "screen", screen ? screen->name : "");
  put_word(&t, "}");
  print(&t);
}

// Detections: sensors that notice somebody or something.

static bool detects(const entity *e) {
  static const char *const classes[] = {"motion", "occupancy", "presence", "moving", "sound"};
  const char *class = attribute(e, "device_class");
  for (size_t i = 0; in_domain(e, "binary_sensor") && i < sizeof classes / sizeof *classes; i++) {
    if (strcmp(class, classes[i]) == 0) return true;
  }
  return false;
}

// seen is what a sensor tells of, by its name, else by its class.
static const char *seen(const entity *e) {
  static const char *const words[][2] = {{"person", "person"}, {"people", "person"}, {"car", "car"}, {"vehicle", "car"}, {"auto", "car"},
                                         {"dog", "dog"}, {"hund", "dog"}, {"cat", "cat"}, {"katze", "cat"}, {"animal", "animal"},
                                         {"package", "package"}};
  phrase name = read_phrase(e->name, sensor_kinds);
  for (int i = 0; i < name.kind_count; i++) {
    for (size_t j = 0; j < sizeof words / sizeof *words; j++) {
      if (strcmp(name.kinds[i], words[j][0]) == 0) return words[j][1];
    }
  }
  const char *class = attribute(e, "device_class");
  return strcmp(class, "occupancy") == 0 || strcmp(class, "presence") == 0 ? "somebody" : strcmp(class, "sound") == 0 ? "sound" : "motion";
}

_Noreturn void get_current_detections(json arguments) {
  const char *place = said(arguments, "place");
  entities all = all_entities(), sensors = {room(sizeof(entity) * (size_t)(all.count + 1)), 0}, quiet = {room(sizeof(entity) * (size_t)(all.count + 1)), 0};
  for (int i = 0; i < all.count; i++) {
    if (detects(&all.at[i])) sensors.at[sensors.count++] = all.at[i];
  }
  if (sensors.count == 0) fail("There is no sensor for motion or presence in Home Assistant", "", "");
  if (*place && read_phrase(place, sensor_kinds).count) sensors = choose(&sensors, place, sensor_kinds, "watched place", true);
  text t = {0};
  bool any = false;
  put_word(&t, "{\"detections\":[");
  for (int i = 0; i < sensors.count; i++) {
    entity *e = &sensors.at[i];
    if (!available(e)) quiet.at[quiet.count++] = *e;
    if (strcmp(e->state, "on") != 0) continue;
    put_word(&t, any ? ",{" : "{");
    any = true;
    put_member(&t, "name", e->name);
    put_member(&t, "what", seen(e));
    if (e->since) put_member(&t, "since", e->since);
    put_word(&t, "}");
  }
  put_word(&t, "]");
  put_names(&t, "no_answer", &quiet);
  put_word(&t, "}");
  print(&t);
}

// place_of is where a person is: home, away or the name of a zone.
static const char *place_of(const entity *person) {
  if (strcmp(person->state, "not_home") == 0) return "away";
  if (strcmp(person->state, "unknown") == 0 || !available(person)) return "unknown";
  return person->state;
}

static bool is_in(const entity *person, const entity *zone) {
  const char *place = place_of(person);
  return strcmp(zone->id, "zone.home") == 0 ? strcmp(place, "home") == 0 : strcmp(place, zone->name) == 0;
}

_Noreturn void zones(json arguments) {
  (void)arguments;
  entities all = all_entities(), known = of_domain(&all, "zone"), people = of_domain(&all, "person");
  text t = {0};
  put_word(&t, "{\"zones\":[");
  for (int i = 0; i < known.count; i++) {
    entities inside = {room(sizeof(entity) * (size_t)(people.count + 1)), 0};
    text names = {0};
    for (int j = 0; j < people.count; j++) {
      if (!is_in(&people.at[j], &known.at[i])) continue;
      if (names.length) put_word(&names, ", ");
      put_word(&names, people.at[j].name);
      inside.at[inside.count++] = people.at[j];
    }
    put_word(&t, i ? ",{" : "{");
    put_member(&t, "name", known.at[i].name);
    put_member(&t, "people", written(&names));
    put_word(&t, "}");
  }
  put_word(&t, "]}");
  print(&t);
}

static const char *configured_location(void) {
  const char *location = getenv("HOME_LOCATION");
  return location ? location : "";
}

static bool has_house(void) {
  const char *url = getenv("HOME_ASSISTANT_URL");
  return url && *url;
}

_Noreturn void where_am_i(json arguments) {
  const char *name = said(arguments, "person");
  text t = {0};
  put_word(&t, "{");
  if (!has_house()) {
    if (*name) fail("Who is where is known only with Home Assistant: set tools.home.url and tools.home.token", "", "");
    if (!*configured_location()) fail("It is not configured where the home is: set tools.home.location", "", "");
    put_member(&t, "person", "");
    put_member(&t, "place", "home");
    put_word(&t, ",\"people\":[]");
  } else {
    entities all = all_entities(), people = of_domain(&all, "person");
    if (people.count == 0) fail("There is no person in Home Assistant", "", "");
    if (*name) people = choose(&people, name, person_kinds, "person", false);
    put_member(&t, "person", people.count == 1 ? people.at[0].name : "");
    put_member(&t, "place", people.count == 1 ? place_of(people.at) : "");
    put_word(&t, ",\"people\":[");
    for (int i = 0; i < people.count; i++) {
      put_word(&t, i ? ",{" : "{");
      put_member(&t, "name", people.at[i].name);
      put_member(&t, "place", place_of(&people.at[i]));
      put_word(&t, "}");
    }
    put_word(&t, "]");
  }
  put_member(&t, "location", configured_location());
  put_word(&t, "}");
  print(&t);
}

// put_copied writes a member as it stands in another object.
static void put_copied(text *t, const char *name, json object) {
  json value;
  if (!json_member(object, name, &value) || (*value.at != '"' && *value.at != '-' && (*value.at < '0' || *value.at > '9'))) return;
  put_word(t, ",\"");
  put_word(t, name);
  put_word(t, "\":");
  put(t, value.at, (size_t)(value.end - value.at));
}

_Noreturn void get_location(json arguments) {
  (void)arguments;
  const char *location = configured_location();
  text t = {0};
  put_word(&t, "{");
  if (*location) {
    put_member(&t, "location", location);
  } else {
    json config = get("config");
    const char *name = member_string(config, "location_name");
    put_member(&t, "location", name ? name : "Home");
    put_copied(&t, "latitude", config);
    put_copied(&t, "longitude", config);
    put_copied(&t, "country", config);
    put_copied(&t, "time_zone", config);
  }
  put_word(&t, "}");
  print(&t);
}
