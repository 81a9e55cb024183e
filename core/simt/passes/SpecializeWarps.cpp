//===- SpecializeWarps.cpp - simt-specialize-warps ------------------------===//
//
// What   Splits a kernel whose loops the bulk copy unit feeds in two: what
//        begins the copies, for a warp of its own, and the rest.
// Why    The warps that compute wait for nobody to begin a copy, and hold no
//        addresses of copies; copies run ahead as far as the ring buffers
//        reach.
// Example (test/simt/specialize-warps.mlir; lines with simt., scf.)
//   before
//     ...
//     %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[16, 16], f32, swizzle 0>
//     ...
//     %ring = simt.ring : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>>
//     %full, %empty = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
//     %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %before = %c1) -> (tensor<16x16xf32>, i32, i32) : i32 {
//       simt.acquire %empty[%c0] phase %before when %true : <1 arrivals 4>
//       simt.expect 1024 at %full[%c0] when %true : <1>
//       %to = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
//       ...
//       simt.bulk_copy %frame[%at, %z] to %to signal %full[%c0] when %true : <[16, 16], f32, swizzle 0> to <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>, <1>
//       simt.barrier_wait %full[%c0] phase %read : <1>
//       %from = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
//       %x = simt.read %from : <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>> -> tensor<16x16xf32>
//       simt.release %empty[%c0] when %true : <1 arrivals 4>
//       ...
//       scf.yield %next, %read2, %before2 : tensor<16x16xf32>, i32, i32
//     }
//     simt.barriers_end %full, %empty : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
//     ...
//   after
//     ...
//     %0 = simt.descriptor %arg0[%c0_i64] shape[%c16_i64, %c16_i64] strides[%c16_i64, %c1_i64] : <f32> -> <[16, 16], f32, swizzle 0>
//     %1:2 = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
//     %2 = simt.ring : <1 x <16x16xf32, #shared>>
//     simt.specialize 4 copies {
//       ...
//       %3 = scf.for %arg3 = %c0_i32 to %arg2 step %c1_i32 iter_args(%arg4 = %c1_i32) -> (i32)  : i32 {
//         simt.acquire %1#1[%c0_i32] phase %arg4 when %true : <1 arrivals 4>
//         simt.expect 1024 at %1#0[%c0_i32] when %true : <1>
//         %4 = simt.slot %2[%c0_i32] : <1 x <16x16xf32, #shared>> -> <16x16xf32, #shared>
//         ...
//         simt.bulk_copy %0[%5, %c0_i64_0] to %4 signal %1#0[%c0_i32] when %true : <[16, 16], f32, swizzle 0> to <16x16xf32, #shared>, <1>
//         ...
//         scf.yield %6 : i32
//       }
//     } work {
//       ...
//       %4:3 = scf.for %arg3 = %c0_i32 to %arg2 step %c1_i32 iter_args(%arg4 = %cst, %arg5 = %c0_i32, %arg6 = %c1_i32) -> (tensor<16x16xf32>, i32, i32)  : i32 {
//         %5 = simt.slot %2[%c0_i32] : <1 x <16x16xf32, #shared>> -> <16x16xf32, #shared>
//         ...
//         simt.barrier_wait %1#0[%c0_i32] phase %arg5 : <1>
//         %7 = simt.slot %2[%c0_i32] : <1 x <16x16xf32, #shared>> -> <16x16xf32, #shared>
//         %8 = simt.read %7 : <16x16xf32, #shared> -> tensor<16x16xf32>
//         simt.release %1#1[%c0_i32] when %true : <1 arrivals 4>
//         ...
//         scf.yield %9, %10, %11 : tensor<16x16xf32>, i32, i32
//       }
//       ...
//     }
// Needs  simt-pipeline-loops.
// Keeps  the order of copies, and of all that the kernel's warps do.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// The slots of the loops that the bulk copy unit feeds alone: ring buffers and
/// barriers that both halves of the kernel use.
class SharedSlots {
public:
  explicit SharedSlots(tile::KernelOp kernel);

