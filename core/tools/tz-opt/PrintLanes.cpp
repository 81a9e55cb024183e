//===- PrintLanes.cpp - simt-print-lane-strides, simt-print-programs ------===//
//
// What   Of each tile by how much it mostly grows from lane to lane, along each
//        dimension; of each integer whether all programs have the same one.
//
//   %5: lane strides [?, 1]
//   %2: the same in all programs
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LaneStrides.h"
#include "core/simt/analysis/Programs.h"
#include "core/tools/tz-opt/PrintPass.h"

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::simt;

Describe tz::opt::describeLaneStrides(tile::KernelOp) {
  return {[](Value value, AsmState &, llvm::raw_ostream &out) {
    if (!isa<RankedTensorType>(value.getType()) ||
        !isa<IntegerType, tile::PtrType>(tile::elementType(value.getType()))) {
      return;
    }
    out << "lane strides [";
    llvm::interleaveComma(
        laneStridesOf(value), out,
        [&](std::optional<int64_t> one) { one ? out << *one : out << "?"; });
    out << "]";
  }};
}

Describe tz::opt::describePrograms(tile::KernelOp) {
  return {[](Value value, AsmState &, llvm::raw_ostream &out) {
    if (isa<IntegerType>(value.getType())) {
      out << (isSameInPrograms(value) ? "the same in all programs"
                                      : "may differ");
    }
  }};
}
