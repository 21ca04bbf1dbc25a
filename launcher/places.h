/* Where things are: our installation, and the daemon's socket (the rules of src/config/directories.ts). */
#ifndef BOOTCUT_PLACES_H
#define BOOTCUT_PLACES_H

#include "system.h"

/* Longest path made here; longer ones are left to the Node front, which has no such limit. */
enum { PATH_ROOM = 4096 };

/* The directory with `bootcut` and `run.js` in it, from our own place in `launcher/` beside it. */
bool find_bin(const char *own_name, char bin[PATH_ROOM]);

/* Joins two parts of a path; false when it gets too long. */
bool join_path(char path[PATH_ROOM], const char *directory, const char *name);

/* Which build this installation is, as `dist/build-id` has it; false when it does not say. */
enum { BUILD_ROOM = 128 };
bool read_build(const char *bin, char build[BUILD_ROOM]);

/*
 * The daemon's socket for our environment, only in the plain cases in which a daemon may be there: the directories
 * exist, are ours and closed to others. False for everything else; the Node front then makes, mends or passes over
 * directories.
 */
bool find_socket(char path[PATH_ROOM]);

#endif
