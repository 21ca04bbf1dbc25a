/*
 * The daemon's plan: edits to the caller's command line and environment, never the command line itself. It is checked
 * as a whole before anything is made from it (the same rules as decodePlan in src/protocol/plan-codec.ts), and stays
 * the frame it came in: nothing is copied until the target's lists are made.
 */
#ifndef BOOTCUT_PLAN_H
#define BOOTCUT_PLAN_H

#include "wire.h"

struct plan {
  /* The frame's payload; must stay where it is. */
  struct view fields;
  /* Items of the target's argument list. */
  size_t arg_count;
  /* Edits of the environment, each of which adds at most one variable. */
  size_t env_edits;
  /* Run this file instead of the first argument; no `at` when absent, as in the other two. */
  struct view executable;
  struct view notice;
  /* Present when the target must not be started: text for the user, and our exit status. */
  struct view refusal;
  int refusal_status;
  /* Something on the target's stderr is to be reported. */
  bool observes;
};

/* Is this payload a whole plan for a command line of `given` items? Only then `plan` may be used. */
bool read_plan(struct view payload, size_t given, struct plan *plan);

/* The target's argument list from the caller's own; NULL when there is no memory. */
char **planned_args(const struct plan *plan, char *const *given);

/* The target's environment from the caller's own; NULL when there is no memory. */
char **planned_env(const struct plan *plan, char *const *given);

/* Does a line of the target's stderr begin with one of the prefixes that are to be reported? */
bool is_observed(const struct plan *plan, struct view line);

#endif
