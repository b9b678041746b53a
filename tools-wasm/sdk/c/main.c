// my_tool greets a person by name and says what day it is.
#include "tool.h"

#include <stdio.h>

void run(json arguments) {
  char name[1024], day[64];
  size_t name_length, day_length;
  json now;
  if (!text_member(arguments, "name", name, sizeof name, &name_length)) {
    fail("name is missing");
    return;
  }
  if (!host(host_now, "{}", &now) || !text_member(now, "day_of_week", day, sizeof day, &day_length)) {
    fail("the host's clock did not answer");
    return;
  }
  char greeting[sizeof name + sizeof day + 32];
  int length = snprintf(greeting, sizeof greeting, "Hello, %s. It is %s.", name, day);
  put("{\"greeting\":");
  put_string(greeting, (size_t)length);
  put("}");
}
