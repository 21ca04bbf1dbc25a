#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* No list of the target's can be longer: its pointers alone would fill the 2 MiB that Linux hands to a program. */
enum { LIST_LIMIT = 1024 * 1024 };

/* The length of the character that begins here, or 0 where these bytes are no UTF-8 (RFC 3629, section 4). */
static size_t character_length(const unsigned char *at, size_t left) {
  const unsigned char first = at[0];
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || length > left) return 0;
  for (size_t index = 1; index < length; index += 1)
    if ((at[index] & 0xc0) != 0x80) return 0;
  const unsigned char second = at[1];
  if (first == 0xe0 && second < 0xa0) return 0; /* longer than need be */
  if (first == 0xed && second > 0x9f) return 0; /* half of a surrogate pair */
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0; /* beyond U+10FFFF */
  return length;
}

static bool is_utf8(struct view view) {
  for (size_t at = 0; at < view.length;) {
    const size_t length = character_length(view.at + at, view.length - at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/* Text for the system: UTF-8 without a zero byte. */
static bool is_text(struct view view) {
  return is_utf8(view) && (view.length == 0 || memchr(view.at, 0, view.length) == NULL);
}

/* Where the name in `NAME=value` ends; 0 when this is none. */
static size_t name_length(struct view assignment) {
  const unsigned char *equals = assignment.length == 0 ? NULL : memchr(assignment.at, '=', assignment.length);
  return equals == NULL ? 0 : (size_t)(equals - assignment.at);
}

/* Takes one field into the plan; false when it is not as the daemon writes it. Unknown ones are for newer readers. */
static bool read_field(struct plan *plan, const struct field *field, size_t given, bool *named) {
  const struct view value = field->value;
  switch (field->tag) {
    case PLAN_LAUNCH_ID:
      *named = true;
      return is_text(value);
    case PLAN_KEEP: {
      if (value.length != 8) return false;
      const size_t from = number_at(value.at), to = number_at(value.at + 4);
      if (from >= to || to > given) return false;
      plan->arg_count += to - from;
      return plan->arg_count <= LIST_LIMIT;
    }
    case PLAN_LITERAL:
      plan->arg_count += 1;
      return is_text(value) && plan->arg_count <= LIST_LIMIT;
    case PLAN_ENV_SET:
    case PLAN_ENV_PREPEND:
      plan->env_edits += 1;
      return is_text(value) && name_length(value) > 0;
    case PLAN_ENV_UNSET:
      plan->env_edits += 1;
      return is_text(value) && value.length > 0 && memchr(value.at, '=', value.length) == NULL;
    case PLAN_EXECUTABLE:
      if (plan->executable.at == NULL) plan->executable = value;
      return is_text(value) && value.length > 0;
    case PLAN_NOTICE:
      if (plan->notice.at == NULL) plan->notice = value;
      return is_text(value);
    case PLAN_OBSERVE:
      plan->observes = true;
      return is_text(value);
    case PLAN_REFUSAL: {
      if (value.length < 4) return false;
      const uint32_t status = number_at(value.at);
      const struct view text = {value.at + 4, value.length - 4};
      if (status < 1 || status > 255 || !is_utf8(text)) return false; /* a refused launch has not succeeded */
      if (plan->refusal.at == NULL) {
        plan->refusal = text;
        plan->refusal_status = (int)status;
      }
      return true;
    }
    default:
      return true;
  }
}

bool read_plan(struct view payload, size_t given, struct plan *plan) {
  *plan = (struct plan){.fields = payload};
  bool named = false;
  struct field field;
  enum field_state state;
  struct view rest = payload;
  while ((state = take_field(&rest, &field)) == FIELD_TAKEN)
    if (!read_field(plan, &field, given, &named)) return false;
  return state == FIELD_NONE && named && (plan->arg_count > 0 || plan->refusal.at != NULL);
}

static char *copy_text(struct view text) {
  char *copy = malloc(text.length + 1);
  if (copy == NULL) return NULL;
  if (text.length > 0) memcpy(copy, text.at, text.length);
  copy[text.length] = '\0';
  return copy;
}

char **planned_args(const struct plan *plan, char *const *given) {
  char **args = calloc(plan->arg_count + 1, sizeof *args);
  if (args == NULL) return NULL;
  size_t count = 0;
  struct field field;
  for (struct view rest = plan->fields; take_field(&rest, &field) == FIELD_TAKEN;) {
    if (field.tag == PLAN_LITERAL && (args[count++] = copy_text(field.value)) == NULL) return NULL;
    if (field.tag != PLAN_KEEP) continue;
    const size_t from = number_at(field.value.at), to = number_at(field.value.at + 4);
    for (size_t index = from; index < to; index += 1) args[count++] = given[index];
  }
  return args;
}

/* The value of a variable when `item` is `NAME=value` with this name. */
static const char *value_of(const char *item, struct view name) {
  return strncmp(item, (const char *)name.at, name.length) == 0 && item[name.length] == '=' ? item + name.length + 1
                                                                                            : NULL;
}

/* Takes every variable of this name out of the list and returns the value that counted. */
static const char *take_variable(char **env, size_t *count, struct view name) {
  const char *first = NULL;
  size_t kept = 0;
  for (size_t index = 0; index < *count; index += 1) {
    const char *value = value_of(env[index], name);
    if (value == NULL) env[kept++] = env[index];
    else if (first == NULL) first = value;
  }
  *count = kept;
  return first;
}

/* `NAME=value`, or `NAME=value:rest`. */
static char *joined(struct view head, const char *rest) {
  const size_t more = rest == NULL ? 0 : strlen(rest) + 1;
  char *text = malloc(head.length + more + 1);
  if (text == NULL) return NULL;
  memcpy(text, head.at, head.length);
  if (rest != NULL) {
    text[head.length] = ':';
    memcpy(text + head.length + 1, rest, more - 1);
  }
  text[head.length + more] = '\0';
  return text;
}

char **planned_env(const struct plan *plan, char *const *given) {
  size_t count = 0;
  while (given[count] != NULL) count += 1;
  char **env = calloc(count + plan->env_edits + 1, sizeof *env);
  if (env == NULL) return NULL;
  memcpy(env, given, count * sizeof *env);
  struct field field;
  for (struct view rest = plan->fields; take_field(&rest, &field) == FIELD_TAKEN;) {
    if (field.tag == PLAN_ENV_UNSET) {
      take_variable(env, &count, field.value);
    } else if (field.tag == PLAN_ENV_SET || field.tag == PLAN_ENV_PREPEND) {
      const struct view name = {field.value.at, name_length(field.value)};
      const char *old = take_variable(env, &count, name);
      env[count] = joined(field.value, field.tag == PLAN_ENV_PREPEND ? old : NULL);
      if (env[count++] == NULL) return NULL;
    }
  }
  env[count] = NULL;
  return env;
}

bool is_observed(const struct plan *plan, struct view line) {
  struct field field;
  for (struct view rest = plan->fields; take_field(&rest, &field) == FIELD_TAKEN;) {
    if (field.tag != PLAN_OBSERVE || field.value.length > line.length) continue;
    if (field.value.length == 0 || memcmp(field.value.at, line.at, field.value.length) == 0) return true;
  }
  return false;
}
