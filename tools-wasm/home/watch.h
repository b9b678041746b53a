// What looks at something. Each function ends the call with its result.
#ifndef WATCH_H
#define WATCH_H

#include "json.h"

_Noreturn void show_camera_feed(json arguments);
_Noreturn void get_current_detections(json arguments);
_Noreturn void zones(json arguments);
_Noreturn void where_am_i(json arguments);
_Noreturn void get_location(json arguments);

#endif
