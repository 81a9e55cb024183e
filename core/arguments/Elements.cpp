//===- Elements.cpp - elements of buffers ---------------------------------===//
//
// What   See Elements.h. Narrow floats go through APFloat, except f16 and bf16,
//        which are too common for its pace.
// Why    See Elements.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/Elements.h"

#include "core/driver/ArgumentTypes.h"
#include "core/terminal/Terminal.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

namespace tz::tool {

using runtime::Result;
using runtime::Status;

static const llvm::fltSemantics &semanticsOf(uint32_t type) {
  switch (type) {
#define FLOAT_TYPE(Id, Type, Format)                                           \
  case TZ_TYPE_##Id:                                                           \
    return llvm::APFloat::Format();
#include "terrazzo/ElementTypes.def"
  default:
    return llvm::APFloat::IEEEsingle();
  }
}

uint64_t encodeElement(uint32_t type, double value) {
  if (type == TZ_TYPE_F64) {
    return std::bit_cast<uint64_t>(value);
  }
  if (type == TZ_TYPE_F32) {
    return std::bit_cast<uint32_t>(float(value));
  }
  if (type == TZ_TYPE_F16) {
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
  }
  if (driver::isFloatType(type)) {
    llvm::APFloat number(value);
    bool loses = false;
    number.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven,
                   &loses);
    return number.bitcastToAPInt().getZExtValue();
  }
  if (type == TZ_TYPE_I1) {
    return value != 0;
  }
  unsigned bits = driver::elementBytes(type) * 8;
  if (std::isnan(value)) {
    return 0;
  }
  if (driver::isSignedType(type)) {
    double limit = std::ldexp(1.0, int(bits) - 1);
    int64_t top = bits == 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1;
    return uint64_t(value >= limit    ? top
                    : value <= -limit ? -top - 1
                                      : int64_t(value));
  }
  double limit = std::ldexp(1.0, int(bits));
  return value >= limit ? (bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1)
         : value <= 0   ? 0
                        : uint64_t(value);
}

template <typename T>
static T loadAs(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

namespace {
/// Integers of so many bits, in memory.
template <unsigned Bits>
struct Integers;
template <>
struct Integers<1> {
  using Unsigned = uint8_t;
};
template <>
struct Integers<8> {
  using Signed = int8_t;
  using Unsigned = uint8_t;
};
template <>
struct Integers<16> {
  using Signed = int16_t;
  using Unsigned = uint16_t;
};
template <>
struct Integers<32> {
  using Signed = int32_t;
  using Unsigned = uint32_t;
};
template <>
struct Integers<64> {
  using Signed = int64_t;
  using Unsigned = uint64_t;
};

// One for each class of ElementTypes.def.
template <unsigned Bits>
double decodeSigned(uint32_t, const void *element) {
  return double(loadAs<typename Integers<Bits>::Signed>(element));
}
template <unsigned Bits>
double decodeUnsigned(uint32_t, const void *element) {
  return double(loadAs<typename Integers<Bits>::Unsigned>(element));
}
template <unsigned Bits>
double decodeBool(uint32_t type, const void *element) {
  return decodeUnsigned<Bits>(type, element);
}
template <unsigned Bits>
double decodeFloat(uint32_t type, const void *element) {
  if (type == TZ_TYPE_F16) { // these two are too common for APFloat's pace
    return double(loadAs<_Float16>(element));
  }
  if (type == TZ_TYPE_BF16) {
    return double(
        std::bit_cast<float>(uint32_t(loadAs<uint16_t>(element)) << 16));
  }
  llvm::APFloat number(
      semanticsOf(type),
      llvm::APInt(Bits, loadAs<typename Integers<Bits>::Unsigned>(element)));
  bool loses = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}
template <>
double decodeFloat<32>(uint32_t, const void *element) {
  return double(loadAs<float>(element));
}
template <>
double decodeFloat<64>(uint32_t, const void *element) {
  return loadAs<double>(element);
}
} // namespace

double decodeElement(uint32_t type, const void *element) {
  switch (type) {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction,              \
                     LeastExponent)                                            \
  case TZ_TYPE_##Id:                                                           \
    return decode##Class<Bits>(type, element);
#include "terrazzo/ElementTypes.def"
  default:
    return 0;
  }
}

namespace {

/// SplitMix64: element i of a stream depends on seed and i alone.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  float uniform() { return float(next() >> 40) * 0x1p-24f; }
  /// Standard normal, two for one logarithm (Box and Muller).
  float normal() {
    if (hasSpare) {
      hasSpare = false;
      return spare;
    }
    uint64_t bits = next();
    float u = (float(bits >> 40) + 0.5f) * 0x1p-24f;
    float angle = float((bits >> 16) & 0xffffff) * 0x1p-24f * 2 *
                  std::numbers::pi_v<float>;
    float radius = std::sqrt(-2 * std::log(u));
    spare = radius * std::sin(angle);
    hasSpare = true;
    return radius * std::cos(angle);
  }

private:
  uint64_t state;
  float spare = 0;
  bool hasSpare = false;
};

} // namespace

