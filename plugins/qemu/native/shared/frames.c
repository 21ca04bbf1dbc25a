#include "frames.h"

#include <stdlib.h>
#include <string.h>

unsigned char *bytes_reserve(struct bytes *queue, size_t more) {
  if (queue->first > 0 && (queue->length == 0 || queue->first + queue->length + more > queue->room)) {
    memmove(queue->at, queue->at + queue->first, queue->length);
    queue->first = 0;
  }
  if (queue->length + more > queue->room) {
    size_t room = queue->room < 1024 ? 1024 : queue->room;
    while (room < queue->length + more) room *= 2;
    unsigned char *const at = realloc(queue->at, room);
    if (at == NULL) out_of_memory();
    queue->at = at;
    queue->room = room;
  }
  return queue->at + queue->first + queue->length;
}

void bytes_added(struct bytes *queue, size_t count) { queue->length += count; }

void bytes_append(struct bytes *queue, const void *from, size_t length) {
  if (length == 0) return;
  memcpy(bytes_reserve(queue, length), from, length);
  queue->length += length;
}

void bytes_drop(struct bytes *queue, size_t count) {
  queue->first += count;
  queue->length -= count;
  if (queue->length == 0) queue->first = 0;
}

void bytes_free(struct bytes *queue) {
  free(queue->at);
  *queue = (struct bytes){0};
}

struct view bytes_view(const struct bytes *queue) {
  return (struct view){.at = queue->length == 0 ? NULL : queue->at + queue->first, .length = queue->length};
}

static void put_number(struct bytes *to, uint64_t value, size_t size) {
  unsigned char *const at = bytes_reserve(to, size);
  for (size_t index = 0; index < size; index += 1) at[index] = (unsigned char)(value >> (8 * index));
  bytes_added(to, size);
}

void put_u8(struct bytes *to, uint8_t value) { put_number(to, value, 1); }
void put_u16(struct bytes *to, uint16_t value) { put_number(to, value, 2); }
void put_u32(struct bytes *to, uint32_t value) { put_number(to, value, 4); }
void put_u64(struct bytes *to, uint64_t value) { put_number(to, value, 8); }

void put_field(struct bytes *to, uint8_t kind, const void *from, size_t length) {
  put_u8(to, kind);
  put_u32(to, (uint32_t)length);
  bytes_append(to, from, length);
}

static bool take_number(struct view *from, size_t size, uint64_t *value) {
  if (from->length < size) return false;
  *value = 0;
  for (size_t index = 0; index < size; index += 1) *value |= (uint64_t)from->at[index] << (8 * index);
  from->at += size;
  from->length -= size;
  return true;
}

bool take_u8(struct view *from, uint8_t *value) {
  uint64_t number;
  if (!take_number(from, 1, &number)) return false;
  *value = (uint8_t)number;
  return true;
}

bool take_u16(struct view *from, uint16_t *value) {
  uint64_t number;
  if (!take_number(from, 2, &number)) return false;
  *value = (uint16_t)number;
  return true;
}

bool take_u32(struct view *from, uint32_t *value) {
  uint64_t number;
  if (!take_number(from, 4, &number)) return false;
  *value = (uint32_t)number;
  return true;
}

bool take_u64(struct view *from, uint64_t *value) { return take_number(from, 8, value); }

bool take_text(struct view *from, struct view *text) {
  uint32_t length;
  if (!take_u32(from, &length) || length > from->length) return false;
  *text = (struct view){.at = from->at, .length = length};
  from->at += length;
  from->length -= length;
  return true;
}

bool take_field(struct view *from, uint8_t *kind, struct view *value) {
  return take_u8(from, kind) && take_text(from, value);
}

char *text_of(struct view view) {
  if (view.length > 0 && memchr(view.at, '\0', view.length) != NULL) return NULL;
  char *const text = malloc(view.length + 1);
  if (text == NULL) out_of_memory();
  if (view.length > 0) memcpy(text, view.at, view.length);
  text[view.length] = '\0';
  return text;
}

enum decoded decode_frame(const struct bytes *queue, struct frame *frame) {
  struct view rest = bytes_view(queue);
  uint16_t zero;
  uint32_t length;
  if (!take_u8(&rest, &frame->type) || !take_u8(&rest, &frame->channel) || !take_u16(&rest, &zero) ||
      !take_u32(&rest, &length))
    return DECODED_PART;
  if (frame->type == 0 || zero != 0 || length > FRAME_LIMIT) return DECODED_NONSENSE;
  if (rest.length < length) return DECODED_PART;
  frame->payload = (struct view){.at = rest.at, .length = length};
  return DECODED_FRAME;
}

void put_frame(struct bytes *to, enum frame_type type, uint8_t channel, const void *payload, size_t length) {
  put_u8(to, (uint8_t)type);
  put_u8(to, channel);
  put_u16(to, 0);
  put_u32(to, (uint32_t)length);
  bytes_append(to, payload, length);
}

void put_message(struct bytes *to, enum frame_type type, struct view message) {
  for (; message.length > FRAME_LIMIT; message.at += FRAME_LIMIT, message.length -= FRAME_LIMIT)
    put_frame(to, type, CHANNEL_MORE, message.at, FRAME_LIMIT);
  put_frame(to, type, 0, message.at, message.length);
}
