#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Longest silence of the daemon that a launch puts up with, in nanoseconds (promise 1; plan-source.ts, silenceLimit).
 */
static const uint64_t SILENCE_LIMIT = 50 * 1000000u;

/*
 * A daemon that waits for a processor is not silent: on a machine that is so busy, doing its work ourselves in Node would
 * take longer still. After so much silence we begin to look how long it has waited, and so long in all we believe it.
 */
static const uint64_t LOOK_AFTER = 10 * 1000000u, BUSY_LIMIT = 2000 * 1000000u;

/* Of what it is kept waiting for a processor, the least that counts. */
static const uint64_t LEAST_QUEUED = 1000000u;

/* How much is kept for a daemon that does not read: some hundred lines. The target never waits for it. */
enum { WAITING_LIMIT = 65536 };

/* What is read at once: a usual plan is a few hundred bytes. */
enum { READ_SIZE = 8192 };

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* macOS has SO_NOSIGPIPE instead */
#endif

static int open_socket(void) {
#ifdef SOCK_CLOEXEC
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd > 2) return fd;
#else
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
#endif
  fd = keep_private(fd);
  if (fd < 0) return -1;
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    close(fd);
    return -1;
  }
#ifdef SO_NOSIGPIPE
  const int on = 1;
  (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on); /* without it we would die with the daemon */
#endif
  return fd;
}

void leave_daemon(struct daemon *daemon) {
  if (daemon->socket >= 0) close(daemon->socket);
  daemon->socket = -1;
}

/* Waits until the socket is ready, or until the deadline; false then. */
static bool ready(const struct daemon *daemon, short events, uint64_t deadline) {
  for (;;) {
    const uint64_t moment = now();
    const uint64_t left = moment >= deadline ? 0 : (deadline - moment + 999999u) / 1000000u;
    struct pollfd socket = {.fd = daemon->socket, .events = events};
    const int count = poll(&socket, 1, (int)left);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
    if (count == 0 && now() >= deadline) return false;
  }
}

bool find_daemon(struct daemon *daemon, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return false;
  memcpy(address.sun_path, path, strlen(path) + 1);
  daemon->socket = open_socket();
  /* A local connection stands at once, or the daemon's queue is full. */
  return daemon->socket >= 0 && connect(daemon->socket, (const struct sockaddr *)&address, sizeof address) == 0;
}

enum answer send_request(struct daemon *daemon, struct view request) {
  const uint64_t deadline = now() + SILENCE_LIMIT;
  while (request.length > 0) {
    const ssize_t sent = send(daemon->socket, request.at, request.length, MSG_NOSIGNAL);
    if (sent >= 0) {
      request.at += sent;
      request.length -= (size_t)sent;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!ready(daemon, POLLOUT, deadline)) return ANSWER_SILENCE;
    } else if (errno != EINTR) {
      return ANSWER_NONE;
    }
  }
  return ANSWER_PLAN;
}

/* Who listens at the other end, as the kernel has it; 0 where it does not tell. */
static pid_t peer_of(const struct daemon *daemon) {
#ifdef SO_PEERCRED
  struct {
    pid_t pid;
    uid_t uid;
    gid_t gid;
  } peer;
  socklen_t length = sizeof peer;
  if (getsockopt(daemon->socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && length == sizeof peer)
    return peer.pid;
#else
  (void)daemon;
#endif
  return 0;
}

/* One wait for the daemon. */
struct silence {
  uint64_t began;
  uint64_t deadline;
  /* 0 until it has lasted long enough to look. */
  pid_t peer;
  uint64_t looked_at;
  struct turns had;
};

static void look(struct silence *silence) {
  silence->looked_at = now();
  silence->had = turns_of(silence->peer);
}

/* For how long since the last look the daemon would have run, and was not let. */
static uint64_t kept_waiting(struct silence *silence) {
  const struct silence before = *silence;
  look(silence);
  const uint64_t queued = silence->had.queued - before.had.queued;
  if (!is_runnable(silence->peer)) return queued;
  const uint64_t elapsed = silence->looked_at - before.looked_at, ran = silence->had.ran - before.had.ran;
  return elapsed > ran ? elapsed - ran : queued;
}

/* Waits for something to read; false after so much silence, not counting what the daemon waited for a processor. */
static bool hear(const struct daemon *daemon, struct silence *silence) {
  if (silence->peer == 0) {
    const uint64_t first_look = silence->began + LOOK_AFTER;
    if (now() < first_look && ready(daemon, POLLIN, first_look)) return true;
    silence->peer = peer_of(daemon);
    look(silence);
  }
  while (!ready(daemon, POLLIN, silence->deadline)) {
    const uint64_t more = kept_waiting(silence);
    if (more < LEAST_QUEUED || silence->looked_at - silence->began >= BUSY_LIMIT) return false;
    silence->deadline = silence->looked_at + (more < SILENCE_LIMIT ? more : SILENCE_LIMIT);
  }
  return true;
}

/* The next frame; the one before it is overwritten. */
static enum answer next_frame(struct daemon *daemon, struct frame *frame) {
  struct bytes *received = &daemon->received;
  const uint64_t began = now();
  struct silence silence = {.began = began, .deadline = began + SILENCE_LIMIT};
  for (;;) {
    switch (first_frame((struct view){received->at, received->length}, frame)) {
      case FRAME_WHOLE:
        return ANSWER_PLAN;
      case FRAME_BROKEN:
        return ANSWER_NONE;
      case FRAME_PARTIAL:
        break;
    }
    unsigned char chunk[READ_SIZE];
    const ssize_t length = recv(daemon->socket, chunk, sizeof chunk, 0);
    if (length > 0) {
      put(received, chunk, (size_t)length);
      if (received->failed) return ANSWER_NONE;
    } else if (length == 0) {
      return ANSWER_NONE;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!hear(daemon, &silence)) return ANSWER_SILENCE;
    } else if (errno != EINTR) {
      return ANSWER_NONE;
    }
  }
}

