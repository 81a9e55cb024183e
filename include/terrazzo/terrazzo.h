/*===- terrazzo/terrazzo.h - the embedding API
 * ------------------------------===*
 *
 * What   Sessions, devices, memory, streams, events and kernels for programs
 *        that run tile kernels. C99; C++ programs may prefer terrazzo.hpp.
 * Why    One interface whatever the vendor, and whether kernels are compiled
 *        here (libterrazzo) or come as artifacts (libterrazzo_runtime).
 *
 * Rules  1. A function that can fail returns a tz_status_t: NULL is success,
 *           anything else is yours to release. On failure, out-parameters are
 *           untouched. No exception leaves the library.
 *        2. Handles: tz_x_create or _open or _load makes one, tz_x_destroy ends
 *           it, NULL is a no-op. Children first, the session last; a
 * tz_device_t belongs to its session and is not destroyed.
 *        3. Any function may be called from any thread; a stream or an event by
 *           one thread at a time.
 *        4. Strings are UTF-8 and NUL-terminated. Those that the library
 *           returns live as long as the object asked.
 *        5. Structs start with struct_size: set it to sizeof.
 *        6. A child of fork may use the library only if no session was made
 *           before; else every call answers TZ_E_FAILED_PRECONDITION and
 *           destroying does nothing. exec starts afresh.
 *===----------------------------------------------------------------------===*/
#ifndef TERRAZZO_TERRAZZO_H
#define TERRAZZO_TERRAZZO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TZ_API __declspec(dllimport)
#else
#define TZ_API __attribute__((visibility("default")))
#endif

#define TZ_VERSION_MAJOR 0
#define TZ_VERSION_MINOR 1

/* "0.1.0" */
TZ_API const char *tz_version(void);
/* 1 if this library can compile kernels from source, else 0. */
TZ_API int32_t tz_has_compiler(void);

/*===-- Status ----------------------------------------------------------===*/

#ifndef TZ_ERROR_CODES /* the same table stands in plugin.h */
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

typedef struct tz_status_s *tz_status_t;

TZ_API int32_t tz_status_code(tz_status_t status); /* NULL: TZ_E_OK */
TZ_API const char *tz_status_code_name(int32_t code);
TZ_API const char *tz_status_message(tz_status_t status); /* NULL: "" */
/* A fact for programs ("file", "line", "native_code"), or NULL. */
TZ_API const char *tz_status_fact(tz_status_t status, const char *key);
TZ_API void tz_status_release(tz_status_t status);

/*===-- Session ---------------------------------------------------------===*/

typedef struct tz_session_s *tz_session_t;

enum {
  TZ_SESSION_IGNORE_ENVIRONMENT = 1, /* read no TERRAZZO_ variable */
  TZ_SESSION_NO_COMPILER = 2,        /* serving: a launch that would compile
                                        fails and says what is missing */
  /* A fault (SIGSEGV, SIGBUS, SIGFPE) inside a kernel that runs in this process
   * is TZ_E_FAULT instead of the end of the process. Installs handlers that
   * pass on every other fault to those that were there before; they stay to the
   * end of the process. TERRAZZO_CATCH_FAULTS=0 turns it off. What the kernel
   * wrote before the fault may have damaged the program's memory. */
  TZ_SESSION_CATCH_FAULTS = 4,
  TZ_SESSION_NULL_ARRAYS = 8, /* pointers that a kernel follows may be 0:
                                 the caller knows that masks keep it
                                 from that (arrays without elements) */
  TZ_SESSION_SIMULATORS = 16  /* simulators of devices have numbers behind those
                                 of a plugin's devices: "x:1". "auto" and "x"
                                 never mean one. TERRAZZO_SIMULATORS=1 too */
};

#ifndef TZ_EXECUTOR_FLAGS /* the same table stands in plugin.h */
#define TZ_EXECUTOR_FLAGS
enum {
  /* run() comes back without waiting for its tasks, and all of them run at the
   * same time, each on a thread of its own. Cooperative launches, whose
   * programs wait for each other, need it; without it they are refused
   * (TZ_E_FAILED_PRECONDITION). */
  TZ_EXECUTOR_CONCURRENT = 1
};
#endif

/* Threads of the program's own, on which devices of the host run the programs
 * of a launch, instead of threads of theirs. The launching thread takes part,
 * so a launch ends even if no other thread ever comes to its help; a launch too
 * short to share asks for none. */
