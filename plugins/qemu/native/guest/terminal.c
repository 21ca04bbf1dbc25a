#include "command.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

void set_terminal_size(int master, struct view payload) {
  struct winsize size;
  if (take_u16(&payload, &size.ws_row) && take_u16(&payload, &size.ws_col) && take_u16(&payload, &size.ws_xpixel) &&
      take_u16(&payload, &size.ws_ypixel))
    (void)control(master, TIOCSWINSZ, &size);
}

static void set_modes(int terminal, struct view modes) {
  struct termios state;
  uint32_t input, output, control, local;
  if (tcgetattr(terminal, &state) != 0) return;
  if (!take_u32(&modes, &input) || !take_u32(&modes, &output) || !take_u32(&modes, &control) ||
      !take_u32(&modes, &local))
    return;
  state.c_iflag = input;
  state.c_oflag = output;
  state.c_lflag = local;
  (void)control; /* speed and parity of the caller's line are not the guest's */
  for (size_t index = 0; index < modes.length && index < NCCS; index += 1) state.c_cc[index] = modes.at[index];
  (void)tcsetattr(terminal, TCSANOW, &state);
}

bool open_terminal(const struct order *order, const struct user *user, int *master, int *slave) {
  int unlocked = 0;
  unsigned number;
  char name[32];
  *slave = -1;
  *master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (*master < 0 || control(*master, TIOCSPTLCK, &unlocked) != 0 || control(*master, TIOCGPTN, &number) != 0)
    return false;
  (void)snprintf(name, sizeof name, "/dev/pts/%u", number);
  *slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*slave < 0) return false;
  (void)fchown(*slave, user->uid, (gid_t)-1);
  set_modes(*slave, order->modes);
  set_terminal_size(*master, order->size);
  return true;
}
