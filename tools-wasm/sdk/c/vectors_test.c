// Holds the SDK to the vectors of every template, on the machine itself; the vector answers in the host's place.
//
//     cc -Wno-attributes -I../../get_weather vectors_test.c -o vectors_test && ./vectors_test ../../testkit/sdk/my_tool.txtar
//
// JSON is compared without its white space and its ways to escape, with members in the order of the vector.
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FATAL(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))

// An address has 32 bits, so the SDK's memory is in the first 4 GiB.
static void *low_realloc(void *old, size_t size) {
  static char *next, *end;
  if (!next) {
    size_t room = 64 << 20;
    next = mmap((void *)0x20000000, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    end = next + room;
    if (next == MAP_FAILED || (uintptr_t)end > UINT32_MAX) FATAL("there is no memory in the first 4 GiB");
  }
  char *block = next + sizeof(size_t);
  next += (sizeof(size_t) + size + 15) & ~(size_t)15;
  if (next > end) FATAL("the SDK has used up its memory");
  memcpy(block - sizeof(size_t), &size, sizeof size);
  memset(block, 0xAA, size);
  if (old) {
    size_t had;
    memcpy(&had, (char *)old - sizeof had, sizeof had);
    memcpy(block, old, had < size ? had : size);
  }
  return block;
}
#define malloc(size) low_realloc(NULL, size)
#define realloc low_realloc
#define free(block) ((void)(block))
#include "main.c"
#include "tool.c"
#include "json.c"
#undef malloc
#undef realloc
#undef free

enum { CALLS_MAX = 100, HOST_MAX = 4 };

static struct call {
  char *keys, *arguments, *output;
  struct {
    char *function, *input, *answer;
  } host[HOST_MAX];
  int asked, in_script;
} calls[CALLS_MAX];

static int call_count;
static struct call *current; // whose host is asked
static char *kept;           // the answer that has not been read

static char *put_utf8(char *out, unsigned c) {
  if (c < 0x80) return out + sprintf(out, "%02x", c);
  if (c < 0x800) return out + sprintf(out, "%02x%02x", 0xC0 | c >> 6, 0x80 | (c & 63));
  if (c < 0x10000) return out + sprintf(out, "%02x%02x%02x", 0xE0 | c >> 12, 0x80 | (c >> 6 & 63), 0x80 | (c & 63));
  return out + sprintf(out, "%02x%02x%02x%02x", 0xF0 | c >> 18, 0x80 | (c >> 12 & 63), 0x80 | (c >> 6 & 63), 0x80 | (c & 63));
}

// plain answers JSON without white space, and its strings as the hexadecimal of their UTF-8.
static char *plain(const char *in) {
  char *start = malloc(2 * strlen(in) + 1), *out = start;
  unsigned unit, low;
  for (; *in; in++) {
    if (strchr(" \t\r\n", *in)) continue;
    *out++ = *in;
    if (*in != '"') continue;
    for (in++; *in != '"'; in++) {
      static const char escapes[] = "b\bf\fn\nr\rt\t";
      const char *escape;
      if (!*in) FATAL("a string has no end");
      if (*in != '\\') {
        out += sprintf(out, "%02x", (unsigned char)*in);
      } else if (*++in != 'u') {
        escape = strchr(escapes, *in);
        out = put_utf8(out, (unsigned char)(escape ? escape[1] : *in));
      } else {
        if (sscanf(in + 1, "%4x", &unit) != 1) FATAL("a wrong escape");
        in += 4;
        if (unit >> 10 == 0xD800 >> 10 && sscanf(in + 1, "\\u%4x", &low) == 1) {
          unit = 0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF));
          in += 6;
        }
        out = put_utf8(out, unit);
      }
    }
    *out++ = '"';
  }
  *out = 0;
  return start;
}

static bool same(const char *a, const char *b) { return strcmp(plain(a), plain(b)) == 0; }

static int32_t ask(const char *function, const char *at, size_t length) {
  char *input = strndup(at, length);
  if (current->asked == current->in_script) FATAL("the script ran out at %s %s", function, input);
  int next = current->asked++;
  if (strcmp(function, current->host[next].function) || !same(input, current->host[next].input)) {
    FATAL("asked %s %s, want %s %s", function, input, current->host[next].function, current->host[next].input);
  }
  kept = current->host[next].answer;
  return (int32_t)strlen(kept);
}

int32_t host_read(char *at) {
  int32_t length = kept ? (int32_t)strlen(kept) : 0;
  memcpy(at, kept, (size_t)length);
  kept = NULL;
  return length;
}

int32_t host_now(const char *at, size_t length) { return ask("now", at, length); }

// begin answers where the text of a section goes.
static char **begin(const char *section) {
  static char *module;
  struct call *call = call_count ? &calls[call_count - 1] : NULL;
  if (!module) {
    if (strcmp(section, "module")) FATAL("section %s before the module", section);
    return &module;
  }
  if (!strcmp(section, "call")) {
    if (call_count == CALLS_MAX) FATAL("more than %d calls", CALLS_MAX);
    return &calls[call_count++].keys;
  }
  if (!call) FATAL("section %s before the first call", section);
  if (!strcmp(section, "arguments")) return &call->arguments;
  if (!strcmp(section, "output")) return &call->output;
  if (strncmp(section, "host ", 5) || call->in_script == HOST_MAX) FATAL("unknown section %s, or too many", section);
  call->host[call->in_script].function = strdup(section + 5);
  return &call->host[call->in_script++].input; // and the answer, which is cut off later
}

// parse reads what testkit/README.md describes, as far as an SDK has a part in it; the rest is fatal.
static void parse(FILE *file) {
  char line[4096], **text = NULL, *end;
  while (fgets(line, sizeof line, file)) {
    if (!strncmp(line, "-- ", 3) && (end = strstr(line, " --\n"))) {
      *end = 0;
      text = begin(line + 3);
      *text = strdup("");
    } else if (text) {
      *text = strcat(realloc(*text, strlen(*text) + strlen(line) + 1), line);
    }
  }
  for (int i = 0; i < call_count; i++) {
    if (*calls[i].keys) FATAL("unknown key in %s", calls[i].keys);
    for (int j = 0; j < calls[i].in_script; j++) {
      char *answer = strchr(calls[i].host[j].input, '\n');
      if (!answer) FATAL("a host function without an answer");
      *answer = 0;
      calls[i].host[j].answer = answer + 1;
    }
  }
}

int main(int count, char **values) {
  FILE *file = count == 2 ? fopen(values[1], "r") : NULL;
  if (!file) FATAL("which vectors?");
  parse(file);
  if (call_count < 5) FATAL("%d calls", call_count);
  for (int i = 0; i < call_count; i++) {
    current = &calls[i];
    char envelope[8192];
    int length = snprintf(envelope, sizeof envelope, "{\"name\":\"my_tool\",\"arguments\":%s}",
                          current->arguments ? current->arguments : "{}");
    if (!current->output || length >= (int)sizeof envelope) FATAL("call %d: no output, or arguments that are too long", i + 1);
    uint64_t packed = tool_execute(memcpy(tool_alloc((size_t)length), envelope, (size_t)length), (size_t)length);
    char *output = strndup((char *)(uintptr_t)(packed >> 32), (uint32_t)packed);
    if (!same(output, current->output)) FATAL("call %d: output %s, want %s", i + 1, output, current->output);
    if (current->asked < current->in_script) FATAL("call %d: asked %d times", i + 1, current->asked);
  }
  return 0;
}
