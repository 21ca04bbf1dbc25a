#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* From linux/random.h, which is not among musl's headers. */
static const unsigned long ADD_ENTROPY = _IOW('R', 0x03, int[2]);
static const unsigned long RESEED = _IO('R', 0x07);

/* QEMU's user network: the guest's address, the gateway, the name server. */
static const uint32_t NET_ADDRESS = 0x0a00020f, NET_MASK = 0xffffff00, NET_GATEWAY = 0x0a000202;

/* What two guests of one template have in common ends here: their generators go on from the host's bytes. */
static const char *add_entropy(struct view entropy) {
  struct {
    int bits, length;
    unsigned char bytes[512];
  } pool = {.bits = 0, .length = 0};
  if (entropy.length > sizeof pool.bytes) return "the entropy is longer than expected";
  memcpy(pool.bytes, entropy.at, entropy.length);
  pool.length = (int)entropy.length;
  pool.bits = (int)entropy.length * 8;
  /* Stays open: a guest that is restored need not look for it. */
  static int fd = -1;
  if (fd < 0 && (fd = open("/dev/urandom", O_RDWR | O_CLOEXEC)) < 0) return cause_of("open", "/dev/urandom", errno);
  const bool added = control(fd, ADD_ENTROPY, &pool) == 0 && control(fd, RESEED, NULL) == 0;
  return added ? NULL : cause_of("seed", "the random generator", errno);
}

static const char *set_clock(struct view value) {
  uint64_t nanoseconds;
  if (!take_u64(&value, &nanoseconds)) return "the clock is not a number";
  const struct timespec moment = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
                                  .tv_nsec = (long)(nanoseconds % 1000000000u)};
  return clock_settime(CLOCK_REALTIME, &moment) == 0 ? NULL : cause_of("set", "the clock", errno);
}

static struct sockaddr_in internet(uint32_t address) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(address)}};
}

