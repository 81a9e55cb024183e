/*===- terrazzo/portable.h - kernels in the portable form, read in C --------===
 *
 * What   Reads one kernel of tile IR from the bytes that a plugin's compile()
 *        gets, or `tz compile --emit portable` writes. C99 (or C++11) and its
 *        standard library, nothing else: no LLVM, no MLIR, no library of ours.
 * Why    A vendor may have another LLVM than Terrazzo's, or none.
 *
 * In one source file of a program:
 *   #define TZP_IMPLEMENTATION
 *   #include <terrazzo/portable.h>
 * elsewhere the #include alone.
 *
 *   char why[256];
 *   tzp_kernel *kernel = tzp_read(bytes, size, why, sizeof why);
 *   if (!kernel) { fprintf(stderr, "%s\n", why); return 1; }
 *   for (uint32_t at = tzp_body(kernel); at; at = kernel->ops[at].next)
 *     puts(kernel->ops[at].name);
 *   tzp_free(kernel);
 *
 * Input    May be anything. Sizes, hash, version, tables, scopes and kinds of
 *          attributes are checked; a file that fails is refused with one line.
 *          What an op's operands must be (docs/reference/specification) is not:
 *          Terrazzo verified that before it wrote the file. Who takes files from
 *          elsewhere looks at num_operands and types before using them.
 * Memory   A kernel owns what its pointers show. Texts alone are pieces of the
 *          file, which must live as long. About 100 bytes an op.
 * Threads  A kernel does not change: any number may read it. No global state.
 * Errors   NULL and a message; out of memory too. Nothing is printed.
 * Version  This header reads tile IR 0.1 alone: see the page of the portable
 *          form, docs/reference/portable-form.md.
 *===-----------------------------------------------------------------------===*/
#ifndef TERRAZZO_PORTABLE_H
#define TERRAZZO_PORTABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TZP_IR_MAJOR 0u
#define TZP_IR_MINOR 1u
#define TZP_MAX_RANK 32u
#define TZP_MAX_DEPTH 256u
#define TZP_MAX_OPS (1u << 20)
#define TZP_MAX_ELEMENTS (INT64_C(1) << 30)
#define TZP_MAX_SIZE (UINT64_C(64) << 20) /* bytes of a file */

/* A piece of the file, or of this header. UTF-8, without an end mark. */
typedef struct tzp_str {
  const char *data;
  size_t size;
} tzp_str;

enum { /* tzp_type.tag */
       TZP_I1 = 1,
       TZP_I8 = 2,
       TZP_I16 = 3,
       TZP_I32 = 4,
       TZP_I64 = 5,
       TZP_F16 = 10,
       TZP_BF16 = 11,
       TZP_F32 = 12,
       TZP_F64 = 13,
       TZP_F8E4M3FN = 14,
       TZP_F8E5M2 = 15,
       TZP_F8E4M3FNUZ = 16,
       TZP_F8E5M2FNUZ = 17,
       TZP_F4E2M1FN = 18,
       TZP_POINTER = 32,
       TZP_TILE = 33,
       TZP_VIEW = 34,
       TZP_FUNCTION = 40
};

typedef struct tzp_type {
  uint32_t tag;
  uint32_t element;     /* of a pointer, tile or view: a type's index */
  uint32_t rank;        /* of a tile or view */
  uint32_t num_inputs;  /* of a function */
  int64_t num_elements; /* of a tile or view; 1 of others */
  int64_t shape[TZP_MAX_RANK];
  const uint32_t *inputs; /* types' indices */
} tzp_type;

enum { /* tzp_named.kind: what an attribute is, as its op's record says */
       TZP_KIND_NONE,
       TZP_KIND_UNIT,
       TZP_KIND_BOOL,
       TZP_KIND_I32,
       TZP_KIND_I64,
       TZP_KIND_STRING,
       TZP_KIND_TYPE,
       TZP_KIND_I64_ARRAY,
       TZP_KIND_BOOL_ARRAY,
       TZP_KIND_SEGMENTS, /* operands of each group of an op's definition */
       TZP_KIND_CONSTANT,
       TZP_KIND_ARGUMENT_ATTRIBUTES,
       TZP_KIND_NO_FLAGS, /* never in a file */
       /* From here on enums: tzp_case() has the names. */
       TZP_KIND_MATH_FN,
       TZP_KIND_DIV_MODE,
       TZP_KIND_ROUNDING,
       TZP_KIND_PRECISION,
       TZP_KIND_ATOMIC_KIND,
       TZP_KIND_MEM_SEM,
       TZP_KIND_MEM_SCOPE,
       TZP_KIND_CACHE_HINT,
       TZP_KIND_EVICTION,
       TZP_KIND_CMP_I,
       TZP_KIND_CMP_F
};

enum { /* tzp_attr.tag: how it is stored */
       TZP_ATTR_UNIT = 1,
       TZP_ATTR_BOOL = 2,
       TZP_ATTR_INTEGER = 3,
       TZP_ATTR_FLOAT = 4,
       TZP_ATTR_STRING = 5,
       TZP_ATTR_I64_ARRAY = 6,
       TZP_ATTR_BOOL_ARRAY = 7,
       TZP_ATTR_I32_ARRAY = 8,
       TZP_ATTR_SPLAT = 9,
       TZP_ATTR_ELEMENTS = 10,
       TZP_ATTR_TYPE = 11,
       TZP_ATTR_ENUM = 12,
       TZP_ATTR_DICTIONARY = 13,
       TZP_ATTR_LIST = 14
};

/* An attribute with its name: of an op, or in a dictionary. */
typedef struct tzp_named {
  const char *name;
  uint32_t kind;
  uint32_t value; /* index in tzp_kernel.attrs */
} tzp_named;

typedef struct tzp_attr {
  uint32_t tag;
  uint32_t type; /* index: of a number, splat or elements; a type attribute's */
  /* Truth value, integer, number of an enum's case, or a float's bits. */
  int64_t number;
  tzp_str string;
  /* Of lists, splats (one) and elements, in row-major order; floats as bits. */
  const int64_t *values;
  const tzp_named *named; /* of a dictionary */
  const uint32_t *items;  /* of a list: dictionaries, by index */
  size_t size;            /* of whichever of the three there is */
} tzp_attr;

typedef struct tzp_region {
  uint32_t first_argument, num_arguments; /* values */
  uint32_t first_op;                      /* 0: none */
  uint32_t is_present;                    /* 0: the region has no block */
} tzp_region;

typedef struct tzp_op {
  const char *name; /* "tile.load" */
  uint32_t opcode;
  uint32_t num_operands, num_results, num_attrs, num_regions;
  const uint32_t *operands; /* values */
  uint32_t first_result;    /* a value; the others follow it */
  uint32_t parent;          /* the op whose region it is in; the kernel: 0 */
  uint32_t next;            /* op behind it in its block; 0: it is the last */
  uint32_t location;        /* + 1; 0: none */
  /* Those of the op's record that are there, then hints of any op. */
  const tzp_named *attrs;
  tzp_region regions[2];
} tzp_op;

/* A result of an op, or an argument of a region. */
typedef struct tzp_value {
  uint32_t type;
  uint32_t op; /* that makes it, or has the region */
  uint32_t index;
  uint16_t region, is_argument;
} tzp_value;

enum { /* tzp_location.tag */
       TZP_LOC_UNKNOWN = 1,
       TZP_LOC_LINE = 2,
       TZP_LOC_RANGE = 3,
       TZP_LOC_CALL = 4, /* parts: callee, caller */
       TZP_LOC_NAME = 5, /* parts: what is named */
       TZP_LOC_FUSED = 6
};

typedef struct tzp_location {
  uint32_t tag;
  uint32_t num_parts;
  tzp_str text; /* file, or name */
  uint32_t line, column, end_line, end_column;
  const uint32_t *parts; /* locations, all before this one */
} tzp_location;

/* Each index of a field is valid. Op 0 is the kernel itself. */
typedef struct tzp_kernel {
  uint32_t ir_major, ir_minor;
  uint32_t is_prepared; /* 0: the neutral stage */
  uint32_t num_types, num_attrs, num_ops, num_values, num_locations;
  tzp_type *types;
  tzp_attr *attrs;
  tzp_op *ops;
  tzp_value *values;
  tzp_location *locations;
  struct tzp_chunk_ *chunks; /* the reader's */
} tzp_kernel;

/* NULL on failure; `message` then holds why (cut to `message_size`, ended). */
tzp_kernel *tzp_read(const void *bytes, size_t size, char *message,
                     size_t message_size);
/* NULL is fine. */
void tzp_free(tzp_kernel *kernel);

/* First op of the kernel's body; its arguments are those of regions[0]. */
uint32_t tzp_body(const tzp_kernel *kernel);
/* An attribute of an op, or NULL. */
const tzp_attr *tzp_find(const tzp_kernel *kernel, const tzp_op *op,
                         const char *name);
/* Name of an enum's case, as in the printed form; NULL: no such enum or case.
 */
