/* A copy of a directory of the host's in the guest's memory, which needs no share from then on. */
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than a guest's /etc has (2 MiB); what is larger is better left on the host. Bytes, and directories in one another. */
enum { LARGEST = 32 * 1024 * 1024, DEEPEST = 32 };

struct copying {
  uint64_t bytes;
  int depth;
};

static bool copy_bytes(struct copying *copying, int from, int to) {
  char part[65536];
  for (;;) {
    const ssize_t length = read(from, part, sizeof part);
    if (length <= 0) return length == 0;
    copying->bytes += (uint64_t)length;
    if (copying->bytes > LARGEST) {
      errno = EFBIG;
      return false;
    }
    if (!write_all(to, part, (size_t)length)) return false;
  }
}

/* As it was: whose it is, who may read it, how old it is. */
static bool like(int to, const struct stat *of) {
  const struct timespec times[] = {of->st_atim, of->st_mtim};
  return fchown(to, of->st_uid, of->st_gid) == 0 && fchmod(to, of->st_mode & 07777) == 0 && futimens(to, times) == 0;
}

static bool copy_file(struct copying *copying, int from, int to, const char *name, const struct stat *of) {
  const int source = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const int target = source < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool done = target >= 0 && copy_bytes(copying, source, target) && like(target, of);
  const int error = errno;
  if (source >= 0) close(source);
  if (target >= 0) close(target);
  errno = error;
  return done;
}

static bool copy_link(int from, int to, const char *name, const struct stat *of) {
  char target[4096];
  const ssize_t length = readlinkat(from, name, target, sizeof target - 1);
  if (length < 0) return false;
  target[length] = '\0';
  return symlinkat(target, to, name) == 0 && fchownat(to, name, of->st_uid, of->st_gid, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool copy_directory(struct copying *copying, int from, int to);

static bool copy_item(struct copying *copying, int from, int to, const char *name) {
  struct stat of;
  if (fstatat(from, name, &of, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISREG(of.st_mode)) return copy_file(copying, from, to, name, &of);
  if (S_ISLNK(of.st_mode)) return copy_link(from, to, name, &of);
  if (!S_ISDIR(of.st_mode)) return true; /* a socket or device of the host's is of no use here */
  if (mkdirat(to, name, 0700) != 0) return false;
  const int source = openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  const int target = openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  const bool done = source >= 0 && target >= 0 && copy_directory(copying, source, target) && like(target, &of);
  const int error = errno;
  if (source >= 0) close(source);
  if (target >= 0) close(target);
  errno = error;
  return done;
}

static bool copy_directory(struct copying *copying, int from, int to) {
  const int again = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *const directory = again < 0 ? NULL : fdopendir(again);
  if (directory == NULL) return false;
  bool done = ++copying->depth <= DEEPEST;
  if (!done) errno = ELOOP;
  for (const struct dirent *item; done && (errno = 0, item = readdir(directory)) != NULL;)
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
      done = copy_item(copying, from, to, item->d_name);
  const int error = errno;
  copying->depth -= 1;
  closedir(directory);
  errno = error;
  return done && error == 0;
}

bool copy_tree(const char *from, const char *to) {
  struct copying copying = {0};
  struct stat of;
  const int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int target = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = source >= 0 && target >= 0 && fstat(source, &of) == 0 &&
                    copy_directory(&copying, source, target) && like(target, &of);
  const int error = errno;
  if (source >= 0) close(source);
  if (target >= 0) close(target);
  errno = error;
  return done;
}

/* One directory deeper on both sides; the one that is made looks like its original. */
static bool step(int *source, int *target, const char *name) {
  struct stat of;
  if (mkdirat(*target, name, 0700) != 0 && errno != EEXIST) return false;
  const int from = openat(*source, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  const int to = openat(*target, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  const bool done = from >= 0 && to >= 0 && fstat(from, &of) == 0 && like(to, &of);
  const int error = errno;
  close(*source);
  close(*target);
  *source = from;
  *target = to;
  errno = error;
  return done;
}

bool copy_path(const char *from, const char *to, const char *path) {
  struct copying copying = {0};
  char *const names = strdup(path);
  if (names == NULL) out_of_memory();
  int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int target = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool done = source >= 0 && target >= 0;
  char *rest = names, *name = strsep(&rest, "/");
  for (; done && rest != NULL; name = strsep(&rest, "/")) done = step(&source, &target, name);
  done = done && copy_item(&copying, source, target, name);
  const int error = errno;
  if (source >= 0) close(source);
  if (target >= 0) close(target);
  free(names);
  errno = error;
  return done;
}
