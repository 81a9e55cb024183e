//===- LegalizePrecision.cpp - tile-legalize-precision --------------------===//
//
// What   Gives dots whose precision is the target's choice the one that this
//        target has, and refuses element types that it cannot convert.
// Why    A vendor's compiler should meet nothing that its own description
//        excludes, and a user should read the place and the cure, not what a
//        code generator makes of it.
// Example (test/optimizer/legalize-precision.mlir)
//   before
//     %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
//     %a = tile.splat %s : f32 -> tensor<16x16xf32>
//     %d = tile.dot %a, %a, %a {precision = #tile<precision target_default>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
//     tile.store %ps, %d : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
//   after
//     %0 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
//     %1 = tile.splat %arg1 : f32 -> tensor<16x16xf32>
//     %2 = tile.dot %1, %1, %1 {precision = #tile<precision tf32>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
//     tile.store %0, %2 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "terrazzo/optimizer/Features.h"
#include "terrazzo/optimizer/Pipeline.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz::tile;
using tz::optimizer::Feature;

namespace tz::optimizer {
#define GEN_PASS_DEF_LEGALIZEPRECISION
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {
struct LegalizePrecision
    : tz::optimizer::impl::LegalizePrecisionBase<LegalizePrecision> {
  using Base = tz::optimizer::impl::LegalizePrecisionBase<LegalizePrecision>;
  using Base::Base;

  void runOnOperation() override;

private:
  bool has(Feature feature) const {
    return llvm::is_contained(features, nameOf(feature));
  }
  void resolve(DotOp dot);
  bool isLegal(Operation *op, Type type);

  llvm::DenseSet<Type> refused; // one message for each type
};
} // namespace

static bool roundsToTf32(llvm::function_ref<bool(Feature)> has) {
  return !has(Feature::DotF32) && has(Feature::DotTF32);
}

bool tz::optimizer::defaultIsTf32(const TargetFacts &target) {
  return roundsToTf32([&](Feature feature) {
    return target.features.count(nameOf(feature).str()) != 0;
  });
}

/// The feature that says that a target converts this type; every target has
/// integers, f16, bf16 and f32.
static std::optional<Feature> featureFor(Type element) {
  return llvm::TypeSwitch<Type, std::optional<Feature>>(element)
      .Case([](Float64Type) { return Feature::F64; })
      .Case<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
            Float8E5M2FNUZType>([](auto) { return Feature::FP8; })
      .Case([](Float4E2M1FNType) { return Feature::FP4; })
      .Default([](Type) { return std::nullopt; });
}

void LegalizePrecision::resolve(DotOp dot) {
  if (dot.getPrecision() != Precision::target_default) {
    return;
  }
  bool isF32 = elementType(dot.getA().getType()).isF32();
  bool rounds = isF32 && roundsToTf32([&](Feature one) { return has(one); });
  dot.setPrecision(rounds ? Precision::tf32 : Precision::ieee);
  ++resolvedDots;
  if (rounds) {
    emitRemark(dot.getLoc())
        << "this product of f32 tiles is computed in tf32, the target's "
           "default; input_precision=\"ieee\" keeps all bits";
  }
}

bool LegalizePrecision::isLegal(Operation *op, Type type) {
  Type element = elementType(type);
  std::optional<Feature> feature = featureFor(element);
  if (!feature || has(*feature)) {
    return true;
  }
  if (refused.insert(element).second) {
    emitError(op->getLoc())
        << "the target has no values of type " << element << ": '"
        << nameOf(*feature)
        << "' is not among its features; keep them in memory as "
           "integers and compute in f32 or f16, or choose a target "
           "that has them (tz targets)";
  }
  return false;
}

void LegalizePrecision::runOnOperation() {
  refused.clear();
  bool legal = true;
  getOperation().walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      legal &= isLegal(op, type);
    }
    for (Type type : op->getOperandTypes()) {
      legal &= isLegal(op, type);
    }
    if (auto dot = dyn_cast<DotOp>(op)) {
      resolve(dot);
    }
  });
  if (!legal) {
    signalPassFailure();
  }
}
