/* The ladder: the task's policy and mbind where seccomp lets them through, else first touch from a CPU of each node, else
 * nothing. Pages are populated node by node, so that a page's node never depends on who touches it later.
 *
 * Never BIND: a page fault under BIND that finds its nodes full ends in the OOM killer (shmem) or SIGBUS (hugetlb). PREFERRED
 * spills instead, and verify_segment says so. */
#include "cpus.h"
#include "room.h"
#include "segment.h"
#include "syscalls.h"

enum {
  MASK_BITS = NODE_NUMBERS + 1, /* the kernel reads maxnode - 1 bits */
  COLLAPSE_ATTEMPTS_MAX = 3,    /* EAGAIN: a page was busy for an instant */
};

/* Populated at once; small enough that a signal to the program is not kept waiting for long. */
#define WINDOW_BYTES (256ull << 20)

struct plan {
  const struct decision *decision;
  uint64_t stripe_bytes;
  uint64_t stripes;
  bool in_turn;                   /* stripe by stripe; else one range a node, in ascending order */
  uint64_t count[NODE_NUMBERS];   /* stripes of each node */
  unsigned cycle;                 /* stripes until it is the first node's turn again */
};

static unsigned weight(const struct decision *decision, unsigned node) {
  return decision->policy == WEIGHTED_INTERLEAVE ? decision->weights[node] : 1;
}

/* A node is filled before the next one is used, as by numactl --membind; what fits nowhere goes to the last one. */
static void fill_in_order(struct plan *plan) {
  const struct decision *decision = plan->decision;
  uint64_t left = plan->stripes;
  for (unsigned i = 0; i < decision->node_count && left > 0; i++) {
    unsigned node = decision->order[i];
    uint64_t room = i + 1 == decision->node_count ? left : free_bytes_of_node(node) / plan->stripe_bytes;
    plan->count[node] = room < left ? room : left;
    left -= plan->count[node];
  }
}

static void share_equally(struct plan *plan) {
  const struct decision *decision = plan->decision;
  uint64_t before = 0;
  for (unsigned i = 0; i < decision->node_count; i++) {
    uint64_t until = plan->stripes * (i + 1) / decision->node_count;
    plan->count[decision->order[i]] = until - before;
    before = until;
  }
}

/* The node whose turn a stripe is. */
static unsigned node_in_turn(const struct plan *plan, uint64_t stripe) {
  unsigned turn = (unsigned)(stripe % plan->cycle);
  const struct decision *decision = plan->decision;
  for (unsigned i = 0; i < decision->node_count; i++) {
    unsigned node = decision->order[i];
    if (turn < weight(decision, node)) return node;
    turn -= weight(decision, node);
  }
  return decision->order[0];
}

static void make_plan(struct plan *plan, const struct decision *decision, struct segment *segment) {
  plan->decision = decision;
  plan->stripe_bytes = segment->page_bytes > STRIPE_BYTES ? segment->page_bytes : STRIPE_BYTES;
  plan->stripes = (segment->bytes + plan->stripe_bytes - 1) / plan->stripe_bytes;
  plan->in_turn = decision->policy == INTERLEAVE || decision->policy == WEIGHTED_INTERLEAVE;
  plan->cycle = 0;
  for (unsigned i = 0; i < NODE_NUMBERS; i++) plan->count[i] = 0;
  for (unsigned i = 0; i < decision->node_count; i++) plan->cycle += weight(decision, decision->order[i]);
  if (plan->in_turn) {
    for (uint64_t i = 0; i < plan->stripes; i++) plan->count[node_in_turn(plan, i)]++;
  } else if (decision->policy == PARTITIONED) {
    share_equally(plan);
  } else {
    fill_in_order(plan);
  }
}

/* The next run of stripes of one node, at or behind *from; false when there is none. */
static bool next_run(const struct plan *plan, unsigned node, uint64_t *from, uint64_t *count) {
  if (plan->in_turn) {
    while (*from < plan->stripes && node_in_turn(plan, *from) != node) (*from)++;
    *count = 0;
    while (*from + *count < plan->stripes && node_in_turn(plan, *from + *count) == node &&
           *count * plan->stripe_bytes < WINDOW_BYTES)
      (*count)++;
    return *count > 0;
  }
  uint64_t begin = 0;
  for (unsigned i = 0; i < node; i++) begin += plan->count[i];
  uint64_t end = begin + plan->count[node];
  if (*from < begin) *from = begin;
  if (*from >= end) return false;
  uint64_t window = WINDOW_BYTES / plan->stripe_bytes > 0 ? WINDOW_BYTES / plan->stripe_bytes : 1;
  *count = end - *from < window ? end - *from : window;
  return true;
}

