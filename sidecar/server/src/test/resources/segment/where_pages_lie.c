/* Where the pages of files lie, for tests: a reader that shares no code with what it checks.
 *
 * Reads lines "PATH OFFSET BYTES" and answers each with "NODE:BYTES ..." as its own /proc/self/numa_maps counts them, after it
 * has mapped that part of the file and read one byte of every 4 KiB. An error is one line that begins with "error". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NODES = 1024, HUGE = 2 << 20 };

static void count(uintptr_t begin) {
    static uint64_t pages[NODES];
    static char line[1 << 16];
    memset(pages, 0, sizeof pages);
    uint64_t page_kib = 4;
    int found = 0;
    FILE *maps = fopen("/proc/self/numa_maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *rest = line;
        if (strtoull(rest, &rest, 16) != begin) continue;
        found = 1;
        for (char *word = strtok(rest, " \n"); word; word = strtok(NULL, " \n")) {
            unsigned node;
            uint64_t number;
            if (sscanf(word, "N%u=%" SCNu64, &node, &number) == 2 && node < NODES) pages[node] = number;
            if (sscanf(word, "kernelpagesize_kB=%" SCNu64, &number) == 1) page_kib = number;
        }
    }
    if (maps) fclose(maps);
    if (!found) { printf("error no line of numa_maps begins with %" PRIxPTR "\n", begin); return; }
    const char *gap = "";
    for (int node = 0; node < NODES; node++)
        if (pages[node]) { printf("%s%d:%" PRIu64, gap, node, pages[node] * page_kib * 1024); gap = " "; }
    printf("\n");
}

int main(void) {
    static char line[8192], path[4096];
    while (fgets(line, sizeof line, stdin)) {
        uint64_t offset, bytes;
        if (sscanf(line, "%4095s %" SCNu64 " %" SCNu64, path, &offset, &bytes) != 3) { printf("error cannot read: %s", line); fflush(stdout); continue; }
        int file = open(path, O_RDONLY | O_CLOEXEC);
        /* Room to begin on a huge page: transparent ones are mapped as such only there. */
        char *room = mmap(NULL, bytes + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        char *aligned = (char *)(((uintptr_t)room + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
        char *at = file < 0 || room == MAP_FAILED ? MAP_FAILED
                 : mmap(aligned, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, file, (off_t)offset);
        if (at == MAP_FAILED) { printf("error %s of %s", strerror(errno), line); fflush(stdout); continue; }
        volatile char sink = 0;
        for (uint64_t i = 0; i < bytes; i += 4096) sink = (char)(sink + at[i]);
        count((uintptr_t)at);
        fflush(stdout);
        munmap(room, bytes + HUGE);
        close(file);
    }
    return 0;
}
