#include "target.h"

#include "signals.h"
#include "witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a shell says of a command that is not there, and of one that it cannot execute. */
enum { NOT_FOUND = 127, NOT_EXECUTABLE = 126 };

/* Where a command is looked for without a PATH: what the C libraries take (confstr, _CS_PATH). */
static const char DEFAULT_PATH[] = "/bin:/usr/bin";

static const char *path_of(char *const *env) {
  for (; *env != NULL; env += 1)
    if (strncmp(*env, "PATH=", 5) == 0) return *env + 5;
  return DEFAULT_PATH;
}

/* What the child needs and may not allocate itself. */
struct start {
  const struct command *command;
  const char *path;
  /* Room for a directory of PATH, a slash and the file. */
  char *candidate;
  /* `/bin/sh FILE ARGS…`, for a script that does not name its interpreter. */
  char **shell_args;
  int stderr_fd;
};

static bool prepare(struct start *start, const struct command *command, int stderr_fd) {
  size_t count = 0;
  while (command->args[count] != NULL) count += 1;
  *start = (struct start){.command = command, .path = path_of(command->env), .stderr_fd = stderr_fd};
  start->candidate = malloc(strlen(start->path) + strlen(command->file) + 2);
  start->shell_args = calloc(count + 2, sizeof *start->shell_args);
  if (start->candidate == NULL || start->shell_args == NULL) return false;
  static char shell[] = "/bin/sh";
  start->shell_args[0] = shell;
  for (size_t index = 1; index < count; index += 1) start->shell_args[index + 1] = command->args[index];
  return true;
}

/* Returns why this file cannot be executed. */
static int execute(const struct start *start, const char *file) {
  const struct command *command = start->command;
  (void)execve(file, command->args, command->env);
  if (errno != ENOEXEC) return errno;
  start->shell_args[1] = (char *)(uintptr_t)file; /* exec's lists are not const for reasons of C alone */
  (void)execve(start->shell_args[0], start->shell_args, command->env);
  return errno;
}

/* As execvp looks for a file, but by the target's PATH and not by ours. Only system calls. */
static int search_and_execute(const struct start *start) {
  const char *file = start->command->file;
  if (file[0] == '\0') return ENOENT;
  if (strchr(file, '/') != NULL) return execute(start, file);
  bool denied = false;
  for (const char *from = start->path;;) {
    const size_t length = strcspn(from, ":");
    char *to = start->candidate;
    memcpy(to, from, length);
    to += length;
    if (length > 0) *to++ = '/'; /* an empty one is where we are */
    memcpy(to, file, strlen(file) + 1);
    switch (execute(start, start->candidate)) {
      case EACCES:
        denied = true;
        break;
      case ENOENT:
      case ENOTDIR:
      case ENODEV:
      case ESTALE:
      case ETIMEDOUT:
        break;
      default:
        return errno;
    }
    if (from[length] == '\0') return denied ? EACCES : ENOENT;
    from += length + 1;
  }
}

/* The child shares our memory until its exec, while we stand still: it may call the system and touch nothing else. */
#if defined(__APPLE__)
#pragma clang diagnostic ignored "-Wdeprecated-declarations" /* vfork does here what we need of it */
#endif
static __attribute__((noinline)) pid_t start_child(const struct start *start, volatile int *error) {
  const pid_t pid = vfork();
  if (pid == 0) {
    if (start->stderr_fd >= 0 && dup2(start->stderr_fd, STDERR_FILENO) < 0) {
      *error = errno;
      _exit(NOT_EXECUTABLE);
    }
    restore_signals();
    *error = search_and_execute(start);
    _exit(NOT_EXECUTABLE);
  }
  return pid;
}

/*
 * Closes the caller's descriptors in us, now that the target has its own: a pipe must end when the target closes it,
 * and not when we leave.
 */
static void close_callers(const struct observation *o, const struct daemon *daemon, const struct terminal *terminal) {
  const int kept[] = {o->from, o->from < 0 ? -1 : STDERR_FILENO, daemon->socket, terminal->fd, witness_line()};
  close_all_but(kept, sizeof kept / sizeof *kept);
}

static struct target_end not_started(int error) {
  return (struct target_end){
      .ending = ENDING_NOT_STARTED,
      .code = error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE,
      .at = now(),
      .error = error,
  };
}

/* Looks how the target is; true when it has ended. Where it has stopped, so do we, and it goes on when we do. */
static bool has_ended(pid_t pid, struct target_end *end) {
  for (;;) {
    int status;
    const pid_t got = waitpid(pid, &status, WNOHANG | WUNTRACED);
    if (got == 0 || (got < 0 && errno == EINTR)) return false;
    if (got < 0) { /* cannot be: it is our child, and nobody else waits for it */
      *end = (struct target_end){.ending = ENDING_EXITED, .code = NOT_EXECUTABLE, .at = now()};
      return true;
    }
    if (WIFSTOPPED(status)) {
      stop_by(WSTOPSIG(status));
      continue;
    }
    end->at = now();
    end->ending = WIFSIGNALED(status) ? ENDING_KILLED : ENDING_EXITED;
    end->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
  }
}

/*
 * A target that has left our group gets nothing that was meant for the group. What somebody sent to it on purpose is
 * passed on; a key pressed at the terminal is not, for the target has left that too.
 */
static bool reached_target(pid_t pid, const struct signal_event *event) {
  if (!group_got(event)) return false;
  const bool key =
      event->number == SIGINT || event->number == SIGQUIT || event->number == SIGTSTP || event->number == SIGWINCH;
  return getpgid(pid) == getpgrp() || (key && event->code != SI_USER);
}

static void pass_on_signals(pid_t pid, const struct observation *o) {
  struct signal_event event;
  while (next_signal(&event)) {
    if (event.number == SIGWINCH) follow_size(o);
    if (!reached_target(pid, &event)) (void)kill(pid, event.number); /* it may have ended meanwhile */
  }
}

static void wait_for_something(struct observation *o, struct daemon *daemon) {
  struct pollfd wanted[2] = {observation_wants(o), {.fd = daemon->socket, .events = POLLOUT}};
  if (!has_reports(daemon)) wanted[1].fd = -1;
  const int ready = wait_with_signals(wanted, 2, daemon->holds_start ? START_HELD : -1);
  if (ready < 0) return; /* a signal: it may be the end of the target */
  if (ready > 0 && wanted[0].revents != 0) observe(o);
  if (daemon->holds_start || (ready > 0 && wanted[1].revents != 0)) flush_reports(daemon);
}

struct target_end run_target(const struct command *command, struct observation *o, struct daemon *daemon,
                             const struct terminal *terminal) {
  struct start start;
  if (!prepare(&start, command, o->targets)) return not_started(ENOMEM);
  hold_signals();
  const int fatal = fatal_signal_pending();
  if (fatal != 0) return (struct target_end){.ending = ENDING_KILLED, .code = fatal, .at = now()};
  volatile int error = 0;
  const pid_t pid = start_child(&start, &error);
  if (pid < 0) return not_started(errno);
  if (error != 0) {
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return not_started(error);
  }
  report_started(daemon, now(), pid);
  close_callers(o, daemon, terminal);
  o->targets = -1;
  struct target_end end = {0};
  while (!has_ended(pid, &end)) {
    pass_on_signals(pid, o);
    wait_for_something(o, daemon);
  }
  return end;
}
