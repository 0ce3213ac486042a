/* libnumapool_adopt.so: preloaded, it stands before the C library's mmap, munmap, mremap, shmat and shmdt. A segment that the
 * environment asks for is placed on its NUMA nodes before the program gets its address; everything else passes through.
 *
 * The program must never fail because of this: an address or an error that it gets is always the one that the kernel gives for
 * the very call it made, but for the address where it left the choice open. No lock is waited for without a bound, nothing is
 * allocated, nothing is printed. */
#include <stdarg.h>

#include "cpus.h"
#include "segment.h"
#include "syscalls.h"

#define EXPORTED __attribute__((visibility("default")))

enum {
  SEGMENTS_MAX = 64,            /* tracked at once by one process; more are placed and reported once, not again at their end */
  REPORTS_MAX = 1024,           /* a program that maps and unmaps in a loop must not fill the folder */
  PLACE_ATTEMPTS_MAX = 8,       /* to take an aligned place that was free an instant ago */
  LOCK_ATTEMPTS_MAX = 10000,    /* then a segment goes untracked: the holder may have died, or be the thread that a signal hit */
};

#define PAGE_BYTES 4096ull /* at least the alignment of any mapping; arm64's larger pages are multiples */
#define TMPFS_MAGIC 0x01021994
#define HUGETLBFS_MAGIC 0x958458f6ul

/* The kernel's answers in errno, which glibc and musl both reach through this. */
extern int *__errno_location(void);

static struct decision decision;
static struct segment segments[SEGMENTS_MAX];
static int started; /* 0: not yet, 1: being read, 2: done */
static int owner_of_lock;
static unsigned reports;
static unsigned tracked; /* entries of segments that were ever used: what munmap has to look at */
static uint64_t nonce;

static long answer(long result) {
  if (result < 0 && result > -4096) {
    *__errno_location() = (int)-result;
    return -1;
  }
  return result;
}

static int own_process(void) { return (int)CALL3(getpid, 0, 0, 0); }

static uint64_t nanoseconds(void) {
  uint64_t time[2] = {0, 0};
  CALL3(clock_gettime, 0, time, 0);
  return time[0] * 1000000000 + time[1];
}

/* CPUs of the nodes, for the words "@1": before main, so that every thread inherits them. */
static void bind_cpus(void) {
  struct cpu_mask own, all, one;
  if (!read_own_cpus(&own)) return;
  for (unsigned i = 0; i < CPU_WORDS; i++) all.words[i] = 0;
  for (unsigned n = 0; n < decision.node_count; n++)
    if (read_node_cpus(decision.order[n], &one))
      for (unsigned i = 0; i < CPU_WORDS; i++) all.words[i] |= one.words[i];
  if (keep_allowed(&all, &own)) run_on(&all);
}

