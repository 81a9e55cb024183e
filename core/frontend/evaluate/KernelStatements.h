//===- KernelStatements.h - statements of kernel code -----------*- C++ -*-===//
//
// What   Runs blocks of statements in a kernel: simple ones here, if and loops
//        by their own classes.
// Why    What follows a statement is passed down as a continuation, so that an
//        early return cuts nothing out afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_KERNELSTATEMENTS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_KERNELSTATEMENTS_H

#include "core/frontend/evaluate/IfStatements.h"
#include "core/frontend/evaluate/LoopStatements.h"

namespace tz::frontend {

/// The class of values that `with` takes as contexts of the profiler. They
/// have one item, the name, and change no meaning.
inline constexpr llvm::StringLiteral ProfilerScope = "profiler scope";
/// Such a scope begins or ends, if somebody records it.
void emitProfilerScope(Evaluator &evaluator, llvm::StringRef name, bool isEnd,
                       SourceLoc loc);

class KernelStatements {
public:
  explicit KernelStatements(Evaluator &ev)
      : ev(ev), branches(ev), ifs(ev, *this, branches),
        loops(ev, *this, branches) {}

  Flow block(ast::Block block, Continuation rest);
  Flow from(ast::Block block, size_t index, Continuation rest);
  /// The end of what follows an if: of the function, which returns None, or of
  /// an arm whose statement holds the rest.
  Flow finished(Flow flow);
  Value conditional(const ast::Conditional *node) {
    return ifs.conditional(node);
  }

private:
  Flow returned(const ast::Return *node);
  void simple(const ast::Stmt *stmt);
  void assertion(const ast::Assert *node);
  void with(const ast::With *node); // WithStatements.cpp
  void unsupported(const ast::Stmt *stmt);

  Evaluator &ev;
  RuntimeBranches branches;
  IfStatements ifs;
  LoopStatements loops;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_KERNELSTATEMENTS_H
