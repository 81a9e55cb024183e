//===- SimtTargetTest.cpp - targets that make no sense are refused
//------------===//
//
// What   Answers that no machine gives, each with its message.
// Why    Layouts are computed from the answers: a vendor must hear of a wrong
//        one at once, and not as a wrong result.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/SimtLowering.h"
#include "terrazzo/simt/Variants.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tz;

namespace {

struct Answers final : simt::SimtTarget {
  unsigned lanes() const override { return lanesOfAWarp; }
  int64_t vectorBytes() const override { return vector; }
  uint64_t sharedBytes() const override { return shared; }
  unsigned registers() const override { return words; }
  unsigned asyncCopyBytes() const override { return async; }
  unsigned clusterBlocks() const override { return cluster; }
  unsigned mostAccumulators() const override { return accumulators; }

  unsigned lanesOfAWarp = 32, async = 0, cluster = 1, accumulators = 200,
           words = 0;
  int64_t vector = 16;
  uint64_t shared = 65536;
};

/// "" or what is said.
std::string messageOf(const simt::SimtTarget &target) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, simt::SimtDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "tile.kernel @k(%n: i32) { tile.return }", &context);
  auto kernel = mlir::cast<tile::KernelOp>(module->getBody()->front());
  try {
    simt::makeVariants(kernel, nullptr, target, {});
  } catch (const simt::BadTarget &problem) {
    return problem.what();
  }
  return "";
}

TEST(Target, ThatMakesSense) {
  for (unsigned lanes : {1u, 8u, 16u, 32u, 64u}) {
    Answers target;
    target.lanesOfAWarp = lanes;
    EXPECT_EQ(messageOf(target), "") << lanes;
  }
}

TEST(Target, RegistersAreThoseOfAThread) {
  Answers target;
  target.words = 65536; // of a multiprocessor
  EXPECT_EQ(messageOf(target), "the target answers registers() with 65536; it "
                               "must be at most 4096");
}

TEST(Target, LanesAreAPowerOfTwo) {
  for (unsigned lanes : {0u, 3u, 48u, 128u}) {
    Answers target;
    target.lanesOfAWarp = lanes;
    EXPECT_EQ(messageOf(target),
              "the target answers lanes() with " + std::to_string(lanes) +
                  "; it must be a power of two from 1 to 64");
  }
}

TEST(Target, BytesAreThoseOfAMachine) {
  Answers target;
  target.vector = -16;
  EXPECT_NE(messageOf(target).find("vectorBytes()"), std::string::npos);
  target = {};
  target.shared = uint64_t(-1);
  EXPECT_NE(
      messageOf(target).find("sharedBytes() with 18446744073709551615; it "
                             "must be less than 4 GiB"),
      std::string::npos);
  target = {};
  target.async = 12;
  EXPECT_NE(messageOf(target).find("asyncCopyBytes() with 12"),
            std::string::npos);
  target = {};
  target.cluster = 0;
  EXPECT_NE(messageOf(target).find("clusterBlocks() with 0"),
            std::string::npos);
  target = {};
  target.accumulators = 0;
  EXPECT_NE(messageOf(target).find("mostAccumulators() with 0"),
            std::string::npos);
}

struct Numbers final : lowering::Elementwise {
  using Elementwise::Elementwise;
  llvm::Value *math(tile::MathFn, llvm::Value *x) override { return x; }
};

/// A target's instructions, of which none is asked for.
struct Instructions final : simt::SimtHooks {
  llvm::Value *threadInBlock(llvm::IRBuilderBase &b) override {
    return b.getInt32(0);
  }
  llvm::Value *programId(llvm::IRBuilderBase &b, unsigned) override {
    return b.getInt32(0);
  }
  llvm::Value *programCount(llvm::IRBuilderBase &b, unsigned) override {
    return b.getInt32(1);
  }
  llvm::Value *sharedMemory(llvm::IRBuilderBase &b) override {
    return llvm::ConstantPointerNull::get(
        b.getPtrTy(spaces.shared + isElsewhere));
  }
  void barrier(llvm::IRBuilderBase &, simt::Memories,
               std::optional<unsigned>) override {}
  llvm::Value *shuffle(llvm::IRBuilderBase &, llvm::Value *word,
                       llvm::Value *) override {
    return word;
  }
  llvm::Value *shuffleXor(llvm::IRBuilderBase &, llvm::Value *word,
                          unsigned) override {
    return word;
  }
  std::unique_ptr<lowering::Elementwise>
  elementwise(llvm::IRBuilderBase &b) override {
    return std::make_unique<Numbers>(b, lowering::FloatUnits{}, spaces);
  }
  lowering::AddressSpaces spaces;
  bool isElsewhere = false; // shared memory is in another space
};

/// The function of a kernel with an array, or what is said of the target.
std::string lowered(const lowering::AddressSpaces &spaces,
                    bool isElsewhere = false) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, simt::SimtDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "tile.kernel @k(%p: !tile.ptr<f32>, %x: f32) { tile.store %p, %x : "
      "!tile.ptr<f32>, f32\n tile.return }",
      &context);
  auto kernel = mlir::cast<tile::KernelOp>(module->getBody()->front());
  llvm::LLVMContext llvmContext;
  llvm::Module made("m", llvmContext);
  Instructions hooks;
  hooks.spaces = spaces;
  hooks.isElsewhere = isElsewhere;
  std::string text;
  try {
    llvm::raw_string_ostream(text)
        << *simt::lower(kernel, hooks, made).function;
  } catch (const simt::BadTarget &problem) {
    return problem.what();
  }
  return text;
}

TEST(AddressSpaces, ArePartOfEachPointer) {
  const std::string text = lowered({.device = 1, .constants = 4, .shared = 3});
  EXPECT_NE(text.find("define void @k(ptr addrspace(1) %"), std::string::npos)
      << text;
  EXPECT_NE(text.find("store float %arg1, ptr addrspace(1) %arg0"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("ptr %"), std::string::npos) << text;
}

TEST(AddressSpaces, DoNotOverlap) {
  EXPECT_EQ(
      lowered({.device = 1, .constants = 4, .shared = 1}),
      "the target answers addressSpaces().shared with 1; it must be 0, or "
      "a space that neither arrays nor constants have");
  EXPECT_NE(lowered({.device = 1, .constants = 3, .shared = 3})
                .find("addressSpaces().shared with 3"),
            std::string::npos);
  EXPECT_NE(lowered({}).find("define void @k(ptr %"), std::string::npos);
}

TEST(AddressSpaces, SharedMemoryIsWhereItIsSaidToBe) {
  EXPECT_EQ(lowered({.device = 1, .constants = 4, .shared = 3}, true),
            "the target answers the space of sharedMemory() with 4; it must be "
            "addressSpaces().shared");
}

} // namespace
