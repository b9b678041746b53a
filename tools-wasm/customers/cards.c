#include "cards.h"

#include <string.h>
#include <strings.h>

#include "host.h"
#include "ical.h"

// ask sends a query for the cards that fit the filter; NULL when they are too many for an answer.
static char *ask(const char *url, const text *filter) {
  text body = {0}, input = {0};
  put_word(&body, "<?xml version=\"1.0\" encoding=\"utf-8\"?><C:addressbook-query xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:carddav\">"
                  "<D:prop><C:address-data><C:prop name=\"VERSION\"/><C:prop name=\"FN\"/><C:prop name=\"N\"/><C:prop name=\"ORG\"/>"
                  "<C:prop name=\"TEL\"/><C:prop name=\"EMAIL\"/><C:prop name=\"ADR\"/><C:prop name=\"NOTE\"/><C:prop name=\"KIND\"/>"
                  "<C:prop name=\"X-ADDRESSBOOKSERVER-KIND\"/></C:address-data></D:prop><C:filter test=\"allof\">");
  put(&body, filter->at ? filter->at : "", filter->length);
  put_word(&body, "</C:filter></C:addressbook-query>");
  put_word(&input, "{\"method\":\"REPORT\",\"url\":");
  put_quoted(&input, url, strlen(url));
  put_word(&input, ",\"headers\":{\"Depth\":\"1\",\"Content-Type\":\"application/xml; charset=utf-8\"},\"body\":");
  put_quoted(&input, body.at, body.length);
  put_word(&input, "}");
  json answer = host_request(&input), value;
  if (json_member(answer, "error", &value)) {
    const char *kind = member_string(answer, "kind"), *error = member_string(answer, "error");
    if (kind && strcmp(kind, "too_large") == 0) return NULL;
    if (kind && strcmp(kind, "timeout") == 0) fail("The address book did not answer in time", "", "");
    fail("The address book cannot be reached: ", error ? error : "no reason was given", "");
  }
  double status = 0;
  member_number(answer, "status", &status);
  if (status == 401 || status == 403) fail("The address book refused the user name or the password: look at tools.customers.user and tools.customers.password", "", "");
  if (status == 404) fail("There is no address book where tools.customers.url says", "", "");
  text number = {0};
  put_int(&number, (int)status);
  if (status != 207) fail("The address book answered with ", written(&number), ". Is tools.customers.url one of CardDAV?");
  char *cards = member_string(answer, "body");
  if (!cards) fail("The address book sent an answer that cannot be read", "", "");
  return cards;
}

static void put_markup(text *t, const char *words, size_t length) {
  for (size_t i = 0; i < length; i++) {
    switch (words[i]) {
    case '&': put_word(t, "&amp;"); break;
    case '<': put_word(t, "&lt;"); break;
    default: put(t, &words[i], 1);
    }
  }
}

// put_filter asks for cards that have words in a property.
static void put_filter(text *t, const char *name, const char *words, size_t length) {
  put_word(t, "<C:prop-filter name=\"");
  put_word(t, name);
  put_word(t, "\"><C:text-match collation=\"i;unicode-casemap\" match-type=\"contains\">");
  put_markup(t, words, length);
  put_word(t, "</C:text-match></C:prop-filter>");
}

xml_response open_book(const char *url, const char *name, const char *email) {
  static const char between[] = " \t\r\n,.";
  text filter = {0};
  char *cards = ask(url, &filter);
  if (cards) return (xml_response){.at = cards};
  for (const char *at = name; *(at += strspn(at, between)); at += strcspn(at, between)) put_filter(&filter, "FN", at, strcspn(at, between));
  if (*email) put_filter(&filter, "EMAIL", email, strlen(email));
  if (!filter.length) fail("The address book is too large to be searched by telephone number. Say the name, too", "", "");
  cards = ask(url, &filter);
  if (!cards) fail("Too many in the address book fit. Say more of the name", "", "");
  return (xml_response){.at = cards};
}

// put_listed adds words to a list.
static void put_listed(text *t, const char *words) {
  words += strspn(words, " ");
  if (!*words) return;
  if (t->length) put_word(t, ", ");
  put_word(t, words);
}

// put_parts adds the parts of a structured value, which semicolons divide, in the order in which they stand.
static void put_parts(text *t, const char *value) {
  for (const char *from = value, *at = value;; at++) {
    if (*at == '\\' && at[1]) {
      at++;
    } else if (*at == ';' || !*at) {
      put_listed(t, words_of(word(from, (size_t)(at - from))));
      if (!*at) return;
      from = at + 1;
    }
  }
}

// put_person writes a name of family; given; …: the given one first.
static void put_person(text *t, const char *value) {
  const char *given = value; // stands behind the first semicolon
  while (*given && *given != ';') given += *given == '\\' && given[1] ? 2 : 1;
  size_t family = (size_t)(given - value);
  if (*given) given++;
  const char *end = given;
  while (*end && *end != ';') end += *end == '\\' && end[1] ? 2 : 1;
  put_word(t, words_of(word(given, (size_t)(end - given))));
  if (t->length && family) put_word(t, " ");
  put_word(t, words_of(word(value, family)));
}

// read_card is false for a group of others, and for a card without a name.
static bool read_card(const char *data, customer *c) {
  text name = {0}, person = {0}, company = {0}, phones = {0}, emails = {0}, address = {0}, notes = {0};
  property p;
  for (char *at = unfolded(data); at;) {
    if (!next_property(&at, &p)) continue;
    const char *dot = strchr(p.name, '.'), *called = dot ? dot + 1 : p.name, *value = words_of(p.value);
    if (strcasecmp(called, "FN") == 0 && !name.length) put_word(&name, value);
    if (strcasecmp(called, "N") == 0 && !person.length) put_person(&person, p.value);
    if (strcasecmp(called, "ORG") == 0 && !company.length) put_parts(&company, p.value);
    if (strcasecmp(called, "TEL") == 0) put_listed(&phones, strncasecmp(value, "tel:", 4) == 0 ? value + 4 : value);
    if (strcasecmp(called, "EMAIL") == 0) put_listed(&emails, value);
    if (strcasecmp(called, "ADR") == 0 && !address.length) put_parts(&address, p.value);
    if (strcasecmp(called, "NOTE") == 0) put_listed(&notes, value);
    bool kind = strcasecmp(called, "KIND") == 0 || strcasecmp(called, "X-ADDRESSBOOKSERVER-KIND") == 0;
    if (kind && strcasecmp(value, "group") == 0) return false;
  }
  text *named = name.length ? &name : person.length ? &person : &company;
  *c = (customer){{written(named), written(&phones), written(&emails), written(&address), written(&notes)}};
  return *c->values[NAME] != 0;
}

bool next_card(xml_response *book, customer *c) {
  while (xml_next(book)) {
    if (book->data && read_card(book->data, c)) return true;
  }
  return false;
}
