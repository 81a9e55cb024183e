//===- DotTest.cpp - Packing and micro-kernels against a plain loop -------===//
//
// What   Shapes that divide and shapes that do not, every element type, sources
//        in all orientations, partial tiles whose rest holds NaN; small
//        integers, so that every order of summation gives the same bits.
// Why    Blocking errors show at edges only.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/Dot.h"

#include "gtest/gtest.h"

#include "plugins/cpu/test/Jit.h"

#include <cstring>
#include <limits>
#include <random>

using namespace tz::cpu;
using tz::cpu::test::hostRuns;
using tz::cpu::test::Jit;

namespace {

enum class Layout { RowMajor, Transposed, Strided };

struct Problem {
  DotInput input;
  int64_t M, N, K;
  Layout layoutA, layoutB;
  bool partial; ///< the last rows and columns of both operands are not valid
  bool accumulate;
};

size_t bytesOf(DotInput input) {
  switch (input) {
  case DotInput::F64:
    return 8;
  case DotInput::F32:
    return 4;
  case DotInput::I8:
    return 1;
  default:
    return 2;
  }
}

/// Small integers are exact in every type; `poison` is NaN, or 99 in I8.
void storeElement(DotInput input, char *to, int value, bool poison) {
  auto put = [&](auto v) { std::memcpy(to, &v, sizeof v); };
  float real = poison ? std::numeric_limits<float>::quiet_NaN()
                      : static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &real, 4);
  switch (input) {
  case DotInput::F64:
    put(static_cast<double>(real));
    break;
  case DotInput::F32:
    put(real);
    break;
  case DotInput::BF16:
    put(static_cast<uint16_t>(bits >> 16));
    break;
  case DotInput::F16: {
    _Float16 half = static_cast<_Float16>(real);
    put(half);
    break;
  }
  case DotInput::I8:
    put(static_cast<int8_t>(poison ? 99 : value));
    break;
  }
}

/// A matrix in memory with the strides of its layout.
struct Operand {
  std::vector<char> memory;
  std::vector<int> values; ///< what the product sees, zero outside
  int64_t rowStride = 0, colStride = 0, validRows = 0, validCols = 0;

  Operand(DotInput input, int64_t rows, int64_t cols, Layout layout,
          bool partial, std::mt19937 &random) {
    // Strides are larger than the tile, as in a matrix around it.
    switch (layout) {
    case Layout::RowMajor:
      rowStride = cols + 3;
      colStride = 1;
      break;
    case Layout::Transposed:
      rowStride = 1;
      colStride = rows + 5;
      break;
    case Layout::Strided:
      rowStride = 2;
      colStride = 2 * rows + 7;
      break;
    }
    validRows = partial ? (rows * 2) / 3 : rows;
    validCols = partial ? (cols * 3) / 4 : cols;
    size_t bytes = bytesOf(input);
    // What is invalid is not in the memory at all where it lies at the end.
    int64_t last =
        (validRows - 1) * rowStride + (validCols - 1) * colStride + 1;
    memory.resize(bytes * static_cast<size_t>(std::max<int64_t>(last, 0)));
    for (size_t i = 0; i < memory.size(); i += bytes) {
      storeElement(input, memory.data() + i, 0, true);
    }
    values.assign(static_cast<size_t>(rows * cols), 0);
    for (int64_t r = 0; r < validRows; ++r) {
      for (int64_t c = 0; c < validCols; ++c) {
        int value = static_cast<int>(random() % 17) - 8;
        values[static_cast<size_t>(r * cols + c)] = value;
        storeElement(input,
                     memory.data() + bytes * static_cast<size_t>(r * rowStride +
                                                                 c * colStride),
                     value, false);
      }
    }
  }
};

using Kernel = void (*)(const void *a, const void *b, void *acc, char *scratch);

