#include "guest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

void session_begin(struct session *session, int index, int fd) {
  bytes_free(&session->link.in);
  bytes_free(&session->link.out);
  bytes_free(&session->message);
  *session = (struct session){.link = {.fd = fd}, .index = index, .master = -1, .pid = -1};
  session->in = sink_to(-1, 0);
  session->out = source_from(-1, 1);
  session->err = source_from(-1, 2);
}

static void fail(struct session *session, const char *cause) {
  log_line("failed", cause);
  put_frame(&session->link.out, FRAME_FAILED, 0, cause, strlen(cause));
}

static void say_exit(struct session *session, enum exit_kind kind, uint32_t code) {
  struct bytes payload = {0};
  put_u8(&payload, (uint8_t)kind);
  put_u32(&payload, code);
  const struct view view = bytes_view(&payload);
  put_frame(&session->link.out, FRAME_EXIT, 0, view.at, view.length);
  bytes_free(&payload);
  session->told = true;
}

/* One command after the other: a standby has run one before it is handed over. */
static void start(struct session *session, const struct guest *guest, struct view message) {
  session->ended = session->told = false;
  session->pid = -1;
  if (guest->is_broken) return; /* the host knows by now */
  const struct started started = start_command(guest, message);
  if (started.error != 0) {
    if (started.what != NULL)
      fail(session, cause_of("the guest cannot start the command,", started.what, started.error));
    else say_exit(session, EXIT_NOT_STARTED, (uint32_t)started.error);
    return;
  }
  session->pid = started.pid;
  session->master = started.master;
  session->running = true;
  session->in = sink_to(started.in, 0);
  session->out = source_from(started.out, 1);
  session->err = source_from(started.err, 2);
  put_frame(&session->link.out, FRAME_STARTED, 0, NULL, 0);
  if (started.out < 0) put_frame(&session->link.out, FRAME_EOF, 1, NULL, 0);
  if (started.err < 0) put_frame(&session->link.out, FRAME_EOF, 2, NULL, 0);
}

/* CONFIG and START may come in pieces. True when the message is whole. */
static bool gather(struct session *session, const struct frame *frame) {
  if (session->message.length + frame->payload.length > MESSAGE_LIMIT) {
    session->link.nonsense = true;
    return false;
  }
  bytes_append(&session->message, frame->payload.at, frame->payload.length);
  return (frame->channel & CHANNEL_MORE) == 0;
}

static void configure_or_fail(struct session *session, struct guest *guest) {
  const char *const cause = configure(guest, bytes_view(&session->message));
  guest->is_broken = cause != NULL;
  guest->is_configured = cause == NULL;
  if (cause == NULL) put_frame(&session->link.out, FRAME_CONFIGURED, 0, NULL, 0);
  else fail(session, cause);
}

/* A key pressed at the caller's terminal is for everything in the foreground; what a program sent, for the command. */
static void pass_signal(const struct session *session, struct view payload) {
  uint8_t number, to_group;
  if (!session->running || !take_u8(&payload, &number) || !take_u8(&payload, &to_group)) return;
  pid_t group = session->pid;
  if (to_group && session->master >= 0) {
    const pid_t foreground = tcgetpgrp(session->master);
    if (foreground > 1) group = foreground;
  }
  (void)kill(to_group ? -group : session->pid, number);
}

/* The end of stdin. A terminal has no end; its reader is told by the character that stands for it. */
static void end_input(struct session *session) {
  struct termios modes;
  if (session->in.fd >= 0 && tcgetattr(session->in.fd, &modes) == 0) {
    bytes_append(&session->in.waiting, &modes.c_cc[VEOF], 1);
    session->in.under_way += 1;
    return;
  }
  sink_eof(&session->in);
}

