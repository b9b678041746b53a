// home, a stdio module of eight tools: the tool's name is the second argument, its arguments stand on stdin. Whatever is printed is
// a result; errors are results, too.

#include <string.h>
#include <unistd.h>

#include "devices.h"
#include "host.h"
#include "watch.h"

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*run)(json arguments);
  } tools[] = {
      {"lights", lights},
      {"media", media},
      {"scenes", scenes},
      {"show_camera_feed", show_camera_feed},
      {"get_current_detections", get_current_detections},
      {"zones", zones},
      {"where_am_i", where_am_i},
      {"get_location", get_location},
  };
  text input = {0};
  char buffer[4096];
  for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0;) put(&input, buffer, (size_t)n);
  json arguments;
  if (!json_valid(input.at ? input.at : "", input.length, &arguments)) fail("The arguments are not JSON", "", "");
  for (size_t i = 0; count > 1 && i < sizeof tools / sizeof *tools; i++) {
    if (strcmp(words[1], tools[i].name) == 0) tools[i].run(arguments);
  }
  fail("This module has no tool ", count > 1 ? words[1] : "without a name", "");
}
