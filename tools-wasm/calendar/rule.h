// Recurrence rules, for servers that do not take series apart themselves.
#ifndef RULE_H
#define RULE_H

#include "when.h"

// each_time calls found with the local start of each time of a series, the first at local start, until it answers false or the
// rule ends. last bounds it. Of a rule's parts BYSETPOS, BYWEEKNO and BYYEARDAY are left aside: such a series has more times here than it
// has, and a slot counts as taken rather than free.
void each_time(const char *rule, long long start, long long last, zone *z, bool (*found)(void *with, long long local), void *with);

#endif
