//===- ArgumentUses.cpp - what the code makes of an integer ---------------===//
//
// What   A walk along the uses of each argument, in three roles: the value
//        itself (widened, repeated), anything that it is a summand or factor of,
//        and masks that compare one of these.
// Why    See ArgumentUses.h. The first role decides about ==1, the others about
//        divisibility.
//===----------------------------------------------------------------------===//
#include "terrazzo/analysis/ArgumentUses.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;

namespace {
class Walk {
public:
  ArgumentUse run(Value argument) {
    reach(argument, /*itself=*/true);
    while (!work.empty()) {
      auto [value, itself] = work.pop_back_val();
      for (OpOperand &use : value.getUses()) {
        visit(use, itself);
      }
    }
    while (!masks.empty()) {
      const Value mask = masks.pop_back_val();
      for (OpOperand &use : mask.getUses()) {
        visitMask(use, seenMasks.lookup(mask));
      }
    }
    return result;
  }

private:
  /// What such a mask cuts along a dimension whose elements lie side by side,
  /// it cuts within vectors. `dims`: a bit for each dimension along which it
  /// cuts.
  void reachMask(Value mask, unsigned dims) {
    unsigned &known = seenMasks[mask];
    if ((known | dims) != known) {
      known |= dims;
      masks.push_back(mask);
    }
  }
  void visitMask(OpOperand &use, unsigned dims);
  void reach(Value value, bool itself) {
    if (seen.insert({value, itself}).second) {
      work.push_back({value, itself});
    }
  }
  void scales(Type element) {
    unsigned bytes = storageBytes(element);
    if (!result.smallestElement || bytes < result.smallestElement) {
      result.smallestElement = bytes;
    }
  }
  void visit(OpOperand &use, bool itself);
  void visitLoop(scf::ForOp loop, OpOperand &use, bool itself);
  void visitTerminator(OpOperand &use, bool itself);
  void visitView(OpOperand &use, MutableOperandRange offsets, Type view) {
    for (OpOperand &offset : offsets) {
      if (&offset == &use) {
        scales(cast<ViewType>(view).getElementType());
      }
    }
  }

  ArgumentUse result;
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<Value, bool>> work;
  llvm::DenseMap<Value, unsigned> seenMasks;
  SmallVector<Value> masks;
};
} // namespace

/// The dimensions that have more than one element.
static unsigned wideDims(Type type) {
  unsigned dims = 0;
  for (auto [i, extent] : llvm::enumerate(shapeOf(type))) {
    dims |= unsigned(extent > 1) << i;
  }
  return dims;
}

/// The dimension that this one of a result was before dimensions of one element
/// were added or dropped; none: it is no such reshape.
static std::optional<unsigned> dimBefore(ReshapeOp reshape, unsigned dim) {
  auto isWide = [](int64_t extent) { return extent != 1; };
  ArrayRef<int64_t> before = shapeOf(reshape.getSource().getType()),
                    after = shapeOf(reshape.getType());
  if (!llvm::equal(llvm::make_filter_range(before, isWide),
                   llvm::make_filter_range(after, isWide))) {
    return std::nullopt;
  }
  auto place = llvm::count_if(after.take_front(dim), isWide);
  for (auto [i, extent] : llvm::enumerate(before)) {
    if (isWide(extent) && place-- == 0) {
      return unsigned(i);
    }
  }
  return std::nullopt;
}

/// How the elements of a tile of addresses follow each other along a dimension.
enum class Steps { No, ByArgument, ByOne };

