/* How a shim and the keeper of files ask the holder of their launch. Comes first, before any system header. */
#ifndef BOOTCUT_ASK_H
#define BOOTCUT_ASK_H

#define _GNU_SOURCE 1 /* SOCK_CLOEXEC; everything else is POSIX.1-2008 */

#include <stdbool.h>
#include <stddef.h>

/* Longest path that is handled, with its closing zero. */
enum { PATH_ROOM = 4096 };

/* Where to ask, and for how long: what the link of a trigger holds, `MILLISECONDS:SOCKET`. */
struct holder {
  long limit;
  char socket[PATH_ROOM];
};

/* Reads such a link; false where there is none: there is nothing to ask any more. */
bool read_holder(const char *link, struct holder *holder);

/* What was answered; `bytes` is the caller's to free, and NULL where there was no whole answer. */
struct answer {
  char *bytes;
  size_t length;
};

/* Asks one question, a line without its end, and waits no longer than the limit. */
struct answer ask(const struct holder *holder, const char *question);

#endif
