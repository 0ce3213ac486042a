/*
 * A stranger: shares no code and no header with the product, only the words of the attach protocol. Static, for an image
 * that holds nothing else.
 *
 *   probe sleep                until SIGTERM
 *   probe write FILE BYTES     a file whose every block differs
 *   probe pages DIR SECONDS    attaches, reads every page of the buffers, prints what the kernel says of its own mapping:
 *                              "node 0 16777216" a line for each NUMA node, "huge N"; stays attached SECONDS
 *   probe layout DIR MAJOR     asks for a layout of that major version
 *   probe tamper DIR           attaches, tries every way to write to the buffers, prints "WAY: allowed" or "WAY: ERRNO"
 *
 * Every failure prints what was tried and ends with status 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define HEADER_BYTES 64
#define BODY_BYTES_MAX (1 << 20)
#define NODES_MAX 1024
#define HUGE_PAGE (2UL << 20)

struct pool {
  int control, buffers, connection, lock;
  uint16_t read_only;
  uint64_t generation, control_bytes, buffers_bytes;
};

static void fail(const char *what) {
  fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void put(unsigned char *at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) at[i] = value >> (8 * i);
}

static uint64_t get(const unsigned char *at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static void receive(int connection, void *into, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t n = recv(connection, (char *)into + done, bytes - done, 0);
    if (n <= 0) fail("the sidecar's answer ended early");
    done += n;
  }
}

/* The first bytes of the answer bring the two descriptors. */
static void receive_header(struct pool *pool, unsigned char *header) {
  char room[CMSG_SPACE(2 * sizeof(int))];
  struct iovec into = {header, HEADER_BYTES};
  struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  ssize_t n = recvmsg(pool->connection, &message, 0);
  if (n <= 0) fail("no answer from the sidecar");
  receive(pool->connection, header + n, HEADER_BYTES - n);
  if (get(header, 4) != 0x5250424E) fail("not an answer of the attach protocol");
  if (get(header + 8, 2) != 0) {
    char body[4096] = {0};
    receive(pool->connection, body, get(header + 40, 4) % sizeof body);
    fprintf(stderr, "probe: refused: %s\n", body);
    exit(1);
  }
  struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
  if (!passed || passed->cmsg_type != SCM_RIGHTS || passed->cmsg_len != CMSG_LEN(2 * sizeof(int))) fail("not two descriptors");
  memcpy(&pool->control, CMSG_DATA(passed), sizeof(int));
  memcpy(&pool->buffers, CMSG_DATA(passed) + sizeof(int), sizeof(int));
}

/* The number is a byte of clients.lock; the kernel frees it when this process ends. */
static unsigned take_number(struct pool *pool, const char *dir) {
  char path[4096];
  snprintf(path, sizeof path, "%s/clients.lock", dir);
  pool->lock = open(path, O_RDWR | O_CLOEXEC);
  if (pool->lock < 0) fail(path);
  for (unsigned number = 1; number < 65535; number++) {
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};
    if (fcntl(pool->lock, F_OFD_SETLK, &byte) == 0) return number;
  }
  fail("no free client number");
  return 0;
}

static struct pool attach(const char *dir, unsigned layout_major) {
  struct pool pool = {0};
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/attach.sock", dir);
  pool.connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (pool.connection < 0 || connect(pool.connection, (struct sockaddr *)&address, sizeof address)) fail(address.sun_path);

  const char body[] = "name=probe\n";
  unsigned char request[HEADER_BYTES + sizeof body - 1] = {0};
  put(request, 0x4150424E, 4);           /* NBPA */
  put(request + 4, 1, 2);                /* protocol 1.0 */
  put(request + 8, 1, 2);                /* ATTACH */
  put(request + 10, layout_major, 2);    /* layout MAJOR.0 */
  put(request + 16, sizeof body - 1, 4);
  memcpy(request + HEADER_BYTES, body, sizeof body - 1);
  if (send(pool.connection, request, sizeof request, MSG_NOSIGNAL) != sizeof request) fail("request");

  unsigned char header[HEADER_BYTES];
  receive_header(&pool, header);
  pool.read_only = get(header + 10, 2);
  pool.generation = get(header + 16, 8);
  pool.control_bytes = get(header + 24, 8);
  pool.buffers_bytes = get(header + 32, 8);

  unsigned char claim[16] = {0};
  put(claim, 0x4350424E, 4);             /* NBPC */
  put(claim + 4, take_number(&pool, dir), 4);
  if (send(pool.connection, claim, sizeof claim, MSG_NOSIGNAL) != sizeof claim) fail("claim");
  return pool;
}

