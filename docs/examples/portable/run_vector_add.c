/*===- run_vector_add.c - runs a kernel without a compiler ------------------===
 *
 * What   Interprets vector_add.py::add_kernel from its portable form, program
 *        after program, and checks the sums. Ops that it has not are refused
 *        with their line.
 * Why    Shows what the ops of a kernel mean to somebody who brings everything
 *        else: values, views of memory, bounds. Needs terrazzo/portable.h and a
 *        C compiler.
 *
 *   tz compile vector_add.py::add_kernel --emit portable -o add.tzir \
 *       --sig "*fp32,*fp32,*fp32,i32" --constexpr BLOCK=1024
 *   cc -std=c99 run_vector_add.c -o run_vector_add && ./run_vector_add add.tzir 100003
 *===-----------------------------------------------------------------------===*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TZP_IMPLEMENTATION
#include <terrazzo/portable.h>

/* What a value of the kernel holds, by its type. */
typedef struct value {
  int64_t integer;      /* i1 to i64 */
  float *memory;        /* a pointer; a view's base */
  int64_t extent, step; /* of a view, of one dimension, in elements */
  float *tile;          /* as many as the type has elements */
} value;

typedef struct machine {
  const tzp_kernel *kernel;
  value *values;
  int64_t program; /* the one that runs, along axis 0 */
} machine;

static value *operand(machine *m, const tzp_op *op, uint32_t i) {
  return &m->values[op->operands[i]];
}

static const tzp_type *type_of(machine *m, uint32_t number) {
  return &m->kernel->types[m->kernel->values[number].type];
}

/* Says which op is not there, and where it stands. */
static int refuse(machine *m, const tzp_op *op) {
  tzp_str file;
  uint32_t line, column;
  if (tzp_line(m->kernel, op, &file, &line, &column)) {
    fprintf(stderr, "%.*s:%u:%u: ", (int)file.size, file.data, line, column);
  }
  fprintf(stderr, "%s: this example has no such op, or not with these types\n",
          op->name);
  return 0;
}

/* i: integer, p: pointer to f32, v: view of f32 with one dimension, t: tile. */
static char kind_of(machine *m, const tzp_type *type) {
  const int is_float = type->tag >= TZP_POINTER &&
                       m->kernel->types[type->element].tag == TZP_F32;
  return type->tag <= TZP_I64                                   ? 'i'
         : type->tag == TZP_POINTER && is_float                 ? 'p'
         : type->tag == TZP_VIEW && is_float && type->rank == 1 ? 'v'
         : type->tag == TZP_TILE && is_float && type->rank == 1 ? 't'
                                                                : '?';
}

/* Is it this op, with operands and a result ("-": none) of these kinds? */
static int is_op(machine *m, const tzp_op *op, const char *name,
                 const char *operands, char result) {
  uint32_t i;
  if (strcmp(op->name, name) != 0 || op->num_operands != strlen(operands) ||
      op->num_results != (result != '-')) {
    return 0;
  }
  for (i = 0; i < op->num_operands; ++i) {
    if (kind_of(m, type_of(m, op->operands[i])) != operands[i]) {
      return 0;
    }
  }
  return result == '-' || kind_of(m, type_of(m, op->first_result)) == result;
}

/* Is element i of the tile that begins at `start` inside of the view? */
static int is_inside(const value *view, int64_t start, int64_t i) {
  return start + i >= 0 && start + i < view->extent;
}

static void load(value *to, int64_t size, const value *view, int64_t start) {
  int64_t i;
  for (i = 0; i < size; ++i) {
    to->tile[i] =
        is_inside(view, start, i) ? view->memory[(start + i) * view->step] : 0;
  }
}

static void store(const value *from, int64_t size, const value *view,
                  int64_t start) {
  int64_t i;
  for (i = 0; i < size; ++i) {
    if (is_inside(view, start, i)) {
      view->memory[(start + i) * view->step] = from->tile[i];
    }
  }
}

