// Units of length, mass, volume, temperature, time, data, speed and area, by the names that people use.
#ifndef UNITS_H
#define UNITS_H

#include "decimal.h"

typedef struct {
  const char *kind;
  const char *names;  // in small letters, each between bars; the first is what answers call it
  const char *factor; // to the kind's first unit: a number, or a quotient such as "5/9"
  const char *zero;   // what is taken away before; "" is nothing
} unit;

// find_unit finds a unit by any of its names; NULL when there is none.
const unit *find_unit(const char *name);

// convert is false when it would be too large.
bool convert(decimal value, const unit *from, const unit *to, decimal *result);

#endif