/// One function for one problem; the scratch holds packed A, then packed B.
void define(Jit &jit, const char *name, const Problem &p, const Operand &a,
            const Operand &b, int64_t ldAcc) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(jit.context);
  jit.define(name, {pointer, pointer, pointer, pointer},
             [&](llvm::IRBuilder<> &builder, llvm::Function *function) {
               DotPlan plan = planDot(jit.isa, p.input, p.M, p.N, p.K);
               auto number = [&](int64_t v) {
                 return builder.getInt64(static_cast<uint64_t>(v));
               };
               auto source = [&](const Operand &o, unsigned arg) {
                 DotSource s;
                 s.base = function->getArg(arg);
                 s.type = p.input;
                 s.rowStride = number(o.rowStride);
                 s.colStride = number(o.colStride);
                 if (p.partial) {
                   s.validRows = number(o.validRows);
                   s.validCols = number(o.validCols);
                 }
                 return s;
               };
               llvm::Value *packedA = function->getArg(3);
               llvm::Value *packedB = builder.CreateGEP(
                   builder.getInt8Ty(), packedA,
                   number(static_cast<int64_t>(plan.packedABytes)));
               emitPackA(builder, plan, source(a, 0), packedA);
               emitPackB(builder, plan, source(b, 1), packedB);
               emitDot(builder, plan, packedA, number(plan.lda), packedB,
                       function->getArg(2), number(ldAcc), p.accumulate);
             });
}

template <typename Acc>
void expectProduct(const Problem &p, const Operand &a, const Operand &b,
                   Kernel kernel, const DotPlan &plan, int64_t ldAcc) {
  std::vector<Acc> acc(static_cast<size_t>(p.M * ldAcc), Acc(1000));
  // Aligned scratch, filled with NaN: padding must be written.
  const size_t bytes = plan.packedABytes + plan.packedBBytes;
  char *scratch = static_cast<char *>(std::aligned_alloc(64, bytes));
  std::memset(scratch, 0xff, bytes);
  kernel(a.memory.data(), b.memory.data(), acc.data(), scratch);
  std::free(scratch);
  for (int64_t i = 0; i < p.M; ++i) {
    for (int64_t j = 0; j < ldAcc; ++j) {
      int64_t expected = 1000;
      if (j < p.N) {
        expected = p.accumulate ? 1000 : 0;
        for (int64_t k = 0; k < p.K; ++k) {
          expected += a.values[static_cast<size_t>(i * p.K + k)] *
                      b.values[static_cast<size_t>(k * p.N + j)];
        }
      }
      ASSERT_EQ(acc[static_cast<size_t>(i * ldAcc + j)],
                static_cast<Acc>(expected))
          << "element " << i << ", " << j << " of " << p.M << "x" << p.N << "x"
          << p.K << " input " << static_cast<int>(p.input) << " layouts "
          << static_cast<int>(p.layoutA) << static_cast<int>(p.layoutB)
          << " partial " << p.partial;
    }
  }
}

class Dot : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    // Pair products are emulated where the host has none.
    if (!hostRuns(GetParam().substr(0, GetParam().find("+avx512bf16")))) {
      GTEST_SKIP() << "this CPU has no " << GetParam();
    }
  }

  void run(const std::vector<Problem> &problems) {
    Jit jit(GetParam());
    std::mt19937 random(11);
    std::vector<Operand> as, bs;
    for (size_t i = 0; i < problems.size(); ++i) {
      const Problem &p = problems[i];
      as.emplace_back(p.input, p.M, p.K, p.layoutA, p.partial, random);
      bs.emplace_back(p.input, p.K, p.N, p.layoutB, p.partial, random);
      define(jit, ("dot" + std::to_string(i)).c_str(), p, as[i], bs[i],
             p.N + 2);
    }
    ASSERT_NO_THROW(jit.load());
    for (size_t i = 0; i < problems.size(); ++i) {
      const Problem &p = problems[i];
      auto kernel = jit.function<Kernel>(("dot" + std::to_string(i)).c_str());
      DotPlan plan = planDot(jit.isa, p.input, p.M, p.N, p.K);
      if (p.input == DotInput::F64) {
        expectProduct<double>(p, as[i], bs[i], kernel, plan, p.N + 2);
      } else if (p.input == DotInput::I8) {
        expectProduct<int32_t>(p, as[i], bs[i], kernel, plan, p.N + 2);
      } else {
        expectProduct<float>(p, as[i], bs[i], kernel, plan, p.N + 2);
      }
    }
  }
};

