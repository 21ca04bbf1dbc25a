/* A launch: boot, configure, start the command, pass bytes on, end as it ended. */
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* QEMU has said why it will not go on, and is still there: so long it is given to end by itself, in milliseconds. */
enum { GRACE = 1000 };

struct launch {
  const struct options *options;
  struct machine machine;
  struct session session;
  struct late late;
  int signals;
  /* Of this machine. `arrived_at`: of the launch. */
  uint64_t begun_at, condemned_at, arrived_at;
  /* CONFIG and START have been sent. */
  bool asked, ordered;
};

enum { WANT_SIGNALS, WANT_CONSOLE, WANT_WORDS, WANT_LATE, WANT_SESSION, WANT_SEATS = WANT_SESSION + SESSION_WANTS, WANTS = WANT_SEATS + SEATS_WANTS };

/* No one waits for a machine that is gone, and a caller who wants us gone before the command was started gets that. */
static _Noreturn void leave_by(struct launch *launch, int number) {
  join_close();
  machine_end(&launch->machine);
  terminal_restore();
  die_by(number);
  exit(128 + number);
}

static void on_signals(struct launch *launch) {
  int number;
  bool from_terminal;
  while (signals_next(launch->signals, &number, &from_terminal)) {
    if (number == SIGCONT && launch->session.raw) terminal_raw();
    if (number == SIGCONT || number == SIGWINCH) session_resize(&launch->session);
    else if (is_fatal(number) && launch->ordered) session_signal(&launch->session, number, from_terminal);
    else if (is_fatal(number)) leave_by(launch, number);
  }
}

static bool is_over(const struct launch *launch) {
  return launch->session.told || launch->session.failure != NULL || launch->session.link.nonsense ||
         launch->session.link.ended || launch->machine.ended;
}

/* What has booted already answers at once, or it is of no use. In milliseconds. */
enum { PREPARED_LIMIT = 3000 };

static uint64_t boot_limit(const struct launch *launch) {
  const uint64_t own = launch->options->boot_limit;
  const bool boots = launch->machine.origin == ORIGIN_BOOT || launch->machine.origin == ORIGIN_JOINED;
  return boots || own < PREPARED_LIMIT ? own : PREPARED_LIMIT;
}

static uint64_t passed_since(uint64_t moment) { return (clock_now(CLOCK_MONOTONIC) - moment) / 1000000; }

static uint64_t left_of(uint64_t limit, uint64_t since) {
  const uint64_t passed = passed_since(since);
  return passed < limit ? limit - passed : 0;
}

/* Milliseconds until something is late; -1: nothing can be. */
static int patience(const struct launch *launch) {
  uint64_t left = UINT64_MAX;
  if (!launch->session.configured) left = left_of(boot_limit(launch), launch->begun_at);
  else if (!launch->ordered) left = left_of(launch->options->late_limit, launch->arrived_at);
  if (launch->condemned_at != 0 && !launch->session.greeted) left = left_of(GRACE, launch->condemned_at);
  return left == UINT64_MAX ? -1 : left > INT_MAX ? INT_MAX : (int)left;
}

static void turn(struct launch *launch) {
  struct pollfd wanted[WANTS] = {
      {.fd = launch->signals, .events = POLLIN},
      {.fd = launch->machine.console.fd, .events = POLLIN},
      {.fd = launch->machine.words.fd, .events = POLLIN},
      {.fd = launch->late.link.fd, .events = POLLIN},
  };
  link_flush(&launch->session.link);
  session_ask(&launch->session, wanted + WANT_SESSION);
  seats_ask(wanted + WANT_SEATS, launch->session.configured);
  if (poll(wanted, WANTS, patience(launch)) <= 0) return;
  if (wanted[WANT_CONSOLE].revents != 0) said_listen(&launch->machine.console);
  if (wanted[WANT_WORDS].revents != 0) said_listen(&launch->machine.words);
  if (wanted[WANT_LATE].revents != 0) late_receive(&launch->late);
  session_answer(&launch->session, wanted + WANT_SESSION);
  seats_answer(wanted + WANT_SEATS, launch->session.configured);
  if (wanted[WANT_SIGNALS].revents != 0) on_signals(launch);
}

