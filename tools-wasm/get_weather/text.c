#include "text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char hexadecimal[] = "0123456789ABCDEF";

void put(text *t, const char *bytes, size_t length) {
  if (t->room - t->length < length) {
    t->room = (t->length + length) * 2 + 256;
    t->at = realloc(t->at, t->room);
    if (!t->at) __builtin_trap();
  }
  memcpy(t->at + t->length, bytes, length);
  t->length += length;
}

void put_word(text *t, const char *word) { put(t, word, strlen(word)); }

void put_int(text *t, long long number) {
  char digits[24];
  size_t at = sizeof digits;
  unsigned long long left = number < 0 ? -(unsigned long long)number : (unsigned long long)number;
  do {
    digits[--at] = (char)('0' + left % 10);
    left /= 10;
  } while (left);
  if (number < 0) digits[--at] = '-';
  put(t, digits + at, sizeof digits - at);
}

void put_tenths(text *t, double number) {
  long long tenths = (long long)(number * 10 + (number < 0 ? -0.5 : 0.5));
  if (tenths < 0) {
    put(t, "-", 1);
    tenths = -tenths;
  }
  put_int(t, tenths / 10);
  put(t, ".", 1);
  put_int(t, tenths % 10);
}

void put_quoted(text *t, const char *bytes, size_t length) {
  put(t, "\"", 1);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c == '"' || c == '\\') {
      put(t, "\\", 1);
    } else if (c < 0x20) {
      char escaped[6] = {'\\', 'u', '0', '0', hexadecimal[c >> 4], hexadecimal[c & 15]};
      put(t, escaped, sizeof escaped);
      continue;
    }
    put(t, bytes + i, 1);
  }
  put(t, "\"", 1);
}

void put_escaped(text *t, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)bytes[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                 c == '_' || c == '~';
    if (plain) {
      put(t, bytes + i, 1);
      continue;
    }
    char escaped[3] = {'%', hexadecimal[c >> 4], hexadecimal[c & 15]};
    put(t, escaped, sizeof escaped);
  }
}
