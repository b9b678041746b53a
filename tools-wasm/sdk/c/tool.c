#include "tool.h"

#include <stdlib.h>
#include <string.h>

static char *result;
static size_t used, room;
static char *answered;

static void add(const char *text, size_t length) {
  if (length > room - used) {
    room = (used + length) * 2;
    if (!(result = realloc(result, room))) __builtin_trap();
  }
  memcpy(result + used, text, length);
  used += length;
}

void put(const char *text) { add(text, strlen(text)); }

void put_string(const char *text, size_t length) {
  static const char digits[] = "0123456789abcdef";
  add("\"", 1);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20) {
      char escaped[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
      add(escaped, sizeof escaped);
      continue;
    }
    if (c == '"' || c == '\\') add("\\", 1);
    add(text + i, 1);
  }
  add("\"", 1);
}

void fail(const char *reason) {
  used = 0;
  put("{\"error\":");
  put_string(reason, strlen(reason));
  put("}");
}

bool text_member(json object, const char *name, char *out, size_t size, size_t *length) {
  json value;
  return json_member(object, name, &value) && (size_t)(value.end - value.at) < size && json_string(value, out, length);
}

bool host(host_function *function, const char *input, json *answer) {
  json error;
  int32_t length = function(input, strlen(input));
  free(answered);
  answered = NULL;
  if (length <= 0 || !(answered = malloc((size_t)length))) return false;
  host_read(answered);
  return json_valid(answered, (size_t)length, answer) && !json_member(*answer, "error", &error);
}

__attribute__((export_name("alloc"))) void *tool_alloc(size_t length) { return malloc(length); }

__attribute__((export_name("execute"))) uint64_t tool_execute(const char *envelope, size_t length) {
  json call, arguments;
  used = 0;
  if (json_valid(envelope, length, &call) && json_member(call, "arguments", &arguments)) {
    run(arguments);
  } else {
    fail("the call cannot be read");
  }
  return (uint64_t)(uintptr_t)result << 32 | used;
}