/// All types; for a level with an extra instruction, the type that uses it.
std::vector<DotInput> inputsFor(const std::string &level) {
  if (level.find("bf16") != std::string::npos) {
    return {DotInput::BF16};
  }
  if (level.find("vnni") != std::string::npos ||
      level.find("int8") != std::string::npos) {
    return {DotInput::I8};
  }
  return {DotInput::F32, DotInput::F64, DotInput::F16, DotInput::BF16,
          DotInput::I8};
}

TEST_P(Dot, ShapesThatDivide) {
  std::vector<Problem> problems;
  for (DotInput input : inputsFor(GetParam())) {
    for (auto [m, n, k] : {std::array<int64_t, 3>{64, 64, 32},
                           {16, 16, 16},
                           {32, 128, 64},
                           {128, 32, 16}}) {
      problems.push_back(
          {input, m, n, k, Layout::RowMajor, Layout::RowMajor, false, true});
    }
  }
  run(problems);
}

TEST_P(Dot, OddAndTinyShapes) {
  std::vector<Problem> problems;
  for (DotInput input : inputsFor(GetParam())) {
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                           {1, 16, 16},
                           {1, 17, 5},
                           {3, 48, 7},
                           {7, 33, 31},
                           {13, 80, 9},
                           {29, 5, 18},
                           {2, 176, 2}}) {
      problems.push_back(
          {input, m, n, k, Layout::RowMajor, Layout::RowMajor, false, false});
    }
  }
  run(problems);
}

/// Shapes that tiles of AMX are used for: whole blocks, further tiles and
/// partial tiles in each direction, down to one row and one column.
constexpr std::array<int64_t, 3> TileShapes[] = {
    {33, 49, 97},  {17, 1, 500},  {65, 15, 300}, {48, 16, 64},  {63, 63, 63},
    {100, 81, 65}, {4, 130, 512}, {16, 64, 128}, {112, 17, 32}, {80, 112, 33}};

class DotOnTiles : public Dot {};

TEST_P(DotOnTiles, Edges) {
  std::vector<Problem> problems;
  for (DotInput input : inputsFor(GetParam())) {
    for (auto [m, n, k] : TileShapes) {
      for (bool accumulate : {false, true}) {
        problems.push_back({input, m, n, k, Layout::RowMajor, Layout::RowMajor,
                            false, accumulate});
      }
    }
    problems.push_back({input, 75, 90, 130, Layout::Transposed,
                        Layout::Transposed, true, true});
    problems.push_back(
        {input, 75, 90, 130, Layout::RowMajor, Layout::Strided, true, true});
  }
  run(problems);
}

TEST_P(Dot, EveryOrientation) {
  std::vector<Problem> problems;
  for (DotInput input : inputsFor(GetParam())) {
    for (Layout a : {Layout::RowMajor, Layout::Transposed, Layout::Strided}) {
      for (Layout b : {Layout::RowMajor, Layout::Transposed, Layout::Strided}) {
        if (a == Layout::RowMajor || b == Layout::RowMajor) {
          problems.push_back({input, 19, 21, 37, a, b, false, true});
        }
      }
    }
  }
  run(problems);
}

TEST_P(Dot, PartialTilesReadNothingOutside) {
  std::vector<Problem> problems;
  for (DotInput input : inputsFor(GetParam())) {
    for (Layout a : {Layout::RowMajor, Layout::Transposed, Layout::Strided}) {
      for (Layout b : {Layout::RowMajor, Layout::Transposed, Layout::Strided}) {
        if (a == b) {
          problems.push_back({input, 21, 40, 27, a, b, true, false});
        }
      }
    }
  }
  run(problems);
}

INSTANTIATE_TEST_SUITE_P(Levels, Dot,
                         testing::Values("x86-64-v2", "x86-64-v3", "x86-64-v4",
                                         "x86-64-v4+avx512vnni",
                                         "x86-64-v4+avx512bf16",
                                         "x86-64-v4+amxbf16",
                                         "x86-64-v4+amxint8"),
                         [](const auto &info) {
                           std::string name = info.param.substr(7);
                           std::replace(name.begin(), name.end(), '+', '_');
                           return name;
                         });