typedef struct tz_executor {
  size_t struct_size;
  uint32_t threads; /* that work on one launch, the launching one included */
  uint32_t flags;   /* TZ_EXECUTOR_* */
  void *ctx;
  /* Sees to it that task(data) is called `count` times, each time on any
   * thread, during this call or later; `count` is below `threads`. A task that
   * comes when its launch has ended, or the session, does nothing. 0, or a
   * TZ_E_* code, with which the launch or copy fails: what it has written
   * stays, and tasks may still be called, or not. May be called from any
   * thread, several at once, also from one whose work for the program launches
   * kernels. No exception may leave it. Tasks never throw, and wait for nothing
   * but, in cooperative launches, each other. If it waits for its tasks, the
   * launching thread asks on_wait and the time limit of the stream only while
   * it runs one of them. */
  int32_t (*run)(void *ctx, uint32_t count, void (*task)(void *data),
                 void *data);
  /* Called once, when the session is destroyed and nothing calls run() any
   * more; NULL: not called. ctx is the session's once tz_session_create has
   * succeeded; if it fails, ctx stays the caller's. */
  void (*destroy)(void *ctx);
} tz_executor;

/* All zero is a good default; so is NULL instead of the struct. */
typedef struct tz_session_options {
  size_t struct_size;
  uint32_t flags, rsvd;
  const char *cache_folder; /* NULL: TERRAZZO_CACHE_DIR ...; "": no cache */
  const char *const *plugin_folders; /* searched before the usual ones */
  size_t num_plugin_folders;
  void *ctx;
  /* A compiler diagnostic as text (several lines); severity 0 error, 1 warning,
   * 2 remark, 3 note. NULL: errors and warnings go to stderr. */
  void (*on_diagnostic)(void *ctx, uint32_t severity, const char *text);
  /* A line that a kernel printed. NULL: stdout. */
  void (*on_print)(void *ctx, const char *line);
  /* Threads on which a device of the host runs the programs of a launch, the
   * launching one included. 0: TERRAZZO_CPU_THREADS, else one a core. */
  uint32_t host_threads, rsvd2;
  /* Asked about every 40 ms by a call that waits: for a kernel, a compilation,
   * a synchronisation. On the thread that made the call. 0 goes on; a TZ_E_*
   * code ends the wait, and the call fails with that code. It must not call
   * back into the session. NULL: waits are not interrupted. */
  int32_t (*on_wait)(void *ctx);
  /* Copied. NULL: devices of the host make threads of their own, as
   * host_threads says, which is 0 if this is given. */
  const tz_executor *executor;
} tz_session_options;

TZ_API tz_status_t tz_session_create(const tz_session_options *options,
                                     tz_session_t *out);
TZ_API void tz_session_destroy(tz_session_t session);

enum {
  TZ_PLUGIN_USABLE = 0,
  TZ_PLUGIN_REJECTED = 1,
  TZ_PLUGIN_SHADOWED = 2,
  TZ_PLUGIN_FILTERED = 3
};

/* A plugin that was found, and what became of it. */
typedef struct tz_plugin_line {
  size_t struct_size;
  uint32_t state, rsvd; /* TZ_PLUGIN_USABLE ... */
  const char *name, *vendor, *version;
  const char *path;   /* of the manifest */
  const char *origin; /* which step of the search found it */
  const char *reason; /* why it is not usable, or which half of it; or "" */
} tz_plugin_line;

TZ_API size_t tz_session_plugin_count(tz_session_t session);
TZ_API tz_status_t tz_session_plugin(tz_session_t session, size_t index,
                                     tz_plugin_line *out);

/*===-- Devices and memory ----------------------------------------------===*/

typedef struct tz_device_s *tz_device_t;

/* target: "cpu", "cpu:1" (device), "cpu:x86-64-v3" (code), "cpu:1:x86-64-v3"
 * (both), "auto", a comma list in order of preference; NULL or "":
 * TERRAZZO_TARGET, else "auto". Without a code target the device's own is
 * taken. A code target without a number takes the first device that is of it,
 * else the first that runs it, else a simulator that does. One that there is
 * not (TZ_E_NOT_FOUND), or that the device cannot run
 * (TZ_E_FAILED_PRECONDITION), is refused with those that it can. Equal answers
 * give one handle; a device opened for two code targets has two, which share
 * its memory, and a launch runs the code of its stream's. */
TZ_API tz_status_t tz_device_open(tz_session_t session, const char *target,
                                  tz_device_t *out);

typedef struct tz_device_facts {
  size_t struct_size;
  const char *name, *plugin, *driver_version;
  const char *target; /* what code for this device is compiled for */
  uint32_t index, compute_units;
  uint32_t host_memory;  /* 1: device memory is ordinary host memory */
  uint32_t simulator;    /* 1: it stands in for a device that is not here */
  uint64_t total_memory; /* bytes, 0 = unknown */
} tz_device_facts;

TZ_API tz_status_t tz_device_describe(tz_device_t device, tz_device_facts *out);

#ifndef TZ_NATIVE /* the same stands in plugin.h */
#define TZ_NATIVE
/* Objects of another interface of the device's: its driver, or a queue of
 * another library's. They are what that interface's functions take, outlive
 * what is made over them, and are left as they are. */
typedef struct tz_native {
  size_t struct_size;
  const char *kind; /* the interface, by its vendor's name; NULL = the first */
  void *context; /* that memory, code and streams belong to; NULL = the usual */
  void *device;  /* NULL = the device of the call, or the context's only one */
  void *object;  /* the stream or event; NULL means what the interface says */
} tz_native;
#endif

