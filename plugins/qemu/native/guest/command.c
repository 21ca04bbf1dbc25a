#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

/* Where a command is looked for without a PATH: what the C libraries take (confstr, _CS_PATH). */
static const char DEFAULT_PATH[] = "/bin:/usr/bin";
static char SHELL[] = "/bin/sh";
static char LOGIN_NAME[] = "-sh";
static char *LOGIN_ARGS[] = {LOGIN_NAME, NULL};

/* What the child needs and may not allocate itself: until its exec it shares our memory. */
struct start {
  const struct order *order;
  const struct user *user;
  const char *path;
  char *candidate;
  char **shell_args;
  int fds[3];
  bool terminal;
  /* What of it failed, when it was not the exec. */
  const char *what;
};

/* Returns why this file cannot be executed. */
static int execute(const struct start *start, const char *file) {
  const struct order *const order = start->order;
  (void)execve(file, order->args, order->env);
  if (errno != ENOEXEC) return errno;
  start->shell_args[0] = SHELL;
  start->shell_args[1] = (char *)(uintptr_t)file; /* exec's lists are not const for reasons of C alone */
  (void)execve(SHELL, start->shell_args, order->env);
  return errno;
}

/* As execvp looks for a file, but by the command's PATH and not by ours. Only system calls. */
static int search_and_execute(const struct start *start) {
  const char *const file = start->order->args[0];
  if (start->order->login) {
    (void)execve(file, start->order->args + 1, start->order->env);
    (void)execve(SHELL, LOGIN_ARGS, start->order->env);
    return errno;
  }
  if (file[0] == '\0') return ENOENT;
  if (strchr(file, '/') != NULL) return execute(start, file);
  if (start->order->file != NULL) (void)execute(start, start->order->file); /* if it is not there, it may be elsewhere */
  bool denied = false;
  for (const char *from = start->path;;) {
    const size_t length = strcspn(from, ":");
    char *to = start->candidate;
    memcpy(to, from, length);
    to += length;
    if (length > 0) *to++ = '/'; /* an empty one is where we are */
    memcpy(to, file, strlen(file) + 1);
    /* An exec of what is not there makes and takes down a whole address space first. */
    struct stat of;
    const int error = stat(start->candidate, &of) != 0 ? errno : execute(start, start->candidate);
    if (error == EACCES) denied = true;
    else if (error != ENOENT && error != ENOTDIR) return error;
    if (from[length] == '\0') return denied ? EACCES : ENOENT;
    from += length + 1;
  }
}

static void reset_signals(uint64_t ignored) {
  sigset_t nothing;
  for (int number = 1; number < 32; number += 1) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    (void)signal(number, (ignored >> (number - 1) & 1) != 0 ? SIG_IGN : SIG_DFL);
  }
  sigemptyset(&nothing);
  (void)sigprocmask(SIG_SETMASK, &nothing, NULL);
}

/* System calls and not the C library's setuid, which would tell the threads of the memory we share. */
static bool become(const struct user *user) {
  return syscall(SYS_setgroups, 0, NULL) == 0 && syscall(SYS_setresgid, user->gid, user->gid, user->gid) == 0 &&
         syscall(SYS_setresuid, user->uid, user->uid, user->uid) == 0;
}

static int be_command(struct start *start) {
  const struct order *const order = start->order;
  /* As a login gives it: low for programs that count by it, high for those that ask for more. */
  const struct rlimit files = {.rlim_cur = 1024, .rlim_max = 524288};
  (void)setrlimit(RLIMIT_NOFILE, &files);
  (void)setsid();
  for (int fd = 0; fd < 3; fd += 1)
    if (dup2(start->fds[fd], fd) < 0) return errno;
  if (start->terminal) {
    int fd = 0;
    while (fd < 2 && order->stdio[fd] != STDIO_TERMINAL) fd += 1;
    (void)control(fd, TIOCSCTTY, NULL);
  }
  umask(order->mask & 0777);
  if (!become(start->user)) {
    start->what = "become the user";
    return errno;
  }
  if (order->cwd != NULL && chdir(order->cwd) != 0) {
    start->what = order->cwd;
    return errno;
  }
  reset_signals(order->ignored);
  return search_and_execute(start);
}

