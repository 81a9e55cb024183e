//===- PrintExactIntegers.cpp - tile-print-exact-integers -----------------===//
//
// What   Of each integer whether its arithmetic does not wrap, and whether it
//        is not negative, by ExactIntegers.
//
//   %4: exact, not negative
//   %7: may wrap
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/ExactIntegers.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::analysis;

namespace {
struct Integers {
  explicit Integers(tile::KernelOp kernel)
      : hints(kernel), exact(kernel, hints) {}

  Hints hints;
  ExactIntegers exact;
};
} // namespace

Describe tz::opt::describeExactIntegers(tile::KernelOp kernel) {
  auto integers = std::make_shared<Integers>(kernel);
  return {[integers](Value value, AsmState &, llvm::raw_ostream &out) {
    Type element = tile::elementType(value.getType());
    if (!isa<IntegerType>(element) || element.isInteger(1)) {
      return;
    }
    out << (integers->exact.isExact(value) ? "exact" : "may wrap");
    if (integers->exact.isNatural(value)) {
      out << ", not negative";
    } else if (integers->exact.isNaturalUnlessItWraps(value)) {
      out << ", not negative unless it wraps";
    }
  }};
}
