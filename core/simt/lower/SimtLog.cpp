//===- SimtLog.cpp - print, assert and record -----------------------------===//
//
// What   tile.print appends records to the launch's log ring, tile.assert sets
//        its failure word and ends the program, tile.record notes the clock of
//        each warp; layouts as in plugin.h §7.
// Why    No printf and no trap in a kernel: the host decodes the ring when the
//        stream is synchronised (decision R1).
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "terrazzo/lowering/LogEmitter.h"

using namespace llvm;

namespace tz::simt {

/// Reserves a record and calls `fill` with its payload if there is room.
void KernelLowering::logRecord(uint32_t site, uint32_t value, Value *first,
                               Value *count, Value *payloadBytes,
                               function_ref<void(Value *)> fill) {
  auto program = [&](unsigned axis) { return programId(axis); };
  lowering::LogEmitter(b, log, program, logScope())
      .append({site, b.getInt32(value), first, count, payloadBytes}, fill);
}

SyncScope::ID KernelLowering::logScope() {
  return context.getOrInsertSyncScopeID(
      hooks.syncScope(tile::MemScope::device));
}

void KernelLowering::printScalar(uint32_t site, uint32_t number,
                                 mlir::Value argument, Value *isFirst) {
  mlir::Type element = tile::elementType(argument.getType());
  const uint64_t bytes = tile::storageBytes(element);
  Value *v = arithmetic->toMemory(scalar(argument), element);
  emitIf(isFirst, [&] {
    logRecord(site, number, b.getInt64(0), b.getInt64(1), b.getInt64(bytes),
              [&](Value *to) { b.CreateAlignedStore(v, to, Align(1)); });
  });
}

/// Elements from `first` on, one after the other, out of shared memory.
void KernelLowering::copyToLog(const Region &region, Type *memory, Value *first,
                               Value *count, Value *to) {
  BasicBlock *from = b.GetInsertBlock(), *copy = block("copy"),
             *done = block("copied");
  b.CreateBr(copy);
  b.SetInsertPoint(copy);
  PHINode *n = b.CreatePHI(b.getInt64Ty(), 2);
  n->addIncoming(b.getInt64(0), from);
  Value *source = scratchAt(
      region, b.CreateTrunc(b.CreateAdd(first, n), b.getInt32Ty()), memory);
  b.CreateAlignedStore(b.CreateLoad(memory, source), b.CreateGEP(memory, to, n),
                       Align(1));
  Value *next = b.CreateAdd(n, b.getInt64(1));
  n->addIncoming(next, copy);
  b.CreateCondBr(b.CreateICmpULT(next, count), copy, done);
  b.SetInsertPoint(done);
}

/// In row-major order, a piece a thread and iteration.
void KernelLowering::printTile(uint32_t site, uint32_t number,
                               mlir::Value argument) {
  auto type = cast<mlir::RankedTensorType>(argument.getType());
  mlir::Type element = type.getElementType();
  Type *memory = arithmetic->memoryType(element);
  const uint64_t bytes = tile::storageBytes(element);
  const int64_t elements = type.getNumElements();
  Region region = allocate(uint64_t(elements) * bytes);
  willWrite(region);
  LayoutAttr layout = layoutAttr(type);
  const Registers &values = tile(argument);
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    scratchStore(region, linearIndex(layout, reg, type.getShape()), values[reg],
                 element);
  }
  willRead(region);
  const int64_t piece = std::min(elements, lowering::LogPieceElements);
  const int64_t pieces = (elements + piece - 1) / piece;
  BasicBlock *before = b.GetInsertBlock(), *header = block("print"),
             *body = block("print.piece"), *after = block("print.after");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  PHINode *at = b.CreatePHI(b.getInt32Ty(), 2);
  at->addIncoming(thread, before);
  b.CreateCondBr(b.CreateICmpULT(at, b.getInt32(uint32_t(pieces))), body,
                 after);
  b.SetInsertPoint(body);
  Value *first = b.CreateMul(b.CreateZExt(at, b.getInt64Ty()),
                             b.getInt64(uint64_t(piece)));
  Value *count = b.CreateBinaryIntrinsic(
      Intrinsic::umin, b.CreateSub(b.getInt64(uint64_t(elements)), first),
      b.getInt64(uint64_t(piece)));
  logRecord(site, number, first, count, b.CreateMul(count, b.getInt64(bytes)),
            [&](Value *to) { copyToLog(region, memory, first, count, to); });
  at->addIncoming(b.CreateAdd(at, b.getInt32(hooks.lanes() * warps)),
                  b.GetInsertBlock());
  b.CreateBr(header);
  b.SetInsertPoint(after);
  scratch.release(region);
}

void KernelLowering::print(tile::PrintOp op) {
  const auto site = uint32_t(result.logPoints.size());
  result.logPoints.push_back(op);
  Value *isFirst = b.CreateICmpEQ(thread, b.getInt32(0));
  if (op.getArgs().empty()) {
    Value *none = b.getInt64(0);
    emitIf(isFirst,
           [&] { logRecord(site, 0, none, none, none, [](Value *) {}); });
    return;
  }
  for (auto [i, argument] : llvm::enumerate(op.getArgs())) {
    if (isa<mlir::RankedTensorType>(argument.getType())) {
      printTile(site, uint32_t(i), argument);
    } else {
      printScalar(site, uint32_t(i), argument, isFirst);
    }
  }
}

