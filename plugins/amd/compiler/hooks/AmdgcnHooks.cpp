//===- AmdgcnHooks.cpp - the SIMT library's hooks as AMDGCN ---------------===//
//
// What   See AmdgcnHooks.h.
// Why    See AmdgcnHooks.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/AmdgcnHooks.h"

#include "plugins/amd/compiler/hooks/DirectCopies.h"
#include "plugins/amd/compiler/hooks/MatrixProduct.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::amd {

std::optional<lowering::PartClock> AmdgcnHooks::partClock() const {
  return lowering::PartClock{TZ_CLOCK_CYCLES,
                             [](IRBuilderBase &b) -> Value * {
                               return b.CreateIntrinsic(
                                   Intrinsic::readcyclecounter, {});
                             },
                             {}};
}

Value *AmdgcnHooks::threadInBlock(IRBuilderBase &b) {
  return threads.empty()
             ? b.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, {})
             : threads.back();
}

/// By an instruction that is none, whose result differs from its operand for
/// all that LLVM knows, and which stays in its loop.
Value *AmdgcnHooks::threadAgain(IRBuilderBase &b) {
  Value *outer = threadInBlock(b);
  CallInst *call =
      b.CreateCall(InlineAsm::get(FunctionType::get(outer->getType(),
                                                    {outer->getType()}, false),
                                  "", "=v,0", /*hasSideEffects=*/true),
                   {outer});
  call->addFnAttr(Attribute::NoUnwind);
  call->addFnAttr(Attribute::getWithMemoryEffects(
      b.getContext(), MemoryEffects::inaccessibleMemOnly()));
  threads.push_back(call);
  return call;
}

Value *AmdgcnHooks::programId(IRBuilderBase &b, unsigned axis) {
  static constexpr Intrinsic::ID ids[] = {Intrinsic::amdgcn_workgroup_id_x,
                                          Intrinsic::amdgcn_workgroup_id_y,
                                          Intrinsic::amdgcn_workgroup_id_z};
  return b.CreateIntrinsic(ids[axis], {});
}

/// The first three words of the hidden arguments (code object V5 and later):
/// whoever launches by the metadata fills them in.
Value *AmdgcnHooks::programCount(IRBuilderBase &b, unsigned axis) {
  Value *hidden = b.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, {});
  LoadInst *count = b.CreateAlignedLoad(
      b.getInt32Ty(), b.CreateConstGEP1_32(b.getInt32Ty(), hidden, axis),
      Align(4));
  count->setMetadata(LLVMContext::MD_invariant_load,
                     MDNode::get(b.getContext(), {}));
  return count;
}

Value *AmdgcnHooks::sharedMemory(IRBuilderBase &b) {
  BasicBlock *block = b.GetInsertBlock();
  Type *type = ArrayType::get(b.getInt8Ty(), 0);
  shared = new GlobalVariable(
      *block->getModule(), type, false, GlobalValue::InternalLinkage,
      PoisonValue::get(type), block->getParent()->getName() + ".lds", nullptr,
      GlobalValue::NotThreadLocal, Spaces.shared);
  return shared;
}

/// Which memory a fence of a barrier speaks of; null: of all. One of device
/// memory alone would not wait for scalar loads, which LDS counts.
static MDNode *orderedMemory(LLVMContext &context, simt::Memories memories) {
  if (memories != simt::Memories::shared) {
    return nullptr;
  }
  return MDNode::get(context, {MDString::get(context, "amdgpu-synchronize-as"),
                               MDString::get(context, "local")});
}

/// Nothing, which the code generator takes for a store. It moves loads into
/// branches past fences and barriers (LLVM 22, MachineSinking), and not past a
/// store. LLVM IR sees no access to memory that a kernel reaches.
static void keepLoadsBefore(IRBuilderBase &b) {
  LLVMContext &context = b.getContext();
  CallInst *call =
      b.CreateCall(InlineAsm::get(FunctionType::get(b.getVoidTy(), false), "",
                                  "~{memory}", /*hasSideEffects=*/true));
  call->addFnAttr(Attribute::NoUnwind);
  call->addFnAttr(Attribute::getWithMemoryEffects(
      context, MemoryEffects::inaccessibleMemOnly()));
}

void AmdgcnHooks::barrier(IRBuilderBase &b, simt::Memories memories,
                          std::optional<unsigned> threads) {
  if (threads) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "a barrier of some threads, which there is not");
  }
  LLVMContext &context = b.getContext();
  const SyncScope::ID scope = context.getOrInsertSyncScopeID("workgroup");
  MDNode *memory = orderedMemory(context, memories);
  auto fence = [&](AtomicOrdering ordering) {
    if (memories != simt::Memories::none) {
      b.CreateFence(ordering, scope)->setMetadata(LLVMContext::MD_mmra, memory);
    }
  };
  if (memories == simt::Memories::shared && machine.directBytes != 0) {
    releaseShared(b);
  } else {
    fence(AtomicOrdering::Release);
  }
  if (memories != simt::Memories::none) {
    keepLoadsBefore(b);
  }
  b.CreateIntrinsic(Intrinsic::amdgcn_s_barrier, {});
  fence(AtomicOrdering::Acquire);
}

