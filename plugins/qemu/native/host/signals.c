#include "host.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* What people and programs send one another. Others end or stop us, and with us the guest. */
static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM};
/* What we want to know ourselves. */
static const int our_own[] = {SIGCHLD, SIGWINCH, SIGCONT};

static struct {
  sigset_t entry_mask;
  uint64_t ignored;
} state;

int signals_hold(void) {
  sigset_t held, blocked;
  sigemptyset(&held);
  for (int number = 1; number < 32; number += 1) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) state.ignored |= 1u << (number - 1);
  }
  for (size_t index = 0; index < sizeof passed_on / sizeof *passed_on; index += 1) sigaddset(&held, passed_on[index]);
  for (size_t index = 0; index < sizeof our_own / sizeof *our_own; index += 1) sigaddset(&held, our_own[index]);
  blocked = held;
  sigaddset(&blocked, SIGPIPE); /* a reader who has gone is an error of `write` to us */
  sigaddset(&blocked, SIGTTOU); /* as is a terminal that is not ours at this moment */
  (void)signal(SIGCHLD, SIG_DFL); /* who ignores it would not learn how QEMU ended */
  (void)sigprocmask(SIG_BLOCK, &blocked, &state.entry_mask);
  return signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
}

uint64_t signals_ignored(void) { return state.ignored; }

bool signals_next(int fd, int *number, bool *from_terminal) {
  struct signalfd_siginfo info;
  if (read(fd, &info, sizeof info) != (ssize_t)sizeof info) return false;
  *number = (int)info.ssi_signo;
  *from_terminal = info.ssi_code == SI_KERNEL;
  return true;
}

/* A PIPE that waits is of somebody who had left us long before, such as one who had joined: it would end us now. */
void signals_release(void) {
  const struct timespec at_once = {0};
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  (void)sigtimedwait(&pipe, NULL, &at_once);
  (void)sigprocmask(SIG_SETMASK, &state.entry_mask, NULL);
}

bool is_fatal(int number) {
  for (size_t index = 0; index < sizeof passed_on / sizeof *passed_on; index += 1)
    if (passed_on[index] == number) return true;
  return false;
}

void die_by(int number) {
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  sigset_t only;
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* where a program takes the core files, the limit does not count */
  (void)signal(number, SIG_DFL);
  sigemptyset(&only);
  sigaddset(&only, number);
  (void)raise(number);
  (void)sigprocmask(SIG_UNBLOCK, &only, NULL);
}