static void store(std::vector<uint8_t> &bytes, size_t at, uint64_t bits,
                  uint32_t width) {
  std::memcpy(bytes.data() + at * width, &bits, width);
}

static Status storeText(std::vector<uint8_t> &bytes, size_t at, uint32_t type,
                        std::string_view text, const NameLookup &lookup) {
  Result<uint64_t> bits = scalarBits(type, text, lookup);
  if (!bits) {
    return bits.takeStatus();
  }
  store(bytes, at, *bits, driver::elementBytes(type));
  return Status();
}

static Status fillFromFile(const ArgumentText &arg,
                           std::vector<uint8_t> &bytes) {
  auto wrongSize = [&](uintmax_t size) {
    return Status(TZ_E_INVALID_ARGUMENT, arg.details[0] + " has " +
                                             std::to_string(size) +
                                             " bytes, but the sizes ask for " +
                                             std::to_string(bytes.size()));
  };
  // A much larger file is not read first.
  std::error_code unknown;
  if (const uintmax_t size =
          std::filesystem::file_size(arg.details[0], unknown);
      !unknown && size > bytes.size()) {
    return wrongSize(size);
  }
  Result<std::string> content = readFile(arg.details[0]);
  if (!content) {
    return content.takeStatus();
  }
  if (content->size() != bytes.size()) {
    return wrongSize(content->size());
  }
  std::memcpy(bytes.data(), content->data(), bytes.size());
  return Status();
}

/// The values at which mistakes show: limits, signs of zero, denormals, NaN,
/// and the neighbours of round numbers.
static std::vector<uint64_t> edgeValues(uint32_t type) {
  unsigned bits = driver::elementBytes(type) * 8;
  uint64_t all = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  if (type == TZ_TYPE_I1) {
    return {0, 1};
  }
  if (!driver::isFloatType(type)) {
    uint64_t top = uint64_t(1) << (bits - 1);
    return {0,       1,       all,     2,        all - 1,  3,       7,
            top,     top - 1, top + 1, top - 2,  100,      85,      all - 6,
            all / 3, all / 2, bits,    bits - 1, bits + 1, all - 99};
  }
  const llvm::fltSemantics &kind = semanticsOf(type);
  auto code = [](const llvm::APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  };
  std::vector<uint64_t> values;
  for (double value : {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1.5, -7.0}) {
    values.push_back(encodeElement(type, value));
  }
  for (bool isNegative : {false, true}) {
    values.push_back(code(llvm::APFloat::getLargest(kind, isNegative)));
    values.push_back(code(llvm::APFloat::getSmallest(kind, isNegative)));
    values.push_back(
        code(llvm::APFloat::getSmallestNormalized(kind, isNegative)));
    if (type < TZ_TYPE_F8E4M3FN || type == TZ_TYPE_F8E5M2) {
      values.push_back(code(llvm::APFloat::getInf(kind, isNegative)));
    }
  }
  values.push_back(code(llvm::APFloat::getNaN(kind)));
  // The largest denormal, the next after 1.
  values.push_back(code(llvm::APFloat::getSmallestNormalized(kind)) - 1);
  values.push_back(encodeElement(type, 1.0) + 1);
  return values;
}

static void fillEdges(std::vector<uint8_t> &bytes, uint32_t type,
                      uint64_t count, bool isSecond, Random &random) {
  std::vector<uint64_t> edges = edgeValues(type);
  uint32_t width = driver::elementBytes(type);
  uint64_t size = edges.size(), pairs = size * size;
  // A step without a common factor meets every pair, and early ones are mixed.
  uint64_t step = pairs * 5 / 8;
  while (std::gcd(step, pairs) != 1) {
    ++step;
  }
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t pair = i * step % pairs;
    uint64_t bits = edges[isSecond ? pair / size : pair % size];
    if (i >= pairs && i % 4 != 0) {
      // All magnitudes alike.
      bits = random.next();
      if (!driver::isFloatType(type)) {
        bits = uint64_t(int64_t(bits) >> (random.next() % 64));
      }
      bits = type == TZ_TYPE_I1 ? bits & 1 : bits;
    }
    store(bytes, i, bits, width);
  }
}

static Status fillSparse(std::vector<uint8_t> &bytes, uint32_t type,
                         uint64_t count, const std::string &gap, Random &random,
                         const NameLookup &lookup) {
  Result<int64_t> each = evaluate(gap, lookup);
  if (!each) {
    return each.takeStatus();
  }
  if (*each < 1) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "sparse(n) sets one of n elements, so n must be positive");
  }
  const bool hasSign = driver::isSignedType(type) || driver::isFloatType(type);
  for (uint64_t i = 0; i < count; ++i) {
    if (random.next() % static_cast<uint64_t>(*each) == 0) {
      const bool isNegative = hasSign && random.next() % 2 == 0;
      store(bytes, i, encodeElement(type, isNegative ? -1 : 1),
            driver::elementBytes(type));
    }
  }
  return Status();
}

