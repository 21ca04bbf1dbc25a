/*
 * A machine that is booted before anybody asks for it. In the paused form it waits, stopped, until somebody connects
 * and takes it, and its life then hangs on that connection; in the saved form it becomes a template on disk, and ends.
 * Until it is taken, everything ends when the owner's end of our stdin is closed.
 */
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* QEMU stops a machine within a millisecond; a busy host may take longer. In milliseconds. */
enum { STOP_LIMIT = 10000 };

struct keeper {
  const struct options *options;
  struct machine machine;
  struct session session;
  int signals, listener, taker, memory;
  uint64_t begun_at;
  bool asked, warming;
};

static _Noreturn void leave(struct keeper *keeper, int status) {
  if (keeper->listener >= 0) (void)unlink(keeper->options->socket);
  machine_end(&keeper->machine);
  exit(status);
}

static _Noreturn void fail(struct keeper *keeper, const char *failure) {
  if (failure == NULL) failure = keeper->session.failure;
  if (!machine_has_ended(&keeper->machine) && failure == NULL)
    failure = "the guest says what its agent would never say";
  /* Where one would be: with nothing in it, it is no template, and counts as one. */
  if (keeper->options->form == FORM_SAVED) (void)rmdir(keeper->options->template_directory);
  exit(tell_failure(keeper->options, &keeper->machine, failure));
}

/* Waits for what comes; everything that must end us does so here. */
static void turn(struct keeper *keeper, int limit) {
  struct pollfd wanted[5 + SESSION_WANTS] = {
      {.fd = keeper->signals, .events = POLLIN},
      {.fd = keeper->taker < 0 ? STDIN_FILENO : -1, .events = POLLIN},
      {.fd = keeper->machine.console.fd, .events = POLLIN},
      {.fd = keeper->machine.words.fd, .events = POLLIN},
      {.fd = keeper->taker < 0 ? keeper->listener : keeper->taker, .events = POLLIN},
  };
  link_flush(&keeper->session.link);
  session_ask(&keeper->session, wanted + 5);
  if (keeper->listener >= 0 || keeper->taker >= 0) wanted[5].fd = -1; /* the guest is somebody else's to talk to */
  if (poll(wanted, sizeof wanted / sizeof *wanted, limit) < 0) return;
  int number;
  bool from_terminal;
  while (signals_next(keeper->signals, &number, &from_terminal))
    if (is_fatal(number)) leave(keeper, 128 + number);
  char nothing[64];
  if (wanted[1].revents != 0 && read(STDIN_FILENO, nothing, sizeof nothing) <= 0) leave(keeper, 0);
  if (wanted[2].revents != 0) said_listen(&keeper->machine.console);
  if (wanted[3].revents != 0) said_listen(&keeper->machine.words);
  if (wanted[5].fd >= 0) session_answer(&keeper->session, wanted + 5);
}

static bool is_broken(struct keeper *keeper) {
  return machine_has_ended(&keeper->machine) || keeper->session.link.ended || keeper->session.link.nonsense ||
         keeper->session.failure != NULL;
}

/* From the start of QEMU to a guest that has run something. */
static void boot(struct keeper *keeper) {
  const bool saved = keeper->options->form == FORM_SAVED;
  for (;;) {
    if (keeper->session.greeted && !keeper->asked) {
      put_config(&keeper->session.link.out, keeper->options, keeper->machine.origin);
      keeper->asked = true;
    }
    if (keeper->session.configured && saved) return;
    if (keeper->session.configured && !keeper->warming) {
      put_warm_start(&keeper->session.link.out, keeper->options);
      keeper->warming = true;
    }
    if (keeper->session.told) return;
    const uint64_t passed = (clock_now(CLOCK_MONOTONIC) - keeper->begun_at) / 1000000;
    if (passed >= keeper->options->boot_limit) fail(keeper, "the guest has not answered within the limit for its boot");
    turn(keeper, (int)(keeper->options->boot_limit - passed));
    if (is_broken(keeper)) fail(keeper, NULL);
  }
}

static void stop(struct keeper *keeper) {
  struct said answers = {.fd = keeper->machine.monitor};
  const bool stopped = (keeper->machine.origin == ORIGIN_TEMPLATE ||
                        monitor_send(keeper->machine.monitor, "{\"execute\":\"qmp_capabilities\"}\n", -1)) &&
                       monitor_send(keeper->machine.monitor, "{\"execute\":\"stop\"}\n", -1) &&
                       monitor_await(&answers, "\"STOP\"", STOP_LIMIT);
  bytes_free(&answers.text);
  if (!stopped) fail(keeper, "QEMU does not stop the machine");
}

/* On a path of its own first: who finds the name finds somebody who listens. */
static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char fresh[sizeof address.sun_path];
  if (snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid()) >= (int)sizeof fresh) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, fresh, sizeof fresh);
  (void)unlink(fresh);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const mode_t mask = umask(0177);
  const bool listening = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
                         listen(fd, 1) == 0 && rename(fresh, path) == 0;
  (void)umask(mask);
  if (listening) return fd;
  const int error = errno;
  (void)unlink(fresh);
  errno = error;
  return -1;
}

