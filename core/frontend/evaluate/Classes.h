//===- Classes.h - values of classes ----------------------------*- C++ -*-===//
//
// What   Makes and changes the values of named tuples and aggregates, and calls
//        their methods.
// Why    An aggregate is a record of tiles and constants with jit methods; its
//        fields are set once, by __init__, so that it is a value as tiles are.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_CLASSES_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_CLASSES_H

#include "core/frontend/evaluate/BuiltinRegistry.h"

namespace tz::frontend {

class Evaluator;

class Classes {
public:
  explicit Classes(Evaluator &ev) : ev(ev) {}

  /// What calling the class gives: a record, by __init__ if it has one.
  Value make(const Value &type, const CallArgs &args, SourceLoc loc);
  /// An aggregate whose fields are set, each as it is annotated; empty after
  /// an error.
  Value close(std::shared_ptr<SequenceObject> fields, SourceLoc loc);
  /// self.name = value, in an __init__.
  void setField(const ast::Attribute *target, const Value &value);
  /// The record's method of the name on the values; nothing if it has none.
  std::optional<Value> callMethod(llvm::StringRef name, const Value &self,
                                  llvm::ArrayRef<Value> others, SourceLoc loc);

private:
  Value makeRecord(std::shared_ptr<const ClassObject> type,
                   const CallArgs &args, SourceLoc loc);

  Evaluator &ev;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_CLASSES_H
