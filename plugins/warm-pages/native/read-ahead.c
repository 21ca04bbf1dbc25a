/*
 * `bootcut-read-ahead LIST BYTES [idle]`: has the kernel read what a list names, in its order, as long as that is not more
 * than so many bytes; what is in memory already is not read. Says on stdout what it did. `idle` leaves the disk to others.
 *
 * A list is entries of text, each closed by a zero: `FROM LENGTH SIZE MTIME PATH`, bytes and nanoseconds. A file that is not
 * as the list has it, or no plain file, is passed over.
 */
#define _GNU_SOURCE 1 /* readahead */

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel reads no more than this in one call on most disks (`read_ahead_kb`). */
enum { CHUNK = 128 << 10 };

/* Longest list: 2,000 files of a few ranges. */
enum { LIST_LIMIT = 4 << 20 };

struct totals {
  uint64_t budget;
  uint64_t asked;
  unsigned files;
  unsigned stale;
};

static char *read_list(const char *path, size_t *length) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  char *const bytes = malloc(LIST_LIMIT + 1);
  *length = 0;
  while (bytes != NULL && *length < LIST_LIMIT) {
    const ssize_t count = read(fd, bytes + *length, LIST_LIMIT - *length);
    if (count <= 0) break;
    *length += (size_t)count;
  }
  close(fd);
  if (bytes != NULL) bytes[*length] = '\0';
  return bytes;
}

/* Bytes that the kernel has read from disks for us so far; 0 where it does not count. */
static uint64_t read_bytes(void) {
  FILE *const io = fopen("/proc/self/io", "re");
  if (io == NULL) return 0;
  char line[128];
  uint64_t bytes = 0;
  while (fgets(line, sizeof line, io) != NULL)
    if (sscanf(line, "read_bytes: %" SCNu64, &bytes) == 1) break;
  fclose(io);
  return bytes;
}

static int open_unchanged(const char *path, uint64_t size, uint64_t modified) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat facts;
  if (fd < 0) return -1;
  if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && (uint64_t)facts.st_size == size &&
      (uint64_t)facts.st_mtim.tv_sec * 1000000000u + (uint64_t)facts.st_mtim.tv_nsec == modified)
    return fd;
  close(fd);
  return -1;
}

/* False when the budget is used up. */
static bool ahead(int fd, uint64_t from, uint64_t length, struct totals *totals) {
  for (uint64_t at = from; at < from + length; at += CHUNK) {
    const uint64_t rest = from + length - at;
    const uint64_t size = rest < CHUNK ? rest : CHUNK;
    if (totals->asked + size > totals->budget) return false;
    if (readahead(fd, (off_t)at, (size_t)size) != 0) return true; /* not on this file system: the next file */
    totals->asked += size;
  }
  return true;
}

static void read_all(const char *list, size_t length, struct totals *totals) {
  const char *last = "";
  int fd = -1;
  for (const char *entry = list; entry < list + length; entry += strlen(entry) + 1) {
    uint64_t from, size, whole, modified;
    int at = 0;
    if (sscanf(entry, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &from, &size, &whole, &modified, &at) != 4)
      continue;
    if (strcmp(entry + at, last) != 0) {
      if (fd >= 0) close(fd);
      last = entry + at;
      fd = open_unchanged(last, whole, modified);
      totals->files += fd >= 0;
      totals->stale += fd < 0;
    }
    if (fd >= 0 && !ahead(fd, from, size, totals)) break;
  }
  if (fd >= 0) close(fd);
}

/* linux/ioprio.h: one process, ourselves, class idle. */
static void leave_disk_to_others(void) { (void)syscall(SYS_ioprio_set, 1, 0, 3 << 13); }

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: bootcut-read-ahead LIST BYTES [idle]\n");
    return 2;
  }
  size_t length = 0;
  char *const list = read_list(argv[1], &length);
  if (list == NULL) return 1;
  if (argc > 3 && strcmp(argv[3], "idle") == 0) leave_disk_to_others();
  struct totals totals = {.budget = strtoull(argv[2], NULL, 10)};
  const uint64_t before = read_bytes();
  read_all(list, length, &totals);
  printf("{\"files\": %u, \"stale\": %u, \"asked\": %" PRIu64 ", \"read\": %" PRIu64 "}\n", totals.files, totals.stale,
         totals.asked, read_bytes() - before);
  free(list);
  return 0;
}
