//===- LanguageExamples.h - the language's table as kernels -----*- C++ -*-===//
//
// What   Each row of core/frontend/Language.def and Libdevice.def as a kernel
//        of one line with its buffers, and the numbers that it must give.
// Why    The table says what works; whoever runs the examples (interpreter,
//        a target's tests) proves it.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_FRONTEND_LANGUAGEEXAMPLES_H
#define TERRAZZO_TEST_UNIT_FRONTEND_LANGUAGEEXAMPLES_H

#include "core/frontend/Frontend.h"
#include "core/interpreter/Interpreter.h"

#include <cmath>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace tz::frontend::test {

struct LanguageExample {
  std::string name;
  bool interp, cpu;
  std::string example;
  std::string expected;
};
/// For googletest's messages.
inline void PrintTo(const LanguageExample &row, std::ostream *os) {
  *os << row.name << ": " << row.example;
}

inline const std::vector<LanguageExample> &languageExamples() {
  enum : bool { No, Yes };
  static const std::vector<LanguageExample> rows = {
#define TZ_FAMILY(title)
#define TZ_NAME(name, interp, cpu, since, triton, example, expected,           \
                difference)                                                    \
  {name, interp, cpu, example, expected},
#include "core/frontend/Language.def"
  };
  return rows;
}

inline std::string exampleKernel(const LanguageExample &row) {
  std::string body = row.example;
  if (body.find("keep(o, ") == std::string::npos) {
    body = "keep(o, " + body + ")";
  }
  for (size_t at = 0; (at = body.find('\n', at)) != std::string::npos; ++at) {
    body.insert(at + 1, "    ");
  }
  return R"py(import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.constexpr_function
def twice(n):
    return 2 * n

@triton.jit
def add_two(a, b):
    return a + b

@tl.core.extern
def foreign_tanh(x):
    return tl.core.extern_elementwise(
        "", "", [x], {(tl.float32,): ("__nv_tanhf", tl.float32)}, True)

@triton.aggregate
class Point:
    a: tl.tensor
    b: tl.tensor

    @triton.jit
    def __init__(self, a, b):
        self.a = a
        self.b = b

    @triton.jit
    def __add__(self, other):
        return Point(self.a + other.a, self.b + other.b)

@triton.jit
def halvings(n):
    count = 0
    while n > 0:
        n = n >> 1
        count += 1
    return count

@triton.jit
def keep(o, value):
    tile = tl.to_tensor(value).to(tl.float32)
    if len(tile.shape) == 0:
        tl.store(o, tile)
    else:
        tl.store(o + tl.arange(0, tile.numel), tl.reshape(tile, [tile.numel]))

@triton.jit
def kernel(o, w, f, q, n0):
    i = tl.arange(0, 16)
    x = tl.load(f + i)
    y = tl.load(f + 16 + i)
    j = 3 * i - 20
    k0 = n0.to(tl.uint32)
    )py" +
         body + "\n";
}

inline Specialization exampleTypes() {
  Specialization spec;
  for (auto [name, type] : {std::pair{"o", "*fp32"},
                            {"w", "*fp32"},
                            {"f", "*fp32"},
                            {"q", "*i32"},
                            {"n0", "i32"}}) {
    ArgSpec arg;
    arg.name = name;
    arg.type = type;
    spec.args.push_back(arg);
  }
  return spec;
}

/// The arguments' memory; o, w, f, q, n0 in this order.
struct ExampleBuffers {
  std::vector<float> out = std::vector<float>(64, -77), work = out, in;
  std::vector<int32_t> counters = std::vector<int32_t>(16, 0);
  ExampleBuffers() {
    for (int i = 0; i < 16; ++i) {
      in.push_back(float(i + 1) / 8);
    }
    for (int i = 0; i < 16; ++i) {
      in.push_back((float(i) - 7.5f) / 4);
    }
  }
};

/// What the first elements of the output are not, or empty.
inline std::string differenceOf(const LanguageExample &row,
                                const std::vector<float> &out) {
  std::stringstream numbers(row.expected);
  std::string text;
  for (size_t i = 0; std::getline(numbers, text, ','); ++i) {
    double wanted = std::strtod(text.c_str(), nullptr);
    double allowed = 4e-6 * std::max(std::abs(wanted), 1e-3);
    bool same = std::isnan(wanted)   ? std::isnan(out[i])
                : std::isinf(wanted) ? out[i] == wanted
                                     : std::abs(out[i] - wanted) <= allowed;
    if (!same) {
      return "element " + std::to_string(i) + " is " + std::to_string(out[i]) +
             ", expected " + text;
    }
  }
  return row.expected.empty() ? "the row has no expected value" : "";
}

} // namespace tz::frontend::test

#endif // TERRAZZO_TEST_UNIT_FRONTEND_LANGUAGEEXAMPLES_H
