#include "names.h"

#include <string.h>

#include "host.h"

// plain are the letters of U+00C0 to U+00FF without their accents; those of German follow their own rule.
static const char plain[] = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty";

// fold writes text in small letters, umlauts as two of them, and spaces for what is neither letter nor digit.
static char *fold(const char *text) {
  char *folded = room(2 * strlen(text) + 1), *to = folded;
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    if (*at == '\'') continue;
    if (at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0x98 || at[2] == 0x99)) { // an apostrophe
      at += 2;
    } else if (at[0] == 0xc3 && at[1] >= 0x80 && at[1] <= 0xbf) {
      unsigned char letter = *++at;
      *to++ = plain[letter - 0x80];
      if (letter == 0x84 || letter == 0x96 || letter == 0x9c || letter == 0xa4 || letter == 0xb6 || letter == 0xbc) *to++ = 'e';
      if (letter == 0x9f) *to++ = 's';
    } else if (*at >= 'A' && *at <= 'Z') {
      *to++ = (char)(*at | 0x20);
    } else {
      bool kept = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at >= 0x80;
      *to++ = kept ? (char)*at : ' ';
    }
  }
  *to = 0;
  return folded;
}

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list; list++) {
    if (strcmp(word, *list) == 0) return true;
  }
  return false;
}

// Words that say nothing about which thing is meant, and words that say that all are.
static const char *const filler[] = {"the", "a", "an", "my", "our", "your", "of", "in", "on", "at", "to", "please", "and", "der", "die", "das", "den", "dem",
                                     "des", "ein", "eine", "einen", "mein", "meine", "meinen", "meinem", "unser", "unsere", "unseren", "im", "am", "vom",
                                     "von", "auf", "bitte", "und", NULL};
static const char *const every[] = {"all", "every", "everything", "both", "alle", "allen", "alles", "beide", "beiden", "saemtliche", NULL};

// others are words that mean the same as the one behind them.
static const char *const others[][2] = {{"television", "tv"}, {"telly", "tv"}, {"fernseher", "tv"}, {"lautsprecher", "speaker"}, {"box", "speaker"},
                                        {"one", "1"}, {"two", "2"}, {"three", "3"}, {"four", "4"}, {"eins", "1"}, {"zwei", "2"},
                                        {"drei", "3"}, {"vier", "4"}, {"lounge", "living room"}};

static const kind *kind_of(const char *word, const kind *kinds) {
  for (; kinds->word; kinds++) {
    if (strcmp(word, kinds->word) == 0) return kinds;
  }
  return NULL;
}

// kind_at_end finds the longest kind that a compound ends with: "licht" of "kuechenlicht".
static const kind *kind_at_end(const char *word, const kind *kinds) {
  enum { BEFORE_MIN = 3, KIND_MIN = 5 };
  const kind *found = NULL;
  size_t length = strlen(word);
  for (; kinds->word; kinds++) {
    size_t n = strlen(kinds->word);
    if (n < KIND_MIN || length < n + BEFORE_MIN || strcmp(word + length - n, kinds->word) != 0) continue;
    if (!found || n > strlen(found->word)) found = kinds;
  }
  return found;
}

static void add_word(phrase *p, char *word) {
  if (*word && p->count < WORDS_MAX) p->words[p->count++] = word;
}

static void add_kind(phrase *p, const kind *k) {
  if (p->kind_count < WORDS_MAX) p->kinds[p->kind_count++] = word(k->word, strlen(k->word));
  p->plural = p->plural || k->plural;
}

static void take(phrase *p, char *word_, const kind *kinds) {
  if (is_one_of(word_, filler)) return;
  if (is_one_of(word_, every)) {
    p->plural = true;
    return;
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (strcmp(word_, others[i][0]) == 0) word_ = word(others[i][1], strlen(others[i][1]));
  }
  char *space = strchr(word_, ' ');
  if (space) { // two words stand for the one
    *space = 0;
    add_word(p, word_);
    word_ = space + 1;
  }
  const kind *k = kind_of(word_, kinds);
  if (k) {
    add_kind(p, k);
  } else if ((k = kind_at_end(word_, kinds))) {
    word_[strlen(word_) - strlen(k->word)] = 0;
    add_word(p, word_);
    add_kind(p, k);
  } else {
    add_word(p, word_);
  }
}

phrase read_phrase(const char *text_, const kind *kinds) {
  phrase p = {0};
  char *folded = fold(text_);
  text joined = {0};
  for (char *at = folded; *(at += strspn(at, " "));) {
    size_t length = strcspn(at, " ");
    char *one = word(at, length);
    if (!is_one_of(one, filler)) put_word(&joined, one);
    take(&p, one, kinds);
    at += length;
  }
  p.joined = written(&joined);
  return p;
}

// same_word ignores the endings that plurals and compounds have.
static bool same_word(const char *a, const char *b) {
  static const char *const endings[] = {"", "s", "es", "n", "en", "e", "er", NULL};
  enum { STEM_MIN = 3 };
  size_t la = strlen(a), lb = strlen(b);
  if (la > lb) return same_word(b, a);
  if (la == lb) return strcmp(a, b) == 0;
  return la >= STEM_MIN && strncmp(a, b, la) == 0 && is_one_of(b + la, endings);
}

static bool has_word(char *const *words, int count, const char *one) {
  for (int i = 0; i < count; i++) {
    if (same_word(words[i], one)) return true;
  }
  return false;
}

static char *join(const phrase *p) {
  text t = {0};
  for (int i = 0; i < p->count; i++) put_word(&t, p->words[i]);
  return written(&t);
}

fit fits(const phrase *said, const phrase *name) {
  if (strcmp(said->joined, name->joined) == 0) return EQUAL;
  int found = 0, extra = 0;
  for (int i = 0; i < said->count; i++) found += has_word(name->words, name->count, said->words[i]);
  for (int i = 0; i < name->count; i++) extra += !has_word(said->words, said->count, name->words[i]);
  if (found < said->count) { // "livingroom" and "Living Room"
    const char *a = join(said), *b = join(name);
    if (strncmp(a, b, strlen(a)) != 0) return NO_FIT;
    extra = strlen(b) > strlen(a);
  }
  if (extra) return FITS_IN_PART;
  if (said->count == 0) return name->count ? FITS_IN_PART : FITS;
  for (int i = 0; i < said->kind_count; i++) {
    if (!has_word(name->kinds, name->kind_count, said->kinds[i])) return FITS;
  }
  return said->kind_count == name->kind_count ? SAME : FITS;
}

size_t distance(const char *a, const char *b) {
  size_t la = strlen(a), lb = strlen(b), *row = room((lb + 1) * sizeof *row);
  for (size_t j = 0; j <= lb; j++) row[j] = j;
  for (size_t i = 1; i <= la; i++) {
    size_t before = row[0];
    row[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      size_t best = before + (a[i - 1] != b[j - 1]);
      before = row[j];
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[lb];
}
