#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/*
 * The memory is in a file of its own that both sides map: only the rest of the machine is written and read. QEMU reads what
 * it is told byte by byte, 15 µs each: who restores says no more than is needed, and has QEMU inherit the state.
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

/* One of a guest with 1 GiB takes 120 (README.md of the plugin); a disk that is left full by it is of no use either. MiB. */
enum { ROOM = 160 };

bool template_has_room(const char *directory) {
  struct statvfs disk;
  if (mkdir(directory, 0700) != 0 && errno != EEXIST) return true; /* whoever makes the files says why */
  if (statvfs(directory, &disk) != 0) return true;
  const unsigned long long free = (unsigned long long)disk.f_bavail * disk.f_frsize >> 20;
  if (free >= ROOM) return true;
  char line[128];
  (void)snprintf(line, sizeof line, "no room for a saved VM: %d MiB are needed, %llu MiB are free", ROOM, free);
  complain(directory, line);
  return false;
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

static void take_name(const char *directory, const char *name) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", directory, name) < 0) out_of_memory();
  (void)unlink(path);
  free(path);
}

/* Both or none. */
static bool give_names(int memory, int state, const char *directory) {
  if (fdatasync(memory) != 0 || fdatasync(state) != 0 || !give_name(memory, directory, "memory")) return false;
  if (give_name(state, directory, "state")) return true;
  const int error = errno;
  take_name(directory, "memory");
  errno = error;
  return false;
}

static const char *cannot_save(int error) {
  static char cause[128];
  const char *const why = error == ENOSPC ? "the disk is full" : strerror(error);
  (void)snprintf(cause, sizeof cause, "the VM cannot be saved: %s", why);
  return cause;
}

/* What QEMU could not write it does not always say why. */
static int reason_of(const char *directory) {
  struct statvfs disk;
  return statvfs(directory, &disk) == 0 && disk.f_bavail == 0 ? ENOSPC : EIO;
}

/* QEMU stops it itself in the end; one that had been stopped before would not go on by itself either. */
const char *template_save(const struct machine *machine, const char *directory, int memory) {
  struct said answers = {.fd = machine->monitor};
  const int state = template_file(directory);
  if (state < 0) return cannot_save(errno);
  const bool written = monitor_send(machine->monitor, CAPABILITIES(EVENTS), -1) &&
                       monitor_send(machine->monitor,
                                    PASSED "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"fd:s\"}}\n", state) &&
                       monitor_await(&answers, "\"status\": \"completed\"", SAVE_LIMIT);
  const bool saved = written && give_names(memory, state, directory);
  const int error = written ? errno : reason_of(directory);
  bytes_free(&answers.text);
  close(state);
  return saved ? NULL : cannot_save(error);
}

int template_state(const char *directory) { return open_part(directory, "state", O_RDONLY); }

bool template_restore(const struct machine *machine) {
  char commands[512];
  (void)snprintf(commands, sizeof commands, "%s{\"execute\":\"migrate-incoming\",\"arguments\":{\"uri\":\"fd:%d\"}}\n",
                 CAPABILITIES(""), FILE_FD);
  return monitor_send(machine->monitor, commands, -1);
}