/* Other libraries may map memory before our constructor runs, so whoever comes first reads the environment. */
static bool ready(void) {
  int expected = 0;
  if (__atomic_load_n(&started, __ATOMIC_ACQUIRE) == 2) return decision.given;
  if (!__atomic_compare_exchange_n(&started, &expected, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return false;
  read_decision(&decision);
  nonce = nanoseconds();
  if (decision.given && decision.bind_cpus && decision.problem[0] == 0) bind_cpus();
  __atomic_store_n(&started, 2, __ATOMIC_RELEASE);
  return decision.given;
}

__attribute__((constructor)) static void start(void) { ready(); }

/* The lock names its process: after a fork in another thread's critical section, the child's copy has a holder that the child
 * does not have. */
static bool lock(void) {
  int process = own_process();
  for (int attempt = 0; attempt < LOCK_ATTEMPTS_MAX; attempt++) {
    int holder = __atomic_load_n(&owner_of_lock, __ATOMIC_RELAXED);
    if (holder == process) continue;
    if (__atomic_compare_exchange_n(&owner_of_lock, &holder, process, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return true;
  }
  return false;
}

static void unlock(void) { __atomic_store_n(&owner_of_lock, 0, __ATOMIC_RELEASE); }

static void report(struct segment *segment) {
  if (__atomic_load_n(&reports, __ATOMIC_RELAXED) < REPORTS_MAX) report_segment(&decision, segment, nonce);
}

static void track(const struct segment *segment) {
  if (!lock()) return;
  for (unsigned i = 0; i < SEGMENTS_MAX; i++) {
    /* A parent's segments in a child's table are nobody's: their reports are the parent's to write. */
    if (segments[i].used && segments[i].process == segment->process) continue;
    segments[i] = *segment;
    segments[i].used = true;
    if (i >= tracked) __atomic_store_n(&tracked, i + 1, __ATOMIC_RELEASE);
    break;
  }
  unlock();
}

static bool overlaps(const struct segment *segment, uint64_t address, uint64_t bytes) {
  if (!segment->used) return false;
  return bytes == 0 || (segment->address < address + bytes && address < segment->address + segment->bytes);
}

/* Allocators map more than they need and give back the ends. False: nothing is left that could be followed. */
static bool shrink(struct segment *segment, uint64_t address, uint64_t bytes) {
  uint64_t end = segment->address + segment->bytes, cut = address + bytes;
  if (segment->kind != PRIVATE || bytes == 0) return false;
  if (address <= segment->address && cut < end) {
    segment->bytes = end - cut;
    segment->address = cut;
    return true;
  }
  if (address > segment->address && cut >= end) {
    segment->bytes = address - segment->address;
    return true;
  }
  return false;
}

/* The last look at a segment that is about to go, or at all of them at the program's end (bytes = 0). */
static void look_again(uint64_t address, uint64_t bytes) {
  bool any = false;
  unsigned count = __atomic_load_n(&tracked, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < count && !any; i++) any = overlaps(&segments[i], address, bytes);
  if (!any || !lock()) return;
  int process = own_process();
  for (unsigned i = 0; i < count; i++) {
    struct segment *segment = &segments[i];
    if (segment->process != process || !overlaps(segment, address, bytes)) continue;
    verify_segment(segment);
    report(segment);
    segment->used = shrink(segment, address, bytes);
  }
  unlock();
}

__attribute__((destructor)) static void finish(void) {
  if (__atomic_load_n(&started, __ATOMIC_ACQUIRE) == 2 && decision.given) look_again(0, 0);
}

static void adopt(enum kind kind, uint64_t address, uint64_t bytes, uint64_t page_bytes) {
  struct segment segment = {0};
  segment.process = own_process();
  segment.sequence = __atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED);
  segment.kind = kind;
  segment.address = address;
  segment.bytes = bytes;
  segment.page_bytes = page_bytes;
  if (decision.problem[0] != 0) {
    explain(&segment, decision.problem);
  } else if (decision.policy == NO_POLICY) {
    explain(&segment, "Policy None: the kernel places pages as they are touched.");
  } else {
    place_segment(&decision, &segment);
  }
  verify_segment(&segment);
  report(&segment);
  track(&segment);
}

/* An aligned place with a page's room on either side, so that numa_maps has lines of its own for it; or 0. */
static uint64_t find_place(uint64_t bytes) {
  uint64_t wanted = bytes + STRIPE_BYTES + 2 * PAGE_BYTES;
  if (wanted < bytes) return 0;
  long free = CALL6(mmap, 0, wanted, 0, MAPPING_PRIVATE | MAPPING_ANONYMOUS | MAPPING_NO_RESERVE, -1, 0);
  if (free < 0 && free > -4096) return 0;
  CALL3(munmap, free, wanted, 0);
  return ((uint64_t)free + PAGE_BYTES + STRIPE_BYTES - 1) / STRIPE_BYTES * STRIPE_BYTES;
}

static long map_aligned(uint64_t bytes, int access, int flags, int descriptor, long offset) {
  for (int attempt = 0; attempt < PLACE_ATTEMPTS_MAX; attempt++) {
    uint64_t place = find_place(bytes);
    if (place == 0) break;
    long at = CALL6(mmap, place, bytes, access, flags | MAPPING_FIXED_NOREPLACE, descriptor, offset);
    if (at == (long)place) return at;
    if (at >= 0 || at <= -4096) CALL3(munmap, at, bytes, 0); /* a kernel before 4.17 takes the place for a hint */
  }
  return CALL6(mmap, 0, bytes, access, flags, descriptor, offset);
}

/* Only a file without a page yet: others have theirs where somebody wanted them. */
static bool fresh_memory_file(int descriptor, uint64_t *page_bytes) {
  uint64_t status[32] = {0};  /* struct statx: 256 bytes, stx_blocks in the seventh word */
  uint64_t system[32] = {0};  /* struct statfs: f_type, f_bsize */
  enum { EMPTY_PATH = 0x1000, WANT_BLOCKS = 0x400 };
  if (CALL3(fstatfs, descriptor, system, 0) < 0) return false;
  if (system[0] != TMPFS_MAGIC && system[0] != HUGETLBFS_MAGIC) return false;
  if (CALL6(statx, descriptor, "", EMPTY_PATH, WANT_BLOCKS, status, 0) < 0 || status[6] != 0) return false;
  *page_bytes = system[1];
  return true;
}

/* MAP_HUGETLB names the size's logarithm in six bits; 0: the machine's default, 2 MiB here. */
static uint64_t hugetlb_bytes(int flags) {
  unsigned shift = (unsigned)flags >> 26 & 0x3f;
  return shift == 0 ? STRIPE_BYTES : 1ull << shift;
}

/* Which kind a mapping would be; 0: none of ours. */
static unsigned kind_of(int access, int flags, int descriptor, uint64_t *page_bytes) {
  enum { UNWANTED = MAPPING_GROWS_DOWN | MAPPING_STACK };
  if ((access & (ACCESS_READ | ACCESS_WRITE)) != (ACCESS_READ | ACCESS_WRITE) || (flags & UNWANTED) != 0) return 0;
  bool shared = (flags & MAPPING_TYPE) == MAPPING_SHARED || (flags & MAPPING_TYPE) == 3; /* MAP_SHARED_VALIDATE */
  *page_bytes = (flags & MAPPING_HUGETLB) != 0 ? hugetlb_bytes(flags) : PAGE_BYTES;
  if ((flags & MAPPING_ANONYMOUS) != 0 && !shared) return PRIVATE; /* not populated, so it may be larger than the memory */
  if ((flags & MAPPING_NO_RESERVE) != 0) return 0;
  if ((flags & MAPPING_ANONYMOUS) != 0) return SHARED_ANONYMOUS;
  if (!shared || (decision.kinds & POSIX_SHM) == 0 || !fresh_memory_file(descriptor, page_bytes)) return 0;
  return POSIX_SHM;
}

EXPORTED void *mmap(void *address, size_t bytes, int access, int flags, int descriptor, long offset) {
  uint64_t page_bytes;
  unsigned kind = 0;
  if (bytes >= (1u << 20) && ready() && bytes >= decision.min_bytes)
    kind = kind_of(access, flags, descriptor, &page_bytes) & decision.kinds;
  if (kind == 0) return (void *)answer(CALL6(mmap, address, bytes, access, flags, descriptor, offset));

  bool place_is_open = address == 0 && (flags & (MAPPING_FIXED | MAPPING_FIXED_NOREPLACE | MAPPING_32BIT)) == 0;
  bool align = place_is_open && page_bytes < STRIPE_BYTES && decision.problem[0] == 0 && decision.policy != NO_POLICY;
  /* MAP_POPULATE takes its pages before anybody can say from where. */
  int ours = align ? flags & ~MAPPING_POPULATE : flags;
  long result = align ? map_aligned(bytes, access, ours, descriptor, offset)
                      : CALL6(mmap, address, bytes, access, ours, descriptor, offset);
  if (result < 0 && result > -4096) return (void *)answer(result);
  adopt(kind, (uint64_t)result, bytes, page_bytes);
  if (ours != flags) CALL3(madvise, result, bytes, ADVICE_POPULATE_WRITE);
  return (void *)result;
}

/* Programs built with _FILE_OFFSET_BITS=64 call it by this name; on 64-bit machines it is the same. */
EXPORTED void *mmap64(void *address, size_t bytes, int access, int flags, int descriptor, long offset)
    __attribute__((alias("mmap")));

EXPORTED int munmap(void *address, size_t bytes) {
  if (bytes > 0) look_again((uint64_t)address, bytes);
  return (int)answer(CALL3(munmap, address, bytes, 0));
}

EXPORTED void *mremap(void *address, size_t old_bytes, size_t new_bytes, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void *target = va_arg(more, void *); /* read by the kernel only with MREMAP_FIXED or MREMAP_DONTUNMAP */
  va_end(more);
  if (old_bytes > 0) look_again((uint64_t)address, old_bytes);
  return (void *)answer(CALL6(mremap, address, old_bytes, new_bytes, flags, target, 0));
}

/* The size, if this would be the first attachment of a System V segment; else 0. */
static uint64_t fresh_system_v(int id, int flags) {
  uint64_t status[16] = {0}; /* struct shmid64_ds: 112 bytes; shm_segsz in word 6, shm_nattch in word 11 */
  if ((flags & SHM_READ_ONLY) != 0 || CALL3(shmctl, id, SHM_STATUS, status) < 0) return 0;
  return status[11] == 0 ? status[6] : 0;
}

EXPORTED void *shmat(int id, const void *address, int flags) {
  uint64_t bytes = ready() && (decision.kinds & SYS_V) != 0 ? fresh_system_v(id, flags) : 0;
  if (bytes == 0 || bytes < decision.min_bytes) return (void *)answer(CALL3(shmat, id, address, flags));
  for (int attempt = 0; address == 0 && attempt < PLACE_ATTEMPTS_MAX; attempt++) {
    long at = CALL3(shmat, id, find_place(bytes), flags);
    if (at >= 0 || at <= -4096) {
      adopt(SYS_V, (uint64_t)at, bytes, PAGE_BYTES);
      return (void *)at;
    }
  }
  long result = CALL3(shmat, id, address, flags);
  if (result >= 0 || result <= -4096) adopt(SYS_V, (uint64_t)result, bytes, PAGE_BYTES);
  return (void *)answer(result);
}

EXPORTED int shmdt(const void *address) {
  look_again((uint64_t)address, 1);
  return (int)answer(CALL3(shmdt, address, 0, 0));
}
