#include "decision.h"

#include "syscalls.h"

#define PREFIX "NUMAPOOL_ADOPT_"

/* The kernel gives a program at most 128 KiB in one string (MAX_ARG_STRLEN); ours are far shorter, the rest is cut. */
enum { VARIABLE_CHARACTERS_MAX = 1024, VALUE_SHOWN_MAX = 60, AUXILIARY_SECURE = 23, AUXILIARY_WORDS_MAX = 128 };

static const char *const POLICY_NAMES[] = {"Interleave", "WeightedInterleave", "Partitioned", "Bind", "Preferred", "None"};
static const char *const KIND_NAMES[] = {"SharedAnonymous", "SysV", "PosixShm", "Private"};
static const char *const HUGE_PAGES_NAMES[] = {"Transparent", "Reserved", "Never"};

const char *policy_name(enum policy policy) { return POLICY_NAMES[policy]; }

const char *kind_name(enum kind kind) {
  for (unsigned i = 0; i < 4; i++)
    if (kind == 1u << i) return KIND_NAMES[i];
  return "Unknown";
}

const char *huge_pages_name(enum huge_pages huge_pages) { return HUGE_PAGES_NAMES[huge_pages]; }

void default_decision(struct decision *decision) {
  decision->given = false;
  decision->policy = INTERLEAVE;
  decision->node_count = 0;
  for (unsigned i = 0; i < NODE_WORDS; i++) decision->nodes[i] = 0;
  for (unsigned i = 0; i < NODE_NUMBERS; i++) decision->weights[i] = 1;
  decision->min_bytes = 64ull << 20;
  decision->kinds = SHARED_ANONYMOUS | SYS_V | POSIX_SHM;
  decision->huge_pages = TRANSPARENT;
  decision->bind_cpus = false;
  decision->folder[0] = 0;
  decision->problem[0] = 0;
}

static void refuse(struct decision *decision, const char *name, const char *value, const char *wanted) {
  if (decision->problem[0] != 0) return; /* the first one is the one to mend first */
  struct text text = {decision->problem, sizeof decision->problem, 0};
  append(&text, name);
  append(&text, "=\"");
  append_foreign(&text, value, VALUE_SHOWN_MAX);
  append(&text, "\": nothing is adopted; use ");
  append(&text, wanted);
}

static int find_name(const char *const *names, int count, const char *value) {
  for (int i = 0; i < count; i++)
    if (equal(names[i], value)) return i;
  return -1;
}

static bool parse_kinds(const char *value, unsigned *kinds) {
  *kinds = 0;
  for (;;) {
    unsigned found = 0;
    for (unsigned i = 0; i < 4; i++) {
      size_t length = length_of(KIND_NAMES[i]);
      if (begins_with(value, KIND_NAMES[i]) && (value[length] == 0 || value[length] == ',')) {
        found = 1u << i;
        value += length;
        break;
      }
    }
    if (found == 0) return false;
    *kinds |= found;
    if (*value == 0) return true;
    value++;
  }
}

static bool parse_weights(const char *value, unsigned char *weights) {
  for (;;) {
    uint64_t node, weight;
    if (!take_number(&value, &node) || node >= NODE_NUMBERS || *value++ != '=') return false;
    if (!take_number(&value, &weight) || weight < 1 || weight > 255) return false;
    weights[node] = (unsigned char)weight;
    if (*value == 0) return true;
    if (*value++ != ',') return false;
  }
}

static void take_nodes(struct decision *decision, const char *value) {
  decision->given = true;
  decision->node_count = 0;
  if (!parse_list(value, decision->nodes, NODE_WORDS)) {
    refuse(decision, PREFIX "NODES", value, "a list of NUMA nodes such as 0-1,3, numbers up to 255.");
    return;
  }
  for (unsigned i = 0; i < NODE_NUMBERS; i++)
    if ((decision->nodes[i / 64] >> (i % 64) & 1) != 0) decision->order[decision->node_count++] = (unsigned char)i;
}

static void take_folder(struct decision *decision, const char *value) {
  size_t length = length_of(value);
  if (value[0] != '/' || length >= FOLDER_CHARACTERS_MAX) {
    refuse(decision, PREFIX "REPORT_DIR", value, "an absolute path of fewer than 512 characters.");
    return;
  }
  for (size_t i = 0; i <= length; i++) decision->folder[i] = value[i];
}

