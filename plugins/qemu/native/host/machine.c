#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* CLOSE_RANGE_CLOEXEC of linux/close_range.h, which is not among musl's headers. */
enum { CLOSE_ON_EXEC = 4 };

/*
 * The C library lets the heap of a thread grow by a page at a time, each with a system call: an emulated guest that is
 * restored makes 600 of them. With this it is there at once, without a page of it in use. Variables of the user's stay.
 */
static void give_room(void) {
  static const char own[] = "glibc.malloc.top_pad=16777216";
  const char *const users = getenv("GLIBC_TUNABLES");
  char *both = NULL;
  if (users == NULL || users[0] == '\0') (void)setenv("GLIBC_TUNABLES", own, 1);
  else if (asprintf(&both, "%s:%s", own, users) >= 0) (void)setenv("GLIBC_TUNABLES", both, 1);
}

/*
 * In the child. A session of its own: no key pressed at the terminal reaches it, and no hang-up. KILL when we die; the
 * parent may be gone before that was asked for. Nothing of the caller's is held open.
 */
static _Noreturn void be_qemu(char *const *args, pid_t parent, const int *theirs, int words, int failure) {
  sigset_t nothing;
  (void)setsid();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(OWN_FAILURE);
  for (int number = 1; number < 32; number += 1)
    if (number != SIGKILL && number != SIGSTOP) (void)signal(number, SIG_DFL);
  sigemptyset(&nothing);
  (void)sigprocmask(SIG_SETMASK, &nothing, NULL);
  /* First out of the way of the numbers they are to have. */
  int moved[INHERITED_END];
  for (int fd = AGENT_FD; fd < INHERITED_END; fd += 1)
    moved[fd] = theirs[fd] < 0 ? -1 : fcntl(theirs[fd], F_DUPFD_CLOEXEC, 16);
  const int said = fcntl(words, F_DUPFD_CLOEXEC, 16);
  const int told = fcntl(failure, F_DUPFD_CLOEXEC, 16);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  /* What has no place is nothing of the caller's either. */
  for (int fd = AGENT_FD; fd < INHERITED_END; fd += 1)
    if (moved[fd] < 0) close(fd);
  bool placed = null >= 0 && dup2(null, 0) == 0 && dup2(said, 1) == 1 && dup2(said, 2) == 2;
  for (int fd = AGENT_FD; fd < INHERITED_END; fd += 1) placed = placed && (moved[fd] < 0 || dup2(moved[fd], fd) == fd);
  if (placed) {
    /* Only what was placed stays open across the exec. */
    (void)syscall(SYS_close_range, INHERITED_END, ~0u, CLOSE_ON_EXEC);
    give_room();
    (void)execvp(args[0], args);
  }
  const int error = errno;
  (void)write(told, &error, sizeof error);
  _exit(OWN_FAILURE);
}

/* Waits for the exec: the pipe closes then. Returns errno where it failed. */
static int exec_error(int fd) {
  int error = 0;
  ssize_t length;
  while ((length = read(fd, &error, sizeof error)) < 0 && errno == EINTR) continue;
  return length == (ssize_t)sizeof error ? error : 0;
}

struct machine machine_of(enum origin origin) {
  struct machine machine = {.origin = origin,
                            .pid = -1,
                            .agent = -1,
                            .monitor = -1,
                            .keeper = -1,
                            .console = {.fd = -1},
                            .words = {.fd = -1}};
  for (size_t index = 0; index < SEATS; index += 1) machine.seats[index] = -1;
  return machine;
}

/* The ends of QEMU's channels, by its numbers; -1 for what this machine has not. */
static bool make_channels(int *ours, int *theirs, bool seats) {
  for (int fd = 0; fd < INHERITED_END; fd += 1) ours[fd] = theirs[fd] = -1;
  for (int fd = AGENT_FD; fd < INHERITED_END; fd += 1) {
    int pair[2];
    if (fd == FILE_FD || (fd >= SEAT_FD && !seats)) continue;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 || !set_nonblocking(pair[0])) return false;
    ours[fd] = pair[0];
    theirs[fd] = pair[1];
  }
  return true;
}

bool machine_start(struct machine *machine, const struct options *options, enum origin origin, int file) {
  int ours[INHERITED_END], theirs[INHERITED_END], words[2], failure[2];
  *machine = machine_of(origin);
  if (!make_channels(ours, theirs, has_seats(options, origin))) return false;
  theirs[FILE_FD] = file;
  if (pipe2(words, O_CLOEXEC) != 0 || !set_nonblocking(words[0]) || pipe2(failure, O_CLOEXEC) != 0) return false;
  struct texts args = compose_arguments(options, origin);
  const pid_t parent = getpid();
  machine->pid = fork();
  if (machine->pid == 0) be_qemu(args.at, parent, theirs, words[1], failure[1]);
  free(args.at);
  for (int fd = AGENT_FD; fd < INHERITED_END; fd += 1)
    if (fd != FILE_FD && theirs[fd] >= 0) close(theirs[fd]);
  close(words[1]);
  close(failure[1]);
  machine->agent = ours[AGENT_FD];
  machine->monitor = ours[MONITOR_FD];
  machine->console.fd = ours[CONSOLE_FD];
  machine->words.fd = words[0];
  memcpy(machine->seats, ours + SEAT_FD, sizeof machine->seats);
  const int error = machine->pid < 0 ? errno : exec_error(failure[0]);
  close(failure[0]);
  if (error == 0) return true;
  machine_end(machine);
  errno = error;
  return false;
}

bool machine_has_ended(struct machine *machine) {
  if (machine->ended) return true;
  if (machine->origin == ORIGIN_STANDBY) return standby_has_ended(machine, 0);
  if (machine->pid <= 0) return false;
  const pid_t got = waitpid(machine->pid, &machine->status, WNOHANG);
  machine->ended = got == machine->pid || (got < 0 && errno == ECHILD);
  return machine->ended;
}

/* A keeper that does not answer is as good as gone; so long it is given, in milliseconds. */
enum { KEEPER_LIMIT = 2000 };

void machine_end(struct machine *machine) {
  if (machine->ended) return;
  if (machine->origin == ORIGIN_STANDBY) {
    (void)shutdown(machine->keeper, SHUT_WR);
    (void)standby_has_ended(machine, KEEPER_LIMIT);
    machine->ended = true;
    return;
  }
  if (machine->pid <= 0 || machine_has_ended(machine)) return;
  (void)kill(-machine->pid, SIGKILL); /* its session is its own: a wrapper's children go with it */
  (void)kill(machine->pid, SIGKILL);
  while (waitpid(machine->pid, &machine->status, 0) < 0 && errno == EINTR) continue;
  machine->ended = true;
}

void machine_forget(struct machine *machine) {
  const int fds[] = {machine->agent, machine->monitor, machine->keeper, machine->console.fd, machine->words.fd};
  machine_end(machine);
  for (size_t index = 0; index < sizeof fds / sizeof *fds; index += 1)
    if (fds[index] >= 0) close(fds[index]);
  for (size_t index = 0; index < SEATS; index += 1)
    if (machine->seats[index] >= 0) close(machine->seats[index]);
  bytes_free(&machine->console.text);
  bytes_free(&machine->words.text);
}