/* 0: refused. */
static int run_op(machine *m, const tzp_op *op) {
  value *result = op->num_results ? &m->values[op->first_result] : NULL;
  const int64_t size =
      op->num_results ? type_of(m, op->first_result)->num_elements : 0;
  const tzp_attr *attr;
  int64_t i;
  if (is_op(m, op, "tile.program_id", "", 'i')) {
    attr = tzp_find(m->kernel, op, "axis");
    result->integer = attr && attr->number == 0 ? m->program : 0;
  } else if (is_op(m, op, "arith.constant", "", 'i')) {
    attr = tzp_find(m->kernel, op, "value");
    result->integer = attr ? attr->number : 0;
  } else if (is_op(m, op, "arith.extsi", "i", 'i')) {
    result->integer = operand(m, op, 0)->integer;
  } else if (is_op(m, op, "arith.muli", "ii", 'i')) { /* wraps */
    result->integer = (int64_t)((uint64_t)operand(m, op, 0)->integer *
                                (uint64_t)operand(m, op, 1)->integer);
  } else if (is_op(m, op, "tile.make_view", "pii", 'v')) {
    result->memory = operand(m, op, 0)->memory;
    result->extent = operand(m, op, 1)->integer;
    result->step = operand(m, op, 2)->integer;
  } else if (is_op(m, op, "tile.load_view", "vi", 't')) {
    load(result, size, operand(m, op, 0), operand(m, op, 1)->integer);
  } else if (is_op(m, op, "arith.addf", "tt", 't')) {
    for (i = 0; i < size; ++i) {
      result->tile[i] = operand(m, op, 0)->tile[i] + operand(m, op, 1)->tile[i];
    }
  } else if (is_op(m, op, "tile.store_view", "vti", '-')) {
    store(operand(m, op, 1), type_of(m, op->operands[1])->num_elements,
          operand(m, op, 0), operand(m, op, 2)->integer);
  } else if (!is_op(m, op, "tile.return", "", '-')) {
    return refuse(m, op);
  }
  return 1;
}

/* Room for each tile of the kernel. 0: out of memory. */
static int make_tiles(machine *m) {
  uint32_t i;
  m->values = (value *)calloc(m->kernel->num_values + 1, sizeof *m->values);
  for (i = 0; m->values && i < m->kernel->num_values; ++i) {
    const tzp_type *type = type_of(m, i);
    if (kind_of(m, type) == 't') {
      m->values[i].tile =
          (float *)calloc((size_t)type->num_elements, sizeof(float));
      if (!m->values[i].tile) {
        return 0;
      }
    }
  }
  return m->values != NULL;
}

static int takes_arrays(const tzp_kernel *kernel) {
  const tzp_region *body = &kernel->ops[0].regions[0];
  machine m = {kernel, NULL, 0};
  uint32_t i;
  for (i = 0; i < body->num_arguments && i < 4; ++i) {
    if (kind_of(&m, type_of(&m, body->first_argument + i)) != "pppi"[i]) {
      return 0;
    }
  }
  return body->num_arguments == 4;
}

/* x + y for i = 0 ... n - 1. 0: refused, or out of memory. */
static int launch(const tzp_kernel *kernel, float *arrays[3], int64_t n,
                  int64_t block) {
  const tzp_region *body = &kernel->ops[0].regions[0];
  machine m = {kernel, NULL, 0};
  int is_fine = make_tiles(&m);
  uint32_t i, at;
  for (i = 0; is_fine && i < 3; ++i) {
    m.values[body->first_argument + i].memory = arrays[i];
  }
  if (is_fine) {
    m.values[body->first_argument + 3].integer = n;
  }
  for (; is_fine && m.program < (n + block - 1) / block; ++m.program) {
    for (at = tzp_body(kernel); is_fine && at; at = kernel->ops[at].next) {
      is_fine = run_op(&m, &kernel->ops[at]);
    }
  }
  for (i = 0; m.values && i < kernel->num_values; ++i) {
    free(m.values[i].tile);
  }
  free(m.values);
  return is_fine;
}

/* How many sums are wrong; -1 where the kernel did not run. */
static int64_t test(const tzp_kernel *kernel, int64_t n) {
  float *all = (float *)calloc((size_t)n * 3 + 1, sizeof *all);
  float *arrays[3];
  int64_t i, wrong = all ? 0 : -1;
  for (i = 0; all && i < 3; ++i) {
    arrays[i] = all + i * n;
  }
  for (i = 0; all && i < n; ++i) {
    arrays[0][i] = (float)(i % 1000);
    arrays[1][i] = 0.5f;
  }
  if (all && !launch(kernel, arrays, n, 1024)) {
    wrong = -1;
  }
  for (i = 0; wrong >= 0 && i < n; ++i) {
    wrong += arrays[2][i] != (float)(i % 1000) + 0.5f;
  }
  free(all);
  return wrong;
}

int main(int argc, char **argv) {
  static char bytes[1 << 20]; /* enough for this kernel */
  char why[256];
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  const long long n = argc == 3 ? atoll(argv[2]) : 0;
  size_t size;
  tzp_kernel *kernel;
  int64_t wrong = -1;
  if (!file || n < 1 || n > 100000000) {
    fprintf(stderr, "usage: run_vector_add KERNEL.tzir N (1 to 10^8)\n");
    return 2;
  }
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  kernel = tzp_read(bytes, size, why, sizeof why);
  if (!kernel) {
    fprintf(stderr, "%s: %s\n", argv[1], why);
    return 1;
  }
  if (!takes_arrays(kernel)) {
    fprintf(stderr, "%s: takes other arguments than x, y, out: *fp32; n: i32\n",
            argv[1]);
  } else {
    wrong = test(kernel, n);
  }
  if (wrong >= 0) {
    printf("%lld sums, %lld wrong\n", n, (long long)wrong);
  }
  tzp_free(kernel);
  return wrong != 0;
}
