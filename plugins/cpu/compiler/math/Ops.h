//===- Ops.h - A builder for one float type -------------------------------===//
//
// What   Short names for the IR operations on values of one scalar or vector
//        float type: constants, fused multiply-add, bits, polynomials.
// Why    The emitters of this folder read like the formulas they implement, and
//        none of them can inherit the caller's fast-math flags.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_MATH_OPS_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_MATH_OPS_H

#include "plugins/cpu/compiler/Isa.h"

#include "terrazzo/lowering/Arithmetic.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace tz::cpu::math {

using lowering::shapedAs;

/// 1 for a scalar.
unsigned laneCount(llvm::Type *type);

class Ops {
public:
  using V = llvm::Value *;

  Ops(llvm::IRBuilderBase &b, const Isa &isa, llvm::Type *type);

  llvm::IRBuilderBase &b;
  const Isa isa;
  llvm::Type *const type;    ///< float or double, perhaps a vector
  llvm::Type *const intType; ///< integers of the same width and lanes
  const bool isF64;
  const unsigned mantissaBits; ///< stored: 23 or 52
  const int64_t bias;          ///< 127 or 1023

  V c(double value) const;
  V ci(int64_t value) const;
  V inf() const;
  V nan() const;

  V add(V x, V y) const { return b.CreateFAdd(x, y); }
  V sub(V x, V y) const { return b.CreateFSub(x, y); }
  V mul(V x, V y) const { return b.CreateFMul(x, y); }
  V div(V x, V y) const { return b.CreateFDiv(x, y); }
  V neg(V x) const { return b.CreateFNeg(x); }
  /// x * y + z, rounded once even where the target has no such instruction.
  V fma(V x, V y, V z) const;
  V abs(V x) const;
  V copysign(V magnitude, V sign) const;
  V sqrt(V x) const;
  V trunc(V x) const;
  V select(V condition, V x, V y) const {
    return b.CreateSelect(condition, x, y);
  }
  V bits(V x) const { return b.CreateBitCast(x, intType); }
  V fromBits(V x) const { return b.CreateBitCast(x, type); }

  /// Values at most `limit`; NaN stays.
  V atMost(V x, double limit) const;
  V atLeast(V x, double limit) const;

  /// c[0] + c[1] x + c[2] x^2 + ...
  V polynomial(V x, llvm::ArrayRef<double> coefficients) const;

  /// Nearest integer of a value below 2^(mantissaBits-2), as a float and as an
  /// integer. Defined, though meaningless, for NaN: never poison.
  struct Rounded {
    V real, integer;
  };
  /// Of x, or of x times `factor`.
  Rounded roundSmall(V x, std::optional<double> factor = std::nullopt) const;
  /// The float value of small integers.
  V smallToReal(V integer) const;

  /// x * 2^n for |n| up to twice the exponent range, rounded once.
  V scale(V x, V n) const;
  /// The same with n as a float too; one instruction where the target has it,
  /// which takes any n.
  bool scalesAtOnce() const;
  V scale(V x, const Rounded &n) const;

  /// True if any lane of an i1 or vector of i1 is true.
  V any(V mask) const;

private:
  llvm::IRBuilderBase::FastMathFlagGuard guard;
};

/// Calls the internal function `name` of the module, making it by `body` first
/// if it is not there. `body` gets a builder at the function's entry and the
/// arguments, and returns the result; it may add blocks.
llvm::Value *
callInternal(llvm::IRBuilderBase &b, const llvm::Twine &name,
             llvm::Type *resultType, llvm::ArrayRef<llvm::Value *> args,
             llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &,
                                              llvm::ArrayRef<llvm::Value *>)>
                 body);

/// x * y + z rounded once, without the instruction: of floats, of doubles.
llvm::Value *fmaInDouble(const Ops &o, llvm::Value *x, llvm::Value *y,
                         llvm::Value *z);
llvm::Value *fmaInIntegers(const Ops &o, llvm::Value *x, llvm::Value *y,
                           llvm::Value *z);

/// A name for `type` in the names of internal functions: "v16f32", "f64".
std::string typeName(llvm::Type *type);

//===--- The functions, by file -------------------------------------------===//

llvm::Value *emitExp(const Ops &o, llvm::Value *x);
llvm::Value *emitExp2(const Ops &o, llvm::Value *x);
llvm::Value *emitTanh(const Ops &o, llvm::Value *x);
llvm::Value *emitErf(const Ops &o, llvm::Value *x);
llvm::Value *emitLog(const Ops &o, llvm::Value *x);
llvm::Value *emitLog2(const Ops &o, llvm::Value *x);

/// x = 2^exponent * (1 + f) for positive finite x, 1 + f around 1.
struct MantissaSplit {
  llvm::Value *exponent; ///< as a float
  llvm::Value *f;
};
MantissaSplit splitMantissa(const Ops &o, llvm::Value *x);

llvm::Value *emitSinCos(const Ops &o, llvm::Value *x, bool cosine);
llvm::Value *emitFmod(const Ops &o, llvm::Value *x, llvm::Value *y);
llvm::Value *emitPow(const Ops &o, llvm::Value *x, llvm::Value *y);

} // namespace tz::cpu::math

#endif
