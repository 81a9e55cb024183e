//===- ValuesTest.cpp - what expressions of the language compute ----------===//
//
// What   Expressions, elaborated and run by the reference interpreter, against
//        numbers that were written down by hand or computed from the rule.
// Why    Right types with wrong operands is the mistake that a look at the IR
//        does not show.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/KernelFile.h"

#include "core/interpreter/Interpreter.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tz::frontend;

namespace {

constexpr size_t Lanes = 8;

class Values : public testing::Test {
protected:
  Values() {
    mlir::DialectRegistry registry;
    tz::tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Runs the lines; they set `z`, a scalar or eight lanes. `x` is 0 .. 7.
  std::vector<double> run(const std::string &lines) {
    std::string text =
        "import triton\nimport triton.language as tl\n"
        "from triton.language.extra import libdevice\n"
        "@triton.jit\ndef first(a, i, b, j):\n"
        "    return tl.where(i < j, a, b), tl.minimum(i, j)\n"
        "@triton.jit\ndef later(a, b):\n    return b\n"
        "@triton.jit\ndef k(out, data, n):\n    x = tl.arange(0, 8)\n";
    std::string line;
    for (char c : lines + "\n") {
      if (c == '\n') {
        text += "    " + line + "\n";
        line.clear();
      } else {
        line += c;
      }
    }
    text += "    z = tl.broadcast_to(z, (8,))\n"
            "    tl.store(out + x, z.to(tl.float64))\n";
    test::KernelRun spec = test::parseRun("k out=*fp64 data=*i32 n=i32");
    DiagnosticSink sink;
    Module module = parseModule("t.py", text, sink);
    auto ir = elaborate(module, "k", spec.spec, context, sink);
    EXPECT_EQ(sink.str(), "");
    std::vector<double> out(Lanes, -12345);
    if (!ir) {
      return out;
    }
    std::vector<int32_t> data(64);
    for (int i = 0; i < 64; ++i) {
      data[i] = i * 10;
    }
    namespace in = tz::interpreter;
    in::LaunchArgs launch;
    launch.args = {in::ArgValue::pointer(out.data()),
                   in::ArgValue::pointer(data.data()),
                   in::ArgValue::integer(5)};
    in::Options options;
    options.memory = {{reinterpret_cast<uintptr_t>(out.data()), 64, "out"},
                      {reinterpret_cast<uintptr_t>(data.data()), 256, "data"}};
    in::Report report;
    llvm::Error error = in::run(*ir->getOps<tz::tile::KernelOp>().begin(),
                                launch, options, report);
    EXPECT_EQ(error ? llvm::toString(std::move(error)) : "", "") << lines;
    return out;
  }

  mlir::MLIRContext context;
};

struct ValueRow {
  const char *lines;
  std::vector<double> expected; // one: all lanes
};

const double Nan = NAN;

TEST_F(Values, AreAsWritten) {
  const ValueRow rows[] = {
      // Division and remainder truncate on tiles, round down on constants.
      {"z = (x - 4) // 3", {-1, -1, 0, 0, 0, 0, 0, 1}},
      {"z = (x - 4) % 3", {-1, 0, -2, -1, 0, 1, 2, 0}},
      {"z = x + (-7 // 2)", {-4, -3, -2, -1, 0, 1, 2, 3}},
      {"z = x / 2", {0, .5, 1, 1.5, 2, 2.5, 3, 3.5}},
      {"z = (x - 4).to(tl.float32) % 3", {-1, -0., -2, -1, 0, 1, 2, 0}},
      {"z = tl.cdiv(x, 3)", {0, 1, 1, 1, 2, 2, 2, 3}},
      // Shifts, signs.
      {"z = (x - 4) >> 1", {-2, -2, -1, -1, 0, 0, 1, 1}},
      {"z = (x - 4).to(tl.uint32) >> 28", {15, 15, 15, 15, 0, 0, 0, 0}},
      {"z = 1 << x", {1, 2, 4, 8, 16, 32, 64, 128}},
      {"z = (x - 4) < x.to(tl.uint32)", {0, 0, 0, 0, 1, 1, 1, 1}},
      {"z = ~x", {-1, -2, -3, -4, -5, -6, -7, -8}},
      {"z = x ^ 5", {5, 4, 7, 6, 1, 0, 3, 2}},
      {"z = -x.to(tl.uint8)", {0, 255, 254, 253, 252, 251, 250, 249}},
      {"z = x.to(tl.int8) * 100", {0, 100, -56, 44, -112, -12, 88, -68}},
      {"z = tl.umulhi(x.to(tl.uint32) << 30, 8)", {0, 2, 4, 6, 0, 2, 4, 6}},
      // Conversions.
      {"z = (x.to(tl.float32) * 1e9).to(tl.int32)",
       {0, 1e9, 2e9, 2147483647, 2147483647, 2147483647, 2147483647,
        2147483647}},
      {"z = (x.to(tl.float32) - 1.5).to(tl.uint8)", {0, 0, 0, 1, 2, 3, 4, 5}},
      {"z = (x * 100).to(tl.float8e4nv)",
       {0, 96, 192, 288, 384, 448, 448, 448}},
      {"z = (x.to(tl.float32) + 8.0077).to(tl.float16, "
       "fp_downcast_rounding='rtz')",
       {8, 9, 10, 11, 12, 13, 14, 15}},
      {"z = x.to(tl.int1)", {0, 1, 1, 1, 1, 1, 1, 1}},
      {"z = (x + 127 << 23).to(tl.float32, bitcast=True)",
       {1, 2, 4, 8, 16, 32, 64, 128}},
      // Choice, extrema.
      {"z = tl.where(x < 3, x, -1)", {0, 1, 2, -1, -1, -1, -1, -1}},
      {"z = tl.maximum(x, 3)", {3, 3, 3, 3, 4, 5, 6, 7}},
      {"z = tl.minimum(x.to(tl.float32), float('nan'))",
       {0, 1, 2, 3, 4, 5, 6, 7}},
      {"z = tl.maximum(x.to(tl.float32), float('nan'), "
       "propagate_nan=tl.PropagateNan.ALL)",
       {Nan}},
      {"z = tl.clamp(x.to(tl.float32), 2.0, 5.0)", {2, 2, 2, 3, 4, 5, 5, 5}},
      {"z = tl.abs(x - 4)", {4, 3, 2, 1, 0, 1, 2, 3}},
      {"z = tl.fma(x.to(tl.float32), 2.0, 1.0)", {1, 3, 5, 7, 9, 11, 13, 15}},
      {"z = tl.sqrt(x.to(tl.float32) * x)", {0, 1, 2, 3, 4, 5, 6, 7}},
      // Shapes.
      {"z = tl.reshape(tl.trans(x.reshape(2, 4)), 8)",
       {0, 4, 1, 5, 2, 6, 3, 7}},
      {"z = tl.sum(x[:, None] * tl.arange(0, 4)[None, :], 1)",
       {0, 6, 12, 18, 24, 30, 36, 42}},
      {"a, b = tl.split(x.reshape(4, 2))\nz = tl.interleave(b, a)",
       {1, 0, 3, 2, 5, 4, 7, 6}},
      {"z = tl.ravel(tl.join(tl.arange(0, 4), tl.arange(4, 8)))",
       {0, 4, 1, 5, 2, 6, 3, 7}},
      {"z = tl.cat(tl.arange(4, 8), tl.arange(0, 4))",
       {4, 5, 6, 7, 0, 1, 2, 3}},
      {"z = tl.flip(x, 0)", {7, 6, 5, 4, 3, 2, 1, 0}},
      {"z = tl.gather(x * x, 7 - x, 0)", {49, 36, 25, 16, 9, 4, 1, 0}},
      {"z = tl.ravel(tl.permute(x.reshape(2, 2, 2), (2, 0, 1)))",
       {0, 2, 4, 6, 1, 3, 5, 7}},
      // Reductions, scans.
      {"z = tl.sum(x)", {28}},
      {"z = tl.sum(x.reshape(2, 4), 0)[None, :].broadcast_to(2, 4).ravel()",
       {4, 6, 8, 10, 4, 6, 8, 10}},
      {"z = tl.max(x * (7 - x), 0)", {12}},
      {"z = tl.argmax(x * (7 - x), 0)", {3}},
      {"z = tl.argmin(x * (7 - x), 0)", {0}},
      {"m, i = tl.max((x - 3) * (x - 3), 0, return_indices=True)\nz = m + i",
       {23}},
      {"z = tl.argmax(tl.where(x == 2, float('nan'), x.to(tl.float32)), 0)",
       {7}},
      {"z = tl.xor_sum(x + 1, 0)", {8}},
      {"z = tl.sum(x.to(tl.int8) * 20, 0)", {304}},
      {"z = tl.sum((x < 5), 0)", {5}},
      {"a, i = tl.reduce((x * 2, x), 0, first)\nz = a * 10 + i", {0}},
      {"z = tl.cumsum(x, 0)", {0, 1, 3, 6, 10, 15, 21, 28}},
      {"z = tl.cumsum(x, 0, reverse=True)", {28, 28, 27, 25, 22, 18, 13, 7}},
      {"z = tl.cumprod(x + 1, 0)", {1, 2, 6, 24, 120, 720, 5040, 40320}},
      {"z = tl.associative_scan(x, 0, later)", {0, 1, 2, 3, 4, 5, 6, 7}},
      {"z = tl.histogram(x // 3, 8)", {3, 3, 2, 0, 0, 0, 0, 0}},
      {"z = tl.histogram(x // 3, 8, mask=x < 4)", {3, 1, 0, 0, 0, 0, 0, 0}},
      // Sorting.
      {"z = tl.sort((x * 5) % 8)", {0, 1, 2, 3, 4, 5, 6, 7}},
      {"z = tl.sort((x * 5) % 8, descending=True)", {7, 6, 5, 4, 3, 2, 1, 0}},
      {"z = tl.sort(tl.where(x == 1, float('nan'), (x * 3 % "
       "8).to(tl.float32)))",
       {0, 1, 2, 4, 5, 6, 7, Nan}},
      {"z = tl.sort((x * 3 % 8).reshape(2, 4), 1).ravel()",
       {0, 1, 3, 6, 2, 4, 5, 7}},
      {"t = tl.topk((x * 5) % 8, 4)\nz = tl.join(t, t).ravel()",
       {7, 7, 6, 6, 5, 5, 4, 4}},
      // Products.
      {"a = tl.broadcast_to(x[:, None], (8, 8)).to(tl.float16)\n"
       "z = tl.sum(tl.dot(a, tl.trans(a)), 1)",
       {0, 224, 448, 672, 896, 1120, 1344, 1568}},
      {"a = tl.broadcast_to(x[:, None], (8, 8)).to(tl.int8)\n"
       "c = tl.dot(a, a, tl.full([8, 8], 1, tl.int32))\nz = tl.max(c, 1)",
       {1, 29, 57, 85, 113, 141, 169, 197}},
      // Memory.
      {"z = tl.load(data + x, mask=x < n)", {0, 10, 20, 30, 40, 0, 0, 0}},
      {"z = tl.load(data + x, mask=x < n, other=-3)",
       {0, 10, 20, 30, 40, -3, -3, -3}},
      {"z = tl.load(data + n)", {50}},
      {"p = tl.make_block_ptr(data, (8, 5), (8, 1), (1, 2), (2, 4), (1, 0))\n"
       "z = tl.load(p, boundary_check=(1,)).ravel()",
       {100, 110, 120, 0, 180, 190, 200, 0}},
      {"p = tl.make_block_ptr(data, (8, 8), (8, 1), (0, 0), (2, 4), (1, 0))\n"
       "p = tl.advance(p, (1, 2))\nz = tl.load(p).ravel()",
       {100, 110, 120, 130, 180, 190, 200, 210}},
      {"d = tl.make_tensor_descriptor(data, [8, 8], [8, 1], [2, 4])\n"
       "z = d.load([7, 6]).ravel()",
       {620, 630, 0, 0, 0, 0, 0, 0}},
      {"a = tl.atomic_add(data + x * 0, 1)\nz = tl.load(data)", {8}},
      {"a = tl.atomic_max(data + x, 35, mask=x < 3)\nz = tl.load(data + x)",
       {35, 35, 35, 30, 40, 50, 60, 70}},
      {"a = tl.atomic_cas(data + x, 20, 7)\nz = tl.load(data + x) + a",
       {0, 20, 27, 60, 80, 100, 120, 140}},
      {"tl.store(data + x, x * x, mask=x > n)\nz = tl.load(data + x)",
       {0, 10, 20, 30, 40, 50, 36, 49}},
      // Control flow.
      {"z = x\nfor i in range(n):\n    z += i",
       {10, 11, 12, 13, 14, 15, 16, 17}},
      {"z = x\nfor i in range(n, 0, -2):\n    z = z * 2 + i",
       {27, 35, 43, 51, 59, 67, 75, 83}},
      {"z = x\nif n > 4:\n    z = x * 2\nelse:\n    z = x + 1",
       {0, 2, 4, 6, 8, 10, 12, 14}},
      {"i = 0\nwhile i < n:\n    i += 2\nz = i", {6}},
      // Random numbers: the known answer of Philox 4x32-10 at zero.
      {"a, b, c, d = tl.philox(0, x * 0, x * 0, x * 0, x * 0)\nz = tl.where("
       "x == 0, a, tl.where(x == 1, b, tl.where(x == 2, c, d)))",
       {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x9b00dbd8, 0x9b00dbd8,
        0x9b00dbd8, 0x9b00dbd8}},
      {"z = tl.softmax(x.to(tl.float32) * 0)", {0.125}},
      {"z = tl.sigmoid(x.to(tl.float32) * 0)", {0.5}},
      {"a, b = tl.swizzle2d(x // 4, x % 4, 2, 4, 2)\nz = a * 10 + b",
       {0, 10, 1, 11, 2, 12, 3, 13}},
  };
  for (const ValueRow &row : rows) {
    std::vector<double> found = run(row.lines);
    for (size_t i = 0; i < Lanes; ++i) {
      double expected =
          row.expected.size() == 1 ? row.expected[0] : row.expected[i];
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(found[i])) << row.lines << " lane " << i;
      } else {
        EXPECT_EQ(found[i], expected) << row.lines << " lane " << i;
      }
    }
  }
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

struct MathRow {
  const char *expression; // of v = (x - shift) * scale
  double shift, scale;
  double (*expected)(double);
};

TEST_F(Values, LibraryFunctions) {
  const MathRow rows[] = {
      {"libdevice.atan(v)", 3.5, 0.7, [](double v) { return std::atan(v); }},
      {"libdevice.atan(v)", 3.5, 90, [](double v) { return std::atan(v); }},
      {"libdevice.atan2(v, 1.0 - v)", 3.5, 0.7,
       [](double v) { return std::atan2(v, 1 - v); }},
      {"libdevice.asin(v)", 3.5, 1 / 3.5,
       [](double v) { return std::asin(v); }},
      {"libdevice.acos(v)", 3.5, 1 / 3.5,
       [](double v) { return std::acos(v); }},
      {"libdevice.sinh(v)", 3.5, 2, [](double v) { return std::sinh(v); }},
      {"libdevice.cosh(v)", 3.5, 2, [](double v) { return std::cosh(v); }},
      {"libdevice.asinh(v)", 3.5, 3, [](double v) { return std::asinh(v); }},
      {"libdevice.acosh(v)", -1, 1.5, [](double v) { return std::acosh(v); }},
      {"libdevice.atanh(v)", 3.5, 0.25, [](double v) { return std::atanh(v); }},
      {"libdevice.exp10(v)", 3.5, 1, [](double v) { return std::pow(10, v); }},
      {"libdevice.log10(v)", -1, 37, [](double v) { return std::log10(v); }},
      {"libdevice.cbrt(v)", 3, 2.5, [](double v) { return std::cbrt(v); }},
      {"libdevice.hypot(v, 3.0)", 3, 2,
       [](double v) { return std::hypot(v, 3.0); }},
      {"libdevice.erfc(v)", 1, 0.9, [](double v) { return std::erfc(v); }},
      {"libdevice.erf(libdevice.erfinv(v))", 3.5, 0.28,
       [](double v) { return v; }},
      {"libdevice.lgamma(v)", 3.3, 1.1,
       [](double v) { return std::lgamma(v); }},
      {"libdevice.tgamma(v)", 3.3, 1.1,
       [](double v) { return std::tgamma(v); }},
      {"libdevice.sinpi(v)", 3.5, 0.3,
       [](double v) { return std::sin(M_PI * v); }},
      {"libdevice.cospi(v)", 3.25, 0.3,
       [](double v) { return std::cos(M_PI * v); }},
      {"libdevice.round(v)", 4, 0.5, [](double v) { return std::round(v); }},
      {"libdevice.fmod(v, 1.3)", 3, 0.8,
       [](double v) { return std::fmod(v, 1.3); }},
      {"libdevice.pow(v, 2.5)", -1, 0.5,
       [](double v) { return std::pow(v, 2.5); }},
      {"libdevice.copysign(v, -1.0)", 3, 1,
       [](double v) { return std::copysign(v, -1.0); }},
      {"libdevice.nextafter(v, v + 1.0)", 3, 1,
       [](double v) { return std::nextafter(v, v + 1); }},
      {"libdevice.popc(x * 1234567)", 0, 1,
       [](double v) { return double(__builtin_popcount(int(v) * 1234567)); }},
      {"libdevice.clz(x * 4321)", 0, 1,
       [](double v) { return v ? double(__builtin_clz(int(v) * 4321)) : 32; }},
      {"libdevice.ffs(x * 8)", 0, 1,
       [](double v) { return double(__builtin_ffs(int(v) * 8)); }},
      {"libdevice.isnan(v / (v - v))", 0, 1,
       [](double v) { return double(v == 0.0); }},
      {"libdevice.finitef(1.0 / v)", 0, 1,
       [](double v) { return double(v != 0.0); }},
      {"tl.math.finitef(1.0 / v)", 0, 1,
       [](double v) { return double(v != 0.0); }},
      {"tl.math.isfinited(1.0 / v)", 0, 1,
       [](double v) { return double(v != 0.0); }},
      {"tl.math.isinf(1.0 / v)", 0, 1,
       [](double v) { return double(v == 0.0); }},
      {"tl.math.isnan(v / (v - v))", 0, 1,
       [](double v) { return double(v == 0.0); }},
  };
  for (const MathRow &row : rows) {
    for (const char *type : {"float64", "float32"}) {
      char setup[160];
      snprintf(setup, sizeof setup,
               "v = (x.to(tl.%s) - %.17g) * %.17g\nz = ", type, row.shift,
               row.scale);
      std::vector<double> found = run(setup + std::string(row.expression));
      for (size_t i = 0; i < Lanes; ++i) {
        bool single = type[5] == '3';
        double v =
            single
                ? float(float(double(i) - float(row.shift)) * float(row.scale))
                : (double(i) - row.shift) * row.scale;
        double expected = row.expected(v);
        std::string at = std::string(row.expression) + " " + type + " of " +
                         std::to_string(v);
        if (contains(row.expression, "nextafter") && single) {
          expected = std::nextafter(float(v), float(v) + 1);
        }
        if (std::isnan(expected) || std::isinf(expected)) {
          EXPECT_TRUE(std::isnan(expected) ? std::isnan(found[i])
                                           : found[i] == expected)
              << at << " is " << found[i];
          continue;
        }
        double tolerance =
            (single ? 2e-6 : 1e-11) * std::max(1e-6, std::abs(expected));
        EXPECT_NEAR(found[i], expected, tolerance) << at;
      }
    }
  }
}

} // namespace
