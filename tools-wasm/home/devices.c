#include "devices.h"

#include <stdlib.h>
#include <string.h>

#include "house.h"

static const kind light_kinds[] = {{"light", false}, {"lights", true}, {"lamp", false}, {"lamps", true}, {"bulb", false}, {"bulbs", true},
                                   {"lighting", true}, {"licht", false}, {"lichter", true}, {"lampe", false}, {"lampen", true},
                                   {"leuchte", false}, {"leuchten", true}, {"beleuchtung", true}, {NULL, false}};
static const kind player_kinds[] = {{"music", false}, {"musik", false}, {"song", false}, {"lied", false}, {"player", false}, {"audio", false},
                                    {"sound", false}, {"volume", false}, {"lautstaerke", false}, {"players", true}, {NULL, false}};
static const kind scene_kinds[] = {{"scene", false}, {"szene", false}, {"mode", false}, {"modus", false}, {"stimmung", false},
                                   {"mood", false}, {NULL, false}};

static const char *said(json arguments, const char *name) {
  const char *value = member_string(arguments, name);
  return value ? value + strspn(value, " \t\r\n") : "";
}

// percent reads a number between least and 100; false when it is not there.
static bool percent(json arguments, const char *name, int least, int *value) {
  double number;
  json there;
  if (!json_member(arguments, name, &there)) return false;
  if (!json_number(there, &number) || number < least || number > 100) fail(name, " must be a number of percent, at most 100", "");
  *value = (int)(number < 0 ? number - 0.5 : number + 0.5);
  return true;
}

// Lights. What is called a lamp but is a switch counts, too.

static bool called_lamp(const entity *e) { return read_phrase(e->name, light_kinds).kind_count > 0; }

static bool has_name(const entities *some, const char *name) {
  for (int i = 0; i < some->count; i++) {
    if (strcmp(some->at[i].name, name) == 0) return true;
  }
  return false;
}

static entities lamps_of(const entities *all) {
  entities lamps = of_domain(all, "light");
  for (int i = 0; i < all->count; i++) {
    entity *e = &all->at[i];
    if (in_domain(e, "switch") && called_lamp(e) && !has_name(&lamps, e->name)) lamps.at[lamps.count++] = *e;
  }
  return lamps;
}

// split moves what answers into here and gives the rest.
static entities split(const entities *chosen, entities *here) {
  entities gone = {room(sizeof(entity) * (size_t)chosen->count), 0};
  *here = (entities){room(sizeof(entity) * (size_t)chosen->count), 0};
  for (int i = 0; i < chosen->count; i++) {
    entities *to = available(&chosen->at[i]) ? here : &gone;
    to->at[to->count++] = chosen->at[i];
  }
  return gone;
}

static void put_number(text *t, const char *name, int number) {
  put_word(t, ",\"");
  put_word(t, name);
  put_word(t, "\":");
  put_int(t, number);
}

typedef struct {
  const char *service;
  bool dimmed, stepped;
  int brightness, step;
  const char *color;
} wish;

static wish read_wish(json arguments) {
  const char *action = said(arguments, "action");
  wish w = {.service = NULL, .color = said(arguments, "color")};
  w.dimmed = percent(arguments, "brightness_percent", 0, &w.brightness);
  w.stepped = percent(arguments, "brightness_change_percent", -100, &w.step);
  if (strcmp(action, "off") == 0 || (w.dimmed && w.brightness == 0)) {
    w.service = "turn_off";
  } else if (strcmp(action, "on") == 0 || w.dimmed || w.stepped || *w.color) {
    w.service = "turn_on";
  } else if (strcmp(action, "toggle") == 0) {
    w.service = "toggle";
  } else {
    fail("Missing required argument: action", "", "");
  }
  return w;
}

static void put_wish(text *data, const wish *w) {
  if (strcmp(w->service, "turn_on") != 0) return;
  if (w->dimmed) put_number(data, "brightness_pct", w->brightness);
  if (w->stepped && !w->dimmed) put_number(data, "brightness_step_pct", w->step);
  if (strcmp(w->color, "warm white") == 0) {
    put_number(data, "color_temp_kelvin", 2700);
  } else if (strcmp(w->color, "cool white") == 0) {
    put_number(data, "color_temp_kelvin", 6500);
  } else if (*w->color) {
    put_member(data, "color_name", w->color);
  }
}

static void switch_domain(const entities *here, const char *domain, const wish *w) {
  entities some = of_domain(here, domain);
  if (some.count == 0) return;
  text data = {0};
  put_word(&data, "{");
  put_ids(&data, &some);
  if (strcmp(domain, "light") == 0) put_wish(&data, w);
  put_word(&data, "}");
  serve(domain, w->service, &data);
}

_Noreturn void lights(json arguments) {
  const char *name = said(arguments, "name");
  wish w = read_wish(arguments);
  entities all = all_entities(), lamps = lamps_of(&all), here;
  entities chosen = choose(&lamps, *name ? name : "light", light_kinds, "light", true);
  entities gone = split(&chosen, &here);
  if (here.count == 0) fail("The light ", chosen.at[0].name, " does not answer: it may have no power");
  switch_domain(&here, "light", &w);
  switch_domain(&here, "switch", &w);
  text t = {0};
  put_word(&t, "{");
  put_names(&t, "lights", &here);
  put_names(&t, "no_answer", &gone);
  put_member(&t, "done", strcmp(w.service, "toggle") == 0 ? "toggled" : strcmp(w.service, "turn_on") == 0 ? "on" : "off");
  if (w.dimmed) put_number(&t, "brightness_percent", w.brightness);
  if (*w.color) put_member(&t, "color", w.color);
  put_word(&t, "}");
  print(&t);
}

