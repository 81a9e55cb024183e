//===- IntelTarget.cpp - what the SIMT library asks of a machine ----------===//
//
// What   See IntelTarget.h.
// Why    See IntelTarget.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/IntelTarget.h"

#include "plugins/intel/compiler/hooks/Matrix.h"
#include "plugins/intel/compiler/hooks/SpirvBlocks.h"

using namespace llvm;

namespace tz::intel {

static int64_t powerOfTwoIn(int64_t value) { return value & -value; }

std::optional<unsigned> warpsForSums(tile::KernelOp kernel,
                                     const Machine &machine) {
  // So many have room beside each other where each has the large register file.
  const unsigned mostWarps = MostRoomyThreads / machine.lanes;
  auto asked = kernel->getAttrOfType<mlir::IntegerAttr>("tile.num_warps");
  const unsigned given = asked ? unsigned(asked.getInt()) : 4;
  int64_t sums = 0; // words of the block
  kernel.walk([&](tile::DotOp dot) {
    int64_t words = tile::storageBytes(tile::elementType(dot.getType())) / 4;
    for (int64_t extent : tile::shapeOf(dot.getType())) {
      words *= extent;
    }
    sums = std::max(sums, words);
  });
  const int64_t most = machine.registers / 4 * machine.lanes;
  unsigned warps = given;
  while (warps < mostWarps && sums > most * warps) {
    warps *= 2;
  }
  return machine.registers == 0 || warps == given ? std::nullopt
                                                  : std::optional(warps);
}

static bool isOfShape(mlir::Value value, ArrayRef<int64_t> shape) {
  return isa<mlir::RankedTensorType>(value.getType()) &&
         tile::shapeOf(value.getType()) == shape;
}

/// Are rows of the product reduced, or multiplied by another matrix, where it
/// is made? Then a warp that has them whole need not ask others.
static bool needsWholeRows(tile::DotOp dot) {
  constexpr size_t mostSteps = 256;
  SmallVector<mlir::Value> left = {dot.getResult()};
  SmallPtrSet<mlir::Operation *, 16> seen;
  while (!left.empty() && seen.size() < mostSteps) {
    for (mlir::OpOperand &use : left.pop_back_val().getUses()) {
      mlir::Operation *op = use.getOwner();
      if (op->getBlock() != dot->getBlock() || !seen.insert(op).second) {
        continue;
      }
      if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
        if (reduce.getAxis() == 1) {
          return true;
        }
      } else if (auto next = dyn_cast<tile::DotOp>(op)) {
        if (use.get() == next.getA()) {
          return true;
        }
      } else {
        copy_if(op->getResults(), std::back_inserter(left),
                [&](mlir::Value result) {
                  return isOfShape(result, tile::shapeOf(dot.getType()));
                });
      }
    }
  }
  return false;
}

/// Is the left operand made of another product, which has its rows?
static bool isMadeOfProduct(tile::DotOp dot) {
  constexpr size_t mostSteps = 256;
  SmallVector<mlir::Value> left = {dot.getA()};
  SmallPtrSet<mlir::Operation *, 16> seen;
  while (!left.empty() && seen.size() < mostSteps) {
    mlir::Operation *op = left.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != dot->getBlock() || !seen.insert(op).second) {
      continue;
    }
    if (isa<tile::DotOp>(op)) {
      return true;
    }
    copy_if(op->getOperands(), std::back_inserter(left), [&](mlir::Value one) {
      return isOfShape(one, tile::shapeOf(dot.getA().getType()));
    });
  }
  return false;
}

/// How warps share a product out: what each reads of both operands is the least
/// where its part is square.
static Parties chooseParties(ArrayRef<int64_t> shape, const MatrixShape &matrix,
                             int64_t warps, bool hasWholeRows) {
  Parties parties = {1, 1, warps};
  const int64_t mostDown = powerOfTwoIn(shape[0] / MatrixShape::Rows),
                mostAcross = powerOfTwoIn(shape[1] / matrix.columns);
  while (parties.down * parties.across < warps) {
    const bool down = parties.down < mostDown,
               across = parties.across < mostAcross;
    if (!down && !across) {
      break;
    }
    const bool isTall =
        hasWholeRows || shape[0] / parties.down >= shape[1] / parties.across;
    (down && (isTall || !across) ? parties.down : parties.across) *= 2;
  }
  return parties;
}

bool IntelTarget::hasBlockMessage(const simt::BlockMessage &message) const {
  return findBlockLoad(message) != nullptr;
}

simt::DotChoice IntelTarget::chooseDot(const simt::DotRequest &request) const {
  tile::DotOp dot = request.dot;
  const std::optional<MatrixShape> matrix = matrixShape(machine, dot);
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType()),
                    a = tile::shapeOf(dot.getA().getType()),
                    b = tile::shapeOf(dot.getB().getType());
  if (!matrix || shape.size() != 2 || shape[0] % MatrixShape::Rows != 0 ||
      shape[1] % matrix->columns != 0 || a[1] % matrix->depth != 0) {
    return SimtTarget::chooseDot(request);
  }
  const Parties parties =
      chooseParties(shape, *matrix, request.warps,
                    needsWholeRows(dot) || isMadeOfProduct(dot));
  // Rows in one piece, in the order of memory: each lane's share is a sum away.
  auto shared = [&](const simt::DotRequest::Operand &operand,
                    ArrayRef<int64_t> extents) -> simt::DotOperand {
    return simt::SharedAttr::get(dot.getContext(), operand.order,
                                 extents[operand.order[0]], 0, 4, 3);
  };
  // What was computed stays where it is, where sums lie as operands do.
  const bool isHeld = request.a.isComputed && matrix->share() == 1;
  simt::DotOperand left =
                       isHeld
                           ? simt::DotOperand(leftLayout(*matrix, a, parties))
                           : shared(request.a, a),
                   right = shared(request.b, b);
  // Of the left operand two instructions' parts beside each other are loaded.
  // No block load has the forms of tf32.
  if (request.a.isBlock && !matrix->isTf32() && request.a.order[0] == 1 &&
      a[1] % (2 * matrix->depth) == 0) {
    left = leftLayout(*matrix, a, parties);
  }
  if (request.b.isBlock && !matrix->isTf32()) {
    right = rightLayout(*matrix, b, parties);
  }
  return {simt::tiledLayout({sumAtom(*matrix), shape, parties.down,
                             parties.across, request.warps}),
          left, right, DpasName.str()};
}

} // namespace tz::intel
