//===- Comparison.cpp - comparisons of lanes ------------------------------===//
//
// What   A mask with a bit for each active lane, and 0 for the others. The
// forms
//        named cmpx set the active lanes to it.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/RealArithmetic.h"
#include "plugins/amd/simulator/execute/Rows.h"

namespace tz::amd::sim {

namespace {

template <typename T, auto Condition, bool SetsExec>
void compareLanes(Wave &wave, const Instruction &in) {
  uint64_t mask = 0;
  eachResult(wave, in, [&](unsigned lane) {
    mask |= uint64_t{Condition(source<T>(wave, in, 1, lane),
                               source<T>(wave, in, 2, lane))}
            << lane;
  });
  wave.setMask(in.operands.at(0), mask);
  if (SetsExec) {
    wave.setScalar(scalar::Exec, uint32_t(mask));
    wave.setScalar(scalar::Exec + 1, uint32_t(mask >> 32));
  }
}

/// The ten kinds of floats, as bits.
template <typename T>
unsigned classBit(T value) {
  const auto bits = std::bit_cast<BitsOf<sizeof(T)>>(value);
  constexpr int mantissa = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : 10;
  constexpr unsigned ones = sizeof(T) == 8   ? 0x7FF
                            : sizeof(T) == 4 ? 0xFF
                                             : 0x1F;
  const unsigned exponent = unsigned(bits >> mantissa) & ones;
  const uint64_t rest = bits & ((uint64_t{1} << mantissa) - 1);
  const bool isNegative = bits >> (sizeof(T) * 8 - 1) != 0;
  if (exponent == ones) {
    return rest != 0 ? rest >> (mantissa - 1) & 1 : isNegative ? 2 : 9;
  }
  const unsigned size = exponent != 0 ? 0 : rest != 0 ? 1 : 2;
  return isNegative ? 3 + size : 8 - size;
}
template <typename T, bool SetsExec>
void testClass(Wave &wave, const Instruction &in) {
  uint64_t mask = 0;
  eachResult(wave, in, [&](unsigned lane) {
    const unsigned wanted = source<uint32_t>(wave, in, 2, lane);
    mask |= uint64_t{wanted >> classBit(source<T>(wave, in, 1, lane)) & 1}
            << lane;
  });
  wave.setMask(in.operands.at(0), mask);
  if (SetsExec) {
    wave.setScalar(scalar::Exec, uint32_t(mask));
    wave.setScalar(scalar::Exec + 1, uint32_t(mask >> 32));
  }
}

template <typename T, auto Condition>
void addBoth(std::vector<Row> &rows, const char *condition,
             const std::string &type) {
  const std::string name = std::string(condition) + "_" + type;
  rows.push_back({"v_cmp_" + name, compareLanes<T, Condition, false>});
  rows.push_back({"v_cmpx_" + name, compareLanes<T, Condition, true>});
}

/// "i32", "u16", ...: as the names of comparisons end.
template <typename T>
std::string typeName() {
  return (IsReal<T>             ? "f"
          : std::is_signed_v<T> ? "i"
                                : "u") +
         std::to_string(8 * sizeof(T));
}

template <typename T>
void addType(std::vector<Row> &rows) {
  const std::string type = typeName<T>();
  constexpr auto less = [](T a, T b) { return a < b; };
  constexpr auto equal = [](T a, T b) { return a == b; };
  constexpr auto lessEqual = [](T a, T b) { return a <= b; };
  constexpr auto greater = [](T a, T b) { return a > b; };
  constexpr auto greaterEqual = [](T a, T b) { return a >= b; };
  addBoth<T, less>(rows, "lt", type);
  addBoth<T, equal>(rows, "eq", type);
  addBoth<T, lessEqual>(rows, "le", type);
  addBoth<T, greater>(rows, "gt", type);
  addBoth<T, greaterEqual>(rows, "ge", type);
  if constexpr (!IsReal<T>) {
    addBoth<T, [](T a, T b) { return a != b; }>(rows, "ne", type);
  } else {
    addBoth<T, [](T a, T b) { return a < b || a > b; }>(rows, "lg", type);
    addBoth<T, [](T a, T b) { return !isNan(a) && !isNan(b); }>(rows, "o",
                                                                type);
    addBoth<T, [](T a, T b) { return isNan(a) || isNan(b); }>(rows, "u", type);
    addBoth<T, [](T a, T b) { return !(a >= b); }>(rows, "nge", type);
    addBoth<T, [](T a, T b) { return !(a < b || a > b); }>(rows, "nlg", type);
    addBoth<T, [](T a, T b) { return !(a > b); }>(rows, "ngt", type);
    addBoth<T, [](T a, T b) { return !(a <= b); }>(rows, "nle", type);
    addBoth<T, [](T a, T b) { return !(a == b); }>(rows, "neq", type);
    addBoth<T, [](T a, T b) { return !(a < b); }>(rows, "nlt", type);
    rows.push_back({"v_cmp_class_" + type, testClass<T, false>});
    rows.push_back({"v_cmpx_class_" + type, testClass<T, true>});
  }
}

} // namespace

std::vector<Row> comparisonRows() {
  std::vector<Row> rows;
  addType<int16_t>(rows);
  addType<uint16_t>(rows);
  addType<int32_t>(rows);
  addType<uint32_t>(rows);
  addType<int64_t>(rows);
  addType<uint64_t>(rows);
  addType<half>(rows);
  addType<float>(rows);
  addType<double>(rows);
  return rows;
}

} // namespace tz::amd::sim
