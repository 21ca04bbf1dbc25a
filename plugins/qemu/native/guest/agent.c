/* The agent, from the kernel's hand-over to the end of the guest. */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void log_line(const char *about, const char *what) {
  char line[512];
  const int length = snprintf(line, sizeof line, "bootcut-agent: %s: %s\n", about, what);
  const int fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return;
  if (length > 0) (void)write_all(fd, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
  close(fd);
}

int control(int fd, unsigned long request, void *argument) { return (int)syscall(SYS_ioctl, fd, request, argument); }

_Noreturn void power_off(void) {
  sync(); /* mapped pages of a share that are not written back yet */
  (void)reboot(RB_AUTOBOOT); /* with `-no-reboot` QEMU ends; quicker than ACPI's power-off */
  for (;;) pause();
}

_Noreturn void out_of_memory(void) {
  log_line("failed", "no memory");
  power_off();
}

static void greet(struct session *session, uint64_t init_at, uint64_t loaded_at) {
  struct bytes payload = {0};
  put_u32(&payload, PROTOCOL_VERSION);
  put_u64(&payload, init_at);
  put_u64(&payload, loaded_at);
  put_u64(&payload, clock_now(CLOCK_BOOTTIME));
  const struct view view = bytes_view(&payload);
  put_frame(&session->link.out, FRAME_HELLO, 0, view.at, view.length);
  bytes_free(&payload);
}

/* Process 1 is the parent of whatever has lost its own. */
static void reap(struct session *sessions) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    for (int index = 0; index < PORTS; index += 1)
      /* The guest ends with its first command, and that is no news of the others. */
      if (sessions[index].running && sessions[index].pid == pid && (index == 0 || !sessions[0].ended))
        session_command_ended(&sessions[index], status);
}

/* What a session's descriptors have to say, in this order. */
enum { WANT_LINK, WANT_IN, WANT_OUT, WANT_ERR, WANTS };

static void ask(const struct session *session, struct pollfd *wanted) {
  wanted[WANT_LINK] = link_wants(&session->link);
  wanted[WANT_IN] = sink_wants(&session->in);
  wanted[WANT_OUT] = source_wants(&session->out, &session->link);
  wanted[WANT_ERR] = source_wants(&session->err, &session->link);
}

static void answer(struct session *session, struct guest *guest, const struct pollfd *wanted) {
  if ((wanted[WANT_LINK].revents & ~POLLOUT) != 0) session_receive(session, guest);
  if (wanted[WANT_IN].revents != 0) sink_pump(&session->in, &session->link);
  if (wanted[WANT_OUT].revents != 0) source_pump(&session->out, &session->link);
  if (wanted[WANT_ERR].revents != 0) source_pump(&session->err, &session->link);
}

/* For those who join. The host has made the ports, so they come. */
static void open_seats(struct session *sessions) {
  for (int index = 1; index < PORTS; index += 1)
    if (sessions[index].link.fd < 0) session_begin(&sessions[index], index, open_port(index, true));
}

static _Noreturn void serve(struct session *sessions, int signals) {
  static struct guest guest;
  for (;;) {
    struct pollfd wanted[1 + PORTS * WANTS] = {{.fd = signals, .events = POLLIN}};
    for (int index = 0; index < PORTS; index += 1) {
      if (sessions[index].link.fd >= 0) link_flush(&sessions[index].link);
      ask(&sessions[index], wanted + 1 + index * WANTS);
    }
    if (poll(wanted, sizeof wanted / sizeof *wanted, -1) < 0) continue;
    for (int index = 0; index < PORTS; index += 1) answer(&sessions[index], &guest, wanted + 1 + index * WANTS);
    if (wanted[0].revents != 0) {
      struct signalfd_siginfo info;
      while (read(signals, &info, sizeof info) > 0) continue;
      reap(sessions);
    }
    for (int index = 0; index < PORTS; index += 1) session_finish(&sessions[index]);
    if (guest.is_configured && guest.has_seats) open_seats(sessions);
    /* The host's program has ended, or it talks nonsense. */
    if (sessions[0].link.ended || sessions[0].link.nonsense) power_off();
  }
}

static void hold_stdio(void) {
  int fd;
  do fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd < 2);
  if (fd > 2) close(fd);
}

int main(void) {
  static struct session sessions[PORTS];
  const uint64_t init_at = clock_now(CLOCK_BOOTTIME);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  (void)sigprocmask(SIG_BLOCK, &child, NULL);
  (void)signal(SIGPIPE, SIG_IGN);
  (void)load_modules(); /* what is missing shows in what cannot be done without it */
  const uint64_t loaded_at = clock_now(CLOCK_BOOTTIME);
  const bool rooted = make_root();
  for (int fd = 0; fd < 3; fd += 1) close(fd); /* the console of the initramfs, if it had one */
  hold_stdio();
  const int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  for (int index = 0; index < PORTS; index += 1) session_begin(&sessions[index], index, -1);
  const int port = open_port(0, true);
  if (!rooted || signals < 0 || port < 0) {
    log_line("failed", "the guest has no root directory or no port to the host");
    power_off();
  }
  session_begin(&sessions[0], 0, port);
  greet(&sessions[0], init_at, loaded_at);
  serve(sessions, signals);
}
