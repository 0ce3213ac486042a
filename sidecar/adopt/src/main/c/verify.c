/* What the kernel says, not what was asked for. */
#include "segment.h"
#include "syscalls.h"

enum { LINE_CHARACTERS_MAX = 1536 };

static bool inside(const struct segment *segment, uint64_t address) {
  return address >= segment->address && address - segment->address < segment->bytes;
}

/* The words N<node>=<pages> and kernelpagesize_kB=<n> of one line (fs/proc/task_mmu.c, show_numa_map). */
static void add_line(struct segment *segment, const char *line) {
  uint64_t pages[NODE_NUMBERS] = {0};
  uint64_t page_kib = 0;
  for (const char *word = line; *word != 0; word++) {
    if (word != line && word[-1] != ' ') continue;
    if (begins_with(word, "kernelpagesize_kB=")) {
      word += length_of("kernelpagesize_kB=");
      if (!take_number(&word, &page_kib)) return;
    } else if (*word == 'N') {
      uint64_t node, count;
      const char *at = word + 1;
      if (take_number(&at, &node) && node < NODE_NUMBERS && *at++ == '=' && take_number(&at, &count)) pages[node] += count;
    }
    if (*word == 0) break;
  }
  for (unsigned i = 0; i < NODE_NUMBERS; i++) segment->placed[i] += pages[i] * (page_kib << 10);
  if (page_kib << 10 >= STRIPE_BYTES)
    for (unsigned i = 0; i < NODE_NUMBERS; i++) segment->huge_bytes += pages[i] * (page_kib << 10);
}

static bool count_nodes(struct segment *segment) {
  struct line_reader reader;
  if (!open_lines(&reader, "/proc/self/numa_maps")) return false;
  char line[LINE_CHARACTERS_MAX];
  while (read_line(&reader, '\n', line, sizeof line)) {
    const char *at = line;
    uint64_t address;
    if (take_hex(&at, &address) && inside(segment, address)) add_line(segment, at);
  }
  close_lines(&reader);
  return true;
}

static uint64_t kib_after(const char *line, const char *name) {
  uint64_t kib = 0;
  if (!begins_with(line, name)) return 0;
  line += length_of(name);
  while (*line == ' ') line++;
  return take_number(&line, &kib) ? kib << 10 : 0;
}

/* Collapsed pages count as small ones in numa_maps; smaps knows (fs/proc/task_mmu.c, show_smap). */
static void count_huge(struct segment *segment) {
  struct line_reader reader;
  if (!open_lines(&reader, "/proc/self/smaps")) return;
  char line[LINE_CHARACTERS_MAX];
  bool ours = false;
  while (read_line(&reader, '\n', line, sizeof line)) {
    const char *at = line;
    uint64_t address;
    if (take_hex(&at, &address) && *at == '-')
      ours = inside(segment, address);
    else if (ours)
      segment->huge_bytes += kib_after(line, "ShmemPmdMapped:") + kib_after(line, "AnonHugePages:");
  }
  close_lines(&reader);
}

void verify_segment(struct segment *segment) {
  uint64_t short_bytes = 0;
  segment->huge_bytes = 0;
  for (unsigned i = 0; i < NODE_NUMBERS; i++) segment->placed[i] = 0;
  if (!count_nodes(segment)) {
    explain(segment, "Not verified: /proc/self/numa_maps cannot be read.");
    if (segment->state == PLACED) segment->state = POLICY_ONLY;
    return;
  }
  count_huge(segment);
  if (segment->state == LEFT || segment->state == POLICY_ONLY) return;
  for (unsigned i = 0; i < NODE_NUMBERS; i++)
    if (segment->placed[i] < segment->wanted[i]) short_bytes += segment->wanted[i] - segment->placed[i];
  segment->state = short_bytes == 0 ? PLACED : SPILLED;
}
