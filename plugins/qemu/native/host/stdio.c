#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool was_closed[3];

void stdio_note(void) {
  for (int fd = 0; fd < 3; fd += 1) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    was_closed[fd] = true;
    (void)open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY); /* the lowest free number is this one */
  }
}

enum stdio_kind stdio_kind_of(int fd) {
  struct stat of, out;
  if (was_closed[fd]) return STDIO_NULL;
  if (terminal_is(fd)) return STDIO_TERMINAL;
  /* One pipe or file for both: in the guest as well, or the order of their bytes would be lost. */
  if (fd == 2 && !was_closed[1] && fstat(2, &of) == 0 && fstat(1, &out) == 0 && of.st_dev == out.st_dev &&
      of.st_ino == out.st_ino && !S_ISCHR(of.st_mode))
    return STDIO_WITH_STDOUT;
  return STDIO_PIPE;
}

/*
 * The caller's descriptors must not become non-blocking, for they are shared with others. A pipe or a terminal can be
 * opened a second time, for us alone; the master of a pseudo terminal cannot (that makes a new one).
 */
static int open_again(int fd, int flags) {
  struct stat of;
  char path[32];
  if (fstat(fd, &of) != 0 || (!S_ISFIFO(of.st_mode) && !terminal_is(fd))) return -1;
  if (S_ISCHR(of.st_mode) && of.st_rdev == makedev(5, 2)) return -1;
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int stdio_source(void) {
  const int again = open_again(STDIN_FILENO, O_RDONLY);
  return again >= 0 ? again : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

struct sink stdio_sink(int fd) {
  struct stat of;
  const int again = open_again(fd, O_WRONLY);
  struct sink sink = sink_to(again >= 0 ? again : fd, (uint8_t)fd);
  /* Otherwise as much as never waits once there is room; a file takes everything at once. */
  if (again < 0 && (fstat(fd, &of) != 0 || !S_ISREG(of.st_mode))) sink.chunk = PIPE_BUF;
  return sink;
}
