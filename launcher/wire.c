#include "wire.h"

#include <stdlib.h>
#include <string.h>

/* The usual request: some eighty variables and a few arguments. */
enum { FIRST_ROOM = 16384 };

static bool make_room(struct bytes *bytes, size_t more) {
  if (bytes->failed || more > (size_t)2 * FRAME_LIMIT || bytes->length > (size_t)2 * FRAME_LIMIT) {
    bytes->failed = true; /* nothing that long could be sent */
    return false;
  }
  if (bytes->room - bytes->length >= more) return true;
  size_t room = bytes->room == 0 ? FIRST_ROOM : bytes->room;
  while (room - bytes->length < more) room *= 2;
  unsigned char *larger = realloc(bytes->at, room);
  if (larger == NULL) {
    bytes->failed = true;
    return false;
  }
  bytes->at = larger;
  bytes->room = room;
  return true;
}

void put(struct bytes *bytes, const void *what, size_t length) {
  if (length == 0 || !make_room(bytes, length)) return;
  memcpy(bytes->at + bytes->length, what, length);
  bytes->length += length;
}

static void big_endian(unsigned char *to, uint64_t number, size_t width) {
  for (size_t index = 0; index < width; index += 1) to[index] = (unsigned char)(number >> (8 * (width - 1 - index)));
}

void put_field(struct bytes *bytes, unsigned char tag, const void *value, size_t length) {
  unsigned char head[5] = {tag};
  if (length > FRAME_LIMIT) {
    bytes->failed = true;
    return;
  }
  big_endian(head + 1, length, 4);
  put(bytes, head, sizeof head);
  put(bytes, value, length);
}

void put_number_field(struct bytes *bytes, unsigned char tag, uint32_t number) {
  unsigned char value[4];
  big_endian(value, number, sizeof value);
  put_field(bytes, tag, value, sizeof value);
}

void put_moment_field(struct bytes *bytes, unsigned char tag, uint64_t nanoseconds) {
  unsigned char value[8];
  big_endian(value, nanoseconds, sizeof value);
  put_field(bytes, tag, value, sizeof value);
}

size_t begin_frame(struct bytes *bytes, enum frame_type type) {
  const size_t began = bytes->length;
  const unsigned char head[5] = {0, 0, 0, 0, (unsigned char)type};
  put(bytes, head, sizeof head);
  return began;
}

void end_frame(struct bytes *bytes, size_t began) {
  if (bytes->failed) return;
  const size_t length = bytes->length - began - 4;
  if (length > FRAME_LIMIT) bytes->failed = true;
  else big_endian(bytes->at + began, length, 4);
}

enum frame_state first_frame(struct view stream, struct frame *frame) {
  if (stream.length < 4) return FRAME_PARTIAL;
  const size_t length = number_at(stream.at);
  if (length == 0 || length > FRAME_LIMIT) return FRAME_BROKEN;
  if (stream.length - 4 < length) return FRAME_PARTIAL;
  frame->type = stream.at[4];
  frame->payload = (struct view){stream.at + 5, length - 1};
  frame->whole = 4 + length;
  return FRAME_WHOLE;
}

enum field_state take_field(struct view *rest, struct field *field) {
  if (rest->length == 0) return FIELD_NONE;
  if (rest->length < 5) return FIELD_BROKEN;
  const size_t length = number_at(rest->at + 1);
  if (length > rest->length - 5) return FIELD_BROKEN;
  field->tag = rest->at[0];
  field->value = (struct view){rest->at + 5, length};
  rest->at += 5 + length;
  rest->length -= 5 + length;
  return FIELD_TAKEN;
}

uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

bool same_text(struct view view, const char *text) {
  return view.length == strlen(text) && memcmp(view.at, text, view.length) == 0;
}
