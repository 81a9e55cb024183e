//===- NarrowAtomics.cpp - atomics of 8 and 16 bits -----------------------===//
//
// What   See widenAtomics() in Spirv.h. A loop of compare-exchange on the word
//        around the element, which leaves the other bytes as they are.
// Why    Atomic instructions of OpenCL's SPIR-V have 32 or 64 bits.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace tz::intel {

namespace {

/// The word around an element.
class Word {
public:
  Word(IRBuilderBase &b, Value *pointer, Type *element)
      : b(b), element(element) {
    Value *low =
        b.CreateAnd(b.CreateTrunc(b.CreatePtrToInt(pointer, b.getInt64Ty()),
                                  b.getInt32Ty()),
                    3);
    address = b.CreateGEP(b.getInt8Ty(), pointer, b.CreateNeg(low));
    shift = b.CreateShl(low, 3);
    mask = b.CreateShl(b.getInt32(uint32_t(maskTrailingOnes<uint32_t>(
                           element->getIntegerBitWidth()))),
                       shift);
  }
  Value *extract(Value *word) const {
    return b.CreateTrunc(b.CreateLShr(word, shift), element);
  }
  Value *insert(Value *word, Value *value) const {
    Value *placed = b.CreateShl(b.CreateZExt(value, b.getInt32Ty()), shift);
    return b.CreateOr(b.CreateAnd(word, b.CreateNot(mask)), placed);
  }

  Value *address = nullptr;

private:
  IRBuilderBase &b;
  Type *element;
  Value *shift = nullptr, *mask = nullptr;
};

struct Order {
  AtomicOrdering success, failure;
  SyncScope::ID scope;
};

/// Until the word could be exchanged, or `next` says that it need not be (its
/// second value is false). The element as it was.
using Next =
    function_ref<std::pair<Value *, Value *>(IRBuilderBase &b, Value *element)>;
Value *exchangeUntil(Instruction *at, Value *pointer, Type *element,
                     const Order &order, Next next) {
  BasicBlock *before = at->getParent(),
             *after = before->splitBasicBlock(at->getIterator(), "narrow.done");
  Function *function = before->getParent();
  LLVMContext &context = function->getContext();
  BasicBlock *loop = BasicBlock::Create(context, "narrow", function, after),
             *exchange =
                 BasicBlock::Create(context, "narrow.try", function, after);
  before->getTerminator()->eraseFromParent();
  IRBuilder<> b(before);
  const Word word(b, pointer, element);
  LoadInst *first = b.CreateAlignedLoad(b.getInt32Ty(), word.address, Align(4));
  first->setAtomic(AtomicOrdering::Monotonic, order.scope);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *seen = b.CreatePHI(b.getInt32Ty(), 2);
  seen->addIncoming(first, before);
  Value *old = word.extract(seen);
  auto [value, wanted] = next(b, old);
  Value *whole = word.insert(seen, value);
  b.CreateCondBr(wanted ? wanted : b.getTrue(), exchange, after);
  b.SetInsertPoint(exchange);
  AtomicCmpXchgInst *swap =
      b.CreateAtomicCmpXchg(word.address, seen, whole, Align(4), order.success,
                            order.failure, order.scope);
  seen->addIncoming(b.CreateExtractValue(swap, 0), exchange);
  b.CreateCondBr(b.CreateExtractValue(swap, 1), after, loop);
  return old;
}

void widen(AtomicRMWInst *update) {
  const Order order = {
      update->getOrdering(),
      AtomicCmpXchgInst::getStrongestFailureOrdering(update->getOrdering()),
      update->getSyncScopeID()};
  Value *old = exchangeUntil(
      update, update->getPointerOperand(), update->getType(), order,
      [&](IRBuilderBase &b, Value *element) -> std::pair<Value *, Value *> {
        return {buildAtomicRMWValue(update->getOperation(), b, element,
                                    update->getValOperand()),
                nullptr};
      });
  update->replaceAllUsesWith(old);
  update->eraseFromParent();
}

void widen(AtomicCmpXchgInst *swap) {
  const Order order = {swap->getSuccessOrdering(), swap->getFailureOrdering(),
                       swap->getSyncScopeID()};
  Value *compare = swap->getCompareOperand(), *isEqual = nullptr;
  Value *old = exchangeUntil(
      swap, swap->getPointerOperand(), compare->getType(), order,
      [&](IRBuilderBase &b, Value *element) -> std::pair<Value *, Value *> {
        isEqual = b.CreateICmpEQ(element, compare);
        return {swap->getNewValOperand(), isEqual};
      });
  IRBuilder<> b(swap);
  Value *result = PoisonValue::get(swap->getType());
  result = b.CreateInsertValue(result, old, 0);
  result = b.CreateInsertValue(result, isEqual, 1);
  swap->replaceAllUsesWith(result);
  swap->eraseFromParent();
}

/// An element that is read at once, as a part of its word.
void widen(LoadInst *load) {
  IRBuilder<> b(load);
  const Word word(b, load->getPointerOperand(), load->getType());
  LoadInst *whole = b.CreateAlignedLoad(b.getInt32Ty(), word.address, Align(4),
                                        load->isVolatile());
  whole->setAtomic(load->getOrdering(), load->getSyncScopeID());
  load->replaceAllUsesWith(word.extract(whole));
  load->eraseFromParent();
}

bool isNarrow(Type *type) {
  return type->isIntegerTy(8) || type->isIntegerTy(16);
}

} // namespace

void widenAtomics(Module &module) {
  SmallVector<Instruction *> found;
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      if (auto *load = dyn_cast<LoadInst>(&inst)) {
        if (load->isAtomic() && isNarrow(load->getType())) {
          found.push_back(load);
        }
      } else if (auto *update = dyn_cast<AtomicRMWInst>(&inst)) {
        if (isNarrow(update->getType())) {
          found.push_back(update);
        }
      } else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&inst)) {
        if (isNarrow(swap->getCompareOperand()->getType())) {
          found.push_back(swap);
        }
      }
    }
  }
  for (Instruction *inst : found) {
    TypeSwitch<Instruction *>(inst)
        .Case<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(
            [](auto *one) { widen(one); });
  }
}

} // namespace tz::intel
