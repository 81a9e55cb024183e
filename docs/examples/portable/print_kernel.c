/*===- print_kernel.c - a kernel's ops, one a line --------------------------===
 *
 * What   Walks a kernel in the portable form, and prints what it finds.
 * Why    The first thing that a compiler of another kind does with one. Needs
 *        terrazzo/portable.h and a C compiler.
 *
 *   tz compile vector_add.py::add_kernel --emit portable -o add.tzir \
 *       --sig "*fp32,*fp32,*fp32,i32" --constexpr BLOCK=1024
 *   cc -std=c99 print_kernel.c -o print_kernel && ./print_kernel add.tzir
 *===-----------------------------------------------------------------------===*/
#include <stdio.h>
#include <stdlib.h>
#define TZP_IMPLEMENTATION
#include <terrazzo/portable.h>

static void print_attribute(const tzp_kernel *kernel, const tzp_named *named) {
  const tzp_attr *value = &kernel->attrs[named->value];
  const char *name = tzp_case(named->kind, value->number);
  char type[128];
  size_t i;
  printf("%s", named->name);
  if (name) { /* an enum */
    printf(" = %s", name);
    return;
  }
  switch (value->tag) {
  case TZP_ATTR_UNIT:
    return;
  case TZP_ATTR_STRING:
    printf(" = \"%.*s\"", (int)value->string.size, value->string.data);
    return;
  case TZP_ATTR_TYPE:
    tzp_type_text(kernel, value->type, type, sizeof type);
    printf(" = %s", type);
    return;
  case TZP_ATTR_FLOAT:
    printf(" = bits 0x%llx", (unsigned long long)value->number);
    return;
  case TZP_ATTR_BOOL:
  case TZP_ATTR_INTEGER:
    printf(" = %lld", (long long)value->number);
    return;
  case TZP_ATTR_LIST: /* one dictionary for each argument of the kernel */
    printf(" = [");
    for (i = 0; i < value->size; ++i) {
      const tzp_attr *one = &kernel->attrs[value->items[i]];
      size_t k;
      printf("%s{", i ? ", " : "");
      for (k = 0; k < one->size; ++k) {
        printf("%s", k ? ", " : "");
        print_attribute(kernel, &one->named[k]);
      }
      printf("}");
    }
    printf("]");
    return;
  default: /* lists of numbers, and constants */
    printf(" = [");
    for (i = 0; i < value->size; ++i) {
      printf("%s%lld", i ? ", " : "", (long long)value->values[i]);
    }
    printf("]");
  }
}

static void print_op(const tzp_kernel *kernel, uint32_t at, int indent) {
  const tzp_op *op = &kernel->ops[at];
  char type[128];
  tzp_str file;
  uint32_t i, line, column;
  printf("%*s", indent, "");
  for (i = 0; i < op->num_results; ++i) {
    printf("%s%%%u", i ? ", " : "", op->first_result + i);
  }
  printf("%s%s", op->num_results ? " = " : "", op->name);
  for (i = 0; i < op->num_operands; ++i) {
    printf("%s %%%u", i ? "," : "", op->operands[i]);
  }
  for (i = 0; i < op->num_attrs; ++i) {
    printf("%s", i ? ", " : " {");
    print_attribute(kernel, &op->attrs[i]);
  }
  printf("%s", op->num_attrs ? "}" : "");
  for (i = 0; i < op->num_results; ++i) {
    tzp_type_text(kernel, kernel->values[op->first_result + i].type, type,
                  sizeof type);
    printf("%s %s", i ? "," : " :", type);
  }
  if (tzp_line(kernel, op, &file, &line, &column)) {
    printf("  // %.*s:%u:%u", (int)file.size, file.data, line, column);
  }
  printf("\n");
  for (i = 0; i < op->num_regions; ++i) {
    const tzp_region *region = &op->regions[i];
    uint32_t k, inner;
    printf("%*s(", indent + 2, "");
    for (k = 0; k < region->num_arguments; ++k) {
      const uint32_t value = region->first_argument + k;
      tzp_type_text(kernel, kernel->values[value].type, type, sizeof type);
      printf("%s%%%u: %s", k ? ", " : "", value, type);
    }
    printf(")\n");
    /* Depth is limited by the reader: 256. */
    for (inner = region->first_op; inner; inner = kernel->ops[inner].next) {
      print_op(kernel, inner, indent + 4);
    }
  }
}

/* The bytes of a file; NULL and a message where it cannot be read. */
static void *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t room = 0;
  *size = 0;
  while (file && !ferror(file) && !feof(file)) {
    if (*size == room) {
      char *wider = (char *)realloc(bytes, room = 2 * room + 4096);
      if (!wider) {
        break;
      }
      bytes = wider;
    }
    *size += fread(bytes + *size, 1, room - *size, file);
  }
  if (!file || !feof(file)) {
    fprintf(stderr, "%s: cannot be read\n", path);
    free(bytes);
    bytes = NULL;
  }
  if (file) {
    fclose(file);
  }
  return bytes;
}

int main(int argc, char **argv) {
  char why[256];
  size_t size;
  void *bytes;
  tzp_kernel *kernel;
  if (argc != 2) {
    fprintf(stderr, "usage: print_kernel KERNEL.tzir\n");
    return 2;
  }
  bytes = slurp(argv[1], &size);
  if (!bytes) {
    return 1;
  }
  kernel = tzp_read(bytes, size, why, sizeof why);
  if (kernel) {
    print_op(kernel, 0, 0);
    tzp_free(kernel);
  } else {
    fprintf(stderr, "%s: %s\n", argv[1], why);
  }
  free(bytes);
  return kernel == NULL;
}
