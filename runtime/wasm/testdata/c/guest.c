// A reactor in C, with the C library's allocator: it answers its arguments.
// zig cc -target wasm32-wasi -mexec-model=reactor -O2 -s -Wl,-z,stack-size=65536 -o guest.wasm guest.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *envelope, *answer;
static unsigned calls;

__attribute__((export_name("alloc"))) char *reserve(uint32_t n) {
  free(envelope);
  return envelope = malloc(n + 1);
}

__attribute__((export_name("execute"))) uint64_t execute(char *at, uint32_t n) {
  at[n] = 0;
  char *arguments = strstr(at, "\"arguments\":");
  arguments = arguments ? arguments + strlen("\"arguments\":") : "null}";
  size_t room = strlen(arguments) + 64;
  free(answer);
  answer = malloc(room);
  int length = snprintf(answer, room, "{\"calls\":%u,\"arguments\":%.*s}", ++calls, (int)strlen(arguments) - 1, arguments);
  return (uint64_t)(uintptr_t)answer << 32 | (uint32_t)length;
}
