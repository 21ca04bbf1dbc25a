#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of QEMU's own words, so much is shown; all of them are in the log. */
enum { SHOWN = 4096 };

/*
 * What QEMU says before it gives up, and what that means. Never an advice that opens /dev/kvm to everyone. The first
 * that fits counts: the particular stands before the general.
 */
static const struct {
  const char *said, *cause;
} known[] = {
    {"Could not access KVM kernel module: Permission denied",
     "this user may not use /dev/kvm; `usermod -aG kvm USER` as root and a new login give the right"},
    {"Could not access KVM kernel module: No such file or directory",
     "there is no /dev/kvm: the machine has no hardware virtualization, or it is switched off (firmware, or the host "
     "of "
     "this VM)"},
    {"Could not access KVM kernel module", "/dev/kvm is there and does not work: its module is not in use"},
    {"failed to set MSR", "KVM refuses a register of this processor model (MSR); another `-cpu` avoids it"},
    {"ioctl(KVM_CREATE_VM) failed: 16", "KVM is in use by another hypervisor"},
    {"ioctl(KVM_CREATE_VM) failed", "KVM is there and creates no VM"},
    {"failed to initialize kvm", "KVM cannot be used"},
    {"KVM not supported", "this QEMU has no KVM"},
    {"invalid accelerator", "this QEMU has not got the accelerator"},
    {"unsupported machine type",
     "this QEMU has not got the machine type; a QEMU for this architecture with `microvm` is needed"},
    {"is not a valid device model name", "this QEMU lacks a device that the guest needs"},
    {"unable to find CPU model", "this QEMU does not know the processor model"},
    {"Cannot allocate memory", "there is not enough memory for the VM; a smaller `--memory` may do"},
    {"cannot set up guest memory", "there is not enough memory for the VM; a smaller `--memory` may do"},
    {"could not load kernel", "the kernel's file cannot be read, or it is no kernel"},
    {"could not open kernel", "the kernel's file cannot be read"},
    {"Error while loading elf kernel", "the kernel's file is not whole"},
    {"could not load initrd", "the initramfs' file cannot be read"},
    {"could not load PVH image", "the kernel's file is no kernel that this machine can start"},
    {"Error loading uncompressed kernel without PVH ELF Note",
     "the kernel's file is no kernel that this machine can start"},
    {"No space left on device", "the disk is full"},
    {"cannot initialize fsdev", "a folder that the guest is to see is not there"},
    {"invalid option", "this QEMU does not know one of its options"},
    {"error while loading shared libraries", "QEMU's installation is not whole"},
};

const char *known_cause(const struct said *words) {
  for (size_t index = 0; index < sizeof known / sizeof *known; index += 1) {
    char *const line = said_line(words, known[index].said);
    free(line);
    if (line != NULL) return known[index].cause;
  }
  return NULL;
}

static char *text(const char *first, const char *second) {
  char *joined = NULL;
  if (asprintf(&joined, "%s%s", first, second) < 0) out_of_memory();
  return joined;
}

/* What the guest's kernel said last, without its time stamp. */
static char *panic_of(const struct said *console) {
  char *const line = said_line(console, "Kernel panic");
  if (line == NULL) return NULL;
  return text("the guest's kernel gave up: ", strstr(line, "Kernel panic"));
}

static char *ending_of(const struct machine *machine) {
  if (!machine->ended) return text("the VM is of no use any more", "");
  char number[64];
  /* Its memory is a file then, and a page of it found no room. */
  if (WIFSIGNALED(machine->status) && WTERMSIG(machine->status) == SIGBUS && machine->origin == ORIGIN_RECORDED)
    return text("the disk is full: the VM's memory cannot be saved", "");
  if (WIFSIGNALED(machine->status)) {
    (void)snprintf(number, sizeof number, "%d (%s)", WTERMSIG(machine->status), strsignal(WTERMSIG(machine->status)));
    return text(WTERMSIG(machine->status) == SIGABRT ? "QEMU gave up by signal " : "the VM was ended by signal ",
                number);
  }
  if (WEXITSTATUS(machine->status) == 0) return text("the guest switched itself off before the command had ended", "");
  (void)snprintf(number, sizeof number, "%d", WEXITSTATUS(machine->status));
  return text("QEMU ended with status ", number);
}

static char *cause_of(const struct machine *machine, const char *failure) {
  char *const panic = panic_of(&machine->console);
  if (panic != NULL) return panic;
  const char *const cause = known_cause(&machine->words);
  if (cause != NULL) return text(cause, "");
  return failure == NULL ? ending_of(machine) : text(failure, "");
}

static void show_words(const struct said *words) {
  struct view rest = bytes_view(&words->text);
  if (rest.length > SHOWN) {
    rest.at += rest.length - SHOWN;
    rest.length = SHOWN;
  }
  while (rest.length > 0 && rest.at[rest.length - 1] == '\n') rest.length -= 1;
  if (rest.length == 0) return;
  (void)write_all(STDERR_FILENO, rest.at, rest.length);
  (void)write_all(STDERR_FILENO, "\n", 1);
}

static bool write_said(int fd, const char *title, const struct said *said) {
  const struct view text = bytes_view(&said->text);
  if (!write_all(fd, title, strlen(title)) || !write_all(fd, text.at, text.length)) return false;
  return !said->cut || write_all(fd, "\n(what came before is cut off)\n", 31);
}

static void keep_log(const char *path, const struct machine *machine) {
  if (path == NULL || (machine->console.text.length == 0 && machine->words.text.length == 0)) return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  const bool kept =
      write_said(fd, "== QEMU ==\n", &machine->words) && write_said(fd, "\n== console ==\n", &machine->console);
  close(fd);
  if (kept) complain("the boot text is in", path);
}

int tell_failure(const struct options *options, const struct machine *machine, const char *failure) {
  char *const cause = cause_of(machine, failure);
  complain("qemu", cause);
  free(cause);
  show_words(&machine->words);
  keep_log(options->log, machine);
  if (failure == NULL && machine->ended && WIFSIGNALED(machine->status)) return 128 + WTERMSIG(machine->status);
  return failure == NULL && machine->ended && WEXITSTATUS(machine->status) == 128 + SIGABRT ? 128 + SIGABRT
                                                                                            : OWN_FAILURE;
}