/* The device that `target` means, in a context of the program's: memory, code
 * and streams of the handle are that context's. Each call gives a handle of its
 * own, until the session ends. TZ_E_UNIMPLEMENTED: the device works in no other
 * context. */
TZ_API tz_status_t tz_device_wrap(tz_session_t session, const char *target,
                                  const tz_native *native, tz_device_t *out);

/* Kinds of memory. What a device has not is TZ_E_UNIMPLEMENTED. */
#ifndef TZ_MEMORY_KINDS /* the same table stands in plugin.h */
#define TZ_MEMORY_KINDS
enum {
  TZ_MEM_DEVICE = 1,
  TZ_MEM_HOST_PINNED = 2, /* of the host's; kernels reach it at this address */
  TZ_MEM_MANAGED = 3      /* host and device read and write it at one address;
                             the device moves it, or has one memory with the
                             host */
};
#endif

/* Device memory; address is flat and 64 bits. */
TZ_API tz_status_t tz_memory_alloc(tz_device_t device, uint64_t bytes,
                                   uint64_t *address);
/* kind: TZ_MEM_*. Freed by tz_memory_free. */
TZ_API tz_status_t tz_memory_alloc_kind(tz_device_t device, uint32_t kind,
                                        uint64_t bytes, uint64_t *address);
TZ_API tz_status_t tz_memory_free(tz_device_t device, uint64_t address);

/*===-- Streams and events ----------------------------------------------===*/

typedef struct tz_stream_s *tz_stream_t;
typedef struct tz_event_s *tz_event_t;

TZ_API tz_status_t tz_stream_create(tz_device_t device, tz_stream_t *out);
/* Over a stream of the device's own interface, which stays the caller's. */
TZ_API tz_status_t tz_stream_wrap(tz_device_t device, void *native,
                                  tz_stream_t *out);
/* The same with an interface and a context that are named. An object of another
 * device or context than the device's is TZ_E_INVALID_ARGUMENT. */
TZ_API tz_status_t tz_stream_wrap_native(tz_device_t device,
                                         const tz_native *native,
                                         tz_stream_t *out);
TZ_API void tz_stream_destroy(tz_stream_t stream);
/* Waits; prints what kernels printed; a failed device assert is
 * TZ_E_ASSERTION. */
TZ_API tz_status_t tz_stream_sync(tz_stream_t stream);
/* Tells the same of launches that have ended, without waiting: what may still
 * be written is told by a later call. Nothing while the stream is recorded in a
 * graph; what launches of graphs print is told by tz_stream_sync. */
TZ_API tz_status_t tz_stream_poll(tz_stream_t stream);
TZ_API tz_status_t tz_stream_wait(tz_stream_t stream, tz_event_t event);
/* Calls fn(user, code) once, when the stream has done what it was given so far.
 * code: TZ_E_OK, or that of a fault. On any thread; fn must not block, and must
 * not call Terrazzo or the device's own interface. After an error it is not
 * called. TZ_E_UNIMPLEMENTED: the device cannot. */
TZ_API tz_status_t tz_stream_call_back(tz_stream_t stream,
                                       void (*fn)(void *user, int32_t code),
                                       void *user);
/* Ends the launch or synchronisation of the stream that another thread waits in
 * now: it fails with TZ_E_CANCELLED. The one function that any thread may call
 * while another uses the stream. If nothing waits, nothing happens. On the host
 * the kernel itself ends, somewhere between two iterations of a loop or two
 * programs; what it has written stays. On a device the wait ends and the kernel
 * goes on: no device of today can stop it. */
TZ_API tz_status_t tz_stream_cancel(tz_stream_t stream);
/* From now on each launch and synchronisation of the stream that takes longer
 * is ended as by tz_stream_cancel, and fails with TZ_E_TIMEOUT. Compiling does
 * not count. 0, the default: no limit. */
TZ_API tz_status_t tz_stream_set_timeout(tz_stream_t stream, uint64_t ns);

#ifndef TZ_MEMORY_RANGE /* the same stands in plugin.h */
#define TZ_MEMORY_RANGE
typedef struct tz_memory_range { /* frozen */
  uint64_t address, bytes;
  const char *name; /* for messages; may be NULL */
} tz_memory_range;
#endif

/* The memory, besides tz_memory_alloc's, that the next launches on this stream
 * may touch: for sanitizers (TERRAZZO_SANITIZE), which else take the whole of
 * an allocation for one array, and for targets that check accesses themselves
 * ("interp", and "cpu" with the option checked).
 * Copied; replaces what was told before; 0 ranges: nothing is known. */
TZ_API tz_status_t tz_stream_know_memory(tz_stream_t stream,
                                         const tz_memory_range *ranges,
                                         size_t num_ranges);
