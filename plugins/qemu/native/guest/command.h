/* A command from its order to its exec: order.c reads START, terminal.c has the pseudo terminal, command.c starts it. */
#ifndef BOOTCUT_COMMAND_H
#define BOOTCUT_COMMAND_H

#include "guest.h"

/* What START says. */
struct order {
  char **args, **env;
  size_t arg_count, env_count;
  /* `file`: where the host thinks that PATH leads; NULL where it does not say. */
  char *cwd, *file;
  uint8_t stdio[3];
  struct view size, modes;
  bool login;
  uint32_t mask;
  uint64_t ignored;
};

/* False when the message makes no sense. To be freed in either case. */
bool read_order(struct order *order, struct view message);
void free_order(struct order *order);

/* The pair of a pseudo terminal that belongs to the user; false with errno. */
bool open_terminal(const struct order *order, const struct user *user, int *master, int *slave);

#endif
