#include "guest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char HOSTS[] = "/etc/hosts";

/* What a machine without the file of a host has. */
static const char NOTHING[] = "127.0.0.1\tlocalhost\n::1\tlocalhost\n";

/* Debian's address for a machine's own name. */
static const char OWN[] = "127.0.1.1";

/* A file that is longer is a list of somebody's, and left as it is. */
enum { LONGEST = 65536 };

static struct bytes read_hosts(void) {
  struct bytes text = {0};
  const int fd = open(HOSTS, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  for (ssize_t length; text.length <= LONGEST; bytes_added(&text, (size_t)length))
    if ((length = read(fd, bytes_reserve(&text, 4096), 4096)) <= 0) break;
  close(fd);
  return text;
}

static bool names_itself(struct view line) {
  const size_t length = strlen(OWN);
  return line.length > length && memcmp(line.at, OWN, length) == 0 && strchr(" \t", line.at[length]) != NULL;
}

/* The lines of everybody but the host itself; NULL where there are too many. Read once: nobody else writes them. */
static const struct bytes *others(void) {
  static struct bytes lines;
  static bool is_read, is_left;
  if (is_read) return is_left ? NULL : &lines;
  is_read = true;
  struct bytes text = read_hosts();
  struct view rest = bytes_view(&text);
  is_left = rest.length > LONGEST;
  if (rest.length == 0) bytes_append(&lines, NOTHING, strlen(NOTHING));
  while (rest.length > 0 && !is_left) {
    const unsigned char *const end = memchr(rest.at, '\n', rest.length);
    const struct view line = {.at = rest.at, .length = end == NULL ? rest.length : (size_t)(end - rest.at) + 1};
    if (!names_itself(line)) bytes_append(&lines, line.at, line.length);
    if (!names_itself(line) && end == NULL) put_u8(&lines, '\n');
    rest.at += line.length;
    rest.length -= line.length;
  }
  bytes_free(&text);
  return is_left ? NULL : &lines;
}

static void with_line(const char *line, void (*write)(const char *path, const char *text, mode_t mode)) {
  const struct bytes *const before = others();
  if (before == NULL) return;
  struct bytes after = {0};
  const struct view view = bytes_view(before);
  bytes_append(&after, view.at, view.length);
  bytes_append(&after, line, strlen(line) + 1);
  write(HOSTS, (const char *)bytes_view(&after).at, 0644);
  bytes_free(&after);
}

void prepare_hosts(void) { with_line("", prepare_etc); }

/* The line of the host's own name, or of the name that a standby had before, goes. */
void name_host(const char *name) {
  char line[128];
  if (join_texts(line, sizeof line, OWN, "\t", name, "\n", NULL)) with_line(line, write_etc);
}
