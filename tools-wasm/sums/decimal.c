#include "decimal.h"

#include <string.h>

enum { WIDE = 3 * DIGITS + 4 };

// wide is a number before it is rounded. Sticky says that there is something behind its last digit.
typedef struct {
  bool negative, sticky;
  int count, exponent;
  uint8_t digit[WIDE];
} wide;

static bool narrow(wide *w, int digits, decimal *into) {
  while (w->count > 0 && w->digit[w->count - 1] == 0) w->count--;
  int drop = w->count > digits ? w->count - digits : 0;
  if (drop) {
    int last = w->digit[drop - 1];
    bool behind = w->sticky;
    for (int i = 0; i < drop - 1; i++) behind |= w->digit[i] != 0;
    bool up = last > 5 || (last == 5 && (behind || w->digit[drop] % 2 == 1));
    memmove(w->digit, w->digit + drop, (size_t)(w->count - drop));
    w->count -= drop;
    w->exponent += drop;
    for (int i = 0; up && i < w->count; i++) {
      w->digit[i] = (uint8_t)((w->digit[i] + 1) % 10);
      up = w->digit[i] == 0;
    }
    if (up) w->digit[w->count - 1] = 1, w->exponent += w->count, w->digit[0] = 1, w->count = 1;
  }
  int zeros = 0;
  while (zeros < w->count && w->digit[zeros] == 0) zeros++;
  decimal result = {.negative = w->negative && w->count > zeros, .count = w->count - zeros, .exponent = w->exponent + zeros};
  memcpy(result.digit, w->digit + zeros, (size_t)result.count);
  if (result.count == 0) result.exponent = 0;
  if (result.exponent + result.count > EXPONENT_MAX) return false;
  if (result.exponent + result.count < -EXPONENT_MAX) result = (decimal){0};
  *into = result;
  return true;
}

decimal rounded(decimal value, int digits) {
  wide w = {.negative = value.negative, .count = value.count, .exponent = value.exponent};
  memcpy(w.digit, value.digit, (size_t)value.count);
  decimal result = value;
  narrow(&w, digits, &result);
  return result;
}

const char *read_decimal(const char *text, decimal *value) {
  wide w = {0};
  bool point = false, any = false;
  const char *at = text;
  uint8_t read[WIDE];
  int count = 0;
  for (;; at++) {
    if (*at == '.' && !point && at[1] >= '0' && at[1] <= '9') {
      point = true;
      continue;
    }
    if (*at < '0' || *at > '9') break;
    any = true;
    if (count < WIDE) {
      read[count++] = (uint8_t)(*at - '0');
      w.exponent -= point;
    } else {
      w.sticky |= *at != '0';
      w.exponent += !point;
    }
    if (count == 1 && read[0] == 0) count = 0;
  }
  if (!any) return NULL;
  for (int i = 0; i < count; i++) w.digit[i] = read[count - 1 - i];
  w.count = count;
  if (*at == 'e' || *at == 'E') {
    const char *digits = at + 1;
    bool minus = *digits == '-';
    if (*digits == '-' || *digits == '+') digits++;
    int exponent = 0;
    if (*digits >= '0' && *digits <= '9') {
      for (; *digits >= '0' && *digits <= '9'; digits++) exponent = exponent > EXPONENT_MAX ? exponent : exponent * 10 + *digits - '0';
      w.exponent += minus ? -exponent : exponent;
      at = digits;
    }
  }
  return narrow(&w, DIGITS, value) ? at : NULL;
}

decimal from_int(int64_t value) {
  wide w = {.negative = value < 0};
  for (uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value; rest > 0; rest /= 10) w.digit[w.count++] = (uint8_t)(rest % 10);
  decimal result = {0};
  narrow(&w, DIGITS, &result);
  return result;
}

decimal negated(decimal value) {
  value.negative = value.count > 0 && !value.negative;
  return value;
}

