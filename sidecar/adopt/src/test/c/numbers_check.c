/* Compiled, never run: the table of system calls against the kernel's headers, both columns on either machine where its header
 * is there. */
#ifdef CHECK_ARM64
#define __ARCH_WANT_RENAMEAT
#include <asm-generic/unistd.h>
#define CHECK(name, x86_64, arm64) _Static_assert(arm64 == __NR_##name, #name " on arm64");
#else
#include <asm/unistd.h>
#define CHECK(name, x86_64, arm64) _Static_assert(x86_64 == __NR_##name, #name " on x86-64");
#endif
#include "syscalls.h"

NUMAPOOL_SYSCALLS(CHECK)
