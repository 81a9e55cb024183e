//===- FeaturesTest.cpp - less common parts of the language ---------------===//
//
// What   Kernels over tables of inputs, run in the reference interpreter and
//        compared with plain C++.
// Why    The table of the language has one example a name; here is the rest of
//        what those names must do.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/RunText.h"

#include <cfenv>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace tz::frontend;
using namespace tz::frontend::test;
using testing::ElementsAre;
using tz::interpreter::ArgValue;

namespace {

/// The value of an fp8e4b15's bits.
double valueOfE4B15(int bits) {
  int exponent = (bits >> 3) & 15, fraction = bits & 7;
  double size = exponent ? std::ldexp(8 + fraction, exponent - 18)
                         : std::ldexp(fraction, -17);
  return bits & 0x80 ? -size : size;
}

TEST(Float8E4B15, EveryByteIsItsNumber) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 256)
    x = tl.load(p + i).to(tl.float8e4b15, bitcast=True)
    tl.store(o + i, x.to(tl.float32))
    back = x.to(tl.float32).to(tl.float8e4b15)
    tl.store(p + i, back.to(tl.uint8, bitcast=True))
)py";
  std::vector<float> out(256);
  std::vector<uint8_t> bytes(256);
  for (int i = 0; i < 256; ++i) {
    bytes[i] = uint8_t(i);
  }
  runText(text, "k o=*fp32 p=*u8",
          {ArgValue::pointer(out.data()), ArgValue::pointer(bytes.data())});
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[i], valueOfE4B15(i)) << i;
    EXPECT_EQ(bytes[i], i);
  }
}

TEST(Float8E4B15, RoundsOnceToNearestEven) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 1024)
    x = tl.load(p + i)
    near = x.to(tl.float8e4b15).to(tl.uint8, bitcast=True)
    down = x.to(tl.float8e4b15, fp_downcast_rounding="rtz")
    tl.store(o + i, near.to(tl.int32))
    tl.store(o + 1024 + i, down.to(tl.uint8, bitcast=True).to(tl.int32))
)py";
  std::vector<float> in;
  for (int i = 0; i < 128; ++i) { // each value, each middle, and beside them
    float v = float(valueOfE4B15(i));
    float middle = i < 127 ? float((v + valueOfE4B15(i + 1)) / 2) : 1.9f;
    in.insert(in.end(), {v, -v, middle, -middle, std::nextafter(middle, 0.f),
                         std::nextafter(middle, 4.f), std::nextafter(v, 0.f),
                         std::nextafter(v, 4.f)});
  }
  std::vector<int32_t> out(2048);
  runText(text, "k o=*i32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  for (int i = 0; i < 1024; ++i) {
    double size = std::abs(double(in[i]));
    int below = 0;
    while (below < 127 && valueOfE4B15(below + 1) <= size) {
      ++below;
    }
    int nearest = below;
    if (below < 127) {
      double up = valueOfE4B15(below + 1) - size,
             down = size - valueOfE4B15(below);
      nearest += up < down || (up == down && below % 2);
    }
    int sign = std::signbit(in[i]) ? 0x80 : 0;
    EXPECT_EQ(out[i], nearest | sign) << in[i];
    EXPECT_EQ(out[1024 + i], below | sign) << in[i];
  }
}

TEST(Float8E4B15, LargeNumbersSaturate) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    x = tl.load(p + i).to(tl.float8e4b15)
    tl.store(o + i, x.to(tl.float32))
)py";
  std::vector<float> in{1e30f, -INFINITY, NAN, 65520.0f}, out(4);
  runText(text, "k o=*fp32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  EXPECT_THAT(out, ElementsAre(1.875f, -1.875f, 1.875f, 1.875f));
}

