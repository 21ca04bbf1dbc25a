#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t clock_now(clockid_t clock) {
  struct timespec moment;
  if (clock_gettime(clock, &moment) != 0) return 0;
  return (uint64_t)moment.tv_sec * 1000000000u + (uint64_t)moment.tv_nsec;
}

bool write_all(int fd, const void *bytes, size_t length) {
  const unsigned char *rest = bytes;
  while (length > 0) {
    const ssize_t written = write(fd, rest, length);
    if (written >= 0) {
      rest += written;
      length -= (size_t)written;
    } else if (errno == EAGAIN) {
      struct pollfd room = {.fd = fd, .events = POLLOUT};
      if (poll(&room, 1, -1) < 0 && errno != EINTR) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool set_nonblocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

const char *read_number(const char *text, char stop, uint64_t limit, uint64_t *number) {
  uint64_t value = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9'; at += 1) {
    value = value * 10 + (uint64_t)(*at - '0');
    if (value > limit) return NULL;
  }
  if (at == text || *at != stop) return NULL;
  *number = value;
  return stop == '\0' ? at : at + 1;
}

bool join_texts(char *to, size_t room, ...) {
  va_list texts;
  size_t used = 0;
  bool fits = true;
  va_start(texts, room);
  for (const char *text; fits && (text = va_arg(texts, const char *)) != NULL;) {
    const size_t length = strlen(text);
    fits = length < room - used;
    if (fits) memcpy(to + used, text, length);
    if (fits) used += length;
  }
  va_end(texts);
  to[fits ? used : 0] = '\0';
  return fits;
}
