/* The daemon as a launch sees it: ask once, report, and never wait longer than promised. */
#ifndef BOOTCUT_DAEMON_H
#define BOOTCUT_DAEMON_H

#include "plan.h"

struct daemon {
  /* -1 when there is none, or none any more. */
  int socket;
  /* Frames received so far; a plan points into them. */
  struct bytes received;
  /* Frames that the socket would not take yet, or that are held. */
  struct bytes waiting;
  /* Only the start is waiting, and it has time. */
  bool holds_start;
};

/* What became of asking. Everything but a plan means: let the Node front do it. */
enum answer {
  ANSWER_PLAN,
  /* It passed, it is another build, or it does not speak as it should: asking again costs nothing. */
  ANSWER_NONE,
  /* It let the limit pass: nobody may wait for it again. */
  ANSWER_SILENCE,
};

/* Connects; the daemon takes us in while the request is being composed. False where there is none. */
bool find_daemon(struct daemon *daemon, const char *path);

/* Sends the request, whole. */
enum answer send_request(struct daemon *daemon, struct view request);

/* Waits for the plan of a command line of `given` items. `build` is ours; the daemon's must be the same. */
enum answer receive_plan(struct daemon *daemon, const char *build, size_t given, struct plan *plan);

void leave_daemon(struct daemon *daemon);

/*
 * Reports. They never wait; what does not fit is kept, and lines are left out when too much is kept. Each wakes the
 * daemon, beside a target that is just starting: the start is held until the next report or `flush_reports`.
 */
void report_started(struct daemon *daemon, uint64_t at, pid_t pid);
void report_line(struct daemon *daemon, uint64_t at, struct view text);
void report_ended(struct daemon *daemon, uint64_t at, enum ending ending, int code);

/* How long a start may be held, in milliseconds: a target that ends sooner costs the daemon one waking, not two. */
enum { START_HELD = 10 };

/* Is something waiting for the socket to take it? Then `flush_reports` when it can. */
bool has_reports(const struct daemon *daemon);
void flush_reports(struct daemon *daemon);

/*
 * After the end: until the socket has taken every report, or until waiting is not worth it. What it has taken the
 * daemon reads although we are gone; whoever reads records asks the daemon to write down first what has ended.
 */
void finish_reports(struct daemon *daemon);

#endif