const char *tzp_case(uint32_t kind, int64_t number);
/* The type as the printed form has it ("tensor<64x!tile.ptr<f32>>"), cut to
   `size` bytes, the end mark among them. What is nested deeper than 16 types is
   "...". */
void tzp_type_text(const tzp_kernel *kernel, uint32_t type, char *text,
                   size_t size);
/* Bits of a scalar's value; 64 of a pointer; 0 of others. */
uint32_t tzp_type_bits(const tzp_type *type);
/* Where the op stands: the innermost line of the kernel's text. 0: unknown. */
int tzp_line(const tzp_kernel *kernel, const tzp_op *op, tzp_str *file,
             uint32_t *line, uint32_t *column);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TERRAZZO_PORTABLE_H */

#ifdef TZP_IMPLEMENTATION
#undef TZP_IMPLEMENTATION

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===--- Tables
 * ------------------------------------------------------------===*/

typedef struct tzp_attr_record_ {
  const char *name;
  uint8_t kind, is_required, since;
} tzp_attr_record_;

typedef struct tzp_op_record_ {
  uint32_t opcode;
  const char *name;
  uint8_t since, num_regions;
  tzp_attr_record_ attrs[6];
} tzp_op_record_;

typedef struct tzp_hint_record_ {
  uint32_t number;
  const char *name;
  uint8_t kind, since;
} tzp_hint_record_;

typedef struct tzp_case_record_ {
  uint8_t kind;
  uint32_t number;
  const char *name;
} tzp_case_record_;

/* tables: made from core/wire by test-portable --bless */
/* clang-format off */
static const tzp_op_record_ tzp_op_records[] = { /* by opcode */
  {1, "tile.kernel", 1, 1, {{"sym_name", 5, 1, 1}, {"function_type", 6, 1, 1}, {"arg_attrs", 11, 0, 1}, {0, 0, 0, 0}}},
  {2, "tile.return", 1, 0, {{0, 0, 0, 0}}},
  {3, "tile.program_id", 1, 0, {{"axis", 3, 1, 1}, {0, 0, 0, 0}}},
  {4, "tile.num_programs", 1, 0, {{"axis", 3, 1, 1}, {0, 0, 0, 0}}},
  {5, "tile.assume", 1, 0, {{0, 0, 0, 0}}},
  {6, "tile.hint", 1, 0, {{"divisibility", 7, 0, 1}, {"contiguity", 7, 0, 1}, {"constancy", 7, 0, 1}, {0, 0, 0, 0}}},
  {7, "tile.barrier", 1, 0, {{0, 0, 0, 0}}},
  {8, "tile.print", 1, 0, {{"prefix", 5, 1, 1}, {"hex", 1, 0, 1}, {"isSigned", 8, 1, 1}, {"report", 1, 0, 1}, {0, 0, 0, 0}}},
  {9, "tile.assert", 1, 0, {{"message", 5, 1, 1}, {0, 0, 0, 0}}},
  {10, "tile.record", 1, 0, {{"part", 5, 1, 1}, {"end", 1, 0, 1}, {0, 0, 0, 0}}},
  {20, "tile.range", 1, 0, {{"start", 3, 1, 1}, {"end", 3, 1, 1}, {0, 0, 0, 0}}},
  {21, "tile.splat", 1, 0, {{0, 0, 0, 0}}},
  {22, "tile.broadcast", 1, 0, {{0, 0, 0, 0}}},
  {23, "tile.reshape", 1, 0, {{0, 0, 0, 0}}},
  {24, "tile.transpose", 1, 0, {{"order", 7, 1, 1}, {0, 0, 0, 0}}},
  {25, "tile.join", 1, 0, {{0, 0, 0, 0}}},
  {26, "tile.split", 1, 0, {{0, 0, 0, 0}}},
  {27, "tile.cat", 1, 0, {{"dim", 3, 1, 1}, {0, 0, 0, 0}}},
  {28, "tile.gather", 1, 0, {{"axis", 3, 1, 1}, {0, 0, 0, 0}}},
  {40, "tile.divsi", 1, 0, {{0, 0, 0, 0}}},
  {41, "tile.divui", 1, 0, {{0, 0, 0, 0}}},
  {42, "tile.remsi", 1, 0, {{0, 0, 0, 0}}},
  {43, "tile.remui", 1, 0, {{0, 0, 0, 0}}},
  {44, "tile.shl", 1, 0, {{0, 0, 0, 0}}},
  {45, "tile.shrsi", 1, 0, {{0, 0, 0, 0}}},
  {46, "tile.shrui", 1, 0, {{0, 0, 0, 0}}},
  {47, "tile.mulhisi", 1, 0, {{0, 0, 0, 0}}},
  {48, "tile.mulhiui", 1, 0, {{0, 0, 0, 0}}},
  {49, "tile.minsi", 1, 0, {{0, 0, 0, 0}}},
  {50, "tile.minui", 1, 0, {{0, 0, 0, 0}}},
  {51, "tile.maxsi", 1, 0, {{0, 0, 0, 0}}},
  {52, "tile.maxui", 1, 0, {{0, 0, 0, 0}}},
  {53, "tile.absi", 1, 0, {{0, 0, 0, 0}}},
  {54, "tile.divf", 1, 0, {{"mode", 14, 1, 1}, {0, 0, 0, 0}}},
  {55, "tile.remf", 1, 0, {{0, 0, 0, 0}}},
  {56, "tile.minf", 1, 0, {{"propagateNan", 1, 0, 1}, {0, 0, 0, 0}}},
  {57, "tile.maxf", 1, 0, {{"propagateNan", 1, 0, 1}, {0, 0, 0, 0}}},
  {58, "tile.fma", 1, 0, {{0, 0, 0, 0}}},
  {59, "tile.math", 1, 0, {{"fn", 13, 1, 1}, {0, 0, 0, 0}}},
  {60, "tile.pow", 1, 0, {{0, 0, 0, 0}}},
  {61, "tile.truncf", 1, 0, {{"rounding", 15, 1, 1}, {0, 0, 0, 0}}},
  {62, "tile.sitofp", 1, 0, {{0, 0, 0, 0}}},
  {63, "tile.uitofp", 1, 0, {{0, 0, 0, 0}}},
  {64, "tile.fptosi", 1, 0, {{0, 0, 0, 0}}},
  {65, "tile.fptoui", 1, 0, {{0, 0, 0, 0}}},
  {66, "tile.bitcast", 1, 0, {{0, 0, 0, 0}}},
  {67, "tile.ptr_to_int", 1, 0, {{0, 0, 0, 0}}},
  {68, "tile.int_to_ptr", 1, 0, {{0, 0, 0, 0}}},
  {69, "tile.dot", 1, 0, {{"precision", 16, 0, 1}, {"maxImprecise", 4, 0, 1}, {0, 0, 0, 0}}},
  {70, "tile.reduce", 1, 1, {{"axis", 3, 1, 1}, {0, 0, 0, 0}}},
  {71, "tile.scan", 1, 1, {{"axis", 3, 1, 1}, {"reverse", 1, 0, 1}, {0, 0, 0, 0}}},
  {72, "tile.yield", 1, 0, {{0, 0, 0, 0}}},
  {73, "tile.histogram", 1, 0, {{0, 0, 0, 0}}},
  {74, "tile.map", 1, 1, {{0, 0, 0, 0}}},
  {75, "tile.clz", 1, 0, {{0, 0, 0, 0}}},
  {100, "tile.addptr", 1, 0, {{0, 0, 0, 0}}},
  {101, "tile.load", 1, 0, {{"operandSegmentSizes", 9, 1, 1}, {"group", 4, 0, 1}, {"cache", 20, 0, 1}, {"evict", 21, 0, 1}, {"isVolatile", 1, 0, 1}, {0, 0, 0, 0}}},
  {102, "tile.store", 1, 0, {{"group", 4, 0, 1}, {"cache", 20, 0, 1}, {"evict", 21, 0, 1}, {0, 0, 0, 0}}},
  {103, "tile.make_view", 1, 0, {{"operandSegmentSizes", 9, 1, 1}, {0, 0, 0, 0}}},
  {104, "tile.advance_view", 1, 0, {{0, 0, 0, 0}}},
  {105, "tile.load_view", 1, 0, {{"operandSegmentSizes", 9, 1, 1}, {"checked", 8, 1, 1}, {"group", 4, 0, 1}, {"cache", 20, 0, 1}, {"evict", 21, 0, 1}, {0, 0, 0, 0}}},
  {106, "tile.store_view", 1, 0, {{"checked", 8, 1, 1}, {"group", 4, 0, 1}, {"cache", 20, 0, 1}, {"evict", 21, 0, 1}, {0, 0, 0, 0}}},
  {107, "tile.atomic_rmw", 1, 0, {{"kind", 17, 1, 1}, {"sem", 18, 1, 1}, {"scope", 19, 1, 1}, {"group", 4, 0, 1}, {0, 0, 0, 0}}},
  {108, "tile.atomic_cas", 1, 0, {{"sem", 18, 1, 1}, {"scope", 19, 1, 1}, {"group", 4, 0, 1}, {0, 0, 0, 0}}},
  {109, "tile.view_parts", 1, 0, {{0, 0, 0, 0}}},
  {140, "arith.constant", 1, 0, {{"value", 10, 1, 1}, {0, 0, 0, 0}}},
  {141, "arith.addi", 1, 0, {{"overflowFlags", 12, 0, 1}, {0, 0, 0, 0}}},
  {142, "arith.subi", 1, 0, {{"overflowFlags", 12, 0, 1}, {0, 0, 0, 0}}},
  {143, "arith.muli", 1, 0, {{"overflowFlags", 12, 0, 1}, {0, 0, 0, 0}}},
  {144, "arith.andi", 1, 0, {{0, 0, 0, 0}}},
  {145, "arith.ori", 1, 0, {{0, 0, 0, 0}}},
  {146, "arith.xori", 1, 0, {{0, 0, 0, 0}}},
  {147, "arith.cmpi", 1, 0, {{"predicate", 22, 1, 1}, {0, 0, 0, 0}}},
  {148, "arith.select", 1, 0, {{0, 0, 0, 0}}},
  {149, "arith.extsi", 1, 0, {{0, 0, 0, 0}}},
  {150, "arith.extui", 1, 0, {{0, 0, 0, 0}}},
  {151, "arith.trunci", 1, 0, {{"overflowFlags", 12, 0, 1}, {0, 0, 0, 0}}},
  {152, "arith.addf", 1, 0, {{"fastmath", 12, 0, 1}, {0, 0, 0, 0}}},
  {153, "arith.subf", 1, 0, {{"fastmath", 12, 0, 1}, {0, 0, 0, 0}}},
  {154, "arith.mulf", 1, 0, {{"fastmath", 12, 0, 1}, {0, 0, 0, 0}}},
  {155, "arith.negf", 1, 0, {{"fastmath", 12, 0, 1}, {0, 0, 0, 0}}},
  {156, "arith.cmpf", 1, 0, {{"predicate", 23, 1, 1}, {"fastmath", 12, 0, 1}, {0, 0, 0, 0}}},
  {157, "arith.extf", 1, 0, {{"fastmath", 12, 0, 1}, {0, 0, 0, 0}}},
  {180, "scf.for", 1, 1, {{"unsignedCmp", 1, 0, 1}, {0, 0, 0, 0}}},
  {181, "scf.if", 1, 2, {{0, 0, 0, 0}}},
  {182, "scf.while", 1, 2, {{0, 0, 0, 0}}},
  {183, "scf.yield", 1, 0, {{0, 0, 0, 0}}},
  {184, "scf.condition", 1, 0, {{0, 0, 0, 0}}},
};
static const tzp_hint_record_ tzp_hint_records[] = {
  {1, "tile.num_warps", 3, 1},
  {2, "tile.num_stages", 3, 1},
  {3, "tile.waits", 1, 1},
  {4, "tile.contract", 2, 1},
  {5, "tile.record_warps", 4, 1},
  {20, "tile.name", 5, 1},
  {21, "tile.divisibility", 4, 1},
  {22, "tile.group", 4, 1},
  {23, "tile.const", 1, 1},
  {40, "tile.loop_unroll_factor", 3, 1},
  {41, "tile.disallow_acc_multi_buffer", 1, 1},
  {42, "tile.flatten", 1, 1},
  {43, "tile.warp_specialize", 1, 1},
  {44, "tile.disable_licm", 1, 1},
};
static const tzp_case_record_ tzp_case_records[] = {
  {13, 0, "exp"},
  {13, 1, "exp2"},
  {13, 2, "log"},
  {13, 3, "log2"},
  {13, 4, "sin"},
  {13, 5, "cos"},
  {13, 6, "tan"},
  {13, 7, "sqrt"},
  {13, 8, "sqrt_rn"},
  {13, 9, "rsqrt"},
  {13, 10, "erf"},
  {13, 11, "tanh"},
  {13, 12, "floor"},
  {13, 13, "ceil"},
  {13, 14, "trunc"},
  {13, 15, "rint"},
  {13, 16, "abs"},
  {13, 17, "log1p"},
  {13, 18, "expm1"},
  {14, 0, "approx"},
  {14, 1, "rn"},
  {15, 0, "rtne"},
  {15, 1, "rtz"},
  {16, 0, "ieee"},
  {16, 1, "tf32"},
  {16, 2, "tf32x3"},
  {16, 3, "bf16x3"},
  {16, 4, "bf16x6"},
  {16, 5, "target_default"},
  {17, 0, "add"},
  {17, 1, "fadd"},
  {17, 2, "max"},
  {17, 3, "min"},
  {17, 4, "umax"},
  {17, 5, "umin"},
  {17, 6, "fmax"},
  {17, 7, "fmin"},
  {17, 8, "and"},
  {17, 9, "or"},
  {17, 10, "xor"},
  {17, 11, "xchg"},
  {18, 0, "relaxed"},
  {18, 1, "acquire"},
  {18, 2, "release"},
  {18, 3, "acq_rel"},
  {19, 0, "program"},
  {19, 1, "device"},
  {19, 2, "system"},
  {20, 0, "none"},
  {20, 1, "ca"},
  {20, 2, "cg"},
  {20, 3, "cv"},
  {20, 4, "cs"},
  {20, 5, "wb"},
  {20, 6, "wt"},
  {21, 0, "normal"},
  {21, 1, "evict_first"},
  {21, 2, "evict_last"},
  {22, 0, "eq"},
  {22, 1, "ne"},
  {22, 2, "slt"},
  {22, 3, "sle"},
  {22, 4, "sgt"},
  {22, 5, "sge"},
  {22, 6, "ult"},
  {22, 7, "ule"},
  {22, 8, "ugt"},
  {22, 9, "uge"},
  {23, 0, "false"},
  {23, 1, "oeq"},
  {23, 2, "ogt"},
  {23, 3, "oge"},
  {23, 4, "olt"},
  {23, 5, "ole"},
  {23, 6, "one"},
  {23, 7, "ord"},
  {23, 8, "ueq"},
  {23, 9, "ugt"},
  {23, 10, "uge"},
  {23, 11, "ult"},
  {23, 12, "ule"},
  {23, 13, "une"},
  {23, 14, "uno"},
  {23, 15, "true"},
};
/* clang-format on */
/* tables: end */

