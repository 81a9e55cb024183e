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
//   tz_args.foo    of checked code: rows of tz_cpu_argument
// Undefined symbols: memcpy, memmove, memset; nothing else (decision R15).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_KERNELENTRY_H
#define TERRAZZO_PLUGINS_CPU_KERNELENTRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The memory that an argument may touch: from begin on, before end.
typedef struct tz_cpu_bounds {
  uint64_t begin, end;
} tz_cpu_bounds;

// An access of checked code, constant data. The memory is that of one of the
// arguments, whose numbers are listed.
enum { TZ_CPU_ACCESS_WRITE = 1u, TZ_CPU_ACCESS_ATOMIC = 2u };
typedef struct tz_cpu_access {
  const char *file; // of the source; "" = unknown
  const uint32_t *arguments;
  uint32_t line, col;
  uint32_t bytes; // of one element
  uint32_t flags;
  uint32_t num_arguments, rsvd;
} tz_cpu_access;

// A row of the table tz_args.<kernel> of checked code, by argument number.
typedef struct tz_cpu_argument {
  const char *name;
  uint32_t offset; // in the packed buffer
  uint32_t is_pointer;
} tz_cpu_argument;

// What a thread and the code that it runs tell each other.
typedef struct tz_cpu_run {
  // Another thread may write it. Code reads it now and then in loops of the
  // kernel that may be long; if it is not 0, code calls ask(), and returns at
  // once if that is not 0.
  const uint32_t *stop;
  int32_t (*ask)(struct tz_cpu_run *run);
  // Written by the code: the linear id of the program that it is in. Code that
  // is TZ_CPU_KERNEL_REPEATABLE does not write it.
  int64_t program;
  // For checked code. It calls outside() before an access whose lanes may not
  // all lie inside; active is null or a byte for each lane. If an active one
  // lies outside of all arguments of the access, the call does not return.
  const tz_cpu_bounds *bounds;
  void (*outside)(struct tz_cpu_run *run, const tz_cpu_access *access,
                  const uint64_t *addresses, const uint8_t *active,
                  uint32_t lanes);
  // Not 0: while this call runs, no other thread runs code that is
  // TZ_CPU_KERNEL_UPDATES, so that atomics of the scope of a device need no
  // lock. It does not change during a call.
  uint32_t alone;
} tz_cpu_run;

// Runs the programs with linear ids first <= id < last, in rising order.
// id = x + grid[0] * (y + grid[1] * z) but for TZ_CPU_KERNEL_SECOND_AXIS; every
// id is below the grid's product.
//
// - args: the packed argument buffer of the launch, read only.
// - grid: three counts.
// - arena: scratch of this thread alone, aligned to 64 bytes (2 MiB from 1 MiB
//   up), undefined at entry. Its size is the larger of arena_bytes below and
//   the launch's dyn_scratch; null when both are 0.
// - run: of this thread alone, for this call; never null.
//
// A kernel that prints or asserts finds its ring in an argument of kind
// TZ_ARG_LOG. The FP mode at entry is round to nearest with denormals; it is
// kept.
typedef void (*tz_cpu_entry)(const void *args, const uint32_t grid[3],
                             int64_t first, int64_t last, void *arena,
                             tz_cpu_run *run);

#define TZ_CPU_INFO_PREFIX "tz_info."
#define TZ_CPU_ARGUMENTS_PREFIX "tz_args."
#define TZ_CPU_INFO_MAGIC 0x49434B54u // "TKCI" in memory
#define TZ_CPU_INFO_VERSION 3u

enum {
  // Programs wait for smaller ids (decision R6): they are started in strictly
  // linear order, one at a time per thread. TZ_LAUNCH_ORDERED does the same.
  TZ_CPU_KERNEL_WAITS = 1u,
  // The code tests its accesses: there is a table tz_args.<kernel>.
  TZ_CPU_KERNEL_CHECKED = 2u,
  // A program may be run again: it has no loop and reads nothing that programs
  // write. After a fault in one of several, the device half finds out in which
  // by running them one by one. Programs of a few nanoseconds would pay a
  // quarter of their time for writing their ids.
  TZ_CPU_KERNEL_REPEATABLE = 4u,
  // The code has atomics; it reads tz_cpu_run.alone.
  TZ_CPU_KERNEL_UPDATES = 8u,
  // Linear ids count along the second axis first:
  // id = y + grid[1] * (x + grid[0] * z).
  TZ_CPU_KERNEL_SECOND_AXIS = 16u
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
// for those of avx512bf16, avx512vnni, avx512fp16, avxvnni, amxbf16, amxint8
// that the CPU has, in this order: "cpu:x86-64-v4+avx512bf16+avx512vnni".
// tz_device_info.target is such an id; the compiler half accepts every
// combination. The two of AMX count if the system permits the process to use
// its registers (ARCH_REQ_XCOMP_PERM on Linux); each half asks for that once.

// The artifact's `compat` string: "x86_64;" and a comma separated list of the
// features that the object uses, in LLVM's spelling, e.g.
// "x86_64;avx512f,avx512bw,fma". A leading '+' is accepted, entries with '-'
// are skipped. The device half refuses what this CPU does not have.

#ifdef __cplusplus
}
#endif

#endif
