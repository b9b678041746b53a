#include "json.h"

#include <string.h>

enum { DEPTH_MAX = 64 };

static const char *space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}

static bool digit(const char *at, const char *end) { return at < end && *at >= '0' && *at <= '9'; }

static const char *digits(const char *at, const char *end) {
  while (digit(at, end)) at++;
  return at;
}

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The pass functions answer the end of what they passed, or NULL when it is not valid.

static const char *pass_string(const char *at, const char *end) {
  if (at == end || *at++ != '"') return NULL;
  while (at < end) {
    unsigned char c = (unsigned char)*at++;
    if (c == '"') return at;
    if (c < 0x20) return NULL;
    if (c != '\\') continue;
    if (at == end) return NULL;
    c = (unsigned char)*at++;
    if (c == 'u') {
      for (int i = 0; i < 4; i++) {
        if (at == end || hex(*at++) < 0) return NULL;
      }
    } else if (c == 0 || !strchr("\"\\/bfnrt", c)) {
      return NULL;
    }
  }
  return NULL;
}

static const char *pass_number(const char *at, const char *end) {
  if (at < end && *at == '-') at++;
  if (!digit(at, end)) return NULL;
  at = *at == '0' ? at + 1 : digits(at, end);
  if (at < end && *at == '.') {
    if (!digit(++at, end)) return NULL;
    at = digits(at, end);
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (!digit(at, end)) return NULL;
    at = digits(at, end);
  }
  return at;
}

static const char *pass_word(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static const char *pass_value(const char *at, const char *end, int depth);

// pass_list passes an array or an object; at stands behind the opening bracket.
static const char *pass_list(const char *at, const char *end, char close, int depth) {
  if (depth == DEPTH_MAX) return NULL;
  at = space(at, end);
  if (at < end && *at == close) return at + 1;
  for (;;) {
    at = space(at, end);
    if (close == '}') {
      if (!(at = pass_string(at, end))) return NULL;
      at = space(at, end);
      if (at == end || *at++ != ':') return NULL;
    }
    if (!(at = pass_value(at, end, depth + 1))) return NULL;
    at = space(at, end);
    if (at == end) return NULL;
    if (*at == close) return at + 1;
    if (*at++ != ',') return NULL;
  }
}

static const char *pass_value(const char *at, const char *end, int depth) {
  at = space(at, end);
  if (at == end) return NULL;
  switch (*at) {
  case '{': return pass_list(at + 1, end, '}', depth);
  case '[': return pass_list(at + 1, end, ']', depth);
  case '"': return pass_string(at, end);
  case 't': return pass_word(at, end, "true");
  case 'f': return pass_word(at, end, "false");
  case 'n': return pass_word(at, end, "null");
  default: return pass_number(at, end);
  }
}

bool json_valid(const char *text, size_t length, json *value) {
  const char *end = text + length;
  value->at = space(text, end);
  value->end = pass_value(value->at, end, 0);
  return value->end && space(value->end, end) == end;
}

bool json_member(json object, const char *name, json *value) {
  if (*object.at != '{') return false;
  size_t length = strlen(name);
  const char *at = space(object.at + 1, object.end);
  while (*at == '"') {
    const char *key = at + 1;
    at = pass_string(at, object.end);
    bool found = (size_t)(at - 1 - key) == length && memcmp(key, name, length) == 0;
    at = space(space(at, object.end) + 1, object.end); // behind the colon
    value->at = at;
    value->end = at = pass_value(at, object.end, 0);
    if (found) return true;
    at = space(at, object.end);
    if (*at == ',') at = space(at + 1, object.end);
  }
  return false;
}

static bool element(json_elements *elements, json *value) {
  if (*elements->at == ']') return false;
  value->at = elements->at;
  value->end = pass_value(value->at, elements->end, 0);
  elements->at = space(value->end, elements->end);
  return true;
}

bool json_first(json array, json_elements *elements, json *value) {
  if (*array.at != '[') return false;
  elements->at = space(array.at + 1, array.end);
  elements->end = array.end;
  return element(elements, value);
}

bool json_next(json_elements *elements, json *value) {
  if (*elements->at == ',') elements->at = space(elements->at + 1, elements->end);
  return element(elements, value);
}

static unsigned four_hex(const char *at) {
  return (unsigned)(hex(at[0]) << 12 | hex(at[1]) << 8 | hex(at[2]) << 4 | hex(at[3]));
}

static char *put_rune(char *out, unsigned rune) {
  if (rune < 0x80) {
    *out++ = (char)rune;
    return out;
  }
  if (rune < 0x800) {
    *out++ = (char)(0xc0 | rune >> 6);
  } else {
    if (rune < 0x10000) {
      *out++ = (char)(0xe0 | rune >> 12);
    } else {
      *out++ = (char)(0xf0 | rune >> 18);
      *out++ = (char)(0x80 | (rune >> 12 & 0x3f));
    }
    *out++ = (char)(0x80 | (rune >> 6 & 0x3f));
  }
  *out++ = (char)(0x80 | (rune & 0x3f));
  return out;
}

// escaped_rune reads what follows \u, and the second half of a pair; 0 when it is not a character.
static unsigned escaped_rune(const char **at) {
  unsigned rune = four_hex(*at);
  *at += 4;
  if (rune < 0xd800 || rune > 0xdfff) return rune;
  if (rune > 0xdbff || (*at)[0] != '\\' || (*at)[1] != 'u') return 0;
  unsigned low = four_hex(*at + 2);
  *at += 6;
  if (low < 0xdc00 || low > 0xdfff) return 0;
  return 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
}

bool json_string(json value, char *out, size_t *length) {
  if (*value.at != '"') return false;
  char *to = out;
  for (const char *at = value.at + 1; at < value.end - 1;) {
    if (*at != '\\') {
      *to++ = *at++;
      continue;
    }
    at++;
    char c = *at++;
    if (c == 'u') {
      unsigned rune = escaped_rune(&at);
      if (rune == 0) return false;
      to = put_rune(to, rune);
      continue;
    }
    switch (c) {
    case 'b': c = '\b'; break;
    case 'f': c = '\f'; break;
    case 'n': c = '\n'; break;
    case 'r': c = '\r'; break;
    case 't': c = '\t'; break;
    }
    *to++ = c;
  }
  *to = 0;
  *length = (size_t)(to - out);
  return true;
}

// The first 18 digits decide; that is more than a double holds.
bool json_number(json value, double *number) {
  const char *at = value.at;
  bool negative = *at == '-';
  if (negative) at++;
  if (!digit(at, value.end)) return false;
  long long mantissa = 0;
  int exponent = 0;
  bool fraction = false;
  for (; at < value.end && *at != 'e' && *at != 'E'; at++) {
    if (*at == '.') {
      fraction = true;
    } else if (mantissa < 100000000000000000LL) {
      mantissa = mantissa * 10 + (*at - '0');
      exponent -= fraction;
    } else {
      exponent += !fraction;
    }
  }
  if (at < value.end) {
    at++;
    bool down = *at == '-';
    if (down || *at == '+') at++;
    int told = 0;
    for (; at < value.end && told < 1000; at++) told = told * 10 + (*at - '0');
    exponent += down ? -told : told;
  }
  double result = (double)mantissa;
  for (; exponent > 0 && result < 1e300; exponent--) result *= 10;
  double divisor = 1;
  for (; exponent < 0 && divisor < 1e300; exponent++) divisor *= 10;
  result /= divisor;
  *number = negative ? -result : result;
  return true;
}
