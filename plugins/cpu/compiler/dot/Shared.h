//===- Shared.h - Functions that the dots of a kernel share ---------------===//
//
// What   An internal function for a name, made where there is none yet.
// Why    A kernel with several dots, or with a loop that was split into full
//        and partial blocks, would have the same few thousand instructions
//        again for each.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_DOT_SHARED_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_DOT_SHARED_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace tz::cpu {

/// The function `name` of the caller's module, for the caller's machine and
/// without a body if it is new.
inline llvm::Function *sharedFunction(llvm::Function *caller,
                                      llvm::StringRef name,
                                      llvm::ArrayRef<llvm::Type *> parameters) {
  llvm::Module *module = caller->getParent();
  if (llvm::Function *found = module->getFunction(name)) {
    return found;
  }
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(caller->getContext()),
                              parameters, false),
      llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NoInline);
  for (const char *key : {"target-cpu", "target-features", "tune-cpu",
                          "min-legal-vector-width", "prefer-vector-width"}) {
    if (caller->hasFnAttribute(key)) {
      function->addFnAttr(caller->getFnAttribute(key));
    }
  }
  return function;
}

} // namespace tz::cpu

#endif
