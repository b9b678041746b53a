// lookup_customer, a stdio tool: the arguments on stdin, the customers on stdout. They stand in an address book where one is configured, else
// in a table that the host hands over.

#include <stdlib.h>
#include <string.h>

#include "cards.h"
#include "csv.h"
#include "customer.h"
#include "host.h"
#include "names.h"

// A value is told up to a length, so that five customers are a result that the host takes, whatever stands in it.
enum { FOUND_MAX = 5, DIGITS_MIN = 6, VALUE_BYTES_MAX = 256, NOTES_BYTES_MAX = 1000 };

static const char *const members[MEMBERS] = {"name", "phone", "email", "address", "notes"};

// titles are what a column may be called, in small letters.
static const char *const titles[][2] = {{"name", "name"}, {"customer", "name"}, {"customer name", "name"}, {"full name", "name"}, {"kunde", "name"},
                                        {"phone", "phone"}, {"telephone", "phone"}, {"phone number", "phone"}, {"mobile", "phone"}, {"telefon", "phone"},
                                        {"telefonnummer", "phone"}, {"email", "email"}, {"e mail", "email"}, {"mail", "email"}, {"address", "address"},
                                        {"street", "address"}, {"adresse", "address"}, {"anschrift", "address"}, {"notes", "notes"}, {"note", "notes"},
                                        {"notiz", "notes"}, {"notizen", "notes"}};
static const kind no_kinds[] = {{NULL, false}};

static char *table_text(void) {
  const char *url = getenv("CUSTOMERS_URL");
  text input = {0};
  put_word(&input, "{\"url\":");
  put_quoted(&input, url ? url : "", url ? strlen(url) : 0);
  put_word(&input, "}");
  json answer = host_request(&input), error;
  double status = 0;
  if (json_member(answer, "error", &error)) fail("The customers cannot be read: ", member_string(answer, "error"), "");
  member_number(answer, "status", &status);
  if (status == 404) fail("There is no file customers.csv in the data folder", "", "");
  char *body = member_string(answer, "body");
  if (status != 200 || !body) fail("The customers cannot be read: customers.csv must be text in UTF-8, and not too large", "", "");
  return body;
}

static int member_of(const char *title) {
  text folded = {0};
  for (; *title; title++) {
    char c = *title >= 'A' && *title <= 'Z' ? (char)(*title | 0x20) : *title;
    if (c == '_' || c == '-') c = ' ';
    if (c != ' ' || (folded.length && title[1])) put(&folded, &c, 1);
  }
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
    if (strcmp(titles[i][0], written(&folded)) != 0) continue;
    for (int m = 0; m < MEMBERS; m++) {
      if (strcmp(members[m], titles[i][1]) == 0) return m;
    }
  }
  return -1;
}

// digits are those of a telephone number.
static char *digits(const char *number) {
  text t = {0};
  for (; *number; number++) {
    if (*number >= '0' && *number <= '9') put(&t, number, 1);
  }
  return written(&t);
}

// same_phone compares the ends, because one of the two may have the country in front and the other a zero.
static bool same_phone(const char *a, const char *b) {
  const char *x = digits(a), *y = digits(b);
  x += strspn(x, "0");
  y += strspn(y, "0");
  size_t lx = strlen(x), ly = strlen(y), n = lx < ly ? lx : ly;
  return n >= DIGITS_MIN && strcmp(x + lx - n, y + ly - n) == 0;
}

static bool same_letters(const char *a, const char *b) {
  for (; *a && *b; a++, b++) {
    char x = *a >= 'A' && *a <= 'Z' ? (char)(*a | 0x20) : *a, y = *b >= 'A' && *b <= 'Z' ? (char)(*b | 0x20) : *b;
    if (x != y) return false;
  }
  return *a == *b;
}

// any_same says whether one of a list, which commas or semicolons divide, is the same.
static bool any_same(const char *list, const char *wanted, bool (*same)(const char *, const char *)) {
  while (*(list += strspn(list, " \t\r\n,;"))) {
    size_t length = strcspn(list, ",;");
    if (same(word(list, length), wanted)) return true;
    list += length;
  }
  return false;
}

