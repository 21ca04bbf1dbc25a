#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void session_begin(struct session *session, int fd) {
  *session = (struct session){.link = {.fd = fd}, .in = source_from(-1, 0)};
  session->out = sink_to(-1, 1);
  session->err = sink_to(-1, 2);
}

void session_start(struct session *session, const struct options *options, const struct circumstances *circumstances) {
  session->raw = stdio_kind_of(0) == STDIO_TERMINAL && stdio_kind_of(1) == STDIO_TERMINAL;
  if (session->raw) terminal_raw();
  put_start(&session->link.out, options, circumstances, session->raw);
  session->in = source_from(stdio_source(), 0);
  session->out = stdio_sink(STDOUT_FILENO);
  session->err = stdio_sink(STDERR_FILENO);
}

static void greet(struct session *session, struct view payload) {
  uint32_t version;
  uint64_t init_at, loaded_at, at;
  if (!take_u32(&payload, &version)) {
    session->link.nonsense = true;
    return;
  }
  if (version != PROTOCOL_VERSION) { /* the initramfs is older than we are */
    session->failure =
        strdup("the guest's agent is of another version; `bootcut setup --runtime qemu` makes a new one");
    return;
  }
  if (!take_u64(&payload, &init_at) || !take_u64(&payload, &loaded_at) || !take_u64(&payload, &at)) {
    session->link.nonsense = true;
    return;
  }
  const uint64_t moment = clock_now(CLOCK_MONOTONIC);
  if (at < moment) milestone("kernel-entered", moment - at);
  milestone("agent-ready", moment);
  session->greeted = true;
}

/* A command that runs already has the terminal for itself. */
static void note_refusal(const struct session *session, struct view payload) {
  char *const cause = text_of(payload);
  if (cause != NULL && !session->started) complain("values", cause);
  free(cause);
}

static void note_exit(struct session *session, struct view payload) {
  uint8_t kind;
  if (!take_u8(&payload, &kind) || !take_u32(&payload, &session->code) || kind > EXIT_NOT_STARTED) {
    session->link.nonsense = true;
    return;
  }
  session->kind = (enum exit_kind)kind;
  session->told = true;
  milestone("command-ended", clock_now(CLOCK_MONOTONIC));
}

static bool take_data(struct session *session, const struct frame *frame) {
  if (!session->started || (frame->channel != 1 && frame->channel != 2)) return false;
  if (!session->output_seen) milestone("first-output", clock_now(CLOCK_MONOTONIC));
  session->output_seen = true;
  struct sink *const sink = frame->channel == 1 ? &session->out : &session->err;
  return sink_take(sink, &session->link, frame->payload);
}

static bool deal_with(struct session *session, const struct frame *frame) {
  switch (frame->type) {
    case FRAME_HELLO:
      if (!session->greeted) greet(session, frame->payload);
      return true;
    case FRAME_CONFIGURED:
      session->configured = true;
      return true;
    case FRAME_FAILED:
      if (session->failure == NULL) session->failure = text_of(frame->payload);
      return session->failure != NULL;
    case FRAME_REFUSED:
      note_refusal(session, frame->payload);
      return true;
    case FRAME_STARTED:
      if (!session->started) milestone("command-started", clock_now(CLOCK_MONOTONIC));
      session->started = true;
      return true;
    case FRAME_DATA:
      return take_data(session, frame);
    case FRAME_EOF:
      return frame->channel == 1 || frame->channel == 2; /* ours stay open as long as we live */
    case FRAME_CLOSED:
      if (session->in.fd >= 0) close(session->in.fd);
      session->in.fd = -1;
      return frame->channel == 0;
    case FRAME_CREDIT:
      return frame->channel == 0 && source_credit(&session->in, frame->payload);
    case FRAME_EXIT:
      note_exit(session, frame->payload);
      return true;
    default:
      return true; /* of a later version */
  }
}

void session_receive(struct session *session) {
  struct frame frame;
  link_receive(&session->link);
  while (!session->told && session->failure == NULL && link_next(&session->link, &frame))
    if (!deal_with(session, &frame)) session->link.nonsense = true;
}

void session_signal(struct session *session, int number, bool from_terminal) {
  const unsigned char payload[] = {(unsigned char)number, from_terminal};
  put_frame(&session->link.out, FRAME_SIGNAL, 0, payload, sizeof payload);
}

void session_resize(struct session *session) {
  struct bytes size = terminal_size();
  if (size.length > 0) put_frame(&session->link.out, FRAME_RESIZE, 0, size.at, size.length);
  bytes_free(&size);
}

bool session_is_written(const struct session *session) {
  return session->out.waiting.length == 0 && session->err.waiting.length == 0;
}

void session_ask(const struct session *session, struct pollfd *wanted) {
  wanted[SESSION_WANT_LINK] = link_wants(&session->link);
  /* Nothing is read for a command that may never run: it is the next one's. */
  wanted[SESSION_WANT_IN] = source_wants(&session->in, &session->link);
  if (!session->started) wanted[SESSION_WANT_IN].fd = -1;
  wanted[SESSION_WANT_OUT] = sink_wants(&session->out);
  wanted[SESSION_WANT_ERR] = sink_wants(&session->err);
}

void session_answer(struct session *session, const struct pollfd *wanted) {
  if ((wanted[SESSION_WANT_LINK].revents & ~POLLOUT) != 0) session_receive(session);
  if (wanted[SESSION_WANT_IN].revents != 0) source_pump(&session->in, &session->link);
  if (wanted[SESSION_WANT_OUT].revents != 0) sink_pump(&session->out, &session->link);
  if (wanted[SESSION_WANT_ERR].revents != 0) sink_pump(&session->err, &session->link);
}

/* In a shell's words, and with its status. */
static int tell_not_started(const char *name, uint32_t error) {
  const char *const what = error == ENOENT ? "command not found" : error == EACCES ? "permission denied" : NULL;
  complain(name, what == NULL ? strerror((int)error) : what);
  return error == ENOENT ? 127 : 126;
}

_Noreturn void leave_as(const struct session *session, const char *name) {
  terminal_restore();
  if (session->kind == EXIT_SIGNAL) {
    die_by((int)session->code);
    exit(128 + (int)(session->code & 127)); /* the signal is one that cannot end us */
  }
  exit(session->kind == EXIT_NOT_STARTED ? tell_not_started(name, session->code) : (int)(session->code & 255));
}
