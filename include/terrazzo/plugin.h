/*===- terrazzo/plugin.h - the vendor ABI, version 0.2 ---------------------===*
 *
 * What   The only header a vendor needs: one exported function, and tables of
 *        functions asked for by name. A *compiler half* answers
 *        "tz.compiler/1", a *device half* answers "tz.device/1"; one shared
 *        object may answer both. Several device halves may stand beside one
 *        compiler half.
 * Why    No C++, LLVM or MLIR type crosses this boundary, so a plugin may be
 *        built by another compiler and may carry another LLVM.
 *
 * Rules  1. Fixed-width fields, no implicit padding, 64-bit hosts of little
 *           endian order.
 *        2. A growable struct starts with struct_size, goes by pointer, and
 *           stands in arrays of pointers. The value types of section 2 never
 *           change and may be embedded.
 *        3. From 0.2 on, fields are only appended. A zero in an appended input
 *           field means the old behaviour. Whoever fills a struct writes at
 *           most min(struct_size given, own size) bytes and stores that as the
 *           new struct_size. Whoever reads one asks TZ_HAS for what came after
 *           0.2.
 *        4. Missing trailing functions and NULL functions are legal except
 *           where the text says "required". "If NULL:" says what the host does.
 *        5. Strings are UTF-8, pointer and length, not necessarily terminated.
 *           Each struct says who owns its strings and how long they live.
 *        6. What one side allocates the other frees only through `release` or
 *           tz_host.free. No exception, longjmp, abort or exit crosses.
 *        7. Inputs belong to the caller and live until the call returns; the
 *           callee copies. On error, out-parameters are untouched.
 *        8. "[thread: any]": may be called from any thread, concurrently.
 *           "[thread: one]": never concurrently for one object.
 *
 * Numbers   Lists are numbered from 0 in their order: user arguments, slots of
 *           the packed buffer (tz_kernel_info.args), variants
 *           (tz_artifact.kernels), sites of the log, values of a site, devices.
 *           Where 0 must mean "none" the text says "1 + number".
 *
 * Versions  A host serves the plugins of its own major that were built for
 *           TZ_ABI_OLDEST_MINOR or later and need no later minor than its own
 *           (tz_plugin.abi_minor_min_host).
 *===----------------------------------------------------------------------===*/
#ifndef TERRAZZO_PLUGIN_H
#define TERRAZZO_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TZ_CALL __cdecl
#define TZ_PLUGIN_EXPORT __declspec(dllexport)
#else
#define TZ_CALL
#define TZ_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/*===-- 1. Versions and presence ----------------------------------------===*/

#define TZ_ABI_MAJOR 0u
#define TZ_ABI_MINOR 2u
/* The least minor that plugins may be built for. */
#define TZ_ABI_OLDEST_MINOR 2u

/* The least minor of a host that a plugin works with. What came later is
 * optional: a plugin asks for it by TZ_HAS, and works without. One that cannot
 * work without it defines this before the header is included, and an older host
 * refuses it with one sentence. */
#ifndef TZ_ABI_TARGET_MINOR
#define TZ_ABI_TARGET_MINOR TZ_ABI_OLDEST_MINOR
#endif
#if TZ_ABI_TARGET_MINOR > TZ_ABI_MINOR
#error                                                                         \
    "TZ_ABI_TARGET_MINOR is above TZ_ABI_MINOR: the plugin needs newer headers of Terrazzo than these"
#endif
#if TZ_ABI_TARGET_MINOR < TZ_ABI_OLDEST_MINOR
#error                                                                         \
    "TZ_ABI_TARGET_MINOR is below TZ_ABI_OLDEST_MINOR: a plugin of these headers does not run on so old a host"
#endif

/* Bytes of T up to and including field f. */
#define TZ_SIZE_UPTO(T, f) (offsetof(T, f) + sizeof(((T *)0)->f))
/* Is field f there? Is it there and not NULL? p may be NULL. */
#define TZ_HAS(p, T, f) ((p) != 0 && (p)->struct_size >= TZ_SIZE_UPTO(T, f))
#define TZ_HAS_FN(p, T, f) (TZ_HAS(p, T, f) && (p)->f != 0)

/*===-- 2. Value types: frozen, may be members and array elements -------===*/

typedef struct tz_str {
  const char *data;
  size_t size;
} tz_str;

typedef struct tz_bytes {
  const void *data;
  size_t size;
} tz_bytes;

enum { TZ_KV_I64 = 1, TZ_KV_F64 = 2, TZ_KV_STR = 3, TZ_KV_BOOL = 4 };

/* One key with a value of kind TZ_KV_*. A BOOL is in i64 as 0 or 1. Owns: as
 * the struct that points to it. */
typedef struct tz_kv {
  tz_str key;
  uint32_t kind, rsvd;
  int64_t i64;
  double f64;
  tz_str str;
} tz_kv;

/* A format that a compiler half reads, with the versions it reads. */
typedef struct tz_ir_range {
  tz_str format; /* "tile" */
  uint32_t min_major, min_minor, max_major, max_minor;
} tz_ir_range;

/* A named piece of an artifact: ("main", "elf"), ("asm", "text"). */
typedef struct tz_blob {
  tz_str name, format;
  tz_bytes bytes;
} tz_blob;

/* Extension of one call; a list of these hangs on `next` fields. */
#define TZ_EXT_MUST_UNDERSTAND 1u /* unknown id: TZ_E_UNIMPLEMENTED */
typedef struct tz_ext {
  size_t struct_size;
  const struct tz_ext *next;
  const char *id; /* NUL-terminated, "x.<vendor>.<name>/0" while experimental */
  uint32_t flags, rsvd;
} tz_ext;

/* Types of kernel arguments and of printed values. */
#ifndef TZ_VALUE_TYPES /* the same table stands in terrazzo.h */
#define TZ_VALUE_TYPES
enum {
  TZ_TYPE_PTR = 1, /* 8 bytes, a flat device address */
  TZ_TYPE_I1 = 2,  /* one byte, 0 or 1 */
  TZ_TYPE_I8 = 3,
  TZ_TYPE_I16 = 4,
  TZ_TYPE_I32 = 5,
  TZ_TYPE_I64 = 6,
  TZ_TYPE_U8 = 7,
  TZ_TYPE_U16 = 8,
  TZ_TYPE_U32 = 9,
  TZ_TYPE_U64 = 10,
  TZ_TYPE_F16 = 11,
  TZ_TYPE_BF16 = 12,
  TZ_TYPE_F32 = 13,
  TZ_TYPE_F64 = 14,
  TZ_TYPE_F8E4M3FN = 15,
  TZ_TYPE_F8E5M2 = 16,
  TZ_TYPE_F8E4M3FNUZ = 17,
  TZ_TYPE_F8E5M2FNUZ = 18
};
#endif

