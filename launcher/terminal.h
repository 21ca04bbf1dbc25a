/* The caller's terminal: its modes, which we put back after a target that died without doing so, and its size. */
#ifndef BOOTCUT_TERMINAL_H
#define BOOTCUT_TERMINAL_H

#include "system.h"

#include <termios.h>

struct terminal {
  /* A descriptor of our own for it; -1 when none of 0, 1 and 2 is a terminal. */
  int fd;
  struct termios modes;
};

/* Notes the terminal and its modes. Takes one system call per descriptor. */
struct terminal note_terminal(void);

/* Puts the modes back if they have changed, and if it is for us to do so. */
void restore_modes(const struct terminal *terminal);

/*
 * A pseudo-terminal for the target's stderr alone: `isatty` says what it would have said, the size is the caller's, and
 * the bytes come through unchanged, for only the caller's own terminal works on them.
 */
struct pseudo_terminal {
  int ours;
  int targets;
};
bool open_pseudo_terminal(const struct terminal *like, struct pseudo_terminal *pair);
void copy_size(const struct terminal *from, int to);

#endif
