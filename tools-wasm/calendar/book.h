// Bookings that two at once cannot both have.
#ifndef BOOK_H
#define BOOK_H

#include "dav.h"

// booking is what shall be put into the calendar, and how it came out.
typedef struct {
  event e;             // uid and created are filled in
  const char *summary; // as people write it
  const char *except;  // the uid of an event that is in nobody's way; NULL is none
  const char *url;     // of the object, when it was booked
} booking;

// put_name writes an identity that follows from what it stands for.
void put_name(text *t, const text *seed);

// book is false when the time is taken. A booking of the same summary at the same time that is there already is this one.
bool book(booking *b);

// in_the_way says whether an event takes time that others cannot have. A claim that nobody made certain for a while does not.
bool in_the_way(const event *e, const char *except);

#endif