/* From here on the stream nothing has written these bytes, until kernels with
 * the check `uninitialized`, copies or fills do. Such kernels report what they
 * read before. A kernel without the check that gets a pointer into them writes
 * all. For whole arrays: one of which only a part was forgotten counts as
 * written. */
TZ_API tz_status_t tz_stream_forget_memory(tz_stream_t stream, uint64_t address,
                                           uint64_t bytes);

/* Asynchronous: host memory stays valid until the stream has passed. */
TZ_API tz_status_t tz_copy_in(tz_stream_t stream, uint64_t to, const void *from,
                              uint64_t bytes);
TZ_API tz_status_t tz_copy_out(tz_stream_t stream, void *to, uint64_t from,
                               uint64_t bytes);
TZ_API tz_status_t tz_copy(tz_stream_t stream, uint64_t to, uint64_t from,
                           uint64_t bytes);
/* pattern_bytes: 1, 2 or 4, and divides bytes. */
TZ_API tz_status_t tz_fill(tz_stream_t stream, uint64_t to, uint64_t bytes,
                           uint32_t pattern, uint32_t pattern_bytes);

TZ_API tz_status_t tz_event_create(tz_device_t device, tz_event_t *out);
/* Over an event of another interface, which stays the caller's. */
TZ_API tz_status_t tz_event_wrap(tz_device_t device, const tz_native *native,
                                 tz_event_t *out);
TZ_API void tz_event_destroy(tz_event_t event);
TZ_API tz_status_t tz_event_record(tz_event_t event, tz_stream_t stream);
TZ_API tz_status_t tz_event_query(tz_event_t event, int32_t *done);
/* UINT64_MAX = for ever; else TZ_E_TIMEOUT. */
TZ_API tz_status_t tz_event_sync(tz_event_t event, uint64_t timeout_ns);
TZ_API tz_status_t tz_event_elapsed_ns(tz_event_t start, tz_event_t stop,
                                       uint64_t *out);

/*===-- Kernels ---------------------------------------------------------===*/

#ifndef TZ_VALUE_TYPES /* the same table stands in plugin.h */
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
enum {
  TZ_TYPE_NONE = 64,       /* Python's None */
  TZ_TYPE_STRING = 65,     /* constants only; bits: the address of a C string */
  TZ_TYPE_DESCRIPTOR = 66, /* bits: the address of a tz_descriptor */
  TZ_TYPE_TUPLE = 67,      /* bits: the address of a tz_tuple */
  TZ_TYPE_F8E4B15 = 68     /* only what a pointer or descriptor points to */
};

/* tz_arg.element of a number: its value is known to the compiler, as that of a
 * tl.constexpr; another value is another specialisation. Of a string: it is a
 * text even if it reads like a dtype ("fp16") or a function's name; or it is an
 * expression over triton and tl, or a name that tz_names knows. */
enum { TZ_CONSTEXPR = 1, TZ_EXPRESSION = 2 };

/* An argument of a launch, or a constant. Made by the functions below. A
 * pointer that the kernel follows is not 0 (TZ_E_INVALID_ARGUMENT; see
 * TZ_SESSION_NULL_ARRAYS); an array that is not there is tz_none(). */
typedef struct tz_arg {
  uint32_t type, element; /* element: what a pointer points to */
  uint64_t bits;          /* integers sign- or zero-extended */
} tz_arg;

#define TZ_DESCRIPTOR_MAX_RANK 5

enum { TZ_PADDING_ZERO = 0, TZ_PADDING_NAN = 1 };

/* A tensor of which the kernel takes blocks, as Triton's TensorDescriptor.
 * Reads outside give the padding, writes outside are dropped. The base may lie
 * at any element: multiples of 16 bytes, of it and of the strides, are faster.
 */
typedef struct tz_descriptor {
  size_t struct_size;
  uint64_t data;          /* device address of the first element */
  uint32_t element, rank; /* TZ_TYPE_*; 1 to 5 */
  int64_t shape[TZ_DESCRIPTOR_MAX_RANK];   /* up to INT32_MAX each */
  int64_t strides[TZ_DESCRIPTOR_MAX_RANK]; /* in elements; the last is 1 */
  /* Powers of two; the last spans 16 bytes or more. */
  uint32_t block[TZ_DESCRIPTOR_MAX_RANK];
  uint32_t padding; /* TZ_PADDING_*; NaN for floats only */
} tz_descriptor;

/* A tuple, or with names a named tuple. Items may be tuples and descriptors. */
typedef struct tz_tuple {
  size_t struct_size;
  const tz_arg *items;
  size_t num_items;
  const char *const *names; /* of all items, or NULL */
} tz_tuple;

