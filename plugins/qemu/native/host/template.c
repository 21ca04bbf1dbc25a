#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The memory is in a file of its own that both sides map: only the rest of the machine is written and read. QEMU reads what
 * it is told byte by byte, 15 µs each: who restores says no more than is needed.
 */
#define CAPABILITIES(MORE)                                                      \
  "{\"execute\":\"qmp_capabilities\"}\n"                                        \
  "{\"execute\":\"migrate-set-capabilities\",\"arguments\":{\"capabilities\":[" \
  "{\"capability\":\"x-ignore-shared\",\"state\":true}" MORE "]}}\n"
#define EVENTS ",{\"capability\":\"events\",\"state\":true}"
#define PASSED "{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"s\"}}\n"

/* It takes 5 to 13 ms (prototypes.md, C6); a disk that is slower than this is of no use for it. In milliseconds. */
enum { SAVE_LIMIT = 30000 };

static int open_part(const char *directory, const char *name, int flags) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", directory, name) < 0) out_of_memory();
  const int fd = open(path, flags | O_CLOEXEC);
  free(path);
  return fd;
}

/* The state is the last to get its name. */
bool template_is_there(const char *directory) {
  if (directory == NULL) return false;
  const int fd = open_part(directory, "state", O_RDONLY);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

int template_file(const char *directory) {
  if (mkdir(directory, 0700) != 0 && errno != EEXIST) return -1;
  return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static bool give_name(int fd, const char *directory, const char *name) {
  char own[32], *path = NULL, *fresh = NULL;
  (void)snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  if (asprintf(&path, "%s/%s", directory, name) < 0 || asprintf(&fresh, "%s/.%s", directory, name) < 0) out_of_memory();
  (void)unlink(fresh);
  const bool named = linkat(AT_FDCWD, own, AT_FDCWD, fresh, AT_SYMLINK_FOLLOW) == 0 && rename(fresh, path) == 0;
  free(path);
  free(fresh);
  return named;
}

/* QEMU stops it itself in the end; one that had been stopped before would not go on by itself either. */
bool template_save(const struct machine *machine, const char *directory, int memory) {
  struct said answers = {.fd = machine->monitor};
  const int state = template_file(directory);
  const bool saved = state >= 0 && monitor_send(machine->monitor, CAPABILITIES(EVENTS), -1) &&
                     monitor_send(machine->monitor,
                                  PASSED "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"fd:s\"}}\n", state) &&
                     monitor_await(&answers, "\"status\": \"completed\"", SAVE_LIMIT) && fdatasync(memory) == 0 &&
                     fdatasync(state) == 0 && give_name(memory, directory, "memory") &&
                     give_name(state, directory, "state");
  bytes_free(&answers.text);
  if (state >= 0) close(state);
  return saved;
}

bool template_restore(const struct machine *machine, const char *directory) {
  const int state = open_part(directory, "state", O_RDONLY);
  const bool sent =
      state >= 0 && monitor_send(machine->monitor, CAPABILITIES(""), -1) &&
      monitor_send(machine->monitor, PASSED "{\"execute\":\"migrate-incoming\",\"arguments\":{\"uri\":\"fd:s\"}}\n",
                   state);
  if (state >= 0) close(state);
  return sent;
}
