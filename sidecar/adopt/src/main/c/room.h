/* How much memory there is, before any of it is taken. */
#ifndef NUMAPOOL_ROOM_H
#define NUMAPOOL_ROOM_H

#include "text.h"

/* What this process may still take without waking the OOM killer: of the machine, and of its cgroup and those above. */
uint64_t available_bytes(void);

/* MemFree of one NUMA node, less a reserve; 0 where the node does not exist. */
uint64_t free_bytes_of_node(unsigned node);

#endif
