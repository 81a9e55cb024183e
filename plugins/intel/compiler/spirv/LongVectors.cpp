//===- LongVectors.cpp - parts of vectors ---------------------------------===//
//
// What   See takeParts() in Spirv.h: by shifts of the elements they are part
// of. Why    LLVM makes a truncated element of a vector an element of the
// vector of
//        its bytes, which may be longer than any that SPIR-V has.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::intel {

/// The constant index of an element taken out of a vector of parts.
static std::optional<unsigned> indexOf(const User *user) {
  auto *part = dyn_cast<ExtractElementInst>(user);
  auto *index = part ? dyn_cast<ConstantInt>(part->getIndexOperand()) : nullptr;
  return index ? std::optional(unsigned(index->getZExtValue())) : std::nullopt;
}

/// Is it a vector of whole parts of another one's elements, of which each use
/// takes one?
static bool isOfParts(const BitCastInst &cast) {
  auto *from = dyn_cast<FixedVectorType>(cast.getSrcTy()),
       *to = dyn_cast<FixedVectorType>(cast.getDestTy());
  return from && to && to->getElementType()->isIntegerTy() &&
         to->getNumElements() % from->getNumElements() == 0 &&
         to->getNumElements() > from->getNumElements() &&
         all_of(cast.users(), [](const User *user) { return indexOf(user); });
}

void takeParts(Module &module) {
  SmallVector<BitCastInst *> found;
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      auto *cast = dyn_cast<BitCastInst>(&inst);
      if (cast && isOfParts(*cast)) {
        found.push_back(cast);
      }
    }
  }
  for (BitCastInst *cast : found) {
    auto *to = llvm::cast<FixedVectorType>(cast->getDestTy());
    auto *from = llvm::cast<FixedVectorType>(cast->getSrcTy());
    const unsigned each = to->getNumElements() / from->getNumElements(),
                   bits = to->getScalarSizeInBits();
    for (User *user : to_vector(cast->users())) {
      auto *part = llvm::cast<Instruction>(user);
      const unsigned index = *indexOf(user);
      IRBuilder<> b(part);
      Value *whole = b.CreateExtractElement(cast->getOperand(0), index / each);
      whole = b.CreateBitCast(whole, b.getIntNTy(each * bits));
      part->replaceAllUsesWith(b.CreateTrunc(
          b.CreateLShr(whole, index % each * bits), to->getElementType()));
      part->eraseFromParent();
    }
    cast->eraseFromParent();
  }
}

} // namespace tz::intel
