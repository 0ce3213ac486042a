/* What compilers call by themselves, also in freestanding code (gcc: "Standards"). Hidden: the program keeps its own. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) ((volatile unsigned char *)to)[i] = (unsigned char)value;
  return to;
}
