/* Starting the target as our child, and waiting for it. */
#ifndef BOOTCUT_TARGET_H
#define BOOTCUT_TARGET_H

#include "observe.h"

struct command {
  /* A path, or a name to look up in the PATH of `env`. */
  const char *file;
  char **args;
  char **env;
};

struct target_end {
  enum ending ending;
  /* Exit status, signal number, or what a shell says of a command it cannot start (126, 127). */
  int code;
  uint64_t at;
  /* errno when it could not be started. */
  int error;
};

/* Runs the target to its end: in our process group and terminal, with every descriptor the caller had. */
struct target_end run_target(const struct command *command, struct observation *o, struct daemon *daemon,
                             const struct terminal *terminal);

#endif
