/*
 * Signals in our own process: noted as the caller had them, held while the target runs, and given back to the target as
 * they were. Which of them the target has already is the witness' business.
 */
#ifndef BOOTCUT_SIGNALS_H
#define BOOTCUT_SIGNALS_H

#include "system.h"

#include <poll.h>
#include <signal.h>

/* How many are kept that are not dealt with yet. Eight would do: the kernel merges what it has not delivered. */
enum { EVENTS = 32 };

struct signal_event {
  int number;
  int code;
  pid_t sender;
  uint64_t at;
};

/* Before anything is changed: notes what the caller had ignored and blocked, which the target is to inherit. */
void note_signals(void);

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

/* What a handler of ours was given. */
struct signal_event event_of(int number, const siginfo_t *info);

/* Sets a handler for every signal that is passed on to the target. */
void handle_relayed(void (*handler)(int, siginfo_t *, void *));

/* Blocks everything; and again only what the caller had blocked. */
void block_signals(void);
void unblock_signals(void);

/* Stops us as the target was stopped, and returns when we are continued. */
void stop_by(int number);

/* Dies by this signal, without a core file of our own; returns when that cannot be. */
void die_by(int number);

#endif