static const tzp_op_record_ *tzp_op_record(uint64_t opcode) {
  size_t low = 0, high = sizeof tzp_op_records / sizeof *tzp_op_records;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (tzp_op_records[middle].opcode == opcode) {
      return &tzp_op_records[middle];
    }
    if (tzp_op_records[middle].opcode < opcode) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

static const tzp_hint_record_ *tzp_hint_record(uint64_t number) {
  size_t i;
  for (i = 0; i < sizeof tzp_hint_records / sizeof *tzp_hint_records; ++i) {
    if (tzp_hint_records[i].number == number) {
      return &tzp_hint_records[i];
    }
  }
  return NULL;
}

const char *tzp_case(uint32_t kind, int64_t number) {
  size_t i;
  for (i = 0; i < sizeof tzp_case_records / sizeof *tzp_case_records; ++i) {
    if (tzp_case_records[i].kind == kind &&
        (int64_t)tzp_case_records[i].number == number) {
      return tzp_case_records[i].name;
    }
  }
  return NULL;
}

/*===--- SHA-256 (FIPS 180-4, section 6.2)
 * ---------------------------------===*/

typedef struct tzp_sha_ {
  uint32_t state[8];
  uint64_t size;
  uint8_t block[64];
} tzp_sha_;

static uint32_t tzp_rotate(uint32_t x, unsigned by) {
  return (x >> by) | (x << (32 - by));
}

static void tzp_sha_block(tzp_sha_ *sha) {
  static const uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
      0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
      0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
      0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
      0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
      0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
      0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
      0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64], v[8];
  unsigned i;
  for (i = 0; i < 16; ++i) {
    const uint8_t *b = sha->block + 4 * i;
    w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           (uint32_t)b[3];
  }
  for (; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] +
           (tzp_rotate(a, 7) ^ tzp_rotate(a, 18) ^ (a >> 3)) +
           (tzp_rotate(b, 17) ^ tzp_rotate(b, 19) ^ (b >> 10));
  }
  memcpy(v, sha->state, sizeof v);
  for (i = 0; i < 64; ++i) {
    const uint32_t e = v[4], a = v[0];
    const uint32_t one =
        v[7] + (tzp_rotate(e, 6) ^ tzp_rotate(e, 11) ^ tzp_rotate(e, 25)) +
        ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
    const uint32_t two =
        (tzp_rotate(a, 2) ^ tzp_rotate(a, 13) ^ tzp_rotate(a, 22)) +
        ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += one;
    v[0] = one + two;
  }
  for (i = 0; i < 8; ++i) {
    sha->state[i] += v[i];
  }
}

