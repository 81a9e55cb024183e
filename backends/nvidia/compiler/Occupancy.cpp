//===- Occupancy.cpp - how many blocks should fit into a multiprocessor ---===//
//
// What   See Occupancy.h.
// Why    See Occupancy.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Occupancy.h"

#include "backends/nvidia/compiler/hooks/PtxMatrix.h"
#include "backends/nvidia/compiler/hooks/Wgmma.h"

#include "terrazzo/simt/Work.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace llvm;

namespace tz::nvidia {

namespace {

/// Words of 32 bits that a thread has of a tile of floats; else 0.
int64_t wordsOf(mlir::Type type) {
  mlir::Type element = tile::elementType(type);
  if (!simt::hasLayout(type) || !isa<mlir::FloatType>(element)) {
    return 0;
  }
  const int64_t count = simt::layoutOf(type).size(simt::Axis::Register);
  return int64_t(divideCeil(uint64_t(count) * tile::storageBytes(element), 4));
}

/// Words of the widest tile that a thread loads in it.
int64_t widestLoad(mlir::Operation *where) {
  int64_t words = 0;
  where->walk([&](mlir::Operation *op) {
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      words = std::max(words, wordsOf(op->getResult(0).getType()));
    }
  });
  return words;
}

/// Words that a thread holds in a loop: of the tiles that it carries, of those
/// made before that it reads, and of the widest one that it loads.
int64_t wordsIn(mlir::LoopLikeOpInterface loop) {
  int64_t words = 0;
  for (mlir::Value carried : loop.getRegionIterArgs()) {
    words += wordsOf(carried.getType());
  }
  llvm::SetVector<mlir::Value> outer;
  mlir::getUsedValuesDefinedAbove(loop->getRegions(), outer);
  for (mlir::Value value : outer) {
    if (!value.getDefiningOp<tile::SplatOp>() &&
        !mlir::matchPattern(value, mlir::m_Constant())) {
      words += wordsOf(value.getType());
    }
  }
  return words + widestLoad(loop);
}

/// Words that a thread must hold at once: of the widest tile, ...
int64_t widestTile(tile::KernelOp kernel) {
  int64_t words = 0;
  kernel.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      words = std::max(words, wordsOf(type));
    }
  });
  return words;
}

/// ... and in a loop.
int64_t widestLoop(tile::KernelOp kernel) {
  int64_t words = 0;
  kernel.walk([&](mlir::LoopLikeOpInterface loop) {
    words = std::max(words, wordsIn(loop));
  });
  return words;
}

