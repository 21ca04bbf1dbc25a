/* What every file here needs of the system. Comes first, before any system header. */
#ifndef BOOTCUT_SYSTEM_H
#define BOOTCUT_SYSTEM_H

#if defined(__APPLE__)
#define _DARWIN_C_SOURCE 1
#else
#define _GNU_SOURCE 1 /* ppoll, vfork and SYS_close_range; everything else is POSIX.1-2008 */
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The monotonic clock in nanoseconds: the one Node's hrtime reads, so that both sides' stamps can be compared. */
uint64_t now(void);

/* What the first thread of a process has had of the processors, in nanoseconds. It outlives an exec. */
struct turns {
  uint64_t ran;
  /* Kept waiting for one; the wait that is going on is counted when it ends. Time asleep is in neither. */
  uint64_t queued;
};

/* What Linux tells of it; elsewhere nothing. */
struct turns turns_of(pid_t pid);

/* Does its first thread run, or wait for a processor? Linux only: elsewhere no. */
bool is_runnable(pid_t pid);

/* Closes on exec, and lies above 0, 1 and 2 even where the caller closed those: takes `fd`, returns its new number or
 * -1. */
int keep_private(int fd);

/* Closes every descriptor but these; -1 among them means nothing. */
void close_all_but(const int *kept, size_t count);

/* Writes all of it, whatever comes in between; false when nobody can be written to. */
bool write_all(int fd, const void *bytes, size_t length);

/* A line for the user in our one voice: `bootcut: ABOUT: WHAT`. */
void complain(const char *about, const char *what);

#endif
