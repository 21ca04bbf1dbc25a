/*
 * The launches of one directory find each other by a socket in it. What changes its name is done under a lock, and
 * nothing that can make one wait, so of several that come at once, one boots and the others join it.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char NAME[] = "vm";

/* Both in milliseconds: for a lock that is held for a handful of system calls, and for a launch that answers at once. */
enum { LOCK_LIMIT = 250, ANSWER_LIMIT = 250 };

enum { JOINED_LENGTH = FRAME_HEADER + sizeof(uint32_t) + sizeof(uint64_t) };

static struct {
  int directory, listener;
  /* The socket as we have made it; another launch may have put its own in that place. */
  struct stat made;
} door = {.directory = -1, .listener = -1};

int join_listener(void) { return door.listener; }

/* Nobody else may have put anything into it. */
static bool open_directory(const char *path) {
  struct stat of;
  if (door.directory >= 0) return true;
  (void)mkdir(path, 0700);
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &of) == 0 && of.st_uid == geteuid() && (of.st_mode & 077) == 0) {
    door.directory = fd;
    return true;
  }
  complain(path, fd < 0 ? strerror(errno) : "it is open to others, so no VM is joined there");
  if (fd >= 0) close(fd);
  return false;
}

static void lock(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (int times = 0; times < LOCK_LIMIT && flock(door.directory, LOCK_EX | LOCK_NB) != 0; times += 1)
    (void)nanosleep(&moment, NULL);
}

static void unlock(void) { (void)flock(door.directory, LOCK_UN); }

/* By the directory that we hold: short enough for every address, wherever the directory is. */
static struct sockaddr_un address_of_door(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  (void)snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", door.directory, NAME);
  return address;
}

static int knock(void) {
  const struct sockaddr_un address = address_of_door();
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

/* Nobody answers: what lies there is of a launch that was killed. */
static void listen_at_door(void) {
  const struct sockaddr_un address = address_of_door();
  struct stat of;
  if (fstatat(door.directory, NAME, &of, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!S_ISSOCK(of.st_mode)) return;
    (void)unlinkat(door.directory, NAME, 0);
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const mode_t mask = umask(0177);
  if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 8) == 0 &&
      fstatat(door.directory, NAME, &door.made, AT_SYMLINK_NOFOLLOW) == 0)
    door.listener = fd;
  else if (fd >= 0) close(fd);
  (void)umask(mask);
}

int join_find(const char *directory) {
  if (!open_directory(directory)) return -1;
  lock();
  const int connection = knock();
  if (connection < 0) {
    listen_at_door();
    (void)atexit(join_close);
  }
  unlock();
  return connection;
}

static bool is_ours(const struct stat *of) {
  return of->st_ino == door.made.st_ino && of->st_ctim.tv_sec == door.made.st_ctim.tv_sec &&
         of->st_ctim.tv_nsec == door.made.st_ctim.tv_nsec;
}

void join_close(void) {
  struct stat of;
  if (door.listener < 0) return;
  lock();
  if (fstatat(door.directory, NAME, &of, AT_SYMLINK_NOFOLLOW) == 0 && is_ours(&of))
    (void)unlinkat(door.directory, NAME, 0);
  close(door.listener); /* those who wait there see it, and look for another one */
  door.listener = -1;
  unlock();
}

/* FNV-1a, 64 bits: nobody gains by two that are alike. */
static uint64_t add_to_digest(uint64_t digest, const char *text) {
  for (const char *at = text;; at += 1) {
    digest = (digest ^ (unsigned char)*at) * 0x100000001b3;
    if (*at == '\0') return digest;
  }
}

/*
 * User, network, and directories: read-only ones by their place in the guest (their path on the host is that of a copy
 * which may have been made anew), others by both. Memory and processors are no reason for a second VM.
 */
static uint64_t digest_of(const struct options *options) {
  uint64_t digest = add_to_digest(0xcbf29ce484222325, options->net ? "net" : "");
  digest = add_to_digest(digest, options->user == NULL ? "" : options->user);
  for (size_t index = 0; index < options->shares.count; index += 1)
    digest = add_to_digest(digest, options->shares.at[index]);
  for (size_t index = 1; index < options->qemu_count; index += 1)
    if (strcmp(options->qemu[index - 1], "-fsdev") == 0 && strstr(options->qemu[index], ",readonly=on") == NULL)
      digest = add_to_digest(digest, options->qemu[index]);
  return digest;
}

void put_joined(struct bytes *to, const struct options *options) {
  struct bytes payload = {0};
  put_u32(&payload, PROTOCOL_VERSION);
  put_u64(&payload, digest_of(options));
  put_frame(to, FRAME_JOINED, 0, payload.at, payload.length);
  bytes_free(&payload);
}

/* No more than this frame: the next ones are the session's. */
static enum joining await_answer(int connection, const struct options *options) {
  struct link link = {.fd = connection};
  struct frame frame;
  uint32_t version;
  uint64_t digest;
  const uint64_t begun = clock_now(CLOCK_MONOTONIC);
  bool answered = false;
  while (!answered && !link.nonsense) {
    const uint64_t passed = (clock_now(CLOCK_MONOTONIC) - begun) / 1000000;
    struct pollfd wanted = {.fd = connection, .events = POLLIN};
    if (passed >= ANSWER_LIMIT || poll(&wanted, 1, (int)(ANSWER_LIMIT - passed)) != 1) break;
    const ssize_t length = read(connection, bytes_reserve(&link.in, JOINED_LENGTH), JOINED_LENGTH - link.in.length);
    if (length > 0) bytes_added(&link.in, (size_t)length);
    else if (length == 0 || (errno != EAGAIN && errno != EINTR)) break;
    answered = link_next(&link, &frame);
  }
  enum joining joining = JOIN_FAILED;
  if (answered && frame.type == FRAME_JOINED && take_u32(&frame.payload, &version) && version == PROTOCOL_VERSION &&
      take_u64(&frame.payload, &digest))
    joining = digest == digest_of(options) && is_same_user(connection) ? JOINED : JOIN_OTHER;
  bytes_free(&link.in);
  return joining;
}

enum joining join_take(struct machine *machine, int connection, const struct options *options) {
  const enum joining joining = await_answer(connection, options);
  if (joining != JOINED) {
    close(connection);
    return joining;
  }
  *machine = machine_of(ORIGIN_JOINED);
  machine->agent = connection;
  return JOINED;
}
