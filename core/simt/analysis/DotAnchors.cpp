//===- DotAnchors.cpp - what dots ask of their operands -------------------===//
//
// What   A dot's operands as the target is told of them, what it chooses, and
//        the layouts of the loads that bring them.
// Why    Where an operand lies in memory, and what computes it, decides whether
//        threads keep it, blocks of memory bring it, or a buffer holds it.
//===----------------------------------------------------------------------===//
#include "core/simt/CheckTarget.h"
#include "core/simt/analysis/Anchors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

/// How what a tile is computed from lies in memory, fastest dimension first.
std::optional<SmallVector<unsigned, 3>>
Anchors::memoryOrder(Value value, unsigned steps) const {
  if (steps == 0) {
    return std::nullopt;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar()) {
      return std::nullopt;
    }
    return memoryOrder(loop.getTiedLoopInit(argument)->get(), steps - 1);
  }
  Operation *op = value.getDefiningOp();
  if (auto access = orderOfAccess.find(op); access != orderOfAccess.end()) {
    return SmallVector<unsigned, 3>(ArrayRef<unsigned>(access->second));
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    auto order = memoryOrder(transpose.getSource(), steps - 1);
    if (order) {
      SmallVector<int64_t> to = inverse(transpose.getOrder());
      for (unsigned &dim : *order) {
        dim = unsigned(to[dim]);
      }
    }
    return order;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    // Both arms load it, one with a mask.
    const unsigned i = cast<OpResult>(value).getResultNumber();
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      if (auto order = memoryOrder(yield.getOperand(i), steps - 1)) {
        return order;
      }
    }
    return std::nullopt;
  }
  if (isElementwise(op)) {
    for (Value operand : op->getOperands()) {
      if (isTile(operand)) {
        if (auto order = memoryOrder(operand, steps - 1)) {
          return order;
        }
      }
    }
  }
  return std::nullopt;
}

/// How far back an operand's memory is looked for.
static constexpr unsigned MostSteps = 8;

static Value beforeTransposes(Value value) {
  while (auto transpose = value.getDefiningOp<tile::TransposeOp>()) {
    value = transpose.getSource();
  }
  return value;
}

tile::LoadViewOp Anchors::blockLoad(Value operand) {
  auto load = beforeTransposes(operand).getDefiningOp<tile::LoadViewOp>();
  StringRef why;
  const bool isPlain =
      load &&
      (!load.getOther() || matchPattern(load.getOther(), m_AnyZeroFloat()) ||
       matchPattern(load.getOther(), m_Zero()));
  return isPlain && shapeOf(load.getResult()).size() == 2 &&
                 !tile::elementType(load.getResult().getType()).isInteger(1) &&
                 launch->describe(load.getView(), load.getOffsets(),
                                  load.getChecked(), why)
             ? load
             : tile::LoadViewOp();
}

/// What a dot wants in registers and whole blocks can bring is loaded so, if it
/// is the operand of dots of this layout alone.
void Anchors::loadInPlace(Value operand, const DotOperand &where) {
  const auto *layout = std::get_if<Layout>(&where);
  tile::LoadViewOp load =
      layout && launch ? blockLoad(operand) : tile::LoadViewOp();
  if (!load) {
    return;
  }
  Layout own = *layout;
  for (Value value = operand; value != load.getResult();) {
    if (!value.hasOneUse()) {
      return;
    }
    auto transpose = value.getDefiningOp<tile::TransposeOp>();
    own = own.permuted(inverse(transpose.getOrder()));
    value = transpose.getSource();
  }
  if (load.getResult().hasOneUse()) {
    ofAccess.find(load)->second = own;
  }
}

/// What is loaded across the rows of its buffer is loaded a few rows deep by
/// each thread, which writes the rows' pieces at once.
void Anchors::loadAcross(Value operand, const DotOperand &where) {
  const auto *buffer = std::get_if<SharedAttr>(&where);
  if (!buffer || target.bytesAcross() == 0) {
    return;
  }
  unsigned fast = buffer->getOrder()[0];
  while (auto transpose = operand.getDefiningOp<tile::TransposeOp>()) {
    fast = unsigned(transpose.getOrder()[fast]);
    operand = operand.hasOneUse() ? transpose.getSource() : Value();
    if (!operand) {
      return;
    }
  }
  auto load = operand.getDefiningOp<tile::LoadViewOp>();
  if (!load || !operand.hasOneUse() || shapeOf(operand).size() != 2) {
    return;
  }
  ArrayRef<unsigned> order = orderOfAccess.find(load)->second;
  if (order.front() == fast) {
    return;
  }
  ArrayRef<int64_t> shape = shapeOf(operand);
  const int64_t bytes =
                    tile::storageBytes(tile::elementType(operand.getType())),
                share = shape[0] * shape[1] / int64_t(target.lanes() * warps);
  Layout &layout = ofAccess.find(load)->second;
  const int64_t vector = layout.contiguous(order.front()),
                rows = std::min(target.bytesAcross() / bytes, share / vector);
  if (rows > 1) {
    layout = blockedLayout({shape, vector, order, target.lanes(), warps,
                            int64_t(llvm::bit_floor(uint64_t(rows)))});
  }
}

