/* Texts of the command line that both programs read: the host refuses what makes no sense, the guest acts by it. */
#ifndef BOOTCUT_SHARED_OPTIONS_H
#define BOOTCUT_SHARED_OPTIONS_H

#include "base.h"

/* `TAG=GUESTPATH,ro|rw`; the path is absolute. */
struct share {
  char *tag, *path;
  bool writable;
};

/* `NAME=TARGET`: a symbolic link in the root directory. */
struct root_link {
  char *name, *target;
};

/* `TAG=PATH`: something in a share, relative to it. */
struct item {
  char *tag, *path;
};

/* `UID:GID:NAME:HOME`. */
struct user {
  uint32_t uid, gid;
  char *name, *home;
};

/* Each fills its strings with memory of its own; false when the text is not of that form. */
bool parse_share(const char *text, struct share *share);
bool parse_item(const char *text, struct item *item);
bool parse_link(const char *text, struct root_link *link);
bool parse_user(const char *text, struct user *user);

#endif