static void drop_frame(struct daemon *daemon, const struct frame *frame) {
  struct bytes *received = &daemon->received;
  memmove(received->at, received->at + frame->whole, received->length - frame->whole);
  received->length -= frame->whole;
}

static bool is_our_build(struct view greeting, const char *build) {
  bool magic = false, protocol = false, same = false;
  struct field field;
  enum field_state state;
  while ((state = take_field(&greeting, &field)) == FIELD_TAKEN) {
    if (field.tag == HELLO_MAGIC) magic = same_text(field.value, "BCUT");
    if (field.tag == HELLO_PROTOCOL)
      protocol = field.value.length == 4 && number_at(field.value.at) == PROTOCOL_VERSION;
    if (field.tag == HELLO_BUILD) same = same_text(field.value, build);
  }
  return state == FIELD_NONE && magic && protocol && same;
}

enum answer receive_plan(struct daemon *daemon, const char *build, size_t given, struct plan *plan) {
  bool greeted = false;
  for (;;) {
    struct frame frame;
    const enum answer got = next_frame(daemon, &frame);
    if (got != ANSWER_PLAN) return got;
    if (frame.type == FRAME_WELCOME && !greeted) {
      if (!is_our_build(frame.payload, build)) return ANSWER_NONE;
      greeted = true;
    } else if (frame.type == FRAME_PLAN && greeted) {
      return read_plan(frame.payload, given, plan) ? ANSWER_PLAN : ANSWER_NONE;
    } else if (frame.type != FRAME_WAIT || !greeted) {
      return ANSWER_NONE;
    }
    drop_frame(daemon, &frame);
  }
}

bool has_reports(const struct daemon *daemon) {
  return daemon->socket >= 0 && daemon->waiting.length > 0 && !daemon->holds_start;
}

void flush_reports(struct daemon *daemon) {
  struct bytes *waiting = &daemon->waiting;
  size_t gone = 0;
  daemon->holds_start = false;
  while (daemon->socket >= 0 && gone < waiting->length) {
    const ssize_t sent = send(daemon->socket, waiting->at + gone, waiting->length - gone, MSG_NOSIGNAL);
    if (sent >= 0) gone += (size_t)sent;
    else if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    else if (errno != EINTR) leave_daemon(daemon); /* its end: the target goes on without a record */
  }
  if (gone > 0 && gone < waiting->length) memmove(waiting->at, waiting->at + gone, waiting->length - gone);
  waiting->length -= gone;
}

static void report(struct daemon *daemon, size_t began) {
  end_frame(&daemon->waiting, began);
  if (daemon->waiting.failed) leave_daemon(daemon);
  else flush_reports(daemon);
}

void report_started(struct daemon *daemon, uint64_t at, pid_t pid) {
  const size_t began = begin_frame(&daemon->waiting, FRAME_STARTED);
  put_moment_field(&daemon->waiting, PROGRESS_AT, at);
  put_number_field(&daemon->waiting, PROGRESS_PID, (uint32_t)pid);
  end_frame(&daemon->waiting, began);
  if (daemon->waiting.failed) leave_daemon(daemon);
  else daemon->holds_start = true;
}

void report_line(struct daemon *daemon, uint64_t at, struct view text) {
  if (daemon->waiting.length > WAITING_LIMIT) return; /* the observation gives way, not the target */
  const size_t began = begin_frame(&daemon->waiting, FRAME_LINE);
  put_moment_field(&daemon->waiting, PROGRESS_AT, at);
  put_field(&daemon->waiting, PROGRESS_TEXT, text.at, text.length);
  report(daemon, began);
}

void report_ended(struct daemon *daemon, uint64_t at, enum ending ending, int code) {
  const unsigned char kind = (unsigned char)ending;
  const size_t began = begin_frame(&daemon->waiting, FRAME_ENDED);
  put_moment_field(&daemon->waiting, PROGRESS_AT, at);
  put_field(&daemon->waiting, PROGRESS_ENDING, &kind, sizeof kind);
  put_number_field(&daemon->waiting, PROGRESS_CODE, (uint32_t)code);
  put_moment_field(&daemon->waiting, PROGRESS_DONE_AT, now());
  report(daemon, began);
}

void finish_reports(struct daemon *daemon) {
  const uint64_t deadline = now() + SILENCE_LIMIT;
  while (has_reports(daemon) && ready(daemon, POLLOUT, deadline)) flush_reports(daemon);
}
