//===- NameResolver.h - what a name stands for ------------------*- C++ -*-===//
//
// What   Looks a name up: in the function, the enclosing ones, the module,
//        Python.
// Why    A kernel may read few of its module's names, and what it may not has a
//        message that says how to make it readable. Modules that a name comes
//        from are read here, when it is first used.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_NAMERESOLVER_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_NAMERESOLVER_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Evaluator;

class NameResolver {
public:
  explicit NameResolver(Evaluator &ev) : ev(ev) {}

  /// The value of a name where the evaluation stands; an error if there is
  /// none.
  Value lookup(llvm::StringRef name, SourceLoc loc);
  /// Resolves names of modules that are read on first use.
  Value resolve(Value value, SourceLoc loc);

private:
  /// Where a name is bound outside of Python's own; null if it is not.
  struct Found {
    const Binding *binding;
    bool isGlobal;
  };
  Found findName(llvm::StringRef name, SourceLoc loc);
  Value pythonName(llvm::StringRef name, SourceLoc loc);
  Value unsetName(llvm::StringRef name, const Value &value, SourceLoc loc);

  Evaluator &ev;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_NAMERESOLVER_H