static bool deal_with(struct session *session, struct guest *guest, const struct frame *frame) {
  struct source *const source = frame->channel == 1 ? &session->out : &session->err;
  switch (frame->type) {
    case FRAME_CONFIG:
      if (session->index != 0) return false;
      if (!gather(session, frame)) return !session->link.nonsense;
      configure_or_fail(session, guest);
      session->message.length = session->message.first = 0;
      return true;
    case FRAME_START:
      if (!guest->is_configured && session->index != 0) return false;
      if (session->pid > 0 && !session->told) return false;
      if (!gather(session, frame)) return !session->link.nonsense;
      start(session, guest, bytes_view(&session->message));
      bytes_free(&session->message);
      return true;
    case FRAME_VALUES: {
      const char *const cause = write_values(guest, frame->payload);
      if (cause != NULL) {
        log_line("refused", cause);
        put_frame(&session->link.out, FRAME_REFUSED, 0, cause, strlen(cause));
      }
      return true;
    }
    case FRAME_DATA:
      return frame->channel == 0 && sink_take(&session->in, &session->link, frame->payload);
    case FRAME_EOF:
      if (frame->channel == 0) end_input(session);
      return frame->channel == 0;
    case FRAME_CLOSED:
      source_end(source, &session->link);
      return frame->channel == 1 || frame->channel == 2;
    case FRAME_CREDIT:
      return (frame->channel == 1 || frame->channel == 2) && source_credit(source, frame->payload);
    case FRAME_RESIZE:
      if (session->master >= 0) set_terminal_size(session->master, frame->payload);
      return true;
    case FRAME_SIGNAL:
      pass_signal(session, frame->payload);
      return true;
    case FRAME_HANGUP:
      session_hang_up(session);
      put_frame(&session->link.out, FRAME_CLEARED, 0, NULL, 0);
      return true;
    case FRAME_POWEROFF:
      if (session->index == 0) power_off();
      return false;
    default:
      return true; /* of a later version */
  }
}

void session_receive(struct session *session, struct guest *guest) {
  struct frame frame;
  link_receive(&session->link);
  while (link_next(&session->link, &frame))
    if (!deal_with(session, guest, &frame)) session->link.nonsense = true;
  if (!session->link.nonsense || session->index == 0) return;
  /* Of one who has joined: the guest is not theirs, and goes on. */
  session_hang_up(session);
  bytes_free(&session->link.in);
  session->link.nonsense = false;
  fail(session, "the host says what its program would never say");
}

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

void session_hang_up(struct session *session) {
  if (session->running) { /* the leader of a session of its own; one that is stopped has to hear it as well */
    (void)kill(-session->pid, SIGHUP);
    (void)kill(-session->pid, SIGCONT);
  }
  close_fd(&session->in.fd);
  close_fd(&session->out.fd);
  close_fd(&session->err.fd);
  close_fd(&session->master);
  bytes_free(&session->in.waiting);
  bytes_free(&session->message);
  /* What it has not sent yet is of whole frames: whoever reads it knows where it ends. */
  *session = (struct session){.link = session->link, .index = session->index, .master = -1, .pid = -1};
  session->in = sink_to(-1, 0);
  session->out = source_from(-1, 1);
  session->err = source_from(-1, 2);
}

/* More than a pseudo terminal holds of what was written to it and not read yet. */
enum { TERMINAL_HOLDS = 128 * 1024 };

/*
 * What it has written by now still counts; what it left running in the background and writes later does not. A pipe
 * tells how much there is. A terminal has shown everything once there is nothing to be read: the kernel looks before it
 * says so.
 */
static void limit_to_present(struct source *source, struct link *link) {
  int present;
  if (source->fd < 0) return;
  source->last = isatty(source->fd) != 0;
  if (source->last) source_limit(source, link, TERMINAL_HOLDS);
  else if (control(source->fd, FIONREAD, &present) == 0) source_limit(source, link, (uint64_t)present);
}

void session_command_ended(struct session *session, int status) {
  session->running = false;
  session->ended = true;
  session->status = status;
  if (session->index == 0 && session->master >= 0) {
    (void)kill(-1, SIGKILL); /* the guest ends with its command: then the terminal ends too */
  } else {
    limit_to_present(&session->out, &session->link);
    limit_to_present(&session->err, &session->link);
  }
  if (session->in.fd >= 0) {
    close(session->in.fd);
    session->in.fd = -1;
    bytes_free(&session->in.waiting);
  }
}

void session_finish(struct session *session) {
  if (session->ended && session->out.last) source_pump(&session->out, &session->link);
  if (session->ended && session->err.last) source_pump(&session->err, &session->link);
  if (!session->ended || session->told || session->out.fd >= 0 || session->err.fd >= 0) return;
  if (session->master >= 0) close(session->master);
  session->master = -1;
  if (WIFSIGNALED(session->status)) say_exit(session, EXIT_SIGNAL, (uint32_t)WTERMSIG(session->status));
  else say_exit(session, EXIT_STATUS, (uint32_t)WEXITSTATUS(session->status));
}
