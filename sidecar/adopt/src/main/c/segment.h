/* One mapping that is adopted: how it is placed, and what became of it. */
#ifndef NUMAPOOL_SEGMENT_H
#define NUMAPOOL_SEGMENT_H

#include "decision.h"

enum method { METHOD_NONE, METHOD_MBIND, METHOD_PINNED_FIRST_TOUCH };

enum state {
  LEFT,        /* as if the library were not there; why says why */
  POLICY_ONLY, /* the kernel places the pages as they are touched */
  PLACED,      /* every page is there and lies where it was wanted */
  SPILLED      /* every page is there, some lie elsewhere */
};

struct segment {
  bool used;
  int process; /* who adopted it: a forked child inherits this table, but not the duty to report */
  unsigned sequence;
  enum kind kind;
  uint64_t address;
  uint64_t bytes;
  uint64_t page_bytes; /* the mapping's own: 4 KiB (or arm64's), or the hugetlb size */
  enum method method;
  enum state state;
  bool populated;
  uint64_t huge_bytes;              /* in pages of 2 MiB or more, as smaps says */
  uint64_t wanted[NODE_NUMBERS];    /* bytes, by NUMA node */
  uint64_t placed[NODE_NUMBERS];    /* bytes, as numa_maps says */
  char why[WHY_CHARACTERS_MAX];
};

/* Transparent huge pages are of 2 MiB on x86-64, and on arm64 with 4 KiB pages. Also the stripe of an interleaved segment:
 * a collapsed page lies on one node. */
#define STRIPE_BYTES (2ull << 20)

/* Places a fresh mapping that nobody has touched; populates it where that is safe. Never fails: see state and why. */
void place_segment(const struct decision *decision, struct segment *segment);

/* Counts the pages in /proc/self/numa_maps and smaps now. */
void verify_segment(struct segment *segment);

/* Writes PROCESS-NONCE-SEQUENCE.report into the decision's folder, whole or not at all. */
void report_segment(const struct decision *decision, const struct segment *segment, uint64_t nonce);

/* Adds a sentence. */
void explain(struct segment *segment, const char *sentence);

#endif
