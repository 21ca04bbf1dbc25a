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
static const char WRITABLE[] = "trans=virtio,version=9p2000.L,msize=512000,access=any,cache=mmap";
static const char READ_ONLY[] = "trans=virtio,version=9p2000.L,msize=512000,access=any,cache=loose";

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

/* There from the first use until the shares of a launch are mounted, which may be in another life of the machine. */
static bool layers;

static const char *make_layers(void) {
  if (layers) return NULL;
  (void)mkdir(LAYERS, 0700);
  layers = mount("tmpfs", LAYERS, "tmpfs", MS_NODEV, "mode=0700") == 0;
  return layers ? NULL : cause_of("the guest cannot mount", LAYERS, errno);
}

/* What has them mounted holds them; nobody else finds them. */
static void hide_layers(void) {
  if (!layers) return;
  (void)umount2(LAYERS, MNT_DETACH);
  (void)rmdir(LAYERS);
  layers = false;
}

/*
 * The share below, a layer of the guest's memory above it: whatever the guest changes there is thrown away. Between them
 * may be a layer of copies.
 */
static const char *mount_overlay(const struct share *share) {
  char lower[128], upper[128], work[128], hot[128], data[600];
  if (!join(lower, sizeof lower, LAYERS, "lower", share->tag) ||
      !join(upper, sizeof upper, LAYERS, "upper", share->tag) ||
      !join(work, sizeof work, LAYERS, "work", share->tag) || !join(hot, sizeof hot, LAYERS, "hot", share->tag))
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
  const bool is_hot = access(hot, F_OK) == 0;
  (void)snprintf(data, sizeof data, "lowerdir=%s%s%s,upperdir=%s,workdir=%s", is_hot ? hot : "", is_hot ? ":" : "",
                 lower, upper, work);
  const bool done = mount("overlay", share->path, "overlay", MS_NODEV, data) == 0;
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
  const char *cause = NULL;
  for (size_t index = 0; index < count && cause == NULL; index += 1) {
    if (is_mounted(&shares[index])) continue;
    if (!shares[index].writable) cause = make_layers();
    if (cause == NULL) cause = mount_share(&shares[index], owner);
    if (cause == NULL) note_mounted(&shares[index]);
  }
  if (count > 0) hide_layers();
  return cause;
}

/* A share for a moment: a machine that has one mounted cannot be saved. */
static const char *visit_share(const char *tag) {
  static char place[128];
  if (make_layers() != NULL || !join(place, sizeof place, LAYERS, "lower", tag)) return NULL;
  (void)mkdir(place, 0755);
  return mount(tag, place, "9p", MS_RDONLY | MS_NODEV, READ_ONLY) == 0 ? place : NULL;
}

static void leave_share(const char *place) {
  if (umount2(place, 0) != 0) log_line(place, strerror(errno));
}

/* One that cannot be copied is mounted like the others later, over what there is of it. */
void copy_shares(const struct share *shares, size_t count) {
  for (size_t index = 0; index < count; index += 1) {
    const struct share *const share = &shares[index];
    if (is_mounted(share) || !make_directories(share->path, NULL)) continue;
    const char *const place = visit_share(share->tag);
    const bool copied = place != NULL && copy_tree(place, share->path);
    if (!copied) log_line("not copied", cause_of("copy", share->path, errno));
    if (place != NULL) leave_share(place);
    if (copied) note_mounted(share);
  }
}

/* What cannot be copied is read from the share later. */
static void heat_share(const char *place, const char *tag, const struct item *items, size_t count) {
  char hot[128];
  if (!join(hot, sizeof hot, LAYERS, "hot", tag)) return;
  (void)mkdir(hot, 0755);
  for (size_t index = 0; index < count; index += 1)
    if (strcmp(items[index].tag, tag) == 0 && !copy_path(place, hot, items[index].path) && errno != EEXIST)
      log_line("not copied", cause_of("copy", items[index].path, errno));
}

void heat_shares(const struct item *items, size_t count) {
  for (size_t index = 0; index < count; index += 1) {
    const char *const tag = items[index].tag;
    size_t first = 0;
    while (strcmp(items[first].tag, tag) != 0) first += 1;
    if (first < index) continue; /* done, with the first of this share */
    const char *const place = visit_share(tag);
    if (place == NULL) continue;
    heat_share(place, tag, items, count);
    leave_share(place);
  }
}
