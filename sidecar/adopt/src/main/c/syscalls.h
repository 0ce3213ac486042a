/* System calls made directly: this library must load in glibc and musl programs alike, so it takes nothing from either.
 * A result below zero is minus errno. Numbers: arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h;
 * numbers_check.c compares both columns with the kernel's headers. */
#ifndef NUMAPOOL_SYSCALLS_H
#define NUMAPOOL_SYSCALLS_H

/* name, x86-64, arm64 */
#define NUMAPOOL_SYSCALLS(X)      \
  X(read, 0, 63)                  \
  X(write, 1, 64)                 \
  X(close, 3, 57)                 \
  X(mmap, 9, 222)                 \
  X(munmap, 11, 215)              \
  X(mremap, 25, 216)              \
  X(madvise, 28, 233)             \
  X(shmat, 30, 196)               \
  X(shmctl, 31, 195)              \
  X(getpid, 39, 172)              \
  X(shmdt, 67, 197)               \
  X(fstatfs, 138, 44)             \
  X(sched_setaffinity, 203, 122)  \
  X(sched_getaffinity, 204, 123)  \
  X(clock_gettime, 228, 113)      \
  X(mbind, 237, 235)              \
  X(set_mempolicy, 238, 237)      \
  X(get_mempolicy, 239, 236)      \
  X(openat, 257, 56)              \
  X(unlinkat, 263, 35)            \
  X(renameat2, 316, 276)          \
  X(statx, 332, 291)

#if defined(__x86_64__)
#define NUMAPOOL_SYSCALL_NUMBER(name, x86_64, arm64) CALL_##name = x86_64,
#elif defined(__aarch64__)
#define NUMAPOOL_SYSCALL_NUMBER(name, x86_64, arm64) CALL_##name = arm64,
#else
#error "libnumapool_adopt.so knows the system call numbers of x86-64 and arm64 only"
#endif

enum { NUMAPOOL_SYSCALLS(NUMAPOOL_SYSCALL_NUMBER) };

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#endif
}

#define CALL3(name, a, b, c) system_call(CALL_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL6(name, a, b, c, d, e, f) \
  system_call(CALL_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* The kernel's words that this library uses, as in include/uapi. */
enum {
  ERROR_PERMISSION = 1, /* EPERM */
  ERROR_AGAIN = 11,     /* EAGAIN */
  ERROR_INVALID = 22,   /* EINVAL */
  ERROR_NO_CALL = 38,   /* ENOSYS */

  AT_CWD = -100,
  OPEN_WRITE_NEW = 01 | 0100 | 0200 | 02000000, /* O_WRONLY O_CREAT O_EXCL O_CLOEXEC: the same on both architectures */
  OPEN_READ = 02000000,                         /* O_RDONLY O_CLOEXEC */
#if defined(__x86_64__)
  OPEN_FOLDER = 02000000 | 0200000 | 0400000, /* O_CLOEXEC O_DIRECTORY O_NOFOLLOW */
#else
  OPEN_FOLDER = 02000000 | 040000 | 0100000,
#endif

  ACCESS_READ = 1,  /* PROT_READ */
  ACCESS_WRITE = 2, /* PROT_WRITE */

  MAPPING_SHARED = 0x1,
  MAPPING_PRIVATE = 0x2,
  MAPPING_TYPE = 0xf,
  MAPPING_FIXED = 0x10,
  MAPPING_ANONYMOUS = 0x20,
  MAPPING_32BIT = 0x40, /* x86-64; elsewhere unused */
  MAPPING_GROWS_DOWN = 0x100,
  MAPPING_NO_RESERVE = 0x4000,
  MAPPING_POPULATE = 0x8000,
  MAPPING_STACK = 0x20000,
  MAPPING_HUGETLB = 0x40000,
  MAPPING_FIXED_NOREPLACE = 0x100000,

  ADVICE_REMOVE = 9,
  ADVICE_HUGE_PAGE = 14,
  ADVICE_POPULATE_WRITE = 23, /* 5.14 */
  ADVICE_COLLAPSE = 25,       /* 6.1 */

  POLICY_DEFAULT = 0,
  POLICY_PREFERRED = 1,
  POLICY_INTERLEAVE = 3,

  SHM_READ_ONLY = 010000,
  SHM_STATUS = 2 /* IPC_STAT */
};

#endif
