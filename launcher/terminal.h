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
 * A pseudo-terminal for the target's stderr alone: `isatty` says what it would have said, the size is the caller's. A
 * line end gets its carriage return (ONLCR) at the moment the target writes it, as at the caller's terminal, because by
 * the time we pass it on the target may have switched that one to raw mode (agent-vm does, right after a line); where
 * the caller's terminal adds one as well, we take ours out again.
 */
struct pseudo_terminal {
  int ours;
  int targets;
};
bool open_pseudo_terminal(const struct terminal *like, struct pseudo_terminal *pair);
/* Does the terminal turn a line feed into carriage return and line feed? */
bool adds_returns(const struct terminal *terminal);
void copy_size(const struct terminal *from, int to);

#endif
