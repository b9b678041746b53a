// A customer, wherever it stands.
#ifndef CUSTOMER_H
#define CUSTOMER_H

enum { NAME, PHONE, EMAIL, ADDRESS, NOTES, MEMBERS };

typedef struct {
  const char *values[MEMBERS]; // "" where there is none; of several phones or emails all, with commas between them
} customer;

#endif
