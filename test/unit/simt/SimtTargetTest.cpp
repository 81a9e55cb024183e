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
  unsigned splitBlocks() const override { return split; }
  unsigned mostAccumulators() const override { return accumulators; }
  int64_t sharedAlignment(simt::BufferType buffer) const override {
    return alignment != 0 ? alignment : leastAlignment(buffer);
  }
  unsigned mostThreads() const override { return threads; }
  uint64_t sharedReserved() const override { return reserved; }
  int64_t bulkAlignment() const override { return bulk; }

  unsigned lanesOfAWarp = 32, async = 0, cluster = 1, split = 1,
           accumulators = 200, words = 0, threads = 1024;
  int64_t vector = 16, alignment = 0, bulk = 16;
  uint64_t shared = 65536, reserved = 0;
};

/// "" or what is said.
std::string messageOf(const simt::SimtTarget &target,
                      const simt::FrameLimits &limits = {},
                      const char *text = "tile.kernel @k(%n: i32) "
                                         "{ tile.return }") {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, simt::SimtDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto kernel = mlir::cast<tile::KernelOp>(module->getBody()->front());
  try {
    simt::makeVariants(kernel, nullptr, target, limits);
  } catch (const simt::Unsupported &problem) {
    return std::string("refused: ") + problem.what();
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
  target.split = 3;
  EXPECT_NE(messageOf(target).find("splitBlocks() with 3"), std::string::npos);
  target = {};
  target.accumulators = 0;
  EXPECT_NE(messageOf(target).find("mostAccumulators() with 0"),
            std::string::npos);
}

/// What is said of an answer.
template <typename T>
std::string messageWith(T Answers::*question, T answer) {
  Answers target;
  target.*question = answer;
  return messageOf(target);
}

TEST(Target, SharedMemoryIsAlignedToWhatASwizzleRepeatsAfter) {
  EXPECT_EQ(messageWith(&Answers::alignment, int64_t(1024)), "");
  EXPECT_EQ(messageWith(&Answers::alignment, int64_t(512)),
            "the target answers sharedAlignment() with 512; it must be a power "
            "of two from 1024 to 65536; less cuts vectors or what a swizzle "
            "repeats after");
  EXPECT_NE(messageWith(&Answers::alignment, int64_t(48)).find("with 48"),
            std::string::npos);
  EXPECT_NE(messageWith(&Answers::alignment, int64_t(-16))
                .find("sharedAlignment() with"),
            std::string::npos);
}

TEST(Target, ThreadsAndBoxesAreThoseOfAMachine) {
  EXPECT_EQ(messageWith(&Answers::threads, 16u),
            "the target answers mostThreads() with 16; it must be a power of "
            "two from lanes() to 65536");
  EXPECT_NE(messageWith(&Answers::threads, 768u).find("with 768"),
            std::string::npos);
  EXPECT_NE(messageWith(&Answers::reserved, uint64_t(-1))
                .find("sharedReserved() with 18446744073709551615; it must be "
                      "less than 4 GiB"),
            std::string::npos);
  EXPECT_EQ(messageWith(&Answers::bulk, int64_t(24)),
            "the target answers bulkAlignment() with 24; it must be a power of "
            "two from 1 to 65536");
}

TEST(Target, BlocksHaveAsManyWarpsAsThreadsAllow) {
  Answers target;
  target.lanesOfAWarp = 64;
  EXPECT_EQ(messageOf(target, {},
                      "tile.kernel @k() attributes {tile.num_warps = 32 : i32}"
                      " { tile.return }"),
            "refused: num_warps is 32; a block has 1, 2, 4, 8 or 16 warps");
  target.lanesOfAWarp = 16;
  EXPECT_EQ(messageOf(target, {},
                      "tile.kernel @k() attributes {tile.num_warps = 64 : i32}"
                      " { tile.return }"),
            "");
}

TEST(Target, FramesHaveLimitsThatAMachineCanCheck) {
  const auto with = [](auto member, int64_t value) {
    simt::FrameLimits limits;
    limits.*member = value;
    return messageOf(Answers(), limits);
  };
  EXPECT_EQ(with(&simt::FrameLimits::baseAlignment, 0),
            "the target answers FrameLimits::baseAlignment with 0; it must be "
            "a power of two up to 2^20");
  EXPECT_NE(with(&simt::FrameLimits::strideAlignment, 12).find("with 12"),
            std::string::npos);
  EXPECT_NE(with(&simt::FrameLimits::rowAlignment, -4).find("rowAlignment"),
            std::string::npos);
  EXPECT_NE(with(&simt::FrameLimits::evenBytes, 0).find("evenBytes"),
            std::string::npos);
  EXPECT_NE(with(&simt::FrameLimits::strideEnd, 0).find("strideEnd"),
            std::string::npos);
  EXPECT_NE(with(&simt::FrameLimits::pitchEnd, 0).find("pitchEnd"),
            std::string::npos);
  EXPECT_NE(with(&simt::FrameLimits::extentEnd, int64_t{1} << 31)
                .find("from 1 to 2^31 - 1"),
            std::string::npos);
  EXPECT_NE(with(&simt::FrameLimits::leastRow, -1).find("leastRow"),
            std::string::npos);
}

/// A matrix unit that answers something else than a dot's layouts.
struct MatrixUnit final : simt::SimtTarget {
  enum Fault { none, warps, shape, registers, panel };
  explicit MatrixUnit(Fault fault) : fault(fault) {}
  simt::DotChoice chooseDot(const simt::DotRequest &request) const override {
    simt::DotChoice choice = SimtTarget::chooseDot(request);
    const unsigned order[] = {1, 0};
    const int64_t whole[] = {32, 32}, half[] = {16, 32};
    if (fault == warps) {
      choice.acc = simt::blockedLayout({whole, 1, order, 32, 1});
    } else if (fault == shape) {
      choice.acc = simt::blockedLayout({half, 1, order, 32, request.warps});
    } else if (fault == registers) {
      choice.a = simt::blockedLayout({whole, 1, order, 32, request.warps});
    } else if (fault == panel) {
      mlir::MLIRContext *context = request.dot->getContext();
      choice.b = simt::SharedAttr::get(context, order, 24, 0, 4, 3);
    }
    return choice;
  }
  Fault fault;
};

TEST(Target, DotsHaveTheLayoutsOfTheirTiles) {
  auto with = [](MatrixUnit::Fault fault) {
    return messageOf(MatrixUnit(fault), {}, R"(
      tile.kernel @k(%p: !tile.ptr<f32>) {
        %x = arith.constant dense<1.0> : tensor<32x32xf16>
        %z = arith.constant dense<0.0> : tensor<32x32xf32>
        %d = tile.dot %x, %x, %z : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
        %s = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
        tile.store %s, %d : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
        tile.return
      })");
  };
  EXPECT_EQ(with(MatrixUnit::none), "");
  EXPECT_EQ(with(MatrixUnit::warps),
            "the target answers chooseDot() with a layout of the accumulator "
            "for 1 warps of 32 lanes; the kernel has 4 of 32");
  EXPECT_TRUE(with(MatrixUnit::shape)
                  .starts_with("the target answers chooseDot() with a layout "
                               "of the accumulator that does not cover it: "))
      << with(MatrixUnit::shape);
  EXPECT_EQ(with(MatrixUnit::registers),
            "the target answers chooseDot() with the left operand in registers "
            "and no instruction; threads read their operands from shared "
            "memory");
  EXPECT_EQ(with(MatrixUnit::panel),
            "the target answers chooseDot() with a buffer for the right "
            "operand that is not of its rank, or whose panel does not divide a "
            "row");
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
  unsigned lanes() const override { return lanesOfAWarp; }
  unsigned barrierBytes() const override { return barrierSize; }
  unsigned descriptorBytes() const override { return descriptor; }
  lowering::AddressSpaces spaces;
  bool isElsewhere = false; // shared memory is in another space
  unsigned lanesOfAWarp = 32, barrierSize = 8, descriptor = 128;
};

/// The function of a kernel with an array, or what is said of the hooks.
std::string lowered(Instructions &hooks,
                    const char *text = "tile.kernel @k(%p: !tile.ptr<f32>, "
                                       "%x: f32) { tile.store %p, %x : "
                                       "!tile.ptr<f32>, f32\n tile.return }") {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, simt::SimtDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto kernel = mlir::cast<tile::KernelOp>(module->getBody()->front());
  llvm::LLVMContext llvmContext;
  llvm::Module made("m", llvmContext);
  std::string code;
  try {
    llvm::raw_string_ostream(code)
        << *simt::lower(kernel, hooks, made).function;
  } catch (const simt::BadTarget &problem) {
    return problem.what();
  }
  return code;
}

std::string lowered(const lowering::AddressSpaces &spaces,
                    bool isElsewhere = false) {
  Instructions hooks;
  hooks.spaces = spaces;
  hooks.isElsewhere = isElsewhere;
  return lowered(hooks);
}

TEST(Hooks, HaveTheLanesOfTheLayouts) {
  Instructions hooks;
  hooks.lanesOfAWarp = 64;
  EXPECT_EQ(lowered(hooks,
                    "tile.kernel @k() { %0 = arith.constant dense<0> : "
                    "tensor<32xi32, #simt.layout<rank 1, lane [[1], [2], [4], "
                    "[8], [16]]>>\n tile.return }"),
            "the target answers SimtHooks::lanes() with 64; it must be 32, as "
            "SimtTarget::lanes() was");
}

TEST(Hooks, BarriersAndDescriptorsHaveASize) {
  for (unsigned bytes : {0u, 2u, 12u, 128u}) {
    Instructions hooks;
    hooks.barrierSize = bytes;
    EXPECT_EQ(lowered(hooks), "the target answers barrierBytes() with " +
                                  std::to_string(bytes) +
                                  "; it must be a power of two from 4 to 64");
  }
  for (unsigned bytes : {0u, 8u, 100u, 8192u}) {
    Instructions hooks;
    hooks.descriptor = bytes;
    EXPECT_EQ(lowered(hooks),
              "the target answers descriptorBytes() with " +
                  std::to_string(bytes) +
                  "; it must be a power of two from 16 to 4096");
  }
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
