//===- PtxMatrixTest.cpp - matrix instructions and what they read ---------===//
//
// What   Descriptors against the way that PTX says the instruction reads shared
//        memory; layouts of accumulators against its fragments; each form by
//        ptxas, which must neither warn nor spill.
// Why    All of it is wrong without a message when it is wrong.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/PtxMatrix.h"

#include "gtest/gtest.h"

#include "backends/nvidia/compiler/CodeGen.h"
#include "backends/nvidia/compiler/assemble/Assembler.h"
#include "backends/nvidia/compiler/hooks/Mma.h"
#include "backends/nvidia/compiler/hooks/Wgmma.h"

#include "mlir/Parser/Parser.h"

using namespace tz;
using namespace tz::nvidia;
using simt::Axis;

namespace {

/// A product of one tile. An operand lies in rows, or transposed in columns.
struct Product {
  int64_t m, n, k;
  unsigned warps = 4;
  std::string type = "f16", acc = "f32";
  std::string precision = "ieee";
  int64_t maxImprecise = 0;
  bool aInColumns = false, bInColumns = false;

  std::string text() const;
};

void PrintTo(const Product &p, std::ostream *stream) {
  *stream << p.type << ' ' << p.m << 'x' << p.n << 'x' << p.k << ", " << p.warps
          << " warps" << (p.aInColumns ? ", a in columns" : "")
          << (p.bInColumns ? ", b in columns" : "");
}

std::string tile(int64_t rows, int64_t columns, const std::string &type) {
  return std::to_string(rows) + "x" + std::to_string(columns) + "x" + type;
}

/// %name of a view over a dense matrix.
std::string view(const std::string &name, const std::string &type, int64_t rows,
                 int64_t columns, bool inColumns) {
  return "%" + name + " = tile.make_view %" + name + "p shape[%size, %size] " +
         "strides[" + (inColumns ? "%one, %size" : "%size, %one") + "] : <" +
         type + "> -> <" + tile(rows, columns, type) + ">\n";
}

std::string Product::text() const {
  auto pointer = [&](const std::string &name, const std::string &of) {
    return "%" + name + "p: !tile.ptr<" + of +
           "> {tile.divisibility = 16 : i64}";
  };
  auto load = [&](const std::string &name, int64_t rows, int64_t columns) {
    return "%" + name + "t = tile.load_view %" + name +
           "[%zero, %zero] checked [false, false] : <" +
           tile(rows, columns, type) + "> -> tensor<" +
           tile(rows, columns, type) + ">\n";
  };
  const std::string zero = acc[0] == 'i' ? "0" : "0.0",
                    result = "tensor<" + tile(m, n, acc) + ">";
  return "tile.kernel @product(" + pointer("a", type) + ", " +
         pointer("b", type) + ", " + pointer("c", acc) +
         ") attributes {tile.num_warps = " + std::to_string(warps) +
         " : i32} {\n%zero = arith.constant 0 : i64\n"
         "%one = arith.constant 1 : i64\n%size = arith.constant 1024 : i64\n" +
         view("a", type, m, k, aInColumns) + view("b", type, k, n, bInColumns) +
         view("c", acc, m, n, false) + load("a", m, k) + load("b", k, n) +
         "%s = arith.constant dense<" + zero + "> : " + result +
         "\n%d = tile.dot %at, %bt, %s {maxImprecise = " +
         std::to_string(maxImprecise) + " : i64, precision = #tile<precision " +
         precision + ">} : tensor<" + tile(m, k, type) + ">, tensor<" +
         tile(k, n, type) + "> -> " + result +
         "\ntile.store_view %c[%zero, %zero], %d checked [false, false] : <" +
         tile(m, n, acc) + ">, " + result + "\ntile.return\n}\n";
}

class Kernel {
public:
  explicit Kernel(const Product &product) : Kernel(product.text()) {}
  explicit Kernel(const std::string &text)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
  tile::KernelOp kernel() { return *module->getOps<tile::KernelOp>().begin(); }
  tile::DotOp dot() {
    tile::DotOp found;
    kernel().walk([&](tile::DotOp op) { found = op; });
    return found;
  }
  mlir::MLIRContext context;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    tile::registerTileDialects(all);
    all.insert<simt::SimtDialect>();
    return all;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The variant without the TMA unit, which is the kernel itself.
CompiledVariant compiledPlain(Kernel &kernel,
                              const ArchitectureFacts &architecture) {
  return std::move(compileKernel(kernel.kernel(), architecture, {}).back());
}

std::string textOf(tile::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream(text) << *kernel;
  return text;
}

simt::DotRequest requestOf(const Product &product, tile::DotOp dot) {
  simt::DotRequest request{dot, product.warps, {}, {}};
  request.a.order = {1, 0};
  request.b.order = {1, 0};
  if (product.aInColumns) {
    request.a.order = {0, 1};
  }
  if (product.bInColumns) {
    request.b.order = {0, 1};
  }
  return request;
}

int64_t swizzled(const simt::SharedAttr &how, int64_t offset) {
  const int64_t mask = (int64_t{1} << how.getBits()) - 1;
  return offset ^ (offset >> (how.getBase() + how.getShift()) & mask)
                      << how.getBase();
}

/// Where SimtBase.td says that an element lies.
int64_t staged(simt::BufferType type, int64_t row, int64_t column) {
  simt::SharedAttr how = type.getLayout();
  const unsigned fast = how.getOrder()[0];
  const int64_t at[] = {row, column}, panel = how.getPanel();
  const int64_t line =
      at[fast] / panel * type.getShape()[1 - fast] + at[1 - fast];
  return swizzled(how, (line * panel + at[fast] % panel) *
                           tile::storageBytes(type.getElementType()));
}

/// Where the instruction reads element (mn, k), PTX ISA, "Strides" and
/// "Swizzling modes": the swizzle is of the address, not of the window.
int64_t read(const WgmmaWindow &window, uint64_t start, int64_t mn, int64_t k,
             int64_t bytes) {
  const uint64_t descriptor = window.descriptor() | start >> 4;
  auto field = [&](unsigned low) {
    return int64_t(descriptor >> low & 0x3fff) * 16;
  };
  const int64_t first = field(0), leading = field(16), stride = field(32);
  const auto mode = descriptor >> 62;
  const int64_t row = mode == 0 ? 16 : 256 >> mode, perRow = row / bytes;
  int64_t offset;
  if (window.isKMajor()) {
    offset = mn / 8 * stride + mn % 8 * row + k * bytes;
  } else if (mode == 0) {
    offset = mn / perRow * stride + mn % perRow * bytes + k / 8 * leading +
             k % 8 * row;
  } else {
    offset = mn / perRow * leading + mn % perRow * bytes + k / 8 * stride +
             k % 8 * row;
  }
  const int64_t address = first + offset,
                mask = mode == 0 ? 0 : (1 << (4 - mode)) - 1;
  return address ^ (address >> 7 & mask) << 4;
}

class Wgmma : public testing::TestWithParam<Product> {};

TEST_P(Wgmma, DescriptorsReadWhatWasStaged) {
  const Product &product = GetParam();
  Kernel kernel(product);
  tile::DotOp dot = kernel.dot();
  ASSERT_TRUE(dot);
  auto choice = chooseWgmma(requestOf(product, dot));
  ASSERT_TRUE(choice);
  const WgmmaShape fit =
      *fitWgmma(product.m, product.n, product.warps / 4, product.acc == "i32");
  auto check = [&](mlir::Value operand, const simt::DotOperand &where,
                   unsigned mn, int64_t perInstruction) {
    auto type =
        simt::BufferType::get(&kernel.context, tile::shapeOf(operand.getType()),
                              tile::elementType(operand.getType()),
                              std::get<simt::SharedAttr>(where));
    const WgmmaWindow window(type, mn);
    const int64_t bytes = tile::storageBytes(type.getElementType()),
                  kStep = 32 / bytes;
    for (int64_t low = 0; low < type.getShape()[mn]; low += perInstruction) {
      for (int64_t k = 0; k < product.k; k += kStep) {
        // A buffer may begin at any multiple of 1024 bytes.
        const uint64_t base = 5 * 1024,
                       start = base + uint64_t(window.offset(low, k));
        for (int64_t i = 0; i < perInstruction; ++i) {
          for (int64_t j = 0; j < kStep; ++j) {
            const int64_t at[] = {low + i, k + j};
            ASSERT_EQ(read(window, start, i, j, bytes) - int64_t(base),
                      staged(type, at[mn], at[1 - mn]))
                << "mn " << low + i << " k " << k + j;
          }
        }
      }
    }
  };
  check(dot.getA(), choice->a, 0, 64);
  check(dot.getB(), choice->b, 1, fit.n);
}

TEST_P(Wgmma, AccumulatorsAreTheFragments) {
  const Product &product = GetParam();
  Kernel kernel(product);
  ASSERT_TRUE(kernel.dot());
  auto choice = chooseWgmma(requestOf(product, kernel.dot()));
  ASSERT_TRUE(choice);
  const WgmmaShape fit =
      *fitWgmma(product.m, product.n, product.warps / 4, product.acc == "i32");
  EXPECT_LE(fit.n, 256);
  EXPECT_TRUE(choice->acc.covers({product.m, product.n}));
  for (int64_t warp = 0; warp < product.warps; ++warp) {
    const int64_t down = warp / 4 % fit.down,
                  across = warp / 4 / fit.down % fit.across;
    for (int64_t lane = 0; lane < 32; ++lane) {
      for (int64_t reg = 0; reg < choice->acc.size(Axis::Register); ++reg) {
        // m64nNk16, "D fragment": pairs, then eight rows below, then columns.
        const int64_t tile = reg / (fit.n / 2), inTile = reg % (fit.n / 2);
        const int64_t row = warp % 4 * 16 + lane / 4 + inTile / 2 % 2 * 8,
                      column = inTile / 4 * 8 + lane % 4 * 2 + inTile % 2;
        const simt::Coordinates at = choice->acc.apply({{reg, lane, warp, 0}});
        ASSERT_EQ(at[0], row + 64 * (down + tile / fit.tiles * fit.down));
        ASSERT_EQ(at[1],
                  column + fit.n * (tile % fit.tiles + across * fit.tiles));
      }
    }
  }
}

TEST_P(Wgmma, AssemblesWithoutWarnings) {
  if (findPtxas().empty()) {
    GTEST_SKIP() << "there is no ptxas";
  }
  const Product &product = GetParam();
  Kernel kernel(product);
  ASSERT_TRUE(kernel.dot());
  const CompiledVariant compiled =
      compiledPlain(kernel, *findArchitecture("sm_90a"));
  const WgmmaShape fit =
      *fitWgmma(product.m, product.n, product.warps / 4, product.acc == "i32");
  EXPECT_NE(compiled.ptx.find("wgmma.mma_async.sync.aligned.m64n" +
                              std::to_string(fit.n) + "k"),
            std::string::npos);
  const std::optional<Assembled> &assembled = compiled.assembled;
  ASSERT_TRUE(assembled);
  EXPECT_TRUE(assembled->warnings.empty()) << assembled->warnings.front();
  EXPECT_EQ(assembled->spillBytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Wgmma,
    testing::Values(
        Product{64, 64, 64}, Product{64, 8, 16},
        Product{.m = 64, .n = 64, .k = 64, .aInColumns = true},
        Product{.m = 64, .n = 64, .k = 64, .bInColumns = true},
        Product{.m = 64,
                .n = 128,
                .k = 32,
                .type = "bf16",
                .aInColumns = true,
                .bInColumns = true},
        Product{.m = 128, .n = 256, .k = 64, .warps = 8},
        Product{.m = 64, .n = 512, .k = 16, .warps = 8},
        Product{.m = 64, .n = 16, .k = 48, .warps = 16},
        Product{.m = 192, .n = 24, .k = 32},
        Product{.m = 192, .n = 32, .k = 32, .warps = 8, .type = "bf16"},
        // Widths that are no powers of two.
        Product{64, 48, 32}, Product{64, 80, 32},
        Product{.m = 64, .n = 112, .k = 16, .bInColumns = true},
        Product{.m = 128, .n = 176, .k = 32, .warps = 8},
        Product{.m = 64, .n = 192, .k = 64, .warps = 8}, Product{64, 264, 16},
        Product{64, 272, 16},
        // Other elements lie with k fastest, however they are in memory.
        Product{.m = 64, .n = 64, .k = 64, .type = "f8E4M3FN"},
        Product{.m = 64,
                .n = 48,
                .k = 256,
                .type = "f8E5M2",
                .maxImprecise = 128,
                .aInColumns = true,
                .bInColumns = true},
        Product{.m = 64, .n = 64, .k = 64, .type = "i8", .acc = "i32"},
        Product{.m = 64,
                .n = 40,
                .k = 64,
                .type = "i8",
                .acc = "i32",
                .bInColumns = true},
        Product{.m = 64, .n = 24, .k = 32, .type = "i8", .acc = "i32"},
        Product{.m = 128, .n = 64, .k = 32, .type = "f32", .precision = "tf32"},
        Product{.m = 64, .n = 64, .k = 16, .acc = "f16"}));

/// An f16 of memory lies in its register as bits; the sums are floats.
TEST(Matrix, AddsToLoadedHalves) {
  for (const char *name : {"sm_80", "sm_90a"}) {
    Product product{.m = 64, .n = 64, .k = 16, .acc = "f16"};
    std::string text = product.text();
    const size_t from = text.find("%s = arith.constant"),
                 to = text.find('\n', from);
    text.replace(from, to - from,
                 "%s = tile.load_view %c[%zero, %zero] checked [false, false] "
                 ": <64x64xf16> -> tensor<64x64xf16>");
    Kernel kernel(text);
    ASSERT_TRUE(kernel.dot());
    const CompiledVariant compiled =
        compiledPlain(kernel, *findArchitecture(name));
    EXPECT_NE(compiled.ptx.find("cvt.f32.f16"), std::string::npos) << name;
  }
}

/// What is computed of an accumulator is the left operand of the next product
/// where it is: no shared memory in between.
TEST(Wgmma, TakesWhatWasComputedFromRegisters) {
  const Product first{.m = 128, .n = 64, .k = 64, .warps = 8};
  std::string text = first.text();
  const std::string call = "\ntile.store_view %c[%zero, %zero], %d",
                    more = "\n%p = tile.truncf rtne %d : tensor<128x64xf32> to "
                           "tensor<128x64xf16>\n%e = tile.dot %p, %bt, %d : "
                           "tensor<128x64xf16>, tensor<64x64xf16> -> "
                           "tensor<128x64xf32>\ntile.store_view %c[%zero, "
                           "%zero], %e";
  text.replace(text.find(call), call.size(), more);
  Kernel kernel(text);
  ASSERT_TRUE(kernel.dot());
  const CompiledVariant compiled =
      compiledPlain(kernel, *findArchitecture("sm_90a"));
  // Four words of A for each step of k.
  size_t count = 0;
  const std::string between = "}, {";
  for (size_t at = 0;
       (at = compiled.ptx.find(between, at)) != std::string::npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, 4u);
  // What is stored is moved, nothing else.
  const std::string convert = "simt.convert %";
  const std::string layouts = textOf(kernel.kernel());
  const size_t at = layouts.find(convert);
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(at, layouts.rfind("simt.dot"));
  EXPECT_EQ(layouts.find(convert, at + 1), std::string::npos);
  if (const std::optional<Assembled> &assembled = compiled.assembled) {
    EXPECT_TRUE(assembled->warnings.empty());
    EXPECT_EQ(assembled->spillBytes, 0u);
  }
}

TEST(Wgmma, LeavesWhatDoesNotFit) {
  auto fits = [](const Product &product) {
    Kernel kernel(product);
    return chooseWgmma(requestOf(product, kernel.dot())).has_value();
  };
  EXPECT_TRUE(fits({64, 64, 64}));
  EXPECT_FALSE(fits({32, 64, 64}));
  EXPECT_FALSE(fits({64, 4, 64}));
  EXPECT_FALSE(fits({64, 64, 8}));
  EXPECT_FALSE(fits({.m = 64, .n = 64, .k = 64, .warps = 2}));
  EXPECT_FALSE(fits({.m = 64, .n = 64, .k = 64, .type = "f64", .acc = "f64"}));
  EXPECT_FALSE(fits({.m = 64, .n = 64, .k = 64, .type = "f32"}));
}

class Mma : public testing::TestWithParam<Product> {};

/// A row of a warp's tile, and of eight of its columns, lies as PTX says of
/// "m16n8": four lanes a row, two columns each. Lanes without an element of a
/// small tile hold one that is there; sums without one are not held.
TEST_P(Mma, AccumulatorsAreTheFragments) {
  const Product &product = GetParam();
  Kernel kernel(product);
  ASSERT_TRUE(kernel.dot());
  auto choice =
      chooseMma(requestOf(product, kernel.dot()), *findArchitecture("sm_89"));
  ASSERT_TRUE(choice);
  const simt::Layout &acc = choice->acc;
  EXPECT_TRUE(acc.covers({product.m, product.n}));
  EXPECT_EQ(acc.size(Axis::Warp), product.warps);
  const int64_t rows = product.type == "f64" ? 8 : 16,
                m = std::min(rows, product.m),
                n = std::min<int64_t>(8, product.n);
  std::vector<int64_t> sums;
  for (int64_t sum = 0; sum < rows / 4; ++sum) {
    if (sum / 2 * 8 < m && sum % 2 < n) {
      sums.push_back(sum);
    }
  }
  const auto held = int64_t(sums.size());
  for (int64_t warp = 0; warp < product.warps; ++warp) {
    for (int64_t reg = 0; reg < acc.size(Axis::Register); ++reg) {
      const simt::Coordinates first =
          acc.apply({{reg - reg % held, 0, warp, 0}});
      EXPECT_EQ(first[0] % rows, 0);
      EXPECT_EQ(first[1] % 8, 0);
      const int64_t sum = sums[size_t(reg % held)];
      for (int64_t lane = 0; lane < 32; ++lane) {
        const simt::Coordinates at = acc.apply({{reg, lane, warp, 0}});
        ASSERT_EQ(at[0] - first[0], (lane / 4 + sum / 2 * 8) % m);
        ASSERT_EQ(at[1] - first[1], (lane % 4 * 2 + sum % 2) % n);
      }
    }
  }
}

TEST_P(Mma, AssemblesWithoutWarnings) {
  if (findPtxas().empty()) {
    GTEST_SKIP() << "there is no ptxas";
  }
  const Product &product = GetParam();
  for (const ArchitectureFacts &architecture : architectures()) {
    if (product.type.starts_with("f8") && !architecture.hasFloat8Mma) {
      continue;
    }
    Kernel kernel(product);
    ASSERT_TRUE(kernel.dot());
    const CompiledVariant compiled = compiledPlain(kernel, architecture);
    EXPECT_NE(compiled.ptx.find("mma.sync.aligned.m"), std::string::npos);
    const std::optional<Assembled> &assembled = compiled.assembled;
    ASSERT_TRUE(assembled);
    EXPECT_TRUE(assembled->warnings.empty()) << assembled->warnings.front();
    EXPECT_EQ(assembled->spillBytes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Mma,
    testing::Values(
        Product{16, 16, 16}, Product{.m = 16, .n = 8, .k = 8, .warps = 1},
        Product{1, 16, 256}, Product{2, 4, 8}, Product{64, 1, 16},
        Product{.m = 8,
                .n = 8,
                .k = 32,
                .warps = 2,
                .aInColumns = true,
                .bInColumns = true},
        Product{.m = 4, .n = 2, .k = 16, .type = "bf16", .aInColumns = true},
        Product{.m = 4,
                .n = 32,
                .k = 16,
                .type = "f32",
                .precision = "tf32",
                .aInColumns = true},
        Product{.m = 2, .n = 4, .k = 16, .type = "i8", .acc = "i32"},
        Product{.m = 2, .n = 1, .k = 4, .type = "f64", .acc = "f64"},
        Product{.m = 32, .n = 64, .k = 64, .aInColumns = true},
        Product{.m = 48, .n = 64, .k = 24, .type = "bf16", .bInColumns = true},
        Product{.m = 32,
                .n = 48,
                .k = 32,
                .warps = 8,
                .aInColumns = true,
                .bInColumns = true},
        Product{.m = 64, .n = 80, .k = 32, .warps = 2},
        Product{.m = 16, .n = 128, .k = 16, .warps = 8},
        Product{.m = 32, .n = 32, .k = 32, .acc = "f16"},
        Product{.m = 16, .n = 32, .k = 8, .type = "f32", .precision = "tf32"},
        Product{.m = 32,
                .n = 32,
                .k = 32,
                .type = "f32",
                .precision = "tf32",
                .aInColumns = true,
                .bInColumns = true},
        Product{.m = 32, .n = 32, .k = 64, .type = "i8", .acc = "i32"},
        Product{.m = 32,
                .n = 24,
                .k = 16,
                .type = "i8",
                .acc = "i32",
                .aInColumns = true,
                .bInColumns = true},
        Product{.m = 32, .n = 32, .k = 32, .type = "f8E4M3FN"},
        Product{
            .m = 16, .n = 64, .k = 64, .type = "f8E5M2", .bInColumns = true},
        Product{.m = 8, .n = 16, .k = 4, .type = "f64", .acc = "f64"},
        Product{.m = 32,
                .n = 32,
                .k = 16,
                .type = "f64",
                .acc = "f64",
                .aInColumns = true,
                .bInColumns = true}));

/// Rows that warps beside each other share are read by matrices, computed or
/// not; a warp that has its rows alone keeps them in registers.
TEST(Mma, SharesRowsThroughMemory) {
  auto isInRegisters = [](const Product &product) {
    Kernel kernel(product);
    simt::DotRequest request = requestOf(product, kernel.dot());
    request.a.isComputed = true;
    auto choice = chooseMma(request, *findArchitecture("sm_89"));
    return choice && std::holds_alternative<simt::Layout>(choice->a);
  };
  EXPECT_TRUE(isInRegisters({.m = 64, .n = 8, .k = 32}));
  EXPECT_FALSE(isInRegisters({.m = 16, .n = 128, .k = 32}));
  EXPECT_FALSE(isInRegisters({.m = 32, .n = 128, .k = 128, .warps = 8}));
}

TEST(Mma, LeavesWhatDoesNotFit) {
  auto fits = [](const Product &product, const char *cpu = "sm_80") {
    Kernel kernel(product);
    return chooseMma(requestOf(product, kernel.dot()), *findArchitecture(cpu))
        .has_value();
  };
  EXPECT_TRUE(fits({16, 8, 16}));
  EXPECT_TRUE(fits({1, 1, 16}));
  EXPECT_FALSE(fits({24, 8, 16}));
  EXPECT_FALSE(fits({16, 12, 16}));
  EXPECT_FALSE(fits({16, 8, 4}));
  // fp32 keeps its bits unless tf32 is asked for.
  EXPECT_FALSE(fits({.m = 16, .n = 8, .k = 16, .type = "f32"}));
  EXPECT_FALSE(fits({.m = 16, .n = 8, .k = 32, .type = "f8E4M3FN"}));
  EXPECT_TRUE(fits({.m = 16, .n = 8, .k = 32, .type = "f8E4M3FN"}, "sm_89"));
  EXPECT_FALSE(
      fits({.m = 16, .n = 8, .k = 32, .type = "f8E4M3FN", .maxImprecise = 16},
           "sm_89"));
}

} // namespace
