//===- InsertedElements.cpp - vectors made of single elements -------------===//
#include "backends/nvidia/compiler/llvm/InsertedElements.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::nvidia {

SmallVector<Value *, 16> insertedElements(Value *last, unsigned bits) {
  auto *type = dyn_cast<FixedVectorType>(last->getType());
  if (!type || !type->getElementType()->isIntegerTy(bits)) {
    return {};
  }
  SmallVector<Value *, 16> elements(type->getNumElements());
  for (Value *at = last; auto *insert = dyn_cast<InsertElementInst>(at);
       at = insert->getOperand(0)) {
    auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
    if (!index || index->getZExtValue() >= elements.size()) {
      return {};
    }
    Value *&element = elements[index->getZExtValue()];
    element = element ? element : insert->getOperand(1); // the last one counts
  }
  return elements;
}

SmallVector<InsertElementInst *> lastInsertions(Function &function) {
  SmallVector<InsertElementInst *> last;
  for (Instruction &one : instructions(function)) {
    auto *insert = dyn_cast<InsertElementInst>(&one);
    if (insert && none_of(insert->users(), [&](User *user) {
          return isa<InsertElementInst>(user) && user->getOperand(0) == insert;
        })) {
      last.push_back(insert);
    }
  }
  return last;
}

} // namespace tz::nvidia
