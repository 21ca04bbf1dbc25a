/*
 * Prints how fast the time stamp counter runs, in kHz: its count over 60 ms of the raw monotonic clock. Each end is the
 * closest of many readings, so that being put aside by the scheduler in between costs nothing of the accuracy.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

enum { TRIES = 200 };

struct moment {
  uint64_t count, nanoseconds;
};

static uint64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A clock reading with the counter right before and right after it; the pair that lies closest together wins. */
static struct moment read_both(void) {
  struct moment best = {0, 0};
  uint64_t width = UINT64_MAX;
  for (int try = 0; try < TRIES; try += 1) {
    unsigned processor;
    const uint64_t before = __rdtscp(&processor);
    const uint64_t nanoseconds = clock_now();
    const uint64_t after = __rdtscp(&processor);
    if (after - before >= width) continue;
    width = after - before;
    best = (struct moment){before + width / 2, nanoseconds};
  }
  return best;
}

int main(void) {
  const struct moment start = read_both();
  const struct timespec pause = {0, 60 * 1000 * 1000};
  nanosleep(&pause, NULL);
  const struct moment end = read_both();
  const uint64_t elapsed = end.nanoseconds - start.nanoseconds;
  if (elapsed == 0 || end.count <= start.count) return 1;
  /* count / ns * 1,000,000, rounded; 60 ms of a 5 GHz counter times a million still fits 64 bits. */
  return printf("%llu\n", (unsigned long long)(((end.count - start.count) * 1000000u + elapsed / 2) / elapsed)) > 0 ? 0 : 1;
}
