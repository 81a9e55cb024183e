//===- LegalizeMathTest.cpp - the library's functions against MPFR --------===//
//
// What   Each function goes through LegalizeMath for a target that has nothing
//        but the seeds, is run in the interpreter on 16,384 arguments, and is
//        compared with 200-bit results.
// Why    R7: the tolerances hold for the library's source on every target, so
//        also where seeds are off by as much as they may be and where a
//        compiler fuses every product with its sum.
//
//===----------------------------------------------------------------------===//
#include "test/unit/interpreter/ExactMath.h"

#include "core/interpreter/Compare.h"
#include "core/interpreter/Interpreter.h"
#include "core/interpreter/Tolerances.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tz;
using namespace tz::interpreter;
using tz::interpreter::test::Mpfr;

namespace {

constexpr int Tile = 1024, Programs = 16, Points = Tile * Programs;

/// What a target may do with the kernel that it is given.
struct Target {
  const char *name;
  std::set<std::string> features;
  bool isRough; // seeds are off by up to 2 units, and all is contracted
};

const Target Bare = {"bare", {}, false};
const Target Rough = {"rough", {}, true};
const Target Seeds = {"seeds", {"math.exp2.f32", "math.log2.f32"}, true};

void PrintTo(const Target &target, std::ostream *os) { *os << target.name; }

/// Functions by their name in features.
struct Function {
  const char *name, *op;
  bool isBinary = false;
};

void PrintTo(const Function &f, std::ostream *os) { *os << f.name; }

const Function MathFunctions[] = {
    {"exp", "tile.math exp"},         {"exp2", "tile.math exp2"},
    {"expm1", "tile.math expm1"},     {"log", "tile.math log"},
    {"log2", "tile.math log2"},       {"log1p", "tile.math log1p"},
    {"tanh", "tile.math tanh"},       {"erf", "tile.math erf"},
    {"sqrt", "tile.math sqrt"},       {"sqrt_rn", "tile.math sqrt_rn"},
    {"rsqrt", "tile.math rsqrt"},     {"sin", "tile.math sin"},
    {"cos", "tile.math cos"},         {"tan", "tile.math tan"},
    {"pow", "tile.pow", true},        {"div", "tile.divf approx", true},
    {"div_rn", "tile.divf rn", true}, {"rem", "tile.remf", true},
};

template <typename Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;

template <typename Real>
constexpr Kind KindOf = sizeof(Real) == 4 ? Kind::F32 : Kind::F64;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

template <typename Real>
std::vector<Real> specialArguments() {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> xs = {0, Limits::infinity(), Limits::denorm_min(),
                          Limits::min(), Limits::max()};
  auto near = [&](Real x) {
    xs.push_back(x);
    xs.push_back(std::nextafter(x, Limits::infinity()));
    xs.push_back(std::nextafter(x, Real(0)));
  };
  near(Limits::min());
  for (Real x : {0.28,   0.5,    0.5625, 0.95,  1.0,   1.5,      2.0,
                 3.0,    4.0,    6.1,    10.0,  20.0,  88.72284, 103.97208,
                 104.5,  127.0,  128.0,  149.0, 150.0, 709.7827, 745.1332,
                 1023.0, 1024.0, 1074.0, 1075.0}) {
    near(x);
  }
  for (int i = 1; i < 200; ++i) {
    near(Real(i * 0.34657359027997264)); // boundaries of n ln2
    near(Real(i * 0.7853981633974483));  // of n pi/2, and their middles
    near(Real(i + 0.5));
  }
  for (int e = -40; e < std::numeric_limits<Real>::max_exponent; ++e) {
    near(std::ldexp(Real(1), e));
    near(std::ldexp(Real(1.5707963267948966), e));
  }
  size_t count = xs.size();
  for (size_t i = 0; i < count; ++i) {
    xs.push_back(-xs[i]);
  }
  xs.push_back(Limits::quiet_NaN());
  return xs;
}

template <typename Real>
std::vector<Real> arguments() {
  std::mt19937_64 random(42);
  std::vector<Real> xs = specialArguments<Real>();
  auto unit = [&] { return std::ldexp(double(random() >> 11), -52) - 1; };
  const double largest = sizeof(Real) == 4 ? 110 : 760;
  while (xs.size() < Points) {
    xs.push_back(std::bit_cast<Real>(BitsOf<Real>(random())));
    for (double range : {1.0, 10.0, largest, 1e5}) {
      xs.push_back(Real(unit() * range));
    }
    xs.push_back(Real(1 + unit() * 0.5));
    xs.push_back(Real(std::ldexp(unit(), -int(random() % 30))));
  }
  xs.resize(Points);
  return xs;
}

/// Pairs of special values, and of random ones whose result is in range.
template <typename Real>
void pairs(const Function &function, std::vector<Real> &xs,
           std::vector<Real> &ys) {
  using Limits = std::numeric_limits<Real>;
  std::mt19937_64 random(43);
  auto add = [&](Real x, Real y) {
    xs.push_back(x);
    ys.push_back(y);
  };
  std::vector<Real> special = {0,
                               1,
                               2,
                               3,
                               0.5,
                               0.1,
                               7,
                               1e10,
                               1e-10,
                               Limits::infinity(),
                               Limits::denorm_min(),
                               Limits::min(),
                               Limits::max(),
                               Limits::quiet_NaN(),
                               std::nextafter(Real(1), Real(2)),
                               std::nextafter(Real(1), Real(0)),
                               std::nextafter(Real(2), Real(0)),
                               Limits::min() * 3,
                               Limits::denorm_min() * 5};
  size_t count = special.size();
  for (size_t i = 0; i < count; ++i) {
    special.push_back(-special[i]);
  }
  for (Real x : special) {
    for (Real y : special) {
      add(x, y);
    }
  }
  auto unit = [&] { return std::ldexp(double(random() >> 11), -52) - 1; };
  auto any = [&] { return std::bit_cast<Real>(BitsOf<Real>(random())); };
  const int exponents = Limits::max_exponent;
  while (xs.size() < Points) {
    add(any(), any());
    if (function.name == std::string("pow")) {
      Real x = std::fabs(any());
      double range =
          exponents * 1.1 / std::max(1e-6, std::fabs(std::log2(double(x))));
      add(x, Real(unit() * range));
      add(Real(1 + unit() * 0.4), Real(unit() * 2 * exponents));
      add(Real(unit() * 20), Real(std::rint(unit() * 30)));
      add(Real(1 + std::ldexp(unit(), -20)), Real(unit() * 1e8));
      continue;
    }
    // Small distances of exponents, and quotients that are denormal.
    int n = int(random() % 40) - 20, e = int(random() % (2 * exponents - 80));
    add(Real(std::ldexp(unit(), n)), Real(unit()));
    Real y = std::ldexp(Real(unit()), e - exponents + 60);
    add(y * Limits::min() *
            std::ldexp(Real(1 + unit()), 2 - int(random() % 50)),
        y);
    Real odd = std::bit_cast<Real>(std::bit_cast<BitsOf<Real>>(Real(1)) |
                                   BitsOf<Real>(random() % 8));
    add(Real(1), odd);
    add(Real(2) - odd, std::nextafter(Real(2), Real(0)));
  }
  xs.resize(Points);
  ys.resize(Points);
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

std::string kernelText(const Function &function, const std::string &type) {
  std::string tile = "tensor<" + std::to_string(Tile) + "x" + type + ">";
  std::string pointers =
      "tensor<" + std::to_string(Tile) + "x!tile.ptr<" + type + ">>";
  std::string index = "tensor<" + std::to_string(Tile) + "xi32>";
  std::string text = "tile.kernel @k(%out: !tile.ptr<" + type +
                     ">, %x: !tile.ptr<" + type + ">, %y: !tile.ptr<" + type +
                     ">) {\n"
                     "  %id = tile.program_id 0\n"
                     "  %size = arith.constant " +
                     std::to_string(Tile) +
                     " : i32\n"
                     "  %start = arith.muli %id, %size : i32\n"
                     "  %s = tile.splat %start : i32 -> " +
                     index + "\n  %r = tile.range 0 to " +
                     std::to_string(Tile) + " : " + index +
                     "\n  %i = arith.addi %s, %r : " + index + "\n";
  for (const char *name : {"out", "x", "y"}) {
    text += std::string("  %b") + name + " = tile.splat %" + name +
            " : !tile.ptr<" + type + "> -> " + pointers + "\n  %p" + name +
            " = tile.addptr %b" + name + ", %i : " + pointers + ", " + index +
            "\n";
  }
  for (const char *name : {"x", "y"}) {
    text += std::string("  %v") + name + " = tile.load %p" + name + " : " +
            pointers + " -> " + tile + "\n";
  }
  text += std::string("  %v = ") + function.op + " %vx" +
          (function.isBinary ? ", %vy" : "") + " : " + tile +
          "\n  tile.store %pout, %v : " + pointers + ", " + tile +
          "\n  tile.return\n}\n";
  return text;
}

/// Moves what a seed gives by -2 .. 2 units, as its bits have it; not beside a
/// power of two, where the units of one side are two of the other.
void roughen(mlir::Operation *seed) {
  mlir::OpBuilder b(seed->getContext());
  b.setInsertionPointAfter(seed);
  mlir::Location loc = seed->getLoc();
  mlir::Value value = seed->getResult(0);
  auto shapedAs = [&](mlir::Type element) -> mlir::Type {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    return tensor ? tensor.clone(element) : element;
  };
  auto constant = [&](mlir::TypedAttr attr) -> mlir::Value {
    mlir::Type type = shapedAs(attr.getType());
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
      attr = mlir::DenseElementsAttr::get(tensor, mlir::Attribute(attr));
    }
    return mlir::arith::ConstantOp::create(b, loc, attr);
  };
  auto integer = [&](int64_t v) { return constant(b.getI32IntegerAttr(v)); };
  auto real = [&](float v) { return constant(b.getF32FloatAttr(v)); };
  mlir::Type i32 = shapedAs(b.getI32Type());
  mlir::Value bits = tile::BitcastOp::create(b, loc, i32, value);
  mlir::Value hash =
      mlir::arith::MulIOp::create(b, loc, bits, integer(int32_t(0x9e3779b1)));
  hash = tile::ShrUIOp::create(b, loc, hash, integer(29));
  hash = tile::MinUIOp::create(b, loc, hash, integer(4));
  hash = mlir::arith::SubIOp::create(b, loc, hash, integer(2));
  mlir::Value moved = mlir::arith::AddIOp::create(b, loc, bits, hash);
  moved = tile::BitcastOp::create(b, loc, value.getType(), moved);
  mlir::Value size =
      tile::MathOp::create(b, loc, value.getType(), tile::MathFn::abs, value);
  using Predicate = mlir::arith::CmpFPredicate;
  mlir::Value large =
      mlir::arith::CmpFOp::create(b, loc, Predicate::OGT, size,
                                  real(2 * std::numeric_limits<float>::min()));
  mlir::Value small =
      mlir::arith::CmpFOp::create(b, loc, Predicate::OLT, size,
                                  real(std::numeric_limits<float>::max() / 2));
  mlir::Value usual = mlir::arith::AndIOp::create(b, loc, large, small);
  mlir::Value fraction =
      mlir::arith::AndIOp::create(b, loc, bits, integer(0x7ffffc));
  for (int64_t edge : {0, 0x7ffffc}) {
    usual = mlir::arith::AndIOp::create(
        b, loc, usual,
        mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ne,
                                    fraction, integer(edge)));
  }
  mlir::Value result =
      mlir::arith::SelectOp::create(b, loc, usual, moved, value);
  value.replaceUsesWithIf(result, [&](mlir::OpOperand &use) {
    mlir::Operation *user = use.getOwner();
    return user != bits.getDefiningOp() && user != size.getDefiningOp() &&
           user != result.getDefiningOp();
  });
}

