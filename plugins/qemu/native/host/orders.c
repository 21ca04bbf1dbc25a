#include "host.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* What a command finds itself with when the caller names nothing else. */
static const char PATH[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* 64: twice what the guest's generator takes in at once. */
enum { ENTROPY = 64, MACHINE_ID = 16 };

static void put_text(struct bytes *to, uint8_t kind, const char *text) { put_field(to, kind, text, strlen(text)); }

static void take_random(unsigned char *to, size_t length) {
  for (size_t taken = 0; taken < length;) {
    const ssize_t got = getrandom(to + taken, length - taken, 0);
    if (got > 0) taken += (size_t)got;
    else if (got < 0 && errno != EINTR) abort(); /* cannot be, and to go on without would be worse */
  }
}

static void put_machine_id(struct bytes *message) {
  unsigned char random[MACHINE_ID];
  char text[2 * MACHINE_ID + 1];
  take_random(random, sizeof random);
  for (size_t index = 0; index < MACHINE_ID; index += 1) (void)snprintf(text + 2 * index, 3, "%02x", random[index]);
  put_text(message, CONFIG_MACHINE_ID, text);
}

static void put_clock(struct bytes *message) {
  unsigned char value[8];
  const uint64_t moment = clock_now(CLOCK_REALTIME);
  for (size_t index = 0; index < sizeof value; index += 1) value[index] = (unsigned char)(moment >> (8 * index));
  put_field(message, CONFIG_CLOCK, value, sizeof value);
}

static bool is_copied(const struct options *options, const char *share) {
  for (size_t index = 0; index < options->copied.count; index += 1) {
    const size_t length = strlen(options->copied.at[index]);
    if (strncmp(share, options->copied.at[index], length) == 0 && share[length] == '=') return true;
  }
  return false;
}

/* What every launch of a template's has in common: said when it is made, the guest need not do it at the hand-over. */
static void put_common(struct bytes *message, const struct options *options) {
  for (size_t index = 0; index < options->shares.count; index += 1)
    if (is_copied(options, options->shares.at[index])) put_text(message, CONFIG_COPY, options->shares.at[index]);
  for (size_t index = 0; index < options->hot.count; index += 1)
    put_text(message, CONFIG_HOT, options->hot.at[index]);
  if (options->user != NULL) put_text(message, CONFIG_USER, options->user);
  for (size_t index = 0; index < options->links.count; index += 1)
    put_text(message, CONFIG_LINK, options->links.at[index]);
}

static void put_rest(struct bytes *message, const struct options *options, bool seats) {
  put_machine_id(message);
  if (options->hostname != NULL) put_text(message, CONFIG_HOSTNAME, options->hostname);
  if (options->user != NULL) put_text(message, CONFIG_USER, options->user);
  for (size_t index = 0; index < options->shares.count; index += 1)
    put_text(message, CONFIG_SHARE, options->shares.at[index]);
  for (size_t index = 0; index < options->links.count; index += 1)
    put_text(message, CONFIG_LINK, options->links.at[index]);
  if (options->net) put_field(message, CONFIG_NET, NULL, 0);
  if (seats) put_field(message, CONFIG_SEATS, NULL, 0);
}

void put_config(struct bytes *to, const struct options *options, enum origin origin) {
  struct bytes message = {0};
  unsigned char entropy[ENTROPY];
  take_random(entropy, sizeof entropy);
  put_field(&message, CONFIG_ENTROPY, entropy, sizeof entropy); /* these two first: see the guest's configure.c */
  put_clock(&message);
  if (origin == ORIGIN_RECORDED) put_common(&message, options);
  else put_rest(&message, options, has_seats(options, origin));
  put_message(to, FRAME_CONFIG, bytes_view(&message));
  bytes_free(&message);
}
static bool same_name(const char *one, const char *other) {
  const size_t length = strcspn(one, "=");
  return strncmp(one, other, length) == 0 && other[length] == '=';
}

/* A later one of the same name takes the place of an earlier one. */
static void set(struct texts *env, const char *item) {
  for (size_t index = 0; index < env->count; index += 1) {
    if (!same_name(item, env->at[index])) continue;
    env->at[index] = (char *)(uintptr_t)item;
    return;
  }
  add_text(env, item);
}

static void set_from_ours(struct texts *env, const char *name) {
  const size_t length = strlen(name);
  for (char **item = environ; *item != NULL; item += 1)
    if (strncmp(*item, name, length) == 0 && (*item)[length] == '=') set(env, *item);
}

static char *joined(const char *name, const char *value) {
  char *text = NULL;
  if (asprintf(&text, "%s=%s", name, value) < 0) out_of_memory();
  return text;
}

static struct texts compose_env(const struct options *options, const struct texts *added, bool terminal) {
  struct texts env = {0};
  set(&env, PATH);
  if (options->user != NULL) {
    set(&env, joined("HOME", options->identity.home));
    set(&env, joined("USER", options->identity.name));
    set(&env, joined("LOGNAME", options->identity.name));
  }
  if (terminal) set_from_ours(&env, "TERM");
  for (size_t index = 0; index < options->env.count; index += 1) {
    const char *const item = options->env.at[index];
    if (strchr(item, '=') != NULL) set(&env, item);
    else set_from_ours(&env, item);
  }
  for (size_t index = 0; added != NULL && index < added->count; index += 1) set(&env, added->at[index]);
  return env;
}

static const char *login_shell(void) {
  const char *const shell = getenv("SHELL");
  return shell != NULL && shell[0] == '/' ? shell : "/bin/sh";
}

static void put_login(struct bytes *message) {
  const char *const shell = login_shell();
  char *name = NULL;
  if (asprintf(&name, "-%s", strrchr(shell, '/') + 1) < 0) out_of_memory();
  put_text(message, START_ARG, shell);
  put_text(message, START_ARG, name);
  put_field(message, START_LOGIN, NULL, 0);
  free(name);
}

static void put_terminal(struct bytes *message, bool raw) {
  struct bytes size = terminal_size(), modes = terminal_modes(raw);
  put_field(message, START_SIZE, size.at, size.length);
  put_field(message, START_MODES, modes.at, modes.length);
  bytes_free(&size);
  bytes_free(&modes);
}

static void put_file(struct bytes *message, const struct options *options, const struct texts *env) {
  for (size_t index = 0; index < env->count; index += 1) {
    if (strncmp(env->at[index], "PATH=", 5) != 0) continue;
    char *const file = find_command(options, options->command[0], env->at[index] + 5);
    if (file != NULL) put_text(message, START_FILE, file);
    free(file);
  }
}

void put_start(struct bytes *to, const struct options *options, const struct circumstances *circumstances, bool raw) {
  struct bytes message = {0};
  unsigned char kinds[3];
  bool terminal = false;
  for (int fd = 0; fd < 3; fd += 1) {
    kinds[fd] = (unsigned char)stdio_kind_of(fd);
    terminal = terminal || kinds[fd] == STDIO_TERMINAL;
  }
  for (size_t index = 0; index < options->command_count; index += 1)
    put_text(&message, START_ARG, options->command[index]);
  if (options->command_count == 0) put_login(&message);
  struct texts env = compose_env(options, circumstances->added, terminal);
  for (size_t index = 0; index < env.count; index += 1) put_text(&message, START_ENV, env.at[index]);
  if (options->command_count > 0 && circumstances->fresh) put_file(&message, options, &env);
  free(env.at);
  if (options->cwd != NULL) put_text(&message, START_CWD, options->cwd);
  put_field(&message, START_STDIO, kinds, sizeof kinds);
  if (terminal) put_terminal(&message, raw);
  const mode_t mask = umask(022);
  (void)umask(mask);
  struct bytes number = {0};
  put_u32(&number, (uint32_t)mask);
  put_field(&message, START_UMASK, number.at, number.length);
  number.length = 0;
  put_u64(&number, circumstances->ignored);
  put_field(&message, START_IGNORED, number.at, number.length);
  bytes_free(&number);
  put_message(to, FRAME_START, bytes_view(&message));
  bytes_free(&message);
}

/* One that is nowhere, so that every directory of PATH is known; then one of its own, which maps what each does. */
static const char WARM[] = "bootcut-nothing; /usr/bin/env true";

void put_warm_start(struct bytes *to, const struct options *options) {
  const char *const words[] = {"/bin/sh", "-c", options->warm == NULL ? WARM : options->warm};
  static const unsigned char kinds[] = {STDIO_NULL, STDIO_PIPE, STDIO_PIPE};
  struct bytes message = {0};
  for (size_t index = 0; index < sizeof words / sizeof *words; index += 1) put_text(&message, START_ARG, words[index]);
  struct texts env = compose_env(options, NULL, false);
  for (size_t index = 0; index < env.count; index += 1) put_text(&message, START_ENV, env.at[index]);
  free(env.at);
  put_field(&message, START_STDIO, kinds, sizeof kinds);
  put_message(to, FRAME_START, bytes_view(&message));
  bytes_free(&message);
}
