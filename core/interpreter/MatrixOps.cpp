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

/// |x| of each finite lane: infinities decide by themselves.
Floats magnitudes(const Floats &lanes) {
  Floats result(lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    result[i] = std::isfinite(lanes[i]) ? std::fabs(lanes[i]) : 0.0;
  }
  return result;
}

/// What an operand of a dot brings along; denormals may be read as zero (P13)
/// by units that take narrow operands, or parts of wide ones. Empty: nothing.
Floats errorsOf(const TileValue &operand, const Floats &lanes,
                tile::Precision precision) {
  Floats errors;
  if (hasErrors(operand)) {
    errors = floatLanes(*operand.errors());
  }
  const Kind kind = operand.kind();
  const bool isWhole = kind == Kind::F32 && precision == tile::Precision::ieee;
  if (isWhole || kind == Kind::F64 || !isFloat(kind)) {
    return errors;
  }
  const double least = leastNormalOf(kind);
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] != 0 && std::fabs(lanes[i]) < least) {
      errors.resize(lanes.size(), 0.0);
      errors[i] += std::fabs(lanes[i]);
    }
  }
  return errors;
}

/// Each product rounds, each addition rounds, and so does our one sum.
double roundingsOf(tile::DotOp op, tile::Precision precision) {
  return double(productsOf(precision)) * static_cast<double>(sizesOf(op).k) + 2;
}

/// What splits fp32 operands; others are taken as they are.
tile::Precision splitOf(const Machine &m, tile::DotOp op) {
  if (!tile::elementType(op.getA().getType()).isF32()) {
    return tile::Precision::ieee;
  }
  if (op.getPrecision() == tile::Precision::target_default) {
    return m.options.defaultIsTf32 ? tile::Precision::tf32
                                   : tile::Precision::ieee;
  }
  return op.getPrecision();
}

/// A product of at least this size has all 53 digits, and denormals lost beside
/// a sum of this size are less than its own rounding.
constexpr double LeastWholeProduct = 0x1p-960;

/// How many products of each sum have no factor of zero, where some product of
/// the operands may be too small for all digits of an fp64. Empty: none is.
Floats tinyProducts(const Sizes &s, const Floats &a, const Floats &b) {
  const auto least = [](const Floats &lanes) {
    double result = Unknown;
    for (double lane : lanes) {
      result = lane == 0 ? result : std::min(result, std::fabs(lane));
    }
    return result;
  };
  if (least(a) * least(b) >= LeastWholeProduct) {
    return {};
  }
  const auto isNonZero = [](const Floats &lanes) {
    Floats result(lanes.size());
    llvm::transform(lanes, result.begin(),
                    [](double lane) { return lane == 0 ? 0.0 : 1.0; });
    return result;
  };
  Floats counts(size_t(s.batch) * s.m * s.n, 0.0);
  accumulate<double>(s, isNonZero(a), isNonZero(b), counts);
  return counts;
}

struct DotBound {
  double roundings;  ///< of one sum; 0: integers
  double perProduct; ///< relative, of the input precision
  double perSum;     ///< relative, of the accumulator as well
  tile::Precision precision = tile::Precision::ieee; ///< of the operands
};

/// The target's unit sums products of 8-bit floats as it does (P22): all of
/// them with the accumulator, or, if the dot has a limit, so many at a time.
DotBound boundOf(const Machine &m, tile::DotOp op) {
  const tile::Precision precision = splitOf(m, op);
  DotBound bound{roundingsOf(op, precision), productError(precision), 0,
                 precision};
  if (tile::storageBytes(tile::elementType(op.getA().getType())) == 1) {
    const auto terms = double(sizesOf(op).k),
               limit = double(op.getMaxImprecise());
    (limit == 0 ? bound.perSum : bound.perProduct) +=
        Float8SumError * (limit == 0 ? terms : std::min(limit, terms) - 1);
  }
  return bound;
}

