#include "host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const channels[] = {
    "-device",  "virtio-serial-device",
    "-chardev", "socket,id=bootcut.0,fd=3",
    "-device",  "virtserialport,chardev=bootcut.0,name=bootcut.0,nr=1",
    "-chardev", "socket,id=bootcut-monitor,fd=4",
    "-mon",     "chardev=bootcut-monitor,mode=control",
    "-chardev", "socket,id=bootcut-console,fd=5",
    "-serial",  "chardev:bootcut-console",
};

bool has_seats(const struct options *options, enum origin origin) {
  return origin == ORIGIN_BOOT && options->verb == VERB_RUN && options->attachable != NULL;
}

static void add_seats(struct texts *args) {
  for (int seat = 0; seat < SEATS; seat += 1) {
    char *channel = NULL, *device = NULL;
    if (asprintf(&channel, "socket,id=bootcut.%d,fd=%d", seat + 1, SEAT_FD + seat) < 0 ||
        asprintf(&device, "virtserialport,chardev=bootcut.%d,name=bootcut.%d,nr=%d", seat + 1, seat + 1, seat + 2) < 0)
      out_of_memory();
    add_text(args, "-chardev");
    add_text(args, channel);
    add_text(args, "-device");
    add_text(args, device);
  }
}

/* What a machine that goes on from a template does not need again. */
static bool is_of_boot(const char *word) {
  return strcmp(word, "-kernel") == 0 || strcmp(word, "-initrd") == 0 || strcmp(word, "-append") == 0;
}

/* The memory's size as an object wants it: `-m` counts in MiB where it names no unit. */
static char *memory_size(const struct options *options) {
  const char *value = "128";
  for (size_t index = 1; index + 1 < options->qemu_count; index += 1)
    if (strcmp(options->qemu[index], "-m") == 0) value = options->qemu[index + 1];
  if (strncmp(value, "size=", 5) == 0) value += 5;
  const size_t length = strcspn(value, ",");
  const bool plain = length > 0 && isdigit((unsigned char)value[length - 1]);
  char *size = NULL;
  if (asprintf(&size, "%.*s%s", (int)length, value, plain ? "M" : "") < 0) out_of_memory();
  return size;
}

/* A comma in a value is written twice. */
static char *escaped(const char *path) {
  char *const text = malloc(2 * strlen(path) + 1);
  if (text == NULL) out_of_memory();
  char *to = text;
  for (; *path != '\0'; path += 1) {
    if (*path == ',') *to++ = ',';
    *to++ = *path;
  }
  *to = '\0';
  return text;
}

/* While a template is made, its memory is a file without a name; one that goes on from it leaves the file as it is. */
static void add_memory(struct texts *args, const struct options *options, enum origin origin) {
  char *path = NULL, *object = NULL;
  const int length = origin == ORIGIN_RECORDED ? asprintf(&path, "/proc/self/fd/%d", FILE_FD)
                                               : asprintf(&path, "%s/memory", options->template_directory);
  if (length < 0) out_of_memory();
  if (asprintf(&object, "memory-backend-file,id=bootcut-memory,size=%s,mem-path=%s,share=%s", memory_size(options),
               escaped(path), origin == ORIGIN_RECORDED ? "on" : "off") < 0)
    out_of_memory();
  free(path);
  add_text(args, "-object");
  add_text(args, object);
  add_text(args, "-machine");
  add_text(args, "memory-backend=bootcut-memory");
}

struct texts compose_arguments(const struct options *options, enum origin origin) {
  struct texts args = {0};
  for (size_t index = 0; index < options->qemu_count; index += 1) {
    if (origin == ORIGIN_TEMPLATE && is_of_boot(options->qemu[index])) index += 1;
    else add_text(&args, options->qemu[index]);
  }
  for (size_t index = 0; index < sizeof channels / sizeof *channels; index += 1) add_text(&args, channels[index]);
  if (has_seats(options, origin)) add_seats(&args);
  if (origin == ORIGIN_RECORDED || origin == ORIGIN_TEMPLATE) add_memory(&args, options, origin);
  if (origin == ORIGIN_TEMPLATE) {
    add_text(&args, "-incoming");
    add_text(&args, "defer");
  }
  return args;
}
