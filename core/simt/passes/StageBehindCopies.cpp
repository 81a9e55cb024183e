//===- StageBehindCopies.cpp - simt-stage-behind-copies -------------------===//
//
// What   A loaded tile that is staged before a loop is put into shared memory
//        behind the copies that the loop begins with, not before them.
// Why    Staging waits for the load. Copies that begin behind it wait for
// memory
//        a second time: the keys and values of attention for its queries, each
//        program anew.
// Example (test/simt/stage-behind-copies.mlir; lines with tile.load_view, simt., scf.if)
//   before
//     ...
//     %a = tile.load_view %of_x[%zero, %zero] checked [false, false] {group = 1 : i64} : <16x16xf16> -> tensor<16x16xf16, #tile>
//     %staged = simt.stage %a : tensor<16x16xf16, #tile> -> <16x16xf16, #shared>
//     ...
//     %sum = scf.if %has -> (tensor<16x16xf32, #sum>) {
//       %ring = simt.ring : <2 x <16x16xf16, #shared>>
//       %slot = simt.slot %ring[%first] : <2 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//       simt.async_copy_view %of_y[%zero, %zero] to %slot when %has checked [false, false] layout <rank 2, register [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [[4, 0], [8, 0]]> {group = 2 : i64} : <16x16xf16> to <16x16xf16, #shared>
//       simt.async_commit
//       simt.async_wait 0
//       %d = simt.dot %staged, %slot, %sums : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #sum>
//       ...
//     } else {
//       ...
//     }
//     %e = simt.dot %staged, %staged, %sum : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #sum>
//     ...
//   after
//     ...
//     %2 = tile.load_view %0[%c0_i64, %c0_i64] checked [false, false] {group = 1 : i64} : <16x16xf16> -> tensor<16x16xf16, #layout1>
//     %3 = simt.ring : <1 x <16x16xf16, #shared>>
//     ...
//     %5 = scf.if %4 -> (tensor<16x16xf32, #layout>) {
//       %10 = simt.ring : <2 x <16x16xf16, #shared>>
//       %11 = simt.slot %10[%c0_i32_0] : <2 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//       simt.async_copy_view %1[%c0_i64, %c0_i64] to %11 when %4 checked [false, false] layout #layout1 {group = 2 : i64} : <16x16xf16> to <16x16xf16, #shared>
//       simt.async_commit
//       ...
//       %12 = simt.slot %3[%c0_i32_3] : <1 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//       simt.write %2 to %12 : tensor<16x16xf16, #layout1> to <16x16xf16, #shared>
//       simt.sync
//       simt.async_wait 0
//       ...
//       %13 = simt.slot %3[%c0_i32_4] : <1 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//       %14 = simt.dot %13, %11, %cst : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #layout>
//       ...
//     } else {
//       ...
//       %10 = simt.slot %3[%c0_i32_3] : <1 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//       simt.write %2 to %10 : tensor<16x16xf16, #layout1> to <16x16xf16, #shared>
//       simt.sync
//       ...
//     }
//     ...
//     %6 = simt.slot %3[%c0_i32_1] : <1 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//     ...
//     %7 = simt.slot %3[%c0_i32_2] : <1 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//     %8 = simt.dot %7, %6, %5 : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #layout>
//     ...
// Needs  simt-pipeline-loops: copies say by `when` whether their iteration
//        exists, and a branch holds the loop and what it begins with.
// Keeps  accesses and their order. The buffer is where it was; only writing it
//        is later, on either side of the branch, with a sync behind it.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_STAGEBEHINDCOPIES
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

bool isCopy(Operation &op) {
  return isa<BulkCopyOp, AsyncCopyOp, AsyncCopyViewOp>(op);
}

/// Does the op wait for nothing? What reads shared memory, and dots, do.
bool goesOn(Operation &op) {
  return isPure(&op) && op.getNumRegions() == 0 &&
         !isa<DotOp, StageOp, ConvertOp>(op);
}

/// The last op of the block that begins copies, if nothing before it waits.
Operation *lastCopy(Block &block) {
  Operation *last = nullptr;
  for (Operation &op : block) {
    if (isCopy(op) || (last && isa<AsyncCommitOp>(op))) {
      last = &op;
    } else if (!goesOn(op) && !isa<RingOp, BarriersOp, ExpectOp>(op)) {
      break;
    }
  }
  return last;
}