// magnitude compares without the signs, digit by digit from the highest place of either.
static int magnitude(decimal a, decimal b) {
  int high_a = a.exponent + a.count, high_b = b.exponent + b.count;
  if (a.count == 0 || b.count == 0) return (a.count > 0) - (b.count > 0);
  if (high_a != high_b) return high_a < high_b ? -1 : 1;
  for (int i = 1; i <= DIGITS; i++) {
    int x = i <= a.count ? a.digit[a.count - i] : 0, y = i <= b.count ? b.digit[b.count - i] : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

int compare(decimal a, decimal b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  return a.negative ? -magnitude(a, b) : magnitude(a, b);
}

bool add(decimal a, decimal b, decimal *sum) {
  if (magnitude(a, b) < 0) {
    decimal swap = a;
    a = b, b = swap;
  }
  if (b.count == 0) return *sum = a, true;
  // So far below the last digit, b can only decide how the sum is rounded.
  int floor = a.exponent + a.count - 2 * DIGITS;
  int exponent = a.exponent < b.exponent ? a.exponent : b.exponent;
  if (exponent < floor) exponent = floor;
  wide w = {.negative = a.negative, .exponent = exponent};
  for (int i = 0; i < a.count; i++) w.digit[a.exponent - exponent + i] = a.digit[i];
  int sign = a.negative == b.negative ? 1 : -1, carry = 0;
  bool below = false;
  for (int i = 0; i < b.count; i++) below |= b.exponent + i < exponent && b.digit[i];
  if (below && sign < 0) carry = -1;
  w.sticky = below;
  for (int i = 0; i < WIDE; i++) {
    int place = exponent + i - b.exponent;
    int digit = w.digit[i] + carry + (place >= 0 && place < b.count ? sign * b.digit[place] : 0);
    carry = digit < 0 ? -1 : digit / 10;
    w.digit[i] = (uint8_t)(digit - carry * 10);
  }
  w.count = WIDE;
  return narrow(&w, DIGITS, sum);
}

bool multiply(decimal a, decimal b, decimal *product) {
  wide w = {.negative = a.negative != b.negative, .exponent = a.exponent + b.exponent, .count = a.count + b.count};
  for (int i = 0; i < a.count; i++) {
    int carry = 0;
    for (int j = 0; j < b.count || carry; j++) {
      int digit = w.digit[i + j] + carry + (j < b.count ? a.digit[i] * b.digit[j] : 0);
      w.digit[i + j] = (uint8_t)(digit % 10);
      carry = digit / 10;
    }
  }
  return narrow(&w, DIGITS, product);
}

// take_from subtracts b from the rest where it is not larger, and tells so.
static bool take_from(uint8_t rest[DIGITS + 1], const decimal *b) {
  uint8_t less[DIGITS + 1];
  int borrow = 0;
  for (int i = 0; i <= DIGITS; i++) {
    int digit = rest[i] - borrow - (i < b->count ? b->digit[i] : 0);
    borrow = digit < 0;
    less[i] = (uint8_t)(digit + 10 * borrow);
  }
  if (borrow) return false;
  memcpy(rest, less, sizeof less);
  return true;
}

bool divide(decimal a, decimal b, decimal *quotient) {
  enum { STEPS = 2 * DIGITS + 2 };
  if (b.count == 0) return false;
  wide w = {.negative = a.negative != b.negative, .count = STEPS, .exponent = a.exponent - b.exponent + a.count - STEPS};
  uint8_t rest[DIGITS + 1] = {0};
  for (int step = 0; step < STEPS; step++) {
    memmove(rest + 1, rest, DIGITS);
    rest[0] = step < a.count ? a.digit[a.count - 1 - step] : 0;
    uint8_t *digit = &w.digit[STEPS - 1 - step];
    while (take_from(rest, &b)) ++*digit;
  }
  for (int i = 0; i <= DIGITS; i++) w.sticky |= rest[i] != 0;
  return narrow(&w, DIGITS, quotient);
}

bool remainder_of(decimal a, decimal b, decimal *rest) {
  decimal quotient, product;
  if (!divide(a, b, &quotient)) return false;
  if (quotient.exponent + quotient.count > DIGITS) return false;
  // The whole part: what stands behind the point is cut off.
  int cut = -quotient.exponent;
  if (cut >= quotient.count) {
    quotient = (decimal){0};
  } else if (cut > 0) {
    memmove(quotient.digit, quotient.digit + cut, (size_t)(quotient.count - cut));
    quotient.count -= cut;
    quotient.exponent = 0;
  }
  return multiply(quotient, b, &product) && add(a, negated(product), rest);
}

bool to_int(decimal value, int64_t *whole) {
  if (value.exponent < 0 || value.exponent + value.count > 18) return false;
  int64_t result = 0;
  for (int i = value.count; i-- > 0;) result = result * 10 + value.digit[i];
  for (int i = 0; i < value.exponent; i++) result *= 10;
  *whole = value.negative ? -result : result;
  return true;
}

// square_root is by Newton's rule, from a power of ten that is near.
static bool square_root(decimal value, decimal *root) {
  if (value.negative) return false;
  if (value.count == 0) return *root = value, true;
  decimal x = from_int(1), half = {.count = 1, .exponent = -1, .digit = {5}};
  x.exponent = (value.exponent + value.count) / 2;
  for (int i = 0; i < 60; i++) {
    decimal quotient, sum, next;
    if (!divide(value, x, &quotient) || !add(x, quotient, &sum) || !multiply(sum, half, &next)) return false;
    if (compare(next, x) == 0) break;
    x = next;
  }
  // A root of fewer digits is met exactly; a last digit that swings is not part of it.
  decimal shorter = rounded(x, DIGITS - 1), product;
  if (multiply(shorter, shorter, &product) && compare(product, value) == 0) x = shorter;
  *root = x;
  return true;
}

bool power(decimal base, decimal exponent, decimal *result) {
  const decimal half = {.count = 1, .exponent = -1, .digit = {5}};
  if (compare(exponent, half) == 0) return square_root(base, result);
  int64_t n;
  if (!to_int(exponent, &n)) return false;
  bool below = n < 0;
  uint64_t left = below ? 0 - (uint64_t)n : (uint64_t)n;
  decimal product = from_int(1);
  if (base.count == 0 && below) return false;
  for (decimal square = base; left > 0;) {
    if (left & 1 && !multiply(product, square, &product)) return false;
    left >>= 1;
    if (left > 0 && !multiply(square, square, &square)) return false;
  }
  if (below) return divide(from_int(1), product, result);
  *result = product;
  return true;
}

void put_decimal(text *t, decimal value) {
  if (value.negative) put_word(t, "-");
  int high = value.exponent + value.count;
  bool plain = high > -7 && high <= DIGITS;
  if (value.count == 0) put_word(t, "0");
  if (value.count && plain && high <= 0) put_word(t, "0.");
  for (int i = high; plain && value.count && i < 0; i++) put_word(t, "0");
  for (int i = value.count; i-- > 0;) {
    char digit = (char)('0' + value.digit[i]);
    put(t, &digit, 1);
    bool point = plain ? value.exponent + i == 0 && i > 0 : i == value.count - 1 && i > 0;
    if (point) put_word(t, ".");
  }
  for (int i = 0; plain && i < value.exponent; i++) put_word(t, "0");
  if (value.count && !plain) {
    put_word(t, "E");
    put_int(t, high - 1);
  }
}
