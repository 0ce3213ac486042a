/* What is to be done with segments, as the environment says it. Every variable begins with NUMAPOOL_ADOPT_; README.md of
 * this folder is their reference. One malformed value and nothing is adopted: a half-understood wish is not carried out. */
#ifndef NUMAPOOL_DECISION_H
#define NUMAPOOL_DECISION_H

#include "text.h"

/* Numbers 0..255. Machines have had 34 NUMA nodes; the kernel's own limit on x86-64 is 1024. */
enum { NODE_NUMBERS = 256, NODE_WORDS = NODE_NUMBERS / 64, FOLDER_CHARACTERS_MAX = 512, WHY_CHARACTERS_MAX = 320 };

enum policy { INTERLEAVE, WEIGHTED_INTERLEAVE, PARTITIONED, BIND, PREFERRED, NO_POLICY };

enum kind { SHARED_ANONYMOUS = 1, SYS_V = 2, POSIX_SHM = 4, PRIVATE = 8 };

enum huge_pages { TRANSPARENT, RESERVED, NEVER };

struct decision {
  bool given; /* the nodes are named: somebody wants segments to be adopted */
  enum policy policy;
  uint64_t nodes[NODE_WORDS];
  unsigned char order[NODE_NUMBERS]; /* the same, ascending */
  unsigned node_count;
  unsigned char weights[NODE_NUMBERS]; /* 1..255 */
  uint64_t min_bytes;
  unsigned kinds;
  enum huge_pages huge_pages;
  bool bind_cpus;
  char folder[FOLDER_CHARACTERS_MAX]; /* where reports go; empty: nowhere */
  char problem[WHY_CHARACTERS_MAX];   /* why nothing is adopted; empty: nothing is wrong */
};

/* Reads /proc/self/environ: what the program was started with. */
void read_decision(struct decision *decision);

/* One variable; exposed for the tests. */
void take_variable(struct decision *decision, const char *variable);
void default_decision(struct decision *decision);
void finish_decision(struct decision *decision);

const char *policy_name(enum policy policy);
const char *kind_name(enum kind kind);
const char *huge_pages_name(enum huge_pages huge_pages);

#endif
