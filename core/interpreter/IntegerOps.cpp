//===- IntegerOps.cpp - integer arithmetic, comparison, select ------------===//
//
// What   arith and tile ops on integers, on 64-bit lanes.
// Why    Sums, products and logic are right in the low bits whatever the
//        width; the others read lanes sign- or zero-extended as they need.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/AddressArithmetic.h"
#include "core/interpreter/Errors.h"

#include <bit>
#include <limits>

using namespace mlir;

namespace tz::interpreter {

namespace {

/// How far an integer result may be off (E5).
double integerBound(const Instruction &in, double a, double b, double ea,
                    double eb) {
  if (ea == 0 && eb == 0) {
    return 0;
  }
  double bound = Unknown;
  if (isa<arith::AddIOp, arith::SubIOp>(in.op)) {
    bound = ea + eb;
  } else if (isa<arith::MulIOp>(in.op)) {
    bound = scaled(a, eb) + scaled(b, ea) + scaled(ea, eb);
  } else if (isa<tile::MinSIOp, tile::MaxSIOp>(in.op)) {
    return std::max(ea, eb);
  } else if (isa<arith::AndIOp>(in.op)) {
    return (a == 0 && ea == 0) || (b == 0 && eb == 0) ? 0 : Unknown;
  } else if (isa<arith::OrIOp>(in.op)) { // -1: all bits, or true
    return (a == -1 && ea == 0) || (b == -1 && eb == 0) ? 0 : Unknown;
  }
  // A sum that may wrap may be anything.
  const int width = static_cast<int>(widthOf(in.resultKind));
  const double most =
      std::max(std::fabs(a) + ea, 1.0) * std::max(std::fabs(b) + eb, 1.0);
  const double sum = std::fabs(a) + std::fabs(b) + ea + eb;
  return std::max(isa<arith::MulIOp>(in.op) ? most : sum, bound) <
                 std::ldexp(1.0, width - 1)
             ? bound
             : Unknown;
}

void boundIntegers(Machine &m, const Instruction &in, TileValue &result) {
  if (!anyErrors(m, in)) {
    return;
  }
  const TileValue &lhs = m.operand(in, 0), &rhs = m.operand(in, 1);
  Signed a = signedLanes(lhs), b = signedLanes(rhs);
  Floats ea = errorLanes(lhs), eb = errorLanes(rhs), errors(result.count());
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i] = integerBound(in, static_cast<double>(laneOf(a, i)),
                             static_cast<double>(laneOf(b, i)), laneOf(ea, i),
                             laneOf(eb, i));
  }
  attachErrors(result, std::move(errors));
}

/// Runs `body(a, b)` on all lanes that `read` gives.
template <typename Read, typename Body>
bool binary(Machine &m, const Instruction &in, Read read, Body body) {
  auto a = read(m.operand(in, 0)), b = read(m.operand(in, 1));
  Unsigned out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<uint64_t>(body(laneOf(a, i), laneOf(b, i)));
  }
  TileValue result = fromIntegers(in.resultKind, out);
  boundIntegers(m, in, result);
  m.setResult(in, std::move(result));
  return true;
}

#define TZ_UNSIGNED(expression)                                                \
  [](Machine &m, const Instruction &in) {                                      \
    const unsigned width = widthOf(in.resultKind);                             \
    (void)width;                                                               \
    return binary(                                                             \
        m, in, unsignedLanes,                                                  \
        [&](uint64_t a, uint64_t b) -> uint64_t { return expression; });       \
  }
#define TZ_SIGNED(expression)                                                  \
  [](Machine &m, const Instruction &in) {                                      \
    const unsigned width = widthOf(in.resultKind);                             \
    (void)width;                                                               \
    return binary(m, in, signedLanes, [&](int64_t a, int64_t b) -> int64_t {   \
      return expression;                                                       \
    });                                                                        \
  }

/// In checked mode, reports lanes that divide by zero.
void checkDivisor(Machine &m, const Instruction &in) {
  if (!m.options.checked) {
    return;
  }
  for (uint64_t lane : unsignedLanes(m.operand(in, 1))) {
    if (lane == 0) {
      m.find(in, FindingKind::DivisionByZero, 0,
             "division by zero; the value is unspecified");
    }
  }
}

template <Handler handler>
bool afterOverflowCheck(Machine &m, const Instruction &in) {
  if (in.mustNotWrap != Reading::None && m.options.checked) {
    checkOverflow(m, in);
  }
  return handler(m, in);
}

