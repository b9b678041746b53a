// The SDK: what a tool in C needs of the host. tool.c and json.c are the rest of it; change them as you like.
#ifndef TOOL_H
#define TOOL_H

#include "json.h"

#include <stdint.h>

// run is one call, and yours to write: it puts the result together with the functions below, or calls fail.
void run(json arguments);

// put adds text to the result as it is; put_string adds it as a JSON string, quoted.
void put(const char *text);
void put_string(const char *text, size_t length);

// fail makes the result {"error": reason}, whatever was put before.
void fail(const char *reason);

// text_member copies a string member into out, which has room for size bytes, and a zero behind it.
bool text_member(json object, const char *name, char *out, size_t size, size_t *length);

// host calls a host function; the answer is valid until the next call of host. false when it is an {"error": …}.
typedef int32_t host_function(const char *at, size_t length);
bool host(host_function *function, const char *input, json *answer);

#define HOST(name) __attribute__((import_module("chatterbox"), import_name(name)))
HOST("now") int32_t host_now(const char *, size_t);
HOST("log") int32_t host_log(const char *, size_t);
HOST("http_request") int32_t host_http_request(const char *, size_t);
HOST("kv_get") int32_t host_kv_get(const char *, size_t);
HOST("kv_set") int32_t host_kv_set(const char *, size_t);
HOST("secret_exists") int32_t host_secret_exists(const char *, size_t);
HOST("deliver") int32_t host_deliver(const char *, size_t);
HOST("read") int32_t host_read(char *);

#endif
