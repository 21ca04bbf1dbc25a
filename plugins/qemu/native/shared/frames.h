/*
 * What the host program and the guest agent say to each other, over one virtio-serial port for each session.
 *
 *     frame = type u8, channel u8, zero u16, length u32, payload      (numbers little-endian)
 *
 *     agent                          host
 *     HELLO           ->             the port is open; guest stamps
 *                     <-  CONFIG     randomness, clock, names, user, shares, links   (first session only)
 *     CONFIGURED      ->             or FAILED with the cause
 *                     <-  VALUES     files, before START and after it
 *                     <-  START      the command
 *     STARTED         ->
 *     DATA, EOF, CLOSED, CREDIT      both ways, per channel: 0 stdin, 1 stdout, 2 stderr
 *                     <-  RESIZE, SIGNAL
 *     EXIT            ->             after the last byte of output
 *
 * A launch that joins another one's VM says the same from START on, to that launch, which passes whole frames on to a port
 * of their own:
 *
 *     joining launch                 the VM's                       agent
 *                     <-  JOINED     there is a port for it
 *                     <-  CONFIGURED
 *     START …         ->                      START …        ->
 *     (it has gone)                           HANGUP         ->     for the command
 *                                             CLEARED        <-     the next one may have the port
 *
 * Neither side waits for an answer before it sends what comes next; order is all that matters.
 */
#ifndef BOOTCUT_FRAMES_H
#define BOOTCUT_FRAMES_H

#include "base.h"

enum { PROTOCOL_VERSION = 2 };

/* Sessions of a guest that others may join, besides the launch's own. */
enum { SEATS = 3 };

/* A longer message (CONFIG, START) comes in several frames of its type; all but the last have the channel MORE. */
enum { FRAME_HEADER = 8, FRAME_LIMIT = 65536, MESSAGE_LIMIT = 4 * 1024 * 1024, CHANNEL_MORE = 1 };

enum frame_type {
  FRAME_HELLO = 1,
  FRAME_CONFIG,
  FRAME_CONFIGURED,
  FRAME_FAILED,
  FRAME_VALUES,
  FRAME_START,
  FRAME_STARTED,
  FRAME_DATA,
  FRAME_EOF,
  /* Nobody reads that channel any more: what a pipe without a reader tells its writer. */
  FRAME_CLOSED,
  /* u32: so many more bytes may be sent on that channel. */
  FRAME_CREDIT,
  FRAME_RESIZE,
  /* u8 signal number, u8 whether it is for the whole process group (a key pressed at the terminal). */
  FRAME_SIGNAL,
  FRAME_EXIT,
  FRAME_POWEROFF,
  /* Why a value could not be written. The command goes on without it. */
  FRAME_REFUSED,
  /* u32 version, as in HELLO; u64: what of the guest makes it another one for a command, as a digest. */
  FRAME_JOINED,
  FRAME_HANGUP,
  FRAME_CLEARED,
};

/* HELLO: u32 version, then stamps of the guest's CLOCK_BOOTTIME in nanoseconds. */
enum hello_field { HELLO_VERSION, HELLO_INIT_AT, HELLO_LOADED_AT, HELLO_AT };

enum config_field {
  CONFIG_ENTROPY = 1, /* bytes from the host's own generator */
  CONFIG_CLOCK, /* u64, nanoseconds since 1970 */
  CONFIG_HOSTNAME,
  CONFIG_MACHINE_ID, /* 32 hexadecimal digits */
  CONFIG_SHARE, /* as on the command line: TAG=PATH,ro or TAG=PATH,rw */
  CONFIG_LINK, /* NAME=TARGET, in the root directory */
  CONFIG_USER, /* UID:GID:NAME:HOME */
  CONFIG_NET, /* empty: bring the network up */
  CONFIG_SEATS, /* empty: there are ports for those who join */
  /* For a template: */
  CONFIG_COPY, /* as CONFIG_SHARE, of a share that is copied and not mounted */
  CONFIG_HOT, /* TAG=PATH, relative to the share: a file or directory of which the layer above it has a copy */
};

enum start_field {
  START_ARG = 1,
  START_ENV,
  START_CWD,
  START_STDIO, /* three bytes of enum stdio_kind */
  START_SIZE, /* struct of a RESIZE payload: rows, columns, x pixels, y pixels, each u16 */
  START_MODES, /* terminal modes: see put_modes */
  START_LOGIN, /* empty: the first argument is a shell to log in with, if the guest has it; then come its own */
  START_UMASK, /* u32 */
  START_IGNORED, /* u64, bit n-1: the caller ignores signal n */
  START_FILE, /* where PATH leads to the first argument; it is looked for where this is not */
};

enum stdio_kind {
  STDIO_PIPE,
  STDIO_TERMINAL,
  /* Closed, or nobody there: the null device. */
  STDIO_NULL,
  /* stderr only: the same pipe as stdout, so that the order of their bytes is kept. */
  STDIO_WITH_STDOUT,
};

/* EXIT: u8 enum exit_kind, u32 code (status, signal number, or errno of what could not be started). */
enum exit_kind { EXIT_STATUS, EXIT_SIGNAL, EXIT_NOT_STARTED };

/* VALUES: items of u8 kind, u16 mode, u32 + name or path, u32 + value. Channel VALUES_LAST: the first command may
 * start. */
enum value_kind { VALUE_ENV = 1, VALUE_FILE };
enum { VALUES_LAST = 1 };

/* Bytes that are somebody else's. */
struct view {
  const unsigned char *at;
  size_t length;
};

/* A queue: what is appended at the end is dropped from the front. Zeros are an empty one. */
struct bytes {
  unsigned char *at;
  size_t first, length, room;
};

/* Room for `more` bytes after the last; counts as part of the queue once `bytes_added`. */
unsigned char *bytes_reserve(struct bytes *queue, size_t more);
void bytes_added(struct bytes *queue, size_t count);
void bytes_append(struct bytes *queue, const void *from, size_t length);
void bytes_drop(struct bytes *queue, size_t count);
void bytes_free(struct bytes *queue);
struct view bytes_view(const struct bytes *queue);

void put_u8(struct bytes *to, uint8_t value);
void put_u16(struct bytes *to, uint16_t value);
void put_u32(struct bytes *to, uint32_t value);
void put_u64(struct bytes *to, uint64_t value);
/* A field is u8 kind, u32 length, bytes. */
void put_field(struct bytes *to, uint8_t kind, const void *from, size_t length);

/* Each takes a value from the front of the view, and is false when it is not there whole. */
bool take_u8(struct view *from, uint8_t *value);
bool take_u16(struct view *from, uint16_t *value);
bool take_u32(struct view *from, uint32_t *value);
bool take_u64(struct view *from, uint64_t *value);
bool take_text(struct view *from, struct view *text);
bool take_field(struct view *from, uint8_t *kind, struct view *value);

/* A string of its own, or NULL where the text has a zero byte in it. */
char *text_of(struct view view);

struct frame {
  uint8_t type, channel;
  struct view payload;
};

enum decoded { DECODED_FRAME, DECODED_PART, DECODED_NONSENSE };

/* The first frame in the queue. Its payload lies in the queue: drop FRAME_HEADER + payload.length bytes after use. */
enum decoded decode_frame(const struct bytes *queue, struct frame *frame);

void put_frame(struct bytes *to, enum frame_type type, uint8_t channel, const void *payload, size_t length);
/* A message of any length, in as many frames as it takes. */
void put_message(struct bytes *to, enum frame_type type, struct view message);

#endif
