//===- LaunchPlan.cpp - what the host computes before a launch ------------===//
//
// What   See LaunchPlan.h.
// Why    See LaunchPlan.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/LaunchPlan.h"

#include "terrazzo/simt/SimtLowering.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

#include <map>

using namespace tz;
using namespace tz::simt;
using tz::plugin::Expr;
using tz::plugin::KernelDescription;

static constexpr size_t MostSteps = 64; // of an expression (R1)

namespace {
/// Which value over all programs: they must agree, the least, the greatest.
enum class Over { Any, Least, Greatest };
} // namespace

static Over opposite(Over over) {
  return over == Over::Least      ? Over::Greatest
         : over == Over::Greatest ? Over::Least
                                  : over;
}

static bool build(mlir::Value value, Over over, Expr &to);

/// The operands one after the other, then the operation.
static bool build(mlir::Operation *op, uint32_t code, Over first, Over second,
                  Expr &to) {
  if (!build(op->getOperand(0), first, to) ||
      !build(op->getOperand(1), second, to)) {
    return false;
  }
  to.op(code);
  return to.steps.size() <= MostSteps;
}

static bool build(mlir::Value value, Over over, Expr &to) {
  if (to.steps.size() >= MostSteps) {
    return false;
  }
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    to.arg(argument.getArgNumber());
    return mlir::isa<tile::KernelOp>(argument.getOwner()->getParentOp());
  }
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant))) {
    to.constant(constant.getSExtValue());
    return true;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (auto program = mlir::dyn_cast<tile::ProgramIdOp>(op)) {
    if (over == Over::Greatest) {
      to.grid(uint32_t(program.getAxis())).constant(1).op(TZ_X_SUB);
    } else {
      to.constant(0);
    }
    return over != Over::Any;
  }
  if (mlir::isa<mlir::arith::ExtSIOp>(op)) {
    return build(op->getOperand(0), over, to);
  }
  if (mlir::isa<mlir::arith::SubIOp>(op)) {
    return build(op, TZ_X_SUB, over, opposite(over), to);
  }
  if (mlir::isa<mlir::arith::MulIOp>(op)) {
    // By what is not negative: else the least is made of the greatest.
    const bool keeps =
        mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&constant)) &&
        !constant.isNegative();
    const Over each = keeps ? over : Over::Any;
    return build(op, TZ_X_MUL, each, each, to);
  }
  uint32_t code = mlir::isa<mlir::arith::AddIOp>(op) ? TZ_X_ADD
                  : mlir::isa<tile::MinSIOp>(op)     ? TZ_X_MIN
                  : mlir::isa<tile::MaxSIOp>(op)     ? TZ_X_MAX
                                                     : 0;
  return code != 0 && build(op, code, over, over, to);
}

std::optional<Expr> tz::simt::launchExpr(mlir::Value value) {
  Expr result;
  if (!build(value, Over::Any, result)) {
    return std::nullopt;
  }
  return result;
}

/// Whether a plan computes the same, of 64 bits: nothing wraps around.
static bool isExact(mlir::Value value, const analysis::Hints &hints) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || op->hasTrait<mlir::OpTrait::ConstantLike>() ||
      mlir::isa<tile::ProgramIdOp>(op)) {
    return true;
  }
  const analysis::Interval range = hints.range(value);
  return (mlir::isa<mlir::arith::ExtSIOp>(op) ||
          (value.getType().isInteger(64) && range.low > INT64_MIN &&
           range.high < INT64_MAX)) &&
         llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return isExact(operand, hints);
         });
}

static uint32_t comparison(mlir::arith::CmpIPredicate predicate) {
  switch (predicate) {
  case mlir::arith::CmpIPredicate::eq:
    return TZ_X_EQ;
  case mlir::arith::CmpIPredicate::ne:
    return TZ_X_NE;
  case mlir::arith::CmpIPredicate::slt:
    return TZ_X_LT;
  case mlir::arith::CmpIPredicate::sle:
    return TZ_X_LE;
  case mlir::arith::CmpIPredicate::sgt:
    return TZ_X_GT;
  case mlir::arith::CmpIPredicate::sge:
    return TZ_X_GE;
  default:
    return 0; // plans compare with signs
  }
}

