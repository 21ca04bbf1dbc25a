#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char MODULES[] = "/modules/";
static const char ROOT[] = "/new";

static bool load_module(const char *name) {
  char path[256];
  if (snprintf(path, sizeof path, "%s%s.ko", MODULES, name) >= (int)sizeof path) return false;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool loaded = fd >= 0 && (syscall(SYS_finit_module, fd, "", 0) == 0 || errno == EEXIST);
  if (!loaded) log_line(path, strerror(errno));
  if (fd >= 0) close(fd);
  (void)unlink(path); /* its memory is the guest's again */
  return loaded;
}

bool load_modules(void) {
  char list[4096];
  const int fd = open("/modules/order", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true; /* a kernel that has everything built in */
  const ssize_t length = read(fd, list, sizeof list - 1);
  close(fd);
  if (length < 0) return false;
  list[length] = '\0';
  bool all = true;
  char *rest = list;
  for (char *name = strsep(&rest, "\n"); name != NULL; name = strsep(&rest, "\n"))
    if (name[0] != '\0') all = load_module(name) && all;
  return all;
}

static bool mount_new(const char *type, const char *name, unsigned long flags, const char *data) {
  char path[64];
  (void)snprintf(path, sizeof path, "%s%s", ROOT, name);
  (void)mkdir(path, 0755);
  if (mount(type, path, type, flags, data) == 0) return true;
  log_line(path, strerror(errno));
  return false;
}

static void make_directory(const char *name, mode_t mode) {
  char path[64];
  (void)snprintf(path, sizeof path, "%s%s", ROOT, name);
  (void)mkdir(path, mode);
  (void)chmod(path, mode); /* whatever the umask */
}

static void link_device(const char *name, const char *target) {
  char path[64];
  (void)snprintf(path, sizeof path, "%s/dev/%s", ROOT, name);
  (void)symlink(target, path);
}

bool make_root(void) {
  const unsigned long plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  umask(022);
  (void)mkdir(ROOT, 0755);
  if (!mount_new("tmpfs", "", 0, "mode=0755") || !mount_new("devtmpfs", "/dev", MS_NOSUID, "mode=0755") ||
      !mount_new("proc", "/proc", plain, NULL))
    return false;
  (void)mount_new("sysfs", "/sys", plain | MS_RDONLY, NULL); /* what needs it, the kernel may not have either */
  if (!mount_new("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "mode=0620,gid=5,ptmxmode=0666")) return false;
  if (!mount_new("tmpfs", "/dev/shm", MS_NODEV, "mode=0700") || !hold_layers("/new/dev/shm") ||
      !mount_new("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777"))
    return false;
  link_device("fd", "/proc/self/fd");
  link_device("stdin", "/proc/self/fd/0");
  link_device("stdout", "/proc/self/fd/1");
  link_device("stderr", "/proc/self/fd/2");
  make_directory("/tmp", 01777);
  make_directory("/run", 0755);
  make_directory("/run/lock", 01777);
  make_directory("/var", 0755);
  make_directory("/var/tmp", 01777);
  make_directory("/root", 0700);
  make_directory("/mnt", 0755);
  make_directory("/etc", 0755);
  /* The initramfs cannot be unmounted; it is covered, as switch_root does, and its files are gone before that. */
  (void)unlink("/init");
  (void)unlink("/modules/order");
  return chdir(ROOT) == 0 && mount(".", "/", NULL, MS_MOVE, NULL) == 0 && chroot(".") == 0 && chdir("/") == 0;
}

/* `/dev/vport<device>p<port>`; the device's number depends on what else the machine has, and it is the only one. */
static int look_for_port(int index) {
  DIR *const directory = opendir("/dev");
  if (directory == NULL) return -1;
  int fd = -1;
  for (const struct dirent *item; fd < 0 && (item = readdir(directory)) != NULL;) {
    unsigned device;
    int port;
    char path[300];
    if (sscanf(item->d_name, "vport%up%d", &device, &port) != 2 || port != index + 1) continue;
    (void)snprintf(path, sizeof path, "/dev/%s", item->d_name);
    fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  closedir(directory);
  return fd;
}

int open_port(int index, bool wait) {
  int fd = look_for_port(index);
  if (fd >= 0 || !wait) return fd;
  /* The port comes when its device has answered the driver; the directory tells. */
  const int watch = inotify_init1(IN_CLOEXEC);
  if (watch < 0 || inotify_add_watch(watch, "/dev", IN_CREATE) < 0) return -1;
  while ((fd = look_for_port(index)) < 0) {
    char events[4096];
    if (read(watch, events, sizeof events) < 0 && errno != EINTR) break;
  }
  close(watch);
  return fd;
}