static uint64_t bytes_from(const struct plan *plan, const struct segment *segment, uint64_t stripe, uint64_t count) {
  uint64_t begin = stripe * plan->stripe_bytes;
  uint64_t end = begin + count * plan->stripe_bytes;
  return (end < segment->bytes ? end : segment->bytes) - begin;
}

static void want(const struct plan *plan, struct segment *segment) {
  for (unsigned i = 0; i < plan->decision->node_count; i++) {
    unsigned node = plan->decision->order[i];
    segment->wanted[node] = 0;
    uint64_t count;
    for (uint64_t from = 0; next_run(plan, node, &from, &count); from += count)
      segment->wanted[node] += bytes_from(plan, segment, from, count);
  }
}

/* Touches every page of one node's stripes from here; 0 or minus errno. */
static long populate_node(const struct plan *plan, const struct segment *segment, unsigned node) {
  uint64_t count;
  for (uint64_t from = 0; next_run(plan, node, &from, &count); from += count) {
    uint64_t address = segment->address + from * plan->stripe_bytes;
    long result = CALL3(madvise, address, bytes_from(plan, segment, from, count), ADVICE_POPULATE_WRITE);
    if (result < 0) return result;
  }
  return 0;
}

static long prefer(unsigned node) {
  uint64_t mask[NODE_WORDS] = {0};
  mask[node / 64] = 1ull << (node % 64);
  return CALL3(set_mempolicy, POLICY_PREFERRED, mask, MASK_BITS);
}

static void explain_number(struct segment *segment, const char *what, unsigned node, long result) {
  struct text text = {segment->why, sizeof segment->why, length_of(segment->why)};
  if (text.length > 0) append(&text, " ");
  append(&text, what);
  append_number(&text, node);
  append(&text, " answered errno ");
  append_number(&text, (uint64_t)-result);
  append(&text, ".");
}

/* Every call under the policy of one node, and the task's own policy back afterwards. */
static long populate_by_policy(const struct plan *plan, struct segment *segment) {
  /* Larger than what the kernel may be built for (1024 nodes), or it answers EINVAL. */
  uint64_t task_mask[16] = {0};
  int task_mode = 0;
  long result = CALL6(get_mempolicy, &task_mode, task_mask, sizeof task_mask * 8, 0, 0, 0);
  if (result < 0) return result;
  segment->method = METHOD_MBIND;
  for (unsigned i = 0; i < plan->decision->node_count && result == 0; i++) {
    unsigned node = plan->decision->order[i];
    if (plan->count[node] == 0) continue;
    long refused = prefer(node);
    if (refused == -ERROR_PERMISSION || refused == -ERROR_NO_CALL) {
      result = refused;
      break;
    }
    if (refused < 0) explain_number(segment, "set_mempolicy(PREFERRED) of NUMA node ", node, refused);
    result = populate_node(plan, segment, node);
  }
  bool empty = task_mode == POLICY_DEFAULT;
  CALL3(set_mempolicy, task_mode, empty ? 0 : task_mask, empty ? 0 : sizeof task_mask * 8 + 1);
  return result;
}

/* The calling thread goes to a CPU of each node in turn, and back. No helper thread: one that the C library does not know of
 * could not outlive a signal or a fork of the program unharmed. */
static long populate_by_first_touch(const struct plan *plan, struct segment *segment) {
  struct cpu_mask own;
  if (!read_own_cpus(&own)) return -ERROR_NO_CALL;
  segment->method = METHOD_PINNED_FIRST_TOUCH;
  long result = 0;
  for (unsigned i = 0; i < plan->decision->node_count && result == 0; i++) {
    unsigned node = plan->decision->order[i];
    if (plan->count[node] == 0) continue;
    struct cpu_mask cpus;
    if (!read_node_cpus(node, &cpus) || !keep_allowed(&cpus, &own) || !run_on(&cpus))
      explain_number(segment, "No CPU that this process may use lies on NUMA node ", node, -ERROR_INVALID);
    result = populate_node(plan, segment, node);
  }
  if (!run_on(&own)) explain(segment, "The thread's CPUs could not be given back; its cpuset changed meanwhile.");
  return result;
}

