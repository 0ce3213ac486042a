/* CPU masks: on which CPUs the calling thread runs. */
#ifndef NUMAPOOL_CPUS_H
#define NUMAPOOL_CPUS_H

#include "text.h"

/* 8192 CPUs: what the kernel of any distribution is built for at most (CONFIG_MAXSMP). */
enum { CPU_WORDS = 128 };

struct cpu_mask {
  uint64_t words[CPU_WORDS];
  size_t bytes; /* as many as the kernel uses */
};

bool read_own_cpus(struct cpu_mask *mask);
/* The node's cpulist in sysfs; false where it has no CPU or does not exist. */
bool read_node_cpus(unsigned node, struct cpu_mask *mask);
/* Drops what is not allowed; false when nothing is left. */
bool keep_allowed(struct cpu_mask *mask, const struct cpu_mask *allowed);
bool run_on(const struct cpu_mask *mask);

#endif
