//===- BlockAccesses.cpp - simt-block-accesses ----------------------------===//
//
// What   Loads and stores of tiles whose layout is made of rectangles that one
//        instruction of a warp moves; prefetches of later iterations' blocks.
// Why    Some matrix units take their operands from registers in a form that
//        memory instructions bring. By way of shared memory they would be moved
//        twice.
// Example (test/simt/block-accesses.mlir; lines with simt., scf., tile.load, tile.store)
//   before
//     ...
//     %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf32, #c>) : i32 {
//       ...
//       %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16, #a>
//       %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x32xf16> -> tensor<32x32xf16, #b>
//       %next = simt.dot %x, %y, %acc {instruction = "product"} : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c>
//       scf.yield %next : tensor<64x32xf32, #c>
//     }
//     ...
//     tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x32xf32>, tensor<64x32xf32, #c>
//   after
//     ...
//     %0 = simt.descriptor %arg2[%c0_i64] shape[%c64_i64, %c32_i64] strides[%c32_i64_0, %c1_i64] : <f32> -> <[8, 16], f32, swizzle 0>
//     ...
//     %1 = simt.descriptor %arg1[%c0_i64_1] shape[%c4096_i64, %c32_i64_2] strides[%c32_i64_3, %c1_i64_4] : <f16> -> <[32, 32], f16, swizzle 0>
//     ...
//     %2 = simt.descriptor %arg0[%c0_i64_5] shape[%c64_i64_6, %c4096_i64_7] strides[%c4096_i64_8, %c1_i64_9] : <f16> -> <[16, 32], f16, swizzle 0>
//     ...
//     simt.prefetch_block %2[%16, %17] when %12 by #layout1 fast 1 of tensor<64x32xf16, #layout> : <[16, 32], f16, swizzle 0>
//     simt.prefetch_block %1[%18, %19] when %12 by #layout2 fast 1 of tensor<32x32xf16, #layout3> : <[32, 32], f16, swizzle 0>
//     %20 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst) -> (tensor<64x32xf32, #layout>)  : i32 {
//       ...
//       simt.prefetch_block %2[%35, %36] when %31 by #layout1 fast 1 of tensor<64x32xf16, #layout> : <[16, 32], f16, swizzle 0>
//       simt.prefetch_block %1[%37, %38] when %31 by #layout2 fast 1 of tensor<32x32xf16, #layout3> : <[32, 32], f16, swizzle 0>
//       ...
//       %42 = simt.load_block %2[%40, %41] by #layout1 fast 1 {group = 1 : i64} : <[16, 32], f16, swizzle 0> -> tensor<64x32xf16, #layout>
//       ...
//       %45 = simt.load_block %1[%43, %44] by #layout2 fast 1 {group = 2 : i64} : <[32, 32], f16, swizzle 0> -> tensor<32x32xf16, #layout3>
//       %46 = simt.dot %42, %45, %arg5 {instruction = "product"} : tensor<64x32xf16, #layout>, tensor<32x32xf16, #layout3> -> tensor<64x32xf32, #layout>
//       scf.yield %46 : tensor<64x32xf32, #layout>
//     }
//     ...
//     simt.store_block %20 to %0[%22, %23] by #layout4 fast 1 {group = 3 : i64} : tensor<64x32xf32, #layout> to <[8, 16], f32, swizzle 0>
// Needs  simt-assign-layouts: a dot's operand was given such a layout because
//        its frame is known at launch.
// Keeps  order: accesses stay where they are, with their group (R6).
//===----------------------------------------------------------------------===//
#include "core/optimizer/Versioning.h"
#include "core/simt/analysis/LaunchViews.h"
#include "core/simt/analysis/LoopNeeds.h"
#include "core/simt/passes/LaterIterations.h"
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Contiguity.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_BLOCKACCESSES
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// An access that messages can make.
struct Blocks {
  BulkFrame frame; // its box is one message
  BufferType tile; // whose order of dimensions is that of memory
  LayoutAttr message;
  unsigned fast;
};

/// The largest rectangle of the lowest registers for which there is an
/// instruction, with the dimensions of the tile.
std::optional<Layout> largestMessage(const SimtTarget &target,
                                     const Layout &layout, Type element,
                                     unsigned fast, BlockUse use) {
  ArrayRef<Coordinates> registers = layout.bases(Axis::Register);
  for (size_t bits = registers.size() + 1; bits-- > 0;) {
    Layout message(2);
    for (const Coordinates &basis : registers.take_front(bits)) {
      message.addBit(Axis::Register, basis);
    }
    for (const Coordinates &basis : layout.bases(Axis::Lane)) {
      message.addBit(Axis::Lane, basis);
    }
    const Layout rows = fast == 1 ? message : message.permuted({1, 0});
    if (isMadeOf(layout, message) &&
        target.hasBlockMessage({rows, element, use})) {
      return message;
    }
  }
  return std::nullopt;
}

