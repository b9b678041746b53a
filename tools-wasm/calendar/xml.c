#include "xml.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"

// tag is one tag of the text.
typedef struct {
  const char *name; // without its prefix
  size_t length;
  bool closes, empty;
  const char *end; // behind the tag
} tag;

// next_tag finds the next tag that is neither a comment nor an instruction.
static bool next_tag(const char *at, tag *found) {
  while ((at = strchr(at, '<'))) {
    const char *skip = NULL;
    if (strncmp(at, "<!--", 4) == 0) skip = strstr(at, "-->");
    else if (strncmp(at, "<![CDATA[", 9) == 0) skip = strstr(at, "]]>");
    else if (at[1] == '?' || at[1] == '!') skip = strchr(at, '>');
    else break;
    if (!skip) return false;
    at = skip + 1;
  }
  if (!at) return false;
  at++;
  found->closes = *at == '/';
  if (found->closes) at++;
  size_t length = strcspn(at, " \t\r\n/>");
  const char *prefix = memchr(at, ':', length);
  found->name = prefix ? prefix + 1 : at;
  found->length = length - (size_t)(found->name - at);
  bool quoted = false;
  char quote = 0;
  for (at += length; *at && (*at != '>' || quoted); at++) {
    if (!quoted && (*at == '"' || *at == '\'')) quoted = true, quote = *at;
    else if (quoted && *at == quote) quoted = false;
  }
  if (!*at) return false;
  found->empty = at[-1] == '/';
  found->end = at + 1;
  return true;
}

static bool is(const tag *t, const char *name) { return strlen(name) == t->length && memcmp(t->name, name, t->length) == 0; }

static void put_rune(text *t, unsigned rune) {
  char out[4];
  size_t n = 0;
  if (rune < 0x80) {
    out[n++] = (char)rune;
  } else if (rune < 0x800) {
    out[n++] = (char)(0xc0 | rune >> 6);
  } else {
    if (rune < 0x10000) {
      out[n++] = (char)(0xe0 | rune >> 12);
    } else {
      out[n++] = (char)(0xf0 | rune >> 18);
      out[n++] = (char)(0x80 | (rune >> 12 & 0x3f));
    }
    out[n++] = (char)(0x80 | (rune >> 6 & 0x3f));
  }
  if (rune >= 0x80) out[n++] = (char)(0x80 | (rune & 0x3f));
  put(t, out, n);
}

// put_entity writes what stands for a character; at is behind the &. It answers where the text goes on.
static const char *put_entity(text *t, const char *at) {
  static const struct {
    const char *name;
    char is;
  } named[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    if (strncmp(at, named[i].name, strlen(named[i].name)) == 0) {
      put(t, &named[i].is, 1);
      return at + strlen(named[i].name);
    }
  }
  if (*at == '#') {
    char *end;
    unsigned long rune = at[1] == 'x' ? strtoul(at + 2, &end, 16) : strtoul(at + 1, &end, 10);
    if (*end == ';' && rune > 0 && rune < 0x110000 && (rune < 0xd800 || rune > 0xdfff)) {
      put_rune(t, (unsigned)rune);
      return end + 1;
    }
  }
  put_word(t, "&");
  return at;
}

// content is the text of an element that begins at at, up to the next tag.
static char *content(const char *at) {
  text t = {0};
  while (*at) {
    if (strncmp(at, "<![CDATA[", 9) == 0) {
      const char *end = strstr(at, "]]>");
      if (!end) break;
      put(&t, at + 9, (size_t)(end - at - 9));
      at = end + 3;
    } else if (*at == '<') {
      break;
    } else if (*at == '&') {
      at = put_entity(&t, at + 1);
    } else {
      size_t length = strcspn(at, "<&");
      put(&t, at, length);
      at += length;
    }
  }
  return written(&t);
}

static char *trimmed(char *words) {
  words += strspn(words, " \t\r\n");
  size_t length = strlen(words);
  while (length && strchr(" \t\r\n", words[length - 1])) length--;
  words[length] = 0;
  return words;
}

bool xml_next(xml_response *response) {
  response->href = response->etag = response->data = NULL;
  bool inside = false;
  for (tag t; next_tag(response->at, &t);) {
    response->at = t.end;
    if (is(&t, "response")) {
      if (t.closes && inside && response->href) return true;
      inside = !t.closes && !t.empty;
      response->href = response->etag = response->data = NULL;
    }
    if (!inside || t.closes || t.empty) continue;
    if (is(&t, "href") && !response->href) response->href = trimmed(content(t.end));
    if (is(&t, "getetag")) response->etag = trimmed(content(t.end));
    if (is(&t, "calendar-data") || is(&t, "address-data")) response->data = content(t.end);
  }
  return false;
}
