// How people name things: words without case, accents, articles and endings.
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { WORDS_MAX = 16 };

// kind is a word that says what a thing is, not which one: "light" of "the kitchen light".
typedef struct {
  const char *word;
  bool plural;
} kind;

// phrase is what somebody said, or a thing is called.
typedef struct {
  char *words[WORDS_MAX]; // that say which one
  int count;
  char *kinds[WORDS_MAX]; // that say what it is
  int kind_count;
  bool plural; // a word such as "lights", or "all"
  char *joined; // all words, without what stands between them
} phrase;

// read_phrase takes a text apart; kinds ends with a word that is NULL.
phrase read_phrase(const char *text, const kind *kinds);

// How well a name fits what was said.
typedef enum {
  NO_FIT,
  FITS_IN_PART, // the name says more: "kitchen" and "Kitchen Ceiling"
  FITS,         // but for words for the kind of thing
  SAME,         // but for endings
  EQUAL,
} fit;

fit fits(const phrase *said, const phrase *name);

// distance is how many letters must change to make one text of the other.
size_t distance(const char *a, const char *b);

#endif
