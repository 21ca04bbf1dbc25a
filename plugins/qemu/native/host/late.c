#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void late_connect(struct late *late, const char *path) {
  *late = (struct late){.link = {.fd = -1, .ended = true}, .complete = true};
  if (path == NULL) return;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    complain(path, "the path of the socket is too long");
    return;
  }
  memcpy(address.sun_path, path, strlen(path) + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0 || !set_nonblocking(fd)) {
    close(fd); /* nobody has values for us any more; the launch goes on without */
    return;
  }
  late->link = (struct link){.fd = fd};
  late->complete = false;
}

static void note_env(struct late *late, struct view name, struct view value) {
  char *const key = text_of(name), *const text = text_of(value);
  char *item = NULL;
  if (key != NULL && text != NULL && key[0] != '\0' && strchr(key, '=') == NULL) {
    if (asprintf(&item, "%s=%s", key, text) < 0) out_of_memory();
    add_text(&late->env, item);
  }
  free(key);
  free(text);
}

/* The variables are for START; the files go on as they came. False for what is not whole. */
static bool sort_out(struct late *late, struct view values, struct bytes *files) {
  while (values.length > 0) {
    const struct view item = values;
    uint8_t kind;
    uint16_t mode;
    struct view name, value;
    if (!take_u8(&values, &kind) || !take_u16(&values, &mode) || !take_text(&values, &name) ||
        !take_text(&values, &value))
      return false;
    if (kind == VALUE_ENV) note_env(late, name, value);
    else if (kind == VALUE_FILE) bytes_append(files, item.at, item.length - values.length);
  }
  return true;
}

/* Secrets may have been in it. */
static void forget(struct bytes *queue) {
  if (queue->at != NULL) explicit_bzero(queue->at, queue->room);
  bytes_free(queue);
}

void late_pass_on(struct late *late, struct link *guest) {
  const struct view files = bytes_view(&late->files);
  if (files.length == 0) return;
  bytes_append(&guest->out, files.at, files.length);
  forget(&late->files);
}

void late_receive(struct late *late) {
  struct frame frame;
  link_receive(&late->link);
  while (link_next(&late->link, &frame)) {
    struct bytes files = {0};
    if (frame.type == FRAME_VALUES && sort_out(late, frame.payload, &files)) {
      late->has_files = late->has_files || files.length > 0;
      if (files.length > 0) put_frame(&late->files, FRAME_VALUES, 0, files.at, files.length);
      if ((frame.channel & VALUES_LAST) != 0) late->complete = true;
    }
    forget(&files);
  }
  if (!late->link.ended && !late->link.nonsense) return;
  close(late->link.fd);
  forget(&late->link.in);
  late->link = (struct link){.fd = -1, .ended = true};
  late->complete = true;
}
