// JSON as text: nothing is built in memory, a value is the part of the text that it takes. json_valid looks at a whole text
// once; all other functions take only values of a text that it found valid.
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *at, *end;
} json;

// json_valid says whether text[0..length) is one JSON value, at most 64 levels deep, and sets *value to it.
bool json_valid(const char *text, size_t length, json *value);

// json_member finds the first member of an object; false when there is none or the value is not an object.
bool json_member(json object, const char *name, json *value);

// json_next gives the elements of an array one by one; *at begins as the array itself.
typedef struct {
  const char *at, *end;
} json_elements;
bool json_first(json array, json_elements *elements, json *value);
bool json_next(json_elements *elements, json *value);

// json_string writes a string's UTF-8 to out, which must have room for value.end - value.at bytes, and a zero behind it.
// false when the value is not a string or has a zero or half a surrogate pair in it.
bool json_string(json value, char *out, size_t *length);

// json_number is false when the value is not a number.
bool json_number(json value, double *number);

#endif
