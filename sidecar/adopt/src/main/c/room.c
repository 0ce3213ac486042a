#include "room.h"

#include "syscalls.h"

/* Left for everybody else, as a share: the program has more memory than its segment. */
enum { RESERVE_SHARE = 16, PATH_CHARACTERS_MAX = 1024, LEVELS_MAX = 32 };

/* "Name:   123 kB" anywhere in the line. */
static bool field_kib(const char *line, const char *name, uint64_t *bytes) {
  for (; *line != 0; line++) {
    if (!begins_with(line, name)) continue;
    line += length_of(name);
    while (*line == ' ') line++;
    uint64_t kib;
    if (!take_number(&line, &kib)) return false;
    *bytes = kib << 10;
    return true;
  }
  return false;
}

static bool find_field(const char *path, const char *name, uint64_t *bytes) {
  struct line_reader reader;
  if (!open_lines(&reader, path)) return false;
  char line[160];
  bool found = false;
  while (!found && read_line(&reader, '\n', line, sizeof line)) found = field_kib(line, name, bytes);
  close_lines(&reader);
  return found;
}

/* A file with one number; false for "max" and where there is no such file. */
static bool read_number(struct text folder, const char *name, uint64_t *number) {
  append(&folder, name);
  struct line_reader reader;
  if (!open_lines(&reader, folder.bytes)) return false;
  char line[64];
  const char *at = line;
  bool there = read_line(&reader, '\n', line, sizeof line) && take_number(&at, number);
  close_lines(&reader);
  return there;
}

static uint64_t least_room(struct text folder, uint64_t room) {
  uint64_t limit, current;
  size_t length = folder.length;
  bool limited = read_number(folder, "/memory.max", &limit);
  folder.bytes[length] = 0;
  if (!limited || !read_number(folder, "/memory.current", &current)) return room;
  uint64_t left = limit > current ? limit - current : 0;
  return left < room ? left : room;
}

/* cgroup v2, from the process's own group up to the root of what it sees. */
static uint64_t least_room_of_groups(uint64_t room) {
  static const char root[] = "/sys/fs/cgroup";
  struct line_reader reader;
  char line[PATH_CHARACTERS_MAX / 2], path[PATH_CHARACTERS_MAX];
  if (!open_lines(&reader, "/proc/self/cgroup")) return room;
  bool found = false;
  while (!found && read_line(&reader, '\n', line, sizeof line)) found = begins_with(line, "0::/");
  close_lines(&reader);
  if (!found) return room;
  struct text folder = {path, sizeof path, 0};
  append(&folder, root);
  append(&folder, line + 3);
  for (int level = 0; level < LEVELS_MAX && folder.length >= sizeof root - 1; level++) {
    folder.bytes[folder.length] = 0;
    room = least_room(folder, room);
    while (folder.length > 0 && folder.bytes[--folder.length] != '/') {
    }
  }
  return room;
}

uint64_t available_bytes(void) {
  uint64_t room;
  if (!find_field("/proc/meminfo", "MemAvailable:", &room)) return 0;
  room = least_room_of_groups(room);
  return room - room / RESERVE_SHARE;
}

uint64_t free_bytes_of_node(unsigned node) {
  char path[80];
  struct text text = {path, sizeof path, 0};
  append(&text, "/sys/devices/system/node/node");
  append_number(&text, node);
  append(&text, "/meminfo");
  uint64_t bytes;
  return find_field(path, "MemFree:", &bytes) ? bytes - bytes / RESERVE_SHARE : 0;
}
