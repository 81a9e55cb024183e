//===- SanitizeValues.cpp - NaN, infinity, overflow -----------------------===//
//
// What   The checks `nan` and `overflow` of tile-sanitize.
// Why    A NaN travels far before it is seen. The operation that made it is the
//        one whose operands were finite. Lanes that no store keeps may hold
//        anything, as those behind the end of an array do.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerChecks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

namespace {
/// How far uses, and equal masks, are followed.
constexpr unsigned MaxDepth = 12;

/// Of a value: the mask of the stores that are all that it reaches.
class KeptLanes {
public:
  explicit KeptLanes(Value value) { isKnown = follow(value, 0); }
  /// Null: all lanes.
  Value mask() const { return isKnown ? found : Value(); }

private:
  bool follow(Value value, unsigned depth);
  bool take(Value mask);
  bool isKnown = false;
  Value found;
};
} // namespace

/// Do both compute one number? Frontends emit a mask as often as it is written.
static bool isSame(Value a, Value b, unsigned depth = 0) {
  if (a == b) {
    return true;
  }
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth > MaxDepth || x->getName() != y->getName() ||
      x->getAttrDictionary() != y->getAttrDictionary() ||
      x->getNumOperands() != y->getNumOperands() || x->getNumRegions() ||
      a.getType() != b.getType() || !isPure(x) ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber()) {
    return false;
  }
  return llvm::all_of(
      llvm::zip(x->getOperands(), y->getOperands()), [&](auto pair) {
        return isSame(std::get<0>(pair), std::get<1>(pair), depth + 1);
      });
}

bool KeptLanes::take(Value mask) {
  if (!mask || (found && !isSame(found, mask))) {
    return false;
  }
  found = found ? found : mask;
  return true;
}

bool KeptLanes::follow(Value value, unsigned depth) {
  return depth < MaxDepth &&
         llvm::all_of(
             value.getUses(),
             [&](OpOperand &use) {
               Operation *user = use.getOwner();
               if (auto store = dyn_cast<tile::StoreOp>(user)) {
                 return store.getValue() == value && take(store.getMask());
               }
               return user->hasTrait<OpTrait::Elementwise>() &&
                      user->getNumResults() == 1 && isPure(user) &&
                      tile::shapeOf(user->getResult(0).getType()) ==
                          tile::shapeOf(value.getType()) &&
                      follow(user->getResult(0), depth + 1);
             });
}

/// The mask, computed before `op`; null if it depends on what comes later.
static Value makeAvailable(Value mask, Operation *op, DominanceInfo &dominance,
                           unsigned depth = 0) {
  if (dominance.properlyDominates(mask, op)) {
    return mask;
  }
  Operation *made = mask.getDefiningOp();
  if (!made || depth > MaxDepth || made->getNumRegions() || !isPure(made)) {
    return Value();
  }
  IRMapping inputs;
  for (Value operand : made->getOperands()) {
    Value input = makeAvailable(operand, op, dominance, depth + 1);
    if (!input) {
      return Value();
    }
    inputs.map(operand, input);
  }
  OpBuilder builder(op);
  return builder.clone(*made, inputs)
      ->getResult(cast<OpResult>(mask).getResultNumber());
}

static bool isPlainFloat(Type type) {
  Type element = tile::elementType(type);
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64();
}

/// i1 a lane: NaN or infinity. All bits of its exponent are set.
static Value isNotFinite(CheckBuilder &c, Value value) {
  auto element = cast<FloatType>(tile::elementType(value.getType()));
  const unsigned width = element.getWidth();
  const unsigned fraction = element.getFPMantissaWidth() - 1;
  Type bits = withElements(value.getType(), c.b.getIntegerType(width));
  const int64_t exponent = ((int64_t(1) << (width - 1 - fraction)) - 1)
                           << fraction;
  APInt mask(width, uint64_t(exponent), false, /*implicitTrunc=*/true);
  Value all = c.spread(
      arith::ConstantOp::create(
          c.b, c.loc, c.b.getIntegerAttr(c.b.getIntegerType(width), mask)),
      bits);
  Value one = c.make<arith::AndIOp>(c.make<tile::BitcastOp>(bits, value), all);
  return c.compare(CmpIPredicate::eq, one, all);
}

