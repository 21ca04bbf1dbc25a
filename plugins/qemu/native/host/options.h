/* The command line of `bootcut-vm`; see main.c for its text. */
#ifndef BOOTCUT_OPTIONS_H
#define BOOTCUT_OPTIONS_H

#include "../shared/options.h"

/* A growing list of strings, ended by NULL. */
struct texts {
  char **at;
  size_t count;
};

void add_text(struct texts *texts, const char *text);

enum verb { VERB_RUN, VERB_KEEP };
enum form { FORM_PAUSED, FORM_SAVED };

struct options {
  enum verb verb;
  /* Already checked, and passed to the guest as they are. */
  struct texts shares, links;
  /* Tags of read-only shares of which a template has a copy. */
  struct texts copied;
  /* TAG=PATH: files of a share of which a template has a copy. */
  struct texts hot;
  const char *user, *cwd, *hostname;
  struct user identity;
  /* NAME or NAME=VALUE. */
  struct texts env;
  bool net;
  const char *late, *timeline, *log;
  struct texts standbys;
  /* Milliseconds. */
  uint64_t boot_limit, late_limit;
  /* The file and the arguments of QEMU, ended by NULL. */
  char **qemu;
  size_t qemu_count;
  /* The command, or a count of 0 for an interactive shell. */
  char **command;
  size_t command_count;
  /* Of `keep`. */
  const char *socket, *template_directory;
  enum form form;
  /* What a standby's shell runs before it waits; nothing of the project's. */
  const char *warm;
  int ready_fd;
  /* Where launches find the one whose VM they may join; NULL: nobody may, and nobody is joined. */
  const char *attachable;
};

/* Says on stderr what makes no sense, and returns false. The arguments are changed in place. */
bool read_options(struct options *options, int argc, char **argv);

#endif
