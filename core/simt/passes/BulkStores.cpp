//===- BulkStores.cpp - simt-bulk-stores ----------------------------------===//
//
// What   A store of what a dot computed becomes simt.bulk_store, where the
//        host can describe the frame that is stored to. Branches that differ in
//        nothing but the checks of such stores become one. The threads store a
//        block that begins before its frame, or whose rows end between
//        multiples of 16 bytes.
// Why    Threads hold an accumulator in pieces of four bytes: storing it
//        themselves costs them an exchange, addresses and masks. The bulk copy
//        unit takes it out of shared memory and cuts it off at the frame's end.
// Example (test/simt/bulk-stores.mlir; lines with tile.dot, tile.store, simt., scf.)
//   before
//     ...
//     %sum = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
//     ...
//     scf.if %full {
//       ...
//       tile.store_view %vc[%row, %z], %half checked [false, true] {group = 3 : i64} : !tile.view<64x128xf16>, tensor<64x128xf16>
//     } else {
//       ...
//       tile.store_view %vc[%row, %z], %half checked [true, true] {group = 3 : i64} : !tile.view<64x128xf16>, tensor<64x128xf16>
//     }
//   after
//     ...
//     %0 = simt.descriptor %arg2[%c0_i64] shape[%arg3, %arg4] strides[%arg4, %c1_i64] : <f16> -> <[64, 64], f16, swizzle 3>
//     ...
//     %8 = tile.dot %6, %7, %cst : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
//     ...
//     simt.bulk_store %10 to %0[%11, %12] by !simt.buffer<64x128xf16, #shared> {group = 3 : i64} : tensor<64x128xf16> to <[64, 64], f16, swizzle 3>
// Needs  RecoverViews; layouts are not yet chosen.
// Keeps  order: the lowering waits for bulk stores before what may meet them.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Versioning.h"
#include "core/simt/analysis/CheckedForm.h"
#include "core/simt/analysis/LaunchViews.h"
#include "core/simt/analysis/LoopNeeds.h"
#include "core/simt/analysis/MemoryOrder.h"
#include "core/simt/passes/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_BULKSTORES
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Is the tile, or the one of which it is a part, computed from a dot, element
/// by element?
bool isOfDot(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    auto result = dyn_cast<OpResult>(seen[i]);
    if (!result) {
      continue;
    }
    Operation *op = result.getOwner();
    if (isa<tile::DotOp>(op)) {
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      seen.insert(loop.getTiedLoopYieldedValue(
                          loop.getRegionIterArgs()[result.getResultNumber()])
                      ->get());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      seen.insert(branch.thenYield().getOperand(result.getResultNumber()));
      seen.insert(branch.elseYield().getOperand(result.getResultNumber()));
    } else if (op->hasTrait<OpTrait::Elementwise>() ||
               isa<tile::HintOp, arith::SelectOp, tile::ReshapeOp,
                   tile::TransposeOp, tile::SplitOp>(op)) {
      seen.insert_range(op->getOperands());
    }
  }
  return false;
}

/// Does the loop compute an operand of a dot from a tile that it carries? Then
/// an iteration takes as long as all that stands between two products.
bool isChain(scf::ForOp loop) {
  auto isCarried = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && isa<FloatType>(type.getElementType()) &&
           llvm::is_contained(loop.getRegionIterArgs(), value);
  };
  BackwardSliceOptions inLoop;
  inLoop.omitBlockArguments = inLoop.inclusive = true;
  inLoop.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  for (auto dot : loop.getOps<tile::DotOp>()) {
    for (Value operand : {dot.getA(), dot.getB()}) {
      llvm::SetVector<Operation *> slice;
      if (isCarried(operand) ||
          (succeeded(getBackwardSlice(operand, &slice, inLoop)) &&
           llvm::any_of(slice, [&](Operation *op) {
             return llvm::any_of(op->getOperands(), isCarried);
           }))) {
        return true;
      }
    }
  }
  return false;
}

