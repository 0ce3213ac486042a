/* Text without a C library: bounded in every direction. */
#ifndef NUMAPOOL_TEXT_H
#define NUMAPOOL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text that is put together; what does not fit is cut off. */
struct text {
  char *bytes;
  size_t capacity;
  size_t length;
};

void append(struct text *text, const char *more);
void append_number(struct text *text, uint64_t number);
void append_hex(struct text *text, uint64_t number);
/* Foreign bytes: whatever is no printable ASCII becomes a question mark, so that a report stays one line a field. */
void append_foreign(struct text *text, const char *more, size_t limit);

size_t length_of(const char *text);
bool equal(const char *a, const char *b);
bool begins_with(const char *text, const char *prefix);

/* Digits at *at, which moves behind them; false where there are none or more than 64 bits. */
bool take_number(const char **at, uint64_t *number);
bool take_hex(const char **at, uint64_t *number);

/* "64Mi", "1Gi", "4096": bytes; false for anything else. */
bool parse_bytes(const char *text, uint64_t *bytes);

/* "0-3,7" into bits of a mask of so many words; false for anything else, and for a number that does not fit. */
bool parse_list(const char *text, uint64_t *mask, size_t words);
void append_list(struct text *text, const uint64_t *mask, size_t words);

/* A file read line by line. A line longer than the caller's buffer is cut; its rest is skipped. */
struct line_reader {
  int descriptor;
  size_t at;
  size_t filled;
  size_t total;
  char block[2048];
};

bool open_lines(struct line_reader *reader, const char *path);
bool read_line(struct line_reader *reader, char ends_with, char *line, size_t capacity);
void close_lines(struct line_reader *reader);

#endif
