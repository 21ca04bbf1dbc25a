/*
 * What the files of `bootcut-vm` have of one another. From top to bottom: options say what is wanted; a machine is
 * started (or a standby taken); orders are composed for the guest; run.c holds the loop of a launch; causes.c says in
 * one line why it failed.
 */
#ifndef BOOTCUT_HOST_H
#define BOOTCUT_HOST_H

#include "../shared/streams.h"
#include "options.h"

#include <termios.h>

/* Our own failures: what `env`, `nohup` and container tools use for 'the wrapper failed'. */
enum { OWN_FAILURE = 125 };

/* A line for the user: `bootcut: ABOUT: WHAT`. With raw modes on the terminal it ends as it should as well. */
void complain(const char *about, const char *what);

/* timeline.c: milestones, one line each. Nothing happens without a file. ----------------------------------------- */

void timeline_open(const char *path);
void milestone(const char *name, uint64_t at);

/* text.c: what somebody said, bounded: the newest stays, cut off at a line. --------------------------------------- */

struct said {
  int fd; /* -1 once it has ended */
  struct bytes text;
  bool cut;
};

/* Reads what is there. */
void said_listen(struct said *said);
/* The last line that has this in it, as a string of its own, or NULL. */
char *said_line(const struct said *said, const char *part);

/* machine.c: QEMU as our child. ----------------------------------------------------------------------------------- */

struct machine {
  pid_t pid;
  int agent, monitor;
  struct said console, words;
  /* Wait status, once it has ended. */
  bool ended;
  int status;
};

/* False with errno when it cannot be started. */
bool machine_start(struct machine *machine, const struct options *options);
/* Looks whether it has ended. */
bool machine_has_ended(struct machine *machine);
/* Ends it hard and waits for that; the guest has nothing to lose by then. */
void machine_end(struct machine *machine);

/* terminal.c: the caller's. --------------------------------------------------------------------------------------- */

/* Notes the modes of the caller's terminal. They are restored on every way out of this program but KILL. */
void terminal_note(void);
bool terminal_is(int fd);
/* Raw, if we are in the foreground. Again after a stop. */
void terminal_raw(void);
void terminal_restore(void);
bool terminal_is_raw(void);
/* Payloads of RESIZE and of START_MODES; empty where there is no terminal. `raw`: the caller's passes bytes on. */
struct bytes terminal_size(void);
struct bytes terminal_modes(bool raw);

/* stdio.c: the caller's descriptors. ------------------------------------------------------------------------------ */

/* Before anything is opened: what the caller has closed must not become ours. */
void stdio_note(void);
enum stdio_kind stdio_kind_of(int fd);
/* A descriptor that does not make us wait, where that can be had. */
int stdio_source(void);
struct sink stdio_sink(int fd);

/* orders.c: what is said to the guest. ---------------------------------------------------------------------------- */

/* `shares`: without them for a template, which must not have any mounted. */
void put_config(struct bytes *to, const struct options *options, bool shares);
/* `added`: NAME=VALUE that came late. `ignored`: bit n-1 for signal n. */
void put_start(struct bytes *to, const struct options *options, const struct texts *added, uint64_t ignored, bool raw);

/* late.c: values that come while the machine boots. --------------------------------------------------------------- */

struct late {
  struct link link;
  struct texts env;
  /* Frames for the guest: it takes them once it knows whose they are. */
  struct bytes files;
  /* The first command need not wait any more. */
  bool complete;
};

void late_connect(struct late *late, const char *path);
void late_receive(struct late *late);
/* Once CONFIG has been sent. */
void late_pass_on(struct late *late, struct link *guest);

/* causes.c -------------------------------------------------------------------------------------------------------- */

/* Says why the machine is of no use, and what QEMU said; returns the status to leave with. `failure`: NULL when it
 * ended by itself. */
int tell_failure(const struct options *options, const struct machine *machine, const char *failure);

/* What QEMU's words mean when it will not go on, or NULL. */
const char *known_cause(const struct said *words);

/* session.c: one command in a guest. ------------------------------------------------------------------------------ */

struct session {
  struct link link;
  struct source in;
  struct sink out, err;
  /* As the agent has told. */
  bool greeted, configured, started, told;
  enum exit_kind kind;
  uint32_t code;
  /* The cause where the guest could not do what it was told. */
  char *failure;
  bool raw, output_seen;
};

void session_begin(struct session *session, int fd);
/* Sends START. From here on the caller's terminal and descriptors are the command's. */
void session_start(struct session *session, const struct options *options, const struct texts *added, uint64_t ignored);
void session_receive(struct session *session);
void session_signal(struct session *session, int number, bool from_terminal);
void session_resize(struct session *session);
/* Everything that came for the caller has been written, or nobody reads it. */
bool session_is_written(const struct session *session);

enum { SESSION_WANT_LINK, SESSION_WANT_IN, SESSION_WANT_OUT, SESSION_WANT_ERR, SESSION_WANTS };
void session_ask(const struct session *session, struct pollfd *wanted);
void session_answer(struct session *session, const struct pollfd *wanted);
/* Ends this program as the command has ended. */
_Noreturn void leave_as(const struct session *session, const char *name);

/* signals.c ------------------------------------------------------------------------------------------------------- */

/* Blocks what is passed on, and returns a descriptor that tells of it; -1 when there is none. */
int signals_hold(void);
/* What the caller ignores: bit n-1 for signal n. */
uint64_t signals_ignored(void);
bool signals_next(int fd, int *number, bool *from_terminal);
/* Back to what they were when we were started. */
void signals_release(void);
bool is_fatal(int number);
/* Dies of the signal without a core file; returns when it is one that cannot end us. */
void die_by(int number);

/* run.c ----------------------------------------------------------------------------------------------------------- */

/* Does not return when the command ended by a signal. */
int run(const struct options *options);

#endif
