/*
 * Signals reach the target once each. A terminal, or `kill -- -GROUP`, signals every process of our group, so the
 * target has it already; `kill PID` reaches only us, and we pass it on. The two look alike to the one who gets them
 * (`si_code` is SI_USER for both kinds of kill), so a witness tells: a small process of ours in the same group that
 * reports every signal it gets. What it got from the same sender was meant for the group; what it did not get was meant
 * for us alone.
 */
#ifndef BOOTCUT_WITNESS_H
#define BOOTCUT_WITNESS_H

#include "signals.h"

/* Starts the witness. It must be there before the target is, for a signal may come at any moment after. */
void place_witness(void);

/* Ends it without waiting for that: it has time to go while we do what is left. */
void release_witness(void);

/* Ends it: before another program takes our place, and before we leave. */
void dismiss_witness(void);

/* Our end of the line to it; -1 without one. */
int witness_line(void);

/* Did the whole group get this? Waits for the witness' word, at most some milliseconds. */
bool group_got(const struct signal_event *event);

#endif