/* Resident memory of QEMU in kB, or 0. */
static unsigned long resident(pid_t pid) {
  char path[64], line[256];
  unsigned long size = 0;
  (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *const file = fopen(path, "re");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmRSS: %lu", &size) == 1) break;
  (void)fclose(file);
  return size;
}

static void announce(const struct keeper *keeper) {
  char line[160];
  const uint64_t passed = keeper->begun_at == 0 ? 0 : clock_now(CLOCK_MONOTONIC) - keeper->begun_at;
  const int length = snprintf(line, sizeof line, "ready\n{\"form\":\"%s\",\"rss\":%lu,\"boot\":%llu}\n",
                              keeper->options->form == FORM_SAVED ? "saved" : "paused", resident(keeper->machine.pid),
                              (unsigned long long)(passed / 1000000));
  if (keeper->options->ready_fd < 0 || length <= 0) return;
  (void)write_all(keeper->options->ready_fd, line, (size_t)length); /* an owner that is gone shows at stdin */
  close(keeper->options->ready_fd);
}

/* The first one that may have it gets it; the name is gone before that, so that nobody else comes. */
static void await_taker(struct keeper *keeper) {
  while (keeper->taker < 0) {
    turn(keeper, -1);
    if (machine_has_ended(&keeper->machine)) {
      (void)unlink(keeper->options->socket);
      fail(keeper, NULL);
    }
    const int connection = accept4(keeper->listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (!is_same_user(connection)) {
      close(connection);
      continue;
    }
    (void)unlink(keeper->options->socket);
    keeper->taker = connection;
  }
  close(keeper->listener);
  keeper->listener = -1;
  if (!standby_give(keeper->taker, &keeper->machine)) leave(keeper, 0);
  close(keeper->machine.agent);
  close(keeper->machine.monitor);
  keeper->machine.agent = keeper->machine.monitor = keeper->session.link.fd = -1;
}

/* The machine is the taker's. We are its parent, hear what it says, and end it when the taker is gone. */
static _Noreturn void serve(struct keeper *keeper) {
  for (;;) {
    char nothing[16];
    const bool ended = machine_has_ended(&keeper->machine);
    const ssize_t length = ended ? 0 : recv(keeper->taker, nothing, sizeof nothing, MSG_DONTWAIT);
    if (ended || length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) break;
    turn(keeper, -1);
  }
  machine_end(&keeper->machine);
  for (int times = 0; times < 64; times += 1) { /* what it said last */
    struct pollfd wanted[2] = {{.fd = keeper->machine.console.fd, .events = POLLIN},
                               {.fd = keeper->machine.words.fd, .events = POLLIN}};
    if (poll(wanted, 2, 0) <= 0) break;
    if (wanted[0].revents != 0) said_listen(&keeper->machine.console);
    if (wanted[1].revents != 0) said_listen(&keeper->machine.words);
  }
  standby_tell_end(keeper->taker, &keeper->machine);
  exit(0);
}

static int save(struct keeper *keeper) {
  const char *const cause =
      template_save(&keeper->machine, keeper->options->template_directory, keeper->memory);
  if (cause != NULL) fail(keeper, cause);
  announce(keeper);
  leave(keeper, 0);
}

/*
 * A template first, where there is none: a machine that was restored from it holds a quarter of the memory, and later ones
 * are there sooner. In a process of its own, which ends when our owner does; without a template we boot as ever.
 */
static void make_template(const struct options *options) {
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    struct options own = *options;
    own.form = FORM_SAVED;
    own.ready_fd = -1;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(OWN_FAILURE);
    exit(keep(&own));
  }
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}

int keep(const struct options *options) {
  static struct keeper keeper;
  keeper = (struct keeper){.options = options, .listener = -1, .taker = -1, .memory = -1};
  const bool saved = options->form == FORM_SAVED;
  enum origin origin = saved ? ORIGIN_RECORDED : ORIGIN_BOOT;
  if (!saved && options->template_directory != NULL) {
    if (!template_is_there(options->template_directory)) make_template(options);
    if (template_is_there(options->template_directory)) origin = ORIGIN_TEMPLATE;
  }
  if (saved && template_is_there(options->template_directory)) { /* of this very machine: its name says so */
    announce(&keeper);
    return 0;
  }
  if (saved && !template_has_room(options->template_directory)) {
    (void)rmdir(options->template_directory);
    return OWN_FAILURE;
  }
  keeper.signals = signals_hold();
  keeper.begun_at = clock_now(CLOCK_MONOTONIC);
  if (saved && (keeper.memory = template_file(options->template_directory)) < 0) {
    complain(options->template_directory, strerror(errno));
    return OWN_FAILURE;
  }
  const int state = origin == ORIGIN_TEMPLATE ? template_state(options->template_directory) : -1;
  if (!machine_start(&keeper.machine, options, origin, saved ? keeper.memory : state)) {
    complain(options->qemu[0], strerror(errno));
    return OWN_FAILURE;
  }
  if (state >= 0) close(state);
  session_begin(&keeper.session, keeper.machine.agent);
  if (origin == ORIGIN_TEMPLATE) {
    if (!template_restore(&keeper.machine)) fail(&keeper, "the template cannot be used");
    keeper.session.greeted = true;
  }
  boot(&keeper);
  if (saved) return save(&keeper);
  stop(&keeper);
  keeper.listener = listen_at(options->socket);
  if (keeper.listener < 0) {
    complain(options->socket, strerror(errno));
    leave(&keeper, OWN_FAILURE);
  }
  announce(&keeper);
  await_taker(&keeper);
  serve(&keeper);
}
