#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/*
 * What people and programs send one another. Others end or stop us as they would have ended or stopped the target (and
 * nobody can catch KILL and STOP); then the target goes on without us.
 */
static const int relayed[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCONT, SIGTSTP, SIGWINCH};
enum { RELAYED = sizeof relayed / sizeof *relayed };

/* Those of them that do nothing when they are not caught, or only stop a process. */
static bool is_fatal(int number) { return number != SIGCONT && number != SIGTSTP && number != SIGWINCH; }

static struct {
  sigset_t entry_mask;
  sigset_t wait_mask;
  struct sigaction entry[RELAYED];
  struct sigaction entry_child;
} state;

/*
 * Signals that came and are not dealt with yet. Handlers run only inside ppoll (elsewhere everything is blocked), so
 * nothing is written while it is read.
 */
static struct signal_event events[EVENTS];
static size_t event_count;

void note_signals(void) {
  (void)sigprocmask(SIG_SETMASK, NULL, &state.entry_mask); /* cannot fail with these arguments */
  state.wait_mask = state.entry_mask;
  for (size_t index = 0; index < RELAYED; index += 1) {
    (void)sigaction(relayed[index], NULL, &state.entry[index]);
    sigdelset(&state.wait_mask, relayed[index]);
  }
  (void)sigaction(SIGCHLD, NULL, &state.entry_child);
  sigdelset(&state.wait_mask, SIGCHLD);
  sigaddset(&state.wait_mask, SIGPIPE); /* a reader who has gone is an error of `write` to us, and no end */
}

void ignore_broken_pipes(void) {
  sigset_t pipes;
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  (void)sigprocmask(SIG_BLOCK, &pipes, NULL);
}

int wait_with_signals(struct pollfd *wanted, size_t count, int limit) {
  const struct timespec time = {.tv_sec = limit / 1000, .tv_nsec = limit % 1000 * 1000000L};
  const struct timespec *until = limit < 0 ? NULL : &time;
#if defined(__APPLE__)
  /* No ppoll there. Our numbers are low unless the caller has a thousand files open; then only signals end a wait. */
  fd_set readable, writable;
  FD_ZERO(&readable);
  FD_ZERO(&writable);
  int highest = -1;
  for (size_t index = 0; index < count; index += 1) {
    wanted[index].revents = 0;
    const int fd = wanted[index].fd;
    if (fd < 0 || fd >= FD_SETSIZE) continue;
    if (fd > highest) highest = fd;
    if ((wanted[index].events & POLLIN) != 0) FD_SET(fd, &readable);
    if ((wanted[index].events & POLLOUT) != 0) FD_SET(fd, &writable);
  }
  const int ready = pselect(highest + 1, &readable, &writable, NULL, until, &state.wait_mask);
  for (size_t index = 0; ready > 0 && index < count; index += 1) {
    const int fd = wanted[index].fd;
    if (fd >= 0 && fd < FD_SETSIZE && (FD_ISSET(fd, &readable) || FD_ISSET(fd, &writable)))
      wanted[index].revents = wanted[index].events;
  }
  return ready;
#else
  return ppoll(wanted, (nfds_t)count, until, &state.wait_mask);
#endif
}

struct signal_event event_of(int number, const siginfo_t *info) {
  return (struct signal_event){.number = number, .code = info->si_code, .sender = info->si_pid, .at = now()};
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (event_count < EVENTS) events[event_count++] = event_of(number, info);
}

static void on_child(int number) { (void)number; /* only to end a wait */ }

static void handle(int number, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = handler;
  sigfillset(&action.sa_mask);
  (void)sigaction(number, &action, NULL);
}

void handle_relayed(void (*handler)(int, siginfo_t *, void *)) {
  for (size_t index = 0; index < RELAYED; index += 1) handle(relayed[index], handler);
}

void block_signals(void) {
  sigset_t everything;
  sigfillset(&everything);
  (void)sigprocmask(SIG_SETMASK, &everything, NULL);
}

void unblock_signals(void) { (void)sigprocmask(SIG_SETMASK, &state.entry_mask, NULL); }

void hold_signals(void) {
  block_signals();
  handle_relayed(on_signal);
  struct sigaction child = {.sa_handler =
                                on_child}; /* also where the caller ignores it: we want to know how it ended */
  sigfillset(&child.sa_mask);
  (void)sigaction(SIGCHLD, &child, NULL);
}

int fatal_signal_pending(void) {
  sigset_t pending;
  if (sigpending(&pending) != 0) return 0;
  for (size_t index = 0; index < RELAYED; index += 1) {
    const int number = relayed[index];
    const bool ended_us = state.entry[index].sa_handler != SIG_IGN && sigismember(&state.entry_mask, number) == 0;
    if (is_fatal(number) && ended_us && sigismember(&pending, number) == 1) return number;
  }
  return 0;
}

void restore_signals(void) {
  for (size_t index = 0; index < RELAYED; index += 1) (void)sigaction(relayed[index], &state.entry[index], NULL);
  (void)sigaction(SIGCHLD, &state.entry_child, NULL);
  unblock_signals();
}

bool next_signal(struct signal_event *event) {
  if (event_count == 0) return false;
  *event = events[0];
  event_count -= 1;
  memmove(events, events + 1, event_count * sizeof *events);
  return true;
}

static void take_default(int number) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigset_t only;
  sigemptyset(&action.sa_mask);
  sigemptyset(&only);
  sigaddset(&only, number);
  (void)sigaction(number, &action, NULL); /* fails for KILL and STOP, which have no other */
  (void)kill(getpid(), number);
  (void)sigprocmask(SIG_UNBLOCK, &only, NULL);
}

void stop_by(int number) {
  sigset_t pending;
  /* Continued already: a stop now would throw that away, and nobody would continue us again. */
  if (sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1) return;
  take_default(number);
  block_signals();
  for (size_t index = 0; index < RELAYED; index += 1)
    if (relayed[index] == number) handle(number, on_signal);
}

void die_by(int number) {
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  (void)setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* where a program takes the core files, the limit does not count */
#endif
  take_default(number);
}
