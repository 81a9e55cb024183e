//===- Atomics.cpp - atomic operations on one element as LLVM IR ----------===//
//
// What   See Atomics.h.
// Why    See Atomics.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/Atomics.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace tz::lowering {

AtomicOrdering orderOf(tile::MemSem sem) {
  switch (sem) {
  case tile::MemSem::relaxed:
    return AtomicOrdering::Monotonic;
  case tile::MemSem::acquire:
    return AtomicOrdering::Acquire;
  case tile::MemSem::release:
    return AtomicOrdering::Release;
  case tile::MemSem::acq_rel:
    return AtomicOrdering::AcquireRelease;
  }
  return AtomicOrdering::AcquireRelease;
}

namespace {

AtomicOrdering failureOf(AtomicOrdering order) {
  return AtomicCmpXchgInst::getStrongestFailureOrdering(order);
}

std::optional<AtomicRMWInst::BinOp> integerOp(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return AtomicRMWInst::Add;
  case tile::AtomicKind::max:
    return AtomicRMWInst::Max;
  case tile::AtomicKind::min:
    return AtomicRMWInst::Min;
  case tile::AtomicKind::umax:
    return AtomicRMWInst::UMax;
  case tile::AtomicKind::umin:
    return AtomicRMWInst::UMin;
  case tile::AtomicKind::and_:
    return AtomicRMWInst::And;
  case tile::AtomicKind::or_:
    return AtomicRMWInst::Or;
  case tile::AtomicKind::xor_:
    return AtomicRMWInst::Xor;
  case tile::AtomicKind::xchg:
    return AtomicRMWInst::Xchg;
  default:
    return std::nullopt;
  }
}

/// What an operation on i1 is on the byte that holds it; true is -1 where
/// numbers are signed.
tile::AtomicKind onBits(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return tile::AtomicKind::xor_;
  case tile::AtomicKind::max:
  case tile::AtomicKind::umin:
    return tile::AtomicKind::and_;
  case tile::AtomicKind::min:
  case tile::AtomicKind::umax:
    return tile::AtomicKind::or_;
  default:
    return kind;
  }
}

/// An element as bits of its size in memory, and back.
struct Bits {
  Bits(IRBuilderBase &b, Elementwise &arithmetic, mlir::Type element)
      : b(b), arithmetic(arithmetic), element(element),
        bytes(tile::storageBytes(element)), type(b.getIntNTy(bytes * 8)) {}
  Value *from(Value *v) const {
    v = arithmetic.toMemory(v, element);
    return v->getType()->isPointerTy() ? b.CreatePtrToInt(v, type)
                                       : b.CreateBitCast(v, type);
  }
  Value *to(Value *v) const {
    Type *memory = arithmetic.memoryType(element);
    v = memory->isPointerTy() ? b.CreateIntToPtr(v, memory)
                              : b.CreateBitCast(v, memory);
    return arithmetic.fromMemory(v, element);
  }
  IRBuilderBase &b;
  Elementwise &arithmetic;
  mlir::Type element;
  const unsigned bytes;
  Type *type;
};

} // namespace

Value *updated(IRBuilderBase &b, Elementwise &arithmetic, tile::AtomicKind kind,
               Value *now, Value *value, mlir::Type element) {
  auto pick = [&](CmpInst::Predicate order) {
    return b.CreateSelect(b.CreateICmp(order, now, value), now, value);
  };
  switch (element.isInteger(1) ? onBits(kind) : kind) {
  case tile::AtomicKind::add:
    return b.CreateAdd(now, value);
  case tile::AtomicKind::max:
    return pick(CmpInst::ICMP_SGT);
  case tile::AtomicKind::min:
    return pick(CmpInst::ICMP_SLT);
  case tile::AtomicKind::umax:
    return pick(CmpInst::ICMP_UGT);
  case tile::AtomicKind::umin:
    return pick(CmpInst::ICMP_ULT);
  case tile::AtomicKind::and_:
    return b.CreateAnd(now, value);
  case tile::AtomicKind::or_:
    return b.CreateOr(now, value);
  case tile::AtomicKind::xor_:
    return b.CreateXor(now, value);
  case tile::AtomicKind::xchg:
    return value;
  case tile::AtomicKind::fadd:
  case tile::AtomicKind::fmax:
  case tile::AtomicKind::fmin:
    break;
  }
  mlir::Type f32 = mlir::Float32Type::get(element.getContext());
  mlir::Type wide = tile::storageBytes(element) < 4 ? f32 : element;
  now = arithmetic.convertFloat(now, element, wide);
  value = arithmetic.convertFloat(value, element, wide);
  Value *next =
      kind == tile::AtomicKind::fadd
          ? b.CreateFAdd(now, value)
          : emitMinMax(b, now, value, kind == tile::AtomicKind::fmax, false);
  return arithmetic.convertFloat(next, wide, element);
}

namespace {

/// An atomic operation on floats; each form gives the bits that were there.
struct Update {
  Value *byExchange();
  Value *byIntegers();

  IRBuilderBase &b;
  Elementwise &arithmetic;
  const tile::AtomicKind kind;
  Value *const pointer, *const value;
  const Bits &bits;
  const AtomicOrdering order;
  const SyncScope::ID scope;

private:
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(b.getContext(), name,
                              b.GetInsertBlock()->getParent());
  }
};

