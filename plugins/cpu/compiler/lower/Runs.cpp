//===- Runs.cpp - Quotients that are the same in all lanes ----------------===//
//
// What   A body that divides numbers which count along the vectors by one
//        number has a second version, for vectors whose lanes all have the same
//        quotient.
// Why    A channel is an index divided by the size of a channel, which is many
//        vectors long. In a run of one quotient the division is a number, what
//        is loaded for the channel one load instead of a gather, and remainders
//        are neighbours.
//
//   channel = index / size          begin, count and quotient of the run are
//   w = weights[channel]            kept: a vector inside divides nothing
//
// The general version is emitted first; it tells what is divided.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

using namespace llvm;

namespace tz::cpu {

bool Nest::isDivision(mlir::Operation *op) {
  return isa<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp>(op);
}

const Nest::Run *Nest::runOf(mlir::Operation *op) const {
  const bool isSigned = isa<tile::DivSIOp, tile::RemSIOp>(op);
  auto *found = llvm::find_if(runs, [&](const Run &run) {
    return run.of == op->getOperand(0) && run.by == op->getOperand(1) &&
           run.isSigned == isSigned;
  });
  return found == runs.end() ? nullptr : found;
}

/// In the general version: this division may be a run's.
void Nest::noteDivision(mlir::Operation *op, const Index &index) {
  if (!notesDivisions || index.lanes != lanes || runOf(op) ||
      levelOf(index) + 1 != levels.size() ||
      strideOf(l, op->getOperand(0), index.dim) != std::optional<int64_t>(1) ||
      strideOf(l, op->getOperand(1), index.dim) != std::optional<int64_t>(0)) {
    return;
  }
  Run run;
  run.of = op->getOperand(0);
  run.by = op->getOperand(1);
  run.isSigned = isa<tile::DivSIOp, tile::RemSIOp>(op);
  run.index = index.scalar();
  runs.push_back(run);
}

/// In the version of runs. Null: the division is none of theirs.
Value *Nest::evalInRun(mlir::Operation *op, const Index &index) {
  const Run *run = inRuns ? runOf(op) : nullptr;
  if (!run || run->index.at != index.at ||
      (index.lanes && index.lanes != lanes)) {
    return nullptr;
  }
  return emitAt({run->first}, [&] {
    if (isa<tile::DivSIOp, tile::DivUIOp>(op)) {
      return l.splat(b.CreateLoad(run->type, run->quotient), index.lanes);
    }
    Value *rest = b.CreateSub(run->first, b.CreateLoad(run->type, run->begin));
    if (!index.lanes) {
      return rest;
    }
    SmallVector<Constant *> steps;
    for (unsigned lane = 0; lane < index.lanes; ++lane) {
      steps.push_back(ConstantInt::get(run->type, lane));
    }
    return b.CreateAdd(l.splat(rest, index.lanes), ConstantVector::get(steps));
  });
}

/// Space for what is known of a run; nothing where the divisor may change.
void Nest::openRun(Run &run, Value *divisor) {
  run.type = run.first->getType();
  run.begin = l.slot(run.type);
  run.count = l.slot(run.type);
  run.quotient = l.slot(run.type);
  IRBuilder<>::InsertPointGuard guard(b);
  BasicBlock *block = levels[levelOf(divisor)].block;
  if (Instruction *end = block->getTerminator()) {
    b.SetInsertPoint(end);
  } else {
    b.SetInsertPoint(block);
  }
  for (AllocaInst *slot : {run.begin, run.count, run.quotient}) {
    b.CreateStore(Constant::getNullValue(run.type), slot);
  }
}

/// Are the lanes from run.first on in the run that is known?
Value *Nest::isInRun(const Run &run) {
  Value *at = b.CreateSub(run.first, b.CreateLoad(run.type, run.begin));
  Value *count = b.CreateLoad(run.type, run.count);
  return b.CreateAnd(b.CreateICmpULT(at, count),
                     b.CreateICmpUGE(b.CreateSub(count, at),
                                     ConstantInt::get(run.type, lanes)));
}

/// The run of run.first; one of no elements where a quotient may be negative.
void Nest::findRun(const Run &run, Value *divisor) {
  Constant *none = Constant::getNullValue(run.type);
  const unsigned bits = run.type->getIntegerBitWidth();
  Value *valid = b.CreateICmpNE(divisor, none);
  if (run.isSigned) {
    valid = b.CreateAnd(b.CreateICmpSGT(divisor, none),
                        b.CreateICmpSGE(run.first, none));
  }
  Value *by = b.CreateSelect(valid, divisor, ConstantInt::get(run.type, 1));
  Value *first = b.CreateSelect(valid, run.first, none);
  Value *quotient = b.CreateUDiv(first, by);
  Value *begin = b.CreateMul(quotient, by);
  // Lanes beyond the largest number would wrap.
  Constant *largest =
      ConstantInt::get(run.type, run.isSigned ? APInt::getSignedMaxValue(bits)
                                              : APInt::getMaxValue(bits));
  Value *count =
      b.CreateBinaryIntrinsic(Intrinsic::umin, by, b.CreateSub(largest, begin));
  b.CreateStore(begin, run.begin);
  b.CreateStore(b.CreateSelect(valid, count, none), run.count);
  b.CreateStore(quotient, run.quotient);
}

void Nest::inVersionsOfRuns(function_ref<void()> body) {
  const std::map<Key, Value *> before = levels.back().values;
  BasicBlock *ask = b.GetInsertBlock(), *general = l.block("general"),
             *join = l.block("joined");
  b.SetInsertPoint(general);
  notesDivisions = true;
  runs.clear();
  body();
  notesDivisions = false;
  b.CreateBr(join);
  b.SetInsertPoint(ask);
  if (runs.empty()) {
    b.CreateBr(general);
    b.SetInsertPoint(join);
    return;
  }
  levels.back().values = before;
  SmallVector<Value *> divisors;
  for (Run &run : runs) {
    run.first = eval(run.of, run.index);
    divisors.push_back(eval(run.by, run.index));
    openRun(run, divisors.back());
  }
  auto areInside = [&] {
    SmallVector<Value *> inside;
    for (const Run &run : runs) {
      inside.push_back(isInRun(run));
    }
    return b.CreateAnd(inside);
  };
  l.emitIf(b.CreateNot(areInside()), [&] {
    for (auto [run, divisor] : llvm::zip(runs, divisors)) {
      findRun(run, divisor);
    }
  });
  BasicBlock *inside = l.block("run");
  b.CreateCondBr(areInside(), inside, general);
  b.SetInsertPoint(inside);
  const std::map<Key, Value *> asked = levels.back().values;
  inRuns = true;
  body();
  inRuns = false;
  levels.back().values = asked;
  b.CreateBr(join);
  b.SetInsertPoint(join);
}

} // namespace tz::cpu
