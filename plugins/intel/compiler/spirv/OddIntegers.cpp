//===- OddIntegers.cpp - integers of other widths -------------------------===//
//
// What   See widenIntegers() in Spirv.h: values of 2 to 7, 9 to 15 ... bits
//        become such of the next width that SPIR-V has, with zeros above.
// Why    LLVM's simplifications truncate to as few bits as an operation needs.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tz::intel {

namespace {

/// The type that stands for it; null: it is one that SPIR-V has.
Type *wider(Type *type) {
  if (!type->isIntOrIntVectorTy() || type->isIntOrIntVectorTy(1)) {
    return nullptr;
  }
  const unsigned bits = type->getScalarSizeInBits(),
                 next = unsigned(PowerOf2Ceil(std::max(bits, 8u)));
  return bits == next || next > 64
             ? nullptr
             : type->getWithNewType(IntegerType::get(type->getContext(), next));
}

/// Bits that are moved between numbers and vectors: SPIR-V's booleans have no
/// bits, and what has another width than 8 to 64 bits cannot be moved.
bool isOddCast(const Instruction *inst) {
  auto isOdd = [](Type *type) {
    return wider(type) || (type->isVectorTy() && type->isIntOrIntVectorTy(1));
  };
  return isa<BitCastInst>(inst) &&
         (isOdd(inst->getType()) || isOdd(inst->getOperand(0)->getType()));
}

class Widening {
public:
  explicit Widening(Function &function)
      : b(function.getContext()), layout(function.getDataLayout()) {
    EliminateUnreachableBlocks(function);
    // Operands come before their users, but for those of phis.
    SmallVector<Instruction *> found;
    for (BasicBlock *block : ReversePostOrderTraversal(&function)) {
      for (Instruction &inst : *block) {
        if (wider(inst.getType()) || isOddCast(&inst) ||
            any_of(inst.operands(),
                   [](const Use &use) { return wider(use->getType()); })) {
          found.push_back(&inst);
        }
      }
    }
    for (Instruction *inst : found) {
      rewrite(inst);
    }
    for (PHINode *phi : phis) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        b.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
        cast<PHINode>(values[phi])
            ->addIncoming(wide(phi->getIncomingValue(i)),
                          phi->getIncomingBlock(i));
      }
    }
    eraseReplaced();
  }

private:
  /// The value with zeros above; of what has no such form, from the value,
  /// which then stays and is refused by its type.
  Value *wide(Value *value) {
    Type *type = wider(value->getType());
    if (!type) {
      return value;
    }
    if (auto *constant = dyn_cast<Constant>(value)) {
      if (Constant *folded = ConstantFoldCastOperand(Instruction::ZExt,
                                                     constant, type, layout)) {
        return folded;
      }
    }
    auto found = values.find(value);
    return found == values.end() ? b.CreateZExt(value, type) : found->second;
  }
  Value *masked(Value *value, unsigned bits) {
    return b.CreateAnd(
        value,
        ConstantInt::get(value->getType(), maskTrailingOnes<uint64_t>(bits)));
  }
  /// As a signed number.
  Value *extended(Value *value) {
    Value *all = wide(value);
    const unsigned above = all->getType()->getScalarSizeInBits() -
                           value->getType()->getScalarSizeInBits();
    return b.CreateAShr(b.CreateShl(all, above), above);
  }
  Value *operand(Instruction *inst, unsigned i, bool isSigned = false) {
    return isSigned ? extended(inst->getOperand(i)) : wide(inst->getOperand(i));
  }

  /// But for what an instruction still reads that has no wider form.
  void eraseReplaced() {
    DenseSet<Instruction *> gone(done.begin(), done.end());
    for (bool isSettled = false; !isSettled;) {
      isSettled = true;
      for (Instruction *inst : reverse(done)) {
        if (gone.contains(inst) && any_of(inst->users(), [&](User *user) {
              return !gone.contains(cast<Instruction>(user));
            })) {
          gone.erase(inst);
          isSettled = false;
        }
      }
    }
    for (Instruction *inst : gone) {
      inst->dropAllReferences();
    }
    for (Instruction *inst : gone) {
      inst->eraseFromParent();
    }
  }

  Value *castOf(Instruction *inst);
  Value *bitsOf(Instruction *inst);
  Value *binary(Instruction *inst);
  Value *intrinsic(IntrinsicInst *inst);
  Value *rewritten(Instruction *inst);

  void rewrite(Instruction *inst) {
    b.SetInsertPoint(inst);
    b.SetCurrentDebugLocation(inst->getDebugLoc());
    Value *made = rewritten(inst);
    if (!made) {
      return;
    }
    if (wider(inst->getType())) {
      values[inst] = made; // its users take this one
    } else if (!inst->getType()->isVoidTy()) {
      inst->replaceAllUsesWith(made);
    }
    done.push_back(inst);
  }

  IRBuilder<> b;
  const DataLayout &layout;
  DenseMap<Value *, Value *> values;
  SmallVector<Instruction *> done;
  SmallVector<PHINode *> phis;
};

