/*
 * The guest agent: process 1 of the guest, started by the kernel from the initramfs, which holds nothing else but
 * kernel modules. It makes a root directory from the host's shares, runs commands and passes their bytes on.
 */
#ifndef BOOTCUT_GUEST_H
#define BOOTCUT_GUEST_H

#include "../shared/options.h"
#include "../shared/streams.h"

/* The console goes to the host's log. The line is for people who look for the cause of a failure. */
void log_line(const char *about, const char *what);

/* `ioctl`, whose second argument is of another type in every C library. */
int control(int fd, unsigned long request, void *argument);

/* Ends the guest at once; nothing that was written to a share is lost. */
_Noreturn void power_off(void);

/* boot.c: from the kernel's hand-over to an open port. ---------------------------------------------------------- */

enum { PORTS = 1 + SEATS };

/* Loads the modules that /modules/order names. False and a line in the log where one is refused. */
bool load_modules(void);
/* Makes the root directory and goes into it; nothing of the initramfs is seen from there. */
bool make_root(void);
/* Waits until the port is there: index 0 is the launch's own. */
int open_port(int index, bool wait);

/* configure.c: what a CONFIG message says. ---------------------------------------------------------------------- */

struct guest {
  /* Without a home: nobody but root. */
  struct user user;
  /* The text of the user whose home is there and whose name is known, or NULL. */
  const char *settled;
  bool is_looped, has_network;
  /* Others may join: the ports for them are there. `is_configured`: and something can be run for them. */
  bool has_seats, is_configured;
  /* It could not be configured: nothing is run in it. */
  bool is_broken;
};

/* Returns the cause where it failed, or NULL. Applied again, it changes what has changed. */
const char *configure(struct guest *guest, struct view message);

/* texts.c ------------------------------------------------------------------------------------------------------- */

/* Written over: nothing runs yet that would read half of it, and a new name would be looked up on the host first. */
void write_etc(const char *path, const char *text, mode_t mode);
/* A text that write_etc will replace in a guest that goes on from here. `path` stays where it is. */
void prepare_etc(const char *path, const char *text, mode_t mode);

/* hosts.c: gives the guest's name an address, so that `hostname -f` and sudo find it. */
void name_host(const char *name);
/* In a template: everything but the name. */
void prepare_hosts(void);

/* mounts.c ------------------------------------------------------------------------------------------------------ */

/*
 * The layers of overlays are in this directory; something else is mounted over it then, so that nobody else sees them.
 * To unmount it instead once they are in use takes a restored guest 500 blocks of code that it would not run otherwise.
 */
bool hold_layers(const char *directory);
/* Mounts what is not mounted yet. Returns the cause where it failed, or NULL. */
const char *mount_shares(const struct share *shares, size_t count, const struct user *owner);
/* Copies what each of them holds, for which it mounts the share and lets go of it; then counts as mounted. */
void copy_shares(const struct share *shares, size_t count);
/* Copies what launches are likely to read of shares into a layer that will lie above each. */
void heat_shares(const struct item *items, size_t count);
/* Whether a directory of this device is the host's, and no layer of the guest's memory above it. */
bool is_on_share(dev_t device);
/* Makes the directories of a path; those below `owner`'s home belong to them. */
bool make_directories(const char *path, const struct user *owner);
/* Puts a text that does not last longer than the next one in the place of a cause. */
const char *cause_of(const char *what, const char *about, int error);

/* copy.c: everything in one directory into another, empty one. False with errno. */
bool copy_tree(const char *from, const char *to);
/* One file, link or directory, `path` relative to both, and the directories that lead to it. */
bool copy_path(const char *from, const char *to, const char *path);

/* values.c: files that come from the host, never written to a share. */
const char *write_values(const struct guest *guest, struct view payload);

/* command.c, and what it has of order.c and terminal.c: command.h. ---------------------------------------------- */

struct started {
  pid_t pid;
  /* Our ends; -1 where there is none. */
  int in, out, err;
  /* The pseudo terminal's master, or -1. `in`, `out` and `err` are descriptors of their own. */
  int master;
  /* errno when it could not be started, then pid is -1. */
  int error;
  /* What could not be done about it, or NULL where the command itself is not there. */
  const char *what;
};

struct started start_command(const struct guest *guest, struct view message);
void set_terminal_size(int master, struct view payload);

/* session.c: one for each port. --------------------------------------------------------------------------------- */

struct session {
  struct link link;
  int index;
  struct bytes message;
  struct sink in;
  struct source out, err;
  int master;
  pid_t pid;
  /* Wait status, once it has ended. */
  int status;
  bool running, ended, told;
};

void session_begin(struct session *session, int index, int fd);
/* Deals with the frames that have come. */
void session_receive(struct session *session, struct guest *guest);
/* The command has ended with this wait status. */
void session_command_ended(struct session *session, int status);
/* Says EXIT once everything the command wrote has been read. */
void session_finish(struct session *session);
/* Nobody is there for the command any more. What is left is as good as new. */
void session_hang_up(struct session *session);

#endif
