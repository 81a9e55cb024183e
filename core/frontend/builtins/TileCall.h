//===- TileCall.h - between the evaluator and OpEmitter ---------*- C++ -*-===//
//
// What   Readings of a call's arguments as what OpEmitter takes.
// Why    Shared by the files of this folder that bind names of tl.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_BUILTINS_TILECALL_H
#define TERRAZZO_CORE_FRONTEND_BUILTINS_TILECALL_H

#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/TileOperators.h"

namespace tz::frontend {

/// One call of an operation: what goes wrong is remembered, so that a row of
/// readings needs a single check.
class TileCall {
public:
  explicit TileCall(BuiltinCall &call)
      : call(call), emit(emitterAt(call.evaluator, call.loc)) {}

  BuiltinCall &call;
  OpEmitter &emit;
  bool valid = true;
  SourceLoc loc() const { return call.loc; }

  /// A tile; literals become scalars.
  TileValue tile(size_t i);
  /// None gives nothing.
  OptionalTile optionalTile(size_t i);
  Operand operand(size_t i);
  std::optional<Operand> optionalOperand(size_t i);
  int64_t integer(size_t i);
  std::optional<int64_t> optionalInteger(size_t i);
  bool boolean(size_t i);
  std::string string(size_t i);
  TileType dtype(size_t i);
  std::optional<TileType> optionalDtype(size_t i);
  Shape integers(size_t i);
  /// VarArgs of integers: f(x, 1, 2) and f(x, (1, 2)).
  Shape spreadIntegers(size_t i);
  llvm::SmallVector<Operand, 4> operands(size_t i);
  llvm::SmallVector<TileValue, 4> tiles(size_t i); // one tile or a tuple

  Value result(const OptionalTile &tile) const { return fromTile(tile); }
  Value done(bool success) const { return success ? Value::none() : Value(); }

private:
  template <typename T>
  T check(std::optional<T> value) {
    valid &= value.has_value();
    return value ? std::move(*value) : T();
  }
};

/// Adds tl.NAME, and with `asMethod` the same as a method of tiles.
struct TileBinder {
  Registry &registry;
  using Fn = Value (*)(TileCall &);
  void function(llvm::StringRef name, llvm::StringRef signature, Fn fn,
                bool asMethod = false);
  void method(llvm::StringRef name, llvm::StringRef signature, Fn fn);
};

void bindShapes(Registry &registry);
void bindMathFunctions(Registry &registry);
void bindLibdevice(Registry &registry);
void bindMemory(Registry &registry);
void bindCombine(Registry &registry);
void bindScaled(Registry &registry);
void bindForeign(Registry &registry);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_BUILTINS_TILECALL_H
