// What switches something. Each function ends the call with its result.
#ifndef DEVICES_H
#define DEVICES_H

#include "json.h"

_Noreturn void lights(json arguments);
_Noreturn void media(json arguments);
_Noreturn void scenes(json arguments);

#endif
