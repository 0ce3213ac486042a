/* One small file a segment: key=value lines, written beside and renamed, so that a reader sees all of it or none. */
#include "segment.h"
#include "syscalls.h"

enum { REPORT_BYTES_MAX = 16384, NAME_CHARACTERS_MAX = 96, COMMAND_CHARACTERS_MAX = 16 };

static const char *const STATES[] = {"Left", "PolicyOnly", "Placed", "Spilled"};
static const char *const METHODS[] = {"None", "Mbind", "PinnedFirstTouch"};

static void field(struct text *text, const char *name, const char *value) {
  append(text, name);
  append(text, "=");
  append(text, value);
  append(text, "\n");
}

static void field_number(struct text *text, const char *name, uint64_t value) {
  append(text, name);
  append(text, "=");
  append_number(text, value);
  append(text, "\n");
}

static void by_node(struct text *text, const char *name, const uint64_t *bytes) {
  for (unsigned i = 0; i < NODE_NUMBERS; i++) {
    if (bytes[i] == 0) continue;
    append(text, name);
    append(text, ".");
    append_number(text, i);
    append(text, "=");
    append_number(text, bytes[i]);
    append(text, "\n");
  }
}

static void command(struct text *text) {
  char name[COMMAND_CHARACTERS_MAX + 1] = {0};
  struct line_reader reader;
  append(text, "program=");
  if (open_lines(&reader, "/proc/self/comm")) {
    read_line(&reader, '\n', name, sizeof name);
    close_lines(&reader);
  }
  append_foreign(text, name, sizeof name);
  append(text, "\n");
}

static void render(struct text *text, const struct decision *decision, const struct segment *segment) {
  field(text, "version", "1");
  field_number(text, "process", (uint64_t)segment->process);
  command(text);
  field(text, "state", STATES[segment->state]);
  field(text, "why", segment->why);
  field(text, "policy", policy_name(decision->policy));
  append(text, "nodes=");
  append_list(text, decision->nodes, NODE_WORDS);
  append(text, "\n");
  if (segment->bytes > 0) {
    field(text, "kind", kind_name(segment->kind));
    append(text, "address=");
    append_hex(text, segment->address);
    append(text, "\n");
    field_number(text, "bytes", segment->bytes);
    field_number(text, "pageBytes", segment->page_bytes);
    field(text, "method", METHODS[segment->method]);
    field(text, "hugePages", huge_pages_name(decision->huge_pages));
    field_number(text, "hugeBytes", segment->huge_bytes);
    by_node(text, "wanted", segment->wanted);
    by_node(text, "placed", segment->placed);
  }
  field(text, "end", "1"); /* a report without it was cut off */
}

static bool write_all(int descriptor, const struct text *text) {
  for (size_t at = 0; at < text->length;) { /* ends: each write moves at, or the loop */
    long wrote = CALL3(write, descriptor, text->bytes + at, text->length - at);
    if (wrote <= 0) return false;
    at += (size_t)wrote;
  }
  return true;
}

static void name_file(struct text *text, const struct segment *segment, uint64_t nonce) {
  append_number(text, (uint64_t)segment->process);
  append(text, "-");
  append_hex(text, nonce);
  append(text, "-");
  append_number(text, segment->sequence);
}

void report_segment(const struct decision *decision, const struct segment *segment, uint64_t nonce) {
  if (decision->folder[0] == 0) return;
  char body[REPORT_BYTES_MAX], name[NAME_CHARACTERS_MAX], draft[NAME_CHARACTERS_MAX];
  struct text text = {body, sizeof body, 0}, target = {name, sizeof name, 0}, written = {draft, sizeof draft, 0};
  render(&text, decision, segment);
  name_file(&target, segment, nonce);
  append(&target, ".report");
  append(&written, ".");
  name_file(&written, segment, nonce);
  append(&written, ".draft");
  int folder = (int)CALL6(openat, AT_CWD, decision->folder, OPEN_FOLDER, 0, 0, 0);
  if (folder < 0) return; /* nobody to tell: the program's own streams are not ours to write to */
  /* New, never through a link that somebody put there. */
  int descriptor = (int)CALL6(openat, folder, draft, OPEN_WRITE_NEW, 0600, 0, 0);
  if (descriptor >= 0) {
    bool whole = write_all(descriptor, &text);
    CALL3(close, descriptor, 0, 0);
    if (!whole || CALL6(renameat2, folder, draft, folder, name, 0, 0) < 0) CALL3(unlinkat, folder, draft, 0);
  }
  CALL3(close, folder, 0, 0);
}
