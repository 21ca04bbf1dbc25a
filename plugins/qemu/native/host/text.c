#include "host.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Half of what a log may be at most: the console's and QEMU's own words share 1 MiB. */
enum { SAID_LIMIT = 512 * 1024 };

void said_listen(struct said *said) {
  const ssize_t length = read(said->fd, bytes_reserve(&said->text, 65536), 65536);
  if (length > 0) {
    bytes_added(&said->text, (size_t)length);
  } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
    close(said->fd);
    said->fd = -1;
  }
  if (said->text.length <= SAID_LIMIT) return;
  bytes_drop(&said->text, said->text.length - SAID_LIMIT / 2);
  const struct view rest = bytes_view(&said->text);
  const unsigned char *const end = memchr(rest.at, '\n', rest.length);
  if (end != NULL) bytes_drop(&said->text, (size_t)(end - rest.at) + 1);
  said->cut = true;
}

char *said_line(const struct said *said, const char *part) {
  const struct view text = bytes_view(&said->text);
  const size_t length = strlen(part);
  for (size_t at = text.length < length ? 0 : text.length - length + 1; at > 0; at -= 1) {
    if (memcmp(text.at + at - 1, part, length) != 0) continue;
    size_t first = at - 1, end = at - 1;
    while (first > 0 && text.at[first - 1] != '\n') first -= 1;
    while (end < text.length && text.at[end] != '\n' && text.at[end] != '\r' && text.at[end] != '\0') end += 1;
    return text_of((struct view){.at = text.at + first, .length = end - first});
  }
  return NULL;
}
