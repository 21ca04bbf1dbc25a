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

/* arguments.c: QEMU's command line. ------------------------------------------------------------------------------- */

/* Where a machine comes from. */
enum origin {
  ORIGIN_BOOT,
  /* Booted with its memory in a file, which becomes a template. */
  ORIGIN_RECORDED,
  /* Restored from a template. */
  ORIGIN_TEMPLATE,
  /* Booted by somebody else before it was asked for; our child it is not. */
  ORIGIN_STANDBY,
  /* Another launch's, and it ends with that one. */
  ORIGIN_JOINED,
};

/* The numbers under which QEMU inherits its channels. Nothing of them has a name in the file system. */
enum { AGENT_FD = 3, MONITOR_FD, CONSOLE_FD, FILE_FD, SEAT_FD, INHERITED_END = SEAT_FD + SEATS };

/* Whether others may join: such a machine has ports for them. */
bool has_seats(const struct options *options, enum origin origin);

struct texts compose_arguments(const struct options *options, enum origin origin);

/* machine.c: QEMU as our child, or as that of a keeper. ----------------------------------------------------------- */

struct machine {
  enum origin origin;
  pid_t pid;
  int agent, monitor;
  /* Ports for those who join, or -1. */
  int seats[SEATS];
  /* The connection to the keeper of a standby, or -1. */
  int keeper;
  struct said console, words;
  /* Wait status, once it has ended. */
  bool ended;
  int status;
};

/*
 * False with errno when it cannot be started. `file`: the memory of a machine that is recorded, the state of one that goes
 * on from a template, or -1. It stays ours to close.
 */
bool machine_start(struct machine *machine, const struct options *options, enum origin origin, int file);
/* Looks whether it has ended. */
bool machine_has_ended(struct machine *machine);
/* Ends it hard and waits for that; the guest has nothing to lose by then. */
void machine_end(struct machine *machine);
void machine_forget(struct machine *machine);
/* One that has nothing yet. */
struct machine machine_of(enum origin origin);

/* monitor.c: QEMU's control channel. ------------------------------------------------------------------------------ */

/* Sends commands (JSON texts, one after the other); a descriptor goes along with them unless it is -1. */
bool monitor_send(int monitor, const char *commands, int passed);
/* Reads until one of the answers has this in it. False on an error, on the end, and after the limit (milliseconds). */
bool monitor_await(struct said *answers, const char *part, int limit);

/* template.c: a machine in two files. ----------------------------------------------------------------------------- */

bool template_is_there(const char *directory);
/* False where the disk is too full for one, which it has said then. */
bool template_has_room(const char *directory);
/* A file that has no name yet; nothing is left behind of it when we are killed. */
int template_file(const char *directory);
/* Writes the state of the machine, which ends it, then gives both files their names. Returns why it could not, or NULL. */
const char *template_save(const struct machine *machine, const char *directory, int memory);
/* The rest of the machine, for the QEMU that goes on from it; -1 where there is none. */
int template_state(const char *directory);
/* Tells QEMU, which waits for that, to go on from the template. */
bool template_restore(const struct machine *machine);

/* standby.c: machines that have booted already. ------------------------------------------------------------------- */

/* What a keeper sends with the descriptors of agent and monitor: u32, process id of QEMU. */
/* Takes one; false when it is not there any more. */
bool standby_take(struct machine *machine, const char *path);
/* Reads how it ended from the keeper; false as long as it lives. Waits for that up to the limit in milliseconds. */
bool standby_has_ended(struct machine *machine, int limit);
/* The keeper's side: hands the machine over, and says how it ended. */
bool standby_give(int connection, const struct machine *machine);
void standby_tell_end(int connection, const struct machine *machine);

/* Whether it is the same user who is there. */
bool is_same_user(int connection);

/* join.c: one launch of a directory's finds another. --------------------------------------------------------------- */

/*
 * A connection to the launch whose VM others of this directory may join; or, where there is none, -1, and from now on
 * that launch is ours.
 */
int join_find(const char *directory);
enum joining {
  JOINED,
  JOIN_FAILED,
  /* That VM sees other directories or another network, or is somebody else's: not what was asked for. */
  JOIN_OTHER,
};
/* Waits for a seat. Closes the connection when there is none. */
enum joining join_take(struct machine *machine, int connection, const struct options *options);
/* The answer to one who gets a seat. */
void put_joined(struct bytes *to, const struct options *options);
/* Where those who come are heard of; -1 when nobody can come. */
int join_listener(void);
/* Nobody else can come from now on. */
void join_close(void);

/* seats.c: those who have come. ----------------------------------------------------------------------------------- */

enum { SEATS_WANTS = 1 + 2 * SEATS };
/* `options`: what the guest is. */
void seats_begin(const struct machine *machine, const struct options *options);
/* `open`: the guest runs what it is told. */
void seats_ask(struct pollfd *wanted, bool open);
void seats_answer(const struct pollfd *wanted, bool open);
/* The machine has ended: what it said before that is still theirs. */
void seats_end(void);

/* keep.c */
int keep(const struct options *options);

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

/*
 * For a template (ORIGIN_RECORDED), which must not have a share mounted and belongs to no launch: randomness, clock, the
 * user, and what is copied.
 */
void put_config(struct bytes *to, const struct options *options, enum origin origin);
/* What of a START message the command line does not say. */
struct circumstances {
  /* NAME=VALUE that came late. */
  const struct texts *added;
  /* Bit n-1: the caller ignores signal n. */
  uint64_t ignored;
  /* The guest is nobody else's and has run nothing of anybody's: its shares are as the host has them. */
  bool fresh;
};
void put_start(struct bytes *to, const struct options *options, const struct circumstances *circumstances, bool raw);

/* The command that a standby runs before it waits. */
void put_warm_start(struct bytes *to, const struct options *options);

/* where.c: the path at which the guest would find a command, or NULL. To be freed. */
char *find_command(const struct options *options, const char *name, const char *path);

/* late.c: values that come while the machine boots. --------------------------------------------------------------- */

struct late {
  struct link link;
  struct texts env;
  /* Frames for the guest: it takes them once it knows whose they are. */
  struct bytes files;
  /* `complete`: the first command need not wait any more. `has_files`: the guest has got, or will get, some. */
  bool complete, has_files;
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
void session_start(struct session *session, const struct options *options, const struct circumstances *circumstances);
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
