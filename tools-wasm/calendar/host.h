// The host's functions, and the ways out of a call. Little is freed: a call has a memory of its own.
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "text.h"

// room is memory for n bytes; when there is none the program ends, which the host sees as a trap.
void *room(size_t n);

// word is a copy of bytes with a zero behind it.
char *word(const char *bytes, size_t length);

// written is what was put, with a zero behind it.
char *written(text *t);

// print writes a result; the call is over then.
_Noreturn void print(const text *result);

// fail prints {"error": …} of up to three parts.
_Noreturn void fail(const char *sentence, const char *subject, const char *end);

// read_arguments reads the call's arguments from stdin.
json read_arguments(void);

// tool is one of a module's tools.
typedef struct {
  const char *name;
  void (*run)(json arguments);
} tool;

// run_tool runs the tool that the words of the command line name.
_Noreturn void run_tool(const tool *tools, size_t many, int count, char **words);

// print_list ends a list in an object, says how many more there are, and prints the object.
_Noreturn void print_list(text *t, int more);

// put_member writes a member of an object, with a comma where one stands before it.
void put_member(text *t, const char *name, const char *value);

char *member_string(json object, const char *name); // NULL when it is absent or no text
bool member_number(json object, const char *name, double *number);

json host_now(const text *input);
json host_request(const text *input);

#endif