/*===-- 3. Errors: NULL is success; diagnostics -------------------------===*/

#ifndef TZ_ERROR_CODES /* the same table stands in terrazzo.h */
#define TZ_ERROR_CODES
enum {
  TZ_E_OK = 0,
  TZ_E_CANCELLED = 1,
  TZ_E_UNKNOWN = 2,
  TZ_E_INVALID_ARGUMENT = 3,
  TZ_E_TIMEOUT = 4,
  TZ_E_NOT_FOUND = 5,
  TZ_E_OUT_OF_MEMORY = 8,
  TZ_E_FAILED_PRECONDITION = 9,
  TZ_E_OUT_OF_RANGE = 11,
  TZ_E_UNIMPLEMENTED = 12,
  TZ_E_INTERNAL = 13,
  TZ_E_UNAVAILABLE = 14,
  TZ_E_DATA_LOSS = 15,
  TZ_E_IR_VERSION = 32,
  TZ_E_UNSUPPORTED_OP = 33,
  TZ_E_RESOURCE_LIMIT = 34,
  TZ_E_DEVICE_LOST = 35,
  TZ_E_ASSERTION = 36,
  TZ_E_FAULT = 37 /* a kernel's access or instruction trapped */
};
#endif

enum {
  TZ_ERR_STATIC = 1, /* nothing to free; release may be NULL */
  TZ_ERR_STICKY = 2, /* the device is unusable from now on */
  TZ_ERR_RETRY = 4   /* transient */
};

/* Owns: the caller with all its texts, until release, from any thread. A
 * failing allocation of an error answers a static one. */
typedef struct tz_error {
  size_t struct_size;
  int32_t code;        /* TZ_E_*; unknown codes count as TZ_E_UNKNOWN */
  int32_t native_code; /* the driver's own number, or 0 */
  uint32_t flags, rsvd;
  tz_str message;       /* one line; logs are diagnostics */
  const tz_kv *payload; /* facts for programs: "file", "line" */
  size_t num_payload;
  void(TZ_CALL *release)(struct tz_error *);
} tz_error;

enum {
  TZ_SEVERITY_ERROR = 0,
  TZ_SEVERITY_WARNING = 1,
  TZ_SEVERITY_REMARK = 2,
  TZ_SEVERITY_NOTE = 3
};

/* What a compilation or the loading of code has to say: of the kernel, with its
 * place, or a line of a log, without. Diagnostics of one call are numbered from
 * 0 in the order in which they are reported. Owns: the plugin, until
 * on_diagnostic returns. */
typedef struct tz_diagnostic {
  size_t struct_size;
  uint32_t severity, code; /* TZ_SEVERITY_*; code: 0, or the vendor's own */
  tz_str message;          /* may have several lines */
  tz_str file, pass;       /* empty = none */
  uint32_t line, col, end_line, end_col; /* from 1; 0 = unknown */
  uint32_t parent, rsvd; /* of a note: 1 + number of what it belongs to; or 0 */
} tz_diagnostic;

/*===-- 4. Host services ------------------------------------------------===*/

/* tz_host.executor_flags */
#ifndef TZ_EXECUTOR_FLAGS /* the same table stands in terrazzo.h */
#define TZ_EXECUTOR_FLAGS
enum {
  /* execute() comes back without waiting for its tasks, and all of them run at
   * the same time, each on a thread of its own. Cooperative launches, whose
   * programs wait for each other, need it; without it they are refused
   * (TZ_E_FAILED_PRECONDITION). */
  TZ_EXECUTOR_CONCURRENT = 1
};
#endif

/* Given to create(). [thread: any] until destroy() of the object made with it
 * has returned; `product` lives as long. Services that return int32_t return a
 * TZ_E_* code. */
typedef struct tz_host {
  size_t struct_size;
  void *ctx;
  uint32_t abi_major, abi_minor;
  tz_str product; /* "terrazzo 0.1.0" */
  /* level: 0 error, 1 warning, 2 info, 3 debug. */
  void(TZ_CALL *log)(void *ctx, uint32_t level, tz_str component, tz_str msg);
  /* Ends a buffer that a service of this table gave; NULL is a no-op. */
  void(TZ_CALL *free)(void *ctx, void *p, size_t size, size_t align);
  /* Compile cache. data: Owns: the plugin, released by free(size, 1). */
  int32_t(TZ_CALL *cache_get)(void *ctx, tz_bytes key, void **data,
                              size_t *size);
  int32_t(TZ_CALL *cache_put)(void *ctx, tz_bytes key, tz_bytes value);
  /* Polled between passes with tz_compile_request.request_id: non-zero asks for
   * TZ_E_CANCELLED, since nobody waits for the compilation any more. */
  int32_t(TZ_CALL *is_cancelled)(void *ctx, uint64_t request_id);
  /* A named stretch of time for the profile (monotonic nanoseconds). */
  void(TZ_CALL *span)(void *ctx, uint64_t request_id, tz_str name,
                      uint64_t t0_ns, uint64_t t1_ns);
  /* Asked by a call that waits, on the thread that made the call, about every
   * 40 ms. TZ_E_OK: go on. Another code: end the wait and answer that code. May
   * run code of the program. If NULL: never. */
  int32_t(TZ_CALL *interrupted)(void *ctx);
  /* The program's own threads, for a device half that runs kernels on the host
   * in place of threads of its own. execute() sees to it that task(data) is
   * called `count` times, each time on any thread, during the call or later;
   * `count` is below executor_threads. After a code other than TZ_E_OK, with
   * which the launch fails, tasks may still be called, or not. A task may come
   * after destroy() has returned, and does nothing then. If NULL: the device
   * half uses threads of its own. */
  int32_t(TZ_CALL *execute)(void *ctx, uint32_t count,
                            void(TZ_CALL *task)(void *data), void *data);
  uint32_t executor_threads; /* with the calling one; above 0 with execute */
  uint32_t executor_flags;   /* TZ_EXECUTOR_* */
} tz_host;

