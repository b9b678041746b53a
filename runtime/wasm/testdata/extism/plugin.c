// The guest of ../c as a plugin for extism, without its PDK.
// zig cc -target wasm32-wasi -mexec-model=reactor -O2 -s -Wl,-z,stack-size=65536 -o plugin.wasm plugin.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FROM_HOST(name) __attribute__((import_module("extism:host/env"), import_name(name))) extern
FROM_HOST("input_length") uint64_t input_length(void);
FROM_HOST("input_load_u8") uint32_t input_load_u8(uint64_t);
FROM_HOST("input_load_u64") uint64_t input_load_u64(uint64_t);
FROM_HOST("alloc") uint64_t host_alloc(uint64_t);
FROM_HOST("store_u8") void store_u8(uint64_t, uint32_t);
FROM_HOST("store_u64") void store_u64(uint64_t, uint64_t);
FROM_HOST("output_set") void output_set(uint64_t, uint64_t);

static unsigned calls;

__attribute__((export_name("execute"))) int32_t execute(void) {
  uint64_t n = input_length(), i = 0;
  char *envelope = malloc(n + 1);
  for (; i + 8 <= n; i += 8) {
    uint64_t word = input_load_u64(i);
    memcpy(envelope + i, &word, 8);
  }
  for (; i < n; i++) envelope[i] = (char)input_load_u8(i);
  envelope[n] = 0;
  char *arguments = strstr(envelope, "\"arguments\":");
  arguments = arguments ? arguments + strlen("\"arguments\":") : "null}";
  size_t room = strlen(arguments) + 64;
  char *answer = malloc(room);
  uint64_t length = snprintf(answer, room, "{\"calls\":%u,\"arguments\":%.*s}", ++calls, (int)strlen(arguments) - 1, arguments);
  uint64_t at = host_alloc(length);
  for (i = 0; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, answer + i, 8);
    store_u64(at + i, word);
  }
  for (; i < length; i++) store_u8(at + i, answer[i]);
  output_set(at, length);
  free(answer);
  free(envelope);
  return 0;
}
