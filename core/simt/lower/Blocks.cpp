//===- Blocks.cpp - blocks of memory, straight to registers ---------------===//
//
// What   A tile's messages one after the other: where each begins in the frame,
//        and which registers it fills.
// Why    The layout of a tile says which rectangles a warp holds whole; a
//        target has one instruction for each.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "terrazzo/plugin/Error.h"

using namespace llvm;

namespace tz::simt {

/// The lanes' bits as registers, so that coordinates are the same in all lanes.
static Layout withoutLanes(const Layout &layout) {
  Layout corners(layout.rank());
  for (Axis axis : {Axis::Register, Axis::Lane}) {
    for (const Coordinates &basis : layout.bases(axis)) {
      corners.addBit(Axis::Register, basis);
    }
  }
  for (const Coordinates &basis : layout.bases(Axis::Warp)) {
    corners.addBit(Axis::Warp, basis);
  }
  for (const Layout::Repeat &copy : layout.repeats()) {
    corners.repeat(copy.axis, copy.dim, copy.count);
  }
  return corners;
}

void KernelLowering::forEachMessage(
    mlir::Type tileType, LayoutAttr message, unsigned fast,
    mlir::ValueRange position,
    function_ref<void(ArrayRef<Value *> at, unsigned reg)> emit) {
  const Layout &layout = layoutAttr(tileType).getValue();
  auto corners = LayoutAttr::get(kernel.getContext(), withoutLanes(layout));
  // Coordinates are 32 bits wide; what is farther away is outside as well.
  SmallVector<Value *> corner;
  for (mlir::Value at : position) {
    Value *c = scalar(at);
    for (auto [id, limit] : {std::pair(Intrinsic::smax, int64_t{INT32_MIN}),
                             std::pair(Intrinsic::smin, int64_t{1} << 30)}) {
      c = b.CreateBinaryIntrinsic(id, c, b.getInt64(uint64_t(limit)));
    }
    corner.push_back(b.CreateTrunc(c, b.getInt32Ty()));
  }
  const auto bits = unsigned(layout.bases(Axis::Register).size()),
             lanes = unsigned(layout.bases(Axis::Lane).size());
  const auto step = unsigned(message.getValue().size(Axis::Register));
  for (unsigned reg = 0; reg < layout.size(Axis::Register); reg += step) {
    const unsigned index = (reg & maskTrailingOnes<unsigned>(bits)) |
                           reg >> bits << (bits + lanes);
    SmallVector<Value *> at(corner);
    for (unsigned i : {0u, 1u}) { // slow, fast
      Value *&c = at[at.size() - 2 + i];
      c = b.CreateAdd(c, coordinate(corners, index, i == 1 ? fast : 1 - fast));
    }
    emit(at, reg);
  }
}

/// With the dimensions of the frame: rows, columns.
static Layout inMemory(LayoutAttr message, unsigned fast) {
  return fast == 1 ? message.getValue() : message.getValue().permuted({1, 0});
}

void KernelLowering::loadBlock(LoadBlockOp op) {
  mlir::Type element = tile::elementType(op.getType());
  const Layout message = inMemory(op.getMessage(), op.getFast());
  Registers registers;
  forEachMessage(op.getType(), op.getMessage(), op.getFast(), op.getAt(),
                 [&](ArrayRef<Value *> at, unsigned) {
                   for (Value *one : hooks.loadBlock(
                            b, op.getDescriptor().getType(),
                            scalar(op.getDescriptor()), at, message,
                            arithmetic->memoryType(element),
                            {op.getCache(), op.getEvict(), false})) {
                     registers.push_back(arithmetic->fromMemory(one, element));
                   }
                 });
  define(op.getResult(), std::move(registers));
}

void KernelLowering::storeBlock(StoreBlockOp op) {
  mlir::Type element = tile::elementType(op.getValue().getType());
  const Layout message = inMemory(op.getMessage(), op.getFast());
  const Registers &held = tile(op.getValue());
  const auto step = unsigned(message.size(Axis::Register));
  auto store = [&] {
    forEachMessage(
        op.getValue().getType(), op.getMessage(), op.getFast(), op.getAt(),
        [&](ArrayRef<Value *> at, unsigned reg) {
          SmallVector<Value *> values;
          for (unsigned i = 0; i < step; ++i) {
            values.push_back(arithmetic->toMemory(held[reg + i], element));
          }
          hooks.storeBlock(b, op.getDescriptor().getType(),
                           scalar(op.getDescriptor()), at, message, values,
                           {op.getCache(), op.getEvict(), false});
        });
  };
  // Lanes hold no copies: whole warps do.
  Value *owner = coordinatesOf(layoutAttr(op.getValue().getType())).isOwner;
  owner ? emitIf(owner, store) : store();
}

void KernelLowering::prefetchBlock(PrefetchBlockOp op) {
  const Layout message = inMemory(op.getMessage(), op.getFast());
  Value *owner = coordinatesOf(layoutAttr(op.getTile())).isOwner;
  Value *when = scalar(op.getWhen());
  emitIf(owner ? b.CreateAnd(when, owner) : when, [&] {
    forEachMessage(op.getTile(), op.getMessage(), op.getFast(), op.getAt(),
                   [&](ArrayRef<Value *> at, unsigned) {
                     hooks.prefetchBlock(b, op.getDescriptor().getType(),
                                         scalar(op.getDescriptor()), at,
                                         message);
                   });
  });
}

//===----------------------------------------------------------------------===//
// What a target may do better
//===----------------------------------------------------------------------===//

namespace {
[[noreturn]] void noBlocks() {
  throw plugin::Failure(TZ_E_INTERNAL,
                        "a target with such blocks implements their hooks");
}
} // namespace

SmallVector<Value *> SimtHooks::loadBlock(IRBuilderBase &, DescriptorType,
                                          Value *, ArrayRef<Value *>,
                                          const Layout &, Type *,
                                          const MemoryHints &) {
  noBlocks();
}
void SimtHooks::storeBlock(IRBuilderBase &, DescriptorType, Value *,
                           ArrayRef<Value *>, const Layout &, ArrayRef<Value *>,
                           const MemoryHints &) {
  noBlocks();
}

} // namespace tz::simt
