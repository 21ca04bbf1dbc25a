#include "host.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/*
 * A keeper that is there answers within a fraction of a millisecond; one that is not there refuses at once. So long it
 * may take on a machine that is busy before a boot is the better choice, in milliseconds.
 */
enum { TAKE_LIMIT = 250 };

enum { HANDED = 2 };

bool is_same_user(int connection) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

bool standby_give(int connection, const struct machine *machine) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(HANDED * sizeof(int))];
  } control = {0};
  const int fds[HANDED] = {machine->agent, machine->monitor};
  uint32_t pid = (uint32_t)machine->pid;
  struct iovec content = {.iov_base = &pid, .iov_len = sizeof pid};
  struct msghdr message = {
      .msg_iov = &content, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(header), fds, sizeof fds);
  return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)sizeof pid;
}

static bool receive(struct machine *machine) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(HANDED * sizeof(int))];
  } control = {0};
  uint32_t pid;
  struct iovec content = {.iov_base = &pid, .iov_len = sizeof pid};
  struct msghdr message = {
      .msg_iov = &content, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  struct pollfd wanted = {.fd = machine->keeper, .events = POLLIN};
  if (poll(&wanted, 1, TAKE_LIMIT) != 1) return false;
  if (recvmsg(machine->keeper, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof pid) return false;
  const struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
  int fds[HANDED];
  if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof fds)) return false;
  memcpy(fds, CMSG_DATA(header), sizeof fds);
  machine->agent = fds[0];
  machine->monitor = fds[1];
  machine->pid = (pid_t)pid;
  return true;
}

bool standby_take(struct machine *machine, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  *machine = machine_of(ORIGIN_STANDBY);
  if (strlen(path) >= sizeof address.sun_path) return false;
  memcpy(address.sun_path, path, strlen(path) + 1);
  machine->keeper = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (machine->keeper < 0) return false;
  if (connect(machine->keeper, (const struct sockaddr *)&address, sizeof address) == 0 && receive(machine)) return true;
  close(machine->keeper);
  return false;
}

/* After the machine's end the keeper sends u32 wait status, then both texts, each after its length, and closes. */
void standby_tell_end(int connection, const struct machine *machine) {
  struct bytes message = {0};
  const struct said *const both[] = {&machine->words, &machine->console};
  put_u32(&message, (uint32_t)machine->status);
  for (size_t index = 0; index < 2; index += 1) {
    const struct view text = bytes_view(&both[index]->text);
    put_u32(&message, (uint32_t)text.length);
    bytes_append(&message, text.at, text.length);
  }
  const struct view all = bytes_view(&message);
  (void)write_all(connection, all.at, all.length); /* who took it may be gone */
  bytes_free(&message);
}

static void note_end(struct machine *machine, struct view message) {
  uint32_t status;
  struct view words, console;
  machine->ended = true;
  machine->status = SIGKILL; /* of a keeper that was killed, and its machine with it: a wait status of that signal */
  if (!take_u32(&message, &status) || !take_text(&message, &words) || !take_text(&message, &console)) return;
  machine->status = (int)status;
  bytes_append(&machine->words.text, words.at, words.length);
  bytes_append(&machine->console.text, console.at, console.length);
}

bool standby_has_ended(struct machine *machine, int limit) {
  struct pollfd wanted = {.fd = machine->keeper, .events = POLLIN};
  if (machine->ended) return true;
  if (poll(&wanted, 1, limit) != 1) return false;
  struct bytes message = {0};
  for (;;) {
    const ssize_t length = read(machine->keeper, bytes_reserve(&message, 65536), 65536);
    if (length > 0) bytes_added(&message, (size_t)length);
    else if (length == 0 || errno != EINTR) break;
  }
  note_end(machine, bytes_view(&message));
  bytes_free(&message);
  return true;
}