static inline tz_arg tz_arg_make(uint32_t type, uint32_t element,
                                 uint64_t bits) {
  tz_arg a;
  a.type = type;
  a.element = element;
  a.bits = bits;
  return a;
}
static inline tz_arg tz_pointer(uint64_t address, uint32_t element) {
  return tz_arg_make(TZ_TYPE_PTR, element, address);
}
static inline tz_arg tz_i32(int32_t v) {
  return tz_arg_make(TZ_TYPE_I32, 0, (uint64_t)(int64_t)v);
}
static inline tz_arg tz_i64(int64_t v) {
  return tz_arg_make(TZ_TYPE_I64, 0, (uint64_t)v);
}
static inline tz_arg tz_u32(uint32_t v) {
  return tz_arg_make(TZ_TYPE_U32, 0, v);
}
static inline tz_arg tz_u64(uint64_t v) {
  return tz_arg_make(TZ_TYPE_U64, 0, v);
}
static inline tz_arg tz_bool(int32_t v) {
  return tz_arg_make(TZ_TYPE_I1, 0, v != 0);
}
static inline tz_arg tz_f32(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof(bits));
  return tz_arg_make(TZ_TYPE_F32, 0, bits);
}
static inline tz_arg tz_f64(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof(bits));
  return tz_arg_make(TZ_TYPE_F64, 0, bits);
}
static inline tz_arg tz_string(const char *v) {
  return tz_arg_make(TZ_TYPE_STRING, 0, (uint64_t)(uintptr_t)v);
}
/* A text and nothing else: kernels see a string. */
static inline tz_arg tz_text(const char *v) {
  return tz_arg_make(TZ_TYPE_STRING, TZ_CONSTEXPR, (uint64_t)(uintptr_t)v);
}
static inline tz_arg tz_expression(const char *v) {
  return tz_arg_make(TZ_TYPE_STRING, TZ_EXPRESSION, (uint64_t)(uintptr_t)v);
}
static inline tz_arg tz_none(void) { return tz_arg_make(TZ_TYPE_NONE, 0, 0); }
/* A number, bool, string or None as a constexpr; others stay what they are. */
static inline tz_arg tz_constexpr(tz_arg v) {
  if (v.type > TZ_TYPE_PTR && v.type < TZ_TYPE_NONE) {
    v.element = TZ_CONSTEXPR;
  }
  return v;
}
/* The structs are read during the call that the argument is given to. */
static inline tz_arg tz_descriptor_arg(const tz_descriptor *v) {
  return tz_arg_make(TZ_TYPE_DESCRIPTOR, 0, (uint64_t)(uintptr_t)v);
}
static inline tz_arg tz_tuple_arg(const tz_tuple *v) {
  return tz_arg_make(TZ_TYPE_TUPLE, 0, (uint64_t)(uintptr_t)v);
}

typedef struct tz_named_arg {
  const char *name;
  tz_arg value;
} tz_named_arg;

/* The value of a module-level name that only running the program would tell. */
typedef struct tz_global {
  const char *name;       /* "package.module.name" */
  const char *expression; /* over triton and tl: "3", "tl.float16" */
} tz_global;

enum {
  TZ_NAME_UNDEFINED = 0,  /* no such name; of a failed call, text: why */
  TZ_NAME_EXPRESSION = 1, /* text: over triton and tl, as in tz_global; what
                             kernels may read is "tl.constexpr(3)" */
  TZ_NAME_FUNCTION = 2,   /* text: the source of a jit function, without its
                             decorators; its free names are those of scope */
  TZ_NAME_CLASS = 3,      /* text: the source of an aggregate's or named tuple's
                             class */
  TZ_NAME_OBJECT = 4,     /* a module, say: its attributes are names of scope */
  TZ_NAME_CALLABLE = 5,   /* a host function, for tz_names.call with scope;
                             text "types": it may ask run-time values' types */
  TZ_NAME_OPAQUE = 6      /* no kernel can use it; text: why */
};

/* What a name stands for. Strings: until the next question on the thread. */
typedef struct tz_name {
  size_t struct_size;
  uint32_t kind; /* TZ_NAME_* */
  uint32_t line; /* of the first line of text in path */
  uint64_t scope;
  const char *text;
  const char *path, *function; /* of a function or class: its file, its name */
} tz_name;

/* The names that a running program knows, asked for while a kernel is compiled,
 * on the thread that compiles. Scopes are numbers of the program's, never 0 and
 * never used twice. Beside names as they stand in the source there are "n=",
 * the default of parameter n of scope's function, and "@jit", the keywords of
 * its decorator as a dictionary. An answer must not change while a kernel
 * lives. */
typedef struct tz_names {
  size_t struct_size;
  void *ctx;
  void (*find)(void *ctx, uint64_t scope, const char *name, tz_name *out);
  /* arguments: "3, 'a', dtype('fp16'), n=scope(7), run_time(0, dtype('i32')),
   * "; an answer calls this last one given0. NULL: none are called. */
  void (*call)(void *ctx, uint64_t scope, const char *arguments, tz_name *out);
} tz_names;

/* Where a kernel comes from: a Python file with @triton.jit functions, tile IR,
 * or an artifact that was compiled before (which needs no compiler). */
