// The arguments of the calendar's tools. A reader ends the call with a sentence when an argument is not what it must be.
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "json.h"
#include "when.h"

const char *required(json arguments, const char *name);
bool optional_date(json arguments, const char *name, long long *day);
bool optional_time(json arguments, const char *name, int *seconds);

// read_when is the local time that a date and a time say.
long long read_when(json arguments, const char *date, const char *time);

// read_minutes is duration_minutes in seconds.
long long read_minutes(json arguments);

void refuse_past(long long local);

// has_words says whether each word of words stands somewhere in title, in any case of the letters a to z.
bool has_words(const char *title, const char *words);

#endif