/// x * y + z with one rounding wherever a compiler may.
void contract(mlir::Operation *sum) {
  mlir::OpBuilder b(sum);
  bool isDifference = mlir::isa<mlir::arith::SubFOp>(sum);
  for (unsigned i : {0, 1}) {
    auto product = sum->getOperand(i).getDefiningOp<mlir::arith::MulFOp>();
    if (!product) {
      continue;
    }
    mlir::Value x = product.getLhs(), z = sum->getOperand(1 - i);
    if (isDifference) {
      mlir::Value &negated = i == 0 ? z : x;
      negated = mlir::arith::NegFOp::create(b, sum->getLoc(), negated);
    }
    sum->getResult(0).replaceAllUsesWith(tile::FmaOp::create(
        b, sum->getLoc(), sum->getResult(0).getType(), x, product.getRhs(), z));
    return;
  }
}

bool isSeed(mlir::Operation *op) {
  if (!op->getNumResults() ||
      !tile::elementType(op->getResult(0).getType()).isF32()) {
    return false;
  }
  if (auto math = mlir::dyn_cast<tile::MathOp>(op)) {
    return llvm::is_contained(
        {tile::MathFn::rsqrt, tile::MathFn::exp2, tile::MathFn::log2},
        math.getFn());
  }
  auto division = mlir::dyn_cast<tile::DivFOp>(op);
  return division && division.getMode() == tile::DivMode::approx;
}

