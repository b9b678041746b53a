// get_weather, a stdio tool: the arguments on stdin, the weather on stdout. It asks Open-Meteo twice, where the place is
// and what the weather is there. Everything it prints is a result; errors are results, too.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "text.h"

#define HOST(name) __attribute__((import_module("chatterbox"), import_name(name)))
HOST("http_request") int32_t host_http_request(const void *input, int32_t length);
HOST("read") int32_t host_read(void *into);

static const char unreadable[] = "Weather service sent an answer that cannot be read";

static void print(const text *t) {
  for (size_t at = 0; at < t->length;) {
    ssize_t n = write(1, t->at + at, t->length - at);
    if (n <= 0) _Exit(1);
    at += (size_t)n;
  }
}

// fail prints {"error": …} from a sentence and up to two more parts, and ends the call.
static _Noreturn void fail(const char *sentence, const char *subject, const char *end) {
  text message = {0}, out = {0};
  put_word(&message, sentence);
  put_word(&message, subject);
  put_word(&message, end);
  put_word(&out, "{\"error\":");
  put_quoted(&out, message.at, message.length);
  put_word(&out, "}");
  print(&out);
  _Exit(0);
}

static char *string_of(json value, size_t *length) {
  char *out = malloc((size_t)(value.end - value.at) + 1);
  if (!out) __builtin_trap();
  if (json_string(value, out, length)) return out;
  free(out);
  return NULL;
}

static char *member_string(json object, const char *name, size_t *length) {
  json value;
  return json_member(object, name, &value) ? string_of(value, length) : NULL;
}

// get fetches a URL and answers the JSON value of its body.
static json get(const text *url) {
  text request = {0};
  put_word(&request, "{\"url\":");
  put_quoted(&request, url->at, url->length);
  put_word(&request, ",\"headers\":{\"Accept\":\"application/json\"},\"timeout_ms\":10000}");
  int32_t length = host_http_request(request.at, (int32_t)request.length);
  char *answered = length > 0 ? malloc((size_t)length) : NULL;
  json answer, value;
  if (!answered || host_read(answered) != length || !json_valid(answered, (size_t)length, &answer)) fail(unreadable, "", "");
  size_t n;
  if (json_member(answer, "error", &value)) {
    char *kind = member_string(answer, "kind", &n), *error = string_of(value, &n);
    if (kind && strcmp(kind, "timeout") == 0) fail("Weather service timed out", "", "");
    fail("Weather service could not be reached", error ? ": " : "", error ? error : "");
  }
  double status = 0;
  if (!json_member(answer, "status", &value) || !json_number(value, &status)) fail(unreadable, "", "");
  if (status != 200) {
    text number = {0};
    put_int(&number, (long long)status);
    put(&number, "", 1);
    fail("Weather service error: ", number.at, "");
  }
  char *body = member_string(answer, "body", &n);
  if (!body || !json_valid(body, n, &value)) fail(unreadable, "", "");
  return value;
}

static void begin_url(text *url, const char *variable, const char *otherwise) {
  const char *endpoint = getenv(variable);
  if (!endpoint || !*endpoint) endpoint = otherwise;
  put_word(url, endpoint);
  put_word(url, strchr(endpoint, '?') ? "&" : "?");
}

static json_elements nothing;

// search asks for places by name; false when there is none. The elements go on with the second.
static bool search(const char *name, size_t length, const char *count, json_elements *places, json *place) {
  text url = {0};
  begin_url(&url, "WEATHER_GEOCODING_URL", "https://geocoding-api.open-meteo.com/v1/search");
  put_word(&url, "name=");
  put_escaped(&url, name, length);
  put_word(&url, "&count=");
  put_word(&url, count);
  put_word(&url, "&language=en&format=json");
  json answer = get(&url), results;
  *places = nothing;
  if (!json_member(answer, "results", &results)) return false; // no match is an answer without results
  return json_first(results, places, place);
}

static bool same_letters(const char *a, const char *b) {
  for (; *a && *b; a++, b++) {
    char x = *a >= 'A' && *a <= 'Z' ? *a | 0x20 : *a, y = *b >= 'A' && *b <= 'Z' ? *b | 0x20 : *b;
    if (x != y) return false;
  }
  return *a == *b;
}

static bool lies_in(json place, const char *region) {
  static const char *const names[] = {"admin1", "admin2", "country", "country_code"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t n;
    char *name = member_string(place, names[i], &n);
    if (name && same_letters(name, region)) return true;
  }
  return false;
}

// locate finds the place. The service knows no "Paris, Texas", so where it finds nothing the name is searched alone, and the
// first of ten that lies in the region is taken.
static json locate(const char *location, size_t length) {
  json place;
  json_elements places;
  if (search(location, length, "1", &places, &place)) return place;
  const char *comma = strrchr(location, ',');
  if (comma && comma > location) {
    const char *region = comma + 1 + strspn(comma + 1, " ");
    bool found = *region && search(location, strcspn(location, ","), "10", &places, &place);
    for (; found; found = json_next(&places, &place)) {
      if (lies_in(place, region)) return place;
    }
  }
  fail("Location not found: '", location, "'");
}

