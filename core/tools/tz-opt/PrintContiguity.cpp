//===- PrintContiguity.cpp - simt-print-contiguity ------------------------===//
//
// What   Runs of lanes of each tile of integers, masks or pointers, by
//        Contiguity: an entry for each dimension.
//
//   %5: contiguity [1, 64], constancy [16, 1], divisibility [4, 16]
//===----------------------------------------------------------------------===//
#include "core/tools/tz-opt/PrintPass.h"

#include "terrazzo/simt/Contiguity.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

static void write(const Runs &runs, int64_t DimRuns::*field,
                  llvm::raw_ostream &out) {
  out << "[";
  llvm::interleaveComma(runs, out,
                        [&](const DimRuns &run) { out << run.*field; });
  out << "]";
}

tz::opt::Describe tz::opt::describeContiguity(tile::KernelOp kernel) {
  auto contiguity = std::make_shared<Contiguity>(kernel);
  return {[contiguity](Value value, AsmState &, llvm::raw_ostream &out) {
    if (!isa<RankedTensorType>(value.getType()) ||
        !isa<IntegerType, tile::PtrType>(tile::elementType(value.getType()))) {
      return;
    }
    const Runs runs = contiguity->of(value);
    out << "contiguity ";
    write(runs, &DimRuns::contiguity, out);
    out << ", constancy ";
    write(runs, &DimRuns::constancy, out);
    out << ", divisibility ";
    write(runs, &DimRuns::divisibility, out);
  }};
}
