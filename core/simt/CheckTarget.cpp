//===- CheckTarget.cpp - does a target make sense? ------------------------===//
//
// What   See CheckTarget.h.
// Why    See CheckTarget.h.
//===----------------------------------------------------------------------===//
#include "core/simt/CheckTarget.h"

#include "terrazzo/simt/SimtLowering.h"

#include "llvm/Support/MathExtras.h"

namespace tz::simt {

namespace {

void require(bool isFine, const char *question, uint64_t answer,
             const char *expected) {
  if (!isFine) {
    throw BadTarget(AnswerPrefix.str() + question + " with " +
                    std::to_string(answer) + "; it must be " + expected);
  }
}

bool isPowerOf2Upto(uint64_t value, uint64_t most) {
  return llvm::isPowerOf2_64(value) && value <= most;
}

/// What passes and lowering both ask.
void checkMachine(const SimtMachine &machine) {
  require(isPowerOf2Upto(machine.lanes(), 64), "lanes()", machine.lanes(),
          "a power of two from 1 to 64");
  require(isPowerOf2Upto(uint64_t(machine.vectorBytes()), 64), "vectorBytes()",
          uint64_t(machine.vectorBytes()), "a power of two from 1 to 64");
}

/// The bytes of a row, and of what a swizzle repeats after, are some.
void checkAlignment(const SimtMachine &machine, mlir::MLIRContext *context) {
  const unsigned order[] = {1, 0};
  const int64_t shape[] = {64, 64};
  const mlir::Type element = mlir::Float16Type::get(context);
  for (unsigned bits : {0u, 1u, 2u, 3u}) {
    const auto buffer =
        BufferType::get(context, shape, element,
                        SharedAttr::get(context, order, 8 << bits, bits, 4, 3));
    const auto answer = uint64_t(machine.sharedAlignment(buffer));
    const auto least = uint64_t(machine.leastAlignment(buffer));
    require(isPowerOf2Upto(answer, 1 << 16) && answer >= least,
            "sharedAlignment()", answer,
            ("a power of two from " + std::to_string(least) +
             " to 65536; less cuts vectors or what a swizzle repeats after")
                .c_str());
  }
}

} // namespace

void checkTarget(const SimtTarget &target, mlir::MLIRContext *context) {
  checkMachine(target);
  checkAlignment(target, context);
  require(isPowerOf2Upto(target.mostThreads(), 1 << 16) &&
              target.mostThreads() >= target.lanes(),
          "mostThreads()", target.mostThreads(),
          "a power of two from lanes() to 65536");
  require(target.sharedReserved() <= UINT32_MAX, "sharedReserved()",
          target.sharedReserved(), "less than 4 GiB");
  require(isPowerOf2Upto(uint64_t(target.bulkAlignment()), 1 << 16),
          "bulkAlignment()", uint64_t(target.bulkAlignment()),
          "a power of two from 1 to 65536");
  require(target.registers() <= 4096, "registers()", target.registers(),
          "at most 4096");
  require(target.sharedBytes() <= UINT32_MAX, "sharedBytes()",
          target.sharedBytes(), "less than 4 GiB");
  require(target.asyncCopyBytes() == 0 ||
              isPowerOf2Upto(target.asyncCopyBytes(), 16),
          "asyncCopyBytes()", target.asyncCopyBytes(),
          "0, or a power of two from 1 to 16");
  require(isPowerOf2Upto(target.clusterBlocks(), 16), "clusterBlocks()",
          target.clusterBlocks(), "a power of two from 1 to 16");
  require(isPowerOf2Upto(target.splitBlocks(), 16), "splitBlocks()",
          target.splitBlocks(), "a power of two from 1 to 16");
  require(target.mostAccumulators() > 0, "mostAccumulators()",
          target.mostAccumulators(), "at least 1");
}

std::string problemOfDot(const SimtTarget &target, const DotRequest &request,
                         const DotChoice &choice) {
  std::string first;
  auto bad = [&](const llvm::Twine &what) {
    if (first.empty()) {
      first = (AnswerPrefix + "chooseDot() with " + what).str();
    }
  };
  auto checkLayout = [&](const Layout &layout, mlir::Type type,
                         llvm::StringRef name) {
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(type);
    if (layout.rank() != shape.size() || !layout.covers(shape)) {
      bad("a layout of " + name + " that does not cover it: " + layout.str());
    } else if (layout.size(Axis::Lane) != target.lanes() ||
               layout.size(Axis::Warp) != request.warps) {
      bad("a layout of " + name + " for " +
          llvm::Twine(layout.size(Axis::Warp)) + " warps of " +
          llvm::Twine(layout.size(Axis::Lane)) + " lanes; the kernel has " +
          llvm::Twine(request.warps) + " of " + llvm::Twine(target.lanes()));
    }
  };
  auto checkOperand = [&](const DotOperand &operand, mlir::Type type,
                          llvm::StringRef name) {
    if (const auto *layout = std::get_if<Layout>(&operand)) {
      checkLayout(*layout, type, name);
      if (choice.instruction.empty()) {
        bad(name + " in registers and no instruction; threads read their "
                   "operands from shared memory");
      }
      return;
    }
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(type);
    const auto shared = std::get<SharedAttr>(operand);
    if (!shared || shared.getOrder().size() != shape.size() ||
        shape[shared.getOrder().front()] % shared.getPanel() != 0) {
      bad("a buffer for " + name +
          " that is not of its rank, or whose panel "
          "does not divide a row");
    }
  };
  tile::DotOp dot = request.dot;
  checkLayout(choice.acc, dot.getType(), "the accumulator");
  checkOperand(choice.a, dot.getA().getType(), "the left operand");
  checkOperand(choice.b, dot.getB().getType(), "the right operand");
  return first;
}

void checkLimits(const FrameLimits &limits) {
  auto powerOf2 = [](int64_t value, const char *name) {
    require(isPowerOf2Upto(uint64_t(value), 1 << 20), name, uint64_t(value),
            "a power of two up to 2^20");
  };
  powerOf2(limits.baseAlignment, "FrameLimits::baseAlignment");
  powerOf2(limits.strideAlignment, "FrameLimits::strideAlignment");
  powerOf2(limits.rowAlignment, "FrameLimits::rowAlignment");
  powerOf2(limits.evenBytes, "FrameLimits::evenBytes");
  require(limits.strideEnd > 0, "FrameLimits::strideEnd",
          uint64_t(limits.strideEnd), "more than 0");
  require(limits.pitchEnd > 0, "FrameLimits::pitchEnd",
          uint64_t(limits.pitchEnd), "more than 0");
  require(limits.extentEnd > 0 && limits.extentEnd <= INT32_MAX,
          "FrameLimits::extentEnd", uint64_t(limits.extentEnd),
          "from 1 to 2^31 - 1");
  require(limits.leastRow >= 0, "FrameLimits::leastRow",
          uint64_t(limits.leastRow), "at least 0");
}

/// Layouts are made for so many lanes: hooks of another machine would give
/// wrong results.
static void checkLanes(const SimtHooks &hooks, tile::KernelOp kernel) {
  kernel.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      if (!hasLayout(type)) {
        continue;
      }
      const int64_t lanes = layoutOf(type).size(Axis::Lane);
      require(lanes == hooks.lanes(), "SimtHooks::lanes()", hooks.lanes(),
              (std::to_string(lanes) + ", as SimtTarget::lanes() was").c_str());
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
}

void checkHooks(SimtHooks &hooks, tile::KernelOp kernel,
                llvm::LLVMContext &context) {
  checkMachine(hooks);
  checkAlignment(hooks, kernel.getContext());
  checkLanes(hooks, kernel);
  require(isPowerOf2Upto(hooks.barrierBytes(), 64) && hooks.barrierBytes() >= 4,
          "barrierBytes()", hooks.barrierBytes(),
          "a power of two from 4 to 64");
  require(isPowerOf2Upto(hooks.descriptorBytes(), 4096) &&
              hooks.descriptorBytes() >= 16,
          "descriptorBytes()", hooks.descriptorBytes(),
          "a power of two from 16 to 4096");
  llvm::IRBuilder<> b(context);
  const lowering::AddressSpaces spaces = hooks.elementwise(b)->addressSpaces();
  require(spaces.shared == 0 || (spaces.shared != spaces.device &&
                                 spaces.shared != spaces.constants),
          "addressSpaces().shared", spaces.shared,
          "0, or a space that neither arrays nor constants have");
}

void checkShared(const llvm::Value &memory,
                 const lowering::AddressSpaces &spaces) {
  const unsigned space = memory.getType()->getPointerAddressSpace();
  require(space == spaces.shared, "the space of sharedMemory()", space,
          "addressSpaces().shared");
}

} // namespace tz::simt
