//===- MatrixOps.cpp - dot ------------------------------------------------===//
//
// What   Matrix products, summed in double over k in order, rounded once.
// Why    Products of f32 are exact in double, so the error of a sum of n terms
//        is about n * 2^-53 of the sum of magnitudes: far below what any target
//        does in f32, which is what makes it an oracle.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Errors.h"

#include <cmath>

#pragma STDC FP_CONTRACT OFF

using namespace mlir;

namespace tz::interpreter {

namespace {

struct Sizes {
  int64_t batch, m, n, k;
};

/// out += a x b, row by row of b, so that all three are read in order.
template <typename T>
void accumulate(const Sizes &s, ArrayRef<T> a, ArrayRef<T> b,
                MutableArrayRef<T> out) {
  for (int64_t batch = 0; batch < s.batch; ++batch) {
    const T *left = a.data() + batch * s.m * s.k;
    const T *right = b.data() + batch * s.k * s.n;
    T *sums = out.data() + batch * s.m * s.n;
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t k = 0; k < s.k; ++k) {
        const T x = left[i * s.k + k];
        const T *row = right + k * s.n;
        T *sum = sums + i * s.n;
        for (int64_t j = 0; j < s.n; ++j) {
          sum[j] += x * row[j];
        }
      }
    }
  }
}

/// f32 rounded to `bits` significand bits (tf32 11, bf16 8), nearest even.
double roundedTo(double value, int bits) {
  if (!std::isfinite(value) || value == 0) {
    return value;
  }
  int exponent;
  std::frexp(value, &exponent);
  const double unit = std::ldexp(1.0, exponent - bits);
  return std::nearbyint(value / unit) * unit;
}

/// Splits operands into parts of `bits` bits: high, then what is left of it.
SmallVector<Floats, 3> partsOf(const Floats &lanes, int bits, int count) {
  SmallVector<Floats, 3> parts(count, Floats(lanes.size()));
  for (size_t i = 0; i < lanes.size(); ++i) {
    double rest = lanes[i];
    for (int p = 0; p < count; ++p) {
      parts[p][i] = roundedTo(rest, bits);
      rest = std::isfinite(rest) ? rest - parts[p][i] : 0.0;
    }
  }
  return parts;
}

/// The split forms: products of parts i and j with i + j < `orders`, the
/// smallest first.
void accumulateParts(const Sizes &s, const Floats &a, const Floats &b, int bits,
                     int orders, Floats &out) {
  // An infinity times the zero low part of the other operand would be NaN.
  auto isFinite = [](double lane) { return std::isfinite(lane); };
  if (!llvm::all_of(a, isFinite) || !llvm::all_of(b, isFinite)) {
    accumulate<double>(s, a, b, out);
    return;
  }
  auto left = partsOf(a, bits, orders), right = partsOf(b, bits, orders);
  for (int order = orders; order-- > 0;) {
    for (int i = 0; i <= order; ++i) {
      accumulate<double>(s, left[i], right[order - i], out);
    }
  }
}

Sizes sizesOf(tile::DotOp op) {
  auto a = tile::shapeOf(op.getA().getType());
  auto b = tile::shapeOf(op.getB().getType());
  const size_t rank = a.size();
  return {rank == 3 ? a[0] : 1, a[rank - 2], b[rank - 1], a[rank - 1]};
}

Floats magnitudes(const Floats &lanes) {
  Floats result(lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    result[i] = std::fabs(lanes[i]);
  }
  return result;
}

/// (K + 1) * u * (sum |a * b| + |acc|), and what the operands bring along.
void attachDotErrors(Machine &m, const Instruction &in, const Sizes &s,
                     const Floats &a, const Floats &b, double productError,
                     TileValue &result) {
  const TileValue &left = m.operand(in, 0), &right = m.operand(in, 1),
                  &start = m.operand(in, 2);
  Floats absA = magnitudes(a), absB = magnitudes(b);
  Floats sums(result.count(), 0.0), errors(result.count(), 0.0);
  accumulate<double>(s, absA, absB, sums);
  if (right.errors()) {
    accumulate<double>(s, absA, floatLanes(*right.errors()), errors);
  }
  if (left.errors()) {
    Floats ea = floatLanes(*left.errors());
    accumulate<double>(s, ea, absB, errors);
    if (right.errors()) {
      accumulate<double>(s, ea, floatLanes(*right.errors()), errors);
    }
  }
  Floats acc = floatLanes(start), eacc = errorLanes(start);
  const double factor =
      static_cast<double>(s.k + 1) * unitRoundoff(in.resultKind);
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i] += laneOf(eacc, i) + factor * (sums[i] + std::fabs(acc[i])) +
                 productError * sums[i];
  }
  attachErrors(result, std::move(errors));
}

bool dot(Machine &m, const Instruction &in) {
  auto op = cast<tile::DotOp>(in.op);
  const Sizes sizes = sizesOf(op);
  if (in.resultKind == Kind::I32) {
    Signed a = signedLanes(m.operand(in, 0)), b = signedLanes(m.operand(in, 1));
    Unsigned out = unsignedLanes(m.operand(in, 2));
    accumulate<uint64_t>(sizes, Unsigned(a.begin(), a.end()),
                         Unsigned(b.begin(), b.end()), out);
    m.setResult(in, fromIntegers(Kind::I32, out));
    return true;
  }
  Floats a = floatLanes(m.operand(in, 0)), b = floatLanes(m.operand(in, 1));
  Floats out = floatLanes(m.operand(in, 2));
  const bool isF32 = m.operand(in, 0).kind() == Kind::F32;
  using tile::Precision;
  const Precision precision = isF32 ? op.getPrecision() : Precision::ieee;
  switch (precision) {
  case Precision::tf32:
    accumulateParts(sizes, a, b, 11, 1, out);
    break;
  case Precision::tf32x3:
    accumulateParts(sizes, a, b, 11, 2, out);
    break;
  case Precision::bf16x3:
    accumulateParts(sizes, a, b, 8, 2, out);
    break;
  case Precision::bf16x6:
    accumulateParts(sizes, a, b, 8, 3, out);
    break;
  case Precision::ieee:
  case Precision::target_default:
    accumulate<double>(sizes, a, b, out);
    break;
  }
  TileValue result = fromFloats(in.resultKind, out);
  if (m.options.trackErrors) {
    attachDotErrors(m, in, sizes, a, b, productError(precision), result);
  }
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addMatrixHandlers(HandlerTable &table) { table["tile.dot"] = dot; }

} // namespace tz::interpreter