/// The loop that does the store in each iteration, also in both forms of it.
scf::ForOp loopOf(tile::StoreViewOp store) {
  Operation *parent = store->getParentOp();
  while (auto branch = dyn_cast<scf::IfOp>(parent)) {
    if (!branch.elseBlock() ||
        branch.thenBlock()->getOps<tile::StoreViewOp>().empty() ||
        branch.elseBlock()->getOps<tile::StoreViewOp>().empty()) {
      return nullptr;
    }
    parent = branch->getParentOp();
  }
  return dyn_cast<scf::ForOp>(parent);
}

class Finder {
public:
  Finder(tile::KernelOp kernel, const SimtTarget &target)
      : kernel(kernel), target(target), hints(kernel), launch(kernel, hints) {}

  /// How the store can be made in bulk; none: `why` says what is in the way.
  std::optional<BulkFrame> describe(tile::StoreViewOp store, StringRef &why);
  BufferType bufferFor(tile::StoreViewOp store) const;
  void rewrite(tile::StoreViewOp store, const BulkFrame &frame);
  Value beginsInside(OpBuilder &builder, tile::StoreViewOp store,
                     const BulkFrame &frame, BufferType buffer,
                     ArrayRef<Value> at);
  Value endsInside(OpBuilder &builder, tile::StoreViewOp store,
                   const BulkFrame &frame, BufferType buffer,
                   ArrayRef<Value> at);

private:
  tile::KernelOp kernel;
  const SimtTarget &target;
  analysis::Hints hints;
  LaunchViews launch;
};

/// Panels along the dimension that is dense in memory; none if there is no such
/// or its rows are not whole units of the target's copies.
BufferType Finder::bufferFor(tile::StoreViewOp store) const {
  tile::ViewType type = store.getView().getType();
  const int64_t bytes = tile::storageBytes(type.getElementType());
  Value root = store.getView();
  while (auto advance = root.getDefiningOp<tile::AdvanceViewOp>()) {
    root = advance.getView();
  }
  auto made = root.getDefiningOp<tile::MakeViewOp>();
  if (!made) {
    return {};
  }
  SmallVector<unsigned> order;
  const int64_t unit = std::max(target.bulkAlignment(), SharedPiece);
  for (unsigned dim = unsigned(type.getRank()); dim-- > 0;) {
    const bool isDense = matchPattern(made.getStrides()[dim], m_One()) &&
                         type.getShape()[dim] * bytes % unit == 0;
    order.insert(isDense ? order.begin() : order.end(), dim);
  }
  if (type.getShape()[order[0]] * bytes % unit != 0) {
    return {};
  }
  return BufferType::get(store.getContext(), type.getShape(),
                         type.getElementType(),
                         target.sharedRows(store.getContext(), order,
                                           type.getShape()[order[0]], bytes));
}

std::optional<BulkFrame> Finder::describe(tile::StoreViewOp store,
                                          StringRef &why) {
  Type element = store.getView().getType().getElementType();
  if (element.isInteger(1) || isa<tile::PtrType>(element)) {
    why = "its elements are not copied as they are";
    return std::nullopt;
  }
  BufferType buffer = bufferFor(store);
  if (!buffer) {
    why =
        StringAttr::get(
            store.getContext(),
            "no dimension of it is dense, with rows of " +
                Twine(std::max(target.bulkAlignment(), SharedPiece)) + " bytes")
            .getValue();
    return std::nullopt;
  }
  std::optional<BulkFrame> frame =
      bulkFrame(launch, store.getView(), store.getOffsets(), store.getChecked(),
                buffer, target.bulkAlignment(), why);
  if (!frame) {
    return std::nullopt;
  }
  if (!llvm::all_of(frame->view.position, [&](const analysis::Polynomial &p) {
        return optimizer::isAvailable(p, store, launch.scalars());
      })) {
    why = "its position comes out of a branch or a loop";
    return std::nullopt;
  }
  // Threads that have less than a vector each store it at once, without the
  // unit's wait for shared memory.
  const int64_t threads = int64_t(warpsOf(store)) * target.lanes();
  if (uint64_t(buffer.getBytes()) > target.sharedBytes() ||
      buffer.getBytes() < threads * target.vectorBytes() ||
      !target.canStoreInBulk(frame->type, buffer)) {
    why = "its tile is too large, or too small";
    return std::nullopt;
  }
  return frame;
}

