#include "ask.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* What the holder takes, over the step's own limit, to say that the limit is over. Milliseconds. */
enum { GRACE = 1000 };

/* Longest answer, as the holder has it (first-use-channel.ts). */
enum { ANSWER_LIMIT = 16 << 20 };

bool read_holder(const char *link, struct holder *holder) {
  char text[PATH_ROOM + 24];
  const ssize_t length = readlink(link, text, sizeof text - 1);
  if (length <= 0) return false;
  text[length] = '\0';
  char *end = NULL;
  holder->limit = strtol(text, &end, 10);
  if (holder->limit <= 0 || *end != ':' || strlen(end + 1) >= sizeof holder->socket) return false;
  strcpy(holder->socket, end + 1);
  return true;
}

static int64_t now(void) {
  struct timespec moment;
  if (clock_gettime(CLOCK_MONOTONIC, &moment) != 0) return 0;
  return (int64_t)moment.tv_sec * 1000 + moment.tv_nsec / 1000000;
}

/* Waits for something to read; false at the deadline. */
static bool readable(int fd, int64_t deadline) {
  for (;;) {
    const int64_t left = deadline - now();
    if (left <= 0) return false;
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    const int ready = poll(&wanted, 1, (int)left);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

/* Reads exactly that much. */
static bool read_exactly(int fd, void *bytes, size_t length, int64_t deadline) {
  char *to = bytes;
  while (length > 0) {
    if (!readable(fd, deadline)) return false;
    const ssize_t count = read(fd, to, length);
    if (count == 0 || (count < 0 && errno != EINTR)) return false;
    if (count < 0) continue;
    to += count;
    length -= (size_t)count;
  }
  return true;
}

/* Four bytes of length, the highest first, and as many of the answer. */
static struct answer read_answer(int fd, int64_t deadline) {
  const struct answer none = {.bytes = NULL, .length = 0};
  unsigned char head[4];
  if (!read_exactly(fd, head, sizeof head, deadline)) return none;
  const size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
  if (length > ANSWER_LIMIT) return none;
  char *bytes = malloc(length + 1);
  if (bytes == NULL) return none;
  if (!read_exactly(fd, bytes, length, deadline)) {
    free(bytes);
    return none;
  }
  bytes[length] = '\0';
  return (struct answer){.bytes = bytes, .length = length};
}

struct answer ask(const struct holder *holder, const char *question) {
  const struct answer none = {.bytes = NULL, .length = 0};
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(holder->socket) >= sizeof address.sun_path) return none;
  strcpy(address.sun_path, holder->socket);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return none;
  struct answer answer = none;
  const size_t length = strlen(question);
  if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
      send(fd, question, length, MSG_NOSIGNAL) == (ssize_t)length && send(fd, "\n", 1, MSG_NOSIGNAL) == 1)
    answer = read_answer(fd, now() + holder->limit + GRACE);
  close(fd);
  return answer;
}
