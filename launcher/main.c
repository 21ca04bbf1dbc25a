/*
 * The native front of a launch. What it does, from top to bottom: ask the daemon for a plan, start the target as its
 * child, wait, report, end as the target ended. Everything out of the ordinary is left to the Node front, which
 * replaces us with the same command line: no daemon, another build, a plan that is not whole, `--help`, flags nobody
 * knows.
 *
 * Who kills us hard (KILL) leaves the target running, as `kill -KILL` on a shell leaves its commands: it keeps the
 * caller's descriptors and terminal, goes on to its own end, and nobody passes signals on any more. The daemon sees our
 * connection break and records the launch as lost. Where stderr was observed, its reader is gone, and the target finds
 * that out when it writes there.
 */
#include "observe.h"
#include "places.h"
#include "plan.h"
#include "signals.h"
#include "target.h"
#include "terminal.h"
#include "witness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Our own failures: what `env`, `nohup` and container tools use for 'the wrapper failed' (prepare.ts). */
enum { OWN_FAILURE = 125 };

/* In it bin/bootcut is told which front to take; in the other it tells the Node front what it saw. Neither is the
 * target's. */
static const char FRONT_VARIABLE[] = "BOOTCUT_FRONT";
static const char ENTRY_VARIABLE[] = "BOOTCUT_ENTRY";

extern char **environ;

struct launch {
  /* The command line after `bootcut`. */
  char **args;
  size_t arg_count;
  /* Of the command that was exec'ed, and of our own first line. */
  uint64_t exec_at;
  uint64_t front_at;
  char bin[PATH_ROOM];
};

static bool is_launch_verb(const char *word) {
  static const char *const verbs[] = {"run",     "shell",    "claude", "codex", "opencode",
                                      "copilot", "agent-vm", "setup",  "pull",  "clipboard"};
  for (size_t index = 0; word != NULL && index < sizeof verbs / sizeof *verbs; index += 1)
    if (strcmp(word, verbs[index]) == 0) return true;
  return false;
}

/*
 * The shell script that started us became us by exec, and the processor's time of a process outlives that: as nobody has
 * slept since, its start lies that far back, and as far as it waited for a processor. Beyond some milliseconds the time is
 * something else's (`exec bootcut …` in a script that has worked before), and we count from ourselves: rather too little
 * than too much.
 */
static uint64_t exec_moment(uint64_t front_at) {
  static const uint64_t longest_start = 20 * 1000000u, longest_queue = 100 * 1000000u;
  struct timespec used;
  const uint64_t moment = now();
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return front_at;
  const uint64_t nanoseconds = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
  if (nanoseconds >= longest_start) return front_at;
  const uint64_t queued = turns_of(getpid()).queued;
  const uint64_t before = nanoseconds + (queued < longest_queue ? queued : 0);
  const uint64_t began = before < moment ? moment - before : 0;
  return began < front_at ? began : front_at;
}

/* The Node front takes our place, with the same command line. What only we know goes with it: `exec:NS without:REASON`.
 */
static _Noreturn void become_node(const struct launch *launch, const char *without) {
  char note[128], path[PATH_ROOM];
  const int length = snprintf(note, sizeof note, "node exec:%llu%s%s", (unsigned long long)launch->exec_at,
                              without == NULL ? "" : " without:", without == NULL ? "" : without);
  char **args = calloc(launch->arg_count + 2, sizeof *args);
  if (args == NULL || length < 0 || (size_t)length >= sizeof note || !join_path(path, launch->bin, "bootcut")) {
    complain("launch", "no memory for it");
    exit(OWN_FAILURE);
  }
  dismiss_witness();
  args[0] = path;
  for (size_t index = 0; index < launch->arg_count; index += 1) args[index + 1] = launch->args[index];
  if (setenv(FRONT_VARIABLE, note, 1) == 0) (void)execv(path, args);
  complain(path, strerror(errno));
  exit(OWN_FAILURE);
}

/* What a descriptor is, by position in launch-codec.ts, stdioKinds. */
enum stdio_kind { STDIO_CLOSED, STDIO_TTY, STDIO_PIPE, STDIO_FILE, STDIO_SOCKET, STDIO_DEVICE };