/// Reads, computes and exchanges until nothing has come between.
Value *Update::byExchange() {
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *loop = block("atomic"), *done = block("atomic.done");
  LoadInst *start = b.CreateAlignedLoad(bits.type, pointer, Align(bits.bytes));
  start->setAtomic(AtomicOrdering::Monotonic, scope);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *old = b.CreatePHI(bits.type, 2);
  old->addIncoming(start, before);
  Value *next = bits.from(
      updated(b, arithmetic, kind, bits.to(old), value, bits.element));
  AtomicCmpXchgInst *swap =
      b.CreateAtomicCmpXchg(pointer, old, next, MaybeAlign(bits.bytes), order,
                            failureOf(order), scope);
  old->addIncoming(b.CreateExtractValue(swap, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(swap, 1), done, loop);
  b.SetInsertPoint(done);
  return old;
}

/// Floats of one sign are in the order of their bits: as signed integers the
/// positive ones, upside down the negative ones. So one of two integer
/// operations does it, by the operand's sign. A NaN in memory of the sign that
/// lasts longest beats every number there; it is replaced by exchange.
Value *Update::byIntegers() {
  const bool isMax = kind == tile::AtomicKind::fmax;
  auto *type = cast<IntegerType>(bits.type);
  auto constant = [&](const APInt &n) { return ConstantInt::get(type, n); };
  const unsigned width = type->getBitWidth();
  Value *mine = bits.from(value), *zero = Constant::getNullValue(type);
  // A NaN changes nothing: the operand that no integer is behind.
  Value *isNan = b.CreateFCmpUNO(value, value);
  mine = b.CreateSelect(isNan,
                        constant(isMax ? APInt::getSignedMinValue(width)
                                       : APInt::getSignedMaxValue(width)),
                        mine);
  Value *isPlain =
      b.CreateOr(isNan, b.CreateICmpSGE(mine, zero)); // as signed integers
  BasicBlock *plain = block("atomic.plain"),
             *reversed = block("atomic.reversed"),
             *joined = block("atomic.joined"), *odd = block("atomic.odd"),
             *end = block("atomic.end");
  b.CreateCondBr(isPlain, plain, reversed);
  auto emit = [&](BasicBlock *in, AtomicRMWInst::BinOp op) {
    b.SetInsertPoint(in);
    Value *old = b.CreateAtomicRMW(op, pointer, mine, MaybeAlign(bits.bytes),
                                   order, scope);
    b.CreateBr(joined);
    return old;
  };
  Value *first = emit(plain, isMax ? AtomicRMWInst::Max : AtomicRMWInst::Min);
  Value *second =
      emit(reversed, isMax ? AtomicRMWInst::UMin : AtomicRMWInst::UMax);
  b.SetInsertPoint(joined);
  PHINode *old = b.CreatePHI(type, 2);
  old->addIncoming(first, plain);
  old->addIncoming(second, reversed);
  Value *was = bits.to(old);
  Value *hasSign =
      isMax ? b.CreateICmpSGE(old, zero) : b.CreateICmpSLT(old, zero);
  Value *lasts = b.CreateAnd(b.CreateFCmpUNO(was, was), hasSign);
  b.CreateCondBr(b.CreateAnd(lasts, b.CreateNot(isNan)), odd, end,
                 MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(odd);
  Value *later = byExchange();
  BasicBlock *exchanged = b.GetInsertBlock();
  b.CreateBr(end);
  b.SetInsertPoint(end);
  PHINode *result = b.CreatePHI(type, 2);
  result->addIncoming(old, joined);
  result->addIncoming(later, exchanged);
  return result;
}

} // namespace

Value *emitAtomicUpdate(IRBuilderBase &b, Elementwise &arithmetic,
                        tile::AtomicKind kind, Value *pointer, Value *value,
                        mlir::Type element, const AtomicOrder &how) {
  const Bits bits(b, arithmetic, element);
  const AtomicOrdering order = orderOf(how.sem);
  const SyncScope::ID scope = b.getContext().getOrInsertSyncScopeID(how.scope);
  if (element.isInteger(1)) {
    kind = onBits(kind);
  }
  if (auto op = integerOp(kind)) {
    return bits.to(b.CreateAtomicRMW(*op, pointer, bits.from(value),
                                     MaybeAlign(bits.bytes), order, scope));
  }
  const bool isExtremum =
      kind == tile::AtomicKind::fmax || kind == tile::AtomicKind::fmin;
  Update update{b, arithmetic, kind, pointer, value, bits, order, scope};
  return bits.to(isExtremum && how.hasExtrema && bits.bytes == 4
                     ? update.byIntegers()
                     : update.byExchange());
}

Value *emitCompareExchange(IRBuilderBase &b, Elementwise &arithmetic,
                           Value *pointer, Value *compare, Value *value,
                           mlir::Type element, const AtomicOrder &how) {
  const Bits bits(b, arithmetic, element);
  const AtomicOrdering order = orderOf(how.sem);
  Value *swap =
      b.CreateAtomicCmpXchg(pointer, bits.from(compare), bits.from(value),
                            MaybeAlign(bits.bytes), order, failureOf(order),
                            b.getContext().getOrInsertSyncScopeID(how.scope));
  return bits.to(b.CreateExtractValue(swap, 0));
}

} // namespace tz::lowering