TEST(Float8E4B15, ArraysOfIt) {
  const char *text = R"py(
@triton.jit
def k(o, z, p, n):
    i = tl.arange(0, 256)
    x = tl.load(p + i, mask=i < n, other=0.5)
    tl.store(z + i, tl.abs(x))
    tl.store(o + i, (x * 0.5 + x).to(tl.float32))
    tl.store(o + 256 + i, tl.where(x < 0.25, x, -x).to(tl.float32))
)py";
  std::vector<float> out(512);
  std::vector<uint8_t> bytes(256), sizes(256);
  for (int i = 0; i < 256; ++i) {
    bytes[i] = uint8_t(i);
  }
  runText(text, "k o=*fp32 z=*fp8e4b15 p=*fp8e4b15 n=i32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(sizes.data()),
           ArgValue::pointer(bytes.data()), ArgValue::integer(250)});
  for (int i = 0; i < 256; ++i) {
    double x = i < 250 ? valueOfE4B15(i) : 0.5;
    EXPECT_EQ(valueOfE4B15(sizes[i]), std::abs(x)) << i;
    // Each operation rounds; 1.875 is the largest.
    EXPECT_NEAR(out[i], std::clamp(1.5 * x, -1.875, 1.875),
                std::ldexp(std::abs(x), -3) + std::ldexp(1, -17))
        << i;
    EXPECT_EQ(out[256 + i], x < 0.25 ? x : -x) << i;
  }
}

TEST(Float8E4B15, ProductsAreFp16s) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 16)
    x = tl.load(p + i[:, None] * 16 + i[None, :])
    tl.store(o + i[:, None] * 16 + i[None, :], tl.dot(x, x))
)py";
  std::vector<float> out(256);
  std::vector<uint8_t> bytes(256);
  for (int i = 0; i < 256; ++i) {
    bytes[i] = uint8_t(i * 37);
  }
  runText(text, "k o=*fp32 p=*fp8e4b15",
          {ArgValue::pointer(out.data()), ArgValue::pointer(bytes.data())});
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) {
        sum += valueOfE4B15(bytes[row * 16 + k]) *
               valueOfE4B15(bytes[k * 16 + column]);
      }
      EXPECT_EQ(out[row * 16 + column], float(sum)) << row << ' ' << column;
    }
  }
}

TEST(Index, OfAScalarWithItsElement) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    at = o[None, None, :]
    tl.static_assert(at.shape == (1, 1))
    i = tl.arange(0, 4)
    tl.store(at, tl.sum(tl.load(p + i), keep_dims=True)[None, :])
)py";
  std::vector<float> out(1), in{1, 2, 3, 4};
  runText(text, "k o=*fp32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  EXPECT_EQ(out[0], 10);
}

//===----------------------------------------------------------------------===//
// Rounding directions
//===----------------------------------------------------------------------===//

/// Numbers whose sums, products and quotients are rarely floats; with large,
/// small and subnormal ones.
template <typename T>
std::vector<T> awkwardNumbers(size_t count, unsigned seed) {
  std::vector<T> numbers;
  uint64_t state = seed;
  while (numbers.size() < count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    T size = T(1) + T(state >> 11) / T(uint64_t(1) << 53);
    int exponent = int(state >> 32) % (numbers.size() % 4 ? 8 : 120);
    T value = std::ldexp(size, exponent - (numbers.size() % 4 ? 4 : 60));
    numbers.push_back(state & 1024 ? -value : value);
  }
  numbers[0] = 0;
  numbers[1] = std::numeric_limits<T>::max();
  numbers[2] = -std::numeric_limits<T>::max();
  return numbers;
}

