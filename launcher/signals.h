/*
 * Signals reach the target once each. A terminal, or `kill -- -GROUP`, signals every process of our group, so the
 * target has it already; `kill PID` reaches only us, and we pass it on. The two look alike to the one who gets them
 * (`si_code` is SI_USER for both kinds of kill), so a witness tells: a small process of ours in the same group that
 * reports every signal it gets. What it got from the same sender was meant for the group; what it did not get was meant
 * for us alone.
 */
#ifndef BOOTCUT_SIGNALS_H
#define BOOTCUT_SIGNALS_H

#include "system.h"

#include <poll.h>
#include <signal.h>

struct signal_event {
  int number;
  int code;
  pid_t sender;
  uint64_t at;
};

/* Before anything is changed: notes what the caller had ignored and blocked, which the target is to inherit. */
void note_signals(void);

/* Starts the witness. It must be there before the target is, for a signal may come at any moment after. */
void place_witness(void);

/* Ends it: before another program takes our place, and before we leave. */
void dismiss_witness(void);

/* Our end of the line to it; -1 without one. */
int witness_line(void);

/* A reader of our stderr who has gone must not end us before the target has started, nor after. */
void ignore_broken_pipes(void);

/*
 * From here on signals wait for `next_signal`. They are taken in by `wait_with_signals` and nowhere else. It waits as
 * `poll` does: for `limit` milliseconds, or for ever with a negative one.
 */
void hold_signals(void);
int wait_with_signals(struct pollfd *wanted, size_t count, int limit);
bool next_signal(struct signal_event *event);

/* Has one come since `hold_signals` that would have ended us before? Then the target must not be started. */
int fatal_signal_pending(void);

/* In the target's process, between its making and its exec: everything as the caller had it. Only system calls. */
void restore_signals(void);

/* Did the whole group get this? Waits for the witness' word, at most some milliseconds. */
bool group_got(const struct signal_event *event);

/* Stops us as the target was stopped, and returns when we are continued. */
void stop_by(int number);

/* Dies by this signal, without a core file of our own; returns when that cannot be. */
void die_by(int number);

#endif
