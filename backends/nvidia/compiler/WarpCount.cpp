//===- WarpCount.cpp - how many warps a block has -------------------------===//
//
// What   See WarpCount.h.
// Why    See WarpCount.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/WarpCount.h"

#include "terrazzo/simt/Contiguity.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tz::nvidia {

namespace {

constexpr int64_t Group = 4, Groups = 8; // warps
constexpr unsigned Lanes = 32;

/// Does a product in the loop read what is computed from another one there?
bool hasChainedDots(mlir::scf::ForOp loop) {
  return loop
      .walk([&](tile::DotOp dot) {
        SetVector<mlir::Operation *> before;
        mlir::BackwardSliceOptions inLoop;
        inLoop.omitBlockArguments = true;
        inLoop.filter = [&](mlir::Operation *op) {
          return loop->isProperAncestor(op);
        };
        for (mlir::Value operand : {dot.getA(), dot.getB()}) {
          if (failed(mlir::getBackwardSlice(operand, &before, inLoop))) {
            return mlir::WalkResult::advance();
          }
        }
        return llvm::any_of(before, llvm::IsaPred<tile::DotOp>)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Rows of the smallest product in the loop.
int64_t leastRows(mlir::scf::ForOp loop) {
  int64_t rows = INT64_MAX;
  loop.walk([&](tile::DotOp dot) {
    rows = std::min(rows, tile::shapeOf(dot.getType()).end()[-2]);
  });
  return rows;
}

/// Is there a loop whose warps shall be specialised, and in which a second
/// group would compute between its products while the first one multiplies?
bool gainsBySecondGroup(tile::KernelOp kernel) {
  constexpr int64_t rowsOfGroup = 64;
  return kernel
      .walk([&](mlir::scf::ForOp loop) {
        return loop->hasAttr("tile.warp_specialize") && hasChainedDots(loop) &&
                       leastRows(loop) >= 2 * rowsOfGroup
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t wordsIn(mlir::Value value) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  return type.getNumElements() * tile::storageBytes(type.getElementType()) / 4;
}

/// Of two products of a loop, of which one reads the other's sums, a thread
/// holds both: the scores and the output of attention. Two groups of warps have
/// rows of their own.
int64_t sumsOfPairs(tile::KernelOp kernel) {
  constexpr int64_t rowsOfGroup = 64;
  int64_t most = 0;
  kernel.walk([&](mlir::scf::ForOp loop) {
    auto dots = llvm::to_vector(loop.getBody()->getOps<tile::DotOp>());
    if (dots.size() == 2 && hasChainedDots(loop) &&
        leastRows(loop) >= 2 * rowsOfGroup) {
      most = std::max(most, wordsIn(dots[0].getResult()) +
                                wordsIn(dots[1].getResult()));
    }
  });
  return most;
}

/// The warps that a block needs so that the sums of its largest product, and
/// with less than four warps its operand too, fit into registers.
std::optional<int64_t> warpsForSums(tile::KernelOp kernel, int64_t warps) {
  constexpr int64_t mostSums = 200, // of a thread, beside addresses
      easySums = 96;                // beside operands in registers as well
  int64_t sums = 0, held = 0;
  kernel.walk([&](tile::DotOp dot) {
    sums = std::max(sums, wordsIn(dot.getResult()));
    held = std::max(held, wordsIn(dot.getResult()) + wordsIn(dot.getA()));
  });
  // Less than a group of warps has no wgmma, and holds operands beside sums.
  if (warps < Group && held > easySums * Lanes * warps &&
      sums <= mostSums * Lanes * Group) {
    return Group;
  }
  if (warps == Group) {
    sums = std::max(sums, sumsOfPairs(kernel));
  }
  return warps < Groups && sums > mostSums * Lanes * warps &&
                 sums <= mostSums * Lanes * Groups
             ? std::optional(Groups)
             : std::nullopt;
}

std::optional<WarpChoice> warpsForProducts(tile::KernelOp kernel,
                                           int64_t warps) {
  if (std::optional<int64_t> more = warpsForSums(kernel, warps)) {
    return WarpChoice{unsigned(*more),
                      "with the num_warps that were asked for, a product's "
                      "sums and operands would not fit into registers"};
  }
  if (warps == Group && gainsBySecondGroup(kernel)) {
    return WarpChoice{unsigned(Groups),
                      "warp_specialize was asked for, and one group of four "
                      "computes between its products while the other one "
                      "multiplies"};
  }
  return std::nullopt;
}

/// Elements of the largest tile of a kernel; 1: it has scalars alone.
int64_t mostElements(tile::KernelOp kernel) {
  int64_t most = 1;
  auto note = [&](mlir::Type type) {
    if (auto tile = dyn_cast<mlir::RankedTensorType>(type)) {
      most = std::max(most, tile.getNumElements());
    }
  };
  kernel.walk([&](mlir::Operation *op) {
    llvm::for_each(op->getOperandTypes(), note);
    llvm::for_each(op->getResultTypes(), note);
  });
  return most;
}

bool hasProducts(tile::KernelOp kernel) {
  return kernel.walk([](tile::DotOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

bool hasRuns(const simt::Contiguity &runs, mlir::Value value) {
  return llvm::any_of(runs.of(value), [](const simt::DimRuns &dim) {
    return dim.contiguity > 1 || dim.constancy > 1;
  });
}

/// Is a run of lanes multiplied on its way to this pointer?
bool isSpread(const simt::Contiguity &runs, mlir::Value pointer) {
  auto isFactor = [](mlir::Value value) {
    if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
      value = splat.getSource();
    }
    APInt factor;
    return mlir::matchPattern(value, mlir::m_ConstantInt(&factor)) &&
           factor.sgt(1);
  };
  SetVector<mlir::Operation *> parts;
  auto add = [&](mlir::Value value) {
    if (mlir::Operation *op = value.getDefiningOp()) {
      parts.insert(op);
    }
  };
  add(pointer);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (isa<tile::AddPtrOp, mlir::arith::AddIOp, mlir::arith::SubIOp,
            mlir::arith::ExtSIOp, mlir::arith::ExtUIOp>(parts[i])) {
      llvm::for_each(parts[i]->getOperands(), add);
    } else if (auto product = dyn_cast<mlir::arith::MulIOp>(parts[i]);
               product && ((isFactor(product.getRhs()) &&
                            hasRuns(runs, product.getLhs())) ||
                           (isFactor(product.getLhs()) &&
                            hasRuns(runs, product.getRhs())))) {
      return true;
    }
  }
  return false;
}

/// Has a view no axis whose elements lie beside each other?
bool isSpread(mlir::Value view) {
  while (auto step = view.getDefiningOp<tile::AdvanceViewOp>()) {
    view = step.getView();
  }
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  return made && llvm::all_of(made.getStrides(), [](mlir::Value stride) {
           APInt known;
           return mlir::matchPattern(stride, mlir::m_ConstantInt(&known)) &&
                  !known.isOne();
         });
}

/// Do neighbours of a tile lie apart in memory? A thread that has two of them
/// makes two accesses, each of twice the memory that a warp would touch.
bool accessesApart(tile::KernelOp kernel) {
  simt::Contiguity runs(kernel);
  return kernel
      .walk([&](mlir::Operation *op) {
        const bool isApart = isa<tile::LoadViewOp, tile::StoreViewOp>(op)
                                 ? isSpread(op->getOperand(0))
                                 : isa<tile::LoadOp, tile::StoreOp>(op) &&
                                       !hasRuns(runs, op->getOperand(0)) &&
                                       isSpread(runs, op->getOperand(0));
        return isApart ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Threads without an element of their own repeat what others do, and a
/// multiprocessor holds fewer blocks of many warps. Two elements of a thread
/// are worth one vector, but in loops and scans half of the threads takes
/// longer over each step.
std::optional<WarpChoice> warpsForSmallTiles(tile::KernelOp kernel,
                                             unsigned warps) {
  const auto elements = uint64_t(mostElements(kernel));
  auto enough = [&](uint64_t ofThread) {
    return PowerOf2Ceil(divideCeil(elements, Lanes * ofThread));
  };
  if (enough(2) >= warps) {
    return std::nullopt;
  }
  const bool hasSteps =
      kernel
          .walk([](mlir::Operation *op) {
            return isa<mlir::LoopLikeOpInterface, tile::ScanOp>(op)
                       ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
          })
          .wasInterrupted();
  const uint64_t fewer = enough(hasSteps || accessesApart(kernel) ? 1 : 2);
  if (fewer >= warps) {
    return std::nullopt;
  }
  return WarpChoice{unsigned(fewer),
                    "more threads would have nothing of their own to do"};
}

} // namespace

unsigned warpsAsked(tile::KernelOp kernel) {
  auto asked = kernel->getAttrOfType<mlir::IntegerAttr>("tile.num_warps");
  return asked ? unsigned(asked.getInt()) : unsigned(Group);
}

std::optional<WarpChoice> warpsForTiles(tile::KernelOp kernel) {
  const unsigned warps = warpsAsked(kernel);
  if (!isPowerOf2_32(warps)) { // an error, which is told later
    return std::nullopt;
  }
  return hasProducts(kernel) ? warpsForProducts(kernel, warps)
                             : warpsForSmallTiles(kernel, warps);
}

/// More leave a thread 64 registers, which is too few for long rows.
static constexpr unsigned MostForSpills = 16;

bool takesMoreWarps(tile::KernelOp kernel) {
  return warpsAsked(kernel) < MostForSpills &&
         !kernel
              .walk([](mlir::scf::ForOp loop) {
                return hasChainedDots(loop) ? mlir::WalkResult::interrupt()
                                            : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

/// A thread keeps some registers for addresses and what comes and goes. Warps
/// that share a product exchange more of its operands, which pays for many
/// spills only.
std::optional<unsigned> warpsForSpills(tile::KernelOp kernel,
                                       unsigned spillBytes) {
  constexpr unsigned many = 512, manyBesideProducts = 1600;
  constexpr unsigned all = 255, easy = 160;
  const unsigned warps = warpsAsked(kernel);
  if (spillBytes < (hasProducts(kernel) ? manyBesideProducts : many)) {
    return std::nullopt;
  }
  const unsigned wanted = (all + spillBytes / 4) * warps;
  unsigned more = 2 * warps;
  while (more < MostForSpills && !hasProducts(kernel) && wanted > easy * more) {
    more *= 2;
  }
  return more;
}

} // namespace tz::nvidia
