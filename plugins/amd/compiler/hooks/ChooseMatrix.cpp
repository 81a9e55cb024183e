//===- ChooseMatrix.cpp - how a block shares a product out ----------------===//
//
// What   See chooseMatrix() in MatrixProduct.h.
// Why    See MatrixProduct.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/MatrixOperand.h"
#include "plugins/amd/compiler/hooks/MatrixProduct.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/SetVector.h"

using namespace llvm;
using tz::simt::Axis;

namespace tz::amd {

namespace {

int64_t powerOfTwoIn(int64_t value) { return value & -value; }

/// How the waves of a block are dealt out over rows and columns.
struct Parties {
  int64_t down = 1, across = 1;
};

/// What each reads of both operands is the least where its part is square. Of
/// products that follow each other each wave has its own rows.
Parties chooseParties(int64_t rows, int64_t columns, unsigned side,
                      int64_t waves, bool isChained) {
  Parties parties;
  const int64_t mostDown = powerOfTwoIn(rows / side),
                mostAcross = powerOfTwoIn(columns / side);
  while (parties.down * parties.across < waves) {
    const bool down = parties.down < mostDown,
               across = parties.across < mostAcross;
    if (!down && !across) {
      break;
    }
    const bool isTall =
        isChained || rows / parties.down >= columns / parties.across;
    (down && (isTall || !across) ? parties.down : parties.across) *= 2;
  }
  return parties;
}

/// Ops that a tile goes through on the way from one product to another.
constexpr unsigned MostSteps = 64;

/// Are there sums among what the tile is computed from, beside it?
bool isMadeOfSums(mlir::Value tile) {
  llvm::SetVector<mlir::Value> values;
  values.insert(tile);
  for (size_t i = 0; i < values.size() && i < MostSteps; ++i) {
    mlir::Operation *op = values[i].getDefiningOp();
    if (isa_and_nonnull<tile::DotOp>(op) &&
        tile::shapeOf(op->getResult(0).getType()) ==
            tile::shapeOf(tile.getType())) {
      return true;
    }
    if (op && op->getNumRegions() == 0 && !isa<tile::LoadOp>(op)) {
      values.insert(op->operand_begin(), op->operand_end());
    }
  }
  return false;
}

/// Do the sums become the left operand of another product?
bool becomeLeft(tile::DotOp dot) {
  llvm::SetVector<mlir::Value> values;
  values.insert(dot.getResult());
  for (size_t i = 0; i < values.size() && i < MostSteps; ++i) {
    for (mlir::Operation *user : values[i].getUsers()) {
      auto next = dyn_cast<tile::DotOp>(user);
      if (next && next.getA() == values[i]) {
        return true;
      }
      if (!next && user->getNumRegions() == 0) {
        for (mlir::Value result : user->getResults()) {
          if (isa<mlir::RankedTensorType>(result.getType()) &&
              tile::shapeOf(result.getType()) == tile::shapeOf(dot.getType())) {
            values.insert(result);
          }
        }
      }
    }
  }
  return false;
}

/// Is the tile there before the loop that the product is in?
bool isThereBefore(tile::DotOp dot, mlir::Value tile) {
  auto loop = dot->getParentOfType<mlir::LoopLikeOpInterface>();
  return loop && loop.isDefinedOutsideOfLoop(tile);
}

/// A in registers: a lane's elements that follow each other, then the rest of
/// k, then rows.
simt::Layout leftLayout(const MatrixForm &form, unsigned piece,
                        ArrayRef<int64_t> tile, const Parties &parties,
                        int64_t waves) {
  simt::Layout layout(2);
  for (int64_t k = 1; k < piece; k *= 2) {
    layout.addBit(Axis::Register, {0, k});
  }
  for (int64_t row = 1; row < form.side; row *= 2) {
    layout.addBit(Axis::Lane, {row, 0});
  }
  for (int64_t group = 1; group < form.groups; group *= 2) {
    layout.addBit(Axis::Lane, {0, group * piece});
  }
  if (form.groups == 1) { // both halves of a wave
    layout.addBit(Axis::Lane, {0, 0});
  }
  layout.repeat(Axis::Register, 1, tile[1] / (piece * form.groups));
  layout.repeat(Axis::Warp, 0, parties.down);
  layout.repeat(Axis::Warp, std::nullopt, waves / parties.down);
  layout.repeat(Axis::Register, 0, tile[0] / (form.side * parties.down));
  return layout;
}

} // namespace

std::optional<simt::DotChoice> chooseMatrix(const simt::DotRequest &request,
                                            const Machine &machine) {
  tile::DotOp dot = request.dot;
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType()),
                    aShape = tile::shapeOf(dot.getA().getType());
  const auto rank = unsigned(shape.size()), m = rank - 2, n = rank - 1;
  mlir::Type a = tile::elementType(dot.getA().getType()),
             b = tile::elementType(dot.getB().getType()),
             sum = tile::elementType(dot.getType());
  const int64_t bytes = tile::storageBytes(a), depth = aShape[n],
                waves = request.warps;
  // Rows along k, each with 16 bytes behind it, where there is room for them.
  const int64_t panel = powerOfTwoIn(depth);
  if (panel * bytes < simt::SharedPiece) {
    return std::nullopt;
  }
  const int64_t rows = (shape[m] + shape[n]) * (rank == 3 ? shape[0] : 1),
                padded =
                    rows * depth / panel * (panel * bytes + simt::SharedPiece);
  const bool isPadded = uint64_t(padded) <= machine.sharedBytes;
  const bool isBeside = request.a.isComputed && rank == 2,
             ofSums = isBeside && isMadeOfSums(dot.getA()),
             isChained = ofSums || (rank == 2 && becomeLeft(dot)),
             mayRound =
                 a.isF32() && dot.getPrecision() == tile::Precision::tf32,
             isBefore = rank == 2 && isThereBefore(dot, dot.getA());
  for (unsigned side : {32u, 16u}) {
    const auto form = matrixForm(machine, {b, a, sum, depth, side, mayRound});
    if (!form || (machine.matrixSide && side != machine.matrixSide) ||
        shape[m] % side != 0 || shape[n] % side != 0) {
      continue;
    }
    const Parties parties =
        chooseParties(shape[m], shape[n], side, waves, isChained);
    if (side == 32 && parties.down * parties.across < waves &&
        machine.matrixSide != side) {
      continue; // smaller ones give all waves work
    }
    auto shared =
        [&](unsigned k, unsigned other, int64_t extent,
            const simt::DotRequest::Operand &operand) -> simt::DotOperand {
      SmallVector<unsigned, 3> order = {k, other};
      // As it lies in memory, where lanes can read it across.
      if (machine.readsTransposed && bytes == 2 && rank == 2 &&
          !operand.isComputed && operand.order.front() == other &&
          isPowerOf2_64(uint64_t(extent)) && isPowerOf2_64(uint64_t(depth))) {
        return simt::swizzledShared(dot.getContext(), {other, k}, extent,
                                    bytes);
      }
      // Lanes that copy to LDS write beside each other: no padding.
      if (machine.directBytes != 0 && rank == 2 && !operand.isComputed &&
          operand.order.front() == k) {
        return simt::swizzledShared(dot.getContext(), order, panel, bytes);
      }
      if (rank == 3) {
        order.push_back(0);
      }
      return simt::SharedAttr::get(dot.getContext(), order, panel, 0, 4, 3,
                                   isPadded ? simt::SharedPiece : 0,
                                   isPadded ? panel * bytes : 0);
    };
    const unsigned run = piecesOf(machine, *form, bytes, depth, ofSums).run;
    std::optional<simt::Layout> left;
    if (isBeside || isBefore) {
      left = leftLayout(*form, run, aShape, parties, waves);
    }
    // What a loop finds there is held if it is little: LDS is for what comes.
    constexpr int64_t word = 4;
    if (left && !isBeside &&
        left->size(Axis::Register) * bytes / word > machine.registers / 8) {
      left.reset();
    }
    return simt::DotChoice{
        simt::tiledLayout({sumAtom(machine, *form, rank), shape, parties.down,
                           parties.across, waves}),
        left ? simt::DotOperand(*left) : shared(n, m, shape[m], request.a),
        shared(m, n, shape[n], request.b), matrixName(side, ofSums, mayRound)};
  }
  return std::nullopt;
}

} // namespace tz::amd
