//===- PartEmitter.cpp - when parts of a program begin and end ------------===//
//
// What   See PartEmitter.h.
// Why    See PartEmitter.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/PartEmitter.h"

#include "terrazzo/plugin.h"

using namespace llvm;

namespace tz::lowering {

/// Of an event, below the number of its site.
static constexpr unsigned ClockBits = 48;

Value *PartEmitter::eventAt(Value *number) {
  Value *place = b.CreateAnd(number, b.getInt32(capacity - 1));
  return b.CreateInBoundsGEP(b.getInt64Ty(), ring,
                             b.CreateZExt(place, b.getInt64Ty()));
}

Value *PartEmitter::load(Type *type, Value *slot) {
  return b.CreateLoad(type, slot);
}

void PartEmitter::open() {
  b.CreateStore(b.getInt32(0), count);
  b.CreateStore(clock.ns ? clock.ns(b) : b.getInt64(0), beganNs);
  b.CreateStore(clock.now(b), began);
}

void PartEmitter::note(uint32_t site, Value *keeps) {
  Value *passed = b.CreateSub(clock.now(b), load(b.getInt64Ty(), began));
  Value *event =
      b.CreateOr(b.CreateAnd(passed, b.getInt64((1ull << ClockBits) - 1)),
                 b.getInt64(uint64_t(site) << ClockBits));
  Value *number = load(b.getInt32Ty(), count);
  b.CreateStore(b.CreateAdd(number, b.getInt32(1)), count);
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *then = nullptr, *after = nullptr;
  if (keeps) {
    then = BasicBlock::Create(b.getContext(), "part", function);
    after = BasicBlock::Create(b.getContext(), "part.noted", function);
    b.CreateCondBr(keeps, then, after);
    b.SetInsertPoint(then);
  }
  b.CreateAlignedStore(event, eventAt(number), Align(8));
  if (keeps) {
    b.CreateBr(after);
    b.SetInsertPoint(after);
  }
}

/// `kept` events from number `first` on, which are at least one.
void PartEmitter::copyEvents(Value *first, Value *kept, Value *to) {
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *before = b.GetInsertBlock(),
             *copy = BasicBlock::Create(b.getContext(), "parts", function),
             *after =
                 BasicBlock::Create(b.getContext(), "parts.told", function);
  b.CreateBr(copy);
  b.SetInsertPoint(copy);
  PHINode *at = b.CreatePHI(b.getInt32Ty(), 2);
  at->addIncoming(b.getInt32(0), before);
  Value *event = b.CreateAlignedLoad(b.getInt64Ty(),
                                     eventAt(b.CreateAdd(first, at)), Align(8));
  b.CreateAlignedStore(
      event,
      b.CreateInBoundsGEP(b.getInt64Ty(), to, b.CreateZExt(at, b.getInt64Ty())),
      Align(8));
  Value *next = b.CreateAdd(at, b.getInt32(1));
  at->addIncoming(next, copy);
  b.CreateCondBr(b.CreateICmpULT(next, kept), copy, after);
  b.SetInsertPoint(after);
}

void PartEmitter::close(LogEmitter log, uint32_t site, Value *subgroup) {
  Type *i64 = b.getInt64Ty();
  Value *ended = clock.now(b);
  Value *endedNs = clock.ns ? clock.ns(b) : b.getInt64(0);
  Value *all = load(b.getInt32Ty(), count);
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *tell = BasicBlock::Create(b.getContext(), "tell", function),
             *done = BasicBlock::Create(b.getContext(), "told", function);
  b.CreateCondBr(b.CreateICmpNE(all, b.getInt32(0)), tell, done);
  b.SetInsertPoint(tell);
  Value *kept =
      b.CreateBinaryIntrinsic(Intrinsic::umin, all, b.getInt32(capacity));
  Value *forgotten = b.CreateSub(all, kept);
  Value *bytes =
      b.CreateAdd(b.CreateMul(b.CreateZExt(kept, i64), b.getInt64(8)),
                  b.getInt64(sizeof(tz_log_events)));
  Value *core =
      clock.core ? b.CreateAdd(clock.core(b), b.getInt32(1)) : b.getInt32(0);
  log.append({site, core, b.CreateZExt(forgotten, i64), b.CreateZExt(kept, i64),
              bytes},
             [&](Value *to) {
               auto put = [&](uint64_t offset, Value *value) {
                 b.CreateAlignedStore(
                     value,
                     b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), to, offset),
                     Align(4));
               };
               put(offsetof(tz_log_events, clock), b.getInt32(clock.kind));
               put(offsetof(tz_log_events, subgroup), subgroup);
               put(offsetof(tz_log_events, began), load(i64, began));
               put(offsetof(tz_log_events, ended), ended);
               put(offsetof(tz_log_events, began_ns), load(i64, beganNs));
               put(offsetof(tz_log_events, ended_ns), endedNs);
               copyEvents(forgotten, kept,
                          b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), to,
                                                       sizeof(tz_log_events)));
             });
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

} // namespace tz::lowering
