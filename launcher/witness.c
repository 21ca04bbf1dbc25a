#include "witness.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

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

int witness_line(void) { return witness.line; }

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
  handle_relayed(on_witnessed);
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
  block_signals(); /* it must not die of a signal for the group before it can tell of it */
  witness.pid = fork();
  if (witness.pid == 0) be_witness(line[1]);
  unblock_signals();
  close(line[1]);
  if (witness.pid < 0) close(line[0]);
  else witness.line = line[0];
}

void release_witness(void) {
  if (witness.pid > 0) (void)kill(witness.pid, SIGKILL);
}

void dismiss_witness(void) {
  if (witness.pid <= 0) return;
  release_witness();
  close(witness.line);
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
