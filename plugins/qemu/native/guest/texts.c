/*
 * Files of /etc of which every launch has its own. Those of a template are there before anybody knows what will be in
 * them, and mapped: in a restored guest, whose every first step is slow, to write one is to copy a few bytes.
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What does not fit is written as ever. */
enum { ROOM = 4096, MOST = 4 };

static struct text {
  const char *path;
  int fd;
  char *at;
  size_t length;
} prepared[MOST];
static size_t count;

static void write_text(const char *path, const char *text, mode_t mode) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd < 0 || !write_all(fd, text, strlen(text))) log_line(path, strerror(errno));
  if (fd >= 0) close(fd);
}

void prepare_etc(const char *path, const char *text, mode_t mode) {
  const size_t length = strlen(text);
  write_text(path, text, mode);
  if (length == 0 || length > ROOM || count == MOST) return;
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  char *const at = fd < 0 ? MAP_FAILED : mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) {
    if (fd >= 0) close(fd);
    return;
  }
  memcpy(at, text, length); /* the page is there from now on */
  prepared[count++] = (struct text){.path = path, .fd = fd, .at = at, .length = length};
}

/* First the length: what lies behind the end of a file is nobody's. */
static bool change_text(struct text *text, const char *to) {
  const size_t length = strlen(to);
  if (length == 0 || length > ROOM) return false;
  if (length != text->length && ftruncate(text->fd, (off_t)length) != 0) return false;
  memcpy(text->at, to, length);
  text->length = length;
  return true;
}

void write_etc(const char *path, const char *text, mode_t mode) {
  for (size_t index = 0; index < count; index += 1)
    if (strcmp(prepared[index].path, path) == 0 && change_text(&prepared[index], text)) return;
  write_text(path, text, mode);
}
