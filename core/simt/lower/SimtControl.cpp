//===- SimtControl.cpp - loops and branches of the kernel -----------------===//
//
// What   scf.for, scf.if and scf.while as basic blocks; what they carry,
//        scalars, parts of views and registers of tiles alike, as phis.
// Why    Conditions are scalars: all threads of the block go the same way, so
//        that barriers may stand anywhere.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/lower/KernelLowering.h"

#include "terrazzo/lowering/Loops.h"

using namespace llvm;
namespace scf = mlir::scf;

namespace tz::simt {

Registers KernelLowering::flatten(mlir::ValueRange values) {
  Registers flat;
  for (mlir::Value value : values) {
    if (isa<mlir::RankedTensorType>(value.getType())) {
      llvm::append_range(flat, tile(value));
    } else if (isa<tile::ViewType>(value.getType())) {
      const ViewParts &parts = view(value);
      flat.push_back(parts.base);
      llvm::append_range(flat, parts.shape);
      llvm::append_range(flat, parts.strides);
      llvm::append_range(flat, parts.position);
    } else {
      flat.push_back(scalar(value));
    }
  }
  return flat;
}

void KernelLowering::defineAll(mlir::ValueRange values,
                               ArrayRef<Value *> flat) {
  auto take = [&](size_t count) {
    ArrayRef<Value *> part = flat.take_front(count);
    flat = flat.drop_front(count);
    return part;
  };
  for (mlir::Value value : values) {
    if (isa<mlir::RankedTensorType>(value.getType())) {
      tiles[value] =
          Registers(take(size_t(layoutOf(value).size(Axis::Register))));
    } else if (auto type = dyn_cast<tile::ViewType>(value.getType())) {
      const auto rank = size_t(type.getRank());
      ViewParts parts;
      parts.base = take(1)[0];
      for (auto *list : {&parts.shape, &parts.strides, &parts.position}) {
        llvm::append_range(*list, take(rank));
      }
      views[value] = std::move(parts);
    } else {
      scalars[value] = take(1)[0];
    }
  }
}

/// So many elements of a tile's registers make a word of 32 bits: of narrow
/// ones a word each would take a register each over a loop or branch.
static unsigned elementsInWord(Type *element, size_t registers) {
  const unsigned bits = unsigned(element->getPrimitiveSizeInBits());
  return (bits == 8 || bits == 16) && registers % (32 / bits) == 0 ? 32 / bits
                                                                   : 1;
}

Registers KernelLowering::flattenToWords(mlir::ValueRange values) {
  Registers flat;
  for (mlir::Value value : values) {
    const Registers own = flatten(value);
    const unsigned count = isa<mlir::RankedTensorType>(value.getType())
                               ? elementsInWord(own[0]->getType(), own.size())
                               : 1;
    for (size_t i = 0; i < own.size(); i += count) {
      flat.push_back(
          count == 1 ? own[i]
                     : b.CreateBitCast(gather(ArrayRef(own).slice(i, count)),
                                       b.getInt32Ty()));
    }
  }
  return flat;
}

void KernelLowering::defineFromWords(mlir::ValueRange values,
                                     ArrayRef<Value *> words) {
  Registers flat;
  auto take = [&](size_t count) {
    llvm::append_range(flat, words.take_front(count));
    words = words.drop_front(count);
  };
  for (mlir::Value value : values) {
    if (auto type = dyn_cast<tile::ViewType>(value.getType())) {
      take(1 + 3 * size_t(type.getRank()));
      continue;
    }
    if (!isa<mlir::RankedTensorType>(value.getType())) {
      take(1);
      continue;
    }
    const auto registers = size_t(layoutOf(value).size(Axis::Register));
    Type *element = registerType(tile::elementType(value.getType()));
    const unsigned count = elementsInWord(element, registers);
    if (count == 1) {
      take(registers);
      continue;
    }
    for (Value *word : words.take_front(registers / count)) {
      Value *parts =
          b.CreateBitCast(word, FixedVectorType::get(element, count));
      for (unsigned i = 0; i < count; ++i) {
        flat.push_back(b.CreateExtractElement(parts, uint64_t(i)));
      }
    }
    words = words.drop_front(registers / count);
  }
  defineAll(values, flat);
}

/// Phis for the values as they come from the block before.
SmallVector<PHINode *> KernelLowering::phis(ArrayRef<Value *> values) {
  SmallVector<PHINode *> all;
  for (Value *value : values) {
    all.push_back(b.CreatePHI(value->getType(), 2));
  }
  return all;
}

static void addIncoming(ArrayRef<PHINode *> phis, ArrayRef<Value *> values,
                        BasicBlock *from) {
  for (auto [phi, value] : llvm::zip_equal(phis, values)) {
    phi->addIncoming(value, from);
  }
}

/// The branch back of a loop that stays one, whoever would unroll it.
static void keepRolled(BranchInst *back) {
  LLVMContext &context = back->getContext();
  MDNode *no =
      MDNode::get(context, MDString::get(context, "llvm.loop.unroll.disable"));
  MDNode *loop = MDNode::getDistinct(context, {nullptr, no});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(LLVMContext::MD_loop, loop);
}

void KernelLowering::forOp(scf::ForOp op) {
  lowering::LoopCounter counter(b, scalar(op.getLowerBound()),
                                scalar(op.getUpperBound()),
                                scalar(op.getStep()), op.getUnsignedCmp());
  Registers start = flattenToWords(op.getInitArgs());
  BasicBlock *header = block("for"), *body = block("for.body"),
             *after = block("for.after");
  BasicBlock *before = b.GetInsertBlock();
  b.CreateBr(header);
  b.SetInsertPoint(header);
  PHINode *index = counter.begin(b);
  SmallVector<PHINode *> carried = phis(start);
  addIncoming(carried, start, before);
  b.CreateCondBr(counter.goesOn(b), body, after);
  b.SetInsertPoint(body);
  const Hazards outside = hazards;
  enterLoop(op);
  scalars[op.getInductionVar()] = index;
  Registers values(carried.begin(), carried.end());
  defineFromWords(op.getRegionIterArgs(), values);
  withThreadAgain(op, [&] { emitBlock(*op.getBody()); });
  separateIterations();
  if (std::exchange(beginsLater, false)) {
    hooks.keepOrder(b);
  }
  Registers next = flattenToWords(op.getBody()->getTerminator()->getOperands());
  counter.next(b);
  addIncoming(carried, next, b.GetInsertBlock());
  BranchInst *back = b.CreateBr(header);
  if (op->hasAttr(RolledLoop)) {
    keepRolled(back);
  }
  b.SetInsertPoint(after);
  hazards.leaveLoop(outside);
  defineFromWords(op.getResults(), values);
}

Value *KernelLowering::areApart(const RowsApart &rows) {
  auto wide = [&](const Multiple &one) {
    Value *factor = b.getInt64(uint64_t(one.factor));
    return one.value
               ? b.CreateMul(b.CreateSExt(scalar(one.value), b.getInt64Ty()),
                             factor)
               : factor;
  };
  auto magnitude = [&](const Multiple &one) {
    Value *value = wide(one);
    return b.CreateSelect(b.CreateICmpSLT(value, b.getInt64(0)),
                          b.CreateNeg(value), value);
  };
  Value *length = wide(rows.length), *step = magnitude(rows.step);
  Value *row = b.CreateMul(b.CreateSub(length, b.getInt64(1)), step);
  return b.CreateAnd(
      {b.CreateICmpSGE(length, b.getInt64(1)),
       b.CreateICmpNE(step, b.getInt64(0)),
       b.CreateICmpSGT(magnitude(rows.stride), row),
       b.CreateICmpSLE(wide(rows.end), b.getInt64(INT32_MAX - rows.tile))});
}

void KernelLowering::separateIterations() {
  const Memories needed = hazards.nextIterationNeedsBarrier();
  if (needed == Memories::none) {
    return;
  }
  // Who reads where time goes wants the access that is waited for, not the
  // loop.
  const DebugLoc loop = b.getCurrentDebugLocation();
  if (lastAccess && lastAccess->getDebugLoc()) {
    b.SetCurrentDebugLocation(lastAccess->getDebugLoc());
  }
  SmallVector<RowsApart> apart;
  if (needed == Memories::device && !hazards.isUnpublished &&
      hazards.isApartFromNextIterationIf(apart)) {
    // The accesses stay open: whether the barrier is there, is not known here.
    SmallVector<Value *> hold;
    for (const RowsApart &rows : apart) {
      hold.push_back(areApart(rows));
    }
    emitIf(b.CreateNot(b.CreateAnd(hold)),
           [&] { hooks.barrier(b, needed, workers); });
  } else {
    separate(needed);
  }
  b.SetCurrentDebugLocation(loop);
}

bool KernelLowering::isShort(scf::IfOp op) {
  constexpr unsigned shortOps = 16;
  unsigned count = 0;
  auto found = op->walk([&](mlir::Operation *inner) {
    if (isa<scf::ForOp, scf::WhileOp>(inner)) {
      return mlir::WalkResult::interrupt();
    }
    count += !inner->hasTrait<mlir::OpTrait::ConstantLike>() &&
             !inner->hasTrait<mlir::OpTrait::IsTerminator>();
    return count > shortOps + 1 ? mlir::WalkResult::interrupt() // with the op
                                : mlir::WalkResult::advance();
  });
  return !found.wasInterrupted();
}

/// In a region of scalars both sides may be computed: they have no effects.
void KernelLowering::selectIf(scf::IfOp op) {
  emitBlock(*op.thenBlock());
  Registers yes = flatten(op.thenYield().getOperands());
  emitBlock(*op.elseBlock());
  Registers no = flatten(op.elseYield().getOperands());
  Value *condition = scalar(op.getCondition());
  for (size_t i = 0; i < yes.size(); ++i) {
    scalars[op.getResult(i)] = b.CreateSelect(condition, yes[i], no[i]);
  }
}

/// Loads of an iteration that may not be there, which are off then.
void KernelLowering::loadLater(scf::IfOp op) {
  onlyIf = scalar(op.getCondition());
  emitBlock(*op.thenBlock());
  onlyIf = nullptr;
  hooks.keepOrder(b);
  beginsLater = true;
  defineAll(op.getResults(), flatten(op.thenYield().getOperands()));
}

void KernelLowering::ifOp(scf::IfOp op) {
  if (hooks.countsLoads() && op->hasAttr(LaterLoads)) {
    loadLater(op);
    return;
  }
  if (inScalarRegion && op.elseBlock() && isShort(op)) {
    selectIf(op);
    return;
  }
  BasicBlock *yes = block("if"), *no = block("else"),
             *after = block("if.after");
  b.CreateCondBr(scalar(op.getCondition()), yes, no);
  auto side = [&](mlir::Block *body) {
    if (!body) {
      return std::pair(Registers(), b.GetInsertBlock());
    }
    emitBlock(*body);
    return std::pair(flattenToWords(body->getTerminator()->getOperands()),
                     b.GetInsertBlock());
  };
  const Hazards before = hazards;
  b.SetInsertPoint(yes);
  auto [first, firstEnd] = side(op.thenBlock());
  b.CreateBr(after);
  const Hazards afterFirst = std::exchange(hazards, before);
  b.SetInsertPoint(no);
  auto [second, secondEnd] = side(op.elseBlock());
  b.CreateBr(after);
  b.SetInsertPoint(after);
  hazards.join(afterFirst);
  SmallVector<PHINode *> results = phis(first);
  addIncoming(results, first, firstEnd);
  if (!results.empty()) {
    addIncoming(results, second, secondEnd);
  }
  defineFromWords(op.getResults(), Registers(results.begin(), results.end()));
}

void KernelLowering::whileOp(scf::WhileOp op) {
  Registers start = flattenToWords(op.getInits());
  BasicBlock *header = block("while"), *body = block("while.body"),
             *after = block("while.after");
  BasicBlock *before = b.GetInsertBlock();
  b.CreateBr(header);
  b.SetInsertPoint(header);
  SmallVector<PHINode *> carried = phis(start);
  addIncoming(carried, start, before);
  const Hazards outside = hazards;
  enterLoop(op);
  defineFromWords(op.getBeforeArguments(),
                  Registers(carried.begin(), carried.end()));
  emitBlock(*op.getBeforeBody());
  Registers passed = flattenToWords(op.getConditionOp().getArgs());
  b.CreateCondBr(scalar(op.getConditionOp().getCondition()), body, after);
  b.SetInsertPoint(body);
  const Hazards atExit = hazards;
  defineFromWords(op.getAfterArguments(), passed);
  emitBlock(*op.getAfterBody());
  separateIterations();
  Registers next = flattenToWords(op.getYieldOp().getOperands());
  addIncoming(carried, next, b.GetInsertBlock());
  b.CreateBr(header);
  b.SetInsertPoint(after);
  hazards.join(atExit);
  hazards.leaveLoop(outside);
  defineFromWords(op.getResults(), passed);
}

} // namespace tz::simt
