//===- FunctionCalls.h - functions of files ---------------------*- C++ -*-===//
//
// What   Runs a function that a file defines: arguments to parameters, then a
//        jit function inlined or a host function evaluated.
// Why    One place matches arguments to the parameters of a file's functions,
//        so that a wrong count or keyword reads the same whatever is called. A
//        portable kernel has no calls (R9): jit functions are elaborated where
//        they stand.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_FUNCTIONCALLS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_FUNCTIONCALLS_H

#include "core/frontend/evaluate/BuiltinRegistry.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tz::frontend {

class Evaluator;
class HostStatements;
class KernelStatements;

class FunctionCalls {
public:
  FunctionCalls(Evaluator &ev, HostStatements &host, KernelStatements &kernel)
      : ev(ev), host(host), kernel(kernel) {}

  Value call(const std::shared_ptr<FunctionObject> &function,
             const CallArgs &args, SourceLoc loc);
  /// Runs a kernel's body with its parameters bound.
  void runKernel(const std::shared_ptr<FunctionObject> &function, Scope params);
  /// The default of a parameter, evaluated where the function was defined.
  Value defaultOf(const FunctionObject &function, const ast::Parameter &param);

private:
  Value inlined(const std::shared_ptr<FunctionObject> &function,
                const CallArgs &args, SourceLoc loc);
  Value evaluated(const std::shared_ptr<FunctionObject> &function,
                  const CallArgs &args, SourceLoc loc);
  /// Each gives nothing if all is well, else what the failed call gives.
  std::optional<Value> bindParameters(const FunctionObject &function,
                                      const CallArgs &args, SourceLoc loc,
                                      Scope &scope);
  std::optional<Value> bindRest(const FunctionObject &function,
                                std::vector<Value> rest, SourceLoc loc,
                                Scope &scope);
  Value wrongCall(const FunctionObject &function, SourceLoc at,
                  const llvm::Twine &message);
  /// True, with an error, for an `async def`.
  bool refuseAsync(const FunctionObject &function);

  Evaluator &ev;
  HostStatements &host;
  KernelStatements &kernel;
  /// noinline functions whose remark was given: one each is enough.
  llvm::SmallPtrSet<const FunctionObject *, 4> saidInlined;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_FUNCTIONCALLS_H
