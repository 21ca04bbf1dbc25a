/*
 * The target's stderr, passed on at once and byte for byte, with a look at its lines: those that begin as the plan says
 * are reported with the time their first byte came. Where stderr is a terminal, the target gets another one, and a line
 * end that it writes in raw mode gets a carriage return.
 */
#ifndef BOOTCUT_OBSERVE_H
#define BOOTCUT_OBSERVE_H

#include "daemon.h"
#include "terminal.h"

#include <poll.h>

/* Longest reported piece of a line, in bytes (progress-codec.ts, lineLimit). */
enum { LINE_LIMIT = 512 };

/* What is read at once, and held for a stderr that takes no more: then the target waits as it would have waited itself.
 */
enum { PASSED_ON = 4096 };

struct observation {
  /* What we read from; -1 when nothing is observed (any more). */
  int from;
  /* What the target gets as its stderr until it has started; -1 for the caller's own. */
  int targets;
  /* The caller's terminal when `from` is a terminal too, for its size. */
  const struct terminal *terminal;
  /* What we read has a carriage return before each line feed that the target did not write. */
  bool returns_added;
  const struct plan *plan;
  struct daemon *daemon;
  unsigned char held[PASSED_ON];
  size_t held_from, held_to;
  unsigned char line[LINE_LIMIT];
  size_t line_length;
  bool line_begun;
  uint64_t line_at;
};

void begin_observation(struct observation *o, const struct plan *plan, struct daemon *daemon, const struct terminal *t);

/* After the target's start: its end is its own. */
void let_go_of_targets_end(struct observation *o);

/* What to wait for: more to read, or room to write. */
struct pollfd observation_wants(const struct observation *o);
void observe(struct observation *o);

/* The target has ended: what it wrote is still passed on. Something left behind may hold its stderr open for ever. */
void finish_observation(struct observation *o);

/* The caller's terminal has another size. */
void follow_size(const struct observation *o);

#endif
