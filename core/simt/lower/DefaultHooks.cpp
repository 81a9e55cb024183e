//===- DefaultHooks.cpp - hooks that a target need not implement ----------===//
//
// What   Accesses under a predicate as branches, a chosen lane by its number;
//        refusals where a target promised an instruction.
// Why    A new target begins with few hooks and is right; it implements others
//        to be quick.
//===----------------------------------------------------------------------===//
#include "terrazzo/plugin/Error.h"
#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtLowering.h"

using namespace llvm;

namespace tz::simt {

namespace {
[[noreturn]] void noClusters() {
  throw plugin::Failure(
      TZ_E_INTERNAL,
      "a target whose blocks form clusters implements their hooks");
}
[[noreturn]] void noCopies() {
  throw plugin::Failure(TZ_E_INTERNAL,
                        "a target with such copies implements their hooks");
}
} // namespace

static Align alignmentOf(Type *type) {
  return Align(
      PowerOf2Ceil(type->getPrimitiveSizeInBits().getFixedValue()
                       ? type->getPrimitiveSizeInBits().getFixedValue() / 8
                       : 8));
}

Value *SimtHooks::load(IRBuilderBase &b, Type *type, Value *pointer,
                       Value *predicate, Constant *other,
                       const MemoryHints &hints) {
  auto access = [&] {
    return b.CreateAlignedLoad(type, pointer, alignmentOf(type),
                               hints.isVolatile);
  };
  if (!predicate) {
    return access();
  }
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *then = BasicBlock::Create(b.getContext(), "load", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "loaded", function);
  b.CreateCondBr(predicate, then, after);
  b.SetInsertPoint(then);
  Value *loaded = access();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  PHINode *value = b.CreatePHI(type, 2);
  value->addIncoming(loaded, then);
  auto *vector = dyn_cast<FixedVectorType>(type);
  value->addIncoming(
      !other   ? Constant::getNullValue(type)
      : vector ? ConstantVector::getSplat(vector->getElementCount(), other)
               : other,
      before);
  return value;
}

void SimtHooks::store(IRBuilderBase &b, Value *value, Value *pointer,
                      Value *predicate, const MemoryHints &) {
  if (!predicate) {
    b.CreateAlignedStore(value, pointer, alignmentOf(value->getType()));
    return;
  }
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *then = BasicBlock::Create(b.getContext(), "store", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "stored", function);
  b.CreateCondBr(predicate, then, after);
  b.SetInsertPoint(then);
  b.CreateAlignedStore(value, pointer, alignmentOf(value->getType()));
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

SmallVector<Value *> SimtHooks::dot(IRBuilderBase &, DotOp op,
                                    const DotSource &, const DotSource &,
                                    ArrayRef<Value *>) {
  throw Unsupported(op.getLoc(), "this target has no matrix instruction");
}

void SimtHooks::asyncCopy(IRBuilderBase &, Value *, Value *, unsigned, Value *,
                          const MemoryHints &) {
  noCopies();
}
Value *SimtHooks::isChosenLane(IRBuilderBase &b) {
  return b.CreateICmpEQ(b.CreateAnd(threadInBlock(b), lanes() - 1),
                        b.getInt32(0));
}
void SimtHooks::initBarriers(IRBuilderBase &, Value *, unsigned, unsigned) {
  noCopies();
}
void SimtHooks::arrive(IRBuilderBase &, Value *, Value *, Value *) {
  noCopies();
}
void SimtHooks::syncBlocks(IRBuilderBase &) { noClusters(); }
Value *SimtHooks::loadFromBlock(IRBuilderBase &, Type *, Value *, Value *) {
  noClusters();
}
void SimtHooks::expectBytes(IRBuilderBase &, Value *, uint64_t) { noCopies(); }
void SimtHooks::waitBarrier(IRBuilderBase &, Value *, Value *) { noCopies(); }
void SimtHooks::bulkCopy(IRBuilderBase &, DescriptorType, Value *,
                         ArrayRef<Value *>, Value *, Value *,
                         const MemoryHints &, unsigned) {
  noCopies();
}

} // namespace tz::simt