static void tzp_sha_add(tzp_sha_ *sha, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    const size_t used = (size_t)(sha->size % 64);
    const size_t part = size < 64 - used ? size : 64 - used;
    memcpy(sha->block + used, bytes, part);
    sha->size += part;
    bytes += part;
    size -= part;
    if (sha->size % 64 == 0) {
      tzp_sha_block(sha);
    }
  }
}

/* Of a file of 64 bytes or more: all of it but the 32 where the hash stands. */
static void tzp_hash(const uint8_t *bytes, size_t size, uint8_t hash[32]) {
  static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                    0xa54ff53a, 0x510e527f, 0x9b05688c,
                                    0x1f83d9ab, 0x5be0cd19};
  static const uint8_t one = 0x80, zero = 0;
  tzp_sha_ sha;
  uint8_t end[8];
  uint64_t bits;
  unsigned i;
  memset(&sha, 0, sizeof sha);
  memcpy(sha.state, first, sizeof first);
  tzp_sha_add(&sha, bytes, 32);
  tzp_sha_add(&sha, bytes + 64, size - 64);
  bits = sha.size * 8;
  tzp_sha_add(&sha, &one, 1);
  while (sha.size % 64 != 56) {
    tzp_sha_add(&sha, &zero, 1);
  }
  for (i = 0; i < 8; ++i) {
    end[i] = (uint8_t)(bits >> (56 - 8 * i));
  }
  tzp_sha_add(&sha, end, 8);
  for (i = 0; i < 32; ++i) {
    hash[i] = (uint8_t)(sha.state[i / 4] >> (24 - 8 * (i % 4)));
  }
}

static int tzp_hash_matches(const uint8_t *bytes, size_t size) {
  uint8_t hash[32];
  tzp_hash(bytes, size, hash);
  return memcmp(bytes + 32, hash, sizeof hash) == 0;
}

/*===--- Memory and bytes
 * --------------------------------------------------===*/

struct tzp_chunk_ {
  struct tzp_chunk_ *next;
  size_t used, size;
};

/* What is being read; after the first failure every read gives zero. */
typedef struct tzp_reader_ {
  tzp_kernel *kernel;
  const uint8_t *at, *end;
  const tzp_str *strings;
  uint64_t num_strings;
  int has_failed;
  char text[160];
} tzp_reader_;

static void tzp_fail(tzp_reader_ *r, const char *format, ...) {
  if (!r->has_failed) {
    va_list list;
    va_start(list, format);
    vsnprintf(r->text, sizeof r->text, format, list);
    va_end(list);
    r->has_failed = 1;
  }
  r->at = r->end;
}

/* Memory that lives as long as the kernel; NULL after a failure. */
static void *tzp_keep(tzp_reader_ *r, size_t count, size_t each) {
  struct tzp_chunk_ *chunk = r->kernel->chunks;
  const size_t head = (sizeof *chunk + 15) / 16 * 16;
  size_t bytes;
  if (count > SIZE_MAX / 4 / each) {
    tzp_fail(r, "out of memory");
    return NULL;
  }
  bytes = (count * each + 15) / 16 * 16;
  if (!chunk || chunk->size - chunk->used < bytes) {
    const size_t size = bytes < 16384 ? 16384 : bytes;
    chunk = (struct tzp_chunk_ *)malloc(head + size);
    if (!chunk) {
      tzp_fail(r, "out of memory");
      return NULL;
    }
    chunk->next = r->kernel->chunks;
    chunk->used = 0;
    chunk->size = size;
    r->kernel->chunks = chunk;
  }
  chunk->used += bytes;
  return (char *)chunk + head + chunk->used - bytes;
}

/* An array that doubles, with room for one more, which is zero. On failure the
   array as it was. */
static void *tzp_grow(tzp_reader_ *r, void *array, uint32_t count,
                      size_t each) {
  if (count == 0 || (count >= 16 && (count & (count - 1)) == 0)) {
    const size_t room = count == 0 ? 16 : 2 * (size_t)count;
    void *wider = room > SIZE_MAX / each ? NULL : realloc(array, room * each);
    if (!wider) {
      tzp_fail(r, "out of memory");
      return array;
    }
    array = wider;
  }
  memset((char *)array + count * each, 0, each);
  return array;
}

static uint64_t tzp_fixed(tzp_reader_ *r, unsigned bytes) {
  uint64_t value = 0;
  unsigned i;
  if ((size_t)(r->end - r->at) < bytes) {
    tzp_fail(r, "ends too early");
    return 0;
  }
  for (i = 0; i < bytes; ++i) {
    value |= (uint64_t)*r->at++ << (8 * i);
  }
  return value;
}

/* LEB128, in its shortest form. */
static uint64_t tzp_number(tzp_reader_ *r) {
  uint64_t value = 0;
  unsigned shift;
  for (shift = 0; shift < 64; shift += 7) {
    uint8_t byte;
    if (r->at == r->end) {
      tzp_fail(r, "ends too early");
      return 0;
    }
    byte = *r->at++;
    if (shift == 63 && byte > 1) {
      break;
    }
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      if (byte == 0 && shift != 0) {
        break;
      }
      return value;
    }
  }
  tzp_fail(r, "a number is not in its shortest form or too large");
  return 0;
}