void take_variable(struct decision *decision, const char *variable) {
  if (!begins_with(variable, PREFIX)) return;
  const char *name = variable + length_of(PREFIX);
  if (begins_with(name, "NODES=")) {
    take_nodes(decision, name + 6);
  } else if (begins_with(name, "POLICY=")) {
    int found = find_name(POLICY_NAMES, 6, name + 7);
    if (found < 0)
      refuse(decision, PREFIX "POLICY", name + 7, "Interleave, WeightedInterleave, Partitioned, Bind, Preferred or None.");
    else
      decision->policy = (enum policy)found;
  } else if (begins_with(name, "WEIGHTS=")) {
    if (!parse_weights(name + 8, decision->weights))
      refuse(decision, PREFIX "WEIGHTS", name + 8, "node=weight pairs such as 0=3,1=1, weights 1..255.");
  } else if (begins_with(name, "MIN_SIZE=")) {
    if (!parse_bytes(name + 9, &decision->min_bytes))
      refuse(decision, PREFIX "MIN_SIZE", name + 9, "bytes, or a number with Ki, Mi, Gi or Ti.");
  } else if (begins_with(name, "KINDS=")) {
    if (!parse_kinds(name + 6, &decision->kinds))
      refuse(decision, PREFIX "KINDS", name + 6, "some of SharedAnonymous,SysV,PosixShm,Private.");
  } else if (begins_with(name, "HUGE_PAGES=")) {
    int found = find_name(HUGE_PAGES_NAMES, 3, name + 11);
    if (found < 0)
      refuse(decision, PREFIX "HUGE_PAGES", name + 11, "Transparent, Reserved or Never.");
    else
      decision->huge_pages = (enum huge_pages)found;
  } else if (begins_with(name, "BIND_CPUS=")) {
    decision->bind_cpus = equal(name + 10, "true");
    if (!decision->bind_cpus && !equal(name + 10, "false"))
      refuse(decision, PREFIX "BIND_CPUS", name + 10, "true or false.");
  } else if (begins_with(name, "REPORT_DIR=")) {
    take_folder(decision, name + 11);
  }
}

/* A program that runs with more rights than its caller must not be told by the caller's environment where to write. The
 * loaders drop LD_PRELOAD then; this is for those who link the library or list it in /etc/ld.so.preload. */
static bool has_more_rights_than_its_caller(void) {
  int descriptor = (int)CALL6(openat, AT_CWD, "/proc/self/auxv", OPEN_READ, 0, 0, 0);
  if (descriptor < 0) return true; /* a set-uid program's /proc may be closed to it: that is an answer as well */
  uint64_t pairs[AUXILIARY_WORDS_MAX];
  long got = CALL3(read, descriptor, pairs, sizeof pairs);
  CALL3(close, descriptor, 0, 0);
  for (long i = 0; i + 1 < got / 8; i += 2)
    if (pairs[i] == AUXILIARY_SECURE) return pairs[i + 1] != 0;
  return true;
}

/* Below this, aligning and verifying costs more than it gives, and every thread's stack would be looked at. */
enum { MIN_BYTES_LEAST = 1 << 20 };

void finish_decision(struct decision *decision) {
  if (decision->min_bytes < MIN_BYTES_LEAST) decision->min_bytes = MIN_BYTES_LEAST;
  /* So that a report of it is written whatever the segments are. */
  if (decision->problem[0] != 0) decision->kinds = SHARED_ANONYMOUS | SYS_V | POSIX_SHM | PRIVATE;
}

void read_decision(struct decision *decision) {
  default_decision(decision);
  struct line_reader reader;
  if (has_more_rights_than_its_caller() || !open_lines(&reader, "/proc/self/environ")) return;
  char variable[VARIABLE_CHARACTERS_MAX];
  while (read_line(&reader, 0, variable, sizeof variable)) {
    if (length_of(variable) + 1 < sizeof variable)
      take_variable(decision, variable);
    else if (begins_with(variable, PREFIX)) /* cut off: what is left may look right and mean something else */
      refuse(decision, PREFIX "...", variable + length_of(PREFIX), "values of fewer than 1000 characters.");
  }
  close_lines(&reader);
  finish_decision(decision);
}