template <typename Element>
std::vector<Element> execute(mlir::ModuleOp module,
                             const std::vector<Element> &xs,
                             const std::vector<Element> &ys) {
  std::vector<Element> out(xs.size());
  LaunchArgs launch;
  launch.grid = {Programs, 1, 1};
  for (const Element *buffer :
       {static_cast<const Element *>(out.data()), xs.data(), ys.data()}) {
    launch.args.push_back(ArgValue::pointer(buffer));
  }
  Report report;
  if (auto error = run(*module.getOps<tile::KernelOp>().begin(), launch,
                       Options(), report)) {
    ADD_FAILURE() << llvm::toString(std::move(error));
  }
  return out;
}

/// What the target computes for each argument.
template <typename Real>
std::vector<Real> compute(const Function &function, const Target &target,
                          const std::vector<Real> &xs,
                          const std::vector<Real> &ys) {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      kernelText(function, sizeof(Real) == 4 ? "f32" : "f64"), &context);
  optimizer::TargetFacts facts;
  facts.features = target.features;
  facts.features.insert("f64");
  if (!module || failed(optimizer::runPrepared(*module, facts))) {
    ADD_FAILURE() << function.name << " does not compile";
    return {};
  }
  std::vector<mlir::Operation *> seeds, sums;
  module->walk([&](mlir::Operation *op) {
    if (isSeed(op)) {
      seeds.push_back(op);
    } else if (mlir::isa<tile::MathOp, tile::PowOp, tile::RemFOp, tile::DivFOp>(
                   op)) {
      auto math = mlir::dyn_cast<tile::MathOp>(op);
      EXPECT_TRUE(math && (math.getFn() == tile::MathFn::rint ||
                           math.getFn() == tile::MathFn::trunc ||
                           math.getFn() == tile::MathFn::abs))
          << "left over: " << op->getName().getStringRef().str();
    } else if (mlir::isa<mlir::arith::AddFOp, mlir::arith::SubFOp>(op)) {
      sums.push_back(op);
    }
  });
  if (target.isRough) {
    llvm::for_each(seeds, roughen);
    llvm::for_each(sums, contract);
  }
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  return execute(*module, xs, ys);
}