Value *Widening::castOf(Instruction *inst) {
  Value *from = inst->getOperand(0);
  Type *to = wider(inst->getType());
  const unsigned bits = inst->getType()->getScalarSizeInBits();
  switch (inst->getOpcode()) {
  case Instruction::Trunc: {
    Value *all = wide(from);
    return to ? masked(b.CreateZExtOrTrunc(all, to), bits)
              : b.CreateTrunc(all, inst->getType());
  }
  case Instruction::ZExt:
    return b.CreateZExtOrTrunc(wide(from), to ? to : inst->getType());
  case Instruction::SExt: {
    Value *all = wider(from->getType()) ? extended(from) : from;
    return to ? masked(b.CreateSExtOrTrunc(all, to), bits)
              : b.CreateSExtOrTrunc(all, inst->getType());
  }
  case Instruction::UIToFP:
    return b.CreateUIToFP(wide(from), inst->getType());
  case Instruction::SIToFP:
    return b.CreateSIToFP(extended(from), inst->getType());
  case Instruction::FPToUI: // beyond its range it is poison
    return masked(b.CreateFPToUI(from, to), bits);
  case Instruction::FPToSI:
    return masked(b.CreateFPToSI(from, to), bits);
  default:
    return nullptr; // refused later, by its type
  }
}

/// A bit cast, by the bits of each element.
Value *Widening::bitsOf(Instruction *inst) {
  Value *from = inst->getOperand(0);
  auto *source = dyn_cast<FixedVectorType>(from->getType());
  auto *result = dyn_cast<FixedVectorType>(inst->getType());
  const unsigned all = unsigned(from->getType()->getPrimitiveSizeInBits());
  if (all > 64 || !from->getType()->isIntOrIntVectorTy() ||
      !inst->getType()->isIntOrIntVectorTy()) {
    return nullptr;
  }
  Type *word = b.getIntNTy(unsigned(PowerOf2Ceil(std::max(all, 8u))));
  Value *bits = nullptr;
  if (source) {
    const unsigned each = source->getScalarSizeInBits();
    Value *vector = wide(from);
    bits = ConstantInt::get(word, 0);
    for (unsigned i = 0; i < source->getNumElements(); ++i) {
      Value *one = b.CreateZExt(b.CreateExtractElement(vector, i), word);
      bits = b.CreateOr(bits, b.CreateShl(one, i * each));
    }
  } else {
    bits = b.CreateZExt(wide(from), word);
  }
  if (!result) {
    Type *to = wider(inst->getType());
    return b.CreateZExtOrTrunc(bits, to ? to : inst->getType());
  }
  const unsigned each = result->getScalarSizeInBits();
  Type *to = wider(result) ? wider(result) : result;
  Value *vector = PoisonValue::get(to);
  for (unsigned i = 0; i < result->getNumElements(); ++i) {
    Value *one = masked(b.CreateLShr(bits, i * each), each);
    vector = b.CreateInsertElement(
        vector, b.CreateZExtOrTrunc(one, to->getScalarType()), i);
  }
  return vector;
}

Value *Widening::binary(Instruction *inst) {
  const auto opcode = Instruction::BinaryOps(inst->getOpcode());
  const unsigned bits = inst->getType()->getScalarSizeInBits();
  const bool readsSign =
      opcode == Instruction::SDiv || opcode == Instruction::SRem;
  Value *first = operand(inst, 0, readsSign || opcode == Instruction::AShr);
  return masked(b.CreateBinOp(opcode, first, operand(inst, 1, readsSign)),
                bits);
}