template <typename T>
T inDirection(int direction, int op, T a, T b, T c) {
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  volatile T x = a, y = b, z = c, result = 0;
  std::fesetround(modes[direction]);
  switch (op) {
  case 0:
    result = x + y;
    break;
  case 1:
    result = x - y;
    break;
  case 2:
    result = x * y;
    break;
  case 3:
    result = x / y;
    break;
  case 4:
    result = T(1) / x;
    break;
  case 5:
    result = std::sqrt(x);
    break;
  default:
    result = std::fma(T(x), T(y), T(z));
    break;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

template <typename T>
void checkDirections(const char *type) {
  const char *calls[] = {"add_%(a, b)",   "sub_%(a, b)", "mul_%(a, b)",
                         "div_%(a, b)",   "rcp_%(a)",    "sqrt_%(a)",
                         "fma_%(a, b, c)"};
  const char *directions[] = {"rn", "rz", "rd", "ru"};
  std::string text = "@triton.jit\ndef k(o, p):\n    i = tl.arange(0, 256)\n"
                     "    a = tl.load(p + i)\n    b = tl.load(p + 256 + i)\n"
                     "    c = tl.load(p + 512 + i)\n";
  for (int op = 0; op < 7; ++op) {
    for (int d = 0; d < 4; ++d) {
      std::string call = calls[op];
      call.replace(call.find('%'), 1, directions[d]);
      text += "    tl.store(o + " + std::to_string((op * 4 + d) * 256) +
              " + i, libdevice." + call + ")\n";
    }
  }
  std::vector<T> in = awkwardNumbers<T>(768, 7), out(7 * 4 * 256);
  runText(text, std::string("k o=*") + type + " p=*" + type,
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  for (int op = 0; op < 7; ++op) {
    for (int d = 0; d < 4; ++d) {
      for (int i = 0; i < 256; ++i) {
        T a = in[i], b = in[256 + i], c = in[512 + i];
        T wanted = inDirection(d, op, a, b, c);
        T found = out[(op * 4 + d) * 256 + i];
        EXPECT_TRUE(found == wanted || (found != found && wanted != wanted))
            << calls[op] << " " << directions[d] << " of " << a << ", " << b
            << ", " << c << ": " << found << ", expected " << wanted;
      }
    }
  }
}

TEST(Rounding, Fp32GoesInItsDirection) { checkDirections<float>("fp32"); }
TEST(Rounding, Fp64GoesInItsDirection) { checkDirections<double>("fp64"); }

TEST(Rounding, ConversionsGoInTheirDirection) {
  const char *text = R"py(
@triton.jit
def k(o, w, p):
    i = tl.arange(0, 16)
    n = tl.load(p + i)
    tl.store(o + i, libdevice.ll2float_rn(n))
    tl.store(o + 16 + i, libdevice.ll2float_rz(n))
    tl.store(o + 32 + i, libdevice.ll2float_rd(n))
    tl.store(o + 48 + i, libdevice.ll2float_ru(n))
    tl.store(w + i, libdevice.ll2double_rn(n))
    tl.store(w + 16 + i, libdevice.ll2double_rz(n))
    tl.store(w + 32 + i, libdevice.ll2double_rd(n))
    tl.store(w + 48 + i, libdevice.ll2double_ru(n))
    x = n.to(tl.float64) / 3.0
    tl.store(o + 64 + i, libdevice.double2float_rn(x))
    tl.store(o + 80 + i, libdevice.double2float_rz(x))
    tl.store(o + 96 + i, libdevice.double2float_rd(x))
    tl.store(o + 112 + i, libdevice.double2float_ru(x))
)py";
  std::vector<int64_t> in;
  for (int i = 0; i < 16; ++i) {
    int64_t n = 0x123456789abcdef1 >> (3 * i);
    in.push_back(i % 2 ? n : -n);
  }
  std::vector<float> out(128);
  std::vector<double> wide(64);
  runText(text, "k o=*fp32 w=*fp64 p=*i64",
          {ArgValue::pointer(out.data()), ArgValue::pointer(wide.data()),
           ArgValue::pointer(in.data())});
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (int d = 0; d < 4; ++d) {
    for (int i = 0; i < 16; ++i) {
      volatile int64_t n = in[i];
      volatile double third = double(in[i]) / 3.0;
      std::fesetround(modes[d]);
      volatile float f = float(n), g = float(third);
      volatile double w = double(n);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(out[16 * d + i], f) << n << " " << d;
      EXPECT_EQ(wide[16 * d + i], w) << n << " " << d;
      EXPECT_EQ(out[64 + 16 * d + i], g) << n << " " << d;
    }
  }
}

TEST(Libdevice, SpecialValues) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    x = tl.load(p + i)  # 0, inf, -inf, NaN
    tl.store(o + i, libdevice.j0(x))
    tl.store(o + 4 + i, libdevice.y1(x))
    tl.store(o + 8 + i, libdevice.cyl_bessel_i1(x))
    tl.store(o + 12 + i, libdevice.logb(x))
    tl.store(o + 16 + i, libdevice.ilogb(x).to(tl.float32))
    tl.store(o + 20 + i, libdevice.erfcinv(x))
    tl.store(o + 24 + i, libdevice.normcdf(x))
    tl.store(o + 28 + i, libdevice.hypot(x, 1.0))
)py";
  const float inf = INFINITY;
  std::vector<float> in{0, inf, -inf, NAN}, out(32);
  runText(text, "k o=*fp32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  const float nan = NAN;
  const float wanted[] = {1,
                          0,
                          0,
                          nan,
                          -inf,
                          0,
                          nan,
                          nan,
                          0,
                          inf,
                          -inf,
                          nan,
                          -inf,
                          inf,
                          inf,
                          nan,
                          -2147483648.0f,
                          2147483648.0f,
                          2147483648.0f,
                          -2147483648.0f,
                          inf,
                          nan,
                          nan,
                          nan,
                          0.5f,
                          1,
                          0,
                          nan,
                          1,
                          inf,
                          inf,
                          nan};
  for (int i = 0; i < 32; ++i) {
    EXPECT_TRUE(out[i] == wanted[i] ||
                (std::isnan(out[i]) && std::isnan(wanted[i])))
        << i << ": " << out[i] << ", expected " << wanted[i];
  }
}

//===----------------------------------------------------------------------===//
// dot_scaled
//===----------------------------------------------------------------------===//

const float FourBits[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
float fourBitValue(int code) {
  return code & 8 ? -FourBits[code & 7] : FourBits[code & 7];
}

TEST(DotScaled, FourBitOperandsInBothPackings) {
  const char *text = R"py(
@triton.jit
def k(o, a, b, s, t, LEFT: tl.constexpr, RIGHT: tl.constexpr):
    m = tl.arange(0, 4)[:, None]
    n = tl.arange(0, 8)[None, :]
    if LEFT:
        x = tl.load(a + m * 32 + tl.arange(0, 32)[None, :])
    else:
        x = tl.load(a + tl.arange(0, 2)[:, None] * 64 + tl.arange(0, 64)[None, :])
    if RIGHT:
        y = tl.load(b + tl.arange(0, 32)[:, None] * 8 + n)
    else:
        y = tl.load(b + tl.arange(0, 64)[:, None] * 4 + tl.arange(0, 4)[None, :])
    g = tl.arange(0, 2)[None, :]
    xs = tl.load(s + m * 2 + g)
    ys = tl.load(t + tl.arange(0, 8)[:, None] * 2 + g)
    z = tl.dot_scaled(x, xs, "e2m1", y, ys, "e2m1", lhs_k_pack=LEFT,
                      rhs_k_pack=RIGHT)
    tl.store(o + m * 8 + n, z)
)py";
  int left[4][64], right[64][8];
  std::vector<uint8_t> s(8), t(16);
  for (int i = 0; i < 8; ++i) {
    s[i] = uint8_t(125 + i % 5);
  }
  for (int i = 0; i < 16; ++i) {
    t[i] = uint8_t(126 + i % 3);
  }
  std::vector<float> wanted(32, 0.0f);
  for (int k = 0; k < 64; ++k) {
    for (int m = 0; m < 4; ++m) {
      left[m][k] = (m * 7 + k * 5 + k / 3) % 16;
    }
    for (int n = 0; n < 8; ++n) {
      right[k][n] = (n * 3 + k * 11 + 1) % 16;
    }
  }
  for (int m = 0; m < 4; ++m) {
    for (int n = 0; n < 8; ++n) {
      for (int k = 0; k < 64; ++k) {
        wanted[m * 8 + n] +=
            std::ldexp(fourBitValue(left[m][k]), s[m * 2 + k / 32] - 127) *
            std::ldexp(fourBitValue(right[k][n]), t[n * 2 + k / 32] - 127);
      }
    }
  }
  for (bool leftAlongK : {true, false}) {
    for (bool rightAlongK : {true, false}) {
      std::vector<uint8_t> a(128), b(256);
      for (int i = 0; i < 128; ++i) {
        int row = leftAlongK ? i / 32 : i / 64 * 2;
        int column = leftAlongK ? i % 32 * 2 : i % 64;
        int next = leftAlongK ? left[row][column + 1] : left[row + 1][column];
        a[i] = uint8_t(left[row][column] | next << 4);
      }
      for (int i = 0; i < 256; ++i) {
        int row = rightAlongK ? i / 8 * 2 : i / 4;
        int column = rightAlongK ? i % 8 : i % 4 * 2;
        int next =
            rightAlongK ? right[row + 1][column] : right[row][column + 1];
        b[i] = uint8_t(right[row][column] | next << 4);
      }
      std::vector<float> out(32);
      runText(text,
              std::string("k o=*fp32 a=*u8 b=*u8 s=*u8 t=*u8 LEFT:=") +
                  (leftAlongK ? "True" : "False") +
                  " RIGHT:=" + (rightAlongK ? "True" : "False"),
              {ArgValue::pointer(out.data()), ArgValue::pointer(a.data()),
               ArgValue::pointer(b.data()), ArgValue::pointer(s.data()),
               ArgValue::pointer(t.data())});
      EXPECT_EQ(out, wanted) << leftAlongK << rightAlongK;
    }
  }
}

TEST(DotScaled, ScalesAtTheirEnds) {
  const char *text = R"py(
@triton.jit
def k(o, s):
    one = tl.full([1, 32], 1.0, tl.bfloat16)
    column = tl.full([32, 1], 1.0, tl.float8e5)
    scale = tl.load(s + tl.arange(0, 1))[None, :]
    z = tl.dot_scaled(one, scale, "bf16", column, None, "e5m2")
    tl.store(o + tl.arange(0, 1), tl.reshape(z, [1]))
    small = tl.full([1, 32], 0.5, tl.float8e4nv)
    z = tl.dot_scaled(tl.full([1, 32], 2.0, tl.float8e4nv), tl.broadcast_to(
        tl.full([1], 3.0, tl.float8e4nv), [1, 2]), "e4m3", tl.trans(small),
        None, "e4m3")
    tl.store(o + 1 + tl.arange(0, 1), tl.reshape(z, [1]))
)py";
  for (auto [code, wanted] : {std::pair<int, float>{0, std::ldexp(32.f, -127)},
                              {127, 32.f},
                              {1, std::ldexp(32.f, -126)},
                              {255, NAN}}) {
    std::vector<float> out(2);
    std::vector<uint8_t> s{uint8_t(code)};
    runText(text, "k o=*fp32 s=*u8",
            {ArgValue::pointer(out.data()), ArgValue::pointer(s.data())});
    EXPECT_TRUE(out[0] == wanted || (std::isnan(out[0]) && std::isnan(wanted)))
        << code << ": " << out[0];
    EXPECT_EQ(out[1], 96.f);
  }
}

