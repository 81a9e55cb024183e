//===- IntegerOps.cpp - integer arithmetic, comparison, select ------------===//
//
// What   arith and tile ops on integers, on 64-bit lanes.
// Why    Sums, products and logic are right in the low bits whatever the
//        width; the others read lanes sign- or zero-extended as they need.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Errors.h"

#include <limits>

using namespace mlir;

namespace tz::interpreter {

namespace {

/// Runs `body(a, b)` on all lanes that `read` gives.
template <typename Read, typename Body>
bool binary(Machine &m, const Instruction &in, Read read, Body body) {
  auto a = read(m.operand(in, 0)), b = read(m.operand(in, 1));
  Unsigned out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<uint64_t>(body(laneOf(a, i), laneOf(b, i)));
  }
  m.setResult(in, fromIntegers(in.resultKind, out));
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

template <typename Read, typename Body>
bool comparison(Machine &m, const Instruction &in, Read read, Body body) {
  auto a = read(m.operand(in, 0)), b = read(m.operand(in, 1));
  const size_t count = std::max(a.size(), b.size());
  TileValue result(Kind::I1, static_cast<int64_t>(count));
  auto *out = result.dataForWriting<uint8_t>();
  for (size_t i = 0; i < count; ++i) {
    out[i] = body(laneOf(a, i), laneOf(b, i)) ? 1 : 0;
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
bool select(Machine &m, const Instruction &in) {
  const TileValue &condition = m.operand(in, 0);
  const TileValue &a = m.operand(in, 1);
  const TileValue &b = m.operand(in, 2);
  if (condition.count() == 1) {
    m.setResult(in, condition.isTrueAt(0) ? a : b);
    return true;
  }
  TileValue result(a.kind(), condition.count());
  for (int64_t i = 0; i < condition.count(); ++i) {
    const TileValue &from = condition.isTrueAt(i) ? a : b;
    result.setBits(i, from.bitsAt(from.count() == 1 ? 0 : i));
  }
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addIntegerHandlers(HandlerTable &table) {
  table["arith.addi"] = TZ_UNSIGNED(a + b);
  table["arith.subi"] = TZ_UNSIGNED(a - b);
  table["arith.muli"] = TZ_UNSIGNED(a * b);
  table["arith.andi"] = TZ_UNSIGNED(a & b);
  table["arith.ori"] = TZ_UNSIGNED(a | b);
  table["arith.xori"] = TZ_UNSIGNED(a ^ b);
  table["tile.shl"] = TZ_UNSIGNED(b >= width ? 0 : a << b);
  table["tile.shrui"] = TZ_UNSIGNED(b >= width ? 0 : a >> b);
  table["tile.shrsi"] = shiftRightSigned;
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
  table["tile.absi"] = absolute;
  table["arith.cmpi"] = compareIntegers;
  table["arith.select"] = moveWithErrors<select>;
}

} // namespace tz::interpreter
