/* decision_check SEED: the parser of the environment, with values that are right, wrong, and made up. Compiled with sanitizers
 * where the compiler has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decision.h"

#define EXPECT(condition)                                       \
  do {                                                          \
    if (!(condition)) {                                         \
      printf("line %d: %s is false\n", __LINE__, #condition);   \
      exit(1);                                                  \
    }                                                           \
  } while (0)

static struct decision decision;

static const char *problem_of(const char *variable) {
  default_decision(&decision);
  take_variable(&decision, variable);
  finish_decision(&decision);
  return decision.problem;
}

static void right_values(void) {
  EXPECT(problem_of("NUMAPOOL_ADOPT_NODES=0-1,3")[0] == 0 && decision.given && decision.node_count == 3);
  EXPECT(decision.order[0] == 0 && decision.order[1] == 1 && decision.order[2] == 3);
  EXPECT(problem_of("NUMAPOOL_ADOPT_NODES=255")[0] == 0 && decision.order[0] == 255);
  EXPECT(problem_of("NUMAPOOL_ADOPT_POLICY=Partitioned")[0] == 0 && decision.policy == PARTITIONED);
  EXPECT(problem_of("NUMAPOOL_ADOPT_MIN_SIZE=2Gi")[0] == 0 && decision.min_bytes == 2ull << 30);
  EXPECT(problem_of("NUMAPOOL_ADOPT_MIN_SIZE=1")[0] == 0 && decision.min_bytes == 1 << 20);
  EXPECT(problem_of("NUMAPOOL_ADOPT_KINDS=SysV,Private")[0] == 0 && decision.kinds == (SYS_V | PRIVATE));
  EXPECT(problem_of("NUMAPOOL_ADOPT_HUGE_PAGES=Never")[0] == 0 && decision.huge_pages == NEVER);
  EXPECT(problem_of("NUMAPOOL_ADOPT_WEIGHTS=0=3,1=255")[0] == 0 && decision.weights[1] == 255 && decision.weights[2] == 1);
  EXPECT(problem_of("NUMAPOOL_ADOPT_BIND_CPUS=true")[0] == 0 && decision.bind_cpus);
  EXPECT(problem_of("NUMAPOOL_ADOPT_REPORT_DIR=/tmp/x")[0] == 0 && strcmp(decision.folder, "/tmp/x") == 0);
  EXPECT(problem_of("PATH=/bin")[0] == 0 && !decision.given);
}

static void wrong_values(void) {
  static const char *const wrong[] = {
      "NODES=",  "NODES=-1",   "NODES=0,",       "NODES=3-1",     "NODES=256",     "NODES=0 1",    "NODES=0-18446744073709551616",
      "POLICY=", "POLICY=bind", "MIN_SIZE=",     "MIN_SIZE=-1",   "MIN_SIZE=64M",  "MIN_SIZE=64MiB", "MIN_SIZE=99999999999999999999",
      "KINDS=",  "KINDS=SysV,", "KINDS=SysVx",   "HUGE_PAGES=on", "WEIGHTS=0",     "WEIGHTS=0=0",  "WEIGHTS=0=256",
      "WEIGHTS=256=1", "WEIGHTS=0=1,", "BIND_CPUS=yes", "REPORT_DIR=", "REPORT_DIR=tmp", "MIN_SIZE=16777216Ti"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char variable[160];
    snprintf(variable, sizeof variable, "NUMAPOOL_ADOPT_%s", wrong[i]);
    if (problem_of(variable)[0] == 0) {
      printf("%s was accepted\n", variable);
      exit(1);
    }
    EXPECT(strstr(decision.problem, "use ") != NULL);
  }
}

/* Every value either has a problem, or means something that is within its limits. */
static void made_up_values(unsigned seed) {
  static const char *const names[] = {"NODES", "POLICY", "MIN_SIZE", "KINDS", "HUGE_PAGES", "WEIGHTS", "BIND_CPUS", "REPORT_DIR"};
  static const char letters[] = "0123456789-,=,=KMGTi /SysVPrivate\001\377\n";
  srand(seed);
  for (int i = 0; i < 200000; i++) {
    char variable[1100];
    int at = snprintf(variable, sizeof variable, "NUMAPOOL_ADOPT_%s=", names[rand() % 8]);
    int end = at + rand() % (rand() % 50 == 0 ? 1000 : 12);
    while (at < end) variable[at++] = letters[(size_t)rand() % (sizeof letters - 1)];
    variable[at] = 0;
    problem_of(variable);
    EXPECT(strlen(decision.problem) < WHY_CHARACTERS_MAX && strlen(decision.folder) < FOLDER_CHARACTERS_MAX);
    EXPECT(decision.node_count <= NODE_NUMBERS && decision.min_bytes >= 1 << 20);
    EXPECT(!decision.given || decision.node_count > 0 || decision.problem[0] != 0);
    for (const char *c = decision.problem; *c != 0; c++) EXPECT(*c >= ' ' && *c <= '~');
  }
}

int main(int count, char **arguments) {
  right_values();
  wrong_values();
  made_up_values(count > 1 ? (unsigned)atol(arguments[1]) : 1);
  puts("ok");
  return 0;
}