//===----------------------------------------------------------------------===//
// Judgement
//===----------------------------------------------------------------------===//

/// How many units in its last place `actual` is off the exact value; a NaN for
/// a NaN is 0, anything else that is no number infinite.
template <typename Real>
double unitsOff(const Mpfr &exact, Real actual) {
  using Limits = std::numeric_limits<Real>;
  if (mpfr_nan_p(exact.value) || std::isnan(actual)) {
    return mpfr_nan_p(exact.value) && std::isnan(actual) ? 0 : INFINITY;
  }
  if (mpfr_inf_p(exact.value)) {
    return actual == mpfr_get_d(exact.value, MPFR_RNDN) ? 0 : INFINITY;
  }
  if (mpfr_zero_p(exact.value) && actual == 0) {
    bool isNegative = mpfr_signbit(exact.value) != 0;
    return isNegative == std::signbit(actual) ? 0 : INFINITY;
  }
  long exponent = mpfr_zero_p(exact.value) ? Limits::min_exponent
                                           : mpfr_get_exp(exact.value);
  exponent =
      std::clamp<long>(exponent, Limits::min_exponent, Limits::max_exponent);
  Mpfr off;
  if (std::isinf(actual)) { // stands for the number after the largest
    mpfr_set_ui_2exp(off.value, 1, Limits::max_exponent, MPFR_RNDN);
    if (actual < 0) {
      mpfr_neg(off.value, off.value, MPFR_RNDN);
    }
  } else {
    mpfr_set_d(off.value, actual, MPFR_RNDN);
  }
  mpfr_sub(off.value, off.value, exact.value, MPFR_RNDN);
  mpfr_mul_2si(off.value, off.value, Limits::digits - exponent, MPFR_RNDN);
  // Beyond the largest number every value is as infinite as the next.
  bool isOver = std::isinf(actual) && mpfr_get_exp(exact.value) > exponent &&
                (mpfr_sgn(exact.value) < 0) == (actual < 0);
  return isOver ? 0 : std::fabs(mpfr_get_d(off.value, MPFR_RNDN));
}

