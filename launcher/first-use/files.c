#include "files.h"

#include "ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Most files of one launch; a plugin has one or two. */
enum { MOST_FILES = 64, STACK = 64 << 10 };

static const char *link_path;

/* By number; -1 once its content has been asked for. */
static int files[MOST_FILES];

static void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno != EINTR) return; /* a full file system: the rest is missing */
    if (written < 0) continue;
    bytes += written;
    length -= (size_t)written;
  }
}

struct opening {
  int number;
  int fd;
};

/* Asks for a file's content in a thread of its own, for others may be opened meanwhile, and lets its openers go on. */
static void *fill(void *given) {
  struct opening *const opening = given;
  struct holder holder;
  char question[32];
  snprintf(question, sizeof question, "file %d", opening->number);
  if (read_holder(link_path, &holder)) {
    const struct answer answer = ask(&holder, question);
    write_all(opening->fd, answer.bytes, answer.length);
    free(answer.bytes);
  }
  (void)fcntl(opening->fd, F_SETLEASE, F_UNLCK);
  close(opening->fd);
  free(opening);
  return NULL;
}

static bool start_fill(struct opening *opening) {
  pthread_t thread;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  (void)pthread_attr_setstacksize(&attributes, STACK);
  const bool started = pthread_create(&thread, &attributes, fill, opening) == 0;
  (void)pthread_attr_destroy(&attributes);
  return started;
}

/* Somebody opens the file behind this descriptor, and the kernel lets him wait. */
static void opened(int fd, int count) {
  for (int number = 0; number < count; number += 1) {
    if (files[number] != fd) continue;
    files[number] = -1;
    struct opening *const opening = malloc(sizeof *opening);
    if (opening != NULL) *opening = (struct opening){.number = number, .fd = fd};
    if (opening != NULL && start_fill(opening)) return;
    free(opening);
    close(fd); /* he goes on, and finds nothing */
    return;
  }
}

/* A new file with a lease on it: whoever opens it waits until we give that up or end, and we are told by this signal. */
static bool make_file(const char *directory, int number, int told_by) {
  char path[PATH_ROOM];
  if (snprintf(path, sizeof path, "%s/%d", directory, number) >= (int)sizeof path) return false;
  files[number] = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return files[number] >= 0 && fcntl(files[number], F_SETSIG, told_by) == 0 &&
         fcntl(files[number], F_SETLEASE, F_WRLCK) == 0;
}

/* Serves until our stdin ends. */
static void serve(int signals, int count) {
  for (;;) {
    struct pollfd wanted[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    if (poll(wanted, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    struct signalfd_siginfo told;
    if ((wanted[1].revents & POLLIN) != 0 && read(signals, &told, sizeof told) == (ssize_t)sizeof told)
      opened(told.ssi_fd, count);
    char byte;
    if (wanted[0].revents != 0 && read(STDIN_FILENO, &byte, 1) <= 0) return;
  }
}

int keep_files(char **args) {
  if (args[0] == NULL || args[1] == NULL || args[2] == NULL) return 2;
  link_path = args[0];
  const int count = atoi(args[2]);
  if (count < 1 || count > MOST_FILES) return 2;
  const int told_by = SIGRTMIN;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, told_by);
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return 1;
  const int signals = signalfd(-1, &set, SFD_CLOEXEC);
  if (signals < 0) return 1;
  for (int number = 0; number < count; number += 1)
    if (!make_file(args[1], number, told_by)) return 1;
  if (write(STDOUT_FILENO, "ready\n", 6) != 6) return 1;
  serve(signals, count);
  return 0;
}
