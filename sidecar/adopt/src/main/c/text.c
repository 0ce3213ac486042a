#include "text.h"

#include "syscalls.h"

/* Lists and sizes in the environment are short; /proc files of a program with 65,530 mappings (the kernel's limit) are not:
 * smaps has about 800 bytes a mapping. */
enum { FILE_BYTES_MAX = 64 << 20 };

void append(struct text *text, const char *more) {
  for (; *more != 0 && text->length + 1 < text->capacity; more++) text->bytes[text->length++] = *more;
  text->bytes[text->length] = 0;
}

static void append_in(struct text *text, uint64_t number, unsigned base) {
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = 0;
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  append(text, digits + at);
}

void append_number(struct text *text, uint64_t number) { append_in(text, number, 10); }

void append_hex(struct text *text, uint64_t number) { append_in(text, number, 16); }

void append_foreign(struct text *text, const char *more, size_t limit) {
  char one[2] = {0, 0};
  for (size_t i = 0; i < limit && more[i] != 0; i++) {
    one[0] = more[i] >= ' ' && more[i] <= '~' ? more[i] : '?';
    append(text, one);
  }
}

size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length] != 0) length++;
  return length;
}

bool equal(const char *a, const char *b) {
  while (*a != 0 && *a == *b) a++, b++;
  return *a == *b;
}

bool begins_with(const char *text, const char *prefix) {
  while (*prefix != 0 && *text == *prefix) text++, prefix++;
  return *prefix == 0;
}

bool take_number(const char **at, uint64_t *number) {
  const char *from = *at;
  uint64_t value = 0;
  for (; **at >= '0' && **at <= '9'; (*at)++) {
    uint64_t digit = (uint64_t)(**at - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *number = value;
  return *at != from;
}

bool take_hex(const char **at, uint64_t *number) {
  const char *from = *at;
  uint64_t value = 0;
  for (;; (*at)++) {
    char c = **at;
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    if (value >> 60 != 0) return false;
    value = value << 4 | (uint64_t)digit;
  }
  *number = value;
  return *at != from;
}

bool parse_bytes(const char *text, uint64_t *bytes) {
  static const char units[] = "KMGT";
  uint64_t number;
  if (!take_number(&text, &number)) return false;
  unsigned shift = 0;
  for (unsigned i = 0; units[i] != 0; i++) {
    if (*text == units[i] && text[1] == 'i') {
      shift = 10 * (i + 1);
      text += 2;
      break;
    }
  }
  if (*text != 0 || (shift != 0 && number >> (64 - shift) != 0)) return false;
  *bytes = number << shift;
  return true;
}

bool parse_list(const char *text, uint64_t *mask, size_t words) {
  for (size_t i = 0; i < words; i++) mask[i] = 0;
  for (;;) {
    uint64_t first, last;
    if (!take_number(&text, &first)) return false;
    last = first;
    if (*text == '-') {
      text++;
      if (!take_number(&text, &last)) return false;
    }
    if (last < first || last >= words * 64) return false;
    for (uint64_t i = first; i <= last; i++) mask[i / 64] |= 1ull << (i % 64);
    if (*text == 0) return true;
    if (*text != ',') return false;
    text++;
  }
}

static bool bit(const uint64_t *mask, size_t number) { return (mask[number / 64] >> (number % 64) & 1) != 0; }

void append_list(struct text *text, const uint64_t *mask, size_t words) {
  const char *between = "";
  for (size_t i = 0; i < words * 64; i++) {
    if (!bit(mask, i)) continue;
    size_t last = i;
    while (last + 1 < words * 64 && bit(mask, last + 1)) last++;
    append(text, between);
    append_number(text, i);
    if (last > i) {
      append(text, "-");
      append_number(text, last);
    }
    between = ",";
    i = last;
  }
}

bool open_lines(struct line_reader *reader, const char *path) {
  reader->at = reader->filled = reader->total = 0;
  reader->descriptor = (int)CALL6(openat, AT_CWD, path, OPEN_READ, 0, 0, 0);
  return reader->descriptor >= 0;
}

static bool refill(struct line_reader *reader) {
  if (reader->total >= FILE_BYTES_MAX) return false;
  long got = CALL3(read, reader->descriptor, reader->block, sizeof reader->block);
  if (got <= 0) return false;
  reader->at = 0;
  reader->filled = (size_t)got;
  reader->total += (size_t)got;
  return true;
}

bool read_line(struct line_reader *reader, char ends_with, char *line, size_t capacity) {
  size_t length = 0;
  bool any = false;
  for (;;) { /* ends with the file, or after FILE_BYTES_MAX */
    if (reader->at == reader->filled && !refill(reader)) break;
    char next = reader->block[reader->at++];
    any = true;
    if (next == ends_with) break;
    if (length + 1 < capacity) line[length++] = next;
  }
  line[length] = 0;
  return any;
}

void close_lines(struct line_reader *reader) {
  if (reader->descriptor >= 0) CALL3(close, reader->descriptor, 0, 0);
  reader->descriptor = -1;
}