/* At an address that huge pages can be mapped at. */
static unsigned char *map(struct pool *pool, int protection) {
  size_t room = pool->buffers_bytes + HUGE_PAGE;
  unsigned char *reserved = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) fail("address space");
  unsigned char *aligned = (unsigned char *)(((uintptr_t)reserved + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
  return mmap(aligned, pool->buffers_bytes, protection, MAP_SHARED | MAP_FIXED, pool->buffers, 0);
}

/* Reads only what is backed: a hole of the file (a growing pool has some) would be charged to this process. */
static uint64_t touch(struct pool *pool, unsigned char *pages) {
  uint64_t sum = 0;
  for (off_t at = 0; (at = lseek(pool->buffers, at, SEEK_DATA)) >= 0;) {
    off_t end = lseek(pool->buffers, at, SEEK_HOLE);
    if (end < 0) end = pool->buffers_bytes;
    for (; at < end; at += 4096) sum += ((volatile unsigned char *)pages)[at];
  }
  return sum;
}

static void print_nodes(unsigned char *pages) {
  static unsigned long long bytes[NODES_MAX];
  char line[8192], wanted[32];
  snprintf(wanted, sizeof wanted, "%lx ", (unsigned long)pages);
  FILE *maps = fopen("/proc/self/numa_maps", "r");
  if (!maps) fail("/proc/self/numa_maps");
  while (fgets(line, sizeof line, maps)) {
    if (strncmp(line, wanted, strlen(wanted))) continue;
    char *size = strstr(line, "kernelpagesize_kB=");
    unsigned long long page = size ? strtoull(size + 18, NULL, 10) * 1024 : 0;
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
      unsigned node;
      unsigned long long count;
      if (sscanf(word, "N%u=%llu", &node, &count) == 2 && node < NODES_MAX) bytes[node] += count * page;
    }
  }
  fclose(maps);
  for (unsigned node = 0; node < NODES_MAX; node++)
    if (bytes[node]) printf("node %u %llu\n", node, bytes[node]);
}

static void print_huge(unsigned char *pages) {
  char line[8192], wanted[32];
  unsigned long long kib = 0, n;
  int ours = 0;
  snprintf(wanted, sizeof wanted, "%lx-", (unsigned long)pages);
  FILE *maps = fopen("/proc/self/smaps", "r");
  if (!maps) fail("/proc/self/smaps");
  while (fgets(line, sizeof line, maps)) {
    if (line[0] < 'A' || line[0] > 'Z') ours = !strncmp(line, wanted, strlen(wanted));
    else if (ours && (sscanf(line, "ShmemPmdMapped: %llu", &n) == 1 || sscanf(line, "Shared_Hugetlb: %llu", &n) == 1 ||
                      sscanf(line, "Private_Hugetlb: %llu", &n) == 1))
      kib += n;
  }
  fclose(maps);
  printf("huge %llu\n", kib * 1024);
}

static int pages(const char *dir, unsigned seconds) {
  struct pool pool = attach(dir, 1);
  unsigned char *mapped = map(&pool, PROT_READ);
  if (mapped == MAP_FAILED) fail("mapping the buffers");
  touch(&pool, mapped);
  print_nodes(mapped);
  print_huge(mapped);
  printf("generation %llx\n", (unsigned long long)pool.generation);
  fflush(stdout);
  sleep(seconds);
  return 0;
}

static void tried(const char *way, int allowed) {
  printf("%s: %s\n", way, allowed ? "allowed" : strerror(errno));
}

static int tamper(const char *dir) {
  struct pool pool = attach(dir, 1);
  char path[64], byte = 1;
  tried("mmap", map(&pool, PROT_READ | PROT_WRITE) != MAP_FAILED);
  unsigned char *mapped = map(&pool, PROT_READ);
  if (mapped == MAP_FAILED) fail("mapping the buffers to read");
  tried("mprotect", mprotect(mapped, 4096, PROT_READ | PROT_WRITE) == 0);
  tried("pwrite", pwrite(pool.buffers, &byte, 1, 0) == 1);
  tried("ftruncate", ftruncate(pool.buffers, 0) == 0);
  tried("fallocate", fallocate(pool.buffers, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", pool.buffers);
  tried("open /proc/self/fd read-write", open(path, O_RDWR) >= 0);
  tried("open /proc/self/fd write-only", open(path, O_WRONLY) >= 0);
  tried("chmod /proc/self/fd", chmod(path, 0666) == 0);
  tried("fchmod", fchmod(pool.buffers, 0666) == 0);
  return 0;
}

static int write_file(const char *path, unsigned long long bytes) {
  static uint64_t words[8192];
  uint64_t state = 88172645463325252ULL;
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) fail(path);
  for (unsigned long long done = 0; done < bytes; done += sizeof words) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      words[i] = state;
    }
    if (write(file, words, sizeof words) != sizeof words) fail(path);
  }
  return close(file);
}

static void end(int signal) {
  (void)signal;
  _exit(0);
}

int main(int count, char **words) {
  signal(SIGTERM, end);
  if (count == 2 && !strcmp(words[1], "sleep")) for (;;) pause();
  if (count == 4 && !strcmp(words[1], "write")) return write_file(words[2], strtoull(words[3], NULL, 10));
  if (count == 4 && !strcmp(words[1], "pages")) return pages(words[2], strtoul(words[3], NULL, 10));
  if (count == 4 && !strcmp(words[1], "layout")) return attach(words[2], strtoul(words[3], NULL, 10)).read_only > 1;
  if (count == 3 && !strcmp(words[1], "tamper")) return tamper(words[2]);
  fprintf(stderr, "probe: sleep | write FILE BYTES | pages DIR SECONDS | layout DIR MAJOR | tamper DIR\n");
  return 2;
}