  /// Begins it a copy into one of them?
  bool areFilledBy(Operation *op) const;

  SmallVector<scf::ForOp> loops;
  llvm::SetVector<Operation *> ops; // RingOp, BarriersOp
};

/// The barriers at which it acts; null if it begins no copy.
Value barriersOf(Operation *op) {
  if (auto acquire = dyn_cast<AcquireOp>(op)) {
    return acquire.getBarriers();
  }
  if (auto expect = dyn_cast<ExpectOp>(op)) {
    return expect.getBarriers();
  }
  auto copy = dyn_cast<BulkCopyOp>(op);
  return copy ? copy.getBarriers() : Value();
}

SharedSlots::SharedSlots(tile::KernelOp kernel) {
  kernel.walk([&](AcquireOp op) {
    loops.push_back(cast<scf::ForOp>(op->getParentOp()));
    ops.insert(op.getBarriers().getDefiningOp());
  });
  kernel.walk([&](BulkCopyOp op) {
    if (areFilledBy(op)) {
      ops.insert(op.getTo().getDefiningOp<SlotOp>().getRing().getDefiningOp());
    }
  });
}

bool SharedSlots::areFilledBy(Operation *op) const {
  Value barriers = barriersOf(op);
  return barriers && ops.contains(barriers.getDefiningOp());
}

/// What the copies are computed from: scalars, and the loops and branches that
/// lead to them.
class CopySlice {
public:
  explicit CopySlice(const SharedSlots &slots) : slots(slots) {}

  /// False if a copy depends on more than scalars.
  bool collect(tile::KernelOp kernel);
  /// What collect found of `from`, at the builder.
  void emit(Block &from, OpBuilder &b, IRMapping &map);

private:
  void need(Value value);
  void needCarried(Operation *op, unsigned index);
  bool needOp(Operation *op);

  const SharedSlots &slots;
  llvm::SetVector<Operation *> ops; // in the order in which they were found
  // Of loops and branches: the results that are used.
  DenseMap<Operation *, llvm::SmallSetVector<unsigned, 4>> carried;
  SmallVector<Value> pending;
};

void CopySlice::need(Value value) { pending.push_back(value); }

/// A result of a loop or branch, and what is yielded for it.
void CopySlice::needCarried(Operation *op, unsigned index) {
  if (!carried[op].insert(index)) {
    return;
  }
  for (Region &region : op->getRegions()) {
    if (!region.empty()) {
      need(region.front().getTerminator()->getOperand(index));
    }
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    need(loop.getInitArgs()[index]);
  }
}

bool CopySlice::needOp(Operation *op) {
  for (; op && !isa<tile::KernelOp>(op); op = op->getParentOp()) {
    if (slots.ops.contains(op) || isa<DescriptorOp>(op) || !ops.insert(op)) {
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
        need(bound);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      need(branch.getCondition());
    } else if (op->getNumRegions() == 0 &&
               (isPure(op) || slots.areFilledBy(op)) &&
               llvm::none_of(op->getResultTypes(), [](Type type) {
                 return isa<RankedTensorType, tile::ViewType>(type);
               })) {
      for (Value operand : op->getOperands()) {
        need(operand);
      }
    } else {
      return false;
    }
  }
  return true;
}

bool CopySlice::collect(tile::KernelOp kernel) {
  bool isPossible = true;
  kernel.walk([&](Operation *op) {
    isPossible &= !slots.areFilledBy(op) || needOp(op);
  });
  while (isPossible && !pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(owner);
      if (loop && argument != loop.getInductionVar()) {
        needCarried(loop, argument.getArgNumber() - 1);
      }
      isPossible &= isa<scf::ForOp, tile::KernelOp>(owner);
      continue;
    }
    Operation *op = value.getDefiningOp();
    isPossible &= needOp(op);
    if (isa<scf::ForOp, scf::IfOp>(op)) {
      needCarried(op, cast<OpResult>(value).getResultNumber());
    }
  }
  return isPossible;
}

