/*
 * The line between host and guest, and the streams on it. Each stream may have WINDOW bytes under way; its receiver
 * gives credit for more only when it has passed bytes on, so that a stream whose reader stands still never keeps
 * another one, or a signal, from coming through.
 */
#ifndef BOOTCUT_STREAMS_H
#define BOOTCUT_STREAMS_H

#include "frames.h"

#include <poll.h>

enum { WINDOW = 256 * 1024 };

struct link {
  int fd;
  struct bytes in, out;
  /* The other side has gone. */
  bool ended;
  /* What came is not of this protocol. */
  bool nonsense;
};

/* Takes what has come, as far as it is there at once. */
void link_receive(struct link *link);
/* The next whole frame; valid until the next call of this or of link_receive. */
bool link_next(struct link *link, struct frame *frame);
/* Sends what waits, as far as it goes at once. */
void link_flush(struct link *link);
struct pollfd link_wants(const struct link *link);

/* Reads a descriptor of ours, sends what it reads. */
struct source {
  int fd; /* -1: none, or it has ended */
  uint8_t channel;
  uint32_t credit;
  /* What may still be read at most; UINT64_MAX as long as nothing limits it. */
  uint64_t left;
  /* It has ended as soon as nothing is there. */
  bool last;
};

struct source source_from(int fd, uint8_t channel);
struct pollfd source_wants(const struct source *source, const struct link *link);
/* After a poll that said so. On the end of the file, closes it and says EOF. */
void source_pump(struct source *source, struct link *link);
void source_end(struct source *source, struct link *link);
/* After so many more bytes it has ended, whatever else may come. */
void source_limit(struct source *source, struct link *link, uint64_t left);
/* False when the frame makes no sense. */
bool source_credit(struct source *source, struct view payload);

/* Receives, writes to a descriptor of ours. */
struct sink {
  int fd; /* -1: none, or nobody reads it any more */
  uint8_t channel;
  /* The most to write at once: a pipe that is not ours alone must not make us wait. */
  size_t chunk;
  struct bytes waiting;
  size_t under_way, owed;
  /* The other side has said EOF: the descriptor is closed once everything is written. */
  bool ended;
};

struct sink sink_to(int fd, uint8_t channel);
struct pollfd sink_wants(const struct sink *sink);
/* False when the other side has sent more than it may. */
bool sink_take(struct sink *sink, struct link *link, struct view payload);
void sink_pump(struct sink *sink, struct link *link);
void sink_eof(struct sink *sink);
/* Nobody reads it: says so, and throws away what comes. */
void sink_close(struct sink *sink, struct link *link);

#endif
