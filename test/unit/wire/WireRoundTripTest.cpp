//===- WireRoundTripTest.cpp - what is written is what is read ------------===//
//
// What   Goldens of every op family: text, bytes and text again agree; the
//        table is covered; what cannot be written is refused by name.
// Why    `test-wire --bless` rewrites the goldens; the change is then reviewed
//        (until 1.0 numbers are append-only, meanings may change: R11).
//===----------------------------------------------------------------------===//
#include "Modules.h"

#include "core/wire/Opcodes.h"

#include "terrazzo/ir/Tile.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

namespace tz::wire {
namespace {

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, TextBytesText) {
  std::string stem = GoldenFolder + "/" + GetParam();
  mlir::MLIRContext context;
  auto module = parse(slurp(stem + ".mlir"), context);
  ASSERT_TRUE(module);
  // No locations: the folder's path would be in them.
  WriteOptions options;
  options.locations = false;
  std::string bytes = written(*module, options);
  if (std::getenv("TZ_BLESS")) {
    std::ofstream(stem + ".tzir", std::ios::binary) << bytes;
  }
  EXPECT_EQ(bytes, slurp(stem + ".tzir"))
      << "the portable form of " << GetParam() << " changed";

  mlir::MLIRContext other;
  auto again = read(bytes, other);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(print(again->get()), print(*module));
  EXPECT_EQ(written(again->get(), options), bytes);
}

INSTANTIATE_TEST_SUITE_P(Families, Golden, testing::ValuesIn(goldenNames()),
                         [](const auto &info) { return info.param; });

TEST(Reader, HearsItsOwnThreadAlone) {
  // tile-legalize-math reads bodies of functions in a context whose other
  // threads have remarks to make: some were lost.
  mlir::MLIRContext context;
  auto module = parse(slurp(GoldenFolder + "/program.mlir"), context);
  ASSERT_TRUE(module);
  const std::string bytes = written(*module);
  std::atomic<unsigned> heard = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
    ++heard;
    return mlir::success();
  });
  std::atomic<unsigned> reads = 0;
  std::thread reader([&] {
    for (; reads < 100; ++reads) {
      EXPECT_TRUE(bool(read(bytes, context)));
    }
  });
  unsigned said = 0;
  for (; reads < 100; ++said) {
    mlir::emitRemark(mlir::UnknownLoc::get(&context)) << "said";
  }
  reader.join();
  EXPECT_EQ(heard, said);
}

TEST(Opcodes, EachHasAGoldenCase) {
  std::set<std::string> seen;
  mlir::MLIRContext context;
  for (const std::string &name : goldenNames()) {
    auto module = parse(slurp(GoldenFolder + "/" + name + ".mlir"), context);
    ASSERT_TRUE(module);
    module->walk([&](mlir::Operation *op) {
      seen.insert(op->getName().getStringRef().str());
      for (mlir::NamedAttribute attr : op->getDiscardableAttrs()) {
        seen.insert(attr.getName().str());
      }
    });
  }
  for (const OpRecord &record : opRecords()) {
    EXPECT_TRUE(seen.count(record.name)) << record.name;
  }
  std::string kernels = slurp(GoldenFolder + "/program.mlir") +
                        slurp(GoldenFolder + "/control.mlir");
  for (const HintRecord &record : hintRecords()) {
    EXPECT_NE(kernels.find(record.name), std::string::npos) << record.name;
  }
}

TEST(Opcodes, NumbersAndNamesAreUnique) {
  std::set<unsigned> numbers;
  std::set<std::string> names;
  for (const OpRecord &record : opRecords()) {
    EXPECT_TRUE(numbers.insert(record.opcode).second) << record.name;
    EXPECT_TRUE(names.insert(record.name).second) << record.name;
    EXPECT_LT(record.opcode, 60000u);
    EXPECT_EQ(findOp(record.opcode), &record);
    EXPECT_EQ(findOp(llvm::StringRef(record.name)), &record);
  }
}

TEST(Opcodes, EveryOpOfTheDialectHasOne) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect>();
  unsigned ops = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tile") {
      continue;
    }
    ++ops;
    const OpRecord *record = findOp(name.getStringRef());
    ASSERT_NE(record, nullptr) << name.getStringRef().str();
    // Every inherent attribute of the op has a place in its record.
    for (mlir::StringAttr attr : name.getAttributeNames()) {
      bool known = attr == "res_attrs";
      for (const AttrRecord &entry : record->attrs()) {
        known |= attr == entry.name;
      }
      // Older spelling of the segments, which is never present.
      known |= attr == "operand_segment_sizes";
      EXPECT_TRUE(known) << record->name << " " << attr.str();
    }
  }
  EXPECT_GT(ops, 50u);
}

