//===- Members.h - attributes and subscripts --------------------*- C++ -*-===//
//
// What   What a value of compile time holds: base.name and base[index].
// Why    Modules, records, types, tiles and sequences answer in ways of their
//        own; who evaluates an expression need not know which.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_MEMBERS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_MEMBERS_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Evaluator;

class Members {
public:
  explicit Members(Evaluator &ev) : ev(ev) {}

  Value attribute(const Value &base, llvm::StringRef name, SourceLoc loc);
  /// Whether hasattr of a tile or a type says so.
  bool has(const Value &object, llvm::StringRef name);
  Value subscript(const Value &base, const Value &index, SourceLoc loc);

private:
  std::optional<Value> ofModule(ModuleObject &module, llvm::StringRef name,
                                SourceLoc loc);
  std::optional<Value> ofRecord(const Value &base, llvm::StringRef name,
                                SourceLoc loc);
  /// Unset means: no such attribute.
  Value ofTile(const Value &base, llvm::StringRef name, SourceLoc loc);
  Value ofType(const Value &base, llvm::StringRef name, SourceLoc loc);
  Value sequenceItem(const Value &base, const Value &index, SourceLoc loc);

  Evaluator &ev;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_MEMBERS_H
