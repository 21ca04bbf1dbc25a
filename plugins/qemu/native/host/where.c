/*
 * Where a command is that the guest would look for along PATH. What a fresh guest has there are the host's own directories,
 * and to look into them takes the host microseconds; the guest asks for each over 9p, and has to translate every path of
 * its kernel that leads there. Where anything is doubtful, the guest looks for itself.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 4096 };

/* The rest of a path below a directory, or NULL. */
static const char *rest_below(const char *path, const char *directory, size_t length) {
  if (length == 1 && directory[0] == '/') return path;
  if (strncmp(path, directory, length) != 0) return NULL;
  return path[length] == '/' || path[length] == '\0' ? path + length : NULL;
}

/* The host's directory of a share, out of QEMU's `-fsdev local,id=TAG,path=PATH,…`; a comma in it is written twice. */
static bool shared_directory(const struct options *options, const char *tag, size_t length, char *to) {
  for (size_t index = 1; index < options->qemu_count; index += 1) {
    const char *const value = options->qemu[index];
    const char *const id = strstr(value, ",id="), *const path = strstr(value, ",path=");
    if (strcmp(options->qemu[index - 1], "-fsdev") != 0 || id == NULL || path == NULL) continue;
    if (strncmp(id + 4, tag, length) != 0 || id[4 + length] != ',') continue;
    size_t used = 0;
    for (const char *at = path + 6; *at != '\0' && used + 1 < LONGEST; at += 1) {
      if (*at == ',' && *++at != ',') break;
      to[used++] = *at;
    }
    to[used] = '\0';
    return used > 0;
  }
  return false;
}

/* `/bin/x` where `bin` is a link to `usr/bin`: the only links that are the guest's own. */
static bool follow_link(const struct options *options, const char *path, char *to) {
  for (size_t index = 0; index < options->links.count; index += 1) {
    const char *const link = options->links.at[index], *const name = link[0] == '/' ? link + 1 : link;
    const char *const equals = strchr(name, '=');
    const char *const rest = rest_below(path + 1, name, (size_t)(equals - name));
    if (rest != NULL) return snprintf(to, LONGEST, "%s%s%s", equals[1] == '/' ? "" : "/", equals + 1, rest) < LONGEST;
  }
  return snprintf(to, LONGEST, "%s", path) < LONGEST;
}

/* Where the host has what is at this path of the guest; false for what no share shows. */
static bool host_path(const struct options *options, const char *path, char *to) {
  char followed[LONGEST], directory[LONGEST];
  size_t longest = 0;
  bool found = false;
  if (!follow_link(options, path, followed)) return false;
  for (size_t index = 0; index < options->shares.count; index += 1) {
    const char *const share = options->shares.at[index], *const place = strchr(share, '=') + 1;
    const size_t length = (size_t)(strrchr(place, ',') - place);
    const char *const rest = rest_below(followed, place, length);
    if (rest == NULL || length <= longest || !shared_directory(options, share, (size_t)(place - 1 - share), directory))
      continue;
    longest = length;
    found = snprintf(to, LONGEST, "%s%s%s", directory, rest[0] == '/' ? "" : "/", rest) < LONGEST;
  }
  return found;
}

char *find_command(const struct options *options, const char *name, const char *path) {
  char candidate[LONGEST], place[LONGEST];
  struct stat of;
  if (name[0] == '\0' || strchr(name, '/') != NULL) return NULL;
  for (const char *from = path; from[0] == '/';) {
    const size_t length = strcspn(from, ":");
    if (snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, from, name) >= LONGEST ||
        !host_path(options, candidate, place))
      return NULL;
    if (lstat(place, &of) == 0) /* a link that leads nowhere here may lead somewhere there */
      return stat(place, &of) == 0 && S_ISREG(of.st_mode) && access(place, X_OK) == 0 ? strdup(candidate) : NULL;
    if ((errno != ENOENT && errno != ENOTDIR) || from[length] == '\0') return NULL;
    from += length + 1;
  }
  return NULL;
}
