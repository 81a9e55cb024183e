//===- PrintHints.cpp - tile-print-hints ----------------------------------===//
//
// What   Range and divisor of each integer and pointer, by Hints.
//
//   %0: range [0, 2147483647], divisor 1
//   %arg1: range any, divisor 16
//===----------------------------------------------------------------------===//
#include "core/tools/tz-opt/PrintPass.h"

#include "terrazzo/analysis/Hints.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::analysis;

tz::opt::Describe tz::opt::describeHints(tile::KernelOp kernel) {
  auto hints = std::make_shared<Hints>(kernel);
  return {[hints](Value value, AsmState &, llvm::raw_ostream &out) {
    Type element = tile::elementType(value.getType());
    if (!isa<IntegerType, IndexType, tile::PtrType>(element)) {
      return;
    }
    auto [range, divisor] = hints->of(value);
    out << "range ";
    if (range == rangeOfType(value.getType())) {
      out << "any";
    } else {
      out << "[" << range.low << ", " << range.high << "]";
    }
    out << ", divisor " << divisor;
  }};
}
