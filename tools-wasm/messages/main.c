// messages, a stdio module of two tools: the tool's name is the second argument, its arguments stand on stdin. The host sends; this
// finds out to whom. RECIPIENTS has those that are granted, one in a line, and TOPICS those over MQTT.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host.h"

#define HOST(name) __attribute__((import_module("chatterbox"), import_name(name)))
HOST("deliver") int32_t chatterbox_deliver(const void *input, int32_t length);
HOST("read") int32_t chatterbox_read(void *into);

enum { RECIPIENTS_MAX = 64 };

typedef struct {
  const char *channel, *name;
} recipient;

typedef struct {
  recipient at[RECIPIENTS_MAX];
  int count;
} recipients;

static void add(recipients *all, const char *channel, const char *lines) {
  while (lines && *lines && all->count < RECIPIENTS_MAX) {
    size_t length = strcspn(lines, "\n");
    if (length) all->at[all->count++] = (recipient){channel, word(lines, length)};
    lines += length;
    lines += *lines == '\n';
  }
}

static bool has(const char *text, const char *part, size_t length) {
  for (; *text; text++) {
    if (strncasecmp(text, part, length) == 0) return true;
  }
  return false;
}

// has_each says whether each word of words stands in text, in any case of the letters a to z.
static bool has_each(const char *text, const char *words) {
  bool any = false;
  for (; *(words += strspn(words, " \t,")); words += strcspn(words, " \t,")) {
    if (!has(text, words, strcspn(words, " \t,"))) return false;
    any = true;
  }
  return any;
}

static const char *listed(const recipients *all) {
  text t = {0};
  for (int i = 0; i < all->count; i++) {
    if (i) put_word(&t, i + 1 < all->count ? ", " : " and ");
    put_word(&t, all->at[i].name);
  }
  return written(&t);
}

// choose finds the one recipient that is meant: the whole, or words of it. Nobody is guessed.
static const recipient *choose(const recipients *all, const char *to) {
  const recipient *found = NULL;
  int fit = 0;
  if ((!to || !*to) && all->count == 1) return all->at;
  if (!to || !*to) fail("Say to whom. Allowed are ", listed(all), "");
  for (const recipient *r = all->at; r < all->at + all->count; r++) {
    if (strcasecmp(r->name, to) == 0) return r;
    if (has_each(r->name, to)) found = r, fit++;
  }
  if (fit == 1) return found;
  fail(fit ? "Several recipients fit. Say which one is meant: " : "That recipient is not allowed. Allowed are ", listed(all), "");
}

static _Noreturn void send(const recipients *all, json arguments, const char *title_name) {
  const char *words = member_string(arguments, "text"), *title = member_string(arguments, title_name);
  if (!words || strspn(words, " \t\r\n") == strlen(words)) fail("Missing required argument: ", "text", "");
  const recipient *to = choose(all, member_string(arguments, "to"));
  text input = {0}, out = {0};
  put_word(&input, "{");
  put_member(&input, "channel", to->channel);
  put_member(&input, "to", to->name);
  put_member(&input, "title", title ? title : "");
  put_member(&input, "text", words);
  put_word(&input, "}");
  int32_t length = chatterbox_deliver(input.at, (int32_t)input.length);
  char *answered = room(length > 0 ? (size_t)length : 0);
  json value;
  if (length <= 0 || chatterbox_read(answered) != length || !json_valid(answered, (size_t)length, &value)) __builtin_trap();
  const char *error = member_string(value, "error");
  if (error) fail("Not sent: ", error, "");
  put_word(&out, "{");
  put_member(&out, "sent_to", to->name);
  put_word(&out, "}");
  print(&out);
}

static void send_email(json arguments) {
  recipients all = {0};
  add(&all, "mail", getenv("RECIPIENTS"));
  send(&all, arguments, "subject");
}

static void send_notification(json arguments) {
  recipients all = {0};
  add(&all, "notification", getenv("RECIPIENTS"));
  add(&all, "mqtt", getenv("TOPICS"));
  send(&all, arguments, "title");
}

int main(int count, char **words) {
  static const tool tools[] = {{"send_email", send_email}, {"send_notification", send_notification}};
  run_tool(tools, sizeof tools / sizeof *tools, count, words);
}