static enum stdio_kind kind_of(int fd, const struct stat *of) {
  if (S_ISFIFO(of->st_mode)) return STDIO_PIPE;
  if (S_ISSOCK(of->st_mode)) return STDIO_SOCKET;
  if (S_ISREG(of->st_mode)) return STDIO_FILE;
  return isatty(fd) ? STDIO_TTY : STDIO_DEVICE;
}

static void put_stdio(struct bytes *request) {
  unsigned char kinds[3] = {STDIO_CLOSED, STDIO_CLOSED, STDIO_CLOSED};
  struct stat of[3];
  for (int fd = 0; fd < 3; fd += 1)
    if (fstat(fd, &of[fd]) == 0) kinds[fd] = (unsigned char)kind_of(fd, &of[fd]);
  put_field(request, LAUNCH_STDIO, kinds, sizeof kinds);
  /*
   * stdout and stderr that are one pipe or file keep the order of their bytes: stderr is not observed then. One
   * terminal for both is what people have, and what passes through us there comes within a fraction of a millisecond.
   */
  const bool open = kinds[1] != STDIO_CLOSED && kinds[2] != STDIO_CLOSED;
  const unsigned char merged = open && kinds[1] != STDIO_TTY && of[1].st_dev == of[2].st_dev &&
                               of[1].st_ino == of[2].st_ino && of[1].st_rdev == of[2].st_rdev;
  put_field(request, LAUNCH_MERGED_OUTPUT, &merged, sizeof merged);
}

/* Where we are; a directory that has been deleted is named as the shell named it, and the target starts in it all the
 * same. */
static void put_directory(struct bytes *request) {
  char directory[PATH_ROOM];
  const char *path = getcwd(directory, sizeof directory);
  if (path == NULL) path = getenv("PWD");
  if (path == NULL) path = "/";
  put_field(request, LAUNCH_CWD, path, strlen(path));
}

/* Greeting and request, to be sent in one piece. */
static struct bytes compose_request(const struct launch *launch, const char *build) {
  struct bytes request = {0};
  size_t began = begin_frame(&request, FRAME_HELLO);
  put_field(&request, HELLO_MAGIC, "BCUT", 4);
  put_number_field(&request, HELLO_PROTOCOL, PROTOCOL_VERSION);
  put_field(&request, HELLO_BUILD, build, strlen(build));
  end_frame(&request, began);

  began = begin_frame(&request, FRAME_LAUNCH);
  for (size_t index = 0; index < launch->arg_count; index += 1)
    put_field(&request, LAUNCH_ARG, launch->args[index], strlen(launch->args[index]));
  for (char **item = environ; *item != NULL; item += 1) put_field(&request, LAUNCH_ENV, *item, strlen(*item));
  put_directory(&request);
  put_stdio(&request);
  put_number_field(&request, LAUNCH_PID, (uint32_t)getpid());
  put_field(&request, LAUNCH_FRONT, "launcher", 8);
  put_moment_field(&request, LAUNCH_EXEC_AT, launch->exec_at);
  put_moment_field(&request, LAUNCH_FRONT_AT, launch->front_at);
  put_moment_field(&request, LAUNCH_SENT_AT, now());
  end_frame(&request, began);
  return request;
}

static const char *reason_text(int error) {
  switch (error) {
    case ENOENT:
      return "command not found";
    case EACCES:
      return "permission denied";
    case E2BIG:
      return "argument list too long";
    default:
      return strerror(error);
  }
}

static void say(struct view text) {
  if (text.length > 0) (void)write_all(STDERR_FILENO, text.at, text.length); /* a closed stderr leaves nobody to tell */
}

/* A target that failed inside a VM verb has no business with our terminal's modes any more; `run` may change them on
 * purpose. */
static bool died_badly(const struct launch *launch, const struct target_end *end) {
  return end->ending == ENDING_KILLED || (end->code != 0 && strcmp(launch->args[0], "run") != 0);
}

static _Noreturn void leave_as(const struct target_end *end) {
  if (end->ending == ENDING_KILLED) {
    die_by(end->code);
    exit(128 + end->code); /* the signal is one that cannot end us */
  }
  exit(end->code);
}

