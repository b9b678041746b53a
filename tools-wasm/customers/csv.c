#include "csv.h"

#include <string.h>

csv csv_open(char *text) {
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; // a byte order mark
  size_t line = strcspn(text, "\r\n");
  const char *semicolon = memchr(text, ';', line), *comma = memchr(text, ',', line);
  return (csv){text, semicolon && (!comma || semicolon < comma) ? ';' : ','};
}

// field ends at a separator, a line or the text's end; last says that no other follows in its row.
static char *field(csv *table, bool *last) {
  char *from = table->at, *to = from, *begin = from;
  bool quoted = *from == '"';
  if (quoted) from++;
  for (; *from; from++) {
    if (quoted && *from == '"') {
      if (from[1] != '"') {
        quoted = false;
        continue;
      }
      from++;
    } else if (!quoted && (*from == table->separator || *from == '\n' || *from == '\r')) {
      break;
    }
    *to++ = *from;
  }
  *last = *from != table->separator;
  char *next = from;
  if (*next == '\r') next++;
  if (*from && (*next == '\n' || next == from)) next++;
  *to = 0;
  table->at = next;
  return begin;
}

bool csv_row(csv *table, char *fields[COLUMNS_MAX], int *count) {
  while (*table->at) {
    bool last = false, any = false;
    *count = 0;
    while (!last) {
      char *value = field(table, &last);
      any = any || *value;
      if (*count < COLUMNS_MAX) fields[(*count)++] = value;
    }
    if (any) return true;
  }
  return false;
}
