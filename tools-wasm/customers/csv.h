// A table as text: RFC 4180, with commas or semicolons.
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { COLUMNS_MAX = 32 };

typedef struct {
  char *at; // what is left; csv_row writes zeros into it
  char separator;
} csv;

// csv_open begins a text that ends with a zero; its first row says what separates.
csv csv_open(char *text);

// csv_row reads the next row that is not empty; false at the end. Fields beyond COLUMNS_MAX are left out.
bool csv_row(csv *table, char *fields[COLUMNS_MAX], int *count);

#endif