/* What both halves are created with. Owns: the caller, for the call; the host
 * alone lives until destroy() has returned. */
typedef struct tz_create_desc {
  size_t struct_size;
  const tz_ext *next;
  const tz_host *host;
  /* By name; a plugin passes over what it does not know. */
  const tz_kv *options;
  size_t num_options;
} tz_create_desc;

/*===-- 5. Entry --------------------------------------------------------===*/

#define TZ_PLUGIN_MAGIC 0x4C505A54u /* "TZPL" */

enum {
  TZ_SANITIZER_NONE = 0,
  TZ_SANITIZER_ADDRESS = 1,
  TZ_SANITIZER_THREAD = 2,
  TZ_SANITIZER_MEMORY = 3
};

/* The value for tz_plugin.sanitizer in this translation unit. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TZ_SANITIZER_TAG 1u
#elif __has_feature(thread_sanitizer)
#define TZ_SANITIZER_TAG 2u
#elif __has_feature(memory_sanitizer)
#define TZ_SANITIZER_TAG 3u
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TZ_SANITIZER_TAG 1u
#elif defined(__SANITIZE_THREAD__)
#define TZ_SANITIZER_TAG 2u
#endif
#ifndef TZ_SANITIZER_TAG
#define TZ_SANITIZER_TAG 0u
#endif

typedef struct tz_query {
  size_t struct_size;
  uint32_t abi_major, host_minor_min, host_minor_max, rsvd;
} tz_query;

enum {
  /* No two compiler calls run at once in the process, of whichever object. */
  TZ_PLUGIN_SERIAL_COMPILER = 1
};

/* Constant data with its texts. Owns: the plugin, to the end of the process. */
typedef struct tz_plugin {
  size_t struct_size;
  uint32_t magic;
  uint32_t abi_major, abi_minor_built;    /* TZ_ABI_MAJOR, TZ_ABI_MINOR */
  uint32_t abi_minor_min_host;            /* TZ_ABI_TARGET_MINOR */
  tz_str name, vendor, version, build_id; /* name, version: as the manifest */
  uint32_t sanitizer, flags;              /* TZ_SANITIZER_*, TZ_PLUGIN_* */
  /* "tz.compiler/1" gives a tz_compiler_api, and so on; NULL = not offered. id
   * is NUL-terminated. [thread: any] Required. */
  const void *(TZ_CALL *get_interface)(const char *id);
} tz_plugin;

/* The one exported symbol of a plugin; the name carries the ABI major. NULL:
 * the plugin does not serve this host. No side effect, no device is touched.
 * [thread: any], any number of times. */
typedef const tz_plugin *(TZ_CALL *tz_plugin_query_fn)(const tz_query *);
TZ_PLUGIN_EXPORT const tz_plugin *TZ_CALL tz_plugin_query_v0(const tz_query *);
#define TZ_PLUGIN_ENTRY "tz_plugin_query_v0"

/*===-- 6. Launch plan --------------------------------------------------===*/

/* An artifact holds variants of one kernel, in order. At a launch the host
 * takes the first whose guard holds; the last has no guard. Guard, physical
 * grid, workspace and derived arguments are postfix expressions over int64_t,
 * at most TZ_EXPR_MAX_STEPS steps. The host evaluates them; a plugin never sees
 * the user's argument list. User argument i is parameter i of the kernel
 * function in the IR that was compiled.
 *
 * Evaluation fails on overflow, on a divisor that is not positive, on a float
 * argument, on an unknown index, on a malformed expression. A guard that fails
 * is false; any other expression that fails makes the launch
 * TZ_E_OUT_OF_RANGE. */

#define TZ_EXPR_MAX_STEPS 64u

enum {
  TZ_X_ARG = 1,    /* push user argument [index]; a pointer is its address */
  TZ_X_CONST = 2,  /* push value */
  TZ_X_GRID = 3,   /* push the user's grid, [index] = axis 0, 1, 2 */
  TZ_X_DEVICE = 4, /* push device property [index] = TZ_DEV_* */
  TZ_X_OCCUPANCY =
      5, /* push blocks of this variant that fit one compute unit */
  /* Two operands; the one pushed last is b. */
  TZ_X_ADD = 16,
  TZ_X_SUB = 17,
  TZ_X_MUL = 18,
  TZ_X_CEILDIV = 19, /* least integer not below a / b; b > 0 */
  TZ_X_REM = 20,     /* a mod b in [0, b); b > 0 */
  TZ_X_MIN = 21,
  TZ_X_MAX = 22,
  TZ_X_AND = 23, /* bitwise; on comparisons the logical and */
  TZ_X_OR = 24,
  TZ_X_EQ = 25, /* comparisons are signed and push 0 or 1 */
  TZ_X_NE = 26,
  TZ_X_LT = 27,
  TZ_X_LE = 28,
  TZ_X_GT = 29,
  TZ_X_GE = 30,
  TZ_X_SELECT = 31 /* condition, a, b were pushed: condition != 0 ? a : b */
};

enum {
  TZ_DEV_COMPUTE_UNITS = 1,
  TZ_DEV_SUBGROUP_SIZE = 2,
  TZ_DEV_MAX_THREADS_PER_BLOCK = 3,
  TZ_DEV_SCRATCH_BYTES = 4,
  TZ_DEV_L2_BYTES = 5,
  TZ_DEV_TOTAL_MEMORY = 6
};

typedef struct tz_expr_step { /* frozen */
  uint32_t op, index;         /* TZ_X_* */
  int64_t value;
} tz_expr_step;

typedef struct tz_expr { /* frozen; num_steps 0 = absent */
  const tz_expr_step *steps;
  size_t num_steps;
} tz_expr;

/* How the host fills one slot of the packed argument buffer. */
enum {
  TZ_ARG_USER = 1,         /* user argument [index], converted by nobody */
  TZ_ARG_TENSOR_VIEW = 2,  /* what arg_encode makes of `view` */
  TZ_ARG_LOGICAL_GRID = 3, /* the user's grid, [index] = axis; 4 or 8 bytes */
  TZ_ARG_WORKSPACE = 4,    /* address of the workspace, 8 bytes */
  TZ_ARG_LOG = 5,          /* address of the stream's log ring, 8 bytes */
  TZ_ARG_TICKET = 6        /* address of a uint32_t that is 0 at each launch */
};

