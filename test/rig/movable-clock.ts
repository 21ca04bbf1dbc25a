import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';

/** Answers everything that asks for the time of day with an offset, in seconds, that is read from a file at every call. */
const source = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
  char text[32] = {0};
  const char *path = getenv("MOVED_CLOCK");
  int fd = path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  long length = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  return length > 0 ? strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset();
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *where) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (where != NULL) *where = now.tv_sec;
  return now.tv_sec;
}
`;

/** A wall clock that a test moves, for the processes that are started with its `env`. Everybody else keeps the machine's. */
export class MovableClock {
  readonly env: Readonly<Record<string, string>>;
  /** Holds the offset in seconds; a target may move the clock itself by writing into it. */
  readonly file: string;

  /** Throws where there is no C compiler: the tests' set-up installs one. */
  constructor(directory: string) {
    this.file = join(directory, 'clock-offset');
    const [code, library] = [join(directory, 'clock.c'), join(directory, 'clock.so')];
    writeFileSync(code, source);
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, code]);
    this.env = {LD_PRELOAD: library, MOVED_CLOCK: this.file};
  }

  /** Sets the clock to the machine's and this many seconds. */
  set(seconds: number): void {
    writeFileSync(this.file, `${seconds}`);
  }
}
