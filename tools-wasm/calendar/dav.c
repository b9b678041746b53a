#include "dav.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "xml.h"

const char *calendar_url(void) {
  const char *configured = getenv("CALENDAR_URL");
  return configured && *configured ? configured : "http://agenda.internal/dav/calendars/home/";
}

typedef struct {
  int status;
  char *body;
  const char *etag;
} reply;

// not_reached ends the call of a request without an answer. A change may have been made all the same.
static _Noreturn void not_reached(json answer, bool changes) {
  char *kind = member_string(answer, "kind"), *error = member_string(answer, "error");
  bool sent = kind && (strcmp(kind, "timeout") == 0 || strcmp(kind, "protocol") == 0);
  if (sent && changes) fail("The calendar did not answer in time. It is not known whether the change was made: look at the calendar", "", "");
  if (sent) fail("The calendar did not answer in time", "", "");
  fail("The calendar cannot be reached: ", error ? error : "no reason was given", "");
}

static reply request(const char *method, const char *url, const char *header, const char *value, const char *type, const text *body) {
  text input = {0};
  put_word(&input, "{\"method\":\"");
  put_word(&input, method);
  put_word(&input, "\",\"url\":");
  put_quoted(&input, url, strlen(url));
  put_word(&input, ",\"headers\":{");
  if (type) {
    put_word(&input, "\"Content-Type\":");
    put_quoted(&input, type, strlen(type));
    put_word(&input, ",");
  }
  put_quoted(&input, header, strlen(header));
  put_word(&input, ":");
  put_quoted(&input, value, strlen(value));
  put_word(&input, "}");
  if (body) {
    put_word(&input, ",\"body\":");
    put_quoted(&input, body->at, body->length);
  }
  put_word(&input, "}");
  json answer = host_request(&input), headers;
  if (json_member(answer, "error", &headers)) not_reached(answer, *method == 'P' || *method == 'D');
  double status = 0;
  member_number(answer, "status", &status);
  reply r = {(int)status, member_string(answer, "body"), NULL};
  if (json_member(answer, "headers", &headers)) r.etag = member_string(headers, "etag");
  if (r.status == 401 || r.status == 403) fail("The calendar refused the user name or the password", r.status == 403 ? ", or this request" : "", "");
  if (done(r.status) || r.status == 404 || r.status == 409 || r.status == 412) return r;
  text number = {0};
  put_int(&number, r.status);
  fail("The calendar answered with error ", written(&number), "");
}

static void put_range(text *t, const char *element, instant start, instant end) {
  put_word(t, element);
  put_word(t, " start=\"");
  put_stamp(t, start);
  put_word(t, "\" end=\"");
  put_stamp(t, end);
  put_word(t, "\"/>");
}

bool list(const char *calendar, const text *wanted, const text *filter, void (*with_object)(void *with, const char *data, const char *href, const char *etag),
          void *with) {
  text body = {0};
  put_word(&body, "<?xml version=\"1.0\" encoding=\"utf-8\"?><C:calendar-query xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">"
                  "<D:prop><D:getetag/><C:calendar-data>");
  put(&body, wanted->at ? wanted->at : "", wanted->length);
  put_word(&body, "</C:calendar-data></D:prop><C:filter><C:comp-filter name=\"VCALENDAR\">");
  put(&body, filter->at, filter->length);
  put_word(&body, "</C:comp-filter></C:filter></C:calendar-query>");
  reply r = request("REPORT", calendar, "Depth", "1", "application/xml; charset=utf-8", &body);
  if (r.status == 404) return false;
  if (r.status != 207 || !r.body) fail("The calendar sent an answer that cannot be read", "", "");
  for (xml_response response = {.at = r.body}; xml_next(&response);) {
    if (response.data) with_object(with, response.data, response.href, response.etag);
  }
  return true;
}

// range is what events are looked for in.
typedef struct {
  events *found;
  instant start, end;
} range;

static void add_object(void *with, const char *data, const char *href, const char *etag) {
  range *r = with;
  read_object(r->found, data, href, etag, r->start, r->end);
}

bool query(const char *calendar, instant start, instant end, events *found) {
  text wanted = {0}, filter = {0};
  put_range(&wanted, "<C:expand", start, end);
  put_word(&filter, "<C:comp-filter name=\"VEVENT\">");
  put_range(&filter, "<C:time-range", start, end);
  put_word(&filter, "</C:comp-filter>");
  range r = {found, start, end};
  if (!list(calendar, &wanted, &filter, add_object, &r)) return false;
  sort(found);
  return true;
}

static const char object_type[] = "text/calendar; charset=utf-8";

int create(const char *url, const text *object) { return request("PUT", url, "If-None-Match", "*", object_type, object).status; }

int replace(const char *url, const text *object, const char *etag) {
  return request("PUT", url, "If-Match", etag, object_type, object).status;
}

int delete(const char *url, const char *etag) { return request("DELETE", url, "If-Match", etag, NULL, NULL).status; }

char *fetch(const char *url, const char **etag) {
  reply r = request("GET", url, "Accept", "text/calendar", NULL, NULL);
  if (!done(r.status)) return NULL;
  if (!r.body || !r.etag) fail("The calendar sent an answer that cannot be read", "", "");
  *etag = r.etag;
  return r.body;
}

const char *url_of(const char *href) {
  const char *path = href, *calendar = calendar_url(), *host = strstr(calendar, "://");
  if (!host) fail("The calendar's address is not one: ", calendar, "");
  if (*path != '/') { // a whole address; only its path counts
    path = strstr(href, "://");
    path = path ? strchr(path + 3, '/') : NULL;
    if (!path) fail("The calendar sent an answer that cannot be read", "", "");
  }
  host += 3;
  text url = {0};
  put(&url, calendar, (size_t)(host - calendar) + strcspn(host, "/"));
  put_word(&url, path);
  return written(&url);
}