/// i1: nothing of the block lies before the frame, where the engine does not
/// store; null: nothing ever does.
Value Finder::beginsInside(OpBuilder &builder, tile::StoreViewOp store,
                           const BulkFrame &frame, BufferType buffer,
                           ArrayRef<Value> at) {
  Location loc = store.getLoc();
  Value zero, all;
  const unsigned more = frame.view.more;
  for (auto [i, dim] :
       llvm::enumerate(llvm::reverse(buffer.getLayout().getOrder()))) {
    if (launch.isNatural(frame.view.position[more + i],
                         store.getOffsets()[dim])) {
      continue;
    }
    if (!zero) {
      zero =
          arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    }
    Value one = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                      at[more + i], zero);
    all = all ? arith::AndIOp::create(builder, loc, all, one) : one;
  }
  return all;
}

/// i1: rows end at whole units of copies, or behind the block. Else the engine,
/// which stores such units whole, would overwrite what lies behind them. Null:
/// they always do.
Value Finder::endsInside(OpBuilder &builder, tile::StoreViewOp store,
                         const BulkFrame &frame, BufferType buffer,
                         ArrayRef<Value> at) {
  const analysis::Polynomial &row = frame.view.shape.back();
  const int64_t bytes = tile::storageBytes(buffer.getElementType());
  if (row.constant() == UnboundedExtent ||
      launch.isAligned(row, bytes, target.bulkAlignment())) {
    return nullptr;
  }
  Location loc = store.getLoc();
  auto atEntry = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(atEntry, loc,
                                     atEntry.getI64IntegerAttr(value));
  };
  Value extent = launch.scalars().emit(atEntry, loc, row);
  Value rest = arith::AndIOp::create(
      atEntry, loc, extent, constant(target.bulkAlignment() / bytes - 1));
  Value isWhole = arith::CmpIOp::create(atEntry, loc, arith::CmpIPredicate::eq,
                                        rest, constant(0));
  const int64_t width = buffer.getShape()[buffer.getLayout().getOrder()[0]];
  Value last = arith::SubIOp::create(atEntry, loc, extent, constant(width));
  Value isBehind = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sge, last, at.back());
  return arith::OrIOp::create(builder, loc, isWhole, isBehind);
}

