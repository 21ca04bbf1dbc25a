#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *from, size_t length) {
  char *const text = strndup(from, length);
  if (text == NULL) out_of_memory();
  return text;
}

/* No part of it leads upwards: the guest makes directories along it. */
static bool is_plain_path(const char *path, size_t length) {
  if (length == 0 || path[0] != '/') return false;
  for (size_t at = 0; at + 2 < length; at += 1)
    if (memcmp(path + at, "/..", 3) == 0 && (at + 3 == length || path[at + 3] == '/')) return false;
  return true;
}

bool parse_share(const char *text, struct share *share) {
  const char *const equals = strchr(text, '=');
  const char *const comma = strrchr(text, ',');
  if (equals == NULL || equals == text || comma == NULL || comma < equals) return false;
  if (strcmp(comma, ",ro") != 0 && strcmp(comma, ",rw") != 0) return false;
  if (!is_plain_path(equals + 1, (size_t)(comma - equals) - 1) || strcspn(text, "/,") < (size_t)(equals - text))
    return false;
  share->tag = copy(text, (size_t)(equals - text));
  share->path = copy(equals + 1, (size_t)(comma - equals) - 1);
  share->writable = comma[2] == 'w';
  return true;
}

bool parse_item(const char *text, struct item *item) {
  const char *const equals = strchr(text, '=');
  if (equals == NULL || equals == text || strcspn(text, "/,") < (size_t)(equals - text)) return false;
  char *path = NULL;
  if (asprintf(&path, "/%s", equals + 1) < 0) out_of_memory();
  const bool plain = path[1] != '\0' && path[1] != '/' && is_plain_path(path, strlen(path));
  if (plain) {
    item->tag = copy(text, (size_t)(equals - text));
    item->path = copy(equals + 1, strlen(equals + 1));
  }
  free(path);
  return plain;
}

bool parse_link(const char *text, struct root_link *link) {
  const char *const equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') return false;
  const char *const name = text[0] == '/' ? text + 1 : text;
  const size_t length = (size_t)(equals - name);
  if (length == 0 || memchr(name, '/', length) != NULL || name[0] == '.') return false;
  link->name = copy(name, length);
  link->target = copy(equals + 1, strlen(equals + 1));
  return true;
}

bool parse_user(const char *text, struct user *user) {
  uint64_t uid, gid;
  const char *rest = read_number(text, ':', UINT32_MAX - 1, &uid);
  if (rest == NULL) return false;
  rest = read_number(rest, ':', UINT32_MAX - 1, &gid);
  if (rest == NULL) return false;
  const char *const colon = strchr(rest, ':');
  if (colon == NULL || colon == rest || !is_plain_path(colon + 1, strlen(colon + 1))) return false;
  user->uid = (uint32_t)uid;
  user->gid = (uint32_t)gid;
  user->name = copy(rest, (size_t)(colon - rest));
  user->home = copy(colon + 1, strlen(colon + 1));
  return true;
}