std::optional<Expr> tz::simt::launchCondition(mlir::Value condition,
                                              const analysis::Hints &hints,
                                              bool everywhere) {
  if (auto both = condition.getDefiningOp<mlir::arith::AndIOp>()) {
    auto first = launchCondition(both.getLhs(), hints, everywhere),
         second = launchCondition(both.getRhs(), hints, everywhere);
    if (!first || !second ||
        first->steps.size() + second->steps.size() >= MostSteps) {
      return std::nullopt;
    }
    first->steps.insert(first->steps.end(), second->steps.begin(),
                        second->steps.end());
    return first->op(TZ_X_AND);
  }
  auto compare = condition.getDefiningOp<mlir::arith::CmpIOp>();
  const uint32_t code = compare ? comparison(compare.getPredicate()) : 0;
  const Over left = !everywhere || code == TZ_X_EQ || code == TZ_X_NE
                        ? Over::Any
                    : code == TZ_X_GE || code == TZ_X_GT ? Over::Least
                                                         : Over::Greatest;
  Expr result;
  if (code == 0 || !isExact(compare.getLhs(), hints) ||
      !isExact(compare.getRhs(), hints) ||
      !build(compare.getLhs(), left, result) ||
      !build(compare.getRhs(), opposite(left), result) ||
      result.steps.size() >= MostSteps) {
    return std::nullopt;
  }
  return result.op(code);
}

static bool isEqual(const Expr &a, const Expr &b) {
  return a.steps.size() == b.steps.size() &&
         llvm::all_of(llvm::zip(a.steps, b.steps), [](auto pair) {
           const auto &[x, y] = pair;
           return x.op == y.op && x.index == y.index && x.value == y.value;
         });
}

static void append(Expr &to, const Expr &more) {
  to.steps.insert(to.steps.end(), more.steps.begin(), more.steps.end());
}

namespace {
/// Conditions that all hold, as one expression.
class Guard {
public:
  /// Least of these values is at least one: one comparison for all.
  void positive(const Expr &value) {
    for (const Expr &known : positives) {
      if (isEqual(known, value)) {
        return;
      }
    }
    positives.push_back(value);
  }
  /// value * factor is a multiple of `of`: powers of two.
  void multiple(const Expr &value, int64_t factor, int64_t of) {
    Expr one = value;
    one.constant(factor).op(TZ_X_MUL).constant(of).op(TZ_X_REM);
    add(all, one.constant(0).op(TZ_X_EQ));
    multiples[std::max<int64_t>(1, of / factor)].push_back(value);
  }
  void atLeast(Expr value, int64_t least) {
    value.constant(least).op(TZ_X_GE);
    add(all, value);
    add(limits, value);
  }
  void notAbove(Expr value, const Expr &end) {
    append(value, end);
    value.op(TZ_X_LE);
    add(all, value);
    add(limits, value);
  }
  void below(Expr value, int64_t end) {
    value.constant(end).op(TZ_X_LT);
    add(all, value);
    add(limits, value);
  }
  /// One comparison for each, or, where a plan has no room for so many, one for
  /// all that are multiples of the same.
  std::optional<Expr> finish() {
    if (!positives.empty()) {
      Expr least;
      for (auto [i, value] : llvm::enumerate(positives)) {
        append(least, value);
        if (i != 0) {
          least.op(TZ_X_MIN);
        }
      }
      least.constant(1).op(TZ_X_GE);
      add(all, least);
      add(limits, least);
    }
    if (all.steps.size() <= MostSteps) {
      return all;
    }
    for (const auto &[of, values] : multiples) {
      Expr bits;
      for (auto [i, value] : llvm::enumerate(values)) {
        append(bits, value);
        if (i != 0) {
          bits.op(TZ_X_OR);
        }
      }
      add(limits, bits.constant(of).op(TZ_X_REM).constant(0).op(TZ_X_EQ));
    }
    return limits.steps.size() <= MostSteps ? std::optional(limits)
                                            : std::nullopt;
  }

private:
  static void add(Expr &to, const Expr &condition) {
    bool isFirst = to.steps.empty();
    append(to, condition);
    if (!isFirst) {
      to.op(TZ_X_AND);
    }
  }

  Expr all, limits; // without multiples
  std::map<int64_t, std::vector<Expr>> multiples;
  std::vector<Expr> positives;
};
} // namespace

llvm::SmallVector<uint32_t> tz::simt::gridAxes(tile::KernelOp kernel) {
  llvm::SmallVector<uint32_t> axes;
  kernel.walk([&](LogicalGridOp op) { axes.push_back(op.getAxis()); });
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  return axes;
}

/// 1: all rows of all views begin at multiples of so many bytes, if the first
/// does.
static Expr areEven(const KernelDescription &info, int64_t bytes) {
  std::vector<Expr> strides;
  for (const auto &slot : info.arguments) {
    for (size_t i = 0; i + 1 < slot.strides.size(); ++i) {
      Expr stride = slot.strides[i];
      stride.constant(slot.elementBits / 8).op(TZ_X_MUL);
      if (llvm::none_of(strides, [&](const Expr &known) {
            return isEqual(known, stride);
          })) {
        strides.push_back(std::move(stride));
      }
    }
  }
  Expr rest;
  for (auto [i, stride] : llvm::enumerate(strides)) {
    append(rest, stride);
    rest.constant(bytes).op(TZ_X_REM);
    if (i != 0) {
      rest.op(TZ_X_ADD);
    }
  }
  return strides.empty() ? rest.constant(1) : rest.constant(0).op(TZ_X_EQ);
}