/// Does a loop make the operand of what it loads, in an order in which the
/// threads can read it as they multiply it? Then it need not be stored first.
bool Anchors::isMadeBeside(tile::DotOp dot, Value value) const {
  constexpr int64_t word = 4;
  SmallVector<Value> left = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  bool isLoaded = false;
  while (!left.empty() && seen.size() <= MostSteps * MostSteps) {
    Value next = left.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != dot->getBlock() || !seen.insert(op).second) {
      continue;
    }
    if (auto access = orderOfAccess.find(op); access != orderOfAccess.end()) {
      const bool isWhole = shapeOf(next) == shapeOf(value);
      // Threads multiply pairs of a row.
      const int64_t bytes =
          tile::storageBytes(tile::elementType(next.getType()));
      const bool isInOrder =
          bytes == word || (access->second.front() == 1 && 2 * bytes >= word);
      if (next == value || (isWhole && !isInOrder)) {
        return false;
      }
      isLoaded |= isWhole;
      continue;
    }
    if (isElementwise(op)) {
      llvm::append_range(left,
                         llvm::make_filter_range(op->getOperands(), isTile));
    } else if (isa<tile::TransposeOp, tile::DotOp>(op)) {
      return false;
    }
  }
  return isLoaded && isa<scf::ForOp>(dot->getParentOp());
}

/// Does a loop carry the value, and make it anew of what dots gave? However its
/// first one came from memory, threads hold the others.
static bool isCarriedSum(tile::DotOp dot, Value value) {
  SmallVector<Value> left = {value};
  llvm::SmallPtrSet<void *, 8> seen;
  bool isCarried = false;
  while (!left.empty() && seen.size() <= MostSteps * MostSteps) {
    Value next = left.pop_back_val();
    if (!seen.insert(next.getAsOpaquePointer()).second ||
        next.getParentBlock() != dot->getBlock() ||
        shapeOf(next) != shapeOf(value)) {
      continue;
    }
    Operation *op = next.getDefiningOp();
    auto loop = op ? scf::ForOp() : dyn_cast<scf::ForOp>(dot->getParentOp());
    if (loop && next != loop.getInductionVar()) {
      isCarried = true;
      left.push_back(
          loop.getTiedLoopYieldedValue(cast<BlockArgument>(next))->get());
    } else if (isa_and_present<tile::DotOp>(op)) {
      return isCarried;
    } else if (op && isElementwise(op)) {
      llvm::append_range(left,
                         llvm::make_filter_range(op->getOperands(), isTile));
    }
  }
  return false;
}

DotRequest::Operand Anchors::describeOperand(tile::DotOp dot, Value value) {
  DotRequest::Operand operand;
  operand.isBlock = launch && blockLoad(value);
  operand.isComputed = isMadeBeside(dot, value) || isCarriedSum(dot, value);
  if (auto order = memoryOrder(value, MostSteps)) {
    operand.order = *order;
  } else {
    operand.isComputed = true;
    operand.order.resize(shapeOf(value).size());
    std::iota(operand.order.rbegin(), operand.order.rend(), 0);
  }
  return operand;
}

void Anchors::chooseDots() {
  kernel.walk([&](tile::DotOp dot) {
    DotRequest request{dot, warps, describeOperand(dot, dot.getA()),
                       describeOperand(dot, dot.getB())};
    DotChoice made = target.chooseDot(request);
    if (std::string problem = problemOfDot(target, request, made);
        !problem.empty()) {
      dot.emitError(problem);
      made = target.SimtTarget::chooseDot(request);
      isWrong = true;
    }
    const DotChoice &choice =
        ofDot.insert({dot, std::move(made)}).first->second;
    chooseTransposition(dot.getAMutable(), choice.a);
    chooseTransposition(dot.getBMutable(), choice.b);
    loadInPlace(dot.getA(), choice.a);
    loadInPlace(dot.getB(), choice.b);
    loadAcross(dot.getA(), choice.a);
    loadAcross(dot.getB(), choice.b);
  });
}

void Anchors::chooseTransposition(OpOperand &operand, const DotOperand &where) {
  const auto *buffer = std::get_if<SharedAttr>(&where);
  if (!buffer || orderOfAccess.contains(operand.get().getDefiningOp())) {
    return;
  }
  const auto order = memoryOrder(operand.get(), MostSteps);
  if (!order || order->front() == buffer->getOrder()[0]) {
    return;
  }
  const Type element = tile::elementType(operand.get().getType());
  if (std::optional<Transposition> transposition = transpositionLayouts(
          shapeOf(operand.get()), order->front(), tile::storageBytes(element),
          target.lanes(), warps)) {
    transpositions.try_emplace(&operand, std::move(*transposition));
  }
}