static _Noreturn void launch_by_plan(const struct launch *launch, const struct plan *plan, struct daemon *daemon) {
  ignore_broken_pipes();
  if (plan->refusal.at != NULL) {
    say(plan->refusal);
    dismiss_witness();
    exit(plan->refusal_status);
  }
  const struct terminal terminal = note_terminal();
  struct command command = {.args = planned_args(plan, launch->args), .env = planned_env(plan, environ)};
  char *executable =
      plan->executable.at == NULL ? NULL : strndup((const char *)plan->executable.at, plan->executable.length);
  if (command.args == NULL || command.env == NULL || (plan->executable.at != NULL && executable == NULL)) {
    complain("launch", "no memory for it");
    exit(OWN_FAILURE);
  }
  command.file = executable == NULL ? command.args[0] : executable;

  say(plan->notice);
  struct observation observation;
  begin_observation(&observation, plan, daemon, &terminal);
  const struct target_end end = run_target(&command, &observation, daemon, &terminal);
  release_witness();
  finish_observation(&observation);
  if (died_badly(launch, &end)) restore_modes(&terminal);
  if (end.ending == ENDING_NOT_STARTED) complain(command.args[0], reason_text(end.error));
  dismiss_witness(); /* before the report: the daemon wakes up to that, and would keep it from ending */
  report_ended(daemon, end.at, end.ending, end.code);
  finish_reports(daemon);
  leave_as(&end);
}

/*
 * dash forgets to close its script on exec where it got a number of 10 or more, that is, where the caller has all
 * numbers below in use. It then has the first free one.
 */
static void hide_script(const char *bin) {
  char path[PATH_ROOM];
  struct stat script, of;
  int fd = 3;
  while (fcntl(fd, F_GETFD) >= 0) {
    if (fd >= 10) {
      if (!join_path(path, bin, "bootcut") || stat(path, &script) != 0) return;
      if (fstat(fd, &of) == 0 && of.st_dev == script.st_dev && of.st_ino == script.st_ino) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        return;
      }
    }
    fd += 1;
  }
}

int main(int argc, char **argv) {
  struct launch launch = {.front_at = now()};
  /* bin/bootcut says where it is: we may lie in a package of our own. */
  int first = 1;
  if (argc > 1 && strncmp(argv[1], "--at=", 5) == 0 && strlen(argv[1]) < PATH_ROOM) {
    memcpy(launch.bin, argv[1] + 5, strlen(argv[1] + 5) + 1);
    first = 2;
    hide_script(launch.bin);
  } else if (!find_bin(argc > 0 ? argv[0] : NULL, launch.bin)) {
    complain("launcher", "it cannot find its installation");
    return OWN_FAILURE;
  }
  launch.args = argv + (first < argc ? first : argc);
  launch.arg_count = (size_t)(argc - (first < argc ? first : argc));
  (void)unsetenv(ENTRY_VARIABLE); /* fails for names without sense only */
  (void)unsetenv(FRONT_VARIABLE);

  char build[BUILD_ROOM], path[PATH_ROOM];
  struct daemon daemon = {.socket = -1};
  const bool found = is_launch_verb(launch.args[0]) && find_socket(path) && find_daemon(&daemon, path);
  launch.exec_at = exec_moment(launch.front_at); /* not before: the daemon has begun to wake up meanwhile */
  if (!found) become_node(&launch, NULL);
  note_signals();
  if (!read_build(launch.bin, build)) become_node(&launch, NULL);
  const struct bytes request = compose_request(&launch, build);
  if (request.failed) become_node(&launch, NULL);

  struct plan plan;
  enum answer answer = send_request(&daemon, (struct view){request.at, request.length});
  if (answer == ANSWER_PLAN) {
    place_witness(); /* while the daemon is at work */
    answer = receive_plan(&daemon, build, launch.arg_count, &plan);
  }
  if (answer == ANSWER_PLAN) launch_by_plan(&launch, &plan, &daemon);
  leave_daemon(&daemon);
  become_node(&launch, answer == ANSWER_SILENCE ? "daemon-silence" : NULL);
}