/* Returns the cause when it has taken too long. */
static const char *overdue(struct launch *launch) {
  static const char late[] = "the guest has not answered within the limit for its boot";
  static const char condemned[] = "QEMU does not go on";
  if (!launch->session.greeted && launch->condemned_at == 0 && known_cause(&launch->machine.words) != NULL)
    launch->condemned_at = clock_now(CLOCK_MONOTONIC);
  if (launch->condemned_at != 0 && !launch->session.greeted && passed_since(launch->condemned_at) >= GRACE)
    return condemned;
  return !launch->session.configured && passed_since(launch->begun_at) >= boot_limit(launch) ? late : NULL;
}

static void advance(struct launch *launch) {
  if (launch->session.greeted && !launch->asked) {
    const bool joined = launch->machine.origin == ORIGIN_JOINED; /* then it is configured, or will be, by its own */
    if (!joined) put_config(&launch->session.link.out, launch->options, launch->machine.origin);
    launch->asked = !joined || launch->session.configured;
  }
  const bool values = launch->late.complete || passed_since(launch->arrived_at) >= launch->options->late_limit;
  if (!launch->asked) return;
  late_pass_on(&launch->late, &launch->session.link);
  if (launch->ordered || !values) return;
  const struct circumstances circumstances = {
      .added = &launch->late.env,
      .ignored = signals_ignored(),
      .fresh = launch->machine.origin != ORIGIN_JOINED && !launch->late.has_files,
  };
  session_start(&launch->session, launch->options, &circumstances);
  launch->ordered = true;
}

/* What was said before the end, and is still under way to us. */
static void hear_out(struct launch *launch) {
  if (!launch->session.told) session_receive(&launch->session);
  struct said *const both[] = {&launch->machine.console, &launch->machine.words};
  for (size_t index = 0; index < 2; index += 1)
    for (int times = 0; times < 64 && both[index]->fd >= 0; times += 1) {
      struct pollfd more = {.fd = both[index]->fd, .events = POLLIN};
      if (poll(&more, 1, 0) != 1) break;
      said_listen(both[index]);
    }
}

/* The caller's reader may be slow. From here on signals mean us alone. */
static void write_rest(struct session *session) {
  signals_release();
  while (!session_is_written(session)) {
    struct pollfd wanted[SESSION_WANTS];
    session_ask(session, wanted);
    wanted[SESSION_WANT_LINK].fd = wanted[SESSION_WANT_IN].fd = -1;
    if (poll(wanted, SESSION_WANTS, -1) > 0) session_answer(session, wanted);
  }
}

static int fail(struct launch *launch, const char *failure) {
  terminal_restore();
  if (failure == NULL) failure = launch->session.failure;
  if (failure == NULL && launch->machine.origin == ORIGIN_JOINED && launch->session.link.ended)
    failure = "the VM has ended with the launch that had booted it";
  if (failure == NULL && launch->session.link.nonsense) failure = "the guest says what its agent would never say";
  return tell_failure(launch->options, &launch->machine, failure);
}

/* The port breaks a moment before QEMU has ended; how it ended is the cause. Of a joined one we learn no more. */
static void await_end(struct launch *launch) {
  if (launch->machine.origin == ORIGIN_JOINED) return;
  for (int times = 0; times < 100 && !machine_has_ended(&launch->machine); times += 1) {
    struct pollfd wanted = {.fd = launch->signals, .events = POLLIN};
    (void)poll(&wanted, 1, 10);
    on_signals(launch);
  }
}

/* False when the machine is of no use: then there is another one, or a boot. */
static bool begin(struct launch *launch, enum origin origin, const char *standby) {
  const struct options *const options = launch->options;
  const int state = origin == ORIGIN_TEMPLATE ? template_state(options->template_directory) : -1;
  const bool begun = origin == ORIGIN_STANDBY ? standby_take(&launch->machine, standby)
                                              : machine_start(&launch->machine, options, origin, state);
  if (state >= 0) close(state);
  if (!begun) return false;
  session_begin(&launch->session, launch->machine.agent);
  launch->begun_at = clock_now(CLOCK_MONOTONIC);
  launch->asked = launch->ordered = false;
  launch->condemned_at = 0;
  if (origin == ORIGIN_BOOT) {
    seats_begin(&launch->machine, launch->options);
    milestone("vm-started", clock_now(CLOCK_MONOTONIC));
    return true;
  }
  /* What it needs to be this launch's, and no other's, lies before it when it goes on. */
  launch->session.greeted = true;
  advance(launch);
  link_flush(&launch->session.link);
  const bool goes_on = origin == ORIGIN_STANDBY ? monitor_send(launch->machine.monitor, "{\"execute\":\"cont\"}\n", -1)
                                                : template_restore(&launch->machine);
  if (goes_on) milestone(origin == ORIGIN_STANDBY ? "vm-resumed" : "vm-restored", clock_now(CLOCK_MONOTONIC));
  else machine_forget(&launch->machine);
  return goes_on;
}

