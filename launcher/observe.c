#include "observe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* How long after the target's end its stderr is waited for, in nanoseconds (stderr-tap.ts, drainLimit). */
static const uint64_t DRAIN_LIMIT = 50 * 1000000u;

static void stop_observing(struct observation *o) {
  if (o->from >= 0) close(o->from);
  o->from = -1;
  o->held_from = o->held_to = 0;
}

static bool open_ends(struct observation *o, const struct terminal *terminal) {
  if (isatty(STDERR_FILENO)) {
    struct pseudo_terminal pair;
    if (terminal->fd < 0 || !open_pseudo_terminal(terminal, &pair)) return false;
    o->terminal = terminal;
    o->returns_added = adds_returns(terminal);
    o->from = pair.ours;
    o->targets = pair.targets;
    return true;
  }
  int ends[2];
  if (pipe(ends) != 0) return false;
  o->from = keep_private(ends[0]);
  o->targets = keep_private(ends[1]);
  if (o->from >= 0 && o->targets >= 0) return true;
  stop_observing(o);
  let_go_of_targets_end(o);
  return false;
}

void begin_observation(struct observation *o, const struct plan *plan, struct daemon *daemon,
                       const struct terminal *t) {
  o->from = o->targets = -1;
  o->terminal = NULL;
  o->plan = plan;
  o->daemon = daemon;
  o->held_from = o->held_to = o->line_length = 0;
  o->line_begun = o->returns_added = false;
  /* A closed stderr stays closed, and what cannot be observed is not: the target gets the caller's own. */
  if (plan->observes && daemon->socket >= 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0) (void)open_ends(o, t);
}

void let_go_of_targets_end(struct observation *o) {
  if (o->targets >= 0) close(o->targets);
  o->targets = -1;
}

struct pollfd observation_wants(const struct observation *o) {
  if (o->held_to > o->held_from) return (struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT};
  return (struct pollfd){.fd = o->from, .events = POLLIN};
}

static void end_line(struct observation *o) {
  const bool added = o->returns_added && o->line_length > 0 && o->line[o->line_length - 1] == '\r';
  const struct view line = {o->line, o->line_length - (added ? 1 : 0)};
  if (o->line_begun && is_observed(o->plan, line)) report_line(o->daemon, o->line_at, line);
  o->line_length = 0;
  o->line_begun = false;
}

static void look_at(struct observation *o, const unsigned char *bytes, size_t length) {
  const uint64_t at = now();
  for (size_t index = 0; index < length; index += 1) {
    if (bytes[index] == '\n') {
      end_line(o);
      continue;
    }
    if (!o->line_begun) o->line_at = at;
    o->line_begun = true;
    if (o->line_length < LINE_LIMIT) o->line[o->line_length++] = bytes[index];
  }
}

/* Takes out the carriage returns that the caller's terminal will add by itself. One that a read has cut off stays: it
 * does no harm. */
static size_t without_returns(unsigned char *bytes, size_t length) {
  size_t kept = 0;
  for (size_t index = 0; index < length; index += 1)
    if (bytes[index] != '\r' || index + 1 == length || bytes[index + 1] != '\n') bytes[kept++] = bytes[index];
  return kept;
}

/*
 * One step, after `observation_wants` has come true. What is held is at most what a pipe with any room takes at once,
 * so that a reader who has stopped reading does not keep us from signals.
 */
void observe(struct observation *o) {
  if (o->from < 0) return;
  if (o->held_to == o->held_from) {
    const ssize_t length = read(o->from, o->held, sizeof o->held);
    if (length < 0 && errno == EINTR) return;
    if (length <= 0) { /* EIO is how a pseudo-terminal says that nobody has the other end open */
      stop_observing(o);
      return;
    }
    o->held_from = 0;
    o->held_to = (size_t)length;
    look_at(o, o->held, o->held_to);
    if (o->returns_added && adds_returns(o->terminal)) o->held_to = without_returns(o->held, o->held_to);
    return;
  }
  const ssize_t written = write(STDERR_FILENO, o->held + o->held_from, o->held_to - o->held_from);
  if (written >= 0) o->held_from += (size_t)written;
  /* Whoever reads our stderr has gone: then the target finds it gone too. */
  else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) stop_observing(o);
}

void finish_observation(struct observation *o) {
  const uint64_t deadline = now() + DRAIN_LIMIT;
  while (o->from >= 0) {
    struct pollfd wanted = observation_wants(o);
    const uint64_t moment = now();
    const bool writing = wanted.events == POLLOUT;
    if (moment >= deadline && !writing) break;
    /* What has been read is written, however long the reader takes: the target was told that it went through. */
    const int limit = writing ? -1 : (int)((deadline - moment + 999999u) / 1000000u);
    const int count = poll(&wanted, 1, limit);
    if (count == 0 || (count < 0 && errno != EINTR)) break;
    if (count > 0) observe(o);
  }
  end_line(o);
  stop_observing(o);
}

void follow_size(const struct observation *o) {
  if (o->from >= 0 && o->terminal != NULL) copy_size(o->terminal, o->from);
}
