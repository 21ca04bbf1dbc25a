/* Stands in front of a command on the target's PATH, under its name. */
#ifndef BOOTCUT_SHIM_H
#define BOOTCUT_SHIM_H

/* Has the step of this command run if it has not, then gives its place to the real command. Returns only an exit status. */
int run_shim(const char *own, char **args);

#endif
