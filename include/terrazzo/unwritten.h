/*===- terrazzo/unwritten.h - the mark of memory that nothing has written ---===
 *
 * What   The value by which an aligned word of eight bytes says that nobody has
 *        written it yet.
 * Why    The check `uninitialized` needs no word from those who write memory,
 * be
 *        it another library's kernel: whoever writes takes the mark away. Each
 *        address has its own mark, so a copy of unwritten memory has none.
 *
 * A program writes the marks when it gets memory, a kernel with the check reads
 * them. A value that is stored by chance is a mark once in 2^64 words.
 *===-----------------------------------------------------------------------===*/
#ifndef TERRAZZO_UNWRITTEN_H
#define TERRAZZO_UNWRITTEN_H

#include <stdint.h>

#define TZ_UNWRITTEN_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define TZ_UNWRITTEN_MASK UINT64_C(0xb5ad4eceda1ce2a9)

/** The mark of the word at an address that 8 divides. */
static inline uint64_t tz_unwritten_mark(uint64_t address) {
  return (address * TZ_UNWRITTEN_FACTOR) ^ TZ_UNWRITTEN_MASK;
}

#endif
