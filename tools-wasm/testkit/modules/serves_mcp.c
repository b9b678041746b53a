// An MCP server without an SDK. It looks for words in each line, and answers; see mcp.txtar.
#include <stdio.h>
#include <string.h>

__asm__(".section .custom_section.chatterbox.tool,\"\",@\n.ascii \"{\\\"serve\\\":\\\"mcp\\\"}\"\n.text\n");

static char line[65536], kept[65536];

static void say(const char *text) {
  puts(text);
  fflush(stdout);
}

static int number(void) {
  const char *at = strstr(line, "\"id\":");
  return at ? at[5] - '0' : 0;
}

static void result(const char *text) {
  printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}\n", number(), text);
  fflush(stdout);
}

static int is(const char *word) { return strstr(line, word) != NULL; }

static void list(void) {
  if (is("page2"))
    result("{\"tools\":[{\"name\":\"two\",\"description\":\"The second.\",\"inputSchema\":{\"type\":\"object\"},\"icons\":[]}]}");
  else
    result("{\"tools\":[{\"name\":\"one\",\"description\":\"The first.\",\"inputSchema\":{\"type\":\"object\"}}],\"nextCursor\":\"page2\"}");
}

static int call(void) {
  if (is("\"name\":\"one\"")) {
    say("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"to another call\"}]}}");
    printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"it is", number());
    fflush(stdout);
    say(" one\"}]}}");
  } else if (is("\"name\":\"asks\"")) {
    say("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
    say("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"sampling/createMessage\",\"params\":{}}");
    strcpy(kept, line);
    fgets(line, sizeof line, stdin);
    int pinged = is("\"id\":7,\"result\":{}");
    fgets(line, sizeof line, stdin);
    int refused = is("\"id\":8,\"error\"");
    strcpy(line, kept);
    result(pinged && refused ? "{\"structuredContent\":{\"pinged\":true}}" : "{\"isError\":true,\"content\":[]}");
  } else if (is("\"name\":\"logs\"")) {
    say("not a message");
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"warning\",\"data\":{\"a\":1}}}");
    fputs("on stderr\n", stderr);
    result("{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"a resource\"}}]}");
  } else if (is("\"name\":\"error\"")) {
    printf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":{\"code\":-32602,\"message\":\"unknown tool\"}}\n", number());
    fflush(stdout);
  } else if (is("\"name\":\"leaves\"")) {
    return 3;
  } else if (is("\"name\":\"silent\"")) {
    return 0;
  } // and for any other name it waits for more
  return -1;
}

int main(void) {
  int ready = 0;
  while (fgets(line, sizeof line, stdin)) {
    int status = -1;
    if (is("\"method\":\"initialize\""))
      result("{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"c\",\"version\":\"1\"}}");
    else if (is("notifications/initialized"))
      ready = 1;
    else if (!ready)
      return 9;
    else if (is("\"tools/list\""))
      list();
    else if (is("\"tools/call\""))
      status = call();
    if (status >= 0) return status;
  }
  return 5;
}
