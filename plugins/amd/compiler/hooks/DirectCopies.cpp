//===- DirectCopies.cpp - from memory straight to LDS ---------------------===//
//
// What   See DirectCopies.h.
// Why    What waits for later iterations of a loop takes no registers then, and
//        no instructions write it to LDS.
//
// M0 has the place of the wave's first lane, and each lane has its own address
// in memory. A lane that is off reads zeros from a constant: all lanes copy in
// every instruction, so that waits can count them.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/DirectCopies.h"

#include "plugins/amd/compiler/hooks/AmdgcnHooks.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::amd {

/// The scope of all such copies, as LLVM's alias analysis knows scopes.
static MDNode *scopeOfCopies(LLVMContext &context) {
  MDBuilder builder(context);
  MDNode *domain = MDNode::get(
      context, MDString::get(context, "terrazzo.amd.copies.domain"));
  MDNode *scope = MDNode::get(
      context, {MDString::get(context, "terrazzo.amd.copies"), domain});
  return MDNode::get(context, scope);
}

/// The counters of memory (six bits) and of LDS (four); what is at its most is
/// not waited for.
static void wait(IRBuilderBase &b, unsigned memory, unsigned shared) {
  constexpr unsigned exports = 7 << 4;
  b.CreateIntrinsic(
      Intrinsic::amdgcn_s_waitcnt, {},
      {b.getInt32((memory & 15) | exports | shared << 8 | memory >> 4 << 14)});
}
static constexpr unsigned MostMemory = 63, MostShared = 15;

/// LLVM's scheduler moves nothing but arithmetic over this.
static void keepReadsApart(IRBuilderBase &b) {
  constexpr unsigned arithmetic = 1;
  b.CreateIntrinsic(Intrinsic::amdgcn_sched_barrier, {},
                    {b.getInt32(arithmetic)});
}

void copyDirectly(IRBuilderBase &b, Value *to, Value *from, unsigned bytes,
                  Value *valid) {
  if (valid) {
    Value *off = b.CreateAddrSpaceCast(zeros(b), from->getType());
    from = b.CreateSelect(b.CreateICmpNE(valid, b.getInt32(0)), from, off);
  }
  // LLVM 22 counts such a copy as an access of LDS as well. If the processor
  // does not, what was read from LDS before would be waited for too little. So
  // none is under way, and no read passes the copy.
  wait(b, MostMemory, 0);
  keepReadsApart(b);
  Value *first =
      b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {to->getType()}, {to});
  Value *zero = b.getInt32(0);
  CallInst *copy =
      b.CreateIntrinsic(Intrinsic::amdgcn_global_load_lds, {},
                        {from, first, b.getInt32(bytes), zero, zero});
  copy->setMetadata(LLVMContext::MD_alias_scope, scopeOfCopies(b.getContext()));
  keepReadsApart(b);
}

void awaitCopies(IRBuilderBase &b, unsigned pending) {
  wait(b, std::min(pending, MostMemory), MostShared);
}

void releaseShared(IRBuilderBase &b) {
  // Nothing, which no access is moved over.
  b.CreateCall(InlineAsm::get(FunctionType::get(b.getVoidTy(), false), "",
                              "~{memory}", /*hasSideEffects=*/true))
      ->addFnAttr(Attribute::NoUnwind);
  wait(b, MostMemory, 0);
}

void besideCopies(Instruction &load) {
  load.setMetadata(LLVMContext::MD_noalias, scopeOfCopies(load.getContext()));
}

} // namespace tz::amd