/// Does the tile come from memory in this block? Conversions and the like are
/// computed as soon as it is there.
bool isLoaded(Value tile, Block *block) {
  constexpr unsigned most = 8;
  for (unsigned steps = 0; steps < most; ++steps) {
    Operation *op = tile.getDefiningOp();
    if (!op || op->getBlock() != block) {
      return false;
    }
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      return true;
    }
    if (!isPure(op) || op->getNumRegions() != 0) {
      return false;
    }
    auto tiles = llvm::make_filter_range(op->getOperands(), [](Value operand) {
      return isa<RankedTensorType>(operand.getType());
    });
    if (tiles.empty()) {
      return false;
    }
    tile = *tiles.begin();
  }
  return false;
}

struct StageBehindCopies
    : tz::simt::impl::StageBehindCopiesBase<StageBehindCopies> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation().walk([&](scf::IfOp branch) { branches.push_back(branch); });
    bool changed = false;
    for (scf::IfOp branch : branches) {
      Operation *copy = lastCopy(*branch.thenBlock());
      if (!copy) {
        continue;
      }
      const SmallVector<StageOp> stages = stagesBefore(branch);
      if (!stages.empty()) {
        write(branch, copy, stages);
        moved += stages.size();
        changed = true;
      }
    }
    if (!changed) {
      markAllAnalysesPreserved();
    }
  }

private:
  /// Those that the branch and what is behind it read, and nothing before. Only
  /// loads and what touches no memory stand between.
  static SmallVector<StageOp> stagesBefore(scf::IfOp branch) {
    SmallVector<StageOp> found;
    for (Operation *op = branch->getPrevNode(); op; op = op->getPrevNode()) {
      auto stage = dyn_cast<StageOp>(op);
      if (stage && isWrittenLater(stage, branch)) {
        found.push_back(stage);
      } else if (!isa<tile::LoadOp, tile::LoadViewOp>(op) && !goesOn(*op) &&
                 !isa<StageOp, ConvertOp>(op)) {
        break;
      }
    }
    return found;
  }

  static bool isWrittenLater(StageOp stage, scf::IfOp branch) {
    Block *block = stage->getBlock();
    return isLoaded(stage.getSource(), block) &&
           llvm::all_of(stage->getUsers(), [&](Operation *user) {
             Operation *here = block->findAncestorOpInBlock(*user);
             return isa<DotOp, DotWaitOp>(user) && here &&
                    !here->isBeforeInBlock(branch);
           });
  }

  static void write(scf::IfOp branch, Operation *copy,
                    ArrayRef<StageOp> stages) {
    const bool isReadElsewhere = llvm::any_of(stages, [&](StageOp stage) {
      return llvm::any_of(stage->getUsers(), [&](Operation *user) {
        return !branch.getThenRegion().isAncestor(user->getParentRegion());
      });
    });
    OpBuilder inThen(branch.getContext());
    inThen.setInsertionPointAfter(copy);
    std::optional<OpBuilder> inElse;
    if (isReadElsewhere) {
      if (!branch.elseBlock()) {
        Block &made = branch.getElseRegion().emplaceBlock();
        OpBuilder end = OpBuilder::atBlockEnd(&made);
        scf::YieldOp::create(end, branch.getLoc());
      }
      inElse = OpBuilder::atBlockBegin(branch.elseBlock());
    }
    for (StageOp stage : stages) {
      OpBuilder b(stage);
      BufferType type = stage.getResult().getType();
      Value ring = RingOp::create(b, stage.getLoc(),
                                  RingType::get(b.getContext(), 1, type));
      // The space is kept up to the last slot: each is made where it is used.
      auto slot = [&](OpBuilder &at) -> Value {
        Value first = arith::ConstantOp::create(at, stage.getLoc(),
                                                at.getI32IntegerAttr(0));
        return SlotOp::create(at, stage.getLoc(), type, ring, first);
      };
      for (OpBuilder *into : {&inThen, inElse ? &*inElse : nullptr}) {
        if (into) {
          WriteOp::create(*into, stage.getLoc(), stage.getSource(),
                          slot(*into));
        }
      }
      for (OpOperand &use : llvm::make_early_inc_range(stage->getUses())) {
        OpBuilder at(use.getOwner());
        use.set(slot(at));
      }
      stage.erase();
    }
    for (OpBuilder *into : {&inThen, inElse ? &*inElse : nullptr}) {
      if (into) {
        SyncOp::create(*into, branch.getLoc());
      }
    }
  }
};

} // namespace

std::unique_ptr<Pass> tz::simt::createStageBehindCopies() {
  return std::make_unique<StageBehindCopies>();
}
