//===- DebugNotes.h - what the evaluator tells a debugger -------*- C++ -*-===//
//
// What   DebugNotes: writes statements, names and calls into a DebugMap.
// Why    See DebugMap.h.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_DEBUGNOTES_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_DEBUGNOTES_H

#include "core/frontend/DebugMap.h"
#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Evaluator;

/// Nothing is noted without a map, and nothing of host code.
class DebugNotes {
public:
  explicit DebugNotes(Evaluator &ev) : ev(ev) {}
  void setMap(DebugMap *to) { map = to; }

  void statement(SourceLoc loc);
  void name(llvm::StringRef name, const Value &value, SourceLoc loc);
  /// The frame of the function is the innermost already.
  void call(const FunctionObject &function, const Scope &params, SourceLoc loc);
  void leave();

private:
  Evaluator &ev;
  DebugMap *map = nullptr;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_DEBUGNOTES_H
