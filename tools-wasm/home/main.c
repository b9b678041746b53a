// home, a stdio module of eight tools: the tool's name is the second argument, its arguments stand on stdin. Whatever is printed is
// a result; errors are results, too.

#include "devices.h"
#include "host.h"
#include "watch.h"

int main(int count, char **words) {
  static const tool tools[] = {
      {"lights", lights},
      {"media", media},
      {"scenes", scenes},
      {"show_camera_feed", show_camera_feed},
      {"get_current_detections", get_current_detections},
      {"zones", zones},
      {"where_am_i", where_am_i},
      {"get_location", get_location},
  };
  run_tool(tools, sizeof tools / sizeof *tools, count, words);
}
