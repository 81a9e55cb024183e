//===- SpirvHooks.cpp - the SIMT library's hooks as SPIR-V ----------------===//
//
// What   See SpirvHooks.h. Names of functions are those of OpenCL C, mangled.
// Why    See SpirvHooks.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/SpirvHooks.h"

#include "plugins/intel/compiler/hooks/Matrix.h"
#include "plugins/intel/compiler/hooks/SpirvBlocks.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::intel {

namespace {

// SPIR-V 3.27 and 3.25: scopes, and what is ordered.
constexpr unsigned WorkgroupScope = 2;
constexpr unsigned AcquireRelease = 0x8, WorkgroupMemory = 0x100,
                   CrossWorkgroupMemory = 0x200;

CallInst *call(IRBuilderBase &b, StringRef name, Type *result,
               ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *one : arguments) {
    types.push_back(one->getType());
  }
  Module *module = b.GetInsertBlock()->getModule();
  FunctionCallee callee = module->getOrInsertFunction(
      name, FunctionType::get(result, types, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setCallingConv(CallingConv::SPIR_FUNC);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(BuiltInAttribute);
  CallInst *made = b.CreateCall(callee, arguments);
  made->setCallingConv(CallingConv::SPIR_FUNC);
  made->addFnAttr(Attribute::NoUnwind);
  return made;
}

} // namespace

CallInst *callPure(IRBuilderBase &b, StringRef name, Type *result,
                   ArrayRef<Value *> arguments) {
  CallInst *made = call(b, name, result, arguments);
  made->setDoesNotAccessMemory();
  made->addFnAttr(Attribute::WillReturn);
  return made;
}

CallInst *callTogether(IRBuilderBase &b, StringRef name, Type *result,
                       ArrayRef<Value *> arguments) {
  CallInst *made = call(b, name, result, arguments);
  made->getCalledFunction()->addFnAttr(Attribute::Convergent);
  made->setConvergent();
  return made;
}

/// A sub-group's number comes first: it is the same in all of its lanes, and
/// says what is a warp whatever way a driver deals out local ids.
Value *SpirvHooks::threadInBlock(IRBuilderBase &b) {
  Value *group = callPure(b, "_Z16get_sub_group_idv", b.getInt32Ty(), {}),
        *lane = callPure(b, "_Z22get_sub_group_local_idv", b.getInt32Ty(), {});
  return b.CreateOr(b.CreateMul(group, b.getInt32(lanes())),
                    b.CreateAnd(lane, lanes() - 1));
}

Value *SpirvHooks::programId(IRBuilderBase &b, unsigned axis) {
  return b.CreateTrunc(
      callPure(b, "_Z12get_group_idj", b.getInt64Ty(), {b.getInt32(axis)}),
      b.getInt32Ty());
}

Value *SpirvHooks::programCount(IRBuilderBase &b, unsigned axis) {
  return b.CreateTrunc(
      callPure(b, "_Z14get_num_groupsj", b.getInt64Ty(), {b.getInt32(axis)}),
      b.getInt32Ty());
}

Value *SpirvHooks::sharedMemory(IRBuilderBase &b) {
  BasicBlock *block = b.GetInsertBlock();
  shared =
      new GlobalVariable(*block->getModule(), ArrayType::get(b.getInt8Ty(), 0),
                         false, GlobalValue::InternalLinkage, nullptr,
                         block->getParent()->getName() + ".shared", nullptr,
                         GlobalValue::NotThreadLocal, Spaces.shared);
  return shared;
}

void SpirvHooks::barrier(IRBuilderBase &b, simt::Memories memories,
                         std::optional<unsigned> threads) {
  if (threads) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "a barrier of some threads, which there is not");
  }
  const unsigned semantics =
      AcquireRelease |
      (simt::has(memories, simt::Memories::shared) ? WorkgroupMemory : 0) |
      (simt::has(memories, simt::Memories::device) ? CrossWorkgroupMemory : 0);
  callTogether(b, "_Z22__spirv_ControlBarrierjjj", b.getVoidTy(),
               {b.getInt32(WorkgroupScope), b.getInt32(WorkgroupScope),
                b.getInt32(semantics)});
}

/// Zeros that lanes without an access of their own read; null: too few.
static Constant *nowhere(Module &module, uint64_t bytes) {
  constexpr StringRef name = "terrazzo.nowhere";
  constexpr uint64_t size = 64;
  if (bytes > size) {
    return nullptr;
  }
  if (GlobalVariable *known = module.getNamedGlobal(name)) {
    return known;
  }
  auto *type = ArrayType::get(Type::getInt8Ty(module.getContext()), size);
  auto *made = new GlobalVariable(
      module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
      ConstantAggregateZero::get(type), name, nullptr,
      GlobalValue::NotThreadLocal, Spaces.device);
  made->setAlignment(Align(size));
  return made;
}