/// The exact result, and how many units the table allows.
double truth(const Function &function, Mpfr &exact, double x, double y) {
  Mpfr a, b;
  mpfr_set_d(a.value, x, MPFR_RNDN);
  mpfr_set_d(b.value, y, MPFR_RNDN);
  std::string name = function.name;
  if (name == "pow") {
    mpfr_pow(exact.value, a.value, b.value, MPFR_RNDN);
    return powUlps();
  }
  if (name == "rem") {
    mpfr_fmod(exact.value, a.value, b.value, MPFR_RNDN);
    return 0;
  }
  if (function.isBinary) {
    mpfr_div(exact.value, a.value, b.value, MPFR_RNDN);
    return name == "div" ? divisionUlps() : 0;
  }
  auto fn = *tile::symbolizeMathFn(name);
  interpreter::test::exact(fn, exact, a);
  return mathUlps(fn, std::isnan(x) ? 0 : std::fabs(x));
}

template <typename Real>
void expectWithin(const Function &function, const Target &target) {
  std::vector<Real> xs, ys;
  if (function.isBinary) {
    pairs(function, xs, ys);
  } else {
    xs = ys = arguments<Real>();
  }
  std::vector<Real> actual = compute(function, target, xs, ys);
  double worst = 0, worstAt = 0;
  unsigned failures = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    Mpfr exact;
    double limit = truth(function, exact, xs[i], ys[i]);
    // The table's figures hold half a unit for the interpreter's rounding.
    limit = limit == 0 ? 0.5 : limit - (target.isRough ? 0 : 0.5);
    double units = unitsOff(exact, actual[i]);
    if (units / limit > worst) {
      worst = units / limit, worstAt = xs[i];
    }
    if (!(units <= limit) && ++failures <= 5) {
      ADD_FAILURE() << function.name << "(" << xs[i] << ", " << ys[i] << ") is "
                    << actual[i] << ", " << units << " units off; " << limit
                    << " are allowed";
    }
  }
  EXPECT_EQ(failures, 0u);
  std::printf("%-8s f%zu %-6s %.2f of the limit at %.17g\n", function.name,
              8 * sizeof(Real), target.name, worst, worstAt);
}

class LegalizeMath
    : public testing::TestWithParam<std::tuple<Function, Target>> {};

TEST_P(LegalizeMath, StaysWithinTheTolerances) {
  auto [function, target] = GetParam();
  expectWithin<float>(function, target);
  expectWithin<double>(function, target);
}

/// f16 by way of f32: roots and quotients are rounded as if at once.
TEST(LegalizeMathOfHalf, RoundsAsTheInterpreterDoes) {
  std::vector<uint16_t> xs, ys;
  for (int i = 0; i < Points; ++i) {
    xs.push_back(uint16_t(4 * i + 1)); // every fourth value there is
    ys.push_back(uint16_t(0x9e3779b1u * unsigned(i) >> 16));
  }
  for (const Function &function : MathFunctions) {
    mlir::DialectRegistry registry;
    tile::registerTileDialects(registry);
    mlir::MLIRContext context(registry);
    context.loadAllAvailableDialects();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        kernelText(function, "f16"), &context);
    ASSERT_TRUE(module);
    std::vector<uint16_t> expected = execute(*module, xs, ys);
    ASSERT_TRUE(succeeded(optimizer::runPrepared(*module, {})));
    std::vector<uint16_t> actual = execute(*module, xs, ys);
    bool isRounded = llvm::is_contained({"sqrt_rn", "div_rn", "rem"},
                                        llvm::StringRef(function.name));
    uint64_t worst = 0;
    for (int i = 0; i < Points; ++i) {
      worst = std::max(worst, ulpDistance(Kind::F16, expected[i], actual[i]));
    }
    EXPECT_LE(worst, isRounded ? 0u : 1u) << function.name;
  }
}

