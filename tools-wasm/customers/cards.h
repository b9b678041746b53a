// The cards of an address book on a CardDAV server: RFC 6352, with vCards of RFC 2426 or 6350.
#ifndef CARDS_H
#define CARDS_H

#include "customer.h"
#include "xml.h"

// open_book asks for the cards: for all, or, of a book that is too large to be sent as a whole, for those that have each word of the
// name, and the email. It ends the call when the server does not give them.
xml_response open_book(const char *url, const char *name, const char *email);

// next_card reads the next card of a person or a company; false at the end.
bool next_card(xml_response *book, customer *c);

#endif
