#include "guest.h"

#include <fcntl.h>
#include <stdio.h>
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

/* The line of the host's own name, or of the name that a standby had before, goes. */
void name_host(const char *name) {
  struct bytes before = read_hosts(), after = {0};
  struct view rest = bytes_view(&before);
  if (rest.length <= LONGEST) {
    if (rest.length == 0) bytes_append(&after, NOTHING, strlen(NOTHING));
    while (rest.length > 0) {
      const unsigned char *const end = memchr(rest.at, '\n', rest.length);
      const size_t length = end == NULL ? rest.length : (size_t)(end - rest.at) + 1;
      const bool own = length > strlen(OWN) && memcmp(rest.at, OWN, strlen(OWN)) == 0 &&
                       strchr(" \t", rest.at[strlen(OWN)]) != NULL;
      if (!own) bytes_append(&after, rest.at, length);
      if (!own && end == NULL) put_u8(&after, '\n');
      rest.at += length;
      rest.length -= length;
    }
    char line[128];
    const int length = snprintf(line, sizeof line, "%s\t%s\n", OWN, name);
    if (length > 0 && (size_t)length < sizeof line) bytes_append(&after, line, (size_t)length);
    put_u8(&after, '\0');
    write_etc(HOSTS, (const char *)bytes_view(&after).at, 0644);
  }
  bytes_free(&before);
  bytes_free(&after);
}