void KernelLowering::assertOp(tile::AssertOp op) {
  const auto site = uint32_t(result.logPoints.size());
  result.logPoints.push_back(op);
  Value *bad = b.getFalse();
  if (isa<mlir::RankedTensorType>(op.getCondition().getType())) {
    for (auto [reg, value] : llvm::enumerate(tile(op.getCondition()))) {
      Value *one = b.CreateNot(value);
      if (op.getMask()) {
        one = b.CreateAnd(one, tile(op.getMask())[reg]);
      }
      bad = b.CreateOr(bad, one);
    }
  } else {
    bad = b.CreateNot(scalar(op.getCondition()));
    if (op.getMask()) {
      bad = b.CreateAnd(bad, scalar(op.getMask()));
    }
  }
  // All threads end if one has found something.
  Region region = allocate(16);
  willWrite(region);
  Value *word = scratchAt(region, b.getInt32(0), b.getInt32Ty());
  emitIf(b.CreateICmpEQ(thread, b.getInt32(0)),
         [&] { b.CreateStore(b.getInt32(0), word); });
  synchronize(Memories::shared);
  emitIf(bad, [&] { b.CreateStore(b.getInt32(1), word); });
  synchronize(Memories::shared);
  hazards.note(Accesses::read(region));
  Value *any =
      b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), word), b.getInt32(0));
  scratch.release(region);
  BasicBlock *report = block("assert"), *goesOn = block("assert.passed");
  b.CreateCondBr(any, report, goesOn);
  b.SetInsertPoint(report);
  emitIf(b.CreateICmpEQ(thread, b.getInt32(0)), [&] {
    auto program = [&](unsigned axis) { return programId(axis); };
    lowering::LogEmitter(b, log, program, logScope()).fail(site);
  });
  b.CreateBr(exitBlock);
  b.SetInsertPoint(goesOn);
}

//===--- Parts ------------------------------------------------------------===//

/// Events that a warp keeps: 1 KiB of the block's shared memory.
static constexpr uint32_t PartEvents = 128;

void KernelLowering::beginParts() {
  if (!hasParts) {
    return;
  }
  std::optional<lowering::PartClock> clock = hooks.partClock();
  if (!clock) {
    kernel.walk([&](tile::RecordOp op) {
      refuse(op, "this target has no clock for records of parts");
    });
  }
  auto slot = [&](Type *type) {
    IRBuilder<> atEntry(&function->getEntryBlock(),
                        function->getEntryBlock().begin());
    return atEntry.CreateAlloca(type);
  };
  // For the whole program, and each warp's own: no barrier guards it.
  Region rings = allocate(uint64_t(PartEvents) * 8 * warps);
  parts.emplace(b, *clock, PartEvents,
                scratchAt(rings, b.CreateMul(warp, b.getInt32(PartEvents)),
                          b.getInt64Ty()),
                slot(b.getInt32Ty()), slot(b.getInt64Ty()),
                slot(b.getInt64Ty()));
  parts->open();
}

/// Is this thread the one of its warp that keeps records, in a warp that does?
Value *KernelLowering::keepsParts() {
  Value *isFirst = b.CreateICmpEQ(lane, b.getInt32(0));
  auto chosen = kernel->getAttrOfType<mlir::IntegerAttr>("tile.record_warps");
  if (!chosen) {
    return isFirst;
  }
  Value *bit = b.CreateLShr(b.getInt64(uint64_t(chosen.getInt())),
                            b.CreateZExt(warp, b.getInt64Ty()));
  return b.CreateAnd(isFirst, b.CreateTrunc(bit, b.getInt1Ty()));
}

void KernelLowering::endParts() {
  if (!hasParts) {
    return;
  }
  emitIf(keepsParts(), [&] {
    auto program = [&](unsigned axis) { return programId(axis); };
    parts->close(lowering::LogEmitter(b, log, program, logScope()), partSite,
                 warp);
  });
}

/// What computes the value stays before what follows.
void KernelLowering::keepBefore(Value *value) {
  Type *type = value->getType();
  const auto bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  if (bits == 0 || bits > 64) { // pointers, and what no register holds
    return;
  }
  if (type->isVectorTy() || bits < 32) {
    value = b.CreateBitCast(value, b.getIntNTy(bits));
    value = bits < 32 ? b.CreateZExt(value, b.getInt32Ty()) : value;
  }
  hooks.keepBefore(b, value);
}

void KernelLowering::record(tile::RecordOp op) {
  if (isAlone) {
    return; // the warps that work tell it
  }
  for (mlir::Value value : op.getDone()) {
    if (isa<mlir::RankedTensorType>(value.getType())) {
      for (Value *one : tile(value)) {
        keepBefore(one);
      }
    } else {
      keepBefore(scalar(value));
    }
  }
  partSite = uint32_t(result.logPoints.size());
  result.logPoints.push_back(op);
  parts->note(partSite, keepsParts());
}

} // namespace tz::simt