class Rewriter {
public:
  Rewriter(tile::KernelOp kernel, const SimtTarget &target,
           const Contiguity &runs)
      : kernel(kernel), target(target), launch(kernel, runs.hints()) {}

  LoadBlockOp rewrite(tile::LoadViewOp load);
  bool rewrite(tile::StoreViewOp store);

private:
  std::optional<Blocks> describe(Operation *access, Value view,
                                 ValueRange offsets, ArrayRef<bool> checked,
                                 RankedTensorType tile, BlockUse use);
  SmallVector<Value> place(OpBuilder &b, Location loc, const Blocks &blocks,
                           ValueRange offsets);
  DescriptorOp descriptor(Location loc, const Blocks &blocks) {
    return makeDescriptor(launch, kernel, loc, blocks.frame);
  }

  tile::KernelOp kernel;
  const SimtTarget &target;
  LaunchViews launch;
};

std::optional<Blocks> Rewriter::describe(Operation *access, Value view,
                                         ValueRange offsets,
                                         ArrayRef<bool> checked,
                                         RankedTensorType type, BlockUse use) {
  Type element = type.getElementType();
  if (type.getRank() != 2 || !hasLayout(type) || element.isInteger(1) ||
      isa<tile::PtrType>(element)) {
    return std::nullopt;
  }
  for (unsigned fast : {1u, 0u}) {
    std::optional<Layout> message =
        largestMessage(target, layoutOf(type), element, fast, use);
    if (!message) {
      continue;
    }
    const Coordinates box = message->shape();
    auto tile =
        BufferType::get(type.getContext(), type.getShape(), element,
                        SharedAttr::get(type.getContext(), {fast, 1 - fast},
                                        box[fast], 0, 4, 3));
    StringRef why;
    std::optional<BulkFrame> frame = bulkFrame(
        launch, view, offsets, checked, tile, target.bulkAlignment(), why);
    if (!frame ||
        !llvm::all_of(frame->view.position, [&](const analysis::Polynomial &p) {
          return optimizer::isAvailable(p, access, launch.scalars());
        })) {
      continue;
    }
    SmallVector<int64_t> extents(frame->type.getBox());
    extents[extents.size() - 2] = box[1 - fast];
    frame->type = DescriptorType::get(type.getContext(), extents, element, 0);
    return Blocks{std::move(*frame), tile,
                  LayoutAttr::get(type.getContext(), *message), fast};
  }
  return std::nullopt;
}

SmallVector<Value> Rewriter::place(OpBuilder &b, Location loc,
                                   const Blocks &blocks, ValueRange offsets) {
  return blockIn(b, loc, blocks.tile, positionIn(launch, b, loc, blocks.frame),
                 offsets);
}

int64_t groupOf(Operation *access) {
  auto group = access->getAttrOfType<IntegerAttr>("group");
  return group ? group.getInt() : 0;
}

LoadBlockOp Rewriter::rewrite(tile::LoadViewOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getResult().getType());
  const bool isPlain = !load.getOther() ||
                       matchPattern(load.getOther(), m_AnyZeroFloat()) ||
                       matchPattern(load.getOther(), m_Zero());
  std::optional<Blocks> blocks;
  if (type && isPlain) {
    blocks = describe(load, load.getView(), load.getOffsets(),
                      load.getChecked(), type, BlockUse::load);
  }
  if (!blocks) {
    return nullptr;
  }
  OpBuilder b(load);
  Location loc = load.getLoc();
  auto made = LoadBlockOp::create(b, loc, type, descriptor(loc, *blocks),
                                  place(b, loc, *blocks, load.getOffsets()),
                                  blocks->message, blocks->fast, groupOf(load),
                                  load.getCache(), load.getEvict());
  load.getResult().replaceAllUsesWith(made.getResult());
  load.erase();
  return made;
}