/// A branch on a GPU. OpenCL devices for CPUs repeat a branch for each lane of
/// a sub-group, and compile a kernel with a few hundred for minutes; there all
/// lanes load, those without an access from zeros of the module's own.
Value *SpirvHooks::load(IRBuilderBase &b, Type *type, Value *pointer,
                        Value *predicate, Constant *other,
                        const simt::MemoryHints &hints) {
  const uint64_t bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8;
  Constant *free = machine.mayBeCpu() && predicate && bytes != 0
                       ? nowhere(*b.GetInsertBlock()->getModule(), bytes)
                       : nullptr;
  if (!free) {
    return SimtHooks::load(b, type, pointer, predicate, other, hints);
  }
  Value *loaded =
      b.CreateAlignedLoad(type, b.CreateSelect(predicate, pointer, free),
                          Align(PowerOf2Ceil(bytes)), hints.isVolatile);
  if (!other) {
    return loaded; // the zeros
  }
  auto *vector = dyn_cast<FixedVectorType>(type);
  Constant *rest =
      vector ? ConstantVector::getSplat(vector->getElementCount(), other)
             : other;
  return b.CreateSelect(predicate, loaded, rest);
}

/// Of words among the lanes of a sub-group; touches no memory.
static Value *exchange(IRBuilderBase &b, StringRef name,
                       ArrayRef<Value *> arguments) {
  CallInst *made = callTogether(b, name, b.getInt32Ty(), arguments);
  made->setDoesNotAccessMemory();
  made->addFnAttr(Attribute::WillReturn);
  return made;
}

Value *SpirvHooks::shuffle(IRBuilderBase &b, Value *word, Value *fromLane) {
  return exchange(b, "_Z17sub_group_shufflejj", {word, fromLane});
}

Value *SpirvHooks::shuffleXor(IRBuilderBase &b, Value *word, unsigned mask) {
  return exchange(b, "_Z21sub_group_shuffle_xorjj", {word, b.getInt32(mask)});
}

/// Of integers, over whole sub-groups; of what has no function the library
/// makes shuffles.
Value *SpirvHooks::reduceLanes(IRBuilderBase &b, simt::LaneReduction kind,
                               Value *value, unsigned laneBits) {
  static const std::map<simt::LaneReduction, const char *> functions = {
      {simt::LaneReduction::add, "_Z20sub_group_reduce_addj"},
      {simt::LaneReduction::maxs, "_Z20sub_group_reduce_maxi"},
      {simt::LaneReduction::mins, "_Z20sub_group_reduce_mini"},
      {simt::LaneReduction::maxu, "_Z20sub_group_reduce_maxj"},
      {simt::LaneReduction::minu, "_Z20sub_group_reduce_minj"},
  };
  Type *type = value->getType(), *word = b.getInt32Ty();
  auto found = functions.find(kind);
  if (found == functions.end() || laneBits != lanes() - 1 ||
      !type->isIntegerTy() || type->getIntegerBitWidth() > 32) {
    return nullptr;
  }
  const bool isSigned =
      kind == simt::LaneReduction::maxs || kind == simt::LaneReduction::mins;
  Value *wide =
      isSigned ? b.CreateSExt(value, word) : b.CreateZExt(value, word);
  return b.CreateTrunc(exchange(b, found->second, {wide}), type);
}

SmallVector<Value *>
SpirvHooks::loadBlock(IRBuilderBase &b, simt::DescriptorType type,
                      Value *descriptor, ArrayRef<Value *> at,
                      const simt::Layout &message, Type *element,
                      const simt::MemoryHints &) {
  const unsigned bytes = element->getScalarSizeInBits() / 8;
  SmallVector<Value *> values =
      emitBlockLoad(b, machine, {type, descriptor, at},
                    *findBlockLoad(message, bytes), bytes);
  for (Value *&one : values) {
    one = b.CreateBitCast(one, element);
  }
  return values;
}

void SpirvHooks::prefetchBlock(IRBuilderBase &b, simt::DescriptorType type,
                               Value *descriptor, ArrayRef<Value *> at,
                               const simt::Layout &message) {
  const auto bytes = unsigned(tile::storageBytes(type.getElementType()));
  emitBlockPrefetch(b, machine, {type, descriptor, at},
                    *findBlockLoad(message, bytes),
                    b.CreateAnd(threadInBlock(b), lanes() - 1));
}

StringRef SpirvHooks::syncScope(tile::MemScope scope) const {
  switch (scope) {
  case tile::MemScope::program:
    return "workgroup";
  case tile::MemScope::device:
    return "device";
  case tile::MemScope::system:
    break;
  }
  return "";
}

SmallVector<Value *> SpirvHooks::dot(IRBuilderBase &b, simt::DotOp op,
                                     const simt::DotSource &a,
                                     const simt::DotSource &rhs,
                                     ArrayRef<Value *> acc) {
  return emitDpas(b, machine, op, a, rhs, acc, threadInBlock(b));
}

} // namespace tz::intel
