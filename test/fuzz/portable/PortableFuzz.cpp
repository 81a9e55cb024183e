//===- PortableFuzz.cpp - the C reader of the portable form ---------------===//
//
// What   Reads the bytes as they are and once more with a right hash and size;
//        of what is taken, follows each index and text once.
// Why    A vendor's program hands it whatever it was given.
//===----------------------------------------------------------------------===//
#define TZP_IMPLEMENTATION
#include "terrazzo/portable.h"

#include <cstdlib>
#include <string>

static void touch(const tzp_kernel *kernel, uint32_t at, uint64_t &sum) {
  const tzp_op &op = kernel->ops[at];
  for (uint32_t i = 0; i < op.num_operands; ++i) {
    sum += kernel->values[op.operands[i]].type;
  }
  for (uint32_t i = 0; i < op.num_results; ++i) {
    sum += kernel->types[kernel->values[op.first_result + i].type].tag;
  }
  for (uint32_t i = 0; i < op.num_attrs; ++i) {
    const tzp_attr &attr = kernel->attrs[op.attrs[i].value];
    for (size_t k = 0; k < attr.size; ++k) {
      sum += attr.values  ? uint64_t(attr.values[k])
             : attr.named ? kernel->attrs[attr.named[k].value].tag
                          : kernel->attrs[attr.items[k]].tag;
    }
    for (size_t k = 0; k < attr.string.size; ++k) {
      sum += uint8_t(attr.string.data[k]);
    }
  }
  tzp_str file;
  uint32_t line, column;
  if (tzp_line(kernel, &op, &file, &line, &column) && file.size) {
    sum += uint8_t(file.data[file.size - 1]) + line + column;
  }
}

static void readOnce(const std::string &bytes) {
  char message[200];
  tzp_kernel *kernel =
      tzp_read(bytes.data(), bytes.size(), message, sizeof message);
  if (!kernel) {
    if (message[0] == 0) {
      std::abort();
    }
    return;
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < kernel->num_ops; ++i) {
    touch(kernel, i, sum);
  }
  for (uint32_t i = 0; i < kernel->num_types; ++i) {
    char text[64];
    tzp_type_text(kernel, i, text, sizeof text);
    sum += uint8_t(text[0]);
  }
  volatile uint64_t kept = sum; // what was read is read
  (void)kept;
  tzp_free(kernel);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  readOnce(bytes);
  if (bytes.size() >= 64) {
    for (int i = 0; i < 8; ++i) {
      bytes[16 + i] = char(uint64_t(size) >> (8 * i));
    }
    tzp_hash(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
             reinterpret_cast<uint8_t *>(&bytes[32]));
    readOnce(bytes);
  }
  return 0;
}