/* For pages that are touched later: those of a hole, and all of a mapping that is not populated. Refused: 0 is not returned. */
static long leave_policy(const struct plan *plan, const struct segment *segment) {
  const struct decision *decision = plan->decision;
  if (!plan->in_turn) {
    for (unsigned i = 0; i < decision->node_count; i++) {
      uint64_t mask[NODE_WORDS] = {0};
      unsigned node = decision->order[i];
      mask[node / 64] = 1ull << (node % 64);
      uint64_t count;
      for (uint64_t from = 0; next_run(plan, node, &from, &count); from += count) {
        uint64_t address = segment->address + from * plan->stripe_bytes;
        long result = CALL6(mbind, address, bytes_from(plan, segment, from, count), POLICY_PREFERRED, mask, MASK_BITS, 0);
        if (result < 0) return result;
      }
    }
    return 0;
  }
  return CALL6(mbind, segment->address, segment->bytes, POLICY_INTERLEAVE, decision->nodes, MASK_BITS, 0);
}

static void collapse(struct segment *segment) {
  uint64_t end = segment->address + segment->bytes / STRIPE_BYTES * STRIPE_BYTES;
  if (segment->address % STRIPE_BYTES != 0 || segment->page_bytes >= STRIPE_BYTES) return;
  for (uint64_t at = segment->address; at < end; at += WINDOW_BYTES) {
    uint64_t bytes = end - at < WINDOW_BYTES ? end - at : WINDOW_BYTES;
    long result = -ERROR_AGAIN;
    for (int attempt = 0; attempt < COLLAPSE_ATTEMPTS_MAX && result == -ERROR_AGAIN; attempt++)
      result = CALL3(madvise, at, bytes, ADVICE_COLLAPSE);
    if (result == -ERROR_INVALID) {
      explain(segment, "This kernel or mapping has no MADV_COLLAPSE (Linux 6.1); pages stay small.");
      return;
    }
  }
}

static void populate(const struct plan *plan, struct segment *segment) {
  long result = populate_by_policy(plan, segment);
  if (result == -ERROR_PERMISSION || result == -ERROR_NO_CALL) {
    explain(segment, "Memory policies are forbidden here (seccomp).");
    result = populate_by_first_touch(plan, segment);
  }
  if (result < 0) {
    /* Too few pages for all of it, and the program may never touch all of it: what was taken goes back. Of a segment with a
     * name another process may have written a page meanwhile, so nothing is taken out of it. */
    if (segment->kind == SHARED_ANONYMOUS) CALL3(madvise, segment->address, segment->bytes, ADVICE_REMOVE);
    explain(segment, "Not every page could be had at once, so the rest come as they are touched:");
    explain_number(segment, "madvise advice ", ADVICE_POPULATE_WRITE, result);
    segment->method = METHOD_NONE;
    return;
  }
  segment->populated = true;
  if (plan->decision->huge_pages == TRANSPARENT) collapse(segment);
}

static bool worth_populating(struct segment *segment) {
  if (segment->kind == PRIVATE) return false; /* a heap grows into its reservation: its pages come as they are touched */
  if (segment->page_bytes >= STRIPE_BYTES) return true; /* hugetlb: reserved by mmap, or mmap would have failed */
  if (segment->bytes <= available_bytes()) return true;
  explain(segment, "It is larger than the memory that is available, so its pages are left to come as they are touched.");
  return false;
}

void place_segment(const struct decision *decision, struct segment *segment) {
  struct plan plan;
  make_plan(&plan, decision, segment);
  want(&plan, segment);
  if (decision->huge_pages == TRANSPARENT && segment->kind == PRIVATE && segment->page_bytes < STRIPE_BYTES)
    CALL3(madvise, segment->address, segment->bytes, ADVICE_HUGE_PAGE);
  if (worth_populating(segment)) populate(&plan, segment);
  long left = leave_policy(&plan, segment);
  if (left == 0 && segment->method == METHOD_NONE) segment->method = METHOD_MBIND;
  if (left < 0 && !segment->populated)
    explain_number(segment, "It is left as it is: mbind to the NUMA nodes from ", decision->order[0], left);
  segment->state = segment->populated ? PLACED : left == 0 ? POLICY_ONLY : LEFT;
}

void explain(struct segment *segment, const char *sentence) {
  struct text text = {segment->why, sizeof segment->why, length_of(segment->why)};
  if (text.length > 0) append(&text, " ");
  append(&text, sentence);
}
