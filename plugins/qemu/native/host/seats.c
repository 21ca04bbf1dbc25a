/*
 * Those who have joined our VM. Each has a connection to us and a port of the guest; we pass whole frames on, so that one
 * who is killed in the middle of a frame leaves a port that the next one can use.
 */
#include "host.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* More than this does not wait for a reader: the other side is not read then. In bytes. */
enum { SEAT_FULL = 512 * 1024 };

/* So long those who have not read everything are given once the machine has ended, in milliseconds. */
enum { LAST_WORDS = 250 };

static struct seat {
  /* `peer`: -1 for nobody. */
  struct link port, peer;
  /* The agent has not yet said that it has forgotten the last one. */
  bool clearing;
  bool told;
} seats[SEATS];

static const struct link nobody = {.fd = -1};

static const struct options *guest;

void seats_begin(const struct machine *machine, const struct options *options) {
  guest = options;
  for (size_t index = 0; index < SEATS; index += 1)
    seats[index] = (struct seat){.port = {.fd = machine->seats[index]}, .peer = nobody};
}

static void leave(struct seat *seat) {
  if (seat->peer.fd < 0) return;
  close(seat->peer.fd);
  bytes_free(&seat->peer.in);
  bytes_free(&seat->peer.out);
  seat->peer = nobody;
  seat->told = false;
  seat->clearing = true;
  put_frame(&seat->port.out, FRAME_HANGUP, 0, NULL, 0);
}

/* Everything about the command, and nothing about the guest. */
static bool is_theirs(uint8_t type) {
  return type == FRAME_VALUES || type == FRAME_START || type == FRAME_DATA || type == FRAME_EOF ||
         type == FRAME_CLOSED || type == FRAME_CREDIT || type == FRAME_RESIZE || type == FRAME_SIGNAL;
}

static void pass_to_guest(struct seat *seat) {
  struct frame frame;
  link_receive(&seat->peer);
  while (link_next(&seat->peer, &frame)) {
    if (is_theirs(frame.type))
      put_frame(&seat->port.out, frame.type, frame.channel, frame.payload.at, frame.payload.length);
    else seat->peer.nonsense = true;
  }
}

static void pass_to_peer(struct seat *seat) {
  struct frame frame;
  link_receive(&seat->port);
  while (link_next(&seat->port, &frame)) {
    if (seat->peer.fd >= 0)
      put_frame(&seat->peer.out, frame.type, frame.channel, frame.payload.at, frame.payload.length);
    else if (frame.type == FRAME_CLEARED) seat->clearing = false;
  }
}

static bool is_usable(const struct seat *seat) {
  return seat->port.fd >= 0 && !seat->port.ended && !seat->port.nonsense;
}

static struct seat *free_seat(void) {
  for (size_t index = 0; index < SEATS; index += 1)
    if (is_usable(&seats[index]) && seats[index].peer.fd < 0 && !seats[index].clearing) return &seats[index];
  return NULL;
}

/* No seat at this moment; but one will be free within milliseconds, and whoever comes waits so long. */
static bool is_being_cleared(void) {
  bool clearing = false;
  for (size_t index = 0; index < SEATS; index += 1)
    clearing = clearing || (is_usable(&seats[index]) && seats[index].clearing);
  return clearing && free_seat() == NULL;
}

static void welcome(void) {
  if (is_being_cleared()) return;
  const int connection = accept4(join_listener(), NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) return;
  struct seat *const seat = is_same_user(connection) ? free_seat() : NULL;
  if (seat == NULL) {
    close(connection);
    return;
  }
  seat->peer = (struct link){.fd = connection};
  put_joined(&seat->peer.out, guest);
  link_flush(&seat->peer);
}

enum { WANT_PORT, WANT_PEER, WANTS_OF_SEAT };

static void ask(struct seat *seat, struct pollfd *wanted, bool open) {
  if (seat->peer.fd >= 0 && open && !seat->told) {
    put_frame(&seat->peer.out, FRAME_CONFIGURED, 0, NULL, 0);
    seat->told = true;
  }
  if (seat->peer.fd >= 0) link_flush(&seat->peer);
  if (is_usable(seat)) link_flush(&seat->port);
  wanted[WANT_PORT] = link_wants(&seat->port);
  wanted[WANT_PEER] = link_wants(&seat->peer);
  if (!is_usable(seat)) wanted[WANT_PORT].fd = -1;
  /* One who leaves is seen in any case. */
  if (!open || seat->port.out.length >= SEAT_FULL) wanted[WANT_PEER].events &= ~POLLIN;
  if (seat->peer.out.length >= SEAT_FULL) wanted[WANT_PORT].events &= ~POLLIN;
}

void seats_ask(struct pollfd *wanted, bool open) {
  wanted[0] = (struct pollfd){.fd = is_being_cleared() ? -1 : join_listener(), .events = POLLIN};
  for (size_t index = 0; index < SEATS; index += 1) ask(&seats[index], wanted + 1 + index * WANTS_OF_SEAT, open);
}

static void answer(struct seat *seat, const struct pollfd *wanted, bool open) {
  if ((wanted[WANT_PORT].revents & ~POLLOUT) != 0) pass_to_peer(seat);
  if ((wanted[WANT_PEER].revents & ~POLLOUT) != 0) {
    if (open) pass_to_guest(seat);
    else if ((wanted[WANT_PEER].revents & (POLLHUP | POLLERR)) != 0) seat->peer.ended = true;
  }
  if (seat->peer.ended || seat->peer.nonsense || !is_usable(seat)) leave(seat);
}

void seats_answer(const struct pollfd *wanted, bool open) {
  for (size_t index = 0; index < SEATS; index += 1) answer(&seats[index], wanted + 1 + index * WANTS_OF_SEAT, open);
  if (wanted[0].revents != 0) welcome();
}

static bool is_waited_for(const struct seat *seat) {
  return seat->peer.fd >= 0 && !seat->peer.ended && seat->peer.out.length > 0;
}

void seats_end(void) {
  const uint64_t begun = clock_now(CLOCK_MONOTONIC);
  for (size_t index = 0; index < SEATS; index += 1)
    if (seats[index].peer.fd >= 0) pass_to_peer(&seats[index]);
  for (;;) {
    struct pollfd wanted[SEATS];
    bool waiting = false;
    for (size_t index = 0; index < SEATS; index += 1) {
      struct seat *const seat = &seats[index];
      if (seat->peer.fd >= 0) link_flush(&seat->peer);
      wanted[index] = (struct pollfd){.fd = is_waited_for(seat) ? seat->peer.fd : -1, .events = POLLOUT};
      waiting = waiting || is_waited_for(seat);
    }
    const uint64_t passed = (clock_now(CLOCK_MONOTONIC) - begun) / 1000000;
    if (!waiting || passed >= LAST_WORDS) break;
    (void)poll(wanted, SEATS, (int)(LAST_WORDS - passed));
  }
  for (size_t index = 0; index < SEATS; index += 1)
    if (seats[index].peer.fd >= 0) close(seats[index].peer.fd);
  const struct machine none = machine_of(ORIGIN_BOOT);
  seats_begin(&none, guest);
}