static int64_t tzp_signed(tzp_reader_ *r) {
  const uint64_t value = tzp_number(r);
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Of things that take at least so many bytes each. */
static uint64_t tzp_count(tzp_reader_ *r, size_t least) {
  const uint64_t value = tzp_number(r);
  if (value > (uint64_t)(r->end - r->at) / least) {
    tzp_fail(r, "a count is larger than what is left of the section");
    return 0;
  }
  return value;
}

static uint32_t tzp_index(tzp_reader_ *r, uint64_t size, const char *what) {
  const uint64_t value = tzp_number(r);
  if (!r->has_failed && value >= size) {
    tzp_fail(r, "%s %llu of %llu does not exist", what,
             (unsigned long long)value, (unsigned long long)size);
  }
  return r->has_failed ? 0 : (uint32_t)value;
}

static tzp_str tzp_text(tzp_reader_ *r) {
  tzp_str text;
  text.size = (size_t)tzp_count(r, 1);
  text.data = (const char *)r->at;
  r->at += text.size;
  return text;
}

/*===--- Types
 * -------------------------------------------------------------===*/

uint32_t tzp_type_bits(const tzp_type *type) {
  switch (type->tag) {
  case TZP_I1:
    return 1;
  case TZP_F4E2M1FN:
    return 4;
  case TZP_I8:
  case TZP_F8E4M3FN:
  case TZP_F8E5M2:
  case TZP_F8E4M3FNUZ:
  case TZP_F8E5M2FNUZ:
    return 8;
  case TZP_I16:
  case TZP_F16:
  case TZP_BF16:
    return 16;
  case TZP_I32:
  case TZP_F32:
    return 32;
  case TZP_I64:
  case TZP_F64:
  case TZP_POINTER:
    return 64;
  default:
    return 0;
  }
}

static int tzp_is_integer(const tzp_type *type) {
  return type->tag >= TZP_I1 && type->tag <= TZP_I64;
}
static int tzp_is_float(const tzp_type *type) {
  return type->tag >= TZP_F16 && type->tag <= TZP_F4E2M1FN;
}

static void tzp_read_strings(tzp_reader_ *r) {
  const uint64_t count = tzp_count(r, 1);
  tzp_str *strings = (tzp_str *)tzp_keep(r, (size_t)count, sizeof *strings);
  uint64_t i;
  for (i = 0; i < count && !r->has_failed; ++i) {
    strings[i] = tzp_text(r);
  }
  r->strings = strings;
  r->num_strings = count;
}

static void tzp_read_shape(tzp_reader_ *r, tzp_type *type) {
  const uint64_t rank = tzp_count(r, 1);
  uint32_t i;
  if (rank > TZP_MAX_RANK) {
    tzp_fail(r, "a tile of rank %llu; the limit is %u",
             (unsigned long long)rank, TZP_MAX_RANK);
    return;
  }
  for (i = 0; i < rank; ++i) {
    const uint64_t extent = tzp_number(r);
    if (extent < 1 ||
        extent > (uint64_t)(TZP_MAX_ELEMENTS / type->num_elements)) {
      tzp_fail(r, "a tile has no elements or more than %lld",
               (long long)TZP_MAX_ELEMENTS);
      return;
    }
    type->num_elements *= (int64_t)extent;
    type->shape[i] = (int64_t)extent;
  }
  type->rank = (uint32_t)rank;
}

static uint32_t tzp_type_index(tzp_reader_ *r) {
  return tzp_index(r, r->kernel->num_types, "type");
}

/* Is it one whose elements or pointee can be of that type? */
static int tzp_can_hold(const tzp_type *element) {
  return tzp_is_integer(element) || tzp_is_float(element) ||
         element->tag == TZP_POINTER;
}

/* False: the type is not a valid one. */
static int tzp_read_type(tzp_reader_ *r, tzp_type *type) {
  const tzp_type *types = r->kernel->types;
  type->tag = (uint32_t)tzp_fixed(r, 1);
  type->num_elements = 1;
  switch (type->tag) {
  case TZP_POINTER:
    type->element = tzp_type_index(r);
    return !r->has_failed && tzp_can_hold(&types[type->element]);
  case TZP_TILE:
  case TZP_VIEW:
    type->element = tzp_type_index(r);
    tzp_read_shape(r, type);
    if (r->has_failed) {
      return 0;
    }
    if (type->tag == TZP_TILE && !tzp_can_hold(&types[type->element])) {
      tzp_fail(r, "a tile of tiles");
    }
    return tzp_can_hold(&types[type->element]) &&
           (type->tag == TZP_TILE || type->rank > 0);
  case TZP_FUNCTION: {
    const uint64_t count = tzp_count(r, 1);
    uint32_t *inputs = (uint32_t *)tzp_keep(r, (size_t)count, sizeof *inputs);
    uint64_t i;
    for (i = 0; i < count && !r->has_failed; ++i) {
      inputs[i] = tzp_type_index(r);
    }
    type->inputs = inputs;
    type->num_inputs = (uint32_t)count;
    return !r->has_failed;
  }
  default:
    if (!tzp_is_integer(type) && !tzp_is_float(type)) {
      tzp_fail(r, "type tag %u is unknown", (unsigned)type->tag);
    }
    return !r->has_failed;
  }
}

static void tzp_read_types(tzp_reader_ *r) {
  const uint64_t count = tzp_count(r, 1);
  tzp_kernel *kernel = r->kernel;
  uint64_t i;
  for (i = 0; i < count && !r->has_failed; ++i) {
    kernel->types = (tzp_type *)tzp_grow(r, kernel->types, kernel->num_types,
                                         sizeof *kernel->types);
    if (r->has_failed) {
      return;
    }
    if (!tzp_read_type(r, &kernel->types[kernel->num_types])) {
      tzp_fail(r, "type %llu is not a valid one", (unsigned long long)i);
      return;
    }
    ++kernel->num_types;
  }
}

/*===--- Attributes
 * --------------------------------------------------------===*/

/* An integer, sign-extended, or a float's bits. */
static int64_t tzp_read_scalar(tzp_reader_ *r, const tzp_type *type) {
  const uint32_t bits = tzp_type_bits(type);
  if (tzp_is_integer(type)) {
    const int64_t value = tzp_signed(r);
    const int64_t most =
        bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    if (value > most || value < -most - 1) {
      tzp_fail(r, "an integer does not fit its type");
    }
    return value;
  }
  if (tzp_is_float(type)) {
    const uint64_t value = tzp_number(r);
    if (bits < 64 && value >> bits) {
      tzp_fail(r, "a float does not fit its type");
    }
    return (int64_t)value;
  }
  tzp_fail(r, "a constant is neither integer nor float");
  return 0;
}

static void tzp_read_elements(tzp_reader_ *r, tzp_attr *attr) {
  const tzp_type *type, *element;
  uint64_t count, i;
  int64_t *values;
  attr->type = tzp_type_index(r);
  if (r->has_failed) {
    return;
  }
  type = &r->kernel->types[attr->type];
  if (type->tag != TZP_TILE ||
      r->kernel->types[type->element].tag == TZP_POINTER) {
    tzp_fail(r, "a constant tile has no tile type of numbers");
    return;
  }
  element = &r->kernel->types[type->element];
  count = attr->tag == TZP_ATTR_SPLAT ? 1 : (uint64_t)type->num_elements;
  if (count > (uint64_t)(r->end - r->at)) {
    tzp_fail(r, "a constant has more elements than bytes");
    return;
  }
  values = (int64_t *)tzp_keep(r, (size_t)count, sizeof *values);
  for (i = 0; i < count && !r->has_failed; ++i) {
    values[i] = tzp_read_scalar(r, element);
  }
  attr->values = values;
  attr->size = (size_t)count;
}

static void tzp_read_numbers(tzp_reader_ *r, tzp_attr *attr) {
  const uint64_t count = tzp_count(r, 1);
  int64_t *values = (int64_t *)tzp_keep(r, (size_t)count, sizeof *values);
  int fits = 1, is_truth = 1;
  uint64_t i;
  for (i = 0; i < count && !r->has_failed; ++i) {
    values[i] = tzp_signed(r);
    fits &= values[i] >= INT32_MIN && values[i] <= INT32_MAX;
    is_truth &= values[i] == 0 || values[i] == 1;
  }
  attr->values = values;
  attr->size = (size_t)count;
  if (attr->tag == TZP_ATTR_BOOL_ARRAY && !is_truth) {
    tzp_fail(r, "a truth value is neither 0 nor 1");
  } else if (attr->tag == TZP_ATTR_I32_ARRAY && !fits) {
    tzp_fail(r, "an integer does not fit its type");
  }
}

/* Is the value stored as this kind must be? */
static int tzp_is_kind(const tzp_reader_ *r, const tzp_attr *attr,
                       uint32_t kind) {
  switch (kind) {
  case TZP_KIND_UNIT:
    return attr->tag == TZP_ATTR_UNIT;
  case TZP_KIND_BOOL:
    return attr->tag == TZP_ATTR_BOOL;
  case TZP_KIND_I32:
    return attr->tag == TZP_ATTR_INTEGER &&
           r->kernel->types[attr->type].tag == TZP_I32;
  case TZP_KIND_I64:
    return attr->tag == TZP_ATTR_INTEGER &&
           r->kernel->types[attr->type].tag == TZP_I64;
  case TZP_KIND_STRING:
    return attr->tag == TZP_ATTR_STRING;
  case TZP_KIND_TYPE:
    return attr->tag == TZP_ATTR_TYPE;
  case TZP_KIND_I64_ARRAY:
    return attr->tag == TZP_ATTR_I64_ARRAY;
  case TZP_KIND_BOOL_ARRAY:
    return attr->tag == TZP_ATTR_BOOL_ARRAY;
  case TZP_KIND_SEGMENTS:
    return attr->tag == TZP_ATTR_I32_ARRAY;
  case TZP_KIND_CONSTANT:
    return attr->tag == TZP_ATTR_INTEGER || attr->tag == TZP_ATTR_FLOAT ||
           attr->tag == TZP_ATTR_SPLAT || attr->tag == TZP_ATTR_ELEMENTS;
  case TZP_KIND_ARGUMENT_ATTRIBUTES:
    return attr->tag == TZP_ATTR_LIST;
  default:
    return kind >= TZP_KIND_MATH_FN && attr->tag == TZP_ATTR_ENUM &&
           tzp_case(kind, attr->number) != NULL;
  }
}

static void tzp_name(tzp_reader_ *r, tzp_named *named, const char *name,
                     uint32_t kind, uint64_t value) {
  if (r->has_failed) {
    return;
  }
  if (value >= r->kernel->num_attrs) {
    tzp_fail(r, "attribute %llu does not exist", (unsigned long long)value);
  } else if (!tzp_is_kind(r, &r->kernel->attrs[value], kind)) {
    tzp_fail(r, "attribute '%s' has a value of another kind", name);
  } else {
    named->name = name;
    named->kind = kind;
    named->value = (uint32_t)value;
  }
}

/* Appends hints to `named`, which has room for them behind `before`. */
static uint32_t tzp_read_hints(tzp_reader_ *r, tzp_named *named,
                               uint32_t before, uint64_t count) {
  uint64_t i;
  uint32_t have = before, j;
  for (i = 0; i < count && !r->has_failed; ++i) {
    const uint64_t number = tzp_number(r), value = tzp_number(r);
    const tzp_hint_record_ *record = tzp_hint_record(number);
    if (!record || record->since > TZP_IR_MINOR) {
      tzp_fail(r, "attribute number %llu is unknown to tile IR 0.%u",
               (unsigned long long)number, TZP_IR_MINOR);
      return have;
    }
    for (j = before; j < have; ++j) {
      if (named[j].name == record->name) {
        tzp_fail(r, "attribute '%s' is given twice", record->name);
        return have;
      }
    }
    tzp_name(r, &named[have++], record->name, record->kind, value);
  }
  return have;
}

/* A hint stands once, so that there are never more of them than kinds. */
static tzp_named *tzp_room(tzp_reader_ *r, uint32_t attrs, uint64_t hints) {
  const uint64_t most = sizeof tzp_hint_records / sizeof *tzp_hint_records + 1;
  return (tzp_named *)tzp_keep(r, attrs + (size_t)(hints < most ? hints : most),
                               sizeof(tzp_named));
}

static void tzp_read_attribute(tzp_reader_ *r, tzp_attr *attr) {
  attr->tag = (uint32_t)tzp_fixed(r, 1);
  switch (attr->tag) {
  case TZP_ATTR_UNIT:
    break;
  case TZP_ATTR_BOOL:
    attr->number = (int64_t)tzp_fixed(r, 1);
    if (attr->number > 1) {
      tzp_fail(r, "a truth value is neither 0 nor 1");
    }
    break;
  case TZP_ATTR_INTEGER:
  case TZP_ATTR_FLOAT:
    attr->type = tzp_type_index(r);
    if (!r->has_failed) {
      const tzp_type *type = &r->kernel->types[attr->type];
      attr->number = tzp_read_scalar(r, type);
      if (tzp_is_float(type) != (attr->tag == TZP_ATTR_FLOAT)) {
        tzp_fail(r, "a number's tag and type disagree");
      }
    }
    break;
  case TZP_ATTR_STRING: {
    const uint32_t index = tzp_index(r, r->num_strings, "string");
    if (!r->has_failed) {
      attr->string = r->strings[index];
    }
    break;
  }
  case TZP_ATTR_I64_ARRAY:
  case TZP_ATTR_BOOL_ARRAY:
  case TZP_ATTR_I32_ARRAY:
    tzp_read_numbers(r, attr);
    break;
  case TZP_ATTR_SPLAT:
  case TZP_ATTR_ELEMENTS:
    tzp_read_elements(r, attr);
    break;
  case TZP_ATTR_TYPE:
    attr->type = tzp_type_index(r);
    break;
  case TZP_ATTR_ENUM:
    attr->number = (int64_t)tzp_number(r);
    break;
  case TZP_ATTR_DICTIONARY: {
    const uint64_t count = tzp_count(r, 2);
    tzp_named *named = tzp_room(r, 0, count);
    attr->size = tzp_read_hints(r, named, 0, count);
    attr->named = named;
    break;
  }
  case TZP_ATTR_LIST: {
    const uint64_t count = tzp_count(r, 1);
    uint32_t *items = (uint32_t *)tzp_keep(r, (size_t)count, sizeof *items);
    uint64_t i;
    for (i = 0; i < count && !r->has_failed; ++i) {
      items[i] = tzp_index(r, r->kernel->num_attrs, "attribute");
      if (r->has_failed ||
          r->kernel->attrs[items[i]].tag != TZP_ATTR_DICTIONARY) {
        tzp_fail(r, "an argument's attributes are no dictionary");
      }
    }
    attr->items = items;
    attr->size = (size_t)count;
    break;
  }
  default:
    tzp_fail(r, "attribute tag %u is unknown", (unsigned)attr->tag);
  }
}

static void tzp_read_attributes(tzp_reader_ *r) {
  const uint64_t count = tzp_count(r, 1);
  tzp_kernel *kernel = r->kernel;
  uint64_t i;
  for (i = 0; i < count && !r->has_failed; ++i) {
    kernel->attrs = (tzp_attr *)tzp_grow(r, kernel->attrs, kernel->num_attrs,
                                         sizeof *kernel->attrs);
    if (r->has_failed) {
      return;
    }
    tzp_read_attribute(r, &kernel->attrs[kernel->num_attrs]);
    ++kernel->num_attrs;
  }
}

/*===--- Locations
 * ---------------------------------------------------------===*/

static uint32_t tzp_position(tzp_reader_ *r, int64_t value) {
  if (value < 0 || value > INT32_MAX) {
    tzp_fail(r, "a line or column is out of range");
    return 0;
  }
  return (uint32_t)value;
}

/* What is too large for a position is so as a negative number, too. */
static int64_t tzp_position_number(tzp_reader_ *r) {
  const uint64_t value = tzp_number(r);
  return value > INT32_MAX ? -1 : (int64_t)value;
}

static void tzp_read_parts(tzp_reader_ *r, tzp_location *location,
                           uint64_t count) {
  uint32_t *parts = (uint32_t *)tzp_keep(r, (size_t)count, sizeof *parts);
  uint64_t i;
  for (i = 0; i < count && !r->has_failed; ++i) {
    parts[i] = tzp_index(r, r->kernel->num_locations, "location");
  }
  location->parts = parts;
  location->num_parts = (uint32_t)count;
}

static void tzp_read_location(tzp_reader_ *r, tzp_location *location,
                              const tzp_str *strings, uint64_t num_strings,
                              int64_t base_line) {
  location->tag = (uint32_t)tzp_fixed(r, 1);
  if (location->tag == TZP_LOC_LINE || location->tag == TZP_LOC_RANGE ||
      location->tag == TZP_LOC_NAME) {
    const uint32_t index = tzp_index(r, num_strings, "file or name");
    if (!r->has_failed) {
      location->text = strings[index];
    }
  }
  switch (location->tag) {
  case TZP_LOC_UNKNOWN:
    break;
  case TZP_LOC_LINE:
  case TZP_LOC_RANGE: {
    int64_t line = tzp_signed(r), lines = 0;
    line = line > INT32_MAX || line < INT32_MIN ? -1 : base_line + line;
    location->line = tzp_position(r, line);
    location->column = tzp_position(r, tzp_position_number(r));
    location->end_line = location->line;
    location->end_column = location->column;
    if (location->tag == TZP_LOC_RANGE) {
      lines = tzp_position_number(r);
      location->end_line =
          tzp_position(r, lines < 0 ? -1 : location->line + lines);
      location->end_column = tzp_position(r, tzp_position_number(r));
    }
    break;
  }
  case TZP_LOC_CALL:
    tzp_read_parts(r, location, 2);
    break;
  case TZP_LOC_NAME:
    if (!r->has_failed && location->text.size == 0) {
      tzp_fail(r, "a location's name is empty");
    }
    tzp_read_parts(r, location, 1);
    break;
  case TZP_LOC_FUSED:
    tzp_read_parts(r, location, tzp_count(r, 1));
    break;
  default:
    tzp_fail(r, "location tag %u is unknown", (unsigned)location->tag);
  }
}

/* One location for each op and argument of a region, in the order of the ops
   section. */
typedef struct tzp_places_ {
  uint32_t *at;
  uint64_t size, used;
} tzp_places_;

static void tzp_read_locations(tzp_reader_ *r, tzp_places_ *places) {
  tzp_kernel *kernel = r->kernel;
  const int64_t base_line = tzp_position_number(r);
  uint64_t count, i, num_strings;
  tzp_str *strings;
  tzp_position(r, base_line);
  num_strings = tzp_count(r, 1);
  strings = (tzp_str *)tzp_keep(r, (size_t)num_strings, sizeof *strings);
  for (i = 0; i < num_strings && !r->has_failed; ++i) {
    strings[i] = tzp_text(r);
  }
  count = tzp_count(r, 1);
  for (i = 0; i < count && !r->has_failed; ++i) {
    kernel->locations = (tzp_location *)tzp_grow(
        r, kernel->locations, kernel->num_locations, sizeof *kernel->locations);
    if (r->has_failed) {
      return;
    }
    tzp_read_location(r, &kernel->locations[kernel->num_locations], strings,
                      num_strings, base_line);
    ++kernel->num_locations;
  }
  places->size = tzp_count(r, 1);
  places->at =
      (uint32_t *)tzp_keep(r, (size_t)places->size, sizeof *places->at);
  for (i = 0; i < places->size && !r->has_failed; ++i) {
    places->at[i] = tzp_index(r, kernel->num_locations, "location");
  }
}

int tzp_line(const tzp_kernel *kernel, const tzp_op *op, tzp_str *file,
             uint32_t *line, uint32_t *column) {
  uint32_t at = op->location;
  while (at) {
    const tzp_location *location = &kernel->locations[at - 1];
    if (location->tag == TZP_LOC_LINE || location->tag == TZP_LOC_RANGE) {
      *file = location->text;
      *line = location->line;
      *column = location->column;
      return 1;
    }
    at = location->num_parts ? location->parts[0] + 1 : 0;
  }
  return 0;
}

/*===--- Ops
 * ---------------------------------------------------------------===*/

/* A block that is being filled. */
typedef struct tzp_frame_ {
  uint32_t op, next_region, last_op, mark;
  uint64_t ops_left;
} tzp_frame_;

typedef struct tzp_ops_ {
  tzp_reader_ *r;
  tzp_places_ places;
  tzp_frame_ stack[TZP_MAX_DEPTH + 1];
  uint32_t depth;
  uint32_t *scope; /* values that can be named */
  uint32_t in_scope;
} tzp_ops_;

static uint32_t tzp_place(tzp_ops_ *o) {
  const uint64_t at = o->places.used++;
  return at < o->places.size ? o->places.at[at] + 1 : 0;
}

static uint32_t tzp_add_value(tzp_ops_ *o, uint32_t type, uint32_t op,
                              uint32_t index, uint32_t is_argument) {
  tzp_kernel *kernel = o->r->kernel;
  tzp_value *value;
  kernel->values = (tzp_value *)tzp_grow(
      o->r, kernel->values, kernel->num_values, sizeof *kernel->values);
  if (o->r->has_failed) {
    return 0;
  }
  value = &kernel->values[kernel->num_values];
  value->type = type;
  value->op = op;
  value->index = index;
  value->is_argument = (uint16_t)is_argument;
  return kernel->num_values++;
}

static void tzp_enter(tzp_ops_ *o, uint32_t value) {
  o->scope =
      (uint32_t *)tzp_grow(o->r, o->scope, o->in_scope, sizeof *o->scope);
  if (!o->r->has_failed) {
    o->scope[o->in_scope++] = value;
  }
}

static void tzp_read_operands(tzp_ops_ *o, tzp_op *op) {
  tzp_reader_ *r = o->r;
  const uint64_t count = tzp_count(r, 1);
  uint32_t *operands = (uint32_t *)tzp_keep(r, (size_t)count, sizeof *operands);
  uint64_t i;
  for (i = 0; i < count && !r->has_failed; ++i) {
    const uint64_t distance = tzp_number(r);
    if (distance < 1 || distance > o->in_scope) {
      tzp_fail(r, "%s: an operand is not in scope", op->name);
      return;
    }
    operands[i] = o->scope[o->in_scope - distance];
  }
  op->operands = operands;
  op->num_operands = (uint32_t)count;
}

static void tzp_read_op_attributes(tzp_ops_ *o, tzp_op *op,
                                   const tzp_op_record_ *record) {
  tzp_reader_ *r = o->r;
  tzp_named found[6];
  tzp_named *named;
  uint32_t have = 0, i;
  uint64_t hints;
  for (i = 0; i < 6 && record->attrs[i].name; ++i) {
    const tzp_attr_record_ *attr = &record->attrs[i];
    uint64_t entry;
    if (attr->kind == TZP_KIND_NO_FLAGS) {
      continue;
    }
    entry = tzp_number(r);
    if (r->has_failed) {
      return;
    }
    if (entry != 0) {
      tzp_name(r, &found[have++], attr->name, attr->kind, entry - 1);
    } else if (attr->is_required) {
      tzp_fail(r, "%s lacks its attribute '%s'", record->name, attr->name);
    }
  }
  hints = tzp_count(r, 2);
  named = tzp_room(r, have, hints);
  if (r->has_failed) {
    return;
  }
  memcpy(named, found, have * sizeof *found);
  op->attrs = named;
  op->num_attrs = tzp_read_hints(r, named, have, hints);
}

/* 0 is also the kernel's: look at has_failed. */
static uint32_t tzp_read_op(tzp_ops_ *o) {
  tzp_reader_ *r = o->r;
  tzp_kernel *kernel = r->kernel;
  const uint64_t opcode = tzp_number(r);
  const tzp_op_record_ *record = r->has_failed ? NULL : tzp_op_record(opcode);
  const uint32_t index = kernel->num_ops;
  tzp_op *op;
  uint64_t results, i;
  if (!record || record->since > TZP_IR_MINOR) {
    tzp_fail(r, "op number %llu is unknown to tile IR %u.%u",
             (unsigned long long)opcode, TZP_IR_MAJOR, TZP_IR_MINOR);
    return 0;
  }
  if (index >= TZP_MAX_OPS) {
    tzp_fail(r, "more than %u ops", TZP_MAX_OPS);
    return 0;
  }
  if ((record == tzp_op_records) != (o->depth == 0)) {
    tzp_fail(r, "the one tile.kernel must hold all other ops");
    return 0;
  }
  kernel->ops = (tzp_op *)tzp_grow(r, kernel->ops, index, sizeof *kernel->ops);
  if (r->has_failed) {
    return 0;
  }
  op = &kernel->ops[index];
  ++kernel->num_ops;
  op->name = record->name;
  op->opcode = record->opcode;
  op->num_regions = record->num_regions;
  op->parent = o->depth ? o->stack[o->depth - 1].op : 0;
  op->location = tzp_place(o);
  tzp_read_operands(o, op);
  op->first_result = kernel->num_values;
  results = tzp_count(r, 1);
  for (i = 0; i < results && !r->has_failed; ++i) {
    const uint32_t type = tzp_type_index(r);
    tzp_add_value(o, type, index, (uint32_t)i, 0);
  }
  op->num_results = (uint32_t)results;
  if (!r->has_failed) {
    tzp_read_op_attributes(o, op, record);
  }
  return index;
}

static void tzp_push(tzp_ops_ *o, uint32_t op) {
  tzp_frame_ *frame;
  if (o->depth > TZP_MAX_DEPTH) {
    tzp_fail(o->r, "nested deeper than %u", TZP_MAX_DEPTH);
    return;
  }
  frame = &o->stack[o->depth++];
  memset(frame, 0, sizeof *frame);
  frame->op = op;
  frame->mark = o->in_scope;
}

static void tzp_enter_region(tzp_ops_ *o, tzp_frame_ *frame) {
  tzp_reader_ *r = o->r;
  const uint32_t number = frame->next_region++;
  tzp_region *region = &r->kernel->ops[frame->op].regions[number];
  const uint64_t blocks = tzp_number(r);
  uint64_t count, i;
  if (r->has_failed || blocks > 1) {
    tzp_fail(r, "a region has more than one block");
    return;
  }
  region->is_present = (uint32_t)blocks;
  region->first_argument = r->kernel->num_values;
  frame->last_op = 0;
  if (blocks == 0) {
    return;
  }
  count = tzp_count(r, 1);
  for (i = 0; i < count && !r->has_failed; ++i) {
    const uint32_t type = tzp_type_index(r);
    if (!r->has_failed) {
      const uint32_t value = tzp_add_value(o, type, frame->op, (uint32_t)i, 1);
      tzp_enter(o, value);
      tzp_place(o);
      if (!r->has_failed) {
        r->kernel->values[value].region = (uint16_t)number;
      }
    }
  }
  region->num_arguments = (uint32_t)count;
  frame->ops_left = tzp_count(r, 1);
}

/* The frame on top has a block with ops left: reads one of them. */
static void tzp_read_next(tzp_ops_ *o, tzp_frame_ *frame) {
  tzp_kernel *kernel = o->r->kernel;
  const uint32_t op = tzp_read_op(o);
  --frame->ops_left;
  if (o->r->has_failed) {
    return;
  }
  if (frame->last_op) {
    kernel->ops[frame->last_op].next = op;
  } else {
    kernel->ops[frame->op].regions[frame->next_region - 1].first_op = op;
  }
  frame->last_op = op;
  tzp_push(o, op);
}

static void tzp_read_ops(tzp_ops_ *o) {
  tzp_reader_ *r = o->r;
  tzp_kernel *kernel = r->kernel;
  uint32_t i;
  tzp_read_op(o);
  if (r->has_failed) {
    return;
  }
  tzp_push(o, 0);
  while (o->depth > 0 && !r->has_failed) {
    tzp_frame_ *frame = &o->stack[o->depth - 1];
    if (frame->ops_left > 0) {
      tzp_read_next(o, frame);
      continue;
    }
    o->in_scope = frame->mark;
    if (frame->next_region < kernel->ops[frame->op].num_regions) {
      tzp_enter_region(o, frame);
      continue;
    }
    for (i = 0; i < kernel->ops[frame->op].num_results; ++i) {
      tzp_enter(o, kernel->ops[frame->op].first_result + i);
    }
    --o->depth;
  }
}

/*===--- The file
 * ----------------------------------------------------------===*/

typedef struct tzp_sections_ {
  const uint8_t *at[6];
  uint64_t size[6];
} tzp_sections_;

static void tzp_read_table(tzp_reader_ *r, const uint8_t *bytes, uint64_t total,
                           uint32_t count, tzp_sections_ *sections) {
  uint64_t expected = 64 + 24 * (uint64_t)count;
  uint32_t i, last = 0;
  r->at = bytes + 64;
  r->end = bytes + expected;
  for (i = 0; i < count && !r->has_failed; ++i) {
    const uint32_t id = (uint32_t)tzp_fixed(r, 4);
    const uint32_t flags = (uint32_t)tzp_fixed(r, 4);
    const uint64_t offset = tzp_fixed(r, 8), size = tzp_fixed(r, 8);
    const int is_known = id >= 1 && id <= 5;
    uint64_t end, padded;
    if (flags > 1 || offset != expected || size > total - offset) {
      tzp_fail(r, "section %u is not where it must be", (unsigned)i);
    } else if (!is_known && !(flags & 1)) {
      tzp_fail(r, "section %u is unknown and may not be skipped", (unsigned)id);
    } else if (last && id <= last) {
      tzp_fail(r, "sections are not in order");
    }
    if (r->has_failed) {
      return;
    }
    if (is_known) {
      sections->at[id] = bytes + offset;
      sections->size[id] = size;
      last = id;
    }
    end = offset + size;
    padded = (end + 7) / 8 * 8;
    for (; padded <= total && end < padded && bytes[end] == 0; ++end) {
    }
    if (padded > total || end != padded) {
      tzp_fail(r, "padding is missing or not zero");
    }
    expected = padded;
  }
  if (!r->has_failed && expected != total) {
    tzp_fail(r, "bytes are left after the last section");
  }
}

/* Header, sizes, hash and section table. The failure is a whole message. */
static void tzp_open(tzp_reader_ *r, const uint8_t *bytes, size_t size,
                     tzp_sections_ *sections) {
  static const uint8_t magic[8] = {0x8f, 'T', 'Z', 'I', 'R', '\r', '\n', 0x1a};
  uint32_t container, flags, count, reserved;
  uint64_t total;
  if (size < 8 || memcmp(bytes, magic, 8) != 0) {
    tzp_fail(r, "not a portable tile IR file");
    return;
  }
  if (size < 64) {
    tzp_fail(r, "portable file: truncated in its header (%llu bytes)",
             (unsigned long long)size);
    return;
  }
  r->at = bytes + 8;
  r->end = bytes + size;
  container = (uint32_t)tzp_fixed(r, 2);
  r->kernel->ir_major = (uint32_t)tzp_fixed(r, 2);
  r->kernel->ir_minor = (uint32_t)tzp_fixed(r, 2);
  flags = (uint32_t)tzp_fixed(r, 2);
  total = tzp_fixed(r, 8);
  count = (uint32_t)tzp_fixed(r, 4);
  reserved = (uint32_t)tzp_fixed(r, 4);
  r->kernel->is_prepared = flags & 1;
  if (container != 1) {
    tzp_fail(r,
             "portable file: container version %u; this build reads version 1",
             (unsigned)container);
  } else if (r->kernel->ir_major != TZP_IR_MAJOR ||
             r->kernel->ir_minor != TZP_IR_MINOR) {
    tzp_fail(r,
             "portable file: tile IR %u.%u; this build reads %u.%u alone; "
             "compile the kernel again from its source",
             (unsigned)r->kernel->ir_major, (unsigned)r->kernel->ir_minor,
             TZP_IR_MAJOR, TZP_IR_MINOR);
  } else if (total != size) {
    tzp_fail(r, "portable file: %llu bytes, its header says %llu%s",
             (unsigned long long)size, (unsigned long long)total,
             size < total ? "; it is truncated" : "");
  } else if (total > TZP_MAX_SIZE) {
    tzp_fail(r, "portable file: %llu bytes; the limit is %llu",
             (unsigned long long)total, (unsigned long long)TZP_MAX_SIZE);
  } else if (!tzp_hash_matches(bytes, size)) {
    tzp_fail(r, "portable file: its hash does not match; it is damaged");
  } else if (flags & ~1u) {
    tzp_fail(r, "portable file: unknown flags %u", (unsigned)flags);
  } else if (reserved != 0 || count > 64 || 24 * (size_t)count > size - 64) {
    tzp_fail(r, "portable file: bad number of sections");
  } else {
    tzp_read_table(r, bytes, total, count, sections);
    if (r->has_failed) {
      char text[sizeof r->text];
      memcpy(text, r->text, sizeof text);
      snprintf(r->text, sizeof r->text, "portable file: %.*s",
               (int)(sizeof text - 16), text);
    }
  }
}

/* Begins a section that must be there; `name` is then the one being read. */
static int tzp_begin(tzp_reader_ *r, const tzp_sections_ *sections,
                     unsigned id) {
  r->at = sections->at[id];
  r->end = r->at ? r->at + sections->size[id] : r->at;
  return r->at != NULL;
}

static void tzp_done(tzp_reader_ *r) {
  if (!r->has_failed && r->at != r->end) {
    tzp_fail(r, "bytes are left at its end");
  }
}

/* NULL, or the name of the section that is at fault; then its text is in r. */
static const char *tzp_read_sections(tzp_reader_ *r,
                                     const tzp_sections_ *sections,
                                     tzp_ops_ *ops) {
  static const char *const names[] = {"",           "strings", "types",
                                      "attributes", "ops",     "locations"};
  static void (*const parts[])(tzp_reader_ *) = {
      NULL, tzp_read_strings, tzp_read_types, tzp_read_attributes};
  unsigned id;
  for (id = 1; id <= 3; ++id) {
    if (!tzp_begin(r, sections, id)) {
      return names[id];
    }
    parts[id](r);
    tzp_done(r);
    if (r->has_failed) {
      return names[id];
    }
  }
  ops->r = r;
  if (tzp_begin(r, sections, 5)) {
    tzp_read_locations(r, &ops->places);
    tzp_done(r);
    if (r->has_failed) {
      return names[5];
    }
  }
  if (!tzp_begin(r, sections, 4)) {
    return names[4];
  }
  tzp_read_ops(ops);
  tzp_done(r);
  return r->has_failed ? names[4] : NULL;
}

static void tzp_read_file(tzp_reader_ *r, const void *bytes, size_t size,
                          char *message, size_t message_size) {
  tzp_sections_ sections;
  tzp_ops_ *ops = (tzp_ops_ *)calloc(1, sizeof *ops);
  const char *section;
  memset(&sections, 0, sizeof sections);
  if (!ops) {
    tzp_fail(r, "out of memory");
  } else {
    tzp_open(r, (const uint8_t *)bytes, size, &sections);
  }
  if (r->has_failed) {
    snprintf(message, message_size, "%s", r->text);
    free(ops);
    return;
  }
  section = tzp_read_sections(r, &sections, ops);
  if (section && r->has_failed) {
    snprintf(message, message_size, "portable file: section of %s: %s", section,
             r->text);
  } else if (section) {
    tzp_fail(r, "no section of %s", section);
    snprintf(message, message_size, "portable file: %s", r->text);
  } else if (ops->places.size && ops->places.size != ops->places.used) {
    tzp_fail(r, "%llu locations for %llu ops and arguments",
             (unsigned long long)ops->places.size,
             (unsigned long long)ops->places.used);
    snprintf(message, message_size, "portable file: %s", r->text);
  }
  free(ops->scope);
  free(ops);
}

tzp_kernel *tzp_read(const void *bytes, size_t size, char *message,
                     size_t message_size) {
  tzp_reader_ r;
  memset(&r, 0, sizeof r);
  r.kernel = (tzp_kernel *)calloc(1, sizeof *r.kernel);
  if (!r.kernel) {
    snprintf(message, message_size, "out of memory");
    return NULL;
  }
  tzp_read_file(&r, bytes, size, message, message_size);
  if (r.has_failed) {
    tzp_free(r.kernel);
    return NULL;
  }
  return r.kernel;
}

void tzp_free(tzp_kernel *kernel) {
  if (!kernel) {
    return;
  }
  while (kernel->chunks) {
    struct tzp_chunk_ *next = kernel->chunks->next;
    free(kernel->chunks);
    kernel->chunks = next;
  }
  free(kernel->types);
  free(kernel->attrs);
  free(kernel->ops);
  free(kernel->values);
  free(kernel->locations);
  free(kernel);
}

/*===--- Questions
 * ---------------------------------------------------------===*/

uint32_t tzp_body(const tzp_kernel *kernel) {
  return kernel->ops[0].regions[0].first_op;
}

const tzp_attr *tzp_find(const tzp_kernel *kernel, const tzp_op *op,
                         const char *name) {
  uint32_t i;
  for (i = 0; i < op->num_attrs; ++i) {
    if (strcmp(op->attrs[i].name, name) == 0) {
      return &kernel->attrs[op->attrs[i].value];
    }
  }
  return NULL;
}

/* A text that is cut where its room ends. */
typedef struct tzp_writer_ {
  char *text;
  size_t room; /* that is left, the end mark not counted */
} tzp_writer_;

static void tzp_write(tzp_writer_ *to, const char *what) {
  while (*what && to->room) {
    *to->text++ = *what++;
    --to->room;
  }
}

/* Types may be nested as deep as a file is long: what is deeper is "...". */
static void tzp_write_type(const tzp_kernel *kernel, uint32_t index,
                           unsigned depth, tzp_writer_ *to) {
  static const char *const scalars[] = {
      "",         "i1",     "i8",         "i16",        "i32",     "i64", "",
      "",         "",       "",           "f16",        "bf16",    "f32", "f64",
      "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f4E2M1FN"};
  const tzp_type *type = &kernel->types[index];
  char extent[24];
  uint32_t i;
  if (type->tag <= TZP_F4E2M1FN) {
    tzp_write(to, scalars[type->tag]);
    return;
  }
  if (depth == 0) {
    tzp_write(to, "...");
    return;
  }
  if (type->tag == TZP_FUNCTION) {
    tzp_write(to, "(");
    for (i = 0; i < type->num_inputs && to->room; ++i) {
      tzp_write(to, i ? ", " : "");
      tzp_write_type(kernel, type->inputs[i], depth - 1, to);
    }
    tzp_write(to, ") -> ()");
    return;
  }
  tzp_write(to, type->tag == TZP_POINTER ? "!tile.ptr<"
                : type->tag == TZP_TILE  ? "tensor<"
                                         : "!tile.view<");
  for (i = 0; i < type->rank; ++i) {
    snprintf(extent, sizeof extent, "%lldx", (long long)type->shape[i]);
    tzp_write(to, extent);
  }
  tzp_write_type(kernel, type->element, depth - 1, to);
  tzp_write(to, ">");
}

void tzp_type_text(const tzp_kernel *kernel, uint32_t type, char *text,
                   size_t size) {
  tzp_writer_ to;
  if (size == 0) {
    return;
  }
  to.text = text;
  to.room = size - 1;
  tzp_write_type(kernel, type, 16, &to);
  *to.text = 0;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TZP_IMPLEMENTATION */
