/* What every file here needs. Comes first, before any system header. */
#ifndef BOOTCUT_BASE_H
#define BOOTCUT_BASE_H

#define _GNU_SOURCE 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Each program says how it ends without memory: the host restores the terminal, the guest powers off. */
_Noreturn void out_of_memory(void);

/* A clock in nanoseconds; 0 when the system has not got it. */
uint64_t clock_now(clockid_t clock);

/* Writes all of it to a descriptor that may be non-blocking; false when nobody can be written to. */
bool write_all(int fd, const void *bytes, size_t length);

/* Makes reads and writes return instead of waiting. For descriptors that nobody shares with us only. */
bool set_nonblocking(int fd);

/* Reads a decimal number up to `limit` that fills the text up to its end or to `stop`. Returns what follows, or NULL.
 */
const char *read_number(const char *text, char stop, uint64_t limit, uint64_t *number);

/* The texts one behind the other, up to a NULL; false when there is no room for all of them, and then none is there. */
bool join_texts(char *to, size_t room, ...);

#endif
