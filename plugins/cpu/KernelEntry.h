//===- KernelEntry.h - How a compiled kernel is called --------------------===//
//
// What   The convention between the two halves of this plugin: the entry of a
//        kernel, the record that describes it, and the feature string.
// Why    The halves are separate shared objects. This header, C99 that depends
//        on nothing, and the folder machine/ are all that both include.
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

// Runs the programs with linear ids first <= id < last, in rising order.
// id = x + grid[0] * (y + grid[1] * z); every id is below the grid's product.
//
// - args: the packed argument buffer of the launch, read only.
// - grid: three counts.
// - arena: scratch of this thread alone, aligned to 64 bytes (2 MiB from 1 MiB
//   up), undefined at entry. Its size is the larger of arena_bytes below and
//   the launch's dyn_scratch; null when both are 0.
// - log: reserved, null. A kernel that prints or asserts finds its ring in an
//   argument of kind TZ_ARG_LOG.
//
// The FP mode at entry is round to nearest with denormals; it is kept.
typedef void (*tz_cpu_entry)(const void *args, const uint32_t grid[3],
                             int64_t first, int64_t last, void *arena,
                             void *log);

#define TZ_CPU_INFO_PREFIX "tz_info."
#define TZ_CPU_INFO_MAGIC 0x49434B54u // "TKCI" in memory
#define TZ_CPU_INFO_VERSION 1u

enum {
  // Programs wait for smaller ids (decision R6): they are started in strictly
  // linear order, one at a time per thread. TZ_LAUNCH_ORDERED does the same.
  TZ_CPU_KERNEL_WAITS = 1u
};

// 40 bytes, no padding, constant data. Optional; with it the device half
// refuses a launch whose argument buffer is too small.
typedef struct tz_cpu_kernel_info {
  uint32_t magic, version;
  uint32_t flags;
  uint32_t args_bytes; // of the packed argument buffer that are read
  uint64_t arena_bytes;
  uint32_t ops_per_program; // 0 = unknown
  uint32_t rsvd0;
  uint64_t rsvd1;
} tz_cpu_kernel_info;

// Target ids: "cpu:" and the psABI level (x86-64-v2, -v3, -v4), then "+feature"
// for those of avx512bf16, avx512vnni, avx512fp16, avxvnni that the CPU has, in
// this order: "cpu:x86-64-v4+avx512bf16+avx512vnni". tz_device_info.target is
// such an id; the compiler half accepts every combination.

// The artifact's `compat` string: "x86_64;" and a comma separated list of the
// features that the object uses, in LLVM's spelling, e.g.
// "x86_64;avx512f,avx512bw,fma". A leading '+' is accepted, entries with '-'
// are skipped. The device half refuses what this CPU does not have.

#ifdef __cplusplus
}
#endif

#endif
