//===- RowIndices.cpp - elements of rows that a loop counts through -------===//
//
// What   See RowIndices.h.
// Why    See RowIndices.h. Where rows do not overlap, x / D * stride + x % D *
//        step is another number for each x >= 0.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/RowIndices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

/// Factors and tiles below it: a product with a number of 32 bits does not
/// wrap.
constexpr int64_t Small = int64_t{1} << 20;

Value withoutExtensions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, tile::HintOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

/// A number, or a value that no iteration changes.
std::optional<Multiple> uniform(Value value, scf::ForOp loop) {
  value = withoutExtensions(value);
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    value = withoutExtensions(splat.getSource());
  }
  if (const std::optional<int64_t> number = getConstantIntValue(value)) {
    return std::abs(*number) < Small ? std::optional(Multiple{*number, nullptr})
                                     : std::nullopt;
  }
  APInt all;
  if (matchPattern(value, m_ConstantInt(&all))) { // of a tile
    return all.abs().ult(Small)
               ? std::optional(Multiple{all.getSExtValue(), nullptr})
               : std::nullopt;
  }
  return value.getType().isSignlessInteger(32) &&
                 loop.isDefinedOutsideOfLoop(value)
             ? std::optional(Multiple{1, value})
             : std::nullopt;
}

/// What a sum is made of: multiples of one quotient and of its rest, and
/// numbers that no iteration changes.
class RowSum {
public:
  explicit RowSum(scf::ForOp loop) : loop(loop) {}

  bool add(Value value, const Multiple &factor);

  Value counted; ///< the x in x / D
  Value divisor; ///< D, as a tile
  std::optional<Multiple> ofQuotient, ofRest;

private:
  bool addProduct(Value value, Value by, const Multiple &factor);
  /// The quotient, or the rest.
  bool addPart(Operation *op, std::optional<Multiple> &part,
               const Multiple &factor);

  scf::ForOp loop;
  unsigned steps = 0;
};

bool RowSum::addPart(Operation *op, std::optional<Multiple> &part,
                     const Multiple &factor) {
  if (part || (counted && (counted != op->getOperand(0) ||
                           divisor != op->getOperand(1)))) {
    return false;
  }
  counted = op->getOperand(0);
  divisor = op->getOperand(1);
  part = factor;
  return true;
}

bool RowSum::addProduct(Value value, Value by, const Multiple &factor) {
  const std::optional<Multiple> more = uniform(by, loop);
  if (!more || (more->value && factor.value)) {
    return false;
  }
  const int64_t product = more->factor * factor.factor; // below 2^40
  return std::abs(product) < Small &&
         add(value, {product, more->value ? more->value : factor.value});
}

bool RowSum::add(Value value, const Multiple &factor) {
  constexpr unsigned mostSteps = 32;
  if (++steps > mostSteps) {
    return false;
  }
  value = withoutExtensions(value);
  Operation *op = value.getDefiningOp();
  if (isa_and_present<tile::DivSIOp>(op)) {
    return addPart(op, ofQuotient, factor);
  }
  if (isa_and_present<tile::RemSIOp>(op)) {
    return addPart(op, ofRest, factor);
  }
  if (isa_and_present<arith::AddIOp>(op)) {
    return add(op->getOperand(0), factor) && add(op->getOperand(1), factor);
  }
  if (isa_and_present<arith::MulIOp>(op)) {
    return uniform(op->getOperand(1), loop)
               ? addProduct(op->getOperand(0), op->getOperand(1), factor)
               : addProduct(op->getOperand(1), op->getOperand(0), factor);
  }
  if (auto splat = dyn_cast_if_present<tile::SplatOp>(op)) {
    return loop.isDefinedOutsideOfLoop(splat.getSource());
  }
  return matchPattern(value, m_Constant());
}

/// Is it the loop's counter, from 0 on, plus a range that is no longer than the
/// counter's steps? The range's length.
std::optional<int64_t> tileOfCounter(Value value, scf::ForOp loop) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum) {
    return std::nullopt;
  }
  auto range = sum.getLhs().getDefiningOp<tile::RangeOp>();
  Value other = range ? sum.getRhs() : sum.getLhs();
  if (!range) {
    range = sum.getRhs().getDefiningOp<tile::RangeOp>();
  }
  auto splat = other.getDefiningOp<tile::SplatOp>();
  const std::optional<int64_t> step = getConstantIntValue(loop.getStep()),
                               first =
                                   getConstantIntValue(loop.getLowerBound());
  if (!range || !splat ||
      withoutExtensions(splat.getSource()) != loop.getInductionVar() || !step ||
      !first || *first < 0 || loop.getUnsignedCmp()) {
    return std::nullopt;
  }
  const int64_t low = int32_t(range.getStart()), high = int32_t(range.getEnd());
  return low >= 0 && high - low <= *step && high < Small ? std::optional(high)
                                                         : std::nullopt;
}

Value pointersOf(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  auto store = dyn_cast<tile::StoreOp>(op);
  return load ? load.getPointer() : store ? store.getPointer() : Value();
}

} // namespace

std::optional<RowsApart> tz::simt::apartInIterationsIf(Operation *one,
                                                       Operation *other) {
  Value pointers = pointersOf(one);
  auto loop = dyn_cast<scf::ForOp>(one->getParentOp());
  if (!pointers || pointers != pointersOf(other) || !loop ||
      other->getParentOp() != loop) {
    return std::nullopt;
  }
  RowSum sum(loop);
  while (auto moved = pointers.getDefiningOp<tile::AddPtrOp>()) {
    if (!sum.add(moved.getOffset(), {})) {
      return std::nullopt;
    }
    pointers = moved.getPointer();
  }
  auto base = pointers.getDefiningOp<tile::SplatOp>();
  if (!base || !loop.isDefinedOutsideOfLoop(base.getSource()) ||
      !sum.ofQuotient || !sum.ofRest ||
      !cast<ShapedType>(sum.counted.getType())
           .getElementType()
           .isSignlessInteger(32)) {
    return std::nullopt;
  }
  // (length - 1) * step does not wrap if both are numbers of 32 bits.
  if (sum.ofRest->value && std::abs(sum.ofRest->factor) != 1) {
    return std::nullopt;
  }
  const std::optional<int64_t> tile = tileOfCounter(sum.counted, loop);
  const std::optional<Multiple> length = uniform(sum.divisor, loop);
  if (!tile || !length ||
      !loop.getUpperBound().getType().isSignlessInteger(32)) {
    return std::nullopt;
  }
  return RowsApart{
      *length, *sum.ofQuotient, *sum.ofRest, {1, loop.getUpperBound()}, *tile};
}