bool anyDot(tile::KernelOp kernel, function_ref<bool(simt::DotOp)> is) {
  return kernel
      .walk([&](simt::DotOp dot) {
        return is(dot) ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool hasReduction(tile::KernelOp kernel) {
  return kernel
      .walk([](tile::ReduceOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

bool hasRecurrence(tile::KernelOp kernel) {
  return kernel
      .walk([](mlir::LoopLikeOpInterface loop) {
        return simt::isRecurrence(loop) ? mlir::WalkResult::interrupt()
                                        : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Threads of a multiprocessor, each of which holds so many words at once.
SmallVector<unsigned, 4> threadsWithoutDots(tile::KernelOp kernel,
                                            int64_t words) {
  constexpr int64_t tooMany = 192, most = 96, many = 48, some = 24, few = 16;
  const bool isRecurrence = hasRecurrence(kernel);
  // Measured on an H200: a recurrence with 250 registers, whose loads go ahead,
  // took 1.36 of its time with 168.
  if (words > tooMany || (words > most && isRecurrence)) {
    return {};
  }
  // Of floats that were halves in memory a thread need not hold all at once:
  // 128 or 168 registers each may do, and three small blocks are more than two.
  // Whole words are all there before the first is used. Measured on an H200:
  // with 168 registers for 128 of them a quarter was loaded late, and the
  // kernel took 1.34 of its time.
  if (words > most) {
    return widestLoad(kernel) > most ? SmallVector<unsigned, 4>()
                                     : SmallVector<unsigned, 4>{512, 384};
  }
  const simt::Work work = simt::workOf(kernel);
  // Measured on an H200, on 169 launches of others with fewer registers than
  // ptxas takes: where nothing spills, what reduces or loops gains by more
  // warps, up to 1.29; what only computes elements hardly does.
  if (words > few || isRecurrence) {
    if (words > few && words <= some && !isRecurrence && !work.isElementwise &&
        hasReduction(kernel)) {
      return {1536, 1280, 1024, 768, 512, 384};
    }
    SmallVector<unsigned, 4> wanted = {1024, 768, 512}; // of 64, 80, 128
    if (work.isElementwise) {
      wanted.erase(words > many ? wanted.begin() : wanted.begin() + 1);
    }
    if (!isRecurrence) {
      wanted.push_back(384); // of 168
    }
    // What a loop loads beside what it carries would come bit by bit: sums of
    // 64 words and loads of 32 took 3.7 of the time with 80 registers.
    const int64_t inLoop = widestLoop(kernel);
    llvm::erase_if(wanted, [&](unsigned threads) {
      return int64_t(RegistersOfAll / threads) < inLoop;
    });
    return wanted;
  }
  // Measured on an H200, on elementwise kernels of others: threads that load
  // and store more than this crowd each other at the memory, 2048 take 1.1 of
  // the time of 1536. What others find in the caches crowds nobody: there 1536
  // take 1.1 of the time of 2048, as where a load waits for another one.
  constexpr int64_t manyBytes = 64;
  const bool movesMuch = work.isElementwise && work.streamed > manyBytes;
  // What computes much waits for its own results; with few registers it would
  // compute some of its integers again.
  // The last two are for what computes integers, or much at once: one block
  // with all registers would be a sixth of the threads.
  if (work.computesMuch() &&
      (movesMuch || !work.isElementwise || work.others > work.floats)) {
    return {1280, 1024, 768, 512};
  }
  // What waits for an index is loaded at once then, as far as 32 registers hold
  // it.
  constexpr int64_t heldBytes = 64;
  if (movesMuch || (work.isElementwise && work.late > heldBytes)) {
    return {1536, 1280, 1024, 768, 512};
  }
  return {2048, 1536, 1280, 1024, 768, 512};
}

/// Words that a thread holds for a product: its sums, and its operands, which
/// are loaded before they are staged.
int64_t widestProduct(tile::KernelOp kernel) {
  int64_t words = 0;
  kernel.walk([&](simt::DotOp dot) {
    int64_t held = wordsOf(dot.getResult().getType());
    SmallPtrSet<mlir::Operation *, 2> staged; // once, if it is both
    for (mlir::Value operand : {dot.getA(), dot.getB()}) {
      while (auto permute = operand.getDefiningOp<simt::PermuteOp>()) {
        operand = permute.getSource();
      }
      auto stage = operand.getDefiningOp<simt::StageOp>();
      if (!stage) {
        held += wordsOf(operand.getType());
      } else if (staged.insert(stage).second) {
        held += wordsOf(stage.getSource().getType());
      }
    }
    words = std::max(words, held);
  });
  return words;
}

/// The same for products outside of loops. A few registers less may let one
/// more block run, and all programs at once. Of small products ptxas takes what
/// registers it may, though it needs half of them: more threads are tried.
SmallVector<unsigned, 4>
threadsWithoutRings(int64_t words, uint64_t sharedBytesEach,
                    const ArchitectureFacts &architecture) {
  constexpr unsigned addresses = 32, fewAddresses = 16;
  const uint64_t byShared = sharedBytesEach
                                ? architecture.sharedBytes / sharedBytesEach
                                : architecture.threads;
  SmallVector<unsigned, 4> wanted;
  for (unsigned threads : {2048, 1536, 1280, 1024, 768, 512, 384}) {
    const int64_t beside = threads > 1024 ? fewAddresses : addresses;
    const bool fits =
        threads <= byShared && words + beside <= RegistersOfAll / threads;
    if (fits || threads <= 512) { // 128 registers each, as a rule
      wanted.push_back(threads);
    }
  }
  return wanted;
}

} // namespace

WantedBlocks blocksWanted(const simt::Variant &variant,
                          const ArchitectureFacts &architecture) {
  auto kernel = cast<tile::KernelOp>(variant.kernel);
  const unsigned threads = variant.lowered.threads;
  const bool hasDot = anyDot(kernel, [](simt::DotOp) { return true; });
  const bool hasRing =
      kernel.walk([](simt::RingOp) { return mlir::WalkResult::interrupt(); })
          .wasInterrupted();
  const int64_t words = widestTile(kernel);
  SmallVector<unsigned, 4> wanted;
  const bool hasWgmma = anyDot(kernel, [](simt::DotOp dot) {
    return dot.getInstruction() == WgmmaName;
  });
  // Sums of wgmma stay in registers: it is refused if they are too many.
  constexpr int64_t mostOfWgmma = 64;
  if (hasRing && (!hasWgmma || words <= mostOfWgmma)) {
    // As many as the ring buffers leave shared memory for, else some fewer. Who
    // asks for the number of programs gives each of them many tiles, and most
    // often starts as many as there are multiprocessors: one has it for itself.
    constexpr unsigned addresses = 32;
    const bool isShared = !kernel
                               .walk([](tile::NumProgramsOp) {
                                 return mlir::WalkResult::interrupt();
                               })
                               .wasInterrupted();
    for (unsigned blocks = architecture.blocksBeside(
             threads, unsigned(words) + addresses, variant.lowered.sharedBytes);
         blocks > 1; blocks = blocks > 4 ? blocks * 3 / 4 : blocks - 1) {
      wanted.push_back(threads * blocks);
      if (!isShared) {
        break;
      }
    }
  } else if (hasDot && !hasRing && words <= 64) {
    wanted = threadsWithoutRings(std::max(words, widestProduct(kernel)),
                                 variant.lowered.sharedBytes / threads,
                                 architecture);
  } else if (!hasDot) {
    wanted = threadsWithoutDots(kernel, std::max(words, widestLoop(kernel)));
  }
  for (unsigned &one : wanted) {
    one = std::clamp(std::min(one, architecture.threads) / threads, 1u,
                     architecture.blocks);
  }
  wanted.push_back(1);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  // Products without ring buffers wait for their loads: other blocks do more
  // than two words in memory cost.
  constexpr unsigned fewSpills = 32, twoWords = 8;
  // Measured on an H200, on elementwise kernels of others: 40 or 48 registers
  // took 1.08 to 1.16 of the time of the 53 to 64 that ptxas takes by itself,
  // but 0.99 where most of what is loaded waits for an index.
  constexpr unsigned many = 53;
  if (hasDot) {
    return {wanted, 0, hasRing ? 0 : twoWords};
  }
  const simt::Work work = simt::workOf(kernel);
  const bool waitsForIndices = 2 * work.late > work.bytes;
  return {wanted, fewSpills, 0,
          work.isElementwise && !waitsForIndices ? many : 0};
}

} // namespace tz::nvidia
