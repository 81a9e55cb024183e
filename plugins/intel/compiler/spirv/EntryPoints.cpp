//===- EntryPoints.cpp - kernels as OpenCL calls them ---------------------===//
//
// What   See makeEntry() in Spirv.h.
// Why    OpenCL has no boolean arguments, and its arguments point to memory of
//        the device. A structure by value would be a pointer to private memory,
//        which drivers treat differently.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/SpirvHooks.h"
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "terrazzo/plugin/Error.h"
#include "terrazzo/simt/SimtLowering.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tz::intel {

/// A descriptor's bytes as one value.
static Type *descriptorType(const Argument &argument) {
  const auto bytes =
      unsigned(cast<ArrayType>(argument.getParamByValType())->getNumElements());
  return FixedVectorType::get(Type::getInt64Ty(argument.getContext()),
                              bytes / 8);
}

static Type *passedAs(const Argument &argument) {
  Type *type = argument.getType();
  if (argument.hasByValAttr()) {
    return descriptorType(argument);
  }
  if (type->isPointerTy() && type->getPointerAddressSpace() != Spaces.device) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "argument '" + argument.getName().str() +
                              "' points into memory of no device");
  }
  return type->isIntegerTy(1) ? Type::getInt8Ty(type->getContext()) : type;
}

/// What stands for an argument of the old function.
static Value *received(IRBuilderBase &b, const Argument &from, Argument *to) {
  to->setName(from.getName());
  if (from.hasByValAttr()) {
    Value *memory = b.CreateAlloca(to->getType());
    b.CreateStore(to, memory);
    return memory;
  }
  return from.getType() == to->getType() ? static_cast<Value *>(to)
                                         : b.CreateTrunc(to, from.getType());
}

Function *makeEntry(Function *function, const EntryFacts &facts) {
  LLVMContext &context = function->getContext();
  SmallVector<Type *> types;
  for (const Argument &argument : function->args()) {
    types.push_back(passedAs(argument));
  }
  const std::string name = function->getName().str();
  function->setName("");
  Function *entry = Function::Create(
      FunctionType::get(Type::getVoidTy(context), types, false),
      GlobalValue::ExternalLinkage, name, function->getParent());
  entry->setCallingConv(CallingConv::SPIR_KERNEL);
  entry->addFnAttr(Attribute::NoUnwind);
  entry->setSubprogram(function->getSubprogram());
  IRBuilder<> b(context);
  entry->splice(entry->begin(), function);
  b.SetInsertPoint(&entry->front(), entry->front().begin());
  for (auto [from, to] : zip_equal(function->args(), entry->args())) {
    from.replaceAllUsesWith(received(b, from, &to));
  }
  function->eraseFromParent();
  auto numbers = [&](ArrayRef<unsigned> values) {
    SmallVector<Metadata *> list;
    for (unsigned value : values) {
      list.push_back(ConstantAsMetadata::get(b.getInt32(value)));
    }
    return MDNode::get(context, list);
  };
  entry->setMetadata("reqd_work_group_size", numbers({facts.threads, 1, 1}));
  entry->setMetadata("intel_reqd_sub_group_size", numbers({facts.lanes}));
  return entry;
}

void giveSharedMemory(GlobalVariable *shared, uint64_t bytes) {
  if (bytes == 0) {
    shared->replaceAllUsesWith(PoisonValue::get(shared->getType()));
    shared->eraseFromParent();
    return;
  }
  Type *type = ArrayType::get(Type::getInt8Ty(shared->getContext()), bytes);
  const std::string name = shared->getName().str();
  shared->setName("");
  auto *sized = new GlobalVariable(
      *shared->getParent(), type, false, GlobalValue::InternalLinkage,
      PoisonValue::get(type), name, nullptr, GlobalValue::NotThreadLocal,
      shared->getAddressSpace());
  sized->setAlignment(Align(16));
  shared->replaceAllUsesWith(sized);
  shared->eraseFromParent();
}

} // namespace tz::intel