typedef struct tz_kernel_source {
  size_t struct_size;
  const char *path;
  const char *text; /* instead of reading path; may be NULL */
  size_t text_size;
  const char *function;          /* NULL: the only kernel in the file */
  const tz_named_arg *constants; /* parameters fixed for all launches */
  size_t num_constants;
  const tz_named_arg *options; /* num_warps, num_stages ... */
  size_t num_options;
  /* Folders of packages that the file imports, before TERRAZZO_IMPORT_PATH's.
   */
  const char *const *import_roots;
  size_t num_import_roots;
  const tz_global *globals;
  size_t num_globals;
  /* If given, text is one function's, without decorators, and these are the
   * names that it reads. The struct is copied. */
  const tz_names *names;
  uint64_t scope; /* of the function */
  uint32_t line;  /* of the text's first line in path */
  uint32_t rsvd;
} tz_kernel_source;

typedef struct tz_kernel_s *tz_kernel_t;

TZ_API tz_status_t tz_kernel_load(tz_session_t session,
                                  const tz_kernel_source *source,
                                  tz_kernel_t *out);
TZ_API void tz_kernel_destroy(tz_kernel_t kernel);
/* The parameters that a launch still has to give, in order. */
TZ_API size_t tz_kernel_parameter_count(tz_kernel_t kernel);
TZ_API const char *tz_kernel_parameter_name(tz_kernel_t kernel, size_t index);
/* args: in the order of the parameters, constexpr ones included; those fixed by
 * `constants` left out; trailing ones with a default may be left out. The first
 * launch of a specialisation compiles it. */
TZ_API tz_status_t tz_kernel_launch(tz_kernel_t kernel, tz_stream_t stream,
                                    const int64_t grid[3], const tz_arg *args,
                                    size_t num_args);
/* What a launch with such arguments would compile and load, done now. */
TZ_API tz_status_t tz_kernel_prepare(tz_kernel_t kernel, tz_device_t device,
                                     const tz_arg *args, size_t num_args);
/* Writes the artifact of these arguments to a file for tz_kernel_load. */
TZ_API tz_status_t tz_kernel_save(tz_kernel_t kernel, tz_device_t device,
                                  const tz_arg *args, size_t num_args,
                                  const char *path);

/*===-- Compiled code ---------------------------------------------------===*/

/* What launches with certain arguments run: one specialisation on one device.
 * Lives as long as its kernel. */
typedef struct tz_code_s *tz_code_t;

/* As tz_kernel_prepare, and gives the code. */
TZ_API tz_status_t tz_kernel_compile(tz_kernel_t kernel, tz_device_t device,
                                     const tz_arg *args, size_t num_args,
                                     tz_code_t *out);
/* Compiles for a code target ("plugin:model") whose device need not be in this
 * machine. The code can be described, and its stages read; launches never run
 * it. Each call compiles anew, or loads from the cache. */
TZ_API tz_status_t tz_kernel_compile_for(tz_kernel_t kernel, const char *target,
                                         const tz_arg *args, size_t num_args,
                                         tz_code_t *out);
/* The code that a launch with such arguments would run, if it is there already;
 * else *out is NULL. Compiles nothing. An artifact's code is there if it fits.
 */
TZ_API tz_status_t tz_kernel_find_code(tz_kernel_t kernel, tz_device_t device,
                                       const tz_arg *args, size_t num_args,
                                       tz_code_t *out);
/* As tz_kernel_launch, and gives the code that runs. */
TZ_API tz_status_t tz_kernel_launch_code(tz_kernel_t kernel, tz_stream_t stream,
                                         const int64_t grid[3],
                                         const tz_arg *args, size_t num_args,
                                         tz_code_t *out);

/* Of several variants, the first that needs no cluster. 0: unknown, or of no
 * meaning there. */
typedef struct tz_code_facts {
  size_t struct_size;
  const char *function, *plugin, *target;
  const char *hash;   /* of the code, 64 hexadecimal digits */
  uint32_t registers; /* of a thread */
  uint32_t spill_bytes;
  uint32_t threads; /* of a program */
  uint32_t variants;
  uint64_t shared_bytes; /* memory that the threads of a program share */
  uint32_t cluster[3];
  uint32_t has_log; /* 1: prints or asserts; tz_stream_sync tells them, and
                     * tz_stream_poll */
} tz_code_facts;

TZ_API tz_status_t tz_code_describe(tz_code_t code, tz_code_facts *out);

/* What a kernel does through a pointer, as its source says it: for callers who
 * know what array the pointer belongs to. */
typedef struct tz_pointer_use {
  size_t struct_size;
  uint32_t is_read, is_written;
  /* 1: elements lie apart by sums of 1 and `steps` alone: all constants above 1
   * in the address, and by which the kernel divides, rising, in elements. 0: a
   * distance is an argument, or was loaded. */
  uint32_t has_constant_steps;
  uint32_t num_steps;
  const int64_t *steps; /* as long as the code */
} tz_pointer_use;