static bool raise_interface(int fd, const char *name) {
  struct ifreq request = {0};
  (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  if (control(fd, SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags |= IFF_UP | IFF_RUNNING;
  return control(fd, SIOCSIFFLAGS, &request) == 0;
}

static bool set_address(int fd, const char *name, unsigned long what, uint32_t address) {
  struct ifreq request = {0};
  (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  const struct sockaddr_in value = internet(address);
  memcpy(&request.ifr_addr, &value, sizeof value);
  return control(fd, what, &request) == 0;
}

static const char *bring_up_network(void) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return cause_of("open", "a socket", errno);
  struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
  const struct sockaddr_in any = internet(0), gateway = internet(NET_GATEWAY);
  memcpy(&route.rt_dst, &any, sizeof any);
  memcpy(&route.rt_genmask, &any, sizeof any);
  memcpy(&route.rt_gateway, &gateway, sizeof gateway);
  const bool up = set_address(fd, "eth0", SIOCSIFADDR, NET_ADDRESS) &&
                  set_address(fd, "eth0", SIOCSIFNETMASK, NET_MASK) && raise_interface(fd, "eth0") &&
                  (control(fd, SIOCADDRT, &route) == 0 || errno == EEXIST);
  const int error = errno;
  close(fd);
  if (!up) return cause_of("bring up", "the network", error);
  write_etc("/etc/resolv.conf", "nameserver 10.0.2.3\n", 0644);
  return NULL;
}

static void bring_up_loopback(void) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  (void)raise_interface(fd, "lo");
  close(fd);
}

static bool is_named(const struct user *user) {
  char line[512], start[32];
  FILE *const file = fopen("/etc/passwd", "re");
  if (file == NULL) return false;
  (void)snprintf(start, sizeof start, ":%u:", (unsigned)user->uid);
  bool known = false;
  while (!known && fgets(line, sizeof line, file) != NULL) {
    const char *const second = strchr(line, ':');
    const char *const third = second == NULL ? NULL : strchr(second + 1, ':');
    known = third != NULL && strncmp(third, start, strlen(start)) == 0;
  }
  (void)fclose(file);
  return known;
}

/* A number without a name is a stranger to git, ssh and every prompt. */
static void name_user(const struct user *user) {
  if (is_named(user)) return;
  FILE *const file = fopen("/etc/passwd", "ae");
  if (file == NULL) return;
  (void)fprintf(file, "%s:x:%u:%u::%s:/bin/sh\n", user->name, (unsigned)user->uid, (unsigned)user->gid, user->home);
  (void)fclose(file);
}

static const char *settle_user(struct guest *guest, const char *text) {
  const struct user *const user = &guest->user;
  char path[64];
  if (guest->settled != NULL && strcmp(guest->settled, text) == 0) return NULL;
  if (!make_directories(user->home, user)) return cause_of("make", user->home, errno);
  (void)chmod(user->home, 0755);
  (void)snprintf(path, sizeof path, "/run/user/%u", (unsigned)user->uid);
  if (make_directories(path, NULL)) {
    (void)chown(path, user->uid, user->gid);
    (void)chmod(path, 0700);
  }
  name_user(user);
  guest->settled = text;
  return NULL;
}

/* The parts of a CONFIG message that are acted upon together. */
struct config {
  char *hostname, *machine_id, *user;
  struct share *shares, *copies;
  size_t share_count, copy_count;
  struct item *hot;
  size_t hot_count;
  struct root_link *links;
  size_t link_count;
  bool network;
};

static void *grown(void *list, size_t count, size_t size) {
  void *const more = realloc(list, (count + 1) * size);
  if (more == NULL) out_of_memory();
  return more;
}

static const char *note_text(struct guest *guest, struct config *config, uint8_t kind, char *text) {
  switch (kind) {
    case CONFIG_HOSTNAME:
      config->hostname = text;
      return NULL;
    case CONFIG_MACHINE_ID:
      config->machine_id = text;
      return NULL;
    case CONFIG_SHARE:
      config->shares = grown(config->shares, config->share_count, sizeof *config->shares);
      return parse_share(text, &config->shares[config->share_count++]) ? NULL : "a share makes no sense";
    case CONFIG_COPY:
      config->copies = grown(config->copies, config->copy_count, sizeof *config->copies);
      return parse_share(text, &config->copies[config->copy_count++]) ? NULL : "a share makes no sense";
    case CONFIG_HOT:
      config->hot = grown(config->hot, config->hot_count, sizeof *config->hot);
      return parse_item(text, &config->hot[config->hot_count++]) ? NULL : "a file to keep makes no sense";
    case CONFIG_LINK:
      config->links = grown(config->links, config->link_count, sizeof *config->links);
      return parse_link(text, &config->links[config->link_count++]) ? NULL : "a link makes no sense";
    case CONFIG_USER:
      config->user = text;
      return parse_user(text, &guest->user) ? NULL : "the user makes no sense";
    case CONFIG_SEATS:
      guest->has_seats = true;
      return NULL;
    default:
      config->network = config->network || kind == CONFIG_NET;
      return NULL;
  }
}

/* Randomness and clock come first in the message, and are used as they come: before anything is run or read. */
static const char *read_config(struct guest *guest, struct config *config, struct view message) {
  const char *cause = NULL;
  while (cause == NULL && message.length > 0) {
    uint8_t kind;
    struct view value;
    if (!take_field(&message, &kind, &value)) return "the configuration is not whole";
    if (kind == CONFIG_ENTROPY) cause = add_entropy(value);
    else if (kind == CONFIG_CLOCK) cause = set_clock(value);
    else {
      char *const text = text_of(value);
      cause = text == NULL ? "the configuration has a zero byte" : note_text(guest, config, kind, text);
    }
  }
  return cause;
}

/* As long as what comes in their place, or nearly so. */
static void prepare_names(void) {
  prepare_hosts();
  prepare_etc("/etc/hostname", "localhost\n", 0644);
  prepare_etc("/etc/machine-id", "00000000000000000000000000000000\n", 0444);
}

static const char *apply(struct guest *guest, const struct config *config) {
  const struct user *const owner = guest->user.home != NULL ? &guest->user : NULL;
  copy_shares(config->copies, config->copy_count);
  if (config->copy_count > 0) prepare_names();
  heat_shares(config->hot, config->hot_count);
  const char *cause = mount_shares(config->shares, config->share_count, owner);
  if (cause != NULL) return cause;
  for (size_t index = 0; index < config->link_count; index += 1) {
    char path[260];
    if (join_texts(path, sizeof path, "/", config->links[index].name, NULL))
      (void)symlink(config->links[index].target, path); /* one that is there stays */
  }
  if (config->hostname != NULL) {
    if (sethostname(config->hostname, strlen(config->hostname)) != 0) return cause_of("set", "the host name", errno);
    char line[80];
    (void)join_texts(line, sizeof line, config->hostname, "\n", NULL);
    write_etc("/etc/hostname", line, 0644);
    name_host(config->hostname);
  }
  if (config->machine_id != NULL) {
    char line[80];
    (void)join_texts(line, sizeof line, config->machine_id, "\n", NULL);
    write_etc("/etc/machine-id", line, 0444);
  }
  if (config->user != NULL && (cause = settle_user(guest, config->user)) != NULL) return cause;
  if (!guest->is_looped) bring_up_loopback();
  guest->is_looped = true;
  if (!config->network || guest->has_network) return NULL;
  cause = bring_up_network();
  guest->has_network = cause == NULL;
  return cause;
}

const char *configure(struct guest *guest, struct view message) {
  struct config config = {0};
  const char *const cause = read_config(guest, &config, message);
  return cause == NULL ? apply(guest, &config) : cause;
}