static __attribute__((noinline)) pid_t start_child(struct start *start, volatile int *error) {
  const pid_t pid = vfork();
  if (pid == 0) {
    *error = be_command(start);
    _exit(127);
  }
  return pid;
}

/* Of a pipe, ours does not block; the command's does, as it expects. `outgoing` is what the command writes. */
static bool open_pipe(bool outgoing, int *ours, int *theirs) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  *ours = ends[outgoing ? 0 : 1];
  *theirs = ends[outgoing ? 1 : 0];
  (void)fcntl(*ours, F_SETPIPE_SZ, WINDOW); /* fewer turns; a smaller one works as well */
  return set_nonblocking(*ours);
}

static bool open_stdio(const struct order *order, const struct user *user, struct started *started, int theirs[3]) {
  int *const ours[] = {&started->in, &started->out, &started->err};
  int slave = -1;
  for (int fd = 0; fd < 3; fd += 1) {
    switch (order->stdio[fd]) {
      case STDIO_TERMINAL:
        if (started->master < 0 && !open_terminal(order, user, &started->master, &slave)) return false;
        theirs[fd] = fcntl(slave, F_DUPFD_CLOEXEC, 3);
        /* stdout and stderr that are one terminal are read once. */
        if (fd == 2 && order->stdio[1] == STDIO_TERMINAL) break;
        *ours[fd] = fcntl(started->master, F_DUPFD_CLOEXEC, 3);
        if (*ours[fd] < 0) return false;
        break;
      case STDIO_NULL:
        theirs[fd] = open("/dev/null", (fd == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
        break;
      case STDIO_WITH_STDOUT:
        theirs[fd] = theirs[1] < 0 ? -1 : fcntl(theirs[1], F_DUPFD_CLOEXEC, 3);
        break;
      default:
        if (!open_pipe(fd > 0, ours[fd], &theirs[fd])) return false;
    }
    if (theirs[fd] < 0) return false;
  }
  if (slave >= 0) close(slave);
  return true;
}

static void close_all(const int *fds, size_t count) {
  for (size_t index = 0; index < count; index += 1)
    if (fds[index] >= 0) close(fds[index]);
}

static const char *path_of(char *const *env) {
  for (; *env != NULL; env += 1)
    if (strncmp(*env, "PATH=", 5) == 0) return *env + 5;
  return DEFAULT_PATH;
}

struct started start_command(const struct guest *guest, struct view message) {
  static const struct user root = {.uid = 0, .gid = 0};
  struct started started = {.pid = -1, .in = -1, .out = -1, .err = -1, .master = -1};
  struct order order;
  int theirs[3] = {-1, -1, -1};
  if (!read_order(&order, message)) {
    started.error = EPROTO;
    started.what = "read the order";
    free_order(&order);
    return started;
  }
  struct start start = {
      .order = &order, .user = guest->user.home != NULL ? &guest->user : &root, .path = path_of(order.env)};
  start.candidate = malloc(strlen(start.path) + strlen(order.args[0]) + 2);
  start.shell_args = calloc(order.arg_count + 2, sizeof *start.shell_args);
  if (start.candidate == NULL || start.shell_args == NULL) out_of_memory();
  for (size_t index = 1; index < order.arg_count; index += 1) start.shell_args[index + 1] = order.args[index];

  volatile int error = 0;
  if (open_stdio(&order, start.user, &started, theirs)) {
    memcpy(start.fds, theirs, sizeof theirs);
    start.terminal = started.master >= 0;
    started.pid = start_child(&start, &error);
    if (started.pid < 0) error = errno;
  } else {
    error = errno;
    start.what = "open the command's descriptors";
  }
  close_all(theirs, 3);
  if (error != 0) {
    const int ours[] = {started.in, started.out, started.err, started.master};
    close_all(ours, 4);
    /* The child that could not exec is reaped with the rest. */
    static char about[256];
    if (start.what != NULL) (void)snprintf(about, sizeof about, "%s", start.what);
    started = (struct started){.pid = -1, .in = -1, .out = -1, .err = -1, .master = -1};
    started.what = start.what == NULL ? NULL : about;
    started.error = error;
  }
  free(start.candidate);
  free(start.shell_args);
  free_order(&order);
  return started;
}