/// From the layout in which the tile was computed.
bool Rewriter::rewrite(tile::StoreViewOp store) {
  Value value = store.getValue();
  auto convert = value.getDefiningOp<ConvertOp>();
  value = convert ? convert.getSource() : value;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<Blocks> blocks;
  if (type) {
    blocks = describe(store, store.getView(), store.getOffsets(),
                      store.getChecked(), type, BlockUse::store);
  }
  if (!blocks) {
    return false;
  }
  OpBuilder b(store);
  Location loc = store.getLoc();
  StoreBlockOp::create(b, loc, value, descriptor(loc, *blocks),
                       place(b, loc, *blocks, store.getOffsets()),
                       blocks->message, blocks->fast, groupOf(store),
                       store.getCache(), store.getEvict());
  store.erase();
  if (convert && convert->use_empty()) {
    convert.erase();
  }
  return true;
}

/// At the begin of each iteration the blocks of the one so many after it, and
/// before the loop those of the ones between. (The first one loads at once.)
/// How many loads go ahead so.
unsigned prefetchBlocks(scf::ForOp loop, unsigned distance) {
  if (!countsIterations(loop)) {
    return 0;
  }
  SmallVector<LoadBlockOp> loads;
  Slice ahead;
  for (auto load : loop.getBody()->getOps<LoadBlockOp>()) {
    Slice more = ahead;
    if (llvm::all_of(load.getAt(),
                     [&](Value at) { return addToSlice(loop, at, more); }) &&
        more.carried.empty() && !more.hasLoads()) {
      ahead = std::move(more);
      loads.push_back(load);
    }
  }
  LaterIterations later(loop, ahead);
  auto prefetch = [&](OpBuilder &b, const IRMapping &map, Value exists) {
    for (LoadBlockOp load : loads) {
      SmallVector<Value> at;
      for (Value one : load.getAt()) {
        at.push_back(map.lookupOrDefault(one));
      }
      PrefetchBlockOp::create(b, load.getLoc(), load.getDescriptor(), at,
                              exists, load.getMessage(), load.getFast(),
                              load.getType());
    }
  };
  if (loads.empty()) {
    return 0;
  }
  OpBuilder b(loop);
  for (unsigned iteration = 1; iteration < distance; ++iteration) {
    IRMapping map;
    Value exists = later.begin(b, map, loop.getLowerBound(), iteration);
    prefetch(b, map, exists);
  }
  OpBuilder in = OpBuilder::atBlockBegin(loop.getBody());
  IRMapping map;
  Value exists = later.begin(in, map, loop.getInductionVar(), distance);
  prefetch(in, map, exists);
  return unsigned(loads.size());
}

/// What the pass's options describe: for its tests. Dots have operands in
/// registers, eight rows of a column in each lane.
class OptionTarget final : public SimtTarget {
public:
  OptionTarget(unsigned row, unsigned lanesOfAWarp)
      : row(row), lanesOfAWarp(lanesOfAWarp) {}
  unsigned lanes() const override { return lanesOfAWarp; }
  bool hasBlocks() const override { return row != 0; }
  bool hasBlockMessage(const BlockMessage &message) const override {
    const Coordinates box = message.layout.shape();
    return box[0] <= 32 && box[1] * tile::storageBytes(message.element) <= row;
  }

private:
  unsigned row, lanesOfAWarp;
};

struct BlockAccesses : tz::simt::impl::BlockAccessesBase<BlockAccesses> {
  explicit BlockAccesses(const SimtTarget *target) : target(target) {}
  BlockAccesses() = default;
  BlockAccesses(const BlockAccesses &other)
      : BlockAccessesBase(other), target(other.target) {}

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    OptionTarget described(blockBytesOption, lanesOption);
    const SimtTarget &machine =
        target ? *target : static_cast<const SimtTarget &>(described);
    if (!machine.hasBlocks()) {
      return markAllAnalysesPreserved();
    }
    SmallVector<Operation *> accesses;
    kernel.walk([&](Operation *op) {
      if (isa<tile::LoadViewOp, tile::StoreViewOp>(op)) {
        accesses.push_back(op);
      }
    });
    Contiguity runs(kernel);
    Rewriter rewriter(kernel, machine, runs);
    for (Operation *op : accesses) {
      if (auto load = dyn_cast<tile::LoadViewOp>(op)) {
        loads += rewriter.rewrite(load) ? 1 : 0;
      } else {
        stores += rewriter.rewrite(cast<tile::StoreViewOp>(op)) ? 1 : 0;
      }
    }
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      const unsigned stages = stagesOf(loop, stagesOf(kernel, 3));
      if (!loop.getBody()->getOps<DotOp>().empty() && stages > 1 &&
          !kernel->hasAttr("tile.waits")) {
        prefetched += prefetchBlocks(loop, stages - 1);
      }
    });
  }

  const SimtTarget *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createBlockAccesses(const SimtTarget *target) {
  return std::make_unique<BlockAccesses>(target);
}