TEST(Library, CopiedFunctionsKeepTheirDefaults) {
  const char *text = R"py(
@triton.jit
def largest(x, dim: tl.constexpr = None, descending: tl.constexpr = tl.core.CONSTEXPR_0):
    tl.static_assert(not descending)
    return tl.sort(x, dim, descending)

@triton.jit
def k(o):
    at = tl.arange(0, 4)
    tl.store(o + at, largest(3 - at))
)py";
  std::vector<int32_t> out(4);
  runText(text, "k o=*i32", {ArgValue::pointer(out.data())});
  EXPECT_THAT(out, ElementsAre(0, 1, 2, 3));
}

/// Numbers are what CPython gives for the same functions of 0 and 4.
TEST(NamedExpression, IsKeptWhereverItStands) {
  const char *text = R"py(
@triton.jit
def in_loop(y, n):
    s = 0
    for i in range(n):
        s += (y := y + 1)
    return y * 100 + s

@triton.jit
def in_while(y, n):
    s = 0
    while (y := y + 1) < n:
        s += y
    return y * 100 + s

@triton.jit
def in_left_while(y, n):
    s = 0
    while (y := y + 1) < n:
        s += y
        if y == 2:
            break
    return y * 100 + s

@triton.jit
def in_left_while_to_its_end(y, n):
    s = 0
    while (y := y + 1) < n:
        s += y
        if y == 50:
            break
    return y * 100 + s

@triton.jit
def in_arm(y, n):
    s = 0
    if n > 1:
        s = (y := y + 5) * 2
    return y * 100 + s

@triton.jit
def in_elif(y, n):
    s = 0
    if n > 100:
        s = 1
    elif (y := y + 3) > n:
        s = 2
    else:
        s = y
    return y * 100 + s

@triton.jit
def in_condition_in_loop(y, n):
    s = y
    for i in range(n):
        if (y := y + 1) > 2:
            s += y
    return y * 100 + s

@triton.jit
def in_conditional(y, n):
    s = (y := y + 7) if n > 1 else 3
    t = 3 if n > 1 else (y := y + 9)
    return y * 100 + s + t

@triton.jit
def in_comprehension(y, n):
    parts = [(y := y + k) for k in (1, 2, 3)]
    return y * 100 + parts[1]

@triton.jit
def k(o, start, n):
    tl.store(o, in_loop(start, n))
    tl.store(o + 1, in_while(start, n))
    tl.store(o + 2, in_left_while(start, n))
    tl.store(o + 3, in_left_while_to_its_end(start, n))
    tl.store(o + 4, in_arm(start, n))
    tl.store(o + 5, in_elif(start, n))
    tl.store(o + 6, in_condition_in_loop(start, n))
    tl.store(o + 7, in_conditional(start, n))
    tl.store(o + 8, in_comprehension(start, n))
)py";
  std::vector<int32_t> out(9);
  runText(text, "k o=*i32 start=i32 n=i32",
          {ArgValue::pointer(out.data()), ArgValue::integer(0),
           ArgValue::integer(4)});
  EXPECT_THAT(out, ElementsAre(410, 406, 203, 406, 510, 303, 407, 710, 603));
}

/// Whether an argument is 1 changes no meaning.
TEST(FoldedOne, MayBeReassignedWhereAnyArgumentMay) {
  const char *text = R"py(
@triton.jit
def in_if(k, m):
    if m > 2:
        k = k * 7
    return k

@triton.jit
def in_else(k, m):
    if m > 2:
        m = 1
    else:
        k = k * 7
    return k

@triton.jit
def in_loop(k, m):
    for i in range(m):
        k += k * i
    return k

@triton.jit
def k(o, n):
    m = tl.load(o)
    tl.store(o, in_if(n, m))
    tl.store(o + 1, in_else(n, m))
    tl.store(o + 2, in_loop(n, m))
    if m > 2:
        n = n * 5
    tl.store(o + 3, n)
)py";
  for (const char *run : {"k o=*i32 n=i32:1", "k o=*i32 n=i32"}) {
    std::vector<int32_t> out{3, 0, 0, 0};
    std::vector<ArgValue> args{ArgValue::pointer(out.data())};
    if (!llvm::StringRef(run).ends_with(":1")) {
      args.push_back(ArgValue::integer(1));
    }
    runText(text, run, std::move(args));
    EXPECT_THAT(out, ElementsAre(7, 1, 6, 5)) << run;
  }
}

} // namespace
