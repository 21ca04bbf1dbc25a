#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct terminal note_terminal(void) {
  static const int candidates[] = {STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO};
  struct terminal terminal = {.fd = -1};
  for (size_t index = 0; index < 3 && terminal.fd < 0; index += 1) {
    const int fd = candidates[index];
    if (tcgetattr(fd, &terminal.modes) == 0) terminal.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  }
  return terminal;
}

/* Field by field: what lies between them in memory means nothing. */
static bool same_modes(const struct termios *one, const struct termios *other) {
  return one->c_iflag == other->c_iflag && one->c_oflag == other->c_oflag && one->c_cflag == other->c_cflag &&
         one->c_lflag == other->c_lflag && memcmp(one->c_cc, other->c_cc, sizeof one->c_cc) == 0;
}

/*
 * Ours to do: we are in the foreground, or whoever was is gone (a target that had taken the terminal for itself and
 * died). In the background the terminal is somebody else's.
 */
static bool is_ours(int fd) {
  const pid_t foreground = tcgetpgrp(fd);
  if (foreground < 0) return false;
  return foreground == getpgrp() || (kill(-foreground, 0) != 0 && errno == ESRCH);
}

/* Every signal is blocked by now, TTOU too, so that this does not stop us. TCSADRAIN: what was written keeps its modes.
 */
void restore_modes(const struct terminal *terminal) {
  struct termios modes;
  if (terminal->fd < 0 || !is_ours(terminal->fd) || tcgetattr(terminal->fd, &modes) != 0) return;
  if (!same_modes(&modes, &terminal->modes)) (void)tcsetattr(terminal->fd, TCSADRAIN, &terminal->modes);
}

bool adds_returns(const struct terminal *terminal) {
  struct termios modes;
  return tcgetattr(terminal->fd, &modes) == 0 && (modes.c_oflag & OPOST) != 0 && (modes.c_oflag & ONLCR) != 0;
}

void copy_size(const struct terminal *from, int to) {
  struct winsize size;
  if (ioctl(from->fd, TIOCGWINSZ, &size) == 0) (void)ioctl(to, TIOCSWINSZ, &size);
}

bool open_pseudo_terminal(const struct terminal *like, struct pseudo_terminal *pair) {
  pair->ours = keep_private(posix_openpt(O_RDWR | O_NOCTTY));
  pair->targets = -1;
  if (pair->ours < 0) return false;
  const char *name = grantpt(pair->ours) == 0 && unlockpt(pair->ours) == 0 ? ptsname(pair->ours) : NULL;
  if (name != NULL) pair->targets = keep_private(open(name, O_RDWR | O_NOCTTY));
  struct termios modes = like->modes;
  modes.c_oflag &= (tcflag_t)(OPOST | ONLCR); /* the rest is the caller's terminal's work alone */
  if (pair->targets < 0 || tcsetattr(pair->targets, TCSANOW, &modes) != 0) {
    if (pair->targets >= 0) close(pair->targets);
    close(pair->ours);
    return false;
  }
  copy_size(like, pair->ours);
  return true;
}