static Value inverse(CheckBuilder &c, Value condition) {
  return c.make<arith::XOrIOp>(condition,
                               c.spread(c.integer(1, 1), condition.getType()));
}

/// What a user calls the operation.
static std::string nameOf(Operation *op) {
  if (auto math = dyn_cast<tile::MathOp>(op)) {
    return tile::stringifyMathFn(math.getFn()).str();
  }
  if (isa<tile::TruncFOp, tile::SIToFPOp, tile::UIToFPOp>(op)) {
    return "conversion to " + [&] {
      std::string text;
      llvm::raw_string_ostream(text)
          << tile::elementType(op->getResult(0).getType());
      return text;
    }();
  }
  return llvm::StringSwitch<std::string>(op->getName().getStringRef())
      .Case("arith.addf", "+")
      .Case("arith.subf", "-")
      .Case("arith.mulf", "*")
      .Case("tile.divf", "/")
      .Case("tile.remf", "%")
      .Default(op->getName().stripDialect().str());
}

/// The combining functions of reductions have no effects, so no reports.
static bool isInCombine(Operation *op) {
  for (Operation *around = op->getParentOp(); around;
       around = around->getParentOp()) {
    if (isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(around)) {
      return true;
    }
  }
  return false;
}

static bool makesFloats(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, tile::DivFOp,
           tile::RemFOp, tile::FmaOp, tile::MathOp, tile::PowOp, tile::TruncFOp,
           tile::SIToFPOp, tile::UIToFPOp, tile::DotOp, tile::ReduceOp,
           tile::ScanOp>(op)) {
    return false;
  }
  return !isInCombine(op) && op->getNumResults() == 1 &&
         isPlainFloat(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return !isa<FloatType>(tile::elementType(type)) ||
                  isPlainFloat(type);
         });
}

/// Behind the operation; nothing more than one look at the results where all
/// are finite.
static void checkResult(Operation *op, DominanceInfo &dominance) {
  Value result = op->getResult(0);
  Value kept = KeptLanes(result).mask();
  kept = kept ? makeAvailable(kept, op, dominance) : kept;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  CheckBuilder c(builder, op->getLoc());
  Value suspect = isNotFinite(c, result);
  if (kept) {
    suspect = c.make<arith::AndIOp>(suspect, kept);
  }
  auto looks = scf::IfOp::create(builder, c.loc, c.anyOf(suspect), false);
  builder.setInsertionPointToStart(looks.thenBlock());
  Value bad = suspect;
  for (Value operand : op->getOperands()) {
    if (!isa<FloatType>(tile::elementType(operand.getType()))) {
      continue;
    }
    Value wrong = isNotFinite(c, operand);
    // Of sums over lanes each operand's lane may be the cause.
    if (tile::shapeOf(operand.getType()) != tile::shapeOf(result.getType()) ||
        !op->hasTrait<OpTrait::Elementwise>()) {
      wrong = c.spread(c.anyOf(wrong), result.getType());
    }
    bad = c.make<arith::AndIOp>(bad, inverse(c, wrong));
  }
  auto tells = scf::IfOp::create(builder, c.loc, c.anyOf(bad), false);
  builder.setInsertionPointToStart(tells.thenBlock());
  c.report("nan", nameOf(op), "", bad, {result});
}

void checkValues(tile::KernelOp kernel, SanitizerCounts &counts) {
  SmallVector<Operation *> makers;
  kernel.walk([&](Operation *op) {
    if (makesFloats(op)) {
      makers.push_back(op);
    }
  });
  DominanceInfo dominance(kernel);
  for (Operation *op : makers) {
    checkResult(op, dominance);
  }
  counts.values += makers.size();
}

/// A constant, also one in all lanes.
static std::optional<APInt> constantOf(Value value) {
  while (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    value = splat.getSource();
  }
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number)
                                                     : std::nullopt;
}

