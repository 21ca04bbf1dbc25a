/*
 * The agent's own memory. The C library's allocator asks the kernel for each size anew, gives back what is free for a
 * moment, and is 350 blocks of code, all of which a restored guest translates for a hand-over: two of a hundred of what it
 * translates until a command has written. This one has lists of blocks in sizes that double and keeps what it has; what is
 * large comes from the kernel and goes back to it. One thread, as the agent has.
 */
#include "guest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef __GLIBC__ /* whose programs expect more of an allocator than this */

/* Sizes with their heads: 32 bytes to 256 KiB, doubling. */
enum { SMALLEST = 5, LARGEST = 18, ARENA = 1 << 20 };

/* In front of what the caller has; keeps that aligned as any type wants. */
union head {
  struct {
    /* With the head. */
    size_t size;
    union head *next;
  } is;
  max_align_t aligned;
};

static union head *lists[LARGEST + 1];
static unsigned char *arena, *arena_end;

static void *from_kernel(size_t size) {
  void *const at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

/* What is left of the arena before is smaller than what was wanted, and lost. */
static union head *carve(size_t size) {
  if ((size_t)(arena_end - arena) < size) {
    unsigned char *const more = from_kernel(ARENA);
    if (more == NULL) return NULL;
    arena = more;
    arena_end = more + ARENA;
  }
  union head *const block = (union head *)(void *)arena;
  arena += size;
  return block;
}

static unsigned class_of(size_t size) {
  unsigned class = SMALLEST;
  while ((size_t)1 << class < size) class += 1;
  return class;
}

/* Not `malloc` itself: a compiler makes `calloc` of a call to that with a `memset` behind it. */
static void *take(size_t wanted) {
  const size_t size = wanted + sizeof(union head);
  union head *block;
  if (size < wanted) {
    errno = ENOMEM;
    return NULL;
  }
  if (size > (size_t)1 << LARGEST) {
    block = from_kernel(size);
    if (block != NULL) block->is.size = size;
  } else {
    const unsigned class = class_of(size);
    block = lists[class];
    if (block != NULL) lists[class] = block->is.next;
    else block = carve((size_t)1 << class);
    if (block != NULL) block->is.size = (size_t)1 << class;
  }
  return block == NULL ? NULL : block + 1;
}

void *malloc(size_t wanted) { return take(wanted); }

void free(void *pointer) {
  if (pointer == NULL) return;
  union head *const block = (union head *)pointer - 1;
  if (block->is.size > (size_t)1 << LARGEST) {
    (void)munmap(block, block->is.size);
    return;
  }
  const unsigned class = class_of(block->is.size);
  block->is.next = lists[class];
  lists[class] = block;
}

void *calloc(size_t count, size_t each) {
  if (each != 0 && count > SIZE_MAX / each) {
    errno = ENOMEM;
    return NULL;
  }
  void *const at = take(count * each);
  return at == NULL ? NULL : memset(at, 0, count * each);
}

void *realloc(void *pointer, size_t wanted) {
  if (pointer == NULL) return take(wanted);
  const size_t had = ((union head *)pointer - 1)->is.size - sizeof(union head);
  if (wanted <= had) return pointer;
  void *const at = take(wanted);
  if (at == NULL) return NULL;
  memcpy(at, pointer, had);
  free(pointer);
  return at;
}

#endif