/// Operands of a remainder: `kind` says how far apart and how close to a
/// multiple they are.
std::pair<float, float> operandsOfRemainder(unsigned kind,
                                            std::mt19937_64 &random) {
  auto bits = [&](uint32_t mask) { return uint32_t(random()) & mask; };
  auto asFloat = [](uint32_t word) { return std::bit_cast<float>(word); };
  auto moved = [&](float x) { // by -1 .. 1 units
    return asFloat(std::bit_cast<uint32_t>(x) + uint32_t(random() % 3) - 1);
  };
  float x = asFloat(bits(~0u)), y = asFloat(bits(~0u));
  switch (kind) {
  case 0: // any
    break;
  case 1: // numbers of 8 bits
    x = asFloat(bits(0xffff0000));
    y = asFloat(bits(0xffff0000));
    break;
  case 2: // quotients of up to 60 bits
    y = std::copysign(std::ldexp(x, 2 - int(random() % 62)) *
                          (1 + float(random() % 1000)),
                      y);
    break;
  case 3: // multiples and their neighbours, up to 2**26
    y = std::ldexp(1 + float(bits(0xffffff)), int(random() % 220) - 140);
    x = moved(y * float(1 + bits((4u << random() % 25) - 1)));
    break;
  case 4: // beside half, one and two
    x = moved(moved(std::ldexp(y, int(random() % 3) - 1)));
    break;
  case 5: // denormal divisors
    x = std::ldexp(x, -int(random() % 200));
    y = asFloat(bits(0x807fffff));
    break;
  case 6: // the largest divisors, infinity and NaN
    x = asFloat(bits(0x817fffff) + 0x7e000000);
    y = asFloat(bits(0x81ffffff) + 0x7e000000);
    break;
  case 7: // whole numbers
    x = float(random() % 10000000);
    y = -float(1 + random() % 1000);
    break;
  default: // zeros and infinities
    for (float *one : {&x, &y}) {
      if (random() % 2) {
        *one = std::copysign(random() % 2 ? 0.0f : INFINITY, *one);
      }
    }
    break;
  }
  return random() % 2 ? std::pair(x, y) : std::pair(-x, -y);
}

/// Bit for bit those of C, whatever the estimate of the quotient is.
TEST(LegalizeMathOfRemainders, AreThoseOfC) {
  constexpr unsigned kinds = 9;
  const Function rem = {"rem", "tile.remf", true};
  std::mt19937_64 random(44);
  for (unsigned kind = 0; kind < kinds; ++kind) {
    std::vector<float> xs, ys;
    for (int i = 0; i < Points; ++i) {
      auto [x, y] = operandsOfRemainder(kind, random);
      xs.push_back(x);
      ys.push_back(y);
    }
    for (const Target &target : {Bare, Rough}) {
      std::vector<float> actual = compute(rem, target, xs, ys);
      unsigned failures = 0;
      for (size_t i = 0; i < actual.size() && failures < 5; ++i) {
        const float expected = std::fmod(xs[i], ys[i]);
        const bool isSame = std::isnan(expected)
                                ? std::isnan(actual[i])
                                : std::bit_cast<uint32_t>(expected) ==
                                      std::bit_cast<uint32_t>(actual[i]);
        if (!isSame) {
          ++failures;
          ADD_FAILURE() << kind << ", " << target.name << ": " << xs[i] << " % "
                        << ys[i] << " is " << actual[i] << ", not " << expected;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, LegalizeMath,
                         testing::Combine(testing::ValuesIn(MathFunctions),
                                          testing::Values(Bare, Rough, Seeds)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  "_" + std::get<1>(info.param).name;
                         });

} // namespace