/* A view of memory derived from a user's pointer, of which arg_encode makes
 * what the hardware wants. dims and strides have rank elements, outermost
 * first; strides count elements of element_bits. */
typedef struct tz_view_info {
  size_t struct_size;
  uint32_t base_arg, element_bits, rank, flags;
  tz_expr byte_offset; /* absent = 0 */
  const tz_expr *dims, *strides;
} tz_view_info;

#define TZ_VIEW_MAX_RANK 5u

/* One slot of the packed buffer that launch() receives: `size` bytes at
 * `offset`, aligned to `align` (a power of two, at most 128). Slots do not
 * overlap and lie inside arg_bytes; bytes between slots are zero. Integers and
 * floats are stored in the host's byte order at their own width, I1 as one byte
 * 0 or 1, pointers as 8 bytes. For TZ_ARG_USER, `type` is the TZ_TYPE_* that
 * the code reads (signed and unsigned of one width are the same here) and
 * `size` its width; a user's value of another width is refused by the host. */
typedef struct tz_arg_info {
  size_t struct_size;
  uint32_t kind, index, type, size, align, offset, flags, rsvd;
  tz_str name;
  const tz_view_info *view; /* TZ_ARG_TENSOR_VIEW, else NULL */
} tz_arg_info;

enum {
  TZ_ZERO_NO = 0,   /* contents of the workspace are undefined */
  TZ_ZERO_ONCE = 1, /* zero when it is made; each launch leaves it zero */
  TZ_ZERO_EACH = 2  /* the host zeroes it before each launch */
};

enum {
  TZ_KERNEL_ORDERED = 1,     /* programs must start in linear id order */
  TZ_KERNEL_COOPERATIVE = 2, /* all programs must be resident at once */
  TZ_KERNEL_CONTRACTED = 4   /* float contraction was allowed (information) */
};

/* One variant. Owns: the artifact, with all that it points to. */
typedef struct tz_kernel_info {
  size_t struct_size;
  tz_str name;   /* what kernel_get is asked for */
  tz_expr guard; /* absent = always */
  /* Physical grid; absent = the user's grid on that axis. Each 1 .. 2^31-1. */
  tz_expr grid[3];
  tz_expr workspace_bytes; /* absent = 0 */
  uint32_t workspace_align, workspace_zero;
  const tz_arg_info *const *args; /* slots of the packed buffer */
  size_t num_args;
  uint32_t arg_bytes;            /* size of the packed buffer, at most 64 KiB */
  uint32_t flags;                /* TZ_KERNEL_* */
  uint32_t block[3], cluster[3]; /* given to launch(); zero = 1 */
  uint32_t regs, spill_bytes;    /* information, 0 = unknown */
  uint64_t static_scratch;       /* information: scratch fixed in the code */
  /* Given to launch(): scratch bytes that each block must find. Shared memory
   * on a SIMT machine; a CPU gives each worker thread an arena of this size. */
  uint64_t dyn_scratch;
} tz_kernel_info;

/*===-- 7. Log ring: print and assert -----------------------------------===*/

/* A kernel that prints or asserts has a TZ_ARG_LOG slot. It points to device
 * memory of the launch's stream: a tz_log_header, then `capacity` bytes of
 * records. The host writes the header before the first launch and reads and
 * resets the ring when the stream is synchronised, so that nothing wraps or is
 * overwritten while kernels run.
 *
 * A kernel appends a record so:
 *   old = atomic_add(&header->reserved, size)     (size: multiple of 8)
 *   if (old + size <= capacity)  write the record at byte `old`
 *   else { atomic_add(&header->dropped, 1);
 *          if (old < capacity) store uint32_t 0 at byte `old`; }
 * old is a multiple of 8; the stored 0 tells the reader where records end.
 * Kernels of one stream may overlap, therefore every update is atomic.
 *
 * A record is a tz_log_record followed by `count` elements of the value's type,
 * packed, padded with anything to a multiple of 8. A tile is printed in pieces:
 * [first, first + count) of its elements in row-major order.
 *
 * A failed assert does
 *   if (atomic_compare_exchange(&header->failed, 0, 1 + site) found 0)
 *     header->failed_program[0..2] = program ids
 * and ends its program: the program stores nothing after it. There is no record
 * for it. The next stream synchronisation answers TZ_E_ASSERTION. */

typedef struct tz_log_header { /* 64 bytes, aligned 64; frozen */
  uint64_t capacity;           /* bytes of records, multiple of 8 */
  uint64_t reserved;           /* grows past capacity when the ring is full */
  uint64_t dropped;            /* records that found no room */
  uint32_t failed;             /* 0, or 1 + site of the first failed assert */
  uint32_t failed_program[3];
  uint64_t rsvd[3];
} tz_log_header;

typedef struct tz_log_record { /* 32 bytes; frozen */
  uint32_t size;               /* of this header and the payload */
  uint32_t site;               /* index in tz_artifact.log_sites */
  uint32_t program[3];
  uint32_t value; /* which value of the site */
  uint32_t first, count;
} tz_log_record;

enum {
  TZ_LOG_PRINT = 1,
  TZ_LOG_ASSERT = 2,
  TZ_LOG_REPORT = 3,
  TZ_LOG_PART = 4
};
enum { TZ_LOG_HEX = 1, TZ_LOG_END = 2 };

/* What tz_log_events.clock counts. */
enum {
  TZ_CLOCK_CYCLES = 1, /* of the core that runs the subgroup */
  TZ_CLOCK_TICKS = 2,  /* of a counter that all cores of the device share */
  TZ_CLOCK_STEPS = 3   /* operations of an interpreter */
};

/* When the parts of one program began and ended, as one of its subgroups saw
 * it: a record that the subgroup appends when the program ends. Its site is any
 * of kind TZ_LOG_PART. `value` is 1 + the number of the core that ran the
 * subgroup, or 0: it is not known. `first` is the number of events that were
 * forgotten, the oldest, and `count` that of the events that follow this
 * struct, oldest first. An event is a uint64_t: site << 48, and the clock since
 * `began` in the bits below. */
typedef struct tz_log_events { /* 40 bytes; frozen */
  uint32_t clock, subgroup;    /* TZ_CLOCK_*; number in the program */
  uint64_t began, ended;       /* the clock when the program did */
  /* The same on a clock in ns that all programs of the launch share; 0: none */
  uint64_t began_ns, ended_ns;
} tz_log_events;