bool tz::simt::appendGrid(KernelDescription &info,
                          llvm::ArrayRef<uint32_t> axes,
                          const FrameLimits &limits) {
  if (axes.empty()) {
    return true;
  }
  Expr programs;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    programs.grid(axis);
    if (i != 0) {
      programs.op(TZ_X_MUL);
    }
    info.append("grid", TZ_ARG_LOGICAL_GRID, axis, 0, 4);
    info.grid[axis].constant(1);
  }
  // A block counts in 32 bits, and the last step goes beyond the end. Where the
  // occupancy is not known the guard is false.
  Expr guard = programs;
  guard.constant(1 << 30).op(TZ_X_LT);
  guard.occupancy().constant(1).op(TZ_X_GE).op(TZ_X_AND);
  const bool isFirst = info.guard.steps.empty();
  append(info.guard, guard);
  if (!isFirst) {
    info.guard.op(TZ_X_AND);
  }
  Expr blocks = areEven(info, limits.evenBytes);
  append(blocks, programs);
  blocks.device(TZ_DEV_COMPUTE_UNITS).occupancy().op(TZ_X_MUL).op(TZ_X_MIN);
  append(blocks, programs);
  blocks.op(TZ_X_SELECT);
  info.grid[axes[0]] = std::move(blocks);
  return info.guard.steps.size() <= MostSteps &&
         info.grid[axes[0]].steps.size() <= MostSteps;
}

bool tz::simt::appendCluster(KernelDescription &info, unsigned blocks,
                             const FrameLimits &limits) {
  if (blocks == 1) {
    return true;
  }
  Expr guard = areEven(info, limits.evenBytes);
  guard.constant(0).op(TZ_X_EQ);
  guard.grid(0).constant(blocks).op(TZ_X_REM).constant(0).op(TZ_X_EQ);
  guard.op(TZ_X_AND);
  guard.grid(0).device(TZ_DEV_COMPUTE_UNITS).op(TZ_X_GE).op(TZ_X_AND);
  const bool isFirst = info.guard.steps.empty();
  append(info.guard, guard);
  if (!isFirst) {
    info.guard.op(TZ_X_AND);
  }
  info.cluster[0] = blocks;
  return info.guard.steps.size() <= MostSteps;
}

namespace {

/// Adds one descriptor after the other to a description and its guard.
class DescriptorPlan {
public:
  DescriptorPlan(KernelDescription &next, unsigned descriptorBytes,
                 const FrameLimits &limits, tile::KernelOp kernel)
      : next(next), descriptorBytes(descriptorBytes), limits(limits),
        hints(kernel) {}

  /// False: something of it cannot be computed at launch.
  bool add(DescriptorOp descriptor);
  std::optional<Expr> condition() { return guard.finish(); }

private:
  static bool isMultiple(int64_t known, int64_t of) {
    return known == 0 || known % of == 0;
  }
  bool addBase(DescriptorOp descriptor, plugin::Argument &slot, int64_t bytes);
  void guardExtent(mlir::Value extent, const Expr &size);
  void guardRow(mlir::Value extent, const Expr &size, int64_t bytes);
  void guardStride(mlir::Value stride, const Expr &step, int64_t bytes,
                   bool isPitch);

