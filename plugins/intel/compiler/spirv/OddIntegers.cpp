//===- OddIntegers.cpp - integers of other widths -------------------------===//
//
// What   See widenIntegers() in Spirv.h: values of 2 to 7, 9 to 15 ... bits
//        become such of the next width that SPIR-V has, with zeros above.
// Why    LLVM's simplifications truncate to as few bits as an operation needs.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::intel {

namespace {

/// The type that stands for it; null: it is one that SPIR-V has.
Type *wider(Type *type) {
  if (!type->isIntegerTy() || type->isIntegerTy(1)) {
    return nullptr;
  }
  const unsigned bits = type->getIntegerBitWidth(),
                 next = unsigned(PowerOf2Ceil(std::max(bits, 8u)));
  return bits == next || next > 64 ? nullptr
                                   : IntegerType::get(type->getContext(), next);
}

class Widening {
public:
  explicit Widening(Function &function) : b(function.getContext()) {
    SmallVector<Instruction *> found;
    for (Instruction &inst : instructions(function)) {
      if (wider(inst.getType()) ||
          (inst.getNumOperands() && wider(inst.getOperand(0)->getType()))) {
        found.push_back(&inst);
      }
    }
    for (Instruction *inst : found) {
      rewrite(inst);
    }
    for (Instruction *inst : reverse(found)) {
      if (done.contains(inst) && inst->use_empty()) {
        inst->eraseFromParent();
      }
    }
  }

private:
  /// The value with zeros above; of what has no such form, from the value,
  /// which then stays and is refused by its type.
  Value *wide(Value *value) {
    Type *type = wider(value->getType());
    if (auto *number = dyn_cast<ConstantInt>(value)) {
      return ConstantInt::get(type, number->getZExtValue());
    }
    auto found = values.find(value);
    return found == values.end() ? b.CreateZExt(value, type) : found->second;
  }
  Value *masked(Value *value, unsigned bits) {
    return b.CreateAnd(value, maskTrailingOnes<uint64_t>(bits));
  }
  /// As a signed number.
  Value *extended(Value *value) {
    Value *all = wide(value);
    const unsigned above = all->getType()->getIntegerBitWidth() -
                           value->getType()->getIntegerBitWidth();
    return b.CreateAShr(b.CreateShl(all, above), above);
  }
  Value *rewritten(Instruction *inst) {
    const unsigned bits = inst->getType()->isIntegerTy()
                              ? inst->getType()->getIntegerBitWidth()
                              : 0;
    Value *first = inst->getOperand(0);
    switch (inst->getOpcode()) {
    case Instruction::Trunc: {
      Value *from = wider(first->getType()) ? wide(first) : first;
      Type *to = wider(inst->getType());
      return to ? masked(b.CreateZExtOrTrunc(from, to), bits)
                : b.CreateTrunc(from, inst->getType());
    }
    case Instruction::ZExt: {
      Value *from = wider(first->getType()) ? wide(first) : first;
      Type *to = wider(inst->getType());
      return b.CreateZExtOrTrunc(from, to ? to : inst->getType());
    }
    case Instruction::SExt:
      return wider(first->getType()) && !wider(inst->getType())
                 ? b.CreateSExtOrTrunc(extended(first), inst->getType())
                 : nullptr;
    case Instruction::ICmp: {
      auto *compare = cast<ICmpInst>(inst);
      auto operand = [&](unsigned i) {
        return compare->isSigned() ? extended(inst->getOperand(i))
                                   : wide(inst->getOperand(i));
      };
      return b.CreateICmp(compare->getPredicate(), operand(0), operand(1));
    }
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::LShr:
      return masked(b.CreateBinOp(Instruction::BinaryOps(inst->getOpcode()),
                                  wide(first), wide(inst->getOperand(1))),
                    bits);
    case Instruction::Select:
      return b.CreateSelect(first, wide(inst->getOperand(1)),
                            wide(inst->getOperand(2)));
    default:
      return nullptr; // refused later, by its type
    }
  }
  void rewrite(Instruction *inst) {
    b.SetInsertPoint(inst);
    b.SetCurrentDebugLocation(inst->getDebugLoc());
    Value *made = rewritten(inst);
    if (!made) {
      return;
    }
    if (wider(inst->getType())) {
      values[inst] = made; // its users take this one
    } else {
      inst->replaceAllUsesWith(made);
    }
    done.insert(inst);
  }
  IRBuilder<> b;
  DenseMap<Value *, Value *> values;
  DenseSet<Instruction *> done;
};

} // namespace

void widenIntegers(Module &module) {
  for (Function &function : module) {
    if (!function.isDeclaration()) {
      Widening{function};
    }
  }
}

} // namespace tz::intel
