// An extism plugin of the newer kind. What it does is the first word of the tool's name; see extism_*.txtar.
#include <stdint.h>

typedef uint64_t handle;
#define FROM(module, name) __attribute__((import_module(module), import_name(#name))) extern
#define KERNEL(name) FROM("extism:host/env", name)
#define USER(name) FROM("extism:host/user", name)
KERNEL(alloc) handle alloc(uint64_t);
KERNEL(free) void release(handle);
KERNEL(length) uint64_t length(handle);
KERNEL(load_u8) uint32_t load_u8(handle);
KERNEL(load_u64) uint64_t load_u64(handle);
KERNEL(store_u8) void store_u8(handle, uint32_t);
KERNEL(input_length) uint64_t input_length(void);
KERNEL(input_offset) handle input_offset(void);
KERNEL(output_set) void output_set(handle, uint64_t);
KERNEL(error_set) void error_set(handle);
KERNEL(config_get) handle config_get(handle);
KERNEL(var_get) handle var_get(handle);
KERNEL(var_set) void var_set(handle, handle);
KERNEL(http_request) handle http_request(handle, handle);
KERNEL(http_status_code) int32_t http_status_code(void);
KERNEL(http_headers) handle http_headers(void);
KERNEL(log_warn) void log_warn(handle);
USER(create_elicitation) handle create_elicitation(handle);
USER(create_message) handle create_message(handle);
USER(notify_logging_message) void notify_logging_message(handle);

static uint64_t size(const char *text) {
  uint64_t n = 0;
  while (text[n]) n++;
  return n;
}

static handle keep(const char *text) {
  uint64_t n = size(text);
  handle at = alloc(n);
  for (uint64_t i = 0; i < n; i++) store_u8(at + i, text[i]);
  return at;
}

static void answer(handle at) { output_set(at, length(at)); }

// asked says whether text is somewhere in the input.
static int asked(const char *text) {
  uint64_t n = size(text), all = input_length();
  handle at = input_offset();
  for (uint64_t i = 0; i + n <= all; i++) {
    uint64_t j = 0;
    while (j < n && load_u8(at + i + j) == (uint8_t)text[j]) j++;
    if (j == n) return 1;
  }
  return 0;
}

static int32_t fail(const char *text) {
  error_set(keep(text));
  return -1;
}

static int32_t memory(void) {
  uint64_t total = 0;
  for (int round = 0; round < 100000; round++) {
    handle at = alloc(100);
    total += length(at);
    release(at);
  }
  if (total != 10000000 || length(12345) != 0 || load_u64(~0ull - 3) != 0) return fail("the kernel's memory is wrong");
  store_u8(~0ull, 1);
  store_u8(0, 1);
  answer(keep("well"));
  return 0;
}

__attribute__((export_name("call_tool"))) int32_t call_tool(void) {
  if (asked("\"name\":\"input\"")) {
    output_set(input_offset(), input_length());
  } else if (asked("\"name\":\"config\"")) {
    handle value = config_get(keep("CITY"));
    if (!value || config_get(keep("NOTHING"))) return fail("the configuration is wrong");
    answer(value);
  } else if (asked("\"name\":\"vars\"")) {
    handle before = var_get(keep("last"));
    var_set(keep("last"), keep("42"));
    answer(before ? before : var_get(keep("last")));
  } else if (asked("\"name\":\"forget\"")) {
    var_set(keep("last"), 0);
    answer(keep(var_get(keep("last")) ? "kept" : "gone"));
  } else if (asked("\"name\":\"http\"")) {
    handle body = http_request(keep("{\"method\":\"post\",\"url\":\"https://example.org/\",\"headers\":{\"A\":\"b\"}}"), keep("asked"));
    if (http_status_code() != 201 || !http_headers()) return fail("the response is wrong");
    answer(body);
  } else if (asked("\"name\":\"texts\"")) {
    log_warn(keep("a line"));
    notify_logging_message(keep("{\"level\":\"info\",\"data\":\"another\"}"));
    answer(keep("{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\"},{\"type\":\"text\",\"text\":\"two\"}]}"));
  } else if (asked("\"name\":\"structured\"")) {
    answer(keep("{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}],\"structuredContent\":{\"sum\":3}}"));
  } else if (asked("\"name\":\"error\"")) {
    answer(keep("{\"content\":[{\"type\":\"text\",\"text\":\"no such city\"}],\"isError\":true}"));
  } else if (asked("\"name\":\"asks_person\"")) {
    answer(create_elicitation(keep("{}")));
  } else if (asked("\"name\":\"asks_model\"")) {
    create_message(keep("{}"));
  } else if (asked("\"name\":\"memory\"")) {
    return memory();
  } else if (asked("\"name\":\"fills\"")) {
    while (alloc(1 << 20)) {
    }
    __builtin_trap();
  } else if (asked("\"name\":\"status\"")) {
    return 7;
  } else if (asked("\"name\":\"nothing\"")) {
    return 0;
  } else {
    return fail("no such tool");
  }
  return 0;
}

__attribute__((export_name("list_tools"))) int32_t list_tools(void) {
  if (!asked("{\"context\":{\"_meta\":{},\"id\":\"1\"}}")) return fail("not asked as it should be");
  answer(keep("{\"tools\":[{\"name\":\"input\",\"title\":\"Input\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":null,\"_meta\":{}},"
              "{\"name\":\"config\",\"description\":\"Tells the city.\"}]}"));
  return 0;
}