static const char *said(json arguments, const char *name) {
  const char *value = member_string(arguments, name);
  return value ? value + strspn(value, " \t\r\n") : "";
}

// fits_all says how well a customer fits what was said.
static fit fits_all(const customer *c, json arguments, const phrase *wanted) {
  const char *phone = said(arguments, "phone"), *email = said(arguments, "email");
  if (*phone && !any_same(c->values[PHONE], phone, same_phone)) return NO_FIT;
  if (*email && !any_same(c->values[EMAIL], email, same_letters)) return NO_FIT;
  if (!wanted->count) return SAME;
  phrase name = read_phrase(c->values[NAME], no_kinds);
  return fits(wanted, &name);
}

static const char *shortened(const char *words, size_t most) {
  size_t length = strlen(words);
  if (length <= most) return words;
  for (length = most; length && ((unsigned char)words[length] & 0xc0) == 0x80;) length--;
  return word(words, length);
}

static void put_customers(text *t, const char *member, const customer *found, int count, int values) {
  put_word(t, ",\"");
  put_word(t, member);
  put_word(t, "\":[");
  for (int i = 0; i < count; i++) {
    put_word(t, i ? ",{" : "{");
    for (int m = 0; m < values; m++) {
      if (*found[i].values[m]) put_member(t, members[m], shortened(found[i].values[m], m == NOTES ? NOTES_BYTES_MAX : VALUE_BYTES_MAX));
    }
    put_word(t, "}");
  }
  put_word(t, "]");
}

static void columns_of(csv *table, int columns[COLUMNS_MAX]) {
  char *fields[COLUMNS_MAX];
  int count = 0;
  bool named = false;
  csv_row(table, fields, &count);
  for (int i = 0; i < COLUMNS_MAX; i++) {
    columns[i] = i < count ? member_of(fields[i]) : -1;
    named = named || columns[i] == NAME;
  }
  if (!named) fail("The first line of customers.csv must name the columns, one of them name; others are phone, email, address and notes", "", "");
}

// choice is the customers that fit best.
typedef struct {
  json arguments;
  phrase wanted;
  customer best[FOUND_MAX];
  int found, more; // more are those that there was no room for
  fit how;
} choice;

static void consider(choice *c, const customer *one) {
  fit now = fits_all(one, c->arguments, &c->wanted);
  if (now < c->how) return;
  if (now > c->how) c->found = c->more = 0;
  c->how = now;
  if (c->found < FOUND_MAX) {
    c->best[c->found++] = *one;
  } else {
    c->more++;
  }
}

static void read_table(choice *c) {
  csv table = csv_open(table_text());
  int columns[COLUMNS_MAX], count;
  columns_of(&table, columns);
  for (char *fields[COLUMNS_MAX]; csv_row(&table, fields, &count);) {
    customer one = {{"", "", "", "", ""}};
    for (int i = 0; i < count; i++) {
      if (columns[i] >= 0 && !*one.values[columns[i]]) one.values[columns[i]] = fields[i];
    }
    consider(c, &one);
  }
}

static void read_book(choice *c, const char *url) {
  xml_response book = open_book(url, said(c->arguments, "name"), said(c->arguments, "email"));
  for (customer one; next_card(&book, &one);) consider(c, &one);
}

int main(void) {
  text t = {0};
  choice c = {.how = FITS_IN_PART, .arguments = read_arguments()};
  c.wanted = read_phrase(said(c.arguments, "name"), no_kinds);
  if (!c.wanted.count && !*said(c.arguments, "phone") && !*said(c.arguments, "email")) fail("Say who is meant: name, phone or email", "", "");
  const char *book = getenv("ADDRESS_BOOK_URL");
  if (book && *book) {
    read_book(&c, book);
  } else {
    read_table(&c);
  }
  if (c.found == 0) fail("There is no such customer", "", "");
  if (c.more) {
    put_word(&t, "{\"error\":\"Many customers fit. Say more of the name, or the phone number\"");
    put_customers(&t, "candidates", c.best, c.found, 1);
  } else {
    put_word(&t, "{\"count\":");
    put_int(&t, c.found);
    put_customers(&t, "customers", c.best, c.found, MEMBERS);
  }
  put_word(&t, "}");
  print(&t);
}