void CopySlice::emit(Block &from, OpBuilder &b, IRMapping &map) {
  auto pick = [&](Operation *op, ValueRange values) {
    SmallVector<Value> some;
    for (unsigned i : carried[op]) {
      some.push_back(map.lookupOrDefault(values[i]));
    }
    return some;
  };
  for (Operation &op : from.without_terminator()) {
    if (!ops.contains(&op)) {
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto copy = scf::ForOp::create(
          b, op.getLoc(), map.lookupOrDefault(loop.getLowerBound()),
          map.lookupOrDefault(loop.getUpperBound()),
          map.lookupOrDefault(loop.getStep()), pick(loop, loop.getInitArgs()),
          nullptr, loop.getUnsignedCmp());
      if (!copy.getBody()->empty()) {
        copy.getBody()->getTerminator()->erase();
      }
      map.map(loop.getInductionVar(), copy.getInductionVar());
      for (auto [n, i] : llvm::enumerate(carried[&op])) {
        map.map(loop.getRegionIterArg(i), copy.getRegionIterArg(unsigned(n)));
        map.map(loop.getResult(i), copy.getResult(unsigned(n)));
      }
      OpBuilder in = OpBuilder::atBlockEnd(copy.getBody());
      emit(*loop.getBody(), in, map);
      scf::YieldOp::create(
          in, op.getLoc(),
          pick(loop, loop.getBody()->getTerminator()->getOperands()));
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      SmallVector<Type> types;
      for (unsigned i : carried[&op]) {
        types.push_back(branch.getResult(i).getType());
      }
      auto copy = scf::IfOp::create(
          b, op.getLoc(), types, map.lookupOrDefault(branch.getCondition()),
          /*addThenBlock=*/true,
          /*addElseBlock=*/branch.elseBlock() != nullptr);
      auto side = [&](Block *old, Block *made) {
        OpBuilder in = OpBuilder::atBlockEnd(made);
        emit(*old, in, map);
        scf::YieldOp::create(in, op.getLoc(),
                             pick(branch, old->getTerminator()->getOperands()));
      };
      side(branch.thenBlock(), copy.thenBlock());
      if (branch.elseBlock()) {
        side(branch.elseBlock(), copy.elseBlock());
      }
      for (auto [n, i] : llvm::enumerate(carried[&op])) {
        map.map(branch.getResult(i), copy.getResult(unsigned(n)));
      }
      continue;
    }
    b.clone(op, map);
  }
}

/// The target that the pass's options describe: for its tests.
class OptionTarget final : public SimtTarget {
public:
  OptionTarget(unsigned warps, uint64_t shared)
      : warps(warps), shared(shared) {}
  unsigned copyWarps(const CopyRequest &) const override { return warps; }
  uint64_t sharedBytes() const override { return shared; }

private:
  unsigned warps;
  uint64_t shared;
};

struct SpecializeWarps : tz::simt::impl::SpecializeWarpsBase<SpecializeWarps> {
  explicit SpecializeWarps(const SimtTarget *target) : target(target) {}
  SpecializeWarps() = default;
  SpecializeWarps(const SpecializeWarps &other)
      : SpecializeWarpsBase(other), target(other.target) {}

  void runOnOperation() override;

private:
  StringRef problem(const SharedSlots &slots, const SimtTarget &machine);
  void split(const SharedSlots &slots, CopySlice &slice, unsigned warps);

  const SimtTarget *target = nullptr;
};

