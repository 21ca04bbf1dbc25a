#include "options.h"

#include "host.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void add_text(struct texts *texts, const char *text) {
  char **const more = realloc(texts->at, (texts->count + 2) * sizeof *more);
  if (more == NULL) out_of_memory();
  more[texts->count++] = (char *)(uintptr_t)text; /* exec's lists are not const for reasons of C alone */
  more[texts->count] = NULL;
  texts->at = more;
}

static bool read_verb(const char *word, enum verb *verb) {
  static const char *const verbs[] = {"run", "keep"};
  for (size_t index = 0; word != NULL && index < sizeof verbs / sizeof *verbs; index += 1) {
    *verb = (enum verb)index;
    if (strcmp(word, verbs[index]) == 0) return true;
  }
  complain("vm", "the first argument is run or keep");
  return false;
}

static bool read_limit(const char *value, uint64_t *number) {
  return read_number(value, '\0', INT_MAX, number) != NULL;
}

static bool add_share(struct options *options, const char *value) {
  struct share share;
  add_text(&options->shares, value);
  return parse_share(value, &share);
}

static bool add_item(struct options *options, const char *value) {
  struct item item;
  add_text(&options->hot, value);
  return parse_item(value, &item);
}

static bool add_link(struct options *options, const char *value) {
  struct root_link link;
  add_text(&options->links, value);
  return parse_link(value, &link);
}

static bool set_user(struct options *options, const char *value) {
  options->user = value;
  return parse_user(value, &options->identity);
}

static bool set_form(struct options *options, const char *value) {
  options->form = strcmp(value, "saved") == 0 ? FORM_SAVED : FORM_PAUSED;
  return options->form == FORM_SAVED || strcmp(value, "paused") == 0;
}

/* False when there is no such option, or its value makes no sense. */
static bool read_option(struct options *options, const char *name, const char *value) {
  uint64_t number;
  const struct {
    const char *name;
    const char **to;
  } plain[] = {
      {"--cwd", &options->cwd},
      {"--hostname", &options->hostname},
      {"--late", &options->late},
      {"--timeline", &options->timeline},
      {"--log", &options->log},
      {"--socket", &options->socket},
      {"--template", &options->template_directory},
      {"--attachable", &options->attachable},
      {"--warm", &options->warm},
  };
  for (size_t index = 0; index < sizeof plain / sizeof *plain; index += 1) {
    if (strcmp(name, plain[index].name) != 0) continue;
    *plain[index].to = value;
    return true;
  }
  if (strcmp(name, "--share") == 0) return add_share(options, value);
  if (strcmp(name, "--copied") == 0) return add_text(&options->copied, value), true;
  if (strcmp(name, "--hot") == 0) return add_item(options, value);
  if (strcmp(name, "--link") == 0) return add_link(options, value);
  if (strcmp(name, "--user") == 0) return set_user(options, value);
  if (strcmp(name, "--env") == 0) return add_text(&options->env, value), true;
  if (strcmp(name, "--standby") == 0) return add_text(&options->standbys, value), true;
  if (strcmp(name, "--boot-limit") == 0) return read_limit(value, &options->boot_limit);
  if (strcmp(name, "--late-limit") == 0) return read_limit(value, &options->late_limit);
  if (strcmp(name, "--linger") == 0) return strcmp(value, "none") == 0;
  if (strcmp(name, "--form") == 0) return set_form(options, value);
  if (strcmp(name, "--ready-fd") != 0 || !read_limit(value, &number)) return false;
  options->ready_fd = (int)number;
  return true;
}

/* `--qemu PROGRAM ARGS… --end-qemu`: takes them out of the arguments at `at`, returns where they go on. */
static size_t read_qemu(struct options *options, size_t count, char **args, size_t at) {
  size_t end = at;
  while (end < count && strcmp(args[end], "--end-qemu") != 0) end += 1;
  if (end == count || end == at) return 0;
  options->qemu = args + at;
  options->qemu_count = end - at;
  args[end] = NULL;
  return end + 1;
}

bool read_options(struct options *options, int argc, char **argv) {
  *options = (struct options){.boot_limit = 60000, .late_limit = 4000, .ready_fd = -1};
  if (!read_verb(argc > 1 ? argv[1] : NULL, &options->verb)) return false;
  const size_t count = (size_t)argc;
  uint64_t skipped = 0;
  size_t at = 2;
  while (at < count && strcmp(argv[at], "--") != 0) {
    const char *const name = argv[at++];
    if (strcmp(name, "--qemu") == 0) {
      at = read_qemu(options, count, argv, at);
      if (at == 0) return complain("--qemu", "its arguments end with --end-qemu"), false;
      continue;
    }
    if (strcmp(name, "--net") == 0) {
      options->net = true;
      continue;
    }
    const char *const value = at < count ? argv[at++] : NULL;
    const bool known = value != NULL &&
                       (strcmp(name, "--skip") == 0 ? read_limit(value, &skipped) : read_option(options, name, value));
    if (!known)
      return complain(name, value == NULL ? "it has no value" : "the option or its value makes no sense"), false;
  }
  /* Past the `--`, and past the verb and the flags that somebody has understood already. */
  at = at < count ? at + 1 : count;
  at = skipped < count - at ? at + (size_t)skipped : count;
  options->command = argv + at;
  options->command_count = count - at;
  if (options->verb == VERB_KEEP && options->form == FORM_SAVED && options->template_directory == NULL)
    return complain("keep", "the saved form needs --template"), false;
  if (options->verb == VERB_KEEP && options->form == FORM_PAUSED && options->socket == NULL)
    return complain("keep", "the paused form needs --socket"), false;
  const char *const standby = getenv("BOOTCUT_STANDBY"); /* the launch's plan says so */
  if (options->verb == VERB_RUN && standby != NULL && standby[0] != '\0') add_text(&options->standbys, standby);
  if (options->qemu == NULL) return complain("vm", "there is no --qemu"), false;
  return true;
}