/// A report behind the operation where `isBad` says so of a lane that counts.
static void reportLanes(Operation *op, StringRef what, Value told,
                        DominanceInfo &dominance,
                        llvm::function_ref<Value(CheckBuilder &)> isBad) {
  Value kept = KeptLanes(op->getResult(0)).mask();
  kept = kept ? makeAvailable(kept, op, dominance) : kept;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  CheckBuilder c(builder, op->getLoc());
  Value bad = isBad(c);
  bad = kept ? c.make<arith::AndIOp>(bad, kept) : bad;
  auto tells = scf::IfOp::create(builder, c.loc, c.anyOf(bad), false);
  builder.setInsertionPointToStart(tells.thenBlock());
  c.report("overflow", what, "", bad, {told});
}

/// Shifts by as many bits as the number has, or more: targets differ in what
/// they give.
static bool checkShift(Operation *op, DominanceInfo &dominance) {
  Value amount = op->getOperand(1);
  const unsigned bits =
      tile::elementType(amount.getType()).getIntOrFloatBitWidth();
  std::optional<APInt> known = constantOf(amount);
  if (known && known->ult(bits)) {
    return false;
  }
  reportLanes(op, "shift of " + std::to_string(bits) + " bits by", amount,
              dominance, [&](CheckBuilder &c) {
                Value width = c.spread(c.integer(bits, bits), amount.getType());
                return c.compare(CmpIPredicate::uge, amount, width);
              });
  return true;
}

/// Divisors of 0, and the one quotient of signed numbers that does not fit.
static bool checkDivision(Operation *op, DominanceInfo &dominance) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  std::optional<APInt> known = constantOf(divisor);
  Type type = divisor.getType();
  const unsigned bits = tile::elementType(type).getIntOrFloatBitWidth();
  auto isEqual = [&](CheckBuilder &c, Value value, int64_t number) {
    return c.compare(CmpIPredicate::eq, value,
                     c.spread(c.integer(number, bits), type));
  };
  const bool mayBeZero = !known || known->isZero();
  const bool mayBeMinusOne =
      isa<tile::DivSIOp>(op) && (!known || known->isAllOnes());
  if (mayBeMinusOne) {
    reportLanes(
        op, "a quotient by -1 does not fit: that of", dividend, dominance,
        [&](CheckBuilder &c) {
          return c.make<arith::AndIOp>(
              isEqual(c, divisor, -1),
              isEqual(c, dividend, -1 - int64_t(llvm::maxUIntN(bits - 1))));
        });
  }
  if (mayBeZero) {
    reportLanes(op, "division by zero of", dividend, dominance,
                [&](CheckBuilder &c) { return isEqual(c, divisor, 0); });
  }
  return mayBeZero || mayBeMinusOne;
}

static void checkIntegers(tile::KernelOp kernel, SanitizerCounts &counts) {
  SmallVector<Operation *> shifts, divisions;
  kernel.walk([&](Operation *op) {
    if (isInCombine(op)) {
      return;
    }
    if (isa<tile::ShlOp, tile::ShrSIOp, tile::ShrUIOp>(op)) {
      shifts.push_back(op);
    } else if (isa<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp>(
                   op)) {
      divisions.push_back(op);
    }
  });
  DominanceInfo dominance(kernel);
  for (Operation *op : shifts) {
    counts.values += checkShift(op, dominance);
  }
  for (Operation *op : divisions) {
    counts.values += checkDivision(op, dominance);
  }
}

void reportOverflows(tile::KernelOp kernel, SanitizerCounts &counts) {
  checkIntegers(kernel, counts);
  SmallVector<std::pair<tile::AssertOp, arith::CmpIOp>> checks;
  kernel.walk([&](tile::AssertOp op) {
    // As the frontend makes it: the exact result is the comparison's first.
    auto comparison = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (comparison && op.getMessage().starts_with("integer overflow of ")) {
      checks.emplace_back(op, comparison);
    }
  });
  for (auto [op, comparison] : checks) {
    OpBuilder builder(op);
    CheckBuilder c(builder, op.getLoc());
    Value bad = inverse(c, op.getCondition());
    auto tells = scf::IfOp::create(builder, c.loc, c.anyOf(bad), false);
    builder.setInsertionPointToStart(tells.thenBlock());
    c.report("overflow", op.getMessage(), "", bad, {comparison.getLhs()});
    op.erase();
  }
  counts.values += checks.size();
}

} // namespace tz::optimizer
