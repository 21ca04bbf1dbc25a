/*
 * Feeds bytes to everything that reads the daemon's: frames, fields, plans, and the lists made from a plan. What must
 * hold: no read out of bounds, no leak of a half-made list, and every item of a made list is one of the caller's own or
 * text from the frame. With libFuzzer (clang) this is the target; without, `main` below mutates good plans for the
 * given seconds.
 */
#include "../plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The caller's side of it. */
static char *const given_args[] = {(char[]){"run"}, (char[]){"--"}, (char[]){"echo"}, (char[]){"asked"}, NULL};
static char *const given_env[] = {(char[]){"PATH=/bin:/usr/bin"}, (char[]){"A=1"}, (char[]){"odd"}, (char[]){"A=2"},
                                  NULL};
enum { GIVEN = 4 };

static void demand(bool holds, const char *what) {
  if (holds) return;
  (void)fprintf(stderr, "broken: %s\n", what);
  abort();
}

static bool is_given(const char *item, char *const *list) {
  for (; *list != NULL; list += 1)
    if (item == *list) return true;
  return false;
}

/* Frees what was made for a list, counts its items. */
static size_t take_apart(char **list, char *const *given) {
  size_t count = 0;
  for (; list[count] != NULL; count += 1) {
    demand(strlen(list[count]) <= FRAME_LIMIT, "an item is longer than a frame");
    if (!is_given(list[count], given)) free(list[count]);
  }
  free(list);
  return count;
}

static void use_plan(const struct plan *plan) {
  char **args = planned_args(plan, given_args);
  char **env = planned_env(plan, given_env);
  demand(args != NULL && env != NULL, "there is memory");
  demand(take_apart(args, given_args) == plan->arg_count, "the argument list has as many items as were counted");
  /* A variable that is set and then unset is not freed by the launcher, which has one plan in its life: it leaks here.
   */
  demand(take_apart(env, given_env) <= GIVEN + plan->env_edits, "the environment is no longer than was reckoned");
  (void)is_observed(plan, (struct view){(const unsigned char *)"==> line", 8});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  /* A copy without a byte to spare, so that the sanitizer sees one read too many. */
  unsigned char *copy = malloc(size == 0 ? 1 : size);
  demand(copy != NULL, "there is memory");
  if (size > 0) memcpy(copy, data, size);
  struct view stream = {copy, size};
  struct frame frame;
  while (first_frame(stream, &frame) == FRAME_WHOLE) {
    struct plan plan;
    if (frame.type == FRAME_PLAN && read_plan(frame.payload, GIVEN, &plan)) use_plan(&plan);
    stream.at += frame.whole;
    stream.length -= frame.whole;
  }
  /* And as a payload by itself: a fuzzer finds its way into a plan sooner. */
  struct plan plan;
  if (read_plan((struct view){copy, size}, GIVEN, &plan)) use_plan(&plan);
  free(copy);
  return 0;
}

#if !defined(WITH_LIBFUZZER)
#include "../system.h"

/* xorshift64: the same numbers for the same seed. */
static uint64_t random_state;
static uint64_t random_below(uint64_t below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % below;
}

static void put_good_plan(struct bytes *bytes) {
  static const unsigned char keep[] = {0, 0, 0, 2, 0, 0, 0, 4};
  static const char *const texts[] = {"01TEST",    "echo",       "A=b",  "PATH=/x", "A",
                                      "/bin/true", "a notice\n", "==> ", "\xc3\xbc"};
  const size_t began = begin_frame(bytes, FRAME_PLAN);
  put_field(bytes, PLAN_LAUNCH_ID, "01TEST", 6);
  for (uint64_t fields = random_below(8); fields > 0; fields -= 1) {
    const unsigned char tag = (unsigned char)(1 + random_below(11));
    const char *text = texts[random_below(sizeof texts / sizeof *texts)];
    if (tag == PLAN_KEEP) put_field(bytes, tag, keep, sizeof keep);
    else put_field(bytes, tag, text, strlen(text));
  }
  end_frame(bytes, began);
}

int main(int argc, char **argv) {
  const uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
  random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 88172645463325252u;
  const uint64_t end = now() + seconds * 1000000000u;
  uint64_t runs = 0;
  for (; now() < end; runs += 1) {
    struct bytes bytes = {0};
    put_good_plan(&bytes);
    if (random_below(4) == 0) put_good_plan(&bytes);
    for (uint64_t changes = random_below(6); changes > 0; changes -= 1) {
      const uint64_t at = random_below(bytes.length);
      bytes.at[at] = random_below(2) == 0 ? (unsigned char)random_below(256)
                                          : (unsigned char)(bytes.at[at] ^ (1u << random_below(8)));
    }
    const size_t length = random_below(8) == 0 ? (size_t)random_below(bytes.length + 1) : bytes.length;
    (void)LLVMFuzzerTestOneInput(bytes.at, length);
    /* The payload alone, too. */
    if (length > 5) (void)LLVMFuzzerTestOneInput(bytes.at + 5, length - 5);
    free(bytes.at);
  }
  (void)printf("%llu plans, nothing broken\n", (unsigned long long)runs);
  return 0;
}
#endif
