/*
 * `bootcut-vm`: runs a command in a microVM.
 *
 *     bootcut-vm run [OPTIONS] [--skip N] --qemu PROGRAM ARGS… --end-qemu -- WORDS… COMMAND ARGS…
 *     bootcut-vm keep --socket PATH --form paused|saved --ready-fd FD [OPTIONS] --qemu PROGRAM ARGS… --end-qemu
 *
 * plugins/qemu/native/README.md describes the options. QEMU is our child and dies with us; the command's bytes, its
 * terminal and its signals go through one port of the guest, and the console's text into a log that nobody sees as
 * long as nothing goes wrong.
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void out_of_memory(void) {
  terminal_restore();
  complain("vm", "no memory for it");
  exit(OWN_FAILURE);
}

void complain(const char *about, const char *what) {
  char line[2048];
  const int length = snprintf(line, sizeof line, "bootcut: %s: %s%s", about, what, terminal_is_raw() ? "\r\n" : "\n");
  if (length > 0) (void)write_all(STDERR_FILENO, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

int main(int argc, char **argv) {
  static struct options options;
  stdio_note();
  terminal_note();
  if (!read_options(&options, argc, argv)) return OWN_FAILURE;
  timeline_open(options.timeline);
  return options.verb == VERB_KEEP ? keep(&options) : run(&options);
}
