//===- AddressArithmetic.cpp - which integer ops must not wrap ------------===//
//
// What   A walk from offsets and masks back to what computes them; the check.
// Why    See AddressArithmetic.h.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/AddressArithmetic.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tz::interpreter {

namespace {

class Walk {
public:
  explicit Walk(AddressArithmetic &found) : found(found) {}

  void addRoots(Operation *op);
  void finish();

private:
  void push(Value value, Reading reading) { work.push_back({value, reading}); }
  /// A mask is a conjunction of comparisons.
  void pushMask(Value mask);
  void visit(Operation *op, Value result, Reading reading);
  void visitArgument(BlockArgument argument, Reading reading);

  AddressArithmetic &found;
  SmallVector<std::pair<Value, Reading>> work;
  /// Bit 1: seen as signed, bit 2: as unsigned.
  DenseMap<Value, unsigned> seen;
};

void Walk::addRoots(Operation *op) {
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    push(add.getOffset(), Reading::Signed);
  } else if (isa<tile::AdvanceViewOp, tile::LoadViewOp>(op)) {
    for (Value operand : op->getOperands().drop_front()) {
      if (isa<IntegerType>(operand.getType())) {
        push(operand, Reading::Signed);
      }
    }
    // What fills a view's outside is no offset.
    if (auto load = dyn_cast<tile::LoadViewOp>(op); load && load.getOther()) {
      llvm::erase_if(work, [&](const auto &entry) {
        return entry.first == load.getOther();
      });
    }
  } else if (isa<tile::StoreViewOp>(op)) {
    for (Value operand : op->getOperands().drop_front(2)) {
      push(operand, Reading::Signed);
    }
  }
  Value mask;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    mask = load.getMask();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    mask = store.getMask();
  } else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
    mask = atomic.getMask();
  }
  if (mask) {
    pushMask(mask);
  }
}

void Walk::pushMask(Value mask) {
  SmallVector<Value> conditions = {mask};
  DenseSet<Value> known;
  while (!conditions.empty()) {
    Value condition = conditions.pop_back_val();
    if (!known.insert(condition).second) {
      continue;
    }
    Operation *op = condition.getDefiningOp();
    if (!op) {
      continue;
    }
    if (isa<arith::AndIOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
            tile::TransposeOp>(op)) {
      conditions.append(op->operand_begin(), op->operand_end());
    } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      using P = arith::CmpIPredicate;
      const P predicate = compare.getPredicate();
      const bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                              predicate == P::ugt || predicate == P::uge;
      push(compare.getLhs(), isUnsigned ? Reading::Unsigned : Reading::Signed);
      push(compare.getRhs(), isUnsigned ? Reading::Unsigned : Reading::Signed);
    }
  }
}

void Walk::visit(Operation *op, Value result, Reading reading) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    Reading &known = found[op];
    known = known == Reading::Signed ? known : reading;
    push(op->getOperand(0), reading);
    push(op->getOperand(1), reading);
  } else if (isa<arith::ExtSIOp>(op)) {
    push(op->getOperand(0), Reading::Signed);
  } else if (isa<arith::ExtUIOp>(op)) {
    push(op->getOperand(0), Reading::Unsigned);
  } else if (isa<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
                 tile::TransposeOp, tile::HintOp>(op)) {
    push(op->getOperand(0), reading);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    const unsigned index = cast<OpResult>(result).getResultNumber();
    push(loop.getInitArgs()[index], reading);
    push(loop.getBody()->getTerminator()->getOperand(index), reading);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    const unsigned index = cast<OpResult>(result).getResultNumber();
    push(loop.getConditionOp().getArgs()[index], reading);
  }
}

void Walk::visitArgument(BlockArgument argument, Reading reading) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument.getArgNumber() > 0) { // the counter stays within its bounds
      push(loop.getInitArgs()[argument.getArgNumber() - 1], reading);
      push(loop.getBody()->getTerminator()->getOperand(argument.getArgNumber() -
                                                       1),
           reading);
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    const unsigned index = argument.getArgNumber();
    if (argument.getOwner() == loop.getAfterBody()) {
      push(loop.getConditionOp().getArgs()[index], reading);
    } else {
      push(loop.getInits()[index], reading);
      push(loop.getYieldOp()->getOperand(index), reading);
    }
  }
}

void Walk::finish() {
  while (!work.empty()) {
    auto [value, reading] = work.pop_back_val();
    const unsigned bit = reading == Reading::Signed ? 1 : 2;
    unsigned &known = seen[value];
    if ((known & bit) != 0) {
      continue;
    }
    known |= bit;
    if (Operation *op = value.getDefiningOp()) {
      visit(op, value, reading);
    } else {
      visitArgument(cast<BlockArgument>(value), reading);
    }
  }
}

} // namespace

AddressArithmetic findAddressArithmetic(tile::KernelOp kernel) {
  AddressArithmetic found;
  Walk walk(found);
  kernel->walk([&](Operation *op) { walk.addRoots(op); });
  walk.finish();
  return found;
}

void checkOverflow(Machine &m, const Instruction &in) {
  const unsigned width = widthOf(in.resultKind);
  const bool isSigned = in.mustNotWrap == Reading::Signed;
  const __int128 low =
      isSigned ? -(static_cast<__int128>(1) << (width - 1)) : 0;
  const __int128 high =
      (static_cast<__int128>(1) << (isSigned ? width - 1 : width)) - 1;
  Signed a = signedLanes(m.operand(in, 0)), b = signedLanes(m.operand(in, 1));
  const uint64_t keep = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  auto wide = [&](int64_t lane) {
    return isSigned ? static_cast<__int128>(lane)
                    : static_cast<__int128>(static_cast<uint64_t>(lane) & keep);
  };
  const size_t count = std::max(a.size(), b.size());
  for (size_t i = 0; i < count; ++i) {
    const __int128 x = wide(laneOf(a, i)), y = wide(laneOf(b, i));
    const bool adds = isa<arith::AddIOp>(in.op);
    const bool subtracts = isa<arith::SubIOp>(in.op);
    // Two 64-bit factors fit in 128 bits, but for two unsigned ones.
    __int128 exact = 0;
    const bool tooLarge =
        !adds && !subtracts && __builtin_mul_overflow(x, y, &exact);
    exact = adds ? x + y : subtracts ? x - y : exact;
    if (!tooLarge && exact >= low && exact <= high) {
      continue;
    }
    auto text = [&](__int128 value) {
      return isSigned ? std::to_string(static_cast<int64_t>(value))
                      : std::to_string(static_cast<uint64_t>(value));
    };
    m.find(in, FindingKind::AddressOverflow, 0,
           "overflow in address arithmetic: " + text(x) +
               (adds        ? " + "
                : subtracts ? " - "
                            : " * ") +
               text(y) + " does not fit in " + (isSigned ? "i" : "u") +
               std::to_string(width));
  }
}

} // namespace tz::interpreter
