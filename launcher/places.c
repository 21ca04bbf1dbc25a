#include "places.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* What directories.ts keeps free behind a socket's path for the name it is made under. */
enum { TEMPORARY_SOCKET_EXTRA = 13 };
enum { SOCKET_PATH_LIMIT = sizeof((struct sockaddr_un *)0)->sun_path - 1 };

bool join_path(char path[PATH_ROOM], const char *directory, const char *name) {
  size_t length = strlen(directory);
  while (length > 1 && directory[length - 1] == '/') length -= 1;
  const char *separator = length == 1 && directory[0] == '/' ? "" : "/";
  const int written = snprintf(path, PATH_ROOM, "%.*s%s%s", (int)length, directory, separator, name);
  return length < PATH_ROOM && written > 0 && written < PATH_ROOM;
}

bool find_bin(const char *own_name, char bin[PATH_ROOM]) {
  char own[PATH_ROOM];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length > 0 && (size_t)length < sizeof own - 1) {
    own[length] = '\0';
  } else {
    /* Not Linux: the name we were called by, if it is a path. */
    if (own_name == NULL || strchr(own_name, '/') == NULL || strlen(own_name) >= sizeof own) return false;
    memcpy(own, own_name, strlen(own_name) + 1);
  }
  char *slash = strrchr(own, '/');
  if (slash == NULL) return false;
  *slash = '\0';
  return join_path(bin, own, "../bin");
}

bool read_build(const char *bin, char build[BUILD_ROOM]) {
  char path[PATH_ROOM];
  if (!join_path(path, bin, "../dist/build-id")) return false;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t length = read(fd, build, BUILD_ROOM);
  close(fd);
  if (length <= 0 || length == BUILD_ROOM) return false; /* longer than any build's name */
  build[length] = '\0';
  build[strcspn(build, "\r\n")] = '\0';
  return build[0] != '\0';
}

/* A directory of ours, closed to everybody else, that can be used as it is. */
static bool is_private(const char *path) {
  struct stat stat_;
  return stat(path, &stat_) == 0 && S_ISDIR(stat_.st_mode) && stat_.st_uid == geteuid() &&
         (stat_.st_mode & 0077) == 0 && access(path, W_OK | X_OK) == 0;
}

/* `XDG_RUNTIME_DIR` counts only when it is ours and nobody else can write there; else it is passed over. */
static const char *runtime_directory(void) {
  const char *path = getenv("XDG_RUNTIME_DIR");
  struct stat stat_;
  if (path == NULL || path[0] != '/' || stat(path, &stat_) != 0) return NULL;
  return S_ISDIR(stat_.st_mode) && stat_.st_uid == geteuid() && (stat_.st_mode & 0022) == 0 &&
                 access(path, W_OK | X_OK) == 0
             ? path
             : NULL;
}

/* The first candidate decides: where it will not do, it is not for us to look for the next. */
static bool state_candidate(char path[PATH_ROOM]) {
  const char *own = getenv("BOOTCUT_STATE_DIR");
  if (own != NULL && own[0] != '\0') return own[0] == '/' && join_path(path, own, ".");
  const char *xdg = getenv("XDG_STATE_HOME");
  if (xdg != NULL && xdg[0] != '\0') return xdg[0] == '/' && join_path(path, xdg, "bootcut");
  const char *home = getenv("HOME");
  if (home == NULL || home[0] != '/') {
    const struct passwd *account = getpwuid(geteuid());
    home = account == NULL ? NULL : account->pw_dir;
  }
  return home != NULL && home[0] == '/' && join_path(path, home, ".local/state/bootcut");
}

/* 64-bit FNV-1a; the parameters as its authors publish them (src/config/name-hash.ts). */
static void socket_name(char name[32], const char *directory) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char *byte = (const unsigned char *)directory; *byte != '\0'; byte += 1)
    hash = (hash ^ *byte) * 0x100000001b3u;
  (void)snprintf(name, 32, "%016llx.sock", (unsigned long long)hash); /* 21 characters, always */
}

/* A socket in this directory, where its name is not too long for one. */
static bool socket_in(char path[PATH_ROOM], const char *directory, const char *name) {
  return join_path(path, directory, name) && strlen(path) + TEMPORARY_SOCKET_EXTRA <= SOCKET_PATH_LIMIT;
}

bool find_socket(char path[PATH_ROOM]) {
  _Static_assert(PATH_ROOM >= PATH_MAX, "realpath writes up to PATH_MAX bytes");
  char candidate[PATH_ROOM], state[PATH_ROOM], directory[PATH_ROOM], name[32];
  if (!state_candidate(candidate) || !is_private(candidate)) return false;
  if (realpath(candidate, state) == NULL) return false;
  socket_name(name, state);

  const char *runtime = runtime_directory();
  if (runtime != NULL && join_path(directory, runtime, "bootcut") && socket_in(path, directory, name))
    return is_private(directory);
  if (join_path(directory, state, "run") && socket_in(path, directory, name)) return is_private(directory);

  char temporary[64];
  struct stat stat_;
  (void)snprintf(temporary, sizeof temporary, "/tmp/bootcut-%llu", (unsigned long long)geteuid());
  if (lstat(temporary, &stat_) != 0 || S_ISLNK(stat_.st_mode) || !is_private(temporary)) return false;
  return join_path(directory, temporary, "run") && is_private(directory) && socket_in(path, directory, name);
}