  KernelDescription &next;
  const unsigned descriptorBytes;
  const FrameLimits &limits;
  analysis::Hints hints;
  Guard guard;
};

bool DescriptorPlan::addBase(DescriptorOp descriptor, plugin::Argument &slot,
                             int64_t bytes) {
  auto base = mlir::cast<mlir::BlockArgument>(descriptor.getBase());
  slot.baseArg = base.getArgNumber();
  slot.elementBits = uint32_t(bytes * 8);
  std::optional<Expr> offset = launchExpr(descriptor.getOffset());
  if (!offset) {
    return false;
  }
  const bool isMoved =
      !mlir::matchPattern(descriptor.getOffset(), mlir::m_Zero());
  if (isMoved) {
    slot.byteOffset = *offset;
    slot.byteOffset.constant(bytes).op(TZ_X_MUL);
    if (!isMultiple(hints.divisibility(descriptor.getOffset()) * bytes,
                    limits.baseAlignment)) {
      guard.multiple(*offset, bytes, limits.baseAlignment);
    }
  }
  if (!isMultiple(hints.divisibility(base), limits.baseAlignment)) {
    guard.multiple(Expr().arg(base.getArgNumber()), 1, limits.baseAlignment);
  }
  return true;
}

void DescriptorPlan::guardExtent(mlir::Value extent, const Expr &size) {
  const analysis::Interval sizes = hints.range(extent);
  if (sizes.low < 1) {
    guard.positive(size);
  }
  if (sizes.high > limits.extentEnd) {
    guard.below(size, limits.extentEnd);
  }
}

void DescriptorPlan::guardRow(mlir::Value extent, const Expr &size,
                              int64_t bytes) {
  const auto least = int64_t(llvm::divideCeil(limits.leastRow, bytes));
  if (hints.range(extent).low < least) {
    guard.atLeast(size, least);
  }
  if (!isMultiple(hints.divisibility(extent) * bytes, limits.rowAlignment)) {
    guard.multiple(size, bytes, limits.rowAlignment);
  }
}

/// `isPitch`: from a row to the next one.
void DescriptorPlan::guardStride(mlir::Value stride, const Expr &step,
                                 int64_t bytes, bool isPitch) {
  const analysis::Interval steps = hints.range(stride);
  if (steps.low < 1) {
    guard.positive(step);
  }
  const int64_t end = (isPitch ? std::min(limits.pitchEnd, limits.strideEnd)
                               : limits.strideEnd) /
                      bytes;
  if (steps.high >= end) {
    guard.below(step, end);
  }
  // What lies further out begins as a base does.
  const int64_t alignment =
      isPitch ? limits.strideAlignment
              : std::max(limits.strideAlignment, limits.baseAlignment);
  if (!isMultiple(hints.divisibility(stride) * bytes, alignment)) {
    guard.multiple(step, bytes, alignment);
  }
}

bool DescriptorPlan::add(DescriptorOp descriptor) {
  DescriptorType type = descriptor.getType();
  const int64_t bytes = tile::storageBytes(type.getElementType());
  plugin::Argument &slot =
      next.append("descriptor", TZ_ARG_TENSOR_VIEW, 0, 0, descriptorBytes);
  slot.align = std::min(slot.align, 128u); // what the ABI knows
  if (!addBase(descriptor, slot, bytes)) {
    return false;
  }
  for (auto [dim, values] : llvm::enumerate(
           llvm::zip_equal(descriptor.getShape(), descriptor.getStrides()))) {
    auto [extent, stride] = values;
    std::optional<Expr> size = launchExpr(extent), step = launchExpr(stride);
    if (!size || !step) {
      return false;
    }
    guardExtent(extent, *size);
    if (dim + 1 == type.getBox().size()) {
      guardRow(extent, *size, bytes);
    } else {
      guardStride(stride, *step, bytes, dim + 2 == type.getBox().size());
    }
    slot.dims.push_back(std::move(*size));
    slot.strides.push_back(std::move(*step));
  }
  if (const size_t rank = slot.dims.size(); limits.rowsApart && rank > 1) {
    const Expr &row = slot.dims[rank - 1], &pitch = slot.strides[rank - 2];
    if (!isEqual(row, pitch)) {
      guard.notAbove(row, pitch);
    }
  }
  for (mlir::Value value : descriptor.getPositive()) {
    std::optional<Expr> expr = launchExpr(value);
    if (!expr) {
      return false;
    }
    guard.positive(*expr);
  }
  return true;
}

} // namespace

bool tz::simt::appendDescriptors(KernelDescription &info,
                                 llvm::ArrayRef<DescriptorOp> descriptors,
                                 unsigned descriptorBytes,
                                 const FrameLimits &limits) {
  if (descriptors.empty()) {
    return true;
  }
  KernelDescription next = info;
  DescriptorPlan plan(
      next, descriptorBytes, limits,
      DescriptorOp(descriptors.front())->getParentOfType<tile::KernelOp>());
  for (DescriptorOp descriptor : descriptors) {
    if (!plan.add(descriptor)) {
      return false;
    }
  }
  std::optional<Expr> condition = plan.condition();
  if (!condition) {
    return false;
  }
  if (!next.guard.steps.empty()) {
    const bool isFirst = condition->steps.empty();
    append(*condition, next.guard);
    if (!isFirst) {
      condition->op(TZ_X_AND);
    }
    if (condition->steps.size() > MostSteps) {
      return false;
    }
  }
  next.guard = std::move(*condition);
  info = std::move(next);
  return true;
}

void tz::simt::appendProgramBlocks(KernelDescription &info, unsigned blocks) {
  if (blocks > 1) {
    info.grid[0].grid(0).constant(blocks).op(TZ_X_MUL);
    info.cluster[0] = blocks;
  }
}
