#include "expression.h"

#include <string.h>

#include "host.h"

enum { DEPTH_MAX = 64, FACTORIAL_MAX = 2000 };

typedef struct {
  const char *at;
  int depth;
} reader;

// operand is a value; percent says that it was written as one, so that 80 + 10% are 88.
typedef struct {
  decimal value;
  bool percent;
} operand;

static operand sum(reader *r);

static _Noreturn void too_large(void) { fail("That is too large to calculate", "", ""); }

static void skip(reader *r) { r->at += strspn(r->at, " \t"); }

// takes reads a sign or a word when it stands next.
static bool takes(reader *r, const char *sign) {
  skip(r);
  size_t length = strlen(sign);
  if (strncmp(r->at, sign, length) != 0) return false;
  r->at += length;
  return true;
}

static bool takes_any(reader *r, const char *const *signs) {
  for (; *signs; signs++) {
    if (takes(r, *signs)) return true;
  }
  return false;
}

// number reads digits with commas between thousands.
static bool number(reader *r, decimal *value) {
  char digits[256];
  size_t length = 0;
  const char *at = r->at;
  for (; length < sizeof digits - 1; at++) {
    bool thousands = *at == ',' && length > 0 && strspn(at + 1, "0123456789") == 3;
    if (thousands) continue;
    bool exponent = length > 0 && (*at == 'e' || *at == 'E') && at[1 + (at[1] == '-' || at[1] == '+')] >= '0' &&
                    at[1 + (at[1] == '-' || at[1] == '+')] <= '9';
    bool sign = length > 0 && (*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E');
    if (!exponent && !sign && *at != '.' && (*at < '0' || *at > '9')) break;
    digits[length++] = *at;
  }
  digits[length] = 0;
  if (length == sizeof digits - 1) fail("That number has too many digits", "", "");
  if (length == 0) return false;
  const char *end = read_decimal(digits, value);
  if (!end) too_large();
  if (*end) return false;
  r->at = at;
  return true;
}

static _Noreturn void unread(reader *r) {
  skip(r);
  if (!*r->at) fail("That sum is not complete", "", "");
  fail("I can't read that sum from here on: ", r->at, "");
}

static decimal inside(reader *r) {
  if (!takes(r, "(")) unread(r);
  decimal value = sum(r).value;
  if (!takes(r, ")")) unread(r);
  return value;
}

static decimal root(decimal value) {
  const decimal half = {.count = 1, .exponent = -1, .digit = {5}};
  decimal result;
  if (value.negative) fail("A negative number has no square root", "", "");
  if (!power(value, half, &result)) too_large();
  return result;
}

static decimal primary(reader *r) {
  static const char *const circle[] = {"pi", "π", NULL}, *const roots[] = {"sqrt", "√", NULL};
  decimal value;
  skip(r);
  if (*r->at == '(') return inside(r);
  if (takes_any(r, roots)) return root(primary(r));
  if (takes_any(r, circle)) {
    read_decimal("3.141592653589793238462643383279503", &value);
    return value;
  }
  if (!number(r, &value)) unread(r);
  return value;
}

static decimal factorial(decimal value) {
  int64_t n;
  if (!to_int(value, &n) || n < 0) fail("Only whole numbers have a factorial", "", "");
  if (n > FACTORIAL_MAX) too_large();
  decimal product = from_int(1);
  for (int64_t i = 2; i <= n; i++) {
    if (!multiply(product, from_int(i), &product)) too_large();
  }
  return product;
}

static operand signed_one(reader *r);

// postfix reads a number with what stands behind it: a power, a factorial, a percent sign.
static operand postfix(reader *r) {
  static const char *const powers[] = {"**", "^", NULL};
  operand result = {.value = primary(r)};
  for (;;) {
    if (takes(r, "!")) {
      result.value = factorial(result.value);
    } else if (takes(r, "²")) {
      if (!power(result.value, from_int(2), &result.value)) too_large();
    } else if (takes(r, "%")) {
      result.percent = true;
      if (!divide(result.value, from_int(100), &result.value)) too_large();
    } else {
      break;
    }
  }
  if (!takes_any(r, powers)) return result;
  decimal exponent = signed_one(r).value;
  int64_t whole;
  bool half = exponent.count == 1 && exponent.digit[0] == 5 && exponent.exponent == -1 && !exponent.negative;
  if (half) return (operand){.value = root(result.value)};
  if (exponent.exponent < 0) fail("Only whole powers can be calculated", "", "");
  if (result.value.count == 0 && exponent.negative) fail("Nothing can be divided by zero", "", "");
  if (!to_int(exponent, &whole) || !power(result.value, exponent, &result.value)) too_large();
  return (operand){.value = result.value};
}

static operand signed_one(reader *r) {
  static const char *const minus[] = {"-", "−", NULL};
  if (++r->depth > DEPTH_MAX) fail("That sum is nested too deeply", "", "");
  operand result;
  if (takes_any(r, minus)) {
    result = signed_one(r);
    result.value = negated(result.value);
  } else {
    result = takes(r, "+") ? signed_one(r) : postfix(r);
  }
  r->depth--;
  return result;
}

static operand product(reader *r) {
  static const char *const times[] = {"*", "×", "·", "x", "of", NULL}, *const over[] = {"/", "÷", ":", NULL};
  operand left = signed_one(r);
  for (;;) {
    bool multiplies = takes_any(r, times), divides = !multiplies && takes_any(r, over), rest = !multiplies && !divides && takes(r, "mod");
    skip(r);
    if (!multiplies && !divides && !rest && *r->at == '(') multiplies = true;
    if (!multiplies && !divides && !rest) return left;
    decimal right = signed_one(r).value;
    left.percent = false;
    if (!multiplies && right.count == 0) fail("Nothing can be divided by zero", "", "");
    bool done = multiplies ? multiply(left.value, right, &left.value)
                : divides  ? divide(left.value, right, &left.value)
                           : remainder_of(left.value, right, &left.value);
    if (!done) too_large();
  }
}

static operand sum(reader *r) {
  static const char *const plus[] = {"+", NULL}, *const minus[] = {"-", "−", NULL};
  if (++r->depth > DEPTH_MAX) fail("That sum is nested too deeply", "", "");
  operand left = product(r);
  for (;;) {
    bool adds = takes_any(r, plus), takes_away = !adds && takes_any(r, minus);
    if (!adds && !takes_away) break;
    operand right = product(r);
    if (right.percent && !multiply(left.value, right.value, &right.value)) too_large();
    if (!add(left.value, takes_away ? negated(right.value) : right.value, &left.value)) too_large();
    left.percent = false;
  }
  r->depth--;
  return left;
}

decimal calculate(const char *expression) {
  reader r = {.at = expression};
  decimal value = sum(&r).value;
  skip(&r);
  if (*r.at) unread(&r);
  return value;
}