INSTANTIATE_TEST_SUITE_P(Levels, DotOnTiles,
                         testing::Values("x86-64-v4+amxbf16",
                                         "x86-64-v4+amxint8"),
                         [](const auto &info) {
                           return info.param.substr(info.param.find('+') + 1);
                         });

/// The instructions that the plan counts on, and no spills in the inner loop.
TEST(DotCode, UsesTheRightInstructions) {
  struct Expectation {
    const char *level, *instruction;
    DotInput input;
  };
  for (const Expectation &e :
       {Expectation{"x86-64-v3", "vfmadd231ps", DotInput::F32},
        Expectation{"x86-64-v4", "vfmadd231ps", DotInput::F32},
        Expectation{"x86-64-v4", "vfmadd231ps", DotInput::F16},
        Expectation{"x86-64-v4", "vfmadd231pd", DotInput::F64},
        Expectation{"x86-64-v4", "vpmaddwd", DotInput::I8},
        Expectation{"x86-64-v4+avx512vnni", "vpdpwssd", DotInput::I8},
        Expectation{"x86-64-v4+avx512bf16", "vdpbf16ps", DotInput::BF16},
        Expectation{"x86-64-v4+amxbf16", "tdpbf16ps", DotInput::BF16},
        Expectation{"x86-64-v4+amxint8", "tdpbssd", DotInput::I8}}) {
    Jit jit(e.level);
    Problem p{e.input,          64,    64,  64, Layout::RowMajor,
              Layout::RowMajor, false, true};
    std::mt19937 random(1);
    Operand a(p.input, p.M, p.K, p.layoutA, false, random);
    Operand b(p.input, p.K, p.N, p.layoutB, false, random);
    define(jit, "dot", p, a, b, p.N);
    std::string text = jit.assembly();
    EXPECT_NE(text.find(e.instruction), std::string::npos) << e.instruction;
    // Nothing in a micro-kernel may touch the stack.
    size_t begin = text.find("\ntz.dot."), end = text.find(".size", begin);
    ASSERT_NE(begin, std::string::npos);
    EXPECT_EQ(text.substr(begin, end - begin).find("(%rsp)"), std::string::npos)
        << "spills for " << e.level << " " << e.instruction;
  }
}

TEST(DotPlan, TilesServeAllButTheSmallest) {
  for (auto [level, input] :
       {std::pair{"x86-64-v4+avx512bf16+amxbf16", DotInput::BF16},
        std::pair{"x86-64-v4+avx512vnni+amxint8", DotInput::I8}}) {
    Isa isa = Isa::fromFeatures(test::featuresOf(level));
    for (auto [m, n, k] : TileShapes) {
      EXPECT_TRUE(planDot(isa, input, m, n, k).tiles())
          << m << "x" << n << "x" << k;
    }
    EXPECT_FALSE(planDot(isa, input, 1, 16, 16).tiles());
    EXPECT_FALSE(planDot(isa, DotInput::F32, 64, 64, 64).tiles());
    EXPECT_FALSE(planDot(isa.narrowedTo(256), input, 64, 64, 64).tiles());
    DotPlan plan = planDot(isa, input, 64, 64, 512);
    EXPECT_EQ(plan.lda / plan.kGroup / 16 % 2, 1)
        << "rows of a tile share no set of the first-level cache";
  }
}

TEST(DotPlan, IsDeterministicAndFits) {
  Isa isa = Isa::fromFeatures(test::featuresOf("x86-64-v4"));
  for (int64_t m : {1, 2, 8, 16, 64, 100, 256}) {
    for (int64_t n : {1, 16, 48, 64, 176, 256}) {
      DotPlan plan = planDot(isa, DotInput::F32, m, n, 64);
      unsigned vectors = plan.NR / plan.lanes;
      EXPECT_LE(plan.MR * vectors + vectors + 1, 32u);
      EXPECT_LE(plan.MR, static_cast<uint64_t>(m));
      EXPECT_EQ(plan.packedABytes % 64, 0u);
      EXPECT_EQ(plan.packedBBytes % 64, 0u);
    }
  }
}

} // namespace
