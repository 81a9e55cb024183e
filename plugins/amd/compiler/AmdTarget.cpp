//===- AmdTarget.cpp - what the SIMT library asks of a machine ------------===//
//
// What   See AmdTarget.h.
// Why    See AmdTarget.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/AmdTarget.h"

#include "plugins/amd/compiler/hooks/MatrixProduct.h"

using namespace llvm;

namespace tz::amd {

/// Of the block.
static int64_t wordsOf(mlir::Value tile) {
  int64_t bytes = tile::storageBytes(tile::elementType(tile.getType()));
  for (int64_t extent : tile::shapeOf(tile.getType())) {
    bytes *= extent;
  }
  return bytes / 4;
}

std::optional<unsigned> wavesForProducts(tile::KernelOp kernel,
                                         const Machine &machine) {
  const unsigned mostWaves = 1024 / machine.lanes;
  auto asked = kernel->getAttrOfType<mlir::IntegerAttr>("tile.num_warps");
  const unsigned given = asked ? unsigned(asked.getInt()) : 4;
  int64_t sums = 0, all = 0;
  kernel.walk([&](tile::DotOp dot) {
    const int64_t own = wordsOf(dot.getResult());
    sums = std::max(sums, own);
    all = std::max(all, own + wordsOf(dot.getA()) + wordsOf(dot.getB()));
  });
  const int64_t registers = machine.registers, lanes = machine.lanes;
  auto fits = [&](int64_t waves) {
    return sums <= registers / 2 * lanes * waves &&
           all <= (registers - registers / 16) * lanes * waves;
  };
  unsigned waves = given;
  while (waves < mostWaves && !fits(waves)) {
    waves *= 2;
  }
  return waves == given || !fits(waves) ? std::nullopt : std::optional(waves);
}

/// Of the vectors of a wave, does each lane's lie behind that of the lane
/// before it? Each element is one lane's.
static bool isInOrder(const simt::Layout &layout, simt::BufferType to,
                      int64_t bytes) {
  using simt::Axis;
  const int64_t lanes = layout.size(Axis::Lane),
                vector = bytes / tile::storageBytes(to.getElementType()),
                registers = layout.size(Axis::Register);
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp}) {
    if (layout.redundantBits(axis) != 0) {
      return false;
    }
  }
  if (!layout.isLinear() || registers % vector != 0) {
    return false;
  }
  auto offset = [&](int64_t reg, int64_t lane, int64_t warp) {
    return to.getOffset(layout.apply(simt::Place{{reg, lane, warp, 0}}));
  };
  for (int64_t warp = 0; warp < layout.size(Axis::Warp); ++warp) {
    for (int64_t reg = 0; reg < registers; reg += vector) {
      const int64_t first = offset(reg, 0, warp);
      for (int64_t lane = 1; lane < lanes; ++lane) {
        if (offset(reg, lane, warp) != first + lane * bytes) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Do the bounds of a view lie between its vectors? A copy is whole or zeros.
static bool endsBetween(tile::LoadViewOp load, const analysis::Hints &hints,
                        unsigned dim, int64_t vector) {
  mlir::Value view = load.getView();
  while (auto advance = view.getDefiningOp<tile::AdvanceViewOp>()) {
    if (hints.divisibility(advance.getOffsets()[dim]) % vector != 0) {
      return false;
    }
    view = advance.getView();
  }
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  return !load.getChecked()[dim] ||
         (made && hints.divisibility(made.getShape()[dim]) % vector == 0 &&
          hints.divisibility(load.getOffsets()[dim]) % vector == 0);
}

/// Straight to LDS go the loads of a loop if all of them can: what is loaded
/// beside copies would be waited for at once.
bool AmdTarget::canCopyAsync(mlir::Operation *load,
                             const simt::Contiguity &runs,
                             const simt::Layout &layout,
                             simt::BufferType to) const {
  if (machine.directBytes == 0 || !isInOrder(layout, to, machine.directBytes)) {
    return false;
  }
  auto isStaged = [&](mlir::Operation &op) {
    if (!isa<tile::LoadOp, tile::LoadViewOp>(op) ||
        !isa<mlir::RankedTensorType>(op.getResult(0).getType())) {
      return true;
    }
    auto view = dyn_cast<tile::LoadViewOp>(op);
    auto stage = op.getResult(0).hasOneUse()
                     ? dyn_cast<simt::StageOp>(*op.getResult(0).user_begin())
                     : simt::StageOp();
    if (!view || !stage) {
      return false;
    }
    const simt::BufferType buffer = stage.getResult().getType();
    const unsigned fast = buffer.getLayout().getOrder()[0];
    const int64_t bytes = tile::storageBytes(buffer.getElementType());
    return endsBetween(view, runs.hints(), fast, machine.directBytes / bytes) &&
           buffer.getLayout().getPadding() == 0 &&
           SimtTarget::canCopyAsync(&op, runs, simt::layoutOf(op.getResult(0)),
                                    buffer);
  };
  return SimtTarget::canCopyAsync(load, runs, layout, to) &&
         llvm::all_of(*load->getBlock(), isStaged);
}

simt::DotChoice AmdTarget::chooseDot(const simt::DotRequest &request) const {
  std::optional<simt::DotChoice> choice;
  if (machine.usesMatrix) {
    choice = chooseMatrix(request, machine);
  }
  return choice ? *choice : SimtTarget::chooseDot(request);
}

/// By registers, by waves and by LDS. Addresses and what is computed take about
/// as many registers again as an eighth of what there are.
unsigned AmdTarget::blocksBeside(const simt::BlockNeeds &block) const {
  const unsigned overhead = machine.registers / 8,
                 words = std::min(block.words + overhead, machine.registers);
  const uint64_t wavesOfSimd = std::min<uint64_t>(machine.mostWaves,
                                                  machine.allRegisters / words),
                 byWaves = wavesOfSimd * machine.simds / block.warps,
                 byShared = block.sharedBytes
                                ? machine.sharedBytes / block.sharedBytes
                                : byWaves;
  return unsigned(std::max<uint64_t>(1, std::min(byWaves, byShared)));
}

} // namespace tz::amd
