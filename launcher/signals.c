#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
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
 * nothing is written while it is read. Eight would do: the kernel merges what it has not delivered.
 */
enum { EVENTS = 32 };
static struct signal_event events[EVENTS];
static size_t event_count;

/* The witness' end of the line between us is its own; this one is ours. */
static struct {
  pid_t pid;
  int line;
} witness = {.pid = -1, .line = -1};

/* What the witness reported and no event has claimed yet. */
static struct signal_event reports[EVENTS];
static size_t report_count;

/* How long the witness may take to speak when the machine is busy: as long as nobody takes for a hang, in milliseconds.
 */
enum { WITNESS_LIMIT = 100 };

/* The sender's round through the group takes microseconds; so long is it given before silence counts, in milliseconds.
 */
enum { GROUP_ROUND = 2 };

/* A report that no event claimed within this time never will be: the kernel had merged two signals into one for us. */
static const uint64_t REPORT_LIFE = 200 * 1000000u;

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

int witness_line(void) { return witness.line; }

static struct signal_event event_of(int number, const siginfo_t *info) {
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

static void block_everything(void) {
  sigset_t everything;
  sigfillset(&everything);
  (void)sigprocmask(SIG_SETMASK, &everything, NULL);
}

void hold_signals(void) {
  block_everything();
  for (size_t index = 0; index < RELAYED; index += 1) handle(relayed[index], on_signal);
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
  (void)sigprocmask(SIG_SETMASK, &state.entry_mask, NULL);
}

bool next_signal(struct signal_event *event) {
  if (event_count == 0) return false;
  *event = events[0];
  event_count -= 1;
  memmove(events, events + 1, event_count * sizeof *events);
  return true;
}

/* The witness
 * ---------------------------------------------------------------------------------------------------------- */

static int own_line;

static void tell(const struct signal_event *event) {
#ifdef MSG_NOSIGNAL
  (void)send(own_line, event, sizeof *event, MSG_DONTWAIT | MSG_NOSIGNAL); /* nobody reads: then we are to end */
#else
  (void)send(own_line, event, sizeof *event, MSG_DONTWAIT);
#endif
}

static void on_witnessed(int number, siginfo_t *info, void *context) {
  (void)context;
  const int saved = errno;
  const struct signal_event event = event_of(number, info);
  tell(&event);
  errno = saved;
}

/* Answers each byte with an empty event. It does so only after it has dealt with every signal that came before. */
static _Noreturn void be_witness(int line) {
  own_line = line;
  close_all_but(&line, 1); /* a reader of the caller's pipes must see their end without us */
#if defined(__linux__)
  (void)prctl(PR_SET_NAME, "bootcut-witness", 0, 0, 0); /* only a name for `ps` */
#endif
  for (size_t index = 0; index < RELAYED; index += 1) handle(relayed[index], on_witnessed);
  sigset_t nothing;
  sigemptyset(&nothing);
  (void)sigprocmask(SIG_SETMASK, &nothing, NULL);
  for (;;) {
    char ping;
    const ssize_t length = read(line, &ping, 1);
    if (length == 0 || (length < 0 && errno != EINTR)) _exit(0); /* we are gone, whatever ended us */
    if (length == 1) tell(&(struct signal_event){.number = 0});
  }
}

void place_witness(void) {
  int line[2];
#ifdef SOCK_CLOEXEC
  /* A row of whole reports rather than a stream: none is ever cut. */
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0) return;
#else
  /* macOS has no such rows; a report is far smaller than what a stream takes at once. */
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, line) != 0) return;
#endif
  line[0] = keep_private(line[0]);
  line[1] = keep_private(line[1]);
  if (line[0] < 0 || line[1] < 0) return;
  block_everything(); /* it must not die of a signal for the group before it can tell of it */
  witness.pid = fork();
  if (witness.pid == 0) be_witness(line[1]);
  (void)sigprocmask(SIG_SETMASK, &state.entry_mask, NULL);
  close(line[1]);
  if (witness.pid < 0) close(line[0]);
  else witness.line = line[0];
}

void dismiss_witness(void) {
  if (witness.pid <= 0) return;
  close(witness.line);
  (void)kill(witness.pid, SIGKILL);
  while (waitpid(witness.pid, NULL, 0) < 0 && errno == EINTR) continue;
  witness.pid = -1;
  witness.line = -1;
}

static bool is_same(const struct signal_event *one, const struct signal_event *other) {
  return one->number == other->number && one->code == other->code && one->sender == other->sender;
}

/* Takes the oldest report that is the same signal from the same sender, and forgets those that are out of date. */
static bool claim(const struct signal_event *event) {
  size_t kept = 0;
  bool claimed = false;
  const uint64_t moment = now();
  for (size_t index = 0; index < report_count; index += 1) {
    if (!claimed && is_same(&reports[index], event)) claimed = true;
    else if (moment - reports[index].at < REPORT_LIFE) reports[kept++] = reports[index];
  }
  report_count = kept;
  return claimed;
}

/* Takes in one report, or nothing within the limit (milliseconds). */
enum word { WORD_NONE, WORD_REPORT, WORD_PONG };
static enum word hear(int limit) {
  struct pollfd line = {.fd = witness.line, .events = POLLIN};
  if (poll(&line, 1, limit) != 1) return WORD_NONE;
  struct signal_event event;
  if (recv(witness.line, &event, sizeof event, MSG_DONTWAIT) != (ssize_t)sizeof event) return WORD_NONE;
  if (event.number == 0) return WORD_PONG;
  if (report_count < EVENTS) reports[report_count++] = event;
  return WORD_REPORT;
}

/*
 * First every report that is there; then those that come while the sender may still be on its round; then the question
 * whose answer proves that there are no more. A witness that is stopped or dead says nothing: then what came from the
 * kernel (a terminal) counts as the group's, everything else as ours.
 */
bool group_got(const struct signal_event *event) {
  if (witness.line >= 0) {
    while (hear(0) == WORD_REPORT) continue;
    if (claim(event)) return true;
    while (hear(GROUP_ROUND) == WORD_REPORT)
      if (claim(event)) return true;
#ifdef MSG_NOSIGNAL
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
#else
    const int flags = MSG_DONTWAIT;
#endif
    if (send(witness.line, "?", 1, flags) == 1) {
      enum word word;
      while ((word = hear(WITNESS_LIMIT)) == WORD_REPORT) continue;
      if (claim(event)) return true;
      if (word == WORD_PONG) return false;
    }
  }
#ifdef SI_KERNEL
  return event->code == SI_KERNEL;
#else
  return false;
#endif
}

/* Our own end
 * ---------------------------------------------------------------------------------------------------------- */

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
  block_everything();
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
