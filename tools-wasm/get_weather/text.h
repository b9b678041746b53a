// A text that grows. When memory ends the program does: the host sees a trap.
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

typedef struct {
  char *at;
  size_t length, room;
} text;

void put(text *t, const char *bytes, size_t length);
void put_word(text *t, const char *word);
void put_int(text *t, long long number);

// put_tenths writes a number of less than 1e12 with one decimal, halves away from zero.
void put_tenths(text *t, double number);

// put_quoted writes a JSON string.
void put_quoted(text *t, const char *bytes, size_t length);

// put_escaped writes bytes as a value in a URL's query.
void put_escaped(text *t, const char *bytes, size_t length);

#endif
