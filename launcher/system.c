#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

uint64_t now(void) {
  struct timespec moment;
  if (clock_gettime(CLOCK_MONOTONIC, &moment) != 0) return 0;
  return (uint64_t)moment.tv_sec * 1000000000u + (uint64_t)moment.tv_nsec;
}

/* The beginning of a file of a process below /proc, as a text; false where there is none. */
static bool read_of(pid_t pid, const char *name, char *text, size_t room) {
  char path[64];
  const int named = snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
  const int fd = named > 0 && (size_t)named < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return false;
  const ssize_t length = read(fd, text, room - 1);
  close(fd);
  if (length <= 0) return false;
  text[length] = '\0';
  return true;
}

struct turns turns_of(pid_t pid) {
  char text[64];
  if (!read_of(pid, "schedstat", text, sizeof text)) return (struct turns){0};
  char *rest = text;
  const uint64_t ran = strtoull(text, &rest, 10);
  return (struct turns){.ran = ran, .queued = strtoull(rest, NULL, 10)};
}

bool is_runnable(pid_t pid) {
  char text[128];
  if (!read_of(pid, "stat", text, sizeof text)) return false;
  const char *name_end = strrchr(text, ')'); /* the name may hold anything; it has 15 bytes at most */
  return name_end != NULL && strncmp(name_end, ") R", 3) == 0;
}

int keep_private(int fd) {
  if (fd < 0) return -1;
  if (fd > 2) return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  close(fd);
  return moved;
}

/* Closes `from` up to `to`. */
static void close_range_of(unsigned from, unsigned to) {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, from, to, 0) == 0) return;
#endif
  /* Before Linux 5.9, and elsewhere: as far as numbers usually go. */
  for (unsigned fd = from; fd <= to && fd < 1024; fd += 1) close((int)fd);
}

void close_all_but(const int *kept, size_t count) {
  unsigned next = 0;
  for (;;) {
    unsigned nearest = UINT_MAX;
    for (size_t index = 0; index < count; index += 1)
      if (kept[index] >= 0 && (unsigned)kept[index] >= next && (unsigned)kept[index] < nearest)
        nearest = (unsigned)kept[index];
    if (nearest > next) close_range_of(next, nearest == UINT_MAX ? UINT_MAX : nearest - 1);
    if (nearest == UINT_MAX) return;
    next = nearest + 1;
  }
}

bool write_all(int fd, const void *bytes, size_t length) {
  const unsigned char *rest = bytes;
  while (length > 0) {
    const ssize_t written = write(fd, rest, length);
    if (written >= 0) {
      rest += written;
      length -= (size_t)written;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      /* Somebody else made our stderr non-blocking; it stays that way, for it is theirs. */
      struct pollfd room = {.fd = fd, .events = POLLOUT};
      if (poll(&room, 1, -1) < 0 && errno != EINTR) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void complain(const char *about, const char *what) {
  char line[1024];
  size_t length = 0;
  const char *const parts[] = {"bootcut: ", about, ": ", what, "\n"};
  for (size_t part = 0; part < sizeof parts / sizeof *parts; part += 1) {
    size_t taken = strlen(parts[part]);
    if (taken > sizeof line - length) {
      /* Longer than any path the system takes: written in pieces instead of cut. */
      if (!write_all(STDERR_FILENO, line, length) || !write_all(STDERR_FILENO, parts[part], taken)) return;
      length = 0;
      continue;
    }
    memcpy(line + length, parts[part], taken);
    length += taken;
  }
  (void)write_all(STDERR_FILENO, line, length); /* a closed stderr leaves nobody to tell */
}
