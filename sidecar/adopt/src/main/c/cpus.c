#include "cpus.h"

#include "syscalls.h"

bool read_own_cpus(struct cpu_mask *mask) {
  for (unsigned i = 0; i < CPU_WORDS; i++) mask->words[i] = 0;
  long got = CALL3(sched_getaffinity, 0, sizeof mask->words, mask->words);
  mask->bytes = got > 0 ? (size_t)got : 0;
  return got > 0;
}

bool read_node_cpus(unsigned node, struct cpu_mask *mask) {
  char path[80], line[1024];
  struct text text = {path, sizeof path, 0};
  append(&text, "/sys/devices/system/node/node");
  append_number(&text, node);
  append(&text, "/cpulist");
  struct line_reader reader;
  if (!open_lines(&reader, path)) return false;
  bool there = read_line(&reader, '\n', line, sizeof line) && parse_list(line, mask->words, CPU_WORDS);
  close_lines(&reader);
  return there;
}

bool keep_allowed(struct cpu_mask *mask, const struct cpu_mask *allowed) {
  uint64_t any = 0;
  for (unsigned i = 0; i < CPU_WORDS; i++) any |= mask->words[i] &= allowed->words[i];
  mask->bytes = allowed->bytes;
  return any != 0;
}

bool run_on(const struct cpu_mask *mask) { return CALL3(sched_setaffinity, 0, mask->bytes, mask->words) == 0; }
