#include "streams.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* More than this waits in `out` only for what is not data; so the line stays busy and memory small. */
enum { OUT_FULL = 2 * FRAME_LIMIT };

void link_receive(struct link *link) {
  for (size_t taken = 0; taken < 4 * FRAME_LIMIT;) {
    const ssize_t length = read(link->fd, bytes_reserve(&link->in, FRAME_LIMIT), FRAME_LIMIT);
    if (length > 0) {
      bytes_added(&link->in, (size_t)length);
      taken += (size_t)length;
    } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
      link->ended = true;
      return;
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

bool link_next(struct link *link, struct frame *frame) {
  if (link->nonsense) return false;
  switch (decode_frame(&link->in, frame)) {
    case DECODED_FRAME:
      /* Its bytes stay where they are until something is appended. */
      bytes_drop(&link->in, FRAME_HEADER + frame->payload.length);
      return true;
    case DECODED_PART:
      return false;
    default:
      link->nonsense = true;
      return false;
  }
}

void link_flush(struct link *link) {
  while (link->out.length > 0 && !link->ended) {
    const struct view rest = bytes_view(&link->out);
    const ssize_t written = write(link->fd, rest.at, rest.length);
    if (written > 0) bytes_drop(&link->out, (size_t)written);
    else if (written == 0 || errno == EAGAIN) return;
    else if (errno != EINTR) link->ended = true;
  }
}

struct pollfd link_wants(const struct link *link) {
  const short events = link->out.length > 0 ? POLLIN | POLLOUT : POLLIN;
  return (struct pollfd){.fd = link->ended ? -1 : link->fd, .events = events};
}

struct source source_from(int fd, uint8_t channel) {
  return (struct source){.fd = fd, .channel = channel, .credit = WINDOW, .left = UINT64_MAX};
}

struct pollfd source_wants(const struct source *source, const struct link *link) {
  const bool room = source->credit > 0 && link->out.length < OUT_FULL;
  return (struct pollfd){.fd = room ? source->fd : -1, .events = POLLIN};
}

void source_end(struct source *source, struct link *link) {
  if (source->fd < 0) return;
  close(source->fd);
  source->fd = -1;
  put_frame(&link->out, FRAME_EOF, source->channel, NULL, 0);
}

void source_limit(struct source *source, struct link *link, uint64_t left) {
  source->left = left;
  if (left == 0) source_end(source, link);
}

void source_pump(struct source *source, struct link *link) {
  while (source->fd >= 0 && source->credit > 0 && link->out.length < OUT_FULL) {
    uint64_t most = source->credit < FRAME_LIMIT ? source->credit : FRAME_LIMIT;
    if (source->left < most) most = source->left;
    /* Read to where it will lie, behind a header that is written when the length is known. */
    unsigned char *const frame = bytes_reserve(&link->out, FRAME_HEADER + FRAME_LIMIT);
    const ssize_t length = most == 0 ? 0 : read(source->fd, frame + FRAME_HEADER, (size_t)most);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN && !source->last) return;
    if (length <= 0) { /* EIO is how a pseudo terminal ends */
      source_end(source, link);
      return;
    }
    put_frame(&link->out, FRAME_DATA, source->channel, NULL, 0);
    for (size_t index = 0; index < 4; index += 1) frame[4 + index] = (unsigned char)((size_t)length >> (8 * index));
    bytes_added(&link->out, (size_t)length);
    source->credit -= (uint32_t)length;
    if (source->left != UINT64_MAX) source_limit(source, link, source->left - (uint64_t)length);
    /* A short read has emptied a pipe or a terminal; asking again would only cost a call, or wait. */
    if ((uint64_t)length < most && !source->last) return;
    link_flush(link);
    if (!source->last) return;
  }
}

bool source_credit(struct source *source, struct view payload) {
  uint32_t more;
  if (!take_u32(&payload, &more) || payload.length != 0 || more > 2 * WINDOW) return false;
  source->credit = source->credit + more < WINDOW ? source->credit + more : WINDOW;
  return true;
}

struct sink sink_to(int fd, uint8_t channel) {
  return (struct sink){.fd = fd, .channel = channel, .chunk = WINDOW};
}

struct pollfd sink_wants(const struct sink *sink) {
  return (struct pollfd){.fd = sink->waiting.length > 0 ? sink->fd : -1, .events = POLLOUT};
}

static void passed_on(struct sink *sink, struct link *link, size_t count) {
  sink->owed += count;
  if (sink->owed < WINDOW / 4) return;
  unsigned char credit[4];
  for (size_t index = 0; index < sizeof credit; index += 1) credit[index] = (unsigned char)(sink->owed >> (8 * index));
  put_frame(&link->out, FRAME_CREDIT, sink->channel, credit, sizeof credit);
  sink->under_way -= sink->owed;
  sink->owed = 0;
}

bool sink_take(struct sink *sink, struct link *link, struct view payload) {
  if (sink->ended || payload.length > WINDOW - sink->under_way) return false;
  sink->under_way += payload.length;
  if (sink->fd < 0) passed_on(sink, link, payload.length);
  else bytes_append(&sink->waiting, payload.at, payload.length);
  return true;
}

static void close_sink(struct sink *sink) {
  if (sink->fd > 2) close(sink->fd); /* the caller's own stay open until we end */
  sink->fd = -1;
}

void sink_close(struct sink *sink, struct link *link) {
  if (sink->fd < 0) return;
  close_sink(sink);
  const size_t lost = sink->waiting.length;
  bytes_free(&sink->waiting);
  put_frame(&link->out, FRAME_CLOSED, sink->channel, NULL, 0);
  passed_on(sink, link, lost);
}

void sink_pump(struct sink *sink, struct link *link) {
  while (sink->fd >= 0 && sink->waiting.length > 0) {
    const struct view rest = bytes_view(&sink->waiting);
    const size_t most = rest.length < sink->chunk ? rest.length : sink->chunk;
    const ssize_t written = write(sink->fd, rest.at, most);
    if (written > 0) {
      bytes_drop(&sink->waiting, (size_t)written);
      passed_on(sink, link, (size_t)written);
      if (sink->chunk < WINDOW) break;
    } else if (written == 0 || errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      sink_close(sink, link);
    }
  }
  if (sink->ended && sink->waiting.length == 0 && sink->fd >= 0) close_sink(sink);
}

void sink_eof(struct sink *sink) {
  sink->ended = true;
  if (sink->waiting.length == 0) close_sink(sink);
}
