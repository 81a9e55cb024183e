//===- ModuleState.h - what a Module holds ----------------------*- C++ -*-===//
//
// What   The hidden part of Module and the lookups on it.
// Why    Shared by reading (ReadModule.cpp) and elaboration (Elaborate.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_ELABORATE_MODULESTATE_H
#define TERRAZZO_CORE_FRONTEND_ELABORATE_MODULESTATE_H

#include "core/frontend/Frontend.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/host/ModuleLoader.h"

namespace tz::frontend {

struct Module::State {
  explicit State(Surroundings around) : loader(std::move(around)) {}

  ModuleLoader loader;
  std::shared_ptr<ModuleObject> main;
  std::vector<KernelInfo> kernels;
};

/// The jit function of that name; null with an error that lists the kernels.
std::shared_ptr<FunctionObject>
findKernel(const Module &module, llvm::StringRef name, DiagnosticSink &sink);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_ELABORATE_MODULESTATE_H
