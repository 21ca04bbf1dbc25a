/*
 * Frames and fields on the daemon's socket. The numbers are those of src/protocol/messages.ts, the shapes those of
 * frames.ts and fields.ts beside it: a frame is four bytes length (big endian, type included), one byte type, payload;
 * a payload is a row of fields: one byte tag, four bytes length, value. Test: test/unit/launcher/wire.test.ts.
 */
#ifndef BOOTCUT_WIRE_H
#define BOOTCUT_WIRE_H

#include "system.h"

enum { PROTOCOL_VERSION = 2 };

/* Longest frame, type byte included (frames.ts, frameLimit). */
enum { FRAME_LIMIT = 4 * 1024 * 1024 };

enum frame_type {
  FRAME_HELLO = 0x01,
  FRAME_LAUNCH = 0x02,
  FRAME_STARTED = 0x03,
  FRAME_LINE = 0x04,
  FRAME_ENDED = 0x05,
  FRAME_WELCOME = 0x81,
  FRAME_WAIT = 0x82,
  FRAME_PLAN = 0x83,
  FRAME_PASS = 0x84,
};

enum hello_tag { HELLO_MAGIC = 1, HELLO_PROTOCOL = 2, HELLO_BUILD = 3 };

enum launch_tag {
  LAUNCH_ARG = 1,
  LAUNCH_ENV = 2,
  LAUNCH_CWD = 3,
  LAUNCH_STDIO = 4,
  LAUNCH_EXEC_AT = 5,
  LAUNCH_FRONT_AT = 6,
  LAUNCH_SENT_AT = 7,
  LAUNCH_PID = 8,
  LAUNCH_FRONT = 9,
  LAUNCH_MERGED_OUTPUT = 10,
};

enum plan_tag {
  PLAN_LAUNCH_ID = 1,
  PLAN_KEEP = 2,
  PLAN_LITERAL = 3,
  PLAN_ENV_SET = 4,
  PLAN_ENV_UNSET = 5,
  PLAN_ENV_PREPEND = 6,
  PLAN_EXECUTABLE = 7,
  PLAN_NOTICE = 8,
  PLAN_OBSERVE = 9,
  PLAN_REFUSAL = 10,
};

enum progress_tag {
  PROGRESS_AT = 1,
  PROGRESS_PID = 2,
  PROGRESS_TEXT = 3,
  PROGRESS_ENDING = 4,
  PROGRESS_CODE = 5,
  PROGRESS_DONE_AT = 6,
};

/* How a target ended, by position in messages.ts, endings. */
enum ending { ENDING_EXITED = 0, ENDING_KILLED = 1, ENDING_NOT_STARTED = 2 };

/* Bytes that belong to somebody else. */
struct view {
  const unsigned char *at;
  size_t length;
};

/* Bytes of ours that grow. After a failure to grow everything put in is dropped and `failed` says so. */
struct bytes {
  unsigned char *at;
  size_t length;
  size_t room;
  bool failed;
};

void put(struct bytes *bytes, const void *what, size_t length);
void put_field(struct bytes *bytes, unsigned char tag, const void *value, size_t length);
void put_number_field(struct bytes *bytes, unsigned char tag, uint32_t number);
void put_moment_field(struct bytes *bytes, unsigned char tag, uint64_t nanoseconds);

/* Opens a frame and returns where it began; `end_frame` closes it, and fails the bytes when it has grown too long. */
size_t begin_frame(struct bytes *bytes, enum frame_type type);
void end_frame(struct bytes *bytes, size_t began);

/* The first frame at the beginning of `stream`. */
enum frame_state { FRAME_WHOLE, FRAME_PARTIAL, FRAME_BROKEN };
struct frame {
  unsigned char type;
  struct view payload;
  /* Length on the wire. */
  size_t whole;
};
enum frame_state first_frame(struct view stream, struct frame *frame);

/* Takes the next field off the front of `rest`. */
enum field_state { FIELD_TAKEN, FIELD_NONE, FIELD_BROKEN };
struct field {
  unsigned char tag;
  struct view value;
};
enum field_state take_field(struct view *rest, struct field *field);

/* Four bytes, big endian. */
uint32_t number_at(const unsigned char *bytes);

bool same_text(struct view view, const char *text);

#endif
