#include "host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The kernel's number of control characters, the same on both sides; the C libraries' NCCS is larger. */
enum { CONTROL_CHARACTERS = 19 };

static struct {
  int fd;
  struct termios modes;
  bool raw;
} terminal = {.fd = -1};

bool terminal_is(int fd) {
  struct termios modes;
  return tcgetattr(fd, &modes) == 0;
}

void terminal_note(void) {
  static const int candidates[] = {STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO};
  for (size_t index = 0; index < 3 && terminal.fd < 0; index += 1)
    if (tcgetattr(candidates[index], &terminal.modes) == 0) terminal.fd = fcntl(candidates[index], F_DUPFD_CLOEXEC, 3);
  if (terminal.fd >= 0) (void)atexit(terminal_restore);
}

/* TTOU is blocked or ignored, so that neither of the two stops us in the background: there we leave it alone. */
static bool in_foreground(void) { return tcgetpgrp(terminal.fd) == getpgrp(); }

void terminal_raw(void) {
  if (terminal.fd < 0 || !in_foreground()) return;
  struct termios modes = terminal.modes;
  cfmakeraw(&modes);
  terminal.raw = tcsetattr(terminal.fd, TCSADRAIN, &modes) == 0;
}

void terminal_restore(void) {
  if (!terminal.raw || !in_foreground()) return;
  (void)tcsetattr(terminal.fd, TCSADRAIN, &terminal.modes); /* what was written keeps its modes */
  terminal.raw = false;
}

bool terminal_is_raw(void) { return terminal.raw; }

struct bytes terminal_size(void) {
  struct bytes payload = {0};
  struct winsize size;
  if (terminal.fd < 0 || ioctl(terminal.fd, TIOCGWINSZ, &size) != 0) return payload;
  put_u16(&payload, size.ws_row);
  put_u16(&payload, size.ws_col);
  put_u16(&payload, size.ws_xpixel);
  put_u16(&payload, size.ws_ypixel);
  return payload;
}

/*
 * The guest's terminal does what the caller's would have done, while ours passes bytes on. Where ours still does its
 * work itself (stdin or stdout is something else), the guest's must not do it a second time.
 */
struct bytes terminal_modes(bool raw) {
  struct bytes payload = {0};
  if (terminal.fd < 0) return payload;
  struct termios modes = terminal.modes;
  if (!raw) {
    modes.c_oflag &= (tcflag_t)~OPOST;
    modes.c_lflag &= (tcflag_t)~ECHO;
  }
  put_u32(&payload, modes.c_iflag);
  put_u32(&payload, modes.c_oflag);
  put_u32(&payload, modes.c_cflag);
  put_u32(&payload, modes.c_lflag);
  for (size_t index = 0; index < CONTROL_CHARACTERS; index += 1) put_u8(&payload, modes.c_cc[index]);
  return payload;
}
