// Sums as people write them: + - * / ^ ( ) %, sqrt(2), 5!, 17 mod 5, pi.
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "decimal.h"

// calculate gives the value, or ends the call with a sentence that says what is wrong.
decimal calculate(const char *expression);

#endif