/// As far as sums of ranges say it, some of them times an argument.
static Steps stepsAlong(Value value, unsigned dim, unsigned depth = 32) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || shapeOf(value.getType()).size() <= dim ||
      shapeOf(value.getType())[dim] == 1) {
    return Steps::No;
  }
  auto from = [&](Value operand) {
    return stepsAlong(operand, dim, depth - 1);
  };
  return llvm::TypeSwitch<Operation *, Steps>(op)
      .Case<RangeOp>([](auto) { return Steps::ByOne; })
      .Case<arith::AddIOp, arith::SubIOp, AddPtrOp>([&](auto) {
        return std::max(from(op->getOperand(0)), from(op->getOperand(1)));
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, HintOp,
            BroadcastOp>([&](auto) { return from(op->getOperand(0)); })
      .Case<ReshapeOp>([&](ReshapeOp reshape) {
        const std::optional<unsigned> before = dimBefore(reshape, dim);
        return before ? stepsAlong(reshape.getSource(), *before, depth - 1)
                      : Steps::No;
      })
      .Case<arith::MulIOp>([&](arith::MulIOp product) {
        auto isArgument = [](Value factor) {
          Operation *from = factor.getDefiningOp();
          while (from && isa<SplatOp, BroadcastOp, arith::ExtSIOp>(from)) {
            factor = from->getOperand(0);
            from = factor.getDefiningOp();
          }
          return isa<BlockArgument>(factor) &&
                 !isa<RankedTensorType>(factor.getType());
        };
        const bool isScaled =
            isArgument(product.getLhs()) || isArgument(product.getRhs());
        return isScaled && std::max(from(product.getLhs()),
                                    from(product.getRhs())) == Steps::ByOne
                   ? Steps::ByArgument
                   : Steps::No;
      })
      .Default([](Operation *) { return Steps::No; });
}

/// Do elements of one of these dimensions lie side by side, or may they, if a
/// stride is 1? Where those of the last dimension do, no others.
static bool cutsVectors(Value pointer, unsigned dims) {
  const auto rank = unsigned(shapeOf(pointer.getType()).size());
  if (rank == 0) {
    return false;
  }
  if ((dims >> (rank - 1)) & 1) {
    return true;
  }
  if (stepsAlong(pointer, rank - 1) == Steps::ByOne) {
    return false;
  }
  return llvm::any_of(llvm::seq(rank - 1), [&](unsigned dim) {
    return (dims >> dim) & 1 && stepsAlong(pointer, dim) != Steps::No;
  });
}

void Walk::visitMask(OpOperand &use, unsigned dims) {
  auto cuts = [&](auto access) {
    if (access.getMask() == use.get() &&
        cutsVectors(access.getPointer(), dims)) {
      scales(cast<PtrType>(elementType(access.getPointer().getType()))
                 .getPointee());
    }
  };
  llvm::TypeSwitch<Operation *>(use.getOwner())
      .Case<arith::AndIOp, BroadcastOp, HintOp>(
          [&](auto same) { reachMask(same->getResult(0), dims); })
      .Case<ReshapeOp>([&](ReshapeOp reshape) {
        unsigned after = 0;
        for (unsigned dim = 0; dim < shapeOf(reshape.getType()).size(); ++dim) {
          const std::optional<unsigned> before = dimBefore(reshape, dim);
          const bool isWide = shapeOf(reshape.getType())[dim] > 1;
          after |= unsigned(isWide && (!before || (dims >> *before) & 1))
                   << dim;
        }
        reachMask(reshape.getResult(), after);
      })
      .Case<LoadOp, StoreOp>(cuts);
}

void Walk::visitLoop(scf::ForOp loop, OpOperand &use, bool itself) {
  unsigned number = use.getOperandNumber();
  unsigned bounds = loop.getNumControlOperands();
  if (number >= bounds) {
    reach(loop.getRegionIterArg(number - bounds), false);
    reach(loop.getResult(number - bounds), false);
  } else if (number != 1) { // low + iteration * step, below the upper bound
    reach(loop.getInductionVar(), false);
    result.foldsOne |= itself && number == 2;
  }
}

/// What leaves a region arrives in the op around it, or in its next iteration.
void Walk::visitTerminator(OpOperand &use, bool itself) {
  Operation *around = use.getOwner()->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto branch = dyn_cast<scf::IfOp>(around)) {
    reach(branch.getResult(number), itself);
  } else if (auto loop = dyn_cast<scf::ForOp>(around)) {
    reach(loop.getRegionIterArg(number), false);
    reach(loop.getResult(number), false);
  } else if (auto loop = dyn_cast<scf::WhileOp>(around)) {
    if (!isa<scf::ConditionOp>(use.getOwner())) {
      reach(loop.getBeforeArguments()[number], false);
    } else if (number > 0) {
      reach(loop.getAfterArguments()[number - 1], false);
      reach(loop.getResult(number - 1), false);
    }
  }
}

/// A constant, also one that was made a tile.
static bool isConstant(Value value) {
  auto splat = value.getDefiningOp<SplatOp>();
  return matchPattern(splat ? splat.getSource() : value, m_Constant());
}