/// Why the kernel stays as it is; empty if nothing is in the way.
StringRef SpecializeWarps::problem(const SharedSlots &slots,
                                   const SimtTarget &machine) {
  tile::KernelOp kernel = getOperation();
  for (scf::ForOp loop : slots.loops) {
    if (loop->getParentOfType<scf::ForOp>() ||
        loop->getParentOfType<scf::WhileOp>()) {
      return "it stands in another loop";
    }
  }
  bool mayEnd = false;
  kernel.walk([&](tile::AssertOp) { mayEnd = true; });
  if (mayEnd) {
    return "a failed assert would end only one half of the program";
  }
  // All ring buffers are there from the beginning.
  uint64_t taken = 0;
  kernel.walk([&](Operation *op) {
    if (auto ring = dyn_cast<RingOp>(op)) {
      RingType type = ring.getResult().getType();
      taken += uint64_t(type.getCount() * machine.slotBytes(type.getBuffer()));
    } else if (auto stage = dyn_cast<StageOp>(op)) {
      taken += uint64_t(stage.getResult().getType().getBytes());
    }
  });
  return slots.loops.size() > 1 && taken > machine.sharedBytes()
             ? "the rings of all loops do not fit in shared memory together"
             : "";
}

/// setup; simt.specialize copies {the slice} work {the rest}
void SpecializeWarps::split(const SharedSlots &slots, CopySlice &slice,
                            unsigned warps) {
  tile::KernelOp kernel = getOperation();
  Block &body = kernel.getBody().front();
  // Descriptors with what they are made of stay in front, slots go there.
  llvm::SetVector<Operation *> front;
  kernel.walk([&](DescriptorOp op) { front.insert(op); });
  for (size_t i = 0; i < front.size(); ++i) {
    for (Value operand : front[i]->getOperands()) {
      if (Operation *op = operand.getDefiningOp()) {
        front.insert(op);
      }
    }
  }
  OpBuilder b(body.getTerminator());
  // Barriers stay, ring buffers are freed: they lie above.
  for (const bool isRing : {false, true}) {
    for (Operation *op : slots.ops) {
      if (isa<RingOp>(op) == isRing) {
        op->moveBefore(body.getTerminator());
      }
    }
  }
  auto both = SpecializeOp::create(b, kernel.getLoc(), warps);
  OpBuilder in = OpBuilder::atBlockBegin(both.copiesBlock());
  IRMapping map;
  slice.emit(body, in, map);
  // The rest, without the copies.
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (!front.contains(&op) && !slots.ops.contains(&op) && &op != both) {
      op.moveBefore(both.workBlock()->getTerminator());
    }
  }
  both.getWork().walk([&](Operation *op) {
    auto end = dyn_cast<BarriersEndOp>(op);
    // Branches may lead past the end of a loop: its barriers stay.
    if (slots.areFilledBy(op) ||
        (end && slots.ops.contains(end.getBarriers()[0].getDefiningOp()))) {
      op->erase();
    }
  });
}

void SpecializeWarps::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  OptionTarget described(copyWarpsOption, sharedBytesOption);
  const SimtTarget &machine =
      target ? *target : static_cast<const SimtTarget &>(described);
  SharedSlots slots(kernel);
  unsigned warps = 0;
  for (scf::ForOp loop : slots.loops) {
    warps = std::max(warps, copyWarpsOf(loop, machine));
  }
  if (warps == 0) {
    return markAllAnalysesPreserved();
  }
  StringRef why = problem(slots, machine);
  CopySlice slice(slots);
  if (why.empty() && !slice.collect(kernel)) {
    why = "its addresses are computed from more than scalars";
  }
  if (!why.empty()) {
    emitRemark(slots.loops[0].getLoc())
        << "the copies of this loop have no warp of their own: " << why;
    return markAllAnalysesPreserved();
  }
  split(slots, slice, warps);
  ++specialized;
}

} // namespace

std::unique_ptr<Pass>
tz::simt::createSpecializeWarps(const SimtTarget *target) {
  return std::make_unique<SpecializeWarps>(target);
}
