//===- PointerVectors.cpp - vectors of pointers as such of numbers --------===//
//
// What   See numberPointerVectors() in Spirv.h: what makes, moves and takes
//        apart such vectors works on their addresses.
// Why    SPIR-V has vectors of numbers and booleans only. Tiles of pointers
//        become vectors where they are exchanged between threads.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::intel {

namespace {

bool isPointers(const Value *value) {
  return value->getType()->isVectorTy() &&
         value->getType()->isPtrOrPtrVectorTy();
}

class PointerVectors {
public:
  explicit PointerVectors(Function &function)
      : function(function), number(Type::getInt64Ty(function.getContext())) {}
  void run();

private:
  Type *numbersOf(Type *vector) const {
    return VectorType::get(number, cast<VectorType>(vector));
  }
  Value *numbers(Value *value);
  Value *made(Instruction *inst);

  Function &function;
  Type *number;
  DenseMap<Value *, Value *> known;
};

} // namespace

/// Null for what the code generator is left to refuse by name.
Value *PointerVectors::made(Instruction *inst) {
  IRBuilder<> b(inst);
  Type *type = numbersOf(inst->getType());
  if (auto *insert = dyn_cast<InsertElementInst>(inst)) {
    Value *from = numbers(insert->getOperand(0));
    return from ? b.CreateInsertElement(
                      from, b.CreatePtrToInt(insert->getOperand(1), number),
                      insert->getOperand(2))
                : nullptr;
  }
  if (auto *load = dyn_cast<LoadInst>(inst)) {
    return b.CreateAlignedLoad(type, load->getPointerOperand(),
                               load->getAlign(), load->isVolatile());
  }
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(inst)) {
    Value *x = numbers(shuffle->getOperand(0)),
          *y = numbers(shuffle->getOperand(1));
    return x && y ? b.CreateShuffleVector(x, y, shuffle->getShuffleMask())
                  : nullptr;
  }
  if (auto *select = dyn_cast<SelectInst>(inst)) {
    Value *x = numbers(select->getTrueValue()),
          *y = numbers(select->getFalseValue());
    return x && y ? b.CreateSelect(select->getCondition(), x, y) : nullptr;
  }
  if (auto *phi = dyn_cast<PHINode>(inst)) {
    PHINode *result = b.CreatePHI(type, phi->getNumIncomingValues());
    known[phi] = result; // it may reach itself round a loop
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      Value *value = numbers(phi->getIncomingValue(i));
      result->addIncoming(value ? value : PoisonValue::get(type),
                          phi->getIncomingBlock(i));
    }
    return result;
  }
  return nullptr;
}

Value *PointerVectors::numbers(Value *value) {
  if (auto found = known.find(value); found != known.end()) {
    return found->second;
  }
  Type *type = numbersOf(value->getType());
  Value *result = nullptr;
  if (isa<UndefValue>(value)) { // poison too
    result = PoisonValue::get(type);
  } else if (isa<ConstantAggregateZero>(value)) {
    result = Constant::getNullValue(type);
  } else if (auto *inst = dyn_cast<Instruction>(value)) {
    result = made(inst);
  }
  return known[value] = result;
}

void PointerVectors::run() {
  SmallVector<Instruction *> users, makers;
  for (Instruction &inst : instructions(function)) {
    auto *store = dyn_cast<StoreInst>(&inst);
    auto *extract = dyn_cast<ExtractElementInst>(&inst);
    if ((store && isPointers(store->getValueOperand())) ||
        (extract && isPointers(extract->getVectorOperand()))) {
      users.push_back(&inst);
    } else if (isPointers(&inst)) {
      makers.push_back(&inst);
    }
  }
  for (Instruction *user : users) {
    IRBuilder<> b(user);
    Value *vector = numbers(user->getOperand(0));
    if (!vector) {
      continue;
    }
    if (auto *extract = dyn_cast<ExtractElementInst>(user)) {
      extract->replaceAllUsesWith(b.CreateIntToPtr(
          b.CreateExtractElement(vector, extract->getIndexOperand()),
          extract->getType()));
      extract->eraseFromParent();
    } else {
      user->setOperand(0, vector);
    }
  }
  for (Instruction *maker : makers) {
    if (known.lookup(maker)) {
      maker->replaceAllUsesWith(PoisonValue::get(maker->getType()));
      maker->eraseFromParent();
    }
  }
}

void numberPointerVectors(Module &module) {
  for (Function &function : module) {
    PointerVectors(function).run();
  }
}

} // namespace tz::intel
