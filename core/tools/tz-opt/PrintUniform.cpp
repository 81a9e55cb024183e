//===- PrintUniform.cpp - simt-print-uniform ------------------------------===//
//
// What   Of each tile how many elements beside each other are equal along each
//        dimension ("all": along the whole of it), and, where it has a layout,
//        whether all lanes of a warp hold the same.
//
//   %5: equal along [all, 4], not uniform
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/UniformValues.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::simt;

Describe tz::opt::describeUniform(tile::KernelOp kernel) {
  struct Analyses {
    explicit Analyses(tile::KernelOp kernel)
        : runs(kernel), values(kernel, runs) {}
    Contiguity runs;
    UniformValues values;
  };
  auto known = std::make_shared<Analyses>(kernel);
  return {[known](Value value, AsmState &, llvm::raw_ostream &out) {
    if (!isa<RankedTensorType>(value.getType())) {
      return;
    }
    out << "equal along [";
    llvm::interleaveComma(
        known->values.equalAlong(value), out, [&](int64_t one) {
          one == UniformValues::AllEqual ? out << "all" : out << one;
        });
    out << "]";
    if (hasLayout(value.getType())) {
      out << (known->values.isUniform(value) ? ", uniform" : ", not uniform");
    }
    auto load = value.getDefiningOp<tile::LoadOp>();
    if (load && known->values.isUniformLoad(load)) {
      out << ", loaded at one address";
    }
  }};
}