typedef struct tz_log_value { /* frozen */
  uint32_t type, rank;        /* TZ_TYPE_*; rank 0 = scalar */
  const int64_t *shape;
} tz_log_value;

/* A print or assert in the source; its number in tz_artifact.log_sites is
 * tz_log_record.site. A print without values writes one record with count 0.
 * A report is a print with `report`: what a sanitizer has found. Its values are
 * scalars that one thread writes one after the other, and its text is
 *   check ; what ; array ; shape ; more
 * with the names of the check ("bounds"), of the access or operation ("load"),
 * of the argument ("x", or nothing), and the tile's extents ("16x32", or
 * nothing for a scalar). The first value is the row-major number of the first
 * element of the tile that the report is about, the second how many there are.
 *   bounds: then the element of the array, and how many elements it has.
 *   nan, overflow: then the value that came out, or the one that is wrong.
 *   uninitialized: then the element of the array.
 *   race: then the element, the key of the other access, and the sizes of the
 *   grid's first two axes. A key is the number of a program plus 1, times 256,
 *   plus the number of a place, of which `more` has a list from 1 on:
 *   "writes@k.py:12:5|reads@k.py:11:9".
 * The next stream synchronisation answers TZ_E_ASSERTION. The program goes on.
 * A part is where a part of the program begins or, with TZ_LOG_END, ends; its
 * text is the part's name. See tz_log_events.
 * Owns: the artifact. */
typedef struct tz_log_site {
  size_t struct_size;
  uint32_t kind, flags; /* TZ_LOG_PRINT ..., TZ_LOG_HEX, TZ_LOG_END */
  tz_str text;          /* the prefix of a print, the message of an assert */
  tz_str file, function;
  uint32_t line, col; /* 0 = unknown */
  const tz_log_value *values;
  size_t num_values;
} tz_log_site;

/*===-- 8. "tz.compiler/1" ----------------------------------------------===*/

typedef struct tz_compiler tz_compiler;

/* Caller sets struct_size, callee fills. 0 = unknown. Owns: the compiler, which
 * keeps texts and lists until destroy. */
typedef struct tz_target_desc {
  size_t struct_size;
  tz_str id, family; /* "cpu:x86-64-v4", "cpu" */
  uint32_t subgroup_size, max_threads_per_block, max_regs_per_thread,
      compute_units;
  uint64_t scratch_bytes, scratch_optin_bytes, l2_bytes;
  uint32_t max_cluster, dlpack_device;
  /* Open list: "vector.bits", "mma.shapes" ... A key names a property of the
   * machine, never a product. */
  const tz_kv *props;
  size_t num_props;
  const tz_ir_range *ir; /* what compile() reads */
  size_t num_ir;
  const char *const *features; /* capability names, NUL-terminated */
  size_t num_features;
} tz_target_desc;

/* Owns: the caller, for the call. */
typedef struct tz_compile_request {
  size_t struct_size;
  const tz_ext *next;
  uint64_t request_id;      /* of this process, for is_cancelled and span */
  tz_str target, ir_format; /* an id of list_targets; "tile" */
  uint32_t ir_major, ir_minor;
  tz_bytes ir;
  uint8_t ir_sha256[32]; /* of ir */
  /* What a person wants to read besides: "simt", "llvm", "asm"; a comma
   * list, each answered by a blob of that name if the plugin has it. */
  tz_str emit;
  uint32_t opt_level, debug_level;
  /* By the names of list_options, or num_warps and the like, which the language
   * gives to every target; what a plugin does not know it ignores. */
  const tz_kv *options;
  size_t num_options;
  void *diag_ctx;
  /* Called during compile() and check() only, on the calling thread. May be
   * NULL. */
  void(TZ_CALL *on_diagnostic)(void *diag_ctx, const tz_diagnostic *);
} tz_compile_request;

/* Owns: the caller, until release, from any thread; it may outlive the compiler
 * object. */
typedef struct tz_artifact {
  size_t struct_size;
  const tz_blob *blobs; /* given to module_load in this order */
  size_t num_blobs;
  const tz_kernel_info *const *kernels; /* variants, in order */
  size_t num_kernels;
  const tz_log_site *const *log_sites;
  size_t num_log_sites;
  tz_str compat; /* private to the vendor: check_artifact reads it */
  const tz_kv *metadata;
  size_t num_metadata;
  void(TZ_CALL *release)(struct tz_artifact *);
} tz_artifact;

/* A compile option that a person may give and a tuner may choose. Owns: the
 * compiler, until destroy. */
typedef struct tz_option_info {
  size_t struct_size;
  tz_str name, help;               /* help: one line, what it changes */
  uint32_t kind, flags;            /* TZ_KV_I64, _BOOL or _STR; flags: 0 */
  int64_t minimum, maximum, value; /* range and default of I64 and BOOL */
  tz_str choices;                  /* comma list of the only values, or empty */
  tz_str choice;                   /* default of STR */
} tz_option_info;

/* All functions: [thread: any], concurrently on one object. With
 * TZ_PLUGIN_SERIAL_COMPILER no two of these calls run at once in the process,
 * also on different objects. */
typedef struct tz_compiler_api {
  size_t struct_size;
  /* Required. No option is defined. */
  tz_error *(TZ_CALL *create)(const tz_create_desc *, tz_compiler **out);
  void(TZ_CALL *destroy)(tz_compiler *); /* required; NULL is a no-op */
  /* Owns: the compiler, until destroy. Required. The first is the default. */
  tz_error *(TZ_CALL *list_targets)(tz_compiler *, const tz_str **ids,
                                    size_t *n);
  tz_error *(TZ_CALL *describe_target)(tz_compiler *, tz_str target,
                                       tz_target_desc *out); /* required */
  /* Would compile() take this request? Without compiling: each op or type that
   * the target has not is reported to on_diagnostic with its place, as an
   * error; then TZ_E_UNSUPPORTED_OP. A request that it passes may still fail in
   * compile(), for its size. If NULL: compile() finds out. */
  tz_error *(TZ_CALL *check)(tz_compiler *, const tz_compile_request *);
  /* Part of the cache key: all that influences the artifact and is not in the
   * request (LLVM, build). If NULL: the plugin's version and build_id. */
  tz_error *(TZ_CALL *fingerprint)(tz_compiler *, const tz_compile_request *,
                                   uint8_t out[32]);
  tz_error *(TZ_CALL *compile)(tz_compiler *, const tz_compile_request *,
                               tz_artifact **out); /* required */
  /* Options of a target, in the order in which a person reads them. Owns: the
   * compiler, until destroy. If NULL: the host lets every option through. */
  tz_error *(TZ_CALL *list_options)(tz_compiler *, tz_str target,
                                    const tz_option_info *const **out,
                                    size_t *n);
} tz_compiler_api;