TEST(Enums, EveryCaseHasItsNumber) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect>();
  std::string bytes;
  mlir::MLIRContext fresh;
  for (const char *family : {"compute", "memory", "control"}) {
    bytes += slurp(GoldenFolder + "/" + family + ".mlir");
  }
  // The goldens name the last case of each enum, so that adding one without a
  // golden case is noticed.
  auto last = [&](auto symbolize, auto stringify) {
    unsigned n = 0;
    while (auto value = symbolize(n)) {
      std::string name = stringify(*value).str();
      EXPECT_NE(bytes.find(name), std::string::npos) << name;
      ++n;
    }
    EXPECT_GT(n, 1u);
  };
  last([](unsigned n) { return tile::symbolizeMathFn(n); },
       tile::stringifyMathFn);
  last([](unsigned n) { return tile::symbolizeDivMode(n); },
       tile::stringifyDivMode);
  last([](unsigned n) { return tile::symbolizeRounding(n); },
       tile::stringifyRounding);
  last([](unsigned n) { return tile::symbolizeAtomicKind(n); },
       tile::stringifyAtomicKind);
  last([](unsigned n) { return tile::symbolizeMemSem(n); },
       tile::stringifyMemSem);
  last([](unsigned n) { return tile::symbolizeMemScope(n); },
       tile::stringifyMemScope);
}

constexpr const char *Small = R"(
tile.kernel @small(%n: i32) {
  %0 = arith.addi %n, %n : i32
  tile.return
} loc("k.py":10:1)
)";

TEST(Locations, RelativeAndOutsideTheCodeHash) {
  auto at = [](int line) {
    std::string n = std::to_string(line), inner = std::to_string(line + 2);
    return "tile.kernel @small(%n: i32) {\n  %0 = arith.addi %n, %n : i32 "
           "loc(callsite(\"lib.py\":3:4 at \"k.py\":" +
           inner + ":7))\n  tile.return loc(\"name\"(\"k.py\":" + inner +
           ":1 to :9))\n} loc(\"k.py\":" + n + ":1)\n";
  };
  mlir::MLIRContext context;
  auto first = parse(at(10), context), later = parse(at(500), context);
  ASSERT_TRUE(first && later);
  std::string a = written(*first), b = written(*later);
  EXPECT_NE(a, b);
  EXPECT_EQ(messageOf(codeHash(a)), "");
  EXPECT_EQ(*codeHash(a), *codeHash(b));

  auto again = read(b, context);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  mlir::Operation &kernel = again->get().getBody()->front();
  mlir::Operation &add = kernel.getRegion(0).front().front();
  EXPECT_EQ(kernel.getLoc(), later->getBody()->front().getLoc());
  EXPECT_EQ(add.getLoc(),
            later->getBody()->front().getRegion(0).front().front().getLoc());
  EXPECT_EQ(add.getNextNode()->getLoc(),
            later->getBody()->front().getRegion(0).front().back().getLoc());
}

TEST(Stage, IsKept) {
  mlir::MLIRContext context;
  auto module = parse(Small, context);
  WriteOptions options;
  options.stage = Stage::Prepared;
  auto header = inspect(written(*module, options));
  ASSERT_TRUE(bool(header));
  EXPECT_EQ(header->stage, Stage::Prepared);
  EXPECT_EQ(header->irMajor, tile::IrMajor);
  EXPECT_EQ(inspect(written(*module))->stage, Stage::Neutral);
  EXPECT_NE(*codeHash(written(*module, options)), *codeHash(written(*module)));
}

struct Refusal {
  const char *name, *text, *message;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, NamesTheOp) {
  mlir::MLIRContext context;
  auto module = parse(GetParam().text, context);
  ASSERT_TRUE(module);
  std::string message = messageOf(write(*module));
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Writer, Refused,
    testing::Values(
        Refusal{"flags",
                "tile.kernel @k(%n: i32) {\n  %0 = arith.addi %n, %n "
                "overflow<nsw> : i32\n  tile.return\n}",
                "arith.addi: overflowFlags do not cross"},
        Refusal{"fastmath",
                "tile.kernel @k(%f: f32) {\n  %0 = arith.mulf %f, %f "
                "fastmath<fast> : f32\n  tile.return\n}",
                "arith.mulf: fastmath do not cross"},
        Refusal{"partialOp",
                "tile.kernel @k(%n: i32) {\n  %0 = arith.divsi %n, %n : i32\n  "
                "tile.return\n}",
                "arith.divsi: the op has no portable form"},
        Refusal{"type", "tile.kernel @k(%n: i24) {\n  tile.return\n}",
                "type i24 has no portable form"},
        Refusal{"attribute",
                "tile.kernel @k(%n: i32) attributes {tile.unheard = 1 : i32} "
                "{\n  tile.return\n}",
                "attribute 'tile.unheard' has no portable form"},
        Refusal{"attributeKind",
                "tile.kernel @k(%n: i32) attributes {tile.num_warps = 1 : i64} "
                "{\n  tile.return\n}",
                "has no portable form"},
        Refusal{"twoKernels",
                "tile.kernel @a() {\n  tile.return\n}\ntile.kernel @b() {\n  "
                "tile.return\n}",
                "exactly one tile.kernel"}),
    [](const auto &info) { return info.param.name; });

TEST(Writer, RefusesVersionsThatItDoesNotKnow) {
  mlir::MLIRContext context;
  auto module = parse(Small, context);
  WriteOptions options;
  options.irMinor = 250;
  EXPECT_EQ(messageOf(write(*module, options)),
            "tile IR 0.250 cannot be written; this build writes up to 0.1");
}

} // namespace
} // namespace tz::wire

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--bless") {
      setenv("TZ_BLESS", "1", 1);
    }
  }
  return RUN_ALL_TESTS();
}
