//===- CpuLog.cpp - Print, assert and record ------------------------------===//
//
// What   tile.print appends records to the launch's log ring, tile.assert sets
//        its failure word and ends the program, tile.record notes the clock;
//        layouts as in plugin.h §7.
// Why    No printf and no trap in a kernel: the host decodes the ring when the
//        stream is synchronised (decision R1).
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include "terrazzo/plugin.h"

using namespace llvm;

namespace tz::cpu {

lowering::LogEmitter
CpuLowering::logEmitter(lowering::LogEmitter::ProgramId program) {
  Value *header = b.CreateAlignedLoad(
      b.getPtrTy(),
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), argsBase, logOffset),
      Align(8));
  return {b, header, program};
}

/// Reserves a record and calls `fill` with its payload if there is room.
void CpuLowering::logRecord(const lowering::LogPiece &piece,
                            function_ref<void(Value *)> fill) {
  auto id = [&](unsigned axis) { return program[axis]; };
  logEmitter(id).append(piece, fill);
}

void CpuLowering::printOp(tile::PrintOp op) {
  const auto site = static_cast<uint32_t>(logPoints.size());
  logPoints.push_back({op});
  if (op.getArgs().empty()) {
    Value *none = b.getInt64(0);
    logRecord({site, b.getInt32(0), none, none, none}, [](Value *) {});
    return;
  }
  for (auto [i, argument] : llvm::enumerate(op.getArgs())) {
    mlir::Type element = tile::elementType(argument.getType());
    Type *memory = memoryType(element);
    const uint64_t bytes = tile::storageBytes(element);
    Value *number = b.getInt32(static_cast<uint32_t>(i));
    if (!isa<mlir::RankedTensorType>(argument.getType())) {
      Value *v = toMemory(scalar(argument), element);
      logRecord({site, number, b.getInt64(0), b.getInt64(1), b.getInt64(bytes)},
                [&](Value *to) { b.CreateAlignedStore(v, to, Align(1)); });
      continue;
    }
    Buffer buffer = materialise(argument);
    int64_t elements = 1;
    for (int64_t extent : buffer.shape) {
      elements *= extent;
    }
    const int64_t piece = std::min(elements, lowering::LogPieceElements);
    Nest nest(*this, {elements / piece}, {}, /*vectors=*/false);
    auto append = [&](Value *first, int64_t count) {
      const uint64_t payload = static_cast<uint64_t>(count) * bytes;
      logRecord({site, number, first, b.getInt64(static_cast<uint64_t>(count)),
                 b.getInt64(payload)},
                [&](Value *to) {
                  b.CreateMemCpy(to, Align(8),
                                 b.CreateGEP(memory, address(buffer), first),
                                 Align(1), payload);
                });
    };
    nest.run([&](const Index &index) {
      append(b.CreateMul(index.at[0], b.getInt64(static_cast<uint64_t>(piece))),
             piece);
    });
    if (int64_t rest = elements % piece) {
      append(b.getInt64(static_cast<uint64_t>(elements - rest)), rest);
    }
  }
}

void CpuLowering::assertOp(tile::AssertOp op) {
  const auto site = static_cast<uint32_t>(logPoints.size());
  logPoints.push_back({op});
  AllocaInst *failed = slot(b.getInt8Ty());
  b.CreateStore(b.getInt8(0), failed);
  {
    Nest nest(*this, tile::shapeOf(op.getCondition().getType()),
              {op.getCondition(), op.getMask()});
    nest.run([&](const Index &index) {
      Value *bad = b.CreateNot(nest.eval(op.getCondition(), index));
      if (op.getMask()) {
        bad = b.CreateAnd(bad, nest.eval(op.getMask(), index));
      }
      bad = bad->getType()->isVectorTy() ? b.CreateOrReduce(bad) : bad;
      Value *sum = b.CreateOr(b.CreateLoad(b.getInt8Ty(), failed),
                              b.CreateZExt(bad, b.getInt8Ty()));
      b.CreateStore(sum, failed);
    });
  }
  Value *any =
      b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), failed), b.getInt8(0));
  BasicBlock *report = block("assert"), *goesOn = block("assert.passed");
  b.CreateCondBr(any, report, goesOn);
  b.SetInsertPoint(report);
  auto id = [&](unsigned axis) { return program[axis]; };
  logEmitter(id).fail(site);
  b.CreateBr(nextProgram);
  b.SetInsertPoint(goesOn);
}

//===--- Parts ------------------------------------------------------------===//

/// Events that a program keeps: 64 KiB of the thread's arena.
static constexpr uint32_t PartEvents = 8192;

/// A processor's time stamp counters run at one pace on all of its cores.
static lowering::PartClock timeStampCounter() {
  return {TZ_CLOCK_TICKS,
          [](IRBuilderBase &at) -> Value * {
            return at.CreateIntrinsic(Intrinsic::readcyclecounter, {});
          },
          {}};
}

void CpuLowering::beginParts() {
  if (!hasParts) {
    return;
  }
  parts.emplace(b, timeStampCounter(), PartEvents,
                arenaAddress(arena.allocate(uint64_t(PartEvents) * 8)),
                slot(b.getInt32Ty()), slot(b.getInt64Ty()),
                slot(b.getInt64Ty()));
  parts->open();
}

void CpuLowering::endParts() {
  if (hasParts) {
    auto id = [&](unsigned axis) { return program[axis]; };
    parts->close(logEmitter(id), partSite, b.getInt32(0));
  }
}

void CpuLowering::recordOp(tile::RecordOp op) {
  for (mlir::Value value : op.getDone()) {
    if (isa<mlir::RankedTensorType>(value.getType())) {
      materialise(value);
    }
  }
  partSite = static_cast<uint32_t>(logPoints.size());
  logPoints.push_back({op});
  parts->note(partSite, nullptr);
}

} // namespace tz::cpu