/*===-- 9. "tz.device/1" ------------------------------------------------===*/

/* Driver calls, no compiler behind it. Device addresses are flat and 64 bits.
 *
 * Threads   Platform, device, module, kernel: [thread: any]. Stream, event:
 *           [thread: one]. So one kernel is launched by several threads at
 *           once, each on a stream of its own and with its own arguments. A
 *           driver that keeps the arguments in its kernel object is given one
 *           such object for each thread, or a lock.
 * Handles   Destroyed through the table, children first: events, streams,
 *           kernels with their module, modules, memory, the platform with its
 *           devices. NULL is a no-op. */

typedef struct tz_platform tz_platform;
typedef struct tz_device tz_device;
typedef struct tz_stream tz_stream;
typedef struct tz_event tz_event;
typedef struct tz_module tz_module;
typedef struct tz_kernel tz_kernel;
typedef uint64_t tz_dptr;

/* Kinds of memory. What a device half has not is TZ_E_UNIMPLEMENTED. */
#ifndef TZ_MEMORY_KINDS /* the same table stands in terrazzo.h */
#define TZ_MEMORY_KINDS
enum {
  TZ_MEM_DEVICE = 1,
  TZ_MEM_HOST_PINNED = 2, /* of the host's; kernels reach it at this address */
  TZ_MEM_MANAGED = 3      /* host and device read and write it at one address;
                             the device moves it, or has one memory with the
                             host */
};
#endif
enum {
  TZ_COPY_ANY = 0, /* the device finds out */
  TZ_COPY_HOST_TO_DEVICE = 1,
  TZ_COPY_DEVICE_TO_HOST = 2,
  TZ_COPY_DEVICE_TO_DEVICE = 3
};
enum {
  TZ_LAUNCH_COOPERATIVE = 1,
  TZ_LAUNCH_ORDERED = 2 /* programs start in linear id order */
};
enum { TZ_DEVICE_HOST_MEMORY = 1 /* device memory is ordinary host memory */ };
enum { TZ_EVENT_TIMING = 1 };

/* What devices() lists. */
enum {
  TZ_DEVICES_REAL = 0,
  /* Stand-ins for devices that the machine has not: simulators, or the host's
   * processor behind an accelerator's driver. They are asked for only when a
   * person wants them, are never chosen by themselves, and are numbered behind
   * the real ones. */
  TZ_DEVICES_SIMULATED = 1
};

/* Objects of another interface of the device's (its driver, a queue of another
 * library's) that a device half works on, in place of its own. They are what
 * that interface's functions take. Owns: the program; they outlive what is made
 * over them, and are left as they are. */
#ifndef TZ_NATIVE /* the same stands in terrazzo.h */
#define TZ_NATIVE
typedef struct tz_native {
  size_t struct_size;
  /* The interface, one of tz_device_info.native_kinds; NULL = the first. */
  const char *kind;
  void *context; /* that memory, code and streams belong to; NULL = the usual */
  void *device;  /* NULL = the device of the call, or the context's only one */
  void *object;  /* the stream or event; NULL means what the interface says */
} tz_native;
#endif

/* Caller sets struct_size, callee fills. Owns: the device, which keeps texts
 * and lists as long as it lives. */
typedef struct tz_device_info {
  size_t struct_size;
  tz_str name, uuid, pci_bus_id, driver_version;
  tz_str target; /* the compiler's target id for this device */
  /* Interfaces whose objects the half works on, a comma list; empty = none. */
  tz_str native_kinds;
  uint32_t dlpack_type, dlpack_id, numa_node, flags; /* TZ_DEVICE_* */
  uint32_t compute_units, subgroup_size, max_threads_per_block, rsvd;
  uint64_t total_mem, free_mem, scratch_bytes, l2_bytes;
  const tz_kv *props;
  size_t num_props;
} tz_device_info;

/* Descriptors. Owns: the caller, for the call. */
typedef struct tz_memory_desc {
  size_t struct_size;
  const tz_ext *next;
  uint32_t kind, flags; /* TZ_MEM_*; flags: 0 */
  uint64_t size, align; /* size above 0; align: a power of two, 0 = 256 */
  tz_stream *stream;    /* the allocation is ordered with it; may be NULL */
} tz_memory_desc;

typedef struct tz_stream_desc {
  size_t struct_size;
  const tz_ext *next;
  uint32_t flags;   /* 0 */
  int32_t priority; /* higher is more urgent, 0 the usual */
  /* Not NULL: a stream over native->object, in native->context. Without that
   * TZ_E_UNIMPLEMENTED; an object of another device or context than this
   * device's is TZ_E_INVALID_ARGUMENT. */
  const tz_native *native;
} tz_stream_desc;

typedef struct tz_event_desc {
  size_t struct_size;
  const tz_ext *next;
  uint32_t flags, rsvd;    /* TZ_EVENT_* */
  const tz_native *native; /* as of a stream */
} tz_event_desc;

typedef struct tz_module_desc {
  size_t struct_size;
  const tz_ext *next;
  const tz_blob *blobs; /* of the artifact, in its order */
  size_t num_blobs;
  void *diag_ctx;
  /* Each line or message of the driver's build log, also of code that loads.
   * On the thread of the call, until it returns. May be NULL. */
  void(TZ_CALL *on_diagnostic)(void *diag_ctx, const tz_diagnostic *);
} tz_module_desc;

/* Caller sets struct_size, callee fills. */
typedef struct tz_mem_info {
  size_t struct_size;
  uint32_t kind, flags; /* TZ_MEM_*; flags: 0 */
  tz_device *device;
  tz_dptr base;
  uint64_t size;
  void *context; /* the native one that it belongs to; NULL = the usual */
} tz_mem_info;

#ifndef TZ_MEMORY_RANGE /* the same stands in terrazzo.h */
#define TZ_MEMORY_RANGE
typedef struct tz_memory_range { /* frozen */
  uint64_t address, bytes;
  const char *name; /* for messages; may be NULL */
} tz_memory_range;
#endif

