//===- Elementwise.h - elementwise ops of tile IR as LLVM IR --------------===//
//
// What   What each elementwise op of arith and tile is in LLVM IR, on scalars
//        and on fixed vectors, with what differs between targets left open.
// Why    The rules for narrow floats, guarded integers and conversions are the
//        language's, not a target's (R5).
//
// In registers f16 and bf16 are i16, 8-bit floats i8, pointers `ptr`: machines
// without arithmetic for a float have no moves and selects for it either, and
// LLVM calls functions. Narrow floats are computed in f32 and rounded after
// each op, unless the target has arithmetic for them: with one operation both
// give the same. Not so fma, whose exact sum may need many more bits.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_ELEMENTWISE_H
#define TERRAZZO_LOWERING_ELEMENTWISE_H

#include "terrazzo/ir/Tile.h"
#include "terrazzo/lowering/Arithmetic.h"

namespace tz::lowering {

/// LLVM's numbers of the memories that pointers name. In space 0 of most GPUs a
/// pointer may point anywhere, which costs time or is refused.
struct AddressSpaces {
  unsigned device = 0;    ///< arrays: a kernel's arguments, the log
  unsigned constants = 0; ///< tables that are part of the code
  unsigned shared = 0;    ///< of a block
};

class Elementwise {
public:
  Elementwise(llvm::IRBuilderBase &b, FloatUnits units,
              AddressSpaces spaces = {})
      : b(b), units(units), spaces(spaces) {}
  virtual ~Elementwise() = default;

  /// Is it an op that emit() knows?
  static bool has(mlir::Operation *op);
  /// The result of `op` for these operands, which are all scalars or all
  /// vectors of one length. has(op) must hold.
  llvm::Value *emit(mlir::Operation *op,
                    llvm::ArrayRef<llvm::Value *> operands);

  /// From one float type to another, on registers' values.
  llvm::Value *convertFloat(llvm::Value *value, mlir::Type from, mlir::Type to,
                            bool towardZero = false);

  /// The type of an element in a register, and in memory, where i1 is a byte.
  /// Null for a type that is no element's.
  llvm::Type *type(mlir::Type element) const;
  llvm::Type *memoryType(mlir::Type element) const;
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element) const;
  llvm::Value *fromMemory(llvm::Value *value, mlir::Type element) const;
  /// A number; null for other attributes.
  llvm::Constant *constant(mlir::TypedAttr attribute) const;
  /// Pointers of the language point to device memory.
  const AddressSpaces &addressSpaces() const { return spaces; }

protected:
  // Values are f32 or f64, or vectors of them, unless it says otherwise.
  /// What every target has: abs, floor, ceil, trunc and rint, which are exact.
  /// Another function, that a target has left to tile-legalize-math, throws.
  virtual llvm::Value *math(tile::MathFn fn, llvm::Value *x);
  /// Without these tile-legalize-math leaves neither; then they throw.
  virtual llvm::Value *power(llvm::Value *x, llvm::Value *y);
  /// C's fmod.
  virtual llvm::Value *remainder(llvm::Value *x, llvm::Value *y);
  virtual llvm::Value *divide(llvm::Value *x, llvm::Value *y,
                              tile::DivMode mode);
  virtual llvm::Value *fma(llvm::Value *x, llvm::Value *y, llvm::Value *z);
  /// Minimum or maximum (P14); f16 and bf16 too where the target has arithmetic
  /// for them.
  virtual llvm::Value *minMax(llvm::Value *x, llvm::Value *y, bool isMax,
                              bool propagateNan);
  /// emitFromFp8 and emitToFp8, where the target has no instruction.
  virtual llvm::Value *fromFp8(llvm::Value *codes, Fp8 format,
                               llvm::Type *toElement);
  virtual llvm::Value *toFp8(llvm::Value *x, Fp8 format, Rounding rounding);

  llvm::IRBuilderBase &b;
  const FloatUnits units;
  const AddressSpaces spaces;

private:
  bool hasArithmetic(mlir::Type type) const;
};

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_ELEMENTWISE_H
