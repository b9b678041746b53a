#include "host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOST(name) __attribute__((import_module("chatterbox"), import_name(name)))
HOST("http_request") int32_t chatterbox_http_request(const void *input, int32_t length);
HOST("now") int32_t chatterbox_now(const void *input, int32_t length);
HOST("read") int32_t chatterbox_read(void *into);

void *room(size_t n) {
  void *memory = malloc(n ? n : 1);
  if (!memory) __builtin_trap();
  return memory;
}

char *word(const char *bytes, size_t length) {
  char *copy = room(length + 1);
  memcpy(copy, bytes, length);
  copy[length] = 0;
  return copy;
}

char *written(text *t) {
  put(t, "", 1);
  t->length--;
  return t->at;
}

void print(const text *result) {
  for (size_t at = 0; at < result->length;) {
    ssize_t n = write(1, result->at + at, result->length - at);
    if (n <= 0) _Exit(1);
    at += (size_t)n;
  }
  _Exit(0);
}

void fail(const char *sentence, const char *subject, const char *end) {
  text message = {0}, out = {0};
  put_word(&message, sentence);
  put_word(&message, subject);
  put_word(&message, end);
  put_word(&out, "{\"error\":");
  put_quoted(&out, message.at, message.length);
  put_word(&out, "}");
  print(&out);
}

json read_arguments(void) {
  text input = {0};
  char buffer[4096];
  for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0;) put(&input, buffer, (size_t)n);
  json arguments;
  if (!json_valid(input.at ? input.at : "", input.length, &arguments)) fail("The arguments are not JSON", "", "");
  return arguments;
}

void run_tool(const tool *tools, size_t many, int count, char **words) {
  json arguments = read_arguments();
  for (size_t i = 0; count > 1 && i < many; i++) {
    if (strcmp(words[1], tools[i].name) == 0) tools[i].run(arguments);
  }
  fail("This module has no tool ", count > 1 ? words[1] : "without a name", "");
}

void print_list(text *t, int more) {
  put_word(t, "]");
  if (more) {
    put_word(t, ",\"more\":");
    put_int(t, more);
  }
  put_word(t, "}");
  print(t);
}

void put_member(text *t, const char *name, const char *value) {
  put_word(t, t->length && t->at[t->length - 1] != '{' ? ",\"" : "\"");
  put_word(t, name);
  put_word(t, "\":");
  put_quoted(t, value, strlen(value));
}

char *member_string(json object, const char *name) {
  json value;
  if (!json_member(object, name, &value)) return NULL;
  char *out = room((size_t)(value.end - value.at) + 1);
  size_t length;
  return json_string(value, out, &length) ? out : NULL;
}

bool member_number(json object, const char *name, double *number) {
  json value;
  return json_member(object, name, &value) && json_number(value, number);
}

static json answer(int32_t length) {
  char *answered = room(length > 0 ? (size_t)length : 0);
  json value;
  if (length <= 0 || chatterbox_read(answered) != length || !json_valid(answered, (size_t)length, &value)) __builtin_trap();
  return value;
}

json host_now(const text *input) { return answer(chatterbox_now(input->at, (int32_t)input->length)); }

json host_request(const text *input) { return answer(chatterbox_http_request(input->at, (int32_t)input->length)); }