/* `argument`: its number in the launch. TZ_E_NOT_FOUND: it is not known (no
 * pointer by itself, an address that becomes an integer, code that was loaded
 * from a file). */
TZ_API tz_status_t tz_code_pointer_use(tz_code_t code, size_t argument,
                                       tz_pointer_use *out);
/* A variable of the code's own, by its name in the machine code: its address on
 * the device, to be read and written by copies, and its size. The memory is the
 * code's, shared by all launches of it. TZ_E_NOT_FOUND: there is none of this
 * name. TZ_E_FAILED_PRECONDITION: code for a device that is not here. */
TZ_API tz_status_t tz_code_global(tz_code_t code, const char *name,
                                  uint64_t *address, uint64_t *bytes);
/* The kernel at a stage: "tile", "neutral", "prepared" (IR), what the target's
 * compiler emits ("simt", "llvm", "asm"), or a part of the code by its name or
 * format. Compiles again where it was not kept. bytes ends with a NUL that size
 * does not count. */
TZ_API tz_status_t tz_code_stage(tz_code_t code, const char *stage,
                                 const char **bytes, size_t *size);

/*===-- Profiling hooks -------------------------------------------------===*/

enum {
  TZ_ACTIVITY_COMPILE = 1,
  TZ_ACTIVITY_LOAD = 2,
  TZ_ACTIVITY_LAUNCH = 3,
  TZ_ACTIVITY_SYNC = 4
};

/* enter and exit of one activity have the same id, on the same thread. name: of
 * the kernel, or "". Hooks must not call back into the session. */
typedef struct tz_hooks {
  size_t struct_size;
  void *ctx;
  void (*enter)(void *ctx, uint32_t activity, uint64_t id, const char *name);
  void (*exit)(void *ctx, uint32_t activity, uint64_t id, int32_t code);
} tz_hooks;

/* NULL removes them. The struct is copied. */
TZ_API tz_status_t tz_session_set_hooks(tz_session_t session,
                                        const tz_hooks *hooks);

/*===-- Profiles --------------------------------------------------------===*/

/* What a session's launches cost, by the scopes that made them. Times of
 * kernels come from the device's own records; where its plugin makes none, from
 * events around each launch, and tz_profile_note says so. Several profiles may
 * run at the same time. While none runs a launch costs what it costs without.
 */

typedef struct tz_profile_s *tz_profile_t;

enum {
  TZ_PROFILE_TREE = 1, /* sums by scope and kernel */
  TZ_PROFILE_TRACE = 2 /* each launch and scope with begin and end */
};

/* FRAMES: frames of the program stand between scopes and kernels; see
 * tz_profile_set_frames. RANGES: ranges of a device's vendor (NVTX) are scopes
 * while the profile runs. OWN: kernels that other libraries launch, copies and
 * fills are not told. */
enum { TZ_PROFILE_FRAMES = 1, TZ_PROFILE_RANGES = 2, TZ_PROFILE_OWN = 4 };

typedef struct tz_profile_options {
  size_t struct_size;
  uint32_t data;  /* TZ_PROFILE_*; 0: a tree */
  uint32_t flags; /* TZ_PROFILE_FRAMES, _RANGES, _OWN */
  /* Of a trace's phase; 0: 2^24. Those beyond are counted, not kept. */
  uint64_t max_records;
  /* Of a tree: instructions of kernels are sampled, each core's every so many
   * cycles (rounded to what the device can); 0: none. Kernels have nodes for
   * their lines if they were compiled with debug_level 1, and metrics
   * num_samples, num_stalled_samples and stalled_REASON. One profile at a
   * time; what a device cannot do, tz_profile_note says. */
  uint64_t sample_period;
} tz_profile_options;

/* Begins one; options may be NULL. It ends with tz_profile_destroy, before its
 * session. */
TZ_API tz_status_t tz_profile_start(tz_session_t session,
                                    const tz_profile_options *options,
                                    tz_profile_t *out);
TZ_API void tz_profile_destroy(tz_profile_t profile);
/* Nothing is recorded between pause and resume. What was launched before
 * counts, so that pause waits for it as a flush does. */
TZ_API tz_status_t tz_profile_pause(tz_profile_t profile);
TZ_API tz_status_t tz_profile_resume(tz_profile_t profile);
/* Waits for what devices have to say of launches that were made. */
TZ_API tz_status_t tz_profile_flush(tz_profile_t profile);
/* Why times are less exact than they could be, or records are missing: a line
 * each; "": neither. Valid until the next call for this profile. */
TZ_API const char *tz_profile_note(tz_profile_t profile);

/* Scopes are names under which this thread's launches are counted, in every
 * profile of the process. They may be open before a profile starts. */