/* On tz_launch.next: memory that is not of this device's own allocations and
 * that the launch may touch. For devices that check accesses; others skip it.
 * Ranges may overlap. Owns: the caller, for the call. */
#define TZ_EXT_KNOWN_MEMORY "tz.memory/0"
typedef struct tz_known_memory {
  tz_ext head;
  const tz_memory_range *ranges;
  size_t num_ranges;
} tz_known_memory;

/* Caller sets struct_size, callee fills; 0 = unknown. */
typedef struct tz_occupancy {
  size_t struct_size;
  uint32_t blocks; /* that fit one compute unit */
  uint32_t clusters, regs, rsvd;
  uint64_t scratch, local;
} tz_occupancy;

/* Owns: the caller, for the call. args: arg_bytes bytes packed as tz_arg_info
 * says, aligned to 128; valid until launch() returns, so an asynchronous device
 * copies them. The host has checked that no grid axis is 0 or above 2^31-1. */
typedef struct tz_launch {
  size_t struct_size;
  const tz_ext *next;
  uint32_t grid[3], block[3], cluster[3], flags; /* TZ_LAUNCH_* */
  uint64_t dyn_scratch;
  const void *args;
  size_t args_size;
  uint64_t correlation; /* of this process, in order; 0 = none */
} tz_launch;

/* A view with its values, for arg_encode. Strides in elements. Owns: the
 * caller, for the call. */
typedef struct tz_tensor_view {
  size_t struct_size;
  tz_dptr base; /* byte_offset is added already */
  uint32_t element_bits, rank;
  const int64_t *shape, *strides;
} tz_tensor_view;

/* Where an instruction comes from. Owns: the module. */
typedef struct tz_source_place {
  size_t struct_size;
  tz_str file;
  uint32_t line, col; /* 0 = unknown */
} tz_source_place;

/* TZ_E_FAULT carries the facts "pc_offset" (I64, as source_place takes it) and
 * "program" (STR, "3, 0, 0").
 *
 * Required: create destroy devices device_info mem_alloc mem_free copy fill
 * stream_create stream_destroy stream_sync module_load module_unload kernel_get
 * launch. copy, fill, launch and what the stream_ functions order are
 * asynchronous; their faults appear at the next call on the stream, at
 * event_query, or at stream_sync. */
typedef struct tz_device_api {
  size_t struct_size;
  /* Options that a device half may know:
   *   catch_faults  BOOL  faults in kernels become TZ_E_FAULT
   *   host_threads  I64, above 0: threads that run kernels on the host; not
   *                 given together with tz_host.execute */
  tz_error *(TZ_CALL *create)(const tz_create_desc *, tz_platform **out);
  void(TZ_CALL *destroy)(tz_platform *);
  /* which: TZ_DEVICES_*. The same answer each time. Owns: the platform. No
   * device at all is n = 0, not an error. Simulators are made by the first call
   * that asks for them. */
  tz_error *(TZ_CALL *devices)(tz_platform *, uint32_t which,
                               tz_device *const **out, size_t *n);
  tz_error *(TZ_CALL *device_info)(tz_device *, tz_device_info *out);
  /* Can this device run what the compiler half makes for this target id?
   * TZ_E_FAILED_PRECONDITION says why not, TZ_E_NOT_FOUND that there is no such
   * target. Asked when a person names a target, before anything is compiled: of
   * several devices the first that can is taken. If NULL: check_artifact or
   * module_load finds out. */
  tz_error *(TZ_CALL *check_target)(tz_device *, tz_str target);
  /* Can this device run the artifact? TZ_E_FAILED_PRECONDITION says why not. If
   * NULL: module_load finds out. */
  tz_error *(TZ_CALL *check_artifact)(tz_device *, tz_str compat);
  /* A device in a context of the program's: its memory, code and streams are
   * that context's. The caller releases it, after all that was made of it.
   * NULL, both: TZ_E_UNIMPLEMENTED. */
  tz_error *(TZ_CALL *device_wrap)(tz_platform *, const tz_native *,
                                   tz_device **out);
  void(TZ_CALL *device_release)(tz_device *);
  tz_error *(TZ_CALL *mem_alloc)(tz_device *, const tz_memory_desc *,
                                 tz_dptr *out);
  /* With a stream: what it holds may still use the memory. */
  tz_error *(TZ_CALL *mem_free)(tz_device *, tz_dptr, tz_stream *opt);
  /* About a foreign pointer; TZ_E_NOT_FOUND if it is none of this platform's.
   * If NULL: pointers are taken on trust. */
  tz_error *(TZ_CALL *mem_info)(tz_platform *, tz_dptr, tz_mem_info *out);
  /* Host memory named here stays valid until the stream has passed the copy.
   * kind: TZ_COPY_*. */
  tz_error *(TZ_CALL *copy)(tz_stream *, tz_dptr dst, tz_dptr src, uint64_t n,
                            uint32_t kind);
  /* n bytes; pattern_bytes 1, 2 or 4 divides n. */
  tz_error *(TZ_CALL *fill)(tz_stream *, tz_dptr dst, uint64_t n,
                            uint32_t pattern, uint32_t pattern_bytes);
  tz_error *(TZ_CALL *stream_create)(tz_device *, const tz_stream_desc *,
                                     tz_stream **out);
  /* Waits for what it holds; a native stream stays. */
  void(TZ_CALL *stream_destroy)(tz_stream *);
  tz_error *(TZ_CALL *stream_sync)(tz_stream *);
  /* The stream waits for the event. If NULL: the host synchronises. */
  tz_error *(TZ_CALL *stream_wait)(tz_stream *, tz_event *);
  /* fn(user, TZ_E_*) when the stream gets there; fn must not block or call the
   * plugin. If NULL: TZ_E_UNIMPLEMENTED. */
  tz_error *(TZ_CALL *stream_callback)(
      tz_stream *, void(TZ_CALL *fn)(void *user, int32_t code), void *user);
  /* 1: what is asked of the stream now is recorded in a graph, not done. If
   * NULL: never. */
  tz_error *(TZ_CALL *stream_recording)(tz_stream *, int32_t *out);
  /* Ends what runs on the stream, from any thread: the call that waits for it
   * answers TZ_E_CANCELLED soon; without one nothing happens. If NULL: the host
   * ends its wait alone, or TZ_E_UNIMPLEMENTED with TZ_DEVICE_HOST_MEMORY. */
  tz_error *(TZ_CALL *stream_cancel)(tz_stream *);
  /* Events. If event_create is NULL: TZ_E_UNIMPLEMENTED. */
  tz_error *(TZ_CALL *event_create)(tz_device *, const tz_event_desc *,
                                    tz_event **out);
  void(TZ_CALL *event_destroy)(tz_event *); /* a native event stays */
  tz_error *(TZ_CALL *event_record)(tz_event *, tz_stream *);
  tz_error *(TZ_CALL *event_query)(tz_event *, int32_t *done);
  /* timeout_ns: UINT64_MAX = for ever; passed: TZ_E_TIMEOUT. */
  tz_error *(TZ_CALL *event_sync)(tz_event *, uint64_t timeout_ns);
  tz_error *(TZ_CALL *event_elapsed_ns)(tz_event *start, tz_event *stop,
                                        uint64_t *out);
  tz_error *(TZ_CALL *module_load)(tz_device *, const tz_module_desc *,
                                   tz_module **out);
  void(TZ_CALL *module_unload)(tz_module *);
  /* Owns: the module, which gives one kernel for one name. */
  tz_error *(TZ_CALL *kernel_get)(tz_module *, tz_str name, tz_kernel **out);
  /* Memory of the code's own. Owns: the module. If NULL: TZ_E_UNIMPLEMENTED. */
  tz_error *(TZ_CALL *module_global)(tz_module *, tz_str name, tz_dptr *out,
                                     uint64_t *size);
  /* arg: number in tz_kernel_info.args. Required where an artifact has
   * TZ_ARG_TENSOR_VIEW. */
  tz_error *(TZ_CALL *arg_encode)(tz_kernel *, uint32_t arg,
                                  const tz_tensor_view *, void *dst,
                                  size_t dst_size);
  /* If NULL: TZ_X_OCCUPANCY fails. */
  tz_error *(TZ_CALL *kernel_occupancy)(tz_kernel *, const tz_launch *,
                                        tz_occupancy *out);
  tz_error *(TZ_CALL *launch)(tz_stream *, tz_kernel *, const tz_launch *);
  /* The place in the source of the instruction `offset` bytes behind the
   * kernel's first one (negative: before it). TZ_E_NOT_FOUND: it is not known,
   * for want of debug information, say. If NULL: no place is known. */
  tz_error *(TZ_CALL *source_place)(tz_kernel *, int64_t offset,
                                    tz_source_place *out);
} tz_device_api;