template <Handler handler>
bool afterDivisorCheck(Machine &m, const Instruction &in) {
  checkDivisor(m, in);
  return handler(m, in);
}

int64_t quotient(int64_t a, int64_t b) {
  if (b == 0) {
    return 0;
  }
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}

int64_t remainder(int64_t a, int64_t b) {
  if (b == 0) {
    return a;
  }
  return b == -1 ? 0 : a % b;
}

/// The amount of a shift is unsigned also where the operand is signed.
bool shiftRightSigned(Machine &m, const Instruction &in) {
  Signed a = signedLanes(m.operand(in, 0));
  Unsigned b = unsignedLanes(m.operand(in, 1));
  const uint64_t most = widthOf(in.resultKind) - 1;
  Unsigned out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] =
        static_cast<uint64_t>(laneOf(a, i) >> std::min(laneOf(b, i), most));
  }
  m.setResult(in, fromIntegers(in.resultKind, out));
  return true;
}

bool absolute(Machine &m, const Instruction &in) {
  Signed a = signedLanes(m.operand(in, 0));
  Unsigned out(a.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const auto bits = static_cast<uint64_t>(a[i]);
    out[i] = a[i] < 0 ? 0 - bits : bits;
  }
  m.setResult(in, fromIntegers(in.resultKind, out));
  return true;
}

bool leadingZeros(Machine &m, const Instruction &in) {
  Unsigned out = unsignedLanes(m.operand(in, 0));
  const auto width = static_cast<int>(widthOf(in.resultKind));
  for (uint64_t &lane : out) {
    lane = static_cast<uint64_t>(std::countl_zero(lane) - (64 - width));
  }
  m.setResult(in, fromIntegers(in.resultKind, out));
  return true;
}

