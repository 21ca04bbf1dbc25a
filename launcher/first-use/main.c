/*
 * `bootcut-first-use`: two small parts of a launch whose step waits for its first use. Started under another name it is a
 * shim for that command; under its own, `bootcut-first-use files …` keeps the files of a launch.
 */
#include "ask.h"
#include "files.h"
#include "shim.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static const char OWN_NAME[] = "bootcut-first-use";

int main(int argc, char **argv) {
  /* The path we were started by, whatever our caller has put into argv[0]: in a shim's case our link on the PATH. */
  const char *const own = (const char *)(uintptr_t)getauxval(AT_EXECFN);
  if (own == NULL || argc < 1) return 127;
  const char *const slash = strrchr(own, '/');
  if (strcmp(slash == NULL ? own : slash + 1, OWN_NAME) != 0) return run_shim(own, argv);
  if (argc > 1 && strcmp(argv[1], "files") == 0) return keep_files(argv + 2);
  fprintf(stderr, "bootcut: %s is started by bootcut itself\n", OWN_NAME);
  return 2;
}
