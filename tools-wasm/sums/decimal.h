// Decimal numbers of 34 digits, rounded half to even: what IEEE 754 calls decimal128, without its special values.
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum { DIGITS = 34, EXPONENT_MAX = 6144 };

// decimal is digit[0] + digit[1] * 10 + … times 10 to the power of exponent. Zero has no digits.
typedef struct {
  bool negative;
  int count, exponent;
  uint8_t digit[DIGITS];
} decimal;

// read_decimal reads digits with at most one point, and an exponent such as e12; NULL when text does not begin so.
const char *read_decimal(const char *text, decimal *value);
decimal from_int(int64_t value);

// What can't be told is false: a quotient by zero, an exponent above EXPONENT_MAX. The result is then not set.
bool add(decimal a, decimal b, decimal *sum);
bool multiply(decimal a, decimal b, decimal *product);
bool divide(decimal a, decimal b, decimal *quotient);
bool power(decimal base, decimal exponent, decimal *result); // whole exponents, and a half for the square root
bool remainder_of(decimal a, decimal b, decimal *rest);      // has the sign of a
bool to_int(decimal value, int64_t *whole);                  // false for what is no whole number of at most 18 digits

decimal rounded(decimal value, int digits); // to at most so many
decimal negated(decimal value);
int compare(decimal a, decimal b);

// put_decimal writes the number out where it is short enough, and with an exponent otherwise.
void put_decimal(text *t, decimal value);

#endif