/* Until the command has ended, or cannot go on. Returns the cause where it has taken too long. */
static const char *serve(struct launch *launch) {
  const char *failure = NULL;
  while (!is_over(launch) && failure == NULL) {
    turn(launch);
    advance(launch);
    failure = overdue(launch);
    (void)machine_has_ended(&launch->machine);
  }
  hear_out(launch);
  if (launch->session.link.ended && !launch->session.told) await_end(launch);
  return failure;
}

static bool has_failed_before_start(const struct launch *launch) {
  return !launch->session.told && !launch->session.started;
}

/* Tries what has booted already, one after the other. False when none of them was there, or was of any use. */
static bool run_in_prepared(struct launch *launch) {
  const struct options *const options = launch->options;
  for (size_t index = 0; index <= options->standbys.count; index += 1) {
    const bool last = index == options->standbys.count;
    if (last && !template_is_there(options->template_directory)) return false;
    if (!begin(launch, last ? ORIGIN_TEMPLATE : ORIGIN_STANDBY, last ? NULL : options->standbys.at[index])) continue;
    (void)serve(launch);
    if (!has_failed_before_start(launch)) return true;
    terminal_restore();
    machine_forget(&launch->machine);
    free(launch->session.failure);
  }
  return false;
}

/* Twice, because the one that was there may have been about to leave. */
enum { JOIN_TRIES = 2 };

/*
 * In the VM of another launch. False when there is none: then ours may be joined; or when there is no seat in it, or it
 * is of no use for us: then ours is ours alone.
 */
static bool run_in_joined(struct launch *launch) {
  const struct options *const options = launch->options;
  for (int times = 0; times < JOIN_TRIES; times += 1) {
    const int connection = join_find(options->attachable);
    if (connection < 0) return false;
    const enum joining joining = join_take(&launch->machine, connection, options);
    if (joining == JOIN_OTHER)
      complain("attach", "the VM that runs has other directories or another network; this is a VM of its own");
    if (joining == JOIN_OTHER) return false;
    if (joining == JOIN_FAILED) continue;
    milestone("vm-joined", clock_now(CLOCK_MONOTONIC));
    session_begin(&launch->session, launch->machine.agent);
    launch->session.greeted = true;
    launch->asked = launch->ordered = false;
    launch->condemned_at = 0;
    launch->begun_at = clock_now(CLOCK_MONOTONIC);
    (void)serve(launch);
    if (!has_failed_before_start(launch)) return true;
    terminal_restore();
    machine_forget(&launch->machine);
    free(launch->session.failure);
  }
  return false;
}

int run(const struct options *options) {
  static struct launch launch;
  const char *failure = NULL;
  launch.options = options;
  launch.signals = signals_hold();
  launch.arrived_at = clock_now(CLOCK_MONOTONIC);
  launch.machine = machine_of(ORIGIN_BOOT);
  seats_begin(&launch.machine, options);
  late_connect(&launch.late, options->late != NULL ? options->late : getenv("BOOTCUT_VALUES"));
  if (!(options->attachable != NULL ? run_in_joined(&launch) : run_in_prepared(&launch))) {
    if (launch.signals < 0 || !begin(&launch, ORIGIN_BOOT, NULL)) {
      complain(options->qemu[0], errno == ENOENT ? "QEMU is not installed (Debian: qemu-system-x86)" : strerror(errno));
      return OWN_FAILURE;
    }
    failure = serve(&launch);
  }
  join_close();
  machine_end(&launch.machine);
  if (launch.machine.origin != ORIGIN_JOINED) milestone("vm-ended", clock_now(CLOCK_MONOTONIC));
  seats_end();
  write_rest(&launch.session);
  if (!launch.session.told) return fail(&launch, failure);
  leave_as(&launch.session, options->command_count > 0 ? options->command[0] : "shell");
}