TZ_API tz_status_t tz_profile_enter_scope(const char *name);
/* name: of the innermost scope, or NULL. */
TZ_API tz_status_t tz_profile_exit_scope(const char *name);
/* How many scopes are open on this thread. */
TZ_API size_t tz_profile_depth(void);
/* A last name below all scopes, until it is left; the innermost counts. */
TZ_API tz_status_t tz_profile_enter_state(const char *name);
TZ_API tz_status_t tz_profile_exit_state(void);
/* The name of this thread's next launches, instead of the kernel's; NULL: the
 * kernel's again. */
TZ_API tz_status_t tz_profile_name_launches(const char *name);

/* Where in the program this thread is, outermost first, for profiles with
 * TZ_PROFILE_FRAMES; until the next call. */
TZ_API tz_status_t tz_profile_set_frames(const char *const *frames,
                                         size_t count);
/* While a profile with TZ_PROFILE_FRAMES runs, `tell` is called by each launch,
 * also of another library, on its thread. It calls tz_profile_set_frames.
 * NULL: frames are those of the last call. */
TZ_API tz_status_t tz_profile_watch_frames(void (*tell)(void *ctx), void *ctx);

enum {
  TZ_METRIC_INT = 1,
  TZ_METRIC_FLOAT = 2,
  TZ_METRIC_TEXT = 3,
  TZ_METRIC_INTS = 4,
  TZ_METRIC_FLOATS = 5
};

typedef struct tz_metric {
  size_t struct_size;
  /* "tokens". Behind it "(inc)": scopes above have its sum too, which numbers
   * have without saying so; "(exc)": they have not; "(pty)": the last value
   * counts, not the sum. */
  const char *name;
  uint32_t kind; /* TZ_METRIC_*; the same for all values of a name */
  uint32_t reserved;
  int64_t i64;         /* TZ_METRIC_INT */
  double f64;          /* TZ_METRIC_FLOAT */
  const char *text;    /* TZ_METRIC_TEXT */
  const int64_t *i64s; /* TZ_METRIC_INTS; `count` of them */
  const double *f64s;  /* TZ_METRIC_FLOATS; `count` of them */
  size_t count;
} tz_metric;

/* A value for this thread's innermost scope, or for what name_launches named,
 * in every profile that runs. TZ_E_INVALID_ARGUMENT: the metric has had values
 * of another kind. */
TZ_API tz_status_t tz_profile_add_metric(const tz_metric *metric);

/* A profile has phases, whose numbers are apart: what is recorded belongs to
 * the last one. The first is 0. */
TZ_API tz_status_t tz_profile_advance_phase(tz_profile_t profile,
                                            uint64_t *out);
TZ_API uint64_t tz_profile_phase(tz_profile_t profile);
/* 1: a later phase runs, and devices have said all of this one. */
TZ_API int32_t tz_profile_is_phase_complete(tz_profile_t profile,
                                            uint64_t phase);
/* Forgets what was recorded in phases first to last. */
TZ_API tz_status_t tz_profile_clear(tz_profile_t profile, uint64_t first,
                                    uint64_t last);

enum {
  TZ_PROFILE_KERNEL = 1,
  TZ_PROFILE_COPY = 2,
  TZ_PROFILE_FILL = 3,
  TZ_PROFILE_SCOPE = 4,
  TZ_PROFILE_LAUNCH = 5, /* a call on the host */
  TZ_PROFILE_COMPILE = 6,
  TZ_PROFILE_LOAD = 7,
  TZ_PROFILE_SYNC = 8,
  TZ_PROFILE_PART = 9 /* of a kernel's program; row: of program and warp */
};

/* One record of a trace. */
typedef struct tz_profile_record {
  size_t struct_size;
  uint32_t kind;             /* TZ_PROFILE_* */
  int32_t device;            /* its place in the profile, -1: the host */
  uint64_t row;              /* number of the stream, of the host's thread */
  uint64_t launch;           /* the same for a launch and its kernel; 0: none */
  uint64_t begin_ns, end_ns; /* monotonic clock of the host */
  const char *name;          /* valid until its phase is cleared */
} tz_profile_record;

/* Up to `count` records of a phase from number `first` on. *given: how many. */
TZ_API tz_status_t tz_profile_read(tz_profile_t profile, uint64_t phase,
                                   uint64_t first, tz_profile_record *out,
                                   size_t count, size_t *given);

/* One phase as text or bytes: "hatchet" (JSON) or "hatchet_msgpack" of a tree,
 * "chrome_trace" or "kernel_trace" of a trace, "": the profile's own. Both of a
 * trace are JSON of Chrome's viewer; the second has nothing but kernels, or, if
 * a kernel has told its parts, nothing but parts, by time. Valid until the next
 * call for this profile; a NUL behind it is not counted. */
TZ_API tz_status_t tz_profile_content(tz_profile_t profile, uint64_t phase,
                                      const char *format, const char **bytes,
                                      size_t *size);
/* The same as a file, which is whole or not there. */
TZ_API tz_status_t tz_profile_write(tz_profile_t profile, uint64_t phase,
                                    const char *format, const char *path);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* TERRAZZO_TERRAZZO_H */
