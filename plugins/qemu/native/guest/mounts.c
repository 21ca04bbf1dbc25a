#include "guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * access=any: one identity for the whole mount, the caller's, whose process on the host does the work. msize: the most
 * that QEMU's queue takes; the kernel lowers it to what fits. A project is written by the host at the same time, so
 * nothing of it is kept here (mmap: but for what is mapped at this moment); the system's directories stand still.
 */
static const char WRITABLE[] = "trans=virtio,version=9p2000.L,msize=524288,access=any,cache=mmap";
static const char READ_ONLY[] = "trans=virtio,version=9p2000.L,msize=524288,access=any,cache=loose";

/* Where the layers of overlays are while they are put together; nothing of it is seen later. */
static const char LAYERS[] = "/.layers";

const char *cause_of(const char *what, const char *about, int error) {
  static char text[512];
  (void)snprintf(text, sizeof text, "%s %s: %s", what, about, strerror(error));
  return text;
}

static bool is_below(const char *path, const char *directory) {
  const size_t length = strlen(directory);
  return length > 1 && strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool make_directories(const char *path, const struct user *owner) {
  char part[4096];
  const size_t length = strlen(path);
  if (length >= sizeof part) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (size_t at = 1; at <= length; at += 1) {
    if (path[at] != '/' && path[at] != '\0') continue;
    memcpy(part, path, at);
    part[at] = '\0';
    if (mkdir(part, 0755) == 0) {
      if (owner != NULL && is_below(part, owner->home)) (void)lchown(part, owner->uid, owner->gid);
    } else if (errno != EEXIST) {
      return false;
    }
  }
  return true;
}

/* What is mounted, so that a second CONFIG (a standby is handed over) adds only what is new. */
struct mounted {
  char *tag, *path;
  bool writable;
  dev_t device;
  struct mounted *next;
};
static struct mounted *mounted;

static bool is_mounted(const struct share *share) {
  for (const struct mounted *item = mounted; item != NULL; item = item->next)
    if (strcmp(item->tag, share->tag) == 0 && strcmp(item->path, share->path) == 0) return true;
  return false;
}

static void note_mounted(const struct share *share) {
  struct mounted *const item = malloc(sizeof *item);
  char *const tag = strdup(share->tag);
  char *const path = strdup(share->path);
  if (item == NULL || tag == NULL || path == NULL) out_of_memory();
  struct stat of = {0};
  if (stat(path, &of) != 0) log_line(path, strerror(errno));
  *item = (struct mounted){.tag = tag, .path = path, .writable = share->writable, .device = of.st_dev, .next = mounted};
  mounted = item;
}

bool is_on_share(dev_t device) {
  for (const struct mounted *item = mounted; item != NULL; item = item->next)
    if (item->writable && item->device == device) return true;
  return false;
}

static bool join(char *to, size_t room, const char *directory, const char *kind, const char *tag) {
  return snprintf(to, room, "%s/%s-%s", directory, kind, tag) < (int)room;
}

/* The share below, a layer of the guest's memory above it: whatever the guest changes there is thrown away. */
static const char *mount_overlay(const struct share *share) {
  char lower[128], upper[128], work[128], data[512];
  if (!join(lower, sizeof lower, LAYERS, "lower", share->tag) ||
      !join(upper, sizeof upper, LAYERS, "upper", share->tag) || !join(work, sizeof work, LAYERS, "work", share->tag))
    return cause_of("mount", share->tag, ENAMETOOLONG);
  (void)mkdir(lower, 0755);
  if (mount(share->tag, lower, "9p", MS_RDONLY | MS_NODEV, READ_ONLY) != 0)
    return cause_of("the guest cannot mount the share", share->tag, errno);
  struct stat of;
  (void)mkdir(upper, 0755);
  (void)mkdir(work, 0755);
  /* The merged directory shows the mode and owner of the upper one. */
  if (stat(lower, &of) == 0) {
    (void)chmod(upper, of.st_mode & 07777);
    (void)chown(upper, of.st_uid, of.st_gid);
  }
  (void)snprintf(data, sizeof data, "lowerdir=%s,upperdir=%s,workdir=%s", lower, upper, work);
  const bool done = mount("overlay", share->path, "overlay", MS_NODEV, data) == 0;
  const int error = errno;
  (void)umount2(lower, MNT_DETACH); /* the overlay holds it */
  (void)rmdir(lower);
  return done ? NULL : cause_of("the guest cannot lay an overlay over", share->path, error == ENODEV ? ENOSYS : error);
}

static const char *mount_share(const struct share *share, const struct user *owner) {
  if (!make_directories(share->path, owner)) return cause_of("the guest cannot make the directory", share->path, errno);
  if (!share->writable) return mount_overlay(share);
  if (mount(share->tag, share->path, "9p", MS_NOSUID | MS_NODEV, WRITABLE) == 0) return NULL;
  return cause_of("the guest cannot mount the share", share->tag, errno);
}

const char *mount_shares(const struct share *shares, size_t count, const struct user *owner) {
  bool layers = false;
  const char *cause = NULL;
  for (size_t index = 0; index < count && cause == NULL; index += 1) {
    if (is_mounted(&shares[index])) continue;
    if (!layers && !shares[index].writable) {
      (void)mkdir(LAYERS, 0700);
      layers = mount("tmpfs", LAYERS, "tmpfs", MS_NODEV, "mode=0700") == 0;
      if (!layers) return cause_of("the guest cannot mount", LAYERS, errno);
    }
    cause = mount_share(&shares[index], owner);
    if (cause == NULL) note_mounted(&shares[index]);
  }
  if (layers) (void)umount2(LAYERS, MNT_DETACH);
  (void)rmdir(LAYERS);
  return cause;
}