Value *Widening::intrinsic(IntrinsicInst *inst) {
  const Intrinsic::ID id = inst->getIntrinsicID();
  if (inst->arg_empty() || !wider(inst->getArgOperand(0)->getType())) {
    return nullptr;
  }
  Type *type = wider(inst->getArgOperand(0)->getType());
  const unsigned bits =
                     inst->getArgOperand(0)->getType()->getScalarSizeInBits(),
                 above = type->getScalarSizeInBits() - bits;
  switch (id) {
  case Intrinsic::umin:
  case Intrinsic::umax:
    return b.CreateBinaryIntrinsic(id, operand(inst, 0), operand(inst, 1));
  case Intrinsic::smin:
  case Intrinsic::smax:
    return masked(b.CreateBinaryIntrinsic(id, operand(inst, 0, true),
                                          operand(inst, 1, true)),
                  bits);
  case Intrinsic::abs:
    return masked(
        b.CreateBinaryIntrinsic(id, operand(inst, 0, true), b.getFalse()),
        bits);
  case Intrinsic::bitreverse:
    return b.CreateLShr(b.CreateUnaryIntrinsic(id, operand(inst, 0)), above);
  case Intrinsic::ctpop:
    return b.CreateUnaryIntrinsic(id, operand(inst, 0));
  case Intrinsic::ctlz:
    return b.CreateSub(
        b.CreateBinaryIntrinsic(id, operand(inst, 0), b.getFalse()),
        ConstantInt::get(type, above));
  case Intrinsic::cttz: // a one above ends the search
    return b.CreateBinaryIntrinsic(
        id,
        b.CreateOr(operand(inst, 0),
                   ConstantInt::get(type, uint64_t{1} << bits)),
        b.getFalse());
  default:
    return nullptr;
  }
}

Value *Widening::rewritten(Instruction *inst) {
  if (isOddCast(inst)) {
    return bitsOf(inst);
  }
  if (isa<CastInst>(inst)) {
    return castOf(inst);
  }
  if (isa<BinaryOperator>(inst)) {
    return binary(inst);
  }
  if (auto *call = dyn_cast<IntrinsicInst>(inst)) {
    return intrinsic(call);
  }
  Type *type = wider(inst->getType());
  switch (inst->getOpcode()) {
  case Instruction::ICmp: {
    auto *compare = cast<ICmpInst>(inst);
    const bool isSigned = compare->isSigned();
    return b.CreateICmp(compare->getPredicate(), operand(inst, 0, isSigned),
                        operand(inst, 1, isSigned));
  }
  case Instruction::Select:
    return b.CreateSelect(inst->getOperand(0), operand(inst, 1),
                          operand(inst, 2));
  case Instruction::Freeze: // what is above may be anything then
    return masked(b.CreateFreeze(operand(inst, 0)),
                  inst->getType()->getScalarSizeInBits());
  case Instruction::PHI: {
    auto *phi = cast<PHINode>(inst);
    phis.push_back(phi);
    return b.CreatePHI(type, phi->getNumIncomingValues());
  }
  case Instruction::Switch: {
    auto *branch = cast<SwitchInst>(inst);
    SwitchInst *made = b.CreateSwitch(
        operand(inst, 0), branch->getDefaultDest(), branch->getNumCases());
    for (auto &one : branch->cases()) {
      made->addCase(cast<ConstantInt>(wide(one.getCaseValue())),
                    one.getCaseSuccessor());
    }
    return made;
  }
  case Instruction::ExtractElement:
    return b.CreateExtractElement(operand(inst, 0), operand(inst, 1));
  case Instruction::InsertElement:
    return b.CreateInsertElement(operand(inst, 0), operand(inst, 1),
                                 operand(inst, 2));
  case Instruction::ShuffleVector:
    return b.CreateShuffleVector(
        operand(inst, 0), operand(inst, 1),
        cast<ShuffleVectorInst>(inst)->getShuffleMask());
  default:
    return nullptr; // refused later, by its type
  }
}

} // namespace

void widenIntegers(Function &function) {
  if (!function.isDeclaration()) {
    Widening{function};
  }
}

void widenIntegers(Module &module) {
  for (Function &function : module) {
    widenIntegers(function);
  }
}

} // namespace tz::intel
