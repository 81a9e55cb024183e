//===- TextRoundTripTest.cpp - no op is missing in the text test ----------===//
//
// What   The ops of test/ir/round-trip.mlir against those that the dialect
//        registers.
// Why    The text test shows that each op reads as it was printed; a new op
//        without a line there would be shown by nothing.
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <set>

namespace {

TEST(RoundTrip, EveryOpOfTheDialectHasALine) {
  mlir::DialectRegistry registry;
  tz::tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      TZ_TEST_IR "/round-trip.mlir", mlir::ParserConfig(&context));
  ASSERT_TRUE(module);
  std::set<std::string> seen;
  module->walk([&](mlir::Operation *op) {
    seen.insert(op->getName().getStringRef().str());
  });
  unsigned ops = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tile") {
      continue;
    }
    ++ops;
    EXPECT_TRUE(seen.count(name.getStringRef().str()))
        << name.getStringRef().str() << ": no line in test/ir/round-trip.mlir";
  }
  EXPECT_GT(ops, 50u);
}

} // namespace