static const char *conditions(int code) {
  static const struct {
    int code;
    const char *name;
  } table[] = {
      {0, "Clear sky"},
      {1, "Mainly clear"},
      {2, "Partly cloudy"},
      {3, "Overcast"},
      {45, "Fog"},
      {48, "Depositing rime fog"},
      {51, "Light drizzle"},
      {53, "Moderate drizzle"},
      {55, "Dense drizzle"},
      {56, "Light freezing drizzle"},
      {57, "Dense freezing drizzle"},
      {61, "Slight rain"},
      {63, "Moderate rain"},
      {65, "Heavy rain"},
      {66, "Light freezing rain"},
      {67, "Heavy freezing rain"},
      {71, "Slight snow"},
      {73, "Moderate snow"},
      {75, "Heavy snow"},
      {77, "Snow grains"},
      {80, "Slight rain showers"},
      {81, "Moderate rain showers"},
      {82, "Violent rain showers"},
      {85, "Slight snow showers"},
      {86, "Heavy snow showers"},
      {95, "Thunderstorm"},
      {96, "Thunderstorm with slight hail"},
      {99, "Thunderstorm with heavy hail"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (table[i].code == code) return table[i].name;
  }
  return NULL;
}

// number takes a member that must be a number a thermometer or a compass could show.
static double number(json object, const char *name, json *value) {
  double n;
  if (!json_member(object, name, value) || !json_number(*value, &n) || n > 1e6 || n < -1e6) fail(unreadable, "", "");
  return n;
}

static void put_location_name(text *out, json place) {
  static const char *const names[] = {"name", "admin1", "country"};
  text joined = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t n;
    char *name = member_string(place, names[i], &n);
    if (!name || n == 0) continue;
    if (joined.length) put_word(&joined, ", ");
    put(&joined, name, n);
  }
  put_quoted(out, joined.at ? joined.at : "", joined.length);
}

static void report(json place, json current) {
  json celsius, other;
  double c = number(current, "temperature_2m", &celsius);
  double humidity = number(current, "relative_humidity_2m", &other);
  int code = (int)number(current, "weather_code", &other);
  json wind;
  double kmh = number(current, "wind_speed_10m", &wind);
  text out = {0};
  put_word(&out, "{\"location_name\":");
  put_location_name(&out, place);
  put_word(&out, ",\"temperature_c\":");
  put(&out, celsius.at, (size_t)(celsius.end - celsius.at));
  put_word(&out, ",\"temperature_f\":");
  put_tenths(&out, c * 9 / 5 + 32);
  put_word(&out, ",\"conditions\":");
  const char *name = conditions(code);
  if (name) {
    put_quoted(&out, name, strlen(name));
  } else {
    put_word(&out, "\"Unknown conditions (code ");
    put_int(&out, code);
    put_word(&out, ")\"");
  }
  put_word(&out, ",\"humidity_percent\":");
  put_int(&out, (long long)(humidity + (humidity < 0 ? -0.5 : 0.5)));
  put_word(&out, ",\"wind_speed_kmh\":");
  put(&out, wind.at, (size_t)(wind.end - wind.at));
  put_word(&out, ",\"wind_speed_mph\":");
  put_tenths(&out, kmh * 0.621371);
  put_word(&out, "}");
  print(&out);
}

static json arguments(void) {
  text input = {0};
  char buffer[4096];
  for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0;) put(&input, buffer, (size_t)n);
  json value;
  if (!json_valid(input.at ? input.at : "", input.length, &value)) fail("The arguments are not JSON", "", "");
  return value;
}

int main(void) {
  size_t length = 0;
  char *location = member_string(arguments(), "location", &length);
  if (!location || strspn(location, " \t\r\n") == length) fail("Missing required argument: location", "", "");
  json place = locate(location, length), latitude, longitude, current;
  number(place, "latitude", &latitude);
  number(place, "longitude", &longitude);
  text url = {0};
  begin_url(&url, "WEATHER_FORECAST_URL", "https://api.open-meteo.com/v1/forecast");
  put_word(&url, "latitude=");
  put(&url, latitude.at, (size_t)(latitude.end - latitude.at));
  put_word(&url, "&longitude=");
  put(&url, longitude.at, (size_t)(longitude.end - longitude.at));
  put_word(&url, "&current=temperature_2m,relative_humidity_2m,weather_code,wind_speed_10m&timezone=auto");
  if (!json_member(get(&url), "current", &current)) fail(unreadable, "", "");
  report(place, current);
  return 0;
}
