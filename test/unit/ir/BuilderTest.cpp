//===- BuilderTest.cpp - a kernel made in C++ is that of the text ---------===//
//
// What   Builds the kernel of docs/examples/vector_add.mlir with the builder;
//        docs/reference/specification/text-form.md shows the part between the marks.
// Why    The example of the page must compile, and mean what it says.
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <set>

using namespace mlir;

// [example]
namespace tile = tz::tile;

/// out[i] = x[i] + y[i] for i < n, `block` elements a program.
static OwningOpRef<ModuleOp> buildVectorAdd(MLIRContext &context,
                                            int32_t block) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  Type i32 = b.getI32Type();
  Type pointer = tile::PtrType::get(&context, b.getF32Type());
  auto kernel = tile::KernelOp::create(
      b, loc, "add_kernel",
      b.getFunctionType({pointer, pointer, pointer, i32}, {}));
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);

  auto indices = RankedTensorType::get({block}, i32);
  auto pointers = RankedTensorType::get({block}, pointer);
  auto splat = [&](RankedTensorType type, Value scalar) -> Value {
    return tile::SplatOp::create(b, loc, type, scalar);
  };
  Value pid = tile::ProgramIdOp::create(b, loc, i32, /*axis=*/0);
  Value size = arith::ConstantIntOp::create(b, loc, block, 32);
  Value first = arith::MulIOp::create(b, loc, pid, size);
  Value lane = tile::RangeOp::create(b, loc, indices, 0, block);
  Value offsets = arith::AddIOp::create(b, loc, splat(indices, first), lane);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, offsets,
                            splat(indices, body.getArgument(3)));
  auto addresses = [&](unsigned argument) -> Value {
    Value base = splat(pointers, body.getArgument(argument));
    return tile::AddPtrOp::create(b, loc, base, offsets);
  };
  auto load = [&](unsigned argument) -> Value {
    auto access = tile::LoadOp::create(
        b, loc, RankedTensorType::get({block}, b.getF32Type()),
        addresses(argument), inside, /*other=*/Value());
    access.setGroup(argument + 1);
    return access;
  };
  Value sum = arith::AddFOp::create(b, loc, load(0), load(1));
  auto store = tile::StoreOp::create(b, loc, addresses(2), sum, inside);
  store.setGroup(3);
  tile::ReturnOp::create(b, loc);
  return module;
}
// [end]

namespace {

TEST(Builder, MakesTheKernelOfTheText) {
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> built = buildVectorAdd(context, 1024);
  ASSERT_TRUE(succeeded(verify(*built)));
  auto text = parseSourceFile<ModuleOp>(TZ_EXAMPLES "/vector_add.mlir",
                                        ParserConfig(&context));
  ASSERT_TRUE(text);
  // The same ops, apart from their order, which the text chose for readers.
  auto opsOf = [](ModuleOp module) {
    std::multiset<std::string> ops;
    module->walk([&](Operation *op) {
      std::string line = op->getName().getStringRef().str();
      llvm::raw_string_ostream os(line);
      os << ' ' << op->getAttrDictionary();
      for (Type type : op->getOperandTypes()) {
        os << ' ' << type;
      }
      ops.insert(line);
    });
    return ops;
  };
  EXPECT_EQ(opsOf(*built), opsOf(*text));
}

} // namespace
