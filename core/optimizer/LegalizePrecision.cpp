//===- LegalizePrecision.cpp - tile-legalize-precision --------------------===//
//
// What   Gives dots whose precision is the target's choice the one that this
//        target has, makes sums of products of parts of tf32x3, bf16x3 and
//        bf16x6 where matrix units take parts only, and refuses element types
//        that the target cannot convert.
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
#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  void narrow(DotOp dot);
  void split(DotOp dot);
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

/// The tile of halves of which this one is the extension, as it is or turned.
static Value halvesOf(Value tile) {
  if (auto extension = tile.getDefiningOp<arith::ExtFOp>()) {
    const Type element = elementType(extension.getIn().getType());
    return element.isF16() || element.isBF16() ? extension.getIn() : Value();
  }
  Operation *op = tile.getDefiningOp();
  return isa_and_present<TransposeOp, ReshapeOp>(op)
             ? halvesOf(op->getOperand(0))
             : Value();
}

/// The same tile, of halves.
static Value asHalves(OpBuilder &b, Value tile) {
  if (auto extension = tile.getDefiningOp<arith::ExtFOp>()) {
    return extension.getIn();
  }
  Operation *op = tile.getDefiningOp();
  Value source = asHalves(b, op->getOperand(0));
  Operation *made = b.clone(*op);
  made->setOperand(0, source);
  made->getResult(0).setType(
      cast<RankedTensorType>(tile.getType())
          .cloneWith(std::nullopt, elementType(source.getType())));
  return made->getResult(0);
}

/// Halves are numbers of tf32, and their products numbers of f32: it is the
/// same sum, from half the bytes in half the instructions.
void LegalizePrecision::narrow(DotOp dot) {
  Value a = halvesOf(dot.getA()), other = halvesOf(dot.getB());
  if (!a || !other || dot.getPrecision() == Precision::ieee ||
      elementType(a.getType()) != elementType(other.getType()) ||
      !roundsToTf32([&](Feature one) { return has(one); })) {
    return;
  }
  OpBuilder b(dot);
  dot.getAMutable().assign(asHalves(b, dot.getA()));
  dot.getBMutable().assign(asHalves(b, dot.getB()));
  dot.setPrecision(Precision::ieee);
  ++narrowedDots;
}

/// The leading bits of each element, then those of what is left, `count` times:
/// of 8 bits as bf16, of 11 as f32. What is left of infinity is NaN.
static SmallVector<Value> partsOf(OpBuilder &b, Value rest, unsigned bits,
                                  unsigned count) {
  const Location loc = rest.getLoc();
  const auto f32 = cast<RankedTensorType>(rest.getType());
  auto splat = [&](Type element, const APInt &value) -> Value {
    auto type = f32.cloneWith(std::nullopt, element);
    TypedAttr one = element.isF32()
                        ? TypedAttr(b.getFloatAttr(
                              element, APFloat(APFloat::IEEEsingle(), value)))
                        : TypedAttr(b.getIntegerAttr(element, value));
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(one)));
  };
  SmallVector<Value> parts;
  for (unsigned i = 0; i < count; ++i) {
    if (bits == 8) {
      parts.push_back(
          TruncFOp::create(b, loc, f32.cloneWith(std::nullopt, b.getBF16Type()),
                           rest, Rounding::rtz));
    } else if (i + 1 == count) {
      parts.push_back(rest); // a dot in tf32 cuts it
    } else {
      // A NaN could lose the bits that make it one.
      Type i32 = b.getI32Type();
      Value word =
          BitcastOp::create(b, loc, f32.cloneWith(std::nullopt, i32), rest);
      word = arith::AndIOp::create(
          b, loc, word, splat(i32, APInt::getBitsSetFrom(32, 24 - bits)));
      Value isNan =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, rest, rest);
      parts.push_back(arith::SelectOp::create(
          b, loc, isNan,
          splat(b.getF32Type(),
                APFloat::getNaN(APFloat::IEEEsingle()).bitcastToAPInt()),
          BitcastOp::create(b, loc, f32, word)));
    }
    if (i + 1 < count) {
      Value leading = bits == 8
                          ? arith::ExtFOp::create(b, loc, f32, parts.back())
                          : parts.back();
      rest = arith::SubFOp::create(b, loc, rest, leading);
    }
  }
  return parts;
}

/// Products of part i of a and part j of b with i + j below the number of
/// parts, the smallest first. All but the first are corrections: where they are
/// NaN, an infinity or NaN among the operands decides alone (P21).
void LegalizePrecision::split(DotOp dot) {
  const Precision precision = dot.getPrecision();
  const bool inTf32 = precision == Precision::tf32x3;
  if (!inTf32 && precision != Precision::bf16x3 &&
      precision != Precision::bf16x6) {
    return;
  }
  auto type = cast<RankedTensorType>(dot.getType());
  if (!elementType(dot.getA().getType()).isF32() ||
      !roundsToTf32([&](Feature one) { return has(one); })) {
    return;
  }
  const unsigned bits = inTf32 ? 11 : 8;
  const unsigned count = precision == Precision::bf16x6 ? 3 : 2;
  OpBuilder b(dot);
  const Location loc = dot.getLoc();
  const SmallVector<Value> as = partsOf(b, dot.getA(), bits, count);
  const SmallVector<Value> bs = partsOf(b, dot.getB(), bits, count);
  auto product = [&](unsigned i, unsigned j, Value acc) -> Value {
    return DotOp::create(b, loc, type, as[i], bs[j], acc,
                         inTf32 ? Precision::tf32 : Precision::ieee,
                         /*maxImprecise=*/0);
  };
  Value zero = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(0)));
  Value corrections = zero;
  for (unsigned order = count - 1; order > 0; --order) {
    for (unsigned i = 0; i <= order; ++i) {
      corrections = product(i, order - i, corrections);
    }
  }
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      corrections, corrections);
  corrections = arith::SelectOp::create(b, loc, isNan, zero, corrections);
  Value acc = arith::AddFOp::create(b, loc, dot.getAcc(), corrections);
  dot.replaceAllUsesWith(product(0, 0, acc));
  dot.erase();
  ++splitDots;
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
  SmallVector<DotOp> dots;
  getOperation().walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      legal &= isLegal(op, type);
    }
    for (Type type : op->getOperandTypes()) {
      legal &= isLegal(op, type);
    }
    if (auto dot = dyn_cast<DotOp>(op)) {
      resolve(dot);
      dots.push_back(dot);
    }
  });
  for (DotOp dot : dots) {
    narrow(dot);
    split(dot);
  }
  if (dots.empty()) {
    markAllAnalysesPreserved();
  }
  if (!legal) {
    signalPassFailure();
  }
}
