#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

bool monitor_send(int monitor, const char *commands, int passed) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct iovec content = {.iov_base = (void *)(uintptr_t)commands, .iov_len = strlen(commands)};
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
  if (passed >= 0) {
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  /* A few hundred bytes into an empty socket: they always fit. */
  return sendmsg(monitor, &message, MSG_NOSIGNAL) == (ssize_t)content.iov_len;
}

static bool has(const struct said *answers, const char *part) {
  char *const line = said_line(answers, part);
  free(line);
  return line != NULL;
}

bool monitor_await(struct said *answers, const char *part, int limit) {
  const uint64_t until = clock_now(CLOCK_MONOTONIC) / 1000000 + (uint64_t)limit;
  for (;;) {
    if (has(answers, part)) return true;
    const uint64_t moment = clock_now(CLOCK_MONOTONIC) / 1000000;
    if (answers->fd < 0 || moment >= until || has(answers, "\"error\":") || has(answers, "\"status\": \"failed\""))
      return false;
    struct pollfd wanted = {.fd = answers->fd, .events = POLLIN};
    if (poll(&wanted, 1, (int)(until - moment)) > 0) said_listen(answers);
  }
}
