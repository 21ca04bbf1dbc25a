#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a value's file goes; NULL for a path that makes no sense. */
static char *place_of(const struct guest *guest, struct view name) {
  char *const text = text_of(name);
  if (text == NULL || text[0] == '/') return text;
  char *path = NULL;
  if (strncmp(text, "~/", 2) == 0 && guest->user.home != NULL &&
      asprintf(&path, "%s/%s", guest->user.home, text + 2) < 0)
    out_of_memory();
  free(text);
  return path;
}

/* In one step, so that a reader sees the old one or the new one. Every step is relative to a directory that we hold. */
static const char *replace(int directory, const char *name, uint16_t mode, struct view value,
                           const struct user *owner) {
  static const char temporary[] = ".bootcut-value";
  struct stat of;
  if (fstat(directory, &of) != 0) return strerror(errno);
  if (is_on_share(of.st_dev)) return "it would be written to the host's disk";
  (void)unlinkat(directory, temporary, 0);
  const int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return strerror(errno);
  const bool written = write_all(fd, value.at, value.length) &&
                       (owner == NULL || fchown(fd, owner->uid, owner->gid) == 0) && fchmod(fd, mode & 0777) == 0 &&
                       renameat(directory, temporary, directory, name) == 0;
  const int error = errno;
  close(fd);
  if (written) return NULL;
  (void)unlinkat(directory, temporary, 0);
  return strerror(error);
}

static const char *write_value(const struct guest *guest, char *path, uint16_t mode, struct view value) {
  const struct user *const owner = guest->user.home != NULL ? &guest->user : NULL;
  char *const slash = strrchr(path, '/');
  if (slash[1] == '\0') return "it names no file";
  *slash = '\0';
  const char *const parent = slash == path ? "/" : path;
  const bool made = make_directories(parent, owner);
  const int directory = made ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  const char *cause = directory < 0 ? strerror(errno) : replace(directory, slash + 1, mode, value, owner);
  *slash = '/';
  if (directory >= 0) close(directory);
  return cause;
}

const char *write_values(const struct guest *guest, struct view payload) {
  static char text[512];
  while (payload.length > 0) {
    uint8_t kind;
    uint16_t mode;
    struct view name, value;
    if (!take_u8(&payload, &kind) || !take_u16(&payload, &mode) || !take_text(&payload, &name) ||
        !take_text(&payload, &value))
      return "the values are not whole";
    if (kind != VALUE_FILE) continue;
    char *const path = place_of(guest, name);
    const char *const cause = path == NULL ? "the path makes no sense" : write_value(guest, path, mode, value);
    if (cause != NULL)
      (void)snprintf(text, sizeof text, "the guest cannot write %s: %s", path == NULL ? "a value" : path, cause);
    free(path);
    if (cause != NULL) return text;
  }
  return NULL;
}
