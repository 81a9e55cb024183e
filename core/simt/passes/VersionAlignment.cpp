//===- VersionAlignment.cpp - simt-version-alignment ----------------------===//
//
// What   A loop with dots whose operands lie where loaded pointers and strides
//        say gets a copy for the case that their rows are aligned, under a test.
// Why    What comes from memory has no known alignment: its elements would be
//        loaded one by one. Groups of products (arrays of pointers) are mostly
//        aligned; a test a loop costs nothing beside them.
// Example (test/simt/version-alignment.mlir; lines with scf., tile.hint, tile.make_view)
//   before
//     ...
//     %va = tile.make_view %a shape[%m, %wide] strides[%stride, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
//     %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
//     %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
//       ...
//       scf.yield %next : tensor<64x64xf32>
//     }
//     %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
//     ...
//   after
//     ...
//     %4 = tile.make_view %1 shape[%c64_i64, %c4096_i64] strides[%3, %c1_i64] : <f16> -> <64x32xf16>
//     %5 = tile.make_view %arg2 shape[%c4096_i64, %c64_i64] strides[%c64_i64, %c1_i64] : <f16> -> <32x64xf16>
//     ...
//     %11 = scf.if %10 -> (tensor<64x64xf32>) {
//       %13 = tile.hint %1 {divisibility = array<i64: 16>} : !tile.ptr<f16>
//       %14 = tile.hint %3 {divisibility = array<i64: 8>} : i64
//       %15 = tile.make_view %13 shape[%c64_i64, %c4096_i64] strides[%14, %c1_i64] : <f16> -> <64x32xf16>
//       %16 = tile.make_view %arg2 shape[%c4096_i64, %c64_i64] strides[%c64_i64, %c1_i64] : <f16> -> <32x64xf16>
//       %17 = scf.for %arg5 = %c0_i32 to %arg4 step %c32_i32 iter_args(%arg6 = %cst) -> (tensor<64x64xf32>)  : i32 {
//         ...
//         scf.yield %21 : tensor<64x64xf32>
//       }
//       scf.yield %17 : tensor<64x64xf32>
//     } else {
//       %13 = scf.for %arg5 = %c0_i32 to %arg4 step %c32_i32 iter_args(%arg6 = %cst) -> (tensor<64x64xf32>)  : i32 {
//         ...
//         scf.yield %17 : tensor<64x64xf32>
//       }
//       scf.yield %13 : tensor<64x64xf32>
//     }
//     %12 = tile.make_view %arg3 shape[%c64_i64, %c64_i64] strides[%c64_i64, %c1_i64] : <f32> -> <64x64xf32>
//     ...
// Needs  simt-assign-layouts later: it chooses vectors by what is known.
// Keeps  everything: both copies do the same.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Contiguity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_VERSIONALIGNMENT
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Bytes that vectors of the widest access need.
constexpr int64_t Wanted = 16;

/// Is it computed from what a load brought? Arguments were looked at when the
/// kernel was specialised: what is not known of them does not hold.
bool comesFromMemory(Value value) {
  llvm::SetVector<Value> all;
  all.insert(value);
  for (size_t i = 0; i < all.size(); ++i) {
    Operation *op = all[i].getDefiningOp();
    if (!op || isa<RankedTensorType>(all[i].getType())) {
      continue;
    }
    if (isa<tile::LoadOp>(op)) {
      return true;
    }
    if (op->getNumRegions() == 0) {
      all.insert_range(op->getOperands());
    }
  }
  return false;
}

class Versioner {
public:
  Versioner(scf::ForOp loop, const analysis::Hints &hints)
      : loop(loop), hints(hints) {}

  bool run();

private:
  bool describe(tile::LoadViewOp load);
  bool want(Value value, int64_t bytes);

  scf::ForOp loop;
  const analysis::Hints &hints;
  /// Of each value, by how many bytes one unit of it moves; it shall be such
  /// that the rows are aligned.
  llvm::MapVector<Value, int64_t> unknown;
  llvm::SetVector<Operation *> views;
};

/// False if the value is known to be of no use.
bool Versioner::want(Value value, int64_t bytes) {
  const int64_t known = hints.divisibility(value);
  if (known == 0 || known * bytes % Wanted == 0) {
    return true;
  }
  if (!comesFromMemory(value)) {
    return false;
  }
  auto [place, isNew] = unknown.try_emplace(value, bytes);
  place->second = std::min(place->second, bytes);
  return true;
}

/// A view that is made before the loop, dense along one dimension.
bool Versioner::describe(tile::LoadViewOp load) {
  auto make = load.getView().getDefiningOp<tile::MakeViewOp>();
  if (!make || loop->isProperAncestor(make)) {
    return false;
  }
  const int64_t bytes =
      tile::storageBytes(load.getView().getType().getElementType());
  if (bytes >= Wanted || !want(make.getBase(), 1)) {
    return false;
  }
  unsigned dense = 0;
  for (Value stride : make.getStrides()) {
    if (matchPattern(stride, m_One())) {
      ++dense;
    } else if (!want(stride, bytes)) {
      return false;
    }
  }
  views.insert(make);
  return dense == 1;
}

bool Versioner::run() {
  for (Operation &op : *loop.getBody()) {
    if (auto load = dyn_cast<tile::LoadViewOp>(op); load && !describe(load)) {
      return false;
    }
  }
  if (unknown.empty()) {
    return false;
  }
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  Value bits;
  for (auto [value, bytes] : unknown) {
    Value one = value;
    if (isa<tile::PtrType>(one.getType())) {
      one = tile::PtrToIntOp::create(b, loc, b.getI64Type(), one);
    } else {
      one = arith::MulIOp::create(b, loc, one, constant(bytes));
    }
    bits = bits ? Value(arith::OrIOp::create(b, loc, bits, one)) : one;
  }
  Value rest = arith::AndIOp::create(b, loc, bits, constant(Wanted - 1));
  Value isAligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          rest, constant(0));
  auto branch =
      scf::IfOp::create(b, loc, loop.getResultTypes(), isAligned, true);
  const bool hasResults = loop.getNumResults() != 0;
  auto fill = [&](Block *block, bool hinted) {
    OpBuilder in = OpBuilder::atBlockBegin(block);
    IRMapping map;
    if (hinted) {
      for (auto [value, bytes] : unknown) {
        map.map(value,
                tile::HintOp::create(in, loc, value.getType(), value,
                                     in.getDenseI64ArrayAttr(Wanted / bytes),
                                     nullptr, nullptr));
      }
      for (Operation *view : views) {
        in.clone(*view, map);
      }
    }
    Operation *copy = in.clone(*loop, map);
    if (hasResults) {
      scf::YieldOp::create(in, loc, copy->getResults());
    }
  };
  fill(branch.thenBlock(), true);
  fill(branch.elseBlock(), false);
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
  return true;
}

struct VersionAlignment
    : tz::simt::impl::VersionAlignmentBase<VersionAlignment> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<tile::DotOp>().empty()) {
        loops.push_back(loop);
      }
    });
    if (loops.empty()) {
      return markAllAnalysesPreserved();
    }
    analysis::Hints hints(getOperation());
    unsigned found = 0;
    for (scf::ForOp loop : loops) {
      found += Versioner(loop, hints).run() ? 1 : 0;
    }
    versioned += found;
    if (found == 0) {
      markAllAnalysesPreserved();
    }
  }
};

} // namespace
