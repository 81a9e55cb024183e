//===- KernelEntry.h - How a compiled kernel is called --------------------===//
//
// What   The convention between the two halves of this plugin: the entry of a
//        kernel, the record that describes it, and the feature string.
// Why    The halves are separate shared objects and share no code. This header
//        is the only thing that both include; it is C99 and depends on nothing.
//
// The artifact is one ELF relocatable object (blob format "elf"). For a kernel
// `foo` it defines two global symbols:
//   foo            the entry, of type tz_cpu_entry
//   tz_info.foo    a tz_cpu_kernel_info in a read-only section
// Undefined symbols: memcpy, memmove, memset; nothing else (decision R15).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_KERNELENTRY_H
#define TERRAZZO_PLUGINS_CPU_KERNELENTRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the programs with linear ids first <= id < last, in rising order.
 * id = x + grid[0] * (y + grid[1] * z); all ids are below
 * grid[0]*grid[1]*grid[2]. args   the packed argument buffer of the launch,
 * read only grid   three counts arena  scratch of this thread alone:
 * arena_bytes of the info record, aligned to 64 bytes (2 MiB from 1 MiB up).
 * Contents are undefined at entry. Null when arena_bytes is 0. log    the
 * launch's log ring, or null when the kernel has none The entry keeps the FP
 * mode as it finds it: round to nearest, no flush to zero. */
typedef void (*tz_cpu_entry)(const void *args, const uint32_t grid[3],
                             int64_t first, int64_t last, void *arena,
                             void *log);

#define TZ_CPU_INFO_PREFIX "tz_info."
#define TZ_CPU_INFO_MAGIC 0x49434B54u /* 'TKCI' in memory order T K C I */
#define TZ_CPU_INFO_VERSION 1u

enum {
  /* Programs wait for smaller ids (decision R6): they are started in strictly
   * linear order, one at a time per thread, never skipped or run ahead. */
  TZ_CPU_KERNEL_WAITS = 1u
};

/* 40 bytes, no padding, alignment 8. The compiler half writes it as constant
 * data. */
typedef struct tz_cpu_kernel_info {
  uint32_t magic, version;
  uint32_t flags;
  uint32_t args_bytes; /* size of the packed argument buffer that is read */
  uint64_t arena_bytes;
  uint32_t ops_per_program; /* estimate for chunking; 0 = unknown */
  uint32_t rsvd0;
  uint64_t rsvd1;
} tz_cpu_kernel_info;

/* Target ids: "cpu:" and the psABI level (x86-64-v2, -v3, -v4), then "+feature"
 * for those of avx512bf16, avx512vnni, avx512fp16, avxvnni that the CPU has, in
 * this order: "cpu:x86-64-v4+avx512bf16+avx512vnni". tz_device_info.target is
 * such an id; the compiler half accepts every combination. */

/* The artifact's `compat` string: "x86_64" followed by ";" and a comma
 * separated list of features that the object uses, in the spelling of
 * /proc/cpuinfo as LLVM writes it, e.g. "x86_64;avx512f,avx512bw,avx512vl,fma".
 * The device half refuses an object that needs a feature which this CPU does
 * not have. */

#ifdef __cplusplus
}
#endif

#endif
