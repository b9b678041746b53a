// A tool in C without an SDK: arguments on stdin, result on stdout, log on stderr, tool's name in argv[1].
// zig cc -target wasm32-wasi -Oz -s -Wl,-z,stack-size=65536 plain_c.c -o plain_c.wasm
#include <stdio.h>

int main(int argc, char **argv) {
  int bytes = 0;
  while (getchar() != EOF) bytes++;
  fprintf(stderr, "%s\n", argc > 1 ? argv[1] : "no name");
  if (bytes < 3) return 1;
  printf("{\"bytes\":%d}\n", bytes);
  return 0;
}