// Music and television.

typedef struct {
  const char *action, *service, *states; // the states that a player is in for whom the action is meant, when none is named
  bool several;
} action;

static const action actions[] = {
    {"play", "media_play", "paused playing idle on standby", false},
    {"pause", "media_pause", "playing", true},
    {"stop", "media_stop", "playing paused", true},
    {"next", "media_next_track", "playing paused", false},
    {"previous", "media_previous_track", "playing paused", false},
    {"volume_up", "volume_up", "playing paused on idle", false},
    {"volume_down", "volume_down", "playing paused on idle", false},
    {"set_volume", "volume_set", "playing paused on idle", false},
    {"mute", "volume_mute", "playing paused on idle", true},
    {"unmute", "volume_mute", "playing paused on idle", true},
    {"on", "turn_on", "off standby idle on", false},
    {"off", "turn_off", "on playing paused idle", false},
};

static entities in_state(const entities *players, const char *state, size_t length) {
  entities some = {room(sizeof(entity) * (size_t)players->count), 0};
  for (int i = 0; i < players->count; i++) {
    if (strlen(players->at[i].state) == length && strncmp(players->at[i].state, state, length) == 0) some.at[some.count++] = players->at[i];
  }
  return some;
}

// meant gives the players that nobody named: those in the first state of the action that any is in.
static entities meant(const entities *players, const action *a) {
  for (const char *state = a->states; *state; state += strcspn(state, " "), state += strspn(state, " ")) {
    entities some = in_state(players, state, strcspn(state, " "));
    if (some.count) return some;
  }
  fail("Nothing is playing", "", "");
}

// with_class adds what a player is to its name: the television that is called "Samsung" is the TV, too.
static entities with_class(const entities *players, const char *name) {
  phrase wanted = read_phrase(name, player_kinds);
  entities some = {room(sizeof(entity) * (size_t)players->count), 0};
  if (wanted.count != 1) return some;
  const char *class = strcmp(wanted.words[0], "tv") == 0 ? "tv" : strcmp(wanted.words[0], "speaker") == 0 ? "speaker" : NULL;
  for (int i = 0; class && i < players->count; i++) {
    if (strcmp(attribute(&players->at[i], "device_class"), class) == 0) some.at[some.count++] = players->at[i];
  }
  return some;
}

static entities players_for(const entities *players, const char *name, const action *a) {
  phrase wanted = read_phrase(name, player_kinds);
  entities found;
  if (wanted.count == 0 && !wanted.plural) {
    found = meant(players, a);
  } else {
    entities of_class = with_class(players, name);
    found = of_class.count ? of_class : choose(players, name, player_kinds, "player", true);
  }
  if (found.count > 1 && !a->several && !wanted.plural) {
    entities playing = in_state(&found, "playing", strlen("playing"));
    if (playing.count == 1) return playing;
    fail_several(&found, name, "player");
  }
  return found;
}

_Noreturn void media(json arguments) {
  const char *wanted = said(arguments, "action"), *name = said(arguments, "name");
  const action *a = NULL;
  int volume = -1;
  percent(arguments, "volume_percent", 0, &volume);
  if (!*wanted && volume >= 0) wanted = "set_volume";
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    if (strcmp(actions[i].action, wanted) == 0) a = &actions[i];
  }
  if (!a) fail("Missing required argument: action", "", "");
  bool sets = strcmp(a->action, "set_volume") == 0;
  if (sets && volume < 0) fail("Missing required argument: volume_percent", "", "");
  entities all = all_entities(), players = of_domain(&all, "media_player"), here;
  if (players.count == 0) fail("There is no player in Home Assistant", "", "");
  entities chosen = players_for(&players, name, a);
  split(&chosen, &here);
  if (here.count == 0) fail("The player ", chosen.at[0].name, " does not answer: it may have no power");
  text data = {0}, t = {0};
  put_word(&data, "{");
  put_ids(&data, &here);
  if (sets) {
    put_word(&data, ",\"volume_level\":");
    put_word(&data, volume == 100 ? "1.0" : volume < 10 ? "0.0" : "0.");
    if (volume < 100) put_int(&data, volume);
  }
  if (strcmp(a->service, "volume_mute") == 0) put_word(&data, *a->action == 'm' ? ",\"is_volume_muted\":true" : ",\"is_volume_muted\":false");
  put_word(&data, "}");
  serve("media_player", a->service, &data);
  put_word(&t, "{");
  put_names(&t, "players", &here);
  put_member(&t, "done", a->action);
  if (sets) put_number(&t, "volume_percent", volume);
  put_word(&t, "}");
  print(&t);
}

_Noreturn void scenes(json arguments) {
  const char *name = said(arguments, "name");
  if (!*name) fail("Missing required argument: name", "", "");
  entities all = all_entities(), known = of_domain(&all, "scene");
  entities chosen = choose(&known, name, scene_kinds, "scene", false);
  text data = {0}, t = {0};
  put_word(&data, "{");
  put_ids(&data, &chosen);
  put_word(&data, "}");
  serve("scene", "turn_on", &data);
  put_word(&t, "{");
  put_member(&t, "scene", chosen.at[0].name);
  put_word(&t, "}");
  print(&t);
}
