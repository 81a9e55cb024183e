//===- ControlFlow.h - how a block of statements ended ----------*- C++ -*-===//
//
// What   Flow and Continuation, with which statements are run.
// Why    Kernel code and host code, branches and loops all end in these ways.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_CONTROLFLOW_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_CONTROLFLOW_H

#include "core/frontend/evaluate/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace tz::frontend {

/// How a block of statements ended.
struct Flow {
  enum Kind : uint8_t {
    Normal,
    Return,
    Break,
    Continue,
    Fell,  // off an arm's end, with all that follows in the arm run
    Mixed, // in one of several of these ways, which a run-time condition chose
  } kind = Normal;
  Value value; // what is returned, if it may return
  /// Of Mixed: bit 1 << way for each way; and for Return, Break and Continue,
  /// where they are among them, whether it ended so.
  unsigned mixed = 0;
  std::array<mlir::Value, 4> flags;

  static constexpr std::array<Kind, 3> AllExits = {Return, Break, Continue};

  unsigned ways() const { return kind == Mixed ? mixed : 1U << kind; }
  bool may(Kind way) const { return (ways() & 1U << way) != 0; }
  void setWays(unsigned ways);
  /// The same, knowing that it ended in one of `ways`.
  Flow among(unsigned ways) const;
};

/// What runs after a block that falls through; see IfStatements.h.
using Continuation = llvm::function_ref<Flow()>;

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_CONTROLFLOW_H