template <typename Read, typename Body>
bool comparison(Machine &m, const Instruction &in, Read read, Body body) {
  auto a = read(m.operand(in, 0)), b = read(m.operand(in, 1));
  const size_t count = std::max(a.size(), b.size());
  TileValue result(Kind::I1, static_cast<int64_t>(count));
  auto *out = result.dataForWriting<uint8_t>();
  for (size_t i = 0; i < count; ++i) {
    out[i] = body(laneOf(a, i), laneOf(b, i)) ? 1 : 0;
  }
  if (anyErrors(m, in)) {
    Floats ea = errorLanes(m.operand(in, 0)), eb = errorLanes(m.operand(in, 1));
    Floats errors(count);
    for (size_t i = 0; i < count; ++i) {
      const double error = laneOf(ea, i) + laneOf(eb, i);
      const double distance = std::fabs(static_cast<double>(laneOf(a, i)) -
                                        static_cast<double>(laneOf(b, i)));
      errors[i] = error == 0 || distance > error ? 0 : Unknown;
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool compareIntegers(Machine &m, const Instruction &in) {
  using P = arith::CmpIPredicate;
  auto unsignedBy = [&](auto body) {
    return comparison(m, in, unsignedLanes, body);
  };
  auto signedBy = [&](auto body) {
    return comparison(m, in, signedLanes, body);
  };
  switch (cast<arith::CmpIOp>(in.op).getPredicate()) {
  case P::eq:
    return unsignedBy([](uint64_t a, uint64_t b) { return a == b; });
  case P::ne:
    return unsignedBy([](uint64_t a, uint64_t b) { return a != b; });
  case P::slt:
    return signedBy([](int64_t a, int64_t b) { return a < b; });
  case P::sle:
    return signedBy([](int64_t a, int64_t b) { return a <= b; });
  case P::sgt:
    return signedBy([](int64_t a, int64_t b) { return a > b; });
  case P::sge:
    return signedBy([](int64_t a, int64_t b) { return a >= b; });
  case P::ult:
    return unsignedBy([](uint64_t a, uint64_t b) { return a < b; });
  case P::ule:
    return unsignedBy([](uint64_t a, uint64_t b) { return a <= b; });
  case P::ugt:
    return unsignedBy([](uint64_t a, uint64_t b) { return a > b; });
  case P::uge:
    return unsignedBy([](uint64_t a, uint64_t b) { return a >= b; });
  }
  return m.fail(in, "unknown predicate");
}

/// Copies bits, so a NaN keeps its payload; a scalar condition may select
/// between views.
TileValue selected(const TileValue &condition, const TileValue &a,
                   const TileValue &b) {
  if (condition.count() == 1) {
    return condition.isTrueAt(0) ? a : b;
  }
  TileValue result(a.kind(), condition.count());
  for (int64_t i = 0; i < condition.count(); ++i) {
    const TileValue &from = condition.isTrueAt(i) ? a : b;
    result.setBits(i, from.bitsAt(from.count() == 1 ? 0 : i));
  }
  return result;
}

/// The distance of two lanes; none between what is no number.
double distance(const TileValue &a, const TileValue &b, int64_t lane) {
  const uint64_t x = a.bitsAt(a.count() == 1 ? 0 : lane);
  const uint64_t y = b.bitsAt(b.count() == 1 ? 0 : lane);
  if (x == y) {
    return 0;
  }
  if (isFloat(a.kind())) {
    return std::fabs(decodeFloat(a.kind(), x) - decodeFloat(a.kind(), y));
  }
  if (a.kind() == Kind::Ptr || a.kind() == Kind::View) {
    return Unknown;
  }
  const unsigned unused = 64 - widthOf(a.kind());
  return std::fabs(
      static_cast<double>(static_cast<int64_t>(x << unused) >> unused) -
      static_cast<double>(static_cast<int64_t>(y << unused) >> unused));
}

bool select(Machine &m, const Instruction &in) {
  const TileValue &condition = m.operand(in, 0);
  const TileValue &a = m.operand(in, 1), &b = m.operand(in, 2);
  TileValue result = selected(condition, a, b);
  if (anyErrors(m, in)) {
    Floats doubt = errorLanes(condition), ea = errorLanes(a),
           eb = errorLanes(b), errors(result.count());
    for (size_t i = 0; i < errors.size(); ++i) {
      const auto lane = static_cast<int64_t>(i);
      const bool first = condition.isTrueAt(condition.count() == 1 ? 0 : lane);
      const double mine = first ? laneOf(ea, i) : laneOf(eb, i);
      const double other = first ? laneOf(eb, i) : laneOf(ea, i);
      errors[i] = laneOf(doubt, i) == 0
                      ? mine
                      : std::max(mine, distance(a, b, lane) + other);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addIntegerHandlers(HandlerTable &table) {
  table["arith.addi"] = afterOverflowCheck<+TZ_UNSIGNED(a + b)>;
  table["arith.subi"] = afterOverflowCheck<+TZ_UNSIGNED(a - b)>;
  table["arith.muli"] = afterOverflowCheck<+TZ_UNSIGNED(a * b)>;
  table["arith.andi"] = TZ_UNSIGNED(a & b);
  table["arith.ori"] = TZ_UNSIGNED(a | b);
  table["arith.xori"] = TZ_UNSIGNED(a ^ b);
  table["tile.shl"] = TZ_UNSIGNED(b >= width ? 0 : a << b);
  table["tile.shrui"] = TZ_UNSIGNED(b >= width ? 0 : a >> b);
  table["tile.shrsi"] = unknownIfInexact<shiftRightSigned>;
  table["tile.mulhisi"] =
      TZ_SIGNED(static_cast<int64_t>((static_cast<__int128>(a) * b) >> width));
  table["tile.mulhiui"] = TZ_UNSIGNED(
      static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> width));
  table["tile.divsi"] = afterDivisorCheck<+TZ_SIGNED(quotient(a, b))>;
  table["tile.remsi"] = afterDivisorCheck<+TZ_SIGNED(remainder(a, b))>;
  table["tile.divui"] = afterDivisorCheck<+TZ_UNSIGNED(b == 0 ? 0 : a / b)>;
  table["tile.remui"] = afterDivisorCheck<+TZ_UNSIGNED(b == 0 ? a : a % b)>;
  table["tile.minsi"] = TZ_SIGNED(std::min(a, b));
  table["tile.maxsi"] = TZ_SIGNED(std::max(a, b));
  table["tile.minui"] = TZ_UNSIGNED(std::min(a, b));
  table["tile.maxui"] = TZ_UNSIGNED(std::max(a, b));
  table["tile.absi"] = unknownIfInexact<absolute>;
  table["tile.clz"] = unknownIfInexact<leadingZeros>;
  table["arith.cmpi"] = compareIntegers;
  table["arith.select"] = select;
}

} // namespace tz::interpreter