/*===-- 10. "x.terrazzo.profiler/0": device activity only ---------------===*/

/* An experiment: it may change or go. Asked for by a host when a profile runs;
 * without it the host times launches by events. Entering and leaving calls is
 * reported by the host itself. */

#define TZ_PROFILER_INTERFACE "x.terrazzo.profiler/0"

typedef struct tz_profiler tz_profiler;

enum {
  TZ_RECORD_KERNEL = 1,
  TZ_RECORD_COPY = 2,
  TZ_RECORD_FILL = 3,
  TZ_RECORD_MODULE = 4,
  TZ_RECORD_DROPPED = 5 /* a = how many */
};

typedef struct tz_record { /* in a buffer one after the other; stride = size */
  uint32_t size, kind;     /* TZ_RECORD_* */
  uint64_t correlation;    /* tz_launch.correlation, 0 = none */
  uint64_t external;       /* innermost of push_external, 0 = none */
  uint64_t t0_ns, t1_ns;   /* of the device's clock, see clock_pair */
  uint32_t device;         /* its number in devices() */
  uint32_t stream;         /* 1 + its number in order of creation, 0 = none */
  /* Of a copy or fill: bytes, TZ_COPY_*. Of a kernel that a graph replays:
   * `external` where the graph recorded it, 1. Else 0. */
  uint64_t a, b;
  tz_str name; /* of a kernel that the host did not launch; until destroy() */
} tz_record;

/* Told from inside of the device's calls, on the thread that makes them, also
 * on several at once. */
typedef struct tz_profiler_watcher {
  size_t struct_size;
  void *ctx;
  /* Before each launch that the host does not number: the `external` of its
   * records; 0: what was pushed. */
  uint64_t(TZ_CALL *launching)(void *ctx);
  /* Ranges that the program names by means of the vendor's; they are nested.
   * NULL, both: the host wants none. */
  void(TZ_CALL *range_begins)(void *ctx, tz_str name);
  void(TZ_CALL *range_ends)(void *ctx);
} tz_profiler_watcher;

/* Records go into buffers of the host's, which get_buffer gives (NULL: there is
 * no memory; count what is dropped) and put_buffer takes back, filled with
 * `valid` bytes. Both may be called from any thread, also inside of launch();
 * not once destroy() has returned. */
typedef struct tz_profiler_api {
  size_t struct_size;
  /* TZ_E_UNAVAILABLE: records cannot be made here; the message says why. One
   * at a time; another is TZ_E_FAILED_PRECONDITION. */
  tz_error *(TZ_CALL *create)(tz_platform *, uint64_t kinds, void *ctx,
                              void *(TZ_CALL *get_buffer)(void *ctx,
                                                          size_t *size),
                              void(TZ_CALL *put_buffer)(void *ctx, void *buf,
                                                        size_t valid),
                              tz_profiler **);
  void(TZ_CALL *destroy)(tz_profiler *);
  /* kinds: 1 << TZ_RECORD_*; 0: none for now. */
  tz_error *(TZ_CALL *enable)(tz_profiler *, uint64_t kinds);
  /* Gives what is there; `wait`: of all that has ended on the device. */
  tz_error *(TZ_CALL *flush)(tz_profiler *, uint32_t wait);
  /* Of this thread. NULL, both: records have no `external`. */
  tz_error *(TZ_CALL *push_external)(tz_profiler *, uint64_t id);
  tz_error *(TZ_CALL *pop_external)(tz_profiler *, uint64_t *id);
  /* NULL: the device's clock is the host's monotonic one. */
  tz_error *(TZ_CALL *clock_pair)(tz_device *, uint64_t *device_ns,
                                  uint64_t *host_monotonic_ns);
  /* Until destroy(), while kinds are enabled. NULL: launches have what was
   * pushed, and no range is told. */
  tz_error *(TZ_CALL *watch)(tz_profiler *, const tz_profiler_watcher *);
} tz_profiler_api;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* TERRAZZO_PLUGIN_H */