Value *AmdgcnHooks::shuffle(IRBuilderBase &b, Value *word, Value *fromLane) {
  return b.CreateIntrinsic(Intrinsic::amdgcn_ds_bpermute,
                           {b.CreateShl(fromLane, 2), word});
}

Value *AmdgcnHooks::shuffleXor(IRBuilderBase &b, Value *word, unsigned mask) {
  return exchangeLanes(b, machine, word, mask, threadInBlock(b));
}

Value *AmdgcnHooks::uniform(IRBuilderBase &b, Value *word) {
  return b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {word->getType()},
                           {word});
}

/// Does the access stand in a branch?
static bool mayBranch(Value *predicate, const simt::MemoryHints &hints) {
  return predicate && (!hints.near.base || hints.isVolatile);
}

void AmdgcnHooks::noteAccess(Value *predicate, const simt::MemoryHints &hints) {
  if (!mayBranch(predicate, hints) || hints.isUniform || hints.isVolatile ||
      !isa_and_nonnull<tile::LoadOp, tile::StoreOp, tile::LoadViewOp,
                       tile::StoreViewOp>(current)) {
    return;
  }
  branching = branching ? branching : current;
  ++branchCount;
}

static Value *orElse(IRBuilderBase &b, Value *predicate, Value *loaded,
                     Constant *other) {
  auto *vector = dyn_cast<FixedVectorType>(loaded->getType());
  Value *instead =
      !other   ? Constant::getNullValue(loaded->getType())
      : vector ? ConstantVector::getSplat(vector->getElementCount(), other)
               : other;
  return b.CreateSelect(predicate, loaded, instead);
}

/// Lanes that are off read zeros from a constant: no branch, and nothing has to
/// wait for the load to turn lanes off. For another number they forget them.
static Value *loadOrZeros(IRBuilderBase &b, Type *type, Value *pointer,
                          Value *predicate, Constant *other) {
  const uint64_t bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8;
  Value *off = b.CreateAddrSpaceCast(zeros(b), pointer->getType());
  Value *loaded = b.CreateAlignedLoad(
      type, b.CreateSelect(predicate, pointer, off), Align(bytes));
  return other && !other->isNullValue() ? orElse(b, predicate, loaded, other)
                                        : loaded;
}

Value *AmdgcnHooks::load(IRBuilderBase &b, Type *type, Value *pointer,
                         Value *predicate, Constant *other,
                         const simt::MemoryHints &hints) {
  const simt::NearPlace &near = hints.near;
  const uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  if (mayBranch(predicate, hints) && !hints.isVolatile && !hints.isUniform &&
      isa_and_nonnull<tile::LoadOp, tile::LoadViewOp>(current) &&
      isPowerOf2_64(bits) && bits >= 8) {
    return loadOrZeros(b, type, pointer, predicate, other);
  }
  noteAccess(predicate, hints);
  if (!near.base || mayBranch(predicate, hints)) {
    return SimtHooks::load(b, type, pointer, predicate, other, hints);
  }
  if (!predicate && !near.end) {
    return SimtHooks::load(b, type, nearPointer(b, near), nullptr, nullptr,
                           hints);
  }
  Value *loaded = loadBuffer(b, machine, type, near, predicate);
  return other && predicate ? orElse(b, predicate, loaded, other) : loaded;
}

void AmdgcnHooks::store(IRBuilderBase &b, Value *value, Value *pointer,
                        Value *predicate, const simt::MemoryHints &hints) {
  noteAccess(predicate, hints);
  const simt::NearPlace &near = hints.near;
  if (!near.base) {
    SimtHooks::store(b, value, pointer, predicate, hints);
  } else if (!predicate && !near.end) {
    SimtHooks::store(b, value, nearPointer(b, near), nullptr, hints);
  } else {
    storeBuffer(b, machine, value, near, predicate);
  }
}

void AmdgcnHooks::asyncCopy(IRBuilderBase &b, Value *to, Value *from,
                            unsigned bytes, Value *valid,
                            const simt::MemoryHints &) {
  copyDirectly(b, to, from, bytes, valid);
}

void AmdgcnHooks::asyncWait(IRBuilderBase &b, simt::PendingCopies pending) {
  awaitCopies(b, pending.copies);
}

void AmdgcnHooks::keepOrder(IRBuilderBase &b) {
  b.CreateIntrinsic(Intrinsic::amdgcn_sched_barrier, {}, {b.getInt32(0)});
}

StringRef AmdgcnHooks::syncScope(tile::MemScope scope) const {
  switch (scope) {
  case tile::MemScope::program:
    return "workgroup";
  case tile::MemScope::device:
    return "agent";
  case tile::MemScope::system:
    break;
  }
  return "";
}

SmallVector<Value *> AmdgcnHooks::dot(IRBuilderBase &b, simt::DotOp op,
                                      const simt::DotSource &a,
                                      const simt::DotSource &rhs,
                                      ArrayRef<Value *> acc) {
  return emitMatrix(b, machine, *elementwise(b), op, a, rhs, acc,
                    threadInBlock(b));
}

} // namespace tz::amd