/// Is it computed of a range, whose neighbours follow each other?
static bool hasRange(Value value) {
  constexpr size_t mostOps = 32;
  llvm::SetVector<Operation *> ops;
  auto add = [&](Value one) {
    if (Operation *op = one.getDefiningOp()) {
      ops.insert(op);
    }
  };
  add(value);
  for (size_t i = 0; i < std::min(ops.size(), mostOps); ++i) {
    if (isa<RangeOp>(ops[i])) {
      return true;
    }
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::AddIOp,
            arith::SubIOp, arith::MulIOp, BroadcastOp, ReshapeOp, TransposeOp,
            HintOp, DivSIOp, DivUIOp, RemSIOp, RemUIOp>(ops[i])) {
      llvm::for_each(ops[i]->getOperands(), add);
    }
  }
  return false;
}

/// What was widened.
static Value narrowest(Value value) {
  auto wider = value.getDefiningOp<arith::ExtSIOp>();
  return wider ? wider.getIn() : value;
}

/// Is this dimension dense? One of stride 1; where none is known to be, the
/// last one, if its stride is an argument, for which 1 is a case of its own.
static bool mayBeDense(MakeViewOp make, Value stride) {
  auto isOne = [](Value one) { return matchPattern(narrowest(one), m_One()); };
  auto argument = dyn_cast<BlockArgument>(narrowest(stride));
  return isOne(stride) ||
         (argument && isa<KernelOp>(argument.getOwner()->getParentOp()) &&
          stride == make.getStrides().back() &&
          llvm::none_of(make.getStrides(), isOne));
}

void Walk::visit(OpOperand &use, bool itself) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, SplatOp,
            BroadcastOp, ReshapeOp, TransposeOp, HintOp>(
          [&](auto same) { reach(same->getResult(0), itself); })
      .Case<arith::AddIOp, arith::SubIOp, MinSIOp, MinUIOp, MaxSIOp, MaxUIOp>(
          [&](auto sum) { reach(sum->getResult(0), false); })
      .Case<arith::MulIOp>([&](auto product) {
        result.foldsOne |= itself;
        reach(product.getResult(), false);
      })
      .Case<arith::SelectOp>([&](auto select) {
        if (number > 0) {
          reach(select.getResult(), false);
        }
      })
      .Case<ShlOp>([&](auto shift) {
        if (number == 0) {
          reach(shift.getResult(), false);
        }
      })
      .Case<DivSIOp, DivUIOp, RemSIOp, RemUIOp>([&](auto division) {
        result.foldsOne |= itself && number == 1;
        // Quotients and remainders of neighbours end a run at its multiples.
        if (number == 1 && hasRange(division.getLhs())) {
          reach(division.getResult(), false);
        }
      })
      .Case<arith::CmpIOp>([&](auto compare) {
        result.foldsOne |= itself && isConstant(op->getOperand(1 - number));
        reachMask(compare.getResult(), wideDims(compare.getType()));
      })
      .Case<AddPtrOp>([&](AddPtrOp add) {
        scales(cast<PtrType>(elementType(add.getType())).getPointee());
      })
      .Case<IntToPtrOp>([&](auto) { result.smallestElement = 1; })
      .Case<MakeViewOp>([&](MakeViewOp make) {
        for (auto [extent, stride] : llvm::zip_equal(
                 make.getShapeMutable(), make.getStridesMutable())) {
          if (&stride == &use) {
            scales(make.getType().getElementType());
            result.foldsOne |= itself;
          } else if (&extent == &use && mayBeDense(make, stride.get())) {
            scales(make.getType().getElementType());
          }
        }
      })
      .Case<AdvanceViewOp, LoadViewOp, StoreViewOp>([&](auto access) {
        visitView(use, access.getOffsetsMutable(), access.getView().getType());
      })
      .Case<scf::ForOp>([&](auto loop) { visitLoop(loop, use, itself); })
      .Case<scf::WhileOp>(
          [&](auto loop) { reach(loop.getBeforeArguments()[number], false); })
      .Case<scf::YieldOp, scf::ConditionOp>(
          [&](auto) { visitTerminator(use, itself); });
}

std::vector<ArgumentUse> tz::analysis::argumentUses(KernelOp kernel) {
  std::vector<ArgumentUse> uses;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    uses.push_back(argument.getType().isInteger() ? Walk().run(argument)
                                                  : ArgumentUse());
  }
  return uses;
}
