#include "shim.h"

#include "ask.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a shell says of a command that is not there, and of one that it cannot execute. */
enum { NOT_FOUND = 127, NOT_EXECUTABLE = 126 };

/* Where a command is looked for without a PATH: what the C libraries take (confstr, _CS_PATH). */
static const char DEFAULT_PATH[] = "/bin:/usr/bin";

/* Puts the variables of an answer, each closed by a zero, into our environment. */
static void take_variables(const struct answer *answer) {
  for (char *item = answer->bytes; item != NULL && item < answer->bytes + answer->length; item += strlen(item) + 1) {
    char *const sign = strchr(item, '=');
    if (sign == NULL || sign == item) continue;
    *sign = '\0';
    (void)setenv(item, sign + 1, 1);
    *sign = '=';
  }
}

/* Has the step of this command run, unless it has. The link is DIRECTORY/asks/NAME, beside our own DIRECTORY/bin/NAME. */
static void have_step_run(const char *own, const char *name) {
  char link[PATH_ROOM], question[NAME_MAX + 16];
  struct holder holder;
  const int directory = (int)(name - 1 - own); /* up to the slash */
  if (snprintf(link, sizeof link, "%.*s/../asks/%s", directory, own, name) >= (int)sizeof link) return;
  if (!read_holder(link, &holder)) return;
  if (snprintf(question, sizeof question, "command %s", name) >= (int)sizeof question) return;
  const struct answer answer = ask(&holder, question);
  take_variables(&answer);
  free(answer.bytes);
}

static bool is_program(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* The name in an item of a PATH, an empty one being where we are; false for our own directory, and where it does not fit. */
static bool candidate(char path[PATH_ROOM], const char *item, size_t length, const char *name, const struct stat *own) {
  const char *const directory = length == 0 ? "." : item;
  const int size = length == 0 ? 1 : (int)length;
  struct stat facts;
  if (snprintf(path, PATH_ROOM, "%.*s", size, directory) >= PATH_ROOM || stat(path, &facts) != 0) return false;
  if (facts.st_dev == own->st_dev && facts.st_ino == own->st_ino) return false;
  return snprintf(path, PATH_ROOM, "%.*s/%s", size, directory, name) < PATH_ROOM;
}

/* As a shell looks for a command, without our directory. */
static bool find_real(char path[PATH_ROOM], const char *own, const char *name) {
  char directory[PATH_ROOM];
  struct stat facts;
  if (snprintf(directory, sizeof directory, "%.*s", (int)(name - 1 - own), own) >= (int)sizeof directory) return false;
  if (stat(directory, &facts) != 0) return false;
  const char *list = getenv("PATH");
  for (const char *item = list == NULL ? DEFAULT_PATH : list;;) {
    const size_t length = strcspn(item, ":");
    if (candidate(path, item, length, name, &facts) && is_program(path)) return true;
    if (item[length] == '\0') return false;
    item += length + 1;
  }
}

int run_shim(const char *own, char **args) {
  const char *const slash = strrchr(own, '/');
  const char *const name = slash == NULL ? own : slash + 1;
  char real[PATH_ROOM];
  if (slash != NULL) {
    have_step_run(own, name);
    if (find_real(real, own, name)) {
      (void)execvp(real, args); /* with a slash in it nothing is looked for; a script without an interpreter works too */
      fprintf(stderr, "bootcut: %s: %s\n", name, strerror(errno));
      return NOT_EXECUTABLE;
    }
  }
  fprintf(stderr, "bootcut: %s: command not found\n", name);
  return NOT_FOUND;
}
