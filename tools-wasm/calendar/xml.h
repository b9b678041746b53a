// The responses of a WebDAV multistatus, read as text: names are compared without their prefix.
#ifndef XML_H
#define XML_H

#include <stdbool.h>

typedef struct {
  const char *at; // where reading goes on
  const char *href, *etag, *data; // of the response; NULL where it has none
} xml_response;

// xml_next reads the next response that has an address; false at the end.
bool xml_next(xml_response *response);

#endif