void Finder::rewrite(tile::StoreViewOp store, const BulkFrame &frame) {
  Location loc = store.getLoc();
  OpBuilder builder(store);
  const BufferType buffer = bufferFor(store);
  SmallVector<Value> at =
      blockIn(builder, loc, buffer, positionIn(launch, builder, loc, frame),
              store.getOffsets());
  Value inside = beginsInside(builder, store, frame, buffer, at);
  if (Value ends = endsInside(builder, store, frame, buffer, at)) {
    inside = inside ? arith::AndIOp::create(builder, loc, inside, ends) : ends;
  }
  if (inside) {
    auto branch = scf::IfOp::create(builder, loc, inside,
                                    /*withElseRegion=*/true);
    store->moveBefore(branch.elseBlock()->getTerminator());
    store->setAttr(InsteadOfBulk, builder.getUnitAttr());
    builder = OpBuilder(branch.thenBlock()->getTerminator());
  }
  auto group = store->getAttrOfType<IntegerAttr>("group");
  BulkStoreOp::create(builder, loc, store.getValue(),
                      makeDescriptor(launch, kernel, loc, frame), at, buffer,
                      group ? group.getInt() : 0, store.getCache(),
                      store.getEvict());
  if (!inside) {
    store.erase();
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Is it cheap to check the accesses of the branch: bulk stores, and loads of
/// much less than they store?
bool isCheap(Operation *access, int64_t stored,
             llvm::function_ref<bool(tile::StoreViewOp)> isBulk) {
  constexpr int64_t much = 16;
  if (auto store = dyn_cast<tile::StoreViewOp>(access)) {
    return isBulk(store);
  }
  auto load = cast<tile::LoadViewOp>(access);
  auto type = cast<RankedTensorType>(load.getResult().getType());
  return type.getNumElements() * much <= stored;
}

/// Does `checked` do what `full` does, with checks that are cheap?
bool isCheapForm(Block &checked, Block &full,
                 llvm::function_ref<bool(tile::StoreViewOp)> isBulk) {
  int64_t stored = 0;
  for (auto store : checked.getOps<tile::StoreViewOp>()) {
    stored = std::max(
        stored,
        cast<RankedTensorType>(store.getValue().getType()).getNumElements());
  }
  return stored != 0 && isCheckedForm(checked, full, [&](Operation *access) {
           return isCheap(access, stored, isBulk);
         });
}

struct BulkStores : tz::simt::impl::BulkStoresBase<BulkStores> {
  explicit BulkStores(const SimtTarget *target) : target(target) {}
  BulkStores() = default;
  BulkStores(const BulkStores &other)
      : BulkStoresBase(other), target(other.target) {}

  void runOnOperation() override;

  const SimtTarget *target = nullptr;
};

/// What the pass's tests run for.
class EveryStore final : public SimtTarget {
public:
  uint64_t sharedBytes() const override { return 227 << 10; }
  bool canStoreInBulk(DescriptorType, BufferType) const override {
    return true;
  }
};

void BulkStores::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  if (kernel->hasAttr("tile.waits")) {
    // Its stores are signals for others (R6).
    return markAllAnalysesPreserved();
  }
  EveryStore every;
  Finder finder(kernel, target ? *target : every);
  llvm::MapVector<Operation *, BulkFrame> frames;
  bool hasChanged = false;
  kernel.walk([&](tile::StoreViewOp store) {
    if (!isOfDot(store.getValue())) {
      return;
    }
    StringRef why;
    if (scf::ForOp loop = loopOf(store); loop && isChain(loop)) {
      emitRemark(store.getLoc())
          << "threads store this tile: the loop's next product would wait "
             "until the bulk copy has read it";
      return;
    }
    if (std::optional<BulkFrame> frame = finder.describe(store, why)) {
      frames.insert({store, *frame});
    } else {
      emitRemark(store.getLoc()) << "threads store this tile: " << why;
    }
  });
  auto isBulk = [&](tile::StoreViewOp store) { return frames.contains(store); };
  kernel.walk([&](scf::IfOp branch) {
    if (branch.getNumResults() != 0 || !branch.elseBlock() ||
        !isCheapForm(*branch.elseBlock(), *branch.thenBlock(), isBulk)) {
      return;
    }
    for (auto store : branch.thenBlock()->getOps<tile::StoreViewOp>()) {
      frames.erase(store);
    }
    Block *rest = branch.elseBlock();
    rest->getTerminator()->erase();
    branch->getBlock()->getOperations().splice(branch->getIterator(),
                                               rest->getOperations());
    branch.erase();
    ++merged;
    hasChanged = true;
  });
  for (auto &[store, frame] : frames) {
    finder.rewrite(cast<tile::StoreViewOp>(store), frame);
    ++stores;
    hasChanged = true;
  }
  if (!hasChanged) {
    markAllAnalysesPreserved();
  }
}

} // namespace

std::unique_ptr<Pass> tz::simt::createBulkStores(const SimtTarget *target) {
  return std::make_unique<BulkStores>(target);
}
