#include "guest.h"

#include <errno.h>
#include <fcntl.h>
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
static const char WRITABLE[] = "trans=virtio,version=9p2000.L,msize=512000,access=any,cache=mmap";
static const char READ_ONLY[] = "trans=virtio,version=9p2000.L,msize=512000,access=any,cache=loose";

/* Where a share is looked into that will not stay. */
static const char VISITED[] = "visited";

/* The directory with the layers of overlays; paths below it are relative, and we are in it while they are put together. */
static int layers = -1;

bool hold_layers(const char *directory) {
  layers = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return layers >= 0;
}

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
  if (share->writable && stat(path, &of) != 0) log_line(path, strerror(errno));
  *item = (struct mounted){.tag = tag, .path = path, .writable = share->writable, .device = of.st_dev, .next = mounted};
  mounted = item;
}

bool is_on_share(dev_t device) {
  for (const struct mounted *item = mounted; item != NULL; item = item->next)
    if (item->writable && item->device == device) return true;
  return false;
}

static bool layer(char *to, size_t room, const char *kind, const char *tag) {
  return join_texts(to, room, kind, "-", tag, NULL);
}

static const char *enter_layers(void) {
  return fchdir(layers) == 0 ? NULL : cause_of("the guest cannot enter", "its layers", errno);
}

static void leave_layers(void) { (void)chdir("/"); }

/* Where changes go. The merged directory shows the mode and owner of this one. */
static bool make_upper(const char *upper, const char *lower) {
  struct stat of, now;
  (void)mkdir(upper, 0755);
  if (stat(lower, &of) != 0 || stat(upper, &now) != 0) return false;
  if (now.st_uid != of.st_uid || now.st_gid != of.st_gid) (void)chown(upper, of.st_uid, of.st_gid);
  if ((now.st_mode & 07777) != (of.st_mode & 07777)) (void)chmod(upper, of.st_mode & 07777);
  return true;
}

/* The layers that are ours; in a template long before there is a share to put them on. */
static bool make_layers(const char *tag, const char *lower) {
  char upper[128], work[128];
  if (!layer(upper, sizeof upper, "upper", tag) || !layer(work, sizeof work, "work", tag)) return false;
  (void)mkdir(work, 0755);
  return make_upper(upper, lower);
}

/* A name for a path that can stand in a list of layers: itself, or a link. */
static const char *listed(const struct share *share, char *link, size_t room) {
  if (strlen(share->path) < 256 && strpbrk(share->path, ",:\\") == NULL) return share->path;
  if (!layer(link, room, "lower", share->tag)) return NULL;
  (void)symlink(share->path, link);
  return link;
}

/*
 * The share below, a layer of the guest's memory above it: whatever the guest changes there is thrown away. Between them
 * may be a layer of copies. Both are mounted in one place, so that nothing of the share is to be seen elsewhere.
 */
static const char *mount_overlay(const struct share *share) {
  char link[128], hot[128], data[1024];
  if (mount(share->tag, share->path, "9p", MS_RDONLY | MS_NODEV, READ_ONLY) != 0)
    return cause_of("the guest cannot mount the share", share->tag, errno);
  const char *const lower = listed(share, link, sizeof link);
  if (lower == NULL || !layer(hot, sizeof hot, "hot", share->tag) || !make_layers(share->tag, share->path))
    return cause_of("the guest cannot make layers for", share->path, errno);
  struct stat of;
  const bool is_hot = stat(hot, &of) == 0;
  const bool done = join_texts(data, sizeof data, "lowerdir=", is_hot ? hot : "", is_hot ? ":" : "", lower,
                               ",upperdir=upper-", share->tag, ",workdir=work-", share->tag, NULL) &&
                    mount("overlay", share->path, "overlay", MS_NODEV, data) == 0;
  const int error = errno;
  return done ? NULL : cause_of("the guest cannot lay an overlay over", share->path, error == ENODEV ? ENOSYS : error);
}

static const char *mount_share(const struct share *share, const struct user *owner) {
  if (!make_directories(share->path, owner)) return cause_of("the guest cannot make the directory", share->path, errno);
  if (!share->writable) return mount_overlay(share);
  if (mount(share->tag, share->path, "9p", MS_NOSUID | MS_NODEV, WRITABLE) == 0) return NULL;
  return cause_of("the guest cannot mount the share", share->tag, errno);
}

const char *mount_shares(const struct share *shares, size_t count, const struct user *owner) {
  const char *cause = enter_layers();
  for (size_t index = 0; index < count && cause == NULL; index += 1) {
    if (is_mounted(&shares[index])) continue;
    cause = mount_share(&shares[index], owner);
    if (cause == NULL) note_mounted(&shares[index]);
  }
  leave_layers();
  return cause;
}

/* A share for a moment: a machine that has one mounted cannot be saved. */
static bool visit_share(const char *tag) {
  (void)mkdir(VISITED, 0755);
  return mount(tag, VISITED, "9p", MS_RDONLY | MS_NODEV, READ_ONLY) == 0;
}

static void leave_share(void) {
  if (umount2(VISITED, 0) != 0) log_line(VISITED, strerror(errno));
}

/* One that cannot be copied is mounted like the others later, over what there is of it. */
void copy_shares(const struct share *shares, size_t count) {
  if (count == 0 || enter_layers() != NULL) return;
  for (size_t index = 0; index < count; index += 1) {
    const struct share *const share = &shares[index];
    if (is_mounted(share) || !make_directories(share->path, NULL)) continue;
    const bool visited = visit_share(share->tag);
    const bool copied = visited && copy_tree(VISITED, share->path);
    if (!copied) log_line("not copied", cause_of("copy", share->path, errno));
    if (visited) leave_share();
    if (copied) note_mounted(share);
  }
  leave_layers();
}

/* What cannot be copied is read from the share later. */
static void heat_share(const char *tag, const struct item *items, size_t count) {
  char hot[128];
  if (!layer(hot, sizeof hot, "hot", tag)) return;
  (void)mkdir(hot, 0755);
  for (size_t index = 0; index < count; index += 1)
    if (strcmp(items[index].tag, tag) == 0 && !copy_path(VISITED, hot, items[index].path) && errno != EEXIST)
      log_line("not copied", cause_of("copy", items[index].path, errno));
}

void heat_shares(const struct item *items, size_t count) {
  if (count == 0 || enter_layers() != NULL) return;
  for (size_t index = 0; index < count; index += 1) {
    const char *const tag = items[index].tag;
    size_t first = 0;
    while (strcmp(items[first].tag, tag) != 0) first += 1;
    if (first < index || !visit_share(tag)) continue; /* done, with the first of this share */
    heat_share(tag, items, count);
    (void)make_layers(tag, VISITED);
    leave_share();
  }
  leave_layers();
}