/// g(roundings) * (sum |a * b| + |acc|), and what the operands bring along.
void attachDotErrors(Machine &m, const Instruction &in, const Sizes &s,
                     const Floats &a, const Floats &b, const Floats &exact,
                     DotBound bound, TileValue &result) {
  const TileValue &start = m.operand(in, 2);
  Floats ea = errorsOf(m.operand(in, 0), a, bound.precision),
         eb = errorsOf(m.operand(in, 1), b, bound.precision);
  Floats absA = magnitudes(a), absB = magnitudes(b);
  Floats sums(result.count(), 0.0), errors(result.count(), 0.0);
  accumulate<double>(s, absA, absB, sums);
  if (!eb.empty()) {
    accumulate<double>(s, absA, eb, errors);
  }
  if (!ea.empty()) {
    accumulate<double>(s, ea, absB, errors);
    if (!eb.empty()) {
      accumulate<double>(s, ea, eb, errors);
    }
  }
  const bool hasGiven = !ea.empty() || !eb.empty() || hasErrors(start);
  Floats acc = isFloat(start.kind()) ? floatLanes(start) : Floats{0.0};
  Floats eacc = errorLanes(start);
  const Kind kind = in.resultKind;
  const double factor =
      bound.roundings == 0 ? 0 : growth(kind, bound.roundings);
  const double largest = isFloat(kind) ? largestOf(kind) : Unknown;
  // Products and sums below the least normal may be flushed.
  const double flushed = factor == 0 || kind == Kind::F64
                             ? 0
                             : bound.roundings * leastNormalOf(kind);
  const Floats tiny = kind == Kind::F64 ? tinyProducts(s, a, b) : Floats{};
  for (size_t i = 0; i < errors.size(); ++i) {
    const double given = errors[i] + laneOf(eacc, i);
    const double magnitude =
        sums[i] + errors[i] + laneOf(eacc, i) +
        std::fabs(std::isfinite(laneOf(acc, i)) ? laneOf(acc, i) : 0.0);
    errors[i] = given + scaled(magnitude, factor) +
                scaled(sums[i] + errors[i], bound.perProduct) +
                scaled(magnitude, bound.perSum) +
                (magnitude == 0 ? 0 : flushed);
    if (!tiny.empty() && magnitude < LeastWholeProduct) {
      // Rounded on its own, a tiny product loses up to half a denormal; fused
      // into the sum it need not. Ours and the target's may differ in that.
      errors[i] += tiny[i] * std::numeric_limits<double>::denorm_min();
    }
    const bool overflows = magnitude + errors[i] > largest;
    if (overflows) {
      errors[i] = Unknown;
    } else if (!exact.empty() && !std::isfinite(exact[i])) {
      errors[i] = hasGiven ? Unknown : 0;
    }
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
    TileValue result = fromIntegers(Kind::I32, out);
    if (anyErrors(m, in)) {
      attachDotErrors(m, in, sizes, Floats(a.begin(), a.end()),
                      Floats(b.begin(), b.end()), {}, {0, 0, 0}, result);
    }
    m.setResult(in, std::move(result));
    return true;
  }
  Floats a = floatLanes(m.operand(in, 0)), b = floatLanes(m.operand(in, 1));
  Floats out = floatLanes(m.operand(in, 2));
  using tile::Precision;
  const Precision precision = splitOf(m, op);
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
    attachDotErrors(m, in, sizes, a, b, out, boundOf(m, op), result);
  }
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

Accumulation accumulationOf(const Machine &m, Value value) {
  while (auto hint = value.getDefiningOp<tile::HintOp>()) {
    value = hint.getSource();
  }
  auto op = value.getDefiningOp<tile::DotOp>();
  const TileValue *start = op ? m.lookup(op.getAcc()) : nullptr;
  if (!start || !isFloat(start->kind()) ||
      !llvm::all_of(floatLanes(*start), [](double x) { return x == 0; })) {
    return {};
  }
  const DotBound bound = boundOf(m, op);
  return {bound.roundings, bound.perSum};
}

double Accumulation::off(Kind kind, double error, double addend,
                         double addendError) const {
  const double size = std::fabs(addend) + addendError;
  if (roundings == 0 || size == 0) {
    return 0;
  }
  // The product's own bound says how large its terms can be.
  const double factor = growth(kind, roundings);
  if (size + error / factor > largestOf(kind)) {
    return Unknown;
  }
  const double flushed =
      kind == Kind::F64 ? 0 : roundings * leastNormalOf(kind);
  return scaled(size, factor) + scaled(size, inexact) + flushed;
}

void addMatrixHandlers(HandlerTable &table) { table["tile.dot"] = dot; }

} // namespace tz::interpreter