/// Values that the text lists.
static Status fillValues(const ArgumentText &arg, std::vector<uint8_t> &bytes,
                         uint64_t count, const NameLookup &lookup) {
  for (uint64_t i = 0; i < count; ++i) {
    if (Status s = storeText(bytes, i, arg.type, arg.details[i], lookup);
        !s.ok()) {
      return s;
    }
  }
  return Status();
}

/// One value, everywhere.
static Status fillWith(const std::string &value, const ArgumentText &arg,
                       std::vector<uint8_t> &bytes, uint64_t count,
                       const NameLookup &lookup) {
  if (count == 0) {
    return Status();
  }
  const uint32_t width = driver::elementBytes(arg.type);
  Status s = storeText(bytes, 0, arg.type, value, lookup);
  for (uint64_t i = 1; s.ok() && i < count; ++i) {
    std::memcpy(bytes.data() + i * width, bytes.data(), width);
  }
  return s;
}

static Status fillIntegers(const ArgumentText &arg, std::vector<uint8_t> &bytes,
                           uint64_t count, Random &random,
                           const NameLookup &lookup) {
  const uint32_t type = arg.type, width = driver::elementBytes(type);
  Result<int64_t> low = evaluate(arg.details[0], lookup),
                  high = evaluate(arg.details[1], lookup);
  if (!low || !high) {
    return low ? high.takeStatus() : low.takeStatus();
  }
  if (*high <= *low) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "randint(low,high) draws from low to high - 1, so high "
                  "must be greater than low");
  }
  const uint64_t range = uint64_t(*high) - uint64_t(*low);
  for (uint64_t i = 0; i < count; ++i) {
    int64_t value = int64_t(uint64_t(*low) + random.next() % range);
    store(bytes, i,
          driver::isFloatType(type) ? encodeElement(type, double(value))
                                    : uint64_t(value),
          width);
  }
  return Status();
}

/// arange, randn, uniform.
static Status fillNumbers(const ArgumentText &arg, std::vector<uint8_t> &bytes,
                          uint64_t count, Random &random) {
  const std::string &how = arg.initializer;
  const uint32_t type = arg.type, width = driver::elementBytes(type);
  double low = 0, high = 1;
  if (how == "uniform" && arg.details.size() == 2) {
    std::optional<double> a = parseFloat(arg.details[0]),
                          b = parseFloat(arg.details[1]);
    if (!a || !b) {
      return Status(TZ_E_INVALID_ARGUMENT, "write uniform(0.0,1.0)");
    }
    low = *a;
    high = *b;
  }
  for (uint64_t i = 0; i < count; ++i) {
    double value = how == "arange"  ? double(i)
                   : how == "randn" ? double(random.normal())
                                    : low + (high - low) * random.uniform();
    if (type == TZ_TYPE_F32) {
      float narrow = float(value);
      std::memcpy(bytes.data() + i * 4, &narrow, 4);
    } else {
      store(bytes, i,
            how == "arange" && !driver::isFloatType(type)
                ? i
                : encodeElement(type, value),
            width);
    }
  }
  return Status();
}

static Status fill(const ArgumentText &arg, std::vector<uint8_t> &bytes,
                   uint64_t count, uint64_t seed, const NameLookup &lookup) {
  const std::string &how = arg.initializer;
  if (how == "zeros" || how == "empty") {
    return Status();
  }
  if (how == "file") {
    return fillFromFile(arg, bytes);
  }
  if (how == "values") {
    return fillValues(arg, bytes, count, lookup);
  }
  if (how == "ones" || how == "full") {
    return fillWith(how == "ones" ? "1" : arg.details[0], arg, bytes, count,
                    lookup);
  }
  Random random(seed);
  if (how == "edges") {
    fillEdges(bytes, arg.type, count, !arg.details.empty(), random);
    return Status();
  }
  if (how == "sparse") {
    return fillSparse(bytes, arg.type, count, arg.details[0], random, lookup);
  }
  return how == "randint" ? fillIntegers(arg, bytes, count, random, lookup)
                          : fillNumbers(arg, bytes, count, random);
}

Result<std::vector<uint8_t>> fillBuffer(const ArgumentText &arg, uint64_t count,
                                        uint64_t seed,
                                        const NameLookup &lookup) {
  for (unsigned char c : arg.name) {
    seed = (seed ^ c) * 0x100000001b3u;
  }
  std::vector<uint8_t> bytes(count * driver::elementBytes(arg.type));
  Status s = fill(arg, bytes, count, seed, lookup);
  if (!s.ok()) {
    return Status(s.code(), "argument '" + arg.name + "': " + s.message());
  }
  return bytes;
}

} // namespace tz::tool
