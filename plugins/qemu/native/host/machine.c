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

extern char **environ;

/* The numbers under which QEMU inherits its channels. Nothing of them has a name in the file system. */
enum { AGENT_FD = 3, MONITOR_FD, CONSOLE_FD, CHANNELS_END };

static const char *const channels[] = {
    "-device",  "virtio-serial-device",
    "-chardev", "socket,id=bootcut.0,fd=3",
    "-device",  "virtserialport,chardev=bootcut.0,name=bootcut.0,nr=1",
    "-chardev", "socket,id=bootcut-monitor,fd=4",
    "-mon",     "chardev=bootcut-monitor,mode=control",
    "-chardev", "socket,id=bootcut-console,fd=5",
    "-serial",  "chardev:bootcut-console",
};

static struct texts compose(const struct options *options) {
  struct texts args = {0};
  for (size_t index = 0; index < options->qemu_count; index += 1) add_text(&args, options->qemu[index]);
  for (size_t index = 0; index < sizeof channels / sizeof *channels; index += 1) add_text(&args, channels[index]);
  return args;
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
  int moved[CHANNELS_END];
  for (int index = 0; index < CHANNELS_END - AGENT_FD; index += 1) moved[index] = fcntl(theirs[index], F_DUPFD, 16);
  const int said = fcntl(words, F_DUPFD, 16);
  const int told = fcntl(failure, F_DUPFD, 16);
  const int null = open("/dev/null", O_RDONLY);
  bool placed = null >= 0 && dup2(null, 0) == 0 && dup2(said, 1) == 1 && dup2(said, 2) == 2;
  for (int index = 0; index < CHANNELS_END - AGENT_FD; index += 1)
    placed = placed && dup2(moved[index], AGENT_FD + index) == AGENT_FD + index;
  placed = placed && dup2(told, CHANNELS_END) == CHANNELS_END && fcntl(CHANNELS_END, F_SETFD, FD_CLOEXEC) == 0;
  if (placed) {
    (void)syscall(SYS_close_range, CHANNELS_END + 1, ~0u, 0);
    (void)execvp(args[0], args);
  }
  const int error = errno;
  (void)write(placed ? CHANNELS_END : failure, &error, sizeof error);
  _exit(OWN_FAILURE);
}

/* Waits for the exec: the pipe closes then. Returns errno where it failed. */
static int exec_error(int fd) {
  int error = 0;
  ssize_t length;
  while ((length = read(fd, &error, sizeof error)) < 0 && errno == EINTR) continue;
  return length == (ssize_t)sizeof error ? error : 0;
}

bool machine_start(struct machine *machine, const struct options *options) {
  int ours[CHANNELS_END - AGENT_FD], theirs[CHANNELS_END - AGENT_FD], words[2], failure[2];
  *machine = (struct machine){.pid = -1, .agent = -1, .monitor = -1, .console = {.fd = -1}, .words = {.fd = -1}};
  for (int index = 0; index < CHANNELS_END - AGENT_FD; index += 1) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
    ours[index] = pair[0];
    theirs[index] = pair[1];
    if (!set_nonblocking(pair[0])) return false;
  }
  if (pipe2(words, O_CLOEXEC) != 0 || !set_nonblocking(words[0]) || pipe2(failure, O_CLOEXEC) != 0) return false;
  struct texts args = compose(options);
  const pid_t parent = getpid();
  machine->pid = fork();
  if (machine->pid == 0) be_qemu(args.at, parent, theirs, words[1], failure[1]);
  free(args.at);
  for (int index = 0; index < CHANNELS_END - AGENT_FD; index += 1) close(theirs[index]);
  close(words[1]);
  close(failure[1]);
  if (machine->pid < 0) return false;
  const int error = exec_error(failure[0]);
  close(failure[0]);
  machine->agent = ours[0];
  machine->monitor = ours[MONITOR_FD - AGENT_FD];
  machine->console.fd = ours[CONSOLE_FD - AGENT_FD];
  machine->words.fd = words[0];
  if (error == 0) return true;
  machine_end(machine);
  errno = error;
  return false;
}

bool machine_has_ended(struct machine *machine) {
  if (machine->ended || machine->pid <= 0) return machine->ended;
  const pid_t got = waitpid(machine->pid, &machine->status, WNOHANG);
  machine->ended = got == machine->pid || (got < 0 && errno == ECHILD);
  return machine->ended;
}

void machine_end(struct machine *machine) {
  if (machine->pid <= 0 || machine_has_ended(machine)) return;
  (void)kill(-machine->pid, SIGKILL); /* its session is its own: a wrapper's children go with it */
  (void)kill(machine->pid, SIGKILL);
  while (waitpid(machine->pid, &machine->status, 0) < 0 && errno == EINTR) continue;
  machine->ended = true;
}
