// A tool that hands its arguments to the host function of its own name, or of the name that they begin with, as in
// {"ask":"kv_get", and answers what the host says. Where the arguments hold "memory", it answers all letters and signs in its
// memory instead: what is nowhere in there, the guest has not seen. Several tools in one module; the manifest beside it names
// those that a test needs.
#include <stddef.h>
#include <stdint.h>

typedef int32_t host_function(const char *at, size_t length);
#define HOST(name) __attribute__((import_module("chatterbox"), import_name(name)))
HOST("http_request") int32_t host_http_request(const char *, size_t);
HOST("kv_get") int32_t host_kv_get(const char *, size_t);
HOST("kv_set") int32_t host_kv_set(const char *, size_t);
HOST("secret_exists") int32_t host_secret_exists(const char *, size_t);
HOST("deliver") int32_t host_deliver(const char *, size_t);
HOST("read") int32_t host_read(char *);

struct piece {
  char *at;
  size_t length;
};
#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(name)))
WASI("fd_read") int32_t fd_read(int32_t, struct piece *, size_t, size_t *);
WASI("fd_write") int32_t fd_write(int32_t, struct piece *, size_t, size_t *);
WASI("args_get") int32_t args_get(char **, char *);
WASI("args_sizes_get") int32_t args_sizes_get(size_t *, size_t *);

static const struct {
  const char *name;
  host_function *ask;
} functions[] = {{"http_request", host_http_request},
                 {"kv_get", host_kv_get},
                 {"kv_set", host_kv_set},
                 {"secret_exists", host_secret_exists},
                 {"deliver", host_deliver}};

static char arguments[16 << 10], answer[64 << 10], seen[128 << 10], texts[1024], *words[8];

static int same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static int begins(const char *text, const char *with) {
  while (*with && *text == *with) text++, with++;
  return !*with;
}

static void say(char *at, size_t length) {
  struct piece piece = {at, length};
  size_t written;
  fd_write(1, &piece, 1, &written);
}

// memory says what it holds, with one blank for whatever is not legible. The place that it is put together in is left out.
static void memory(void) {
  const char *end = (const char *)(__builtin_wasm_memory_size(0) << 16);
  size_t n = 0;
  int gap = 0;
  for (const char *at = (const char *)1; at < end && n < sizeof seen - 1; at++) {
    if (at >= seen && at < seen + sizeof seen) continue;
    gap = *at >= ' ' && *at <= '~' ? 0 : gap + 1;
    if (gap < 2) seen[n++] = gap ? ' ' : *at;
  }
  say(seen, n);
}

__attribute__((export_name("_start"))) void start(void) {
  size_t count, bytes, length = 0, got = 1;
  args_sizes_get(&count, &bytes);
  if (count > 8 || bytes > sizeof texts) __builtin_trap();
  args_get(words, texts);
  while (got) {
    struct piece piece = {arguments + length, sizeof arguments - 1 - length};
    if (fd_read(0, &piece, 1, &got)) __builtin_trap();
    length += got;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    const char *name = functions[i].name;
    int named = count > 1 && same(words[1], name);
    int wanted = begins(arguments, "{\"ask\":\"") && begins(arguments + 8, name);
    if (!named && !wanted) continue;
    int32_t answered = functions[i].ask(arguments, length);
    if (answered < 0 || (size_t)answered > sizeof answer) __builtin_trap();
    host_read(answer);
    for (size_t at = 0; at < length; at++)
      if (begins(arguments + at, "\"memory\"")) return memory();
    return say(answer, answered);
  }
  __builtin_trap();
}
