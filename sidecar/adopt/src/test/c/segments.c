/* segments CASE [MIB]: an ordinary program that makes one segment, fills it, reads it back and says "ok". It knows nothing of
 * the library under test. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t bytes = 64u << 20;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void use(char *segment) {
  if (segment == MAP_FAILED) fail("segment");
  for (size_t i = 0; i < bytes; i += 512) segment[i] = (char)(i >> 9);
  for (size_t i = 0; i < bytes; i += 512)
    if (segment[i] != (char)(i >> 9)) {
      puts("wrong byte");
      exit(1);
    }
}

static char *map(int flags, int descriptor) { return mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0); }

static char *shared(int more) { return map(MAP_SHARED | MAP_ANONYMOUS | more, -1); }

static char *system_v(void) {
  int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  if (id < 0) fail("shmget");
  char *segment = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, NULL);
  return segment;
}

static int memory_file(off_t size) {
  int descriptor = memfd_create("segment", 0);
  if (descriptor < 0 || ftruncate(descriptor, size) != 0) fail("memfd");
  return descriptor;
}

static void forks(void) {
  char *segment = shared(0);
  use(segment);
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    if (child == 0) {
      use(segment);
      munmap(segment, bytes);
      exit(0);
    }
    int status = 1;
    if (waitpid(child, &status, 0) < 0 || status != 0) fail("child");
  }
}

static void *one_of_many(void *unused) {
  (void)unused;
  for (int i = 0; i < 4; i++) {
    char *segment = shared(0);
    if (segment == MAP_FAILED) fail("thread's segment");
    segment[bytes / 2] = 1;
    munmap(segment, bytes);
  }
  return NULL;
}

static void threads(void) {
  pthread_t thread[4];
  for (int i = 0; i < 4; i++)
    if (pthread_create(&thread[i], NULL, one_of_many, NULL) != 0) fail("thread");
  for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
}

static void show(const char *what, const void *result) {
  printf("%s %s %d\n", what, result == MAP_FAILED ? "failed" : "worked", result == MAP_FAILED ? errno : 0);
}

/* What the kernel answers to wrong calls. */
static void errors(void) {
  errno = 0;
  show("no such descriptor", mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 999, 0));
  show("larger than the address space", mmap(NULL, (size_t)1 << 62, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  show("no type", mmap(NULL, bytes, 3, MAP_ANONYMOUS, -1, 0));
  show("at an odd offset", mmap(NULL, bytes, 3, MAP_SHARED, memory_file((off_t)bytes), 5));
  show("at an odd address", mmap((void *)4097, bytes, 3, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  show("no such segment", shmat(0x7fffffff, NULL, 0));
  int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  show("at an odd address", shmat(id, (void *)4097, 0));
  shmctl(id, IPC_RMID, NULL);
  printf("munmap %d %d\n", munmap((void *)1, bytes), errno);
  printf("shmdt %d %d\n", shmdt((void *)4096), errno);
  show("mremap", mremap((void *)4096, 4096, bytes, MREMAP_MAYMOVE));
}

/* Pieces given back, and the rest moved. */
static void pieces(void) {
  char *segment = shared(0);
  use(segment);
  munmap(segment + bytes / 2, bytes / 2);
  segment[0] = 9;
  char *moved = mremap(segment, bytes / 2, bytes / 4, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED || moved[0] != 9) fail("mremap");
}

static void fixed(void) {
  char *place = mmap(NULL, bytes * 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *wanted = place + 4096;
  char *segment = mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (segment != wanted) fail("another place");
  use(segment);
}

int main(int count, char **arguments) {
  const char *wanted = count > 1 ? arguments[1] : "";
  if (count > 2) bytes = (size_t)atol(arguments[2]) << 20;
  if (strcmp(wanted, "shared") == 0) use(shared(0));
  else if (strcmp(wanted, "populated") == 0) use(shared(MAP_POPULATE));
  else if (strcmp(wanted, "sparse") == 0) shared(MAP_NORESERVE)[0] = 1;
  else if (strcmp(wanted, "hugetlb") == 0) use(shared(MAP_HUGETLB));
  else if (strcmp(wanted, "system-v") == 0) use(system_v());
  else if (strcmp(wanted, "file") == 0) use(map(MAP_SHARED, memory_file((off_t)bytes)));
  else if (strcmp(wanted, "too-large") == 0) map(MAP_SHARED, memory_file((off_t)bytes))[bytes - 1] = 1;
  else if (strcmp(wanted, "short-file") == 0) map(MAP_SHARED, memory_file(1 << 20))[0] = 1;
  else if (strcmp(wanted, "private") == 0) use(map(MAP_PRIVATE | MAP_ANONYMOUS, -1));
  else if (strcmp(wanted, "fixed") == 0) fixed();
  else if (strcmp(wanted, "forks") == 0) forks();
  else if (strcmp(wanted, "threads") == 0) threads();
  else if (strcmp(wanted, "pieces") == 0) pieces();
  else if (strcmp(wanted, "errors") == 0) errors();
  else if (strcmp(wanted, "executes") == 0) execl(arguments[0], arguments[0], "shared", (char *)NULL), fail("exec");
  else return 2;
  puts("ok");
  return 0;
}
