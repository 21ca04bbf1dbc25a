#include "command.h"

#include <stdlib.h>
#include <string.h>

static char **append(char **list, size_t *count, char *item) {
  char **const more = realloc(list, (*count + 2) * sizeof *more);
  if (more == NULL) out_of_memory();
  more[*count] = item;
  *count += 1;
  more[*count] = NULL;
  return more;
}

bool read_order(struct order *order, struct view message) {
  *order = (struct order){.mask = 022};
  order->env = calloc(1, sizeof *order->env);
  if (order->env == NULL) out_of_memory();
  while (message.length > 0) {
    uint8_t kind;
    struct view value;
    if (!take_field(&message, &kind, &value)) return false;
    char *text = NULL;
    if (kind == START_ARG || kind == START_ENV || kind == START_CWD || kind == START_FILE) {
      text = text_of(value);
      if (text == NULL) return false;
    }
    if (kind == START_ARG) order->args = append(order->args, &order->arg_count, text);
    else if (kind == START_ENV) order->env = append(order->env, &order->env_count, text);
    else if (kind == START_CWD) order->cwd = text;
    else if (kind == START_FILE) order->file = text;
    else if (kind == START_STDIO && value.length == 3) memcpy(order->stdio, value.at, 3);
    else if (kind == START_SIZE) order->size = value;
    else if (kind == START_MODES) order->modes = value;
    else if (kind == START_LOGIN) order->login = true;
    else if (kind == START_UMASK && !take_u32(&value, &order->mask)) return false;
    else if (kind == START_IGNORED && !take_u64(&value, &order->ignored)) return false;
  }
  return order->arg_count > (order->login ? 1 : 0);
}

void free_order(struct order *order) {
  for (size_t index = 0; index < order->arg_count; index += 1) free(order->args[index]);
  for (size_t index = 0; index < order->env_count; index += 1) free(order->env[index]);
  free(order->args);
  free(order->env);
  free(order->cwd);
  free(order->file);
}
