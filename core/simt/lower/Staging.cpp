//===- Staging.cpp - tiles into shared memory, and stores from there ------===//
//
// What   What a thread holds of a tile, written as vectors or by matrix stores;
//        bulk stores and their waits.
// Why    Staged tiles, conversions and bulk stores write the same way. A matrix
//        store puts the pairs that an accumulator leaves in each lane into rows
//        of 16 bytes, four matrices at once.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"
#include "core/simt/lower/MatrixRows.h"

#include "terrazzo/plugin/Error.h"

using namespace llvm;

namespace tz::simt {

namespace {

/// Bits of a register's index whose elements follow each other along a
/// dimension, from the first element on.
SmallVector<unsigned, 4> bitsAlong(const Layout &layout, unsigned dim) {
  SmallVector<unsigned, 4> bits;
  for (;;) {
    Coordinates next(layout.rank(), 0);
    next[dim] = int64_t{1} << bits.size();
    const auto registers = layout.bases(Axis::Register);
    const auto *found = llvm::find(registers, next);
    if (found == registers.end()) {
      return bits;
    }
    bits.push_back(unsigned(found - registers.begin()));
  }
}

} // namespace

void KernelLowering::writeTile(ArrayRef<Value *> values, LayoutAttr attribute,
                               mlir::Type element, unsigned fast, int64_t run,
                               PlaceInShared at,
                               function_ref<bool(unsigned reg)> isLeftOut) {
  const Layout &layout = attribute.getValue();
  const int64_t bytes = tile::storageBytes(element);
  auto gathered = [&](unsigned reg, unsigned count) {
    SmallVector<Value *> parts;
    for (unsigned i = 0; i < count; ++i) {
      parts.push_back(arithmetic->toMemory(values[reg + i], element));
    }
    return gather(parts);
  };
  std::optional<MatrixRows> matrix;
  if (hooks.hasMatrixStore() && bytes == 2 && run % 8 == 0) {
    matrix = matrixRows(layout, fast);
  }
  if (matrix) {
    auto rows = LayoutAttr::get(kernel.getContext(), matrix->rows);
    for (unsigned reg = 0; reg < values.size(); reg += 2 * matrix->matrices) {
      if (isCopy(layout, reg) || (isLeftOut && isLeftOut(reg))) {
        continue;
      }
      SmallVector<Value *, 4> words;
      for (unsigned i = 0; i < matrix->matrices; ++i) {
        words.push_back(
            b.CreateBitCast(gathered(reg + 2 * i, 2), b.getInt32Ty()));
      }
      hooks.matrixStore(b, at(rows, matrix->at(layout, reg)), words,
                        matrix->isTransposed);
    }
    return;
  }
  // Registers that follow each other in memory need not in their numbers.
  SmallVector<unsigned, 4> along = bitsAlong(layout, fast);
  const int64_t most = std::min(mostOfVector(bytes), run);
  while (int64_t{1} << along.size() > most ||
         (isLeftOut && !along.empty() && along.back() >= along.size())) {
    along.pop_back();
  }
  const unsigned vector = 1u << along.size();
  unsigned inVector = 0;
  for (unsigned bit : along) {
    inVector |= 1u << bit;
  }
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    if ((reg & inVector) || isCopy(layout, reg) ||
        (isLeftOut && isLeftOut(reg))) {
      continue;
    }
    SmallVector<Value *> parts;
    for (unsigned i = 0; i < vector; ++i) {
      unsigned from = reg;
      for (auto [place, bit] : llvm::enumerate(along)) {
        from |= (i >> place & 1) << bit;
      }
      parts.push_back(arithmetic->toMemory(values[from], element));
    }
    b.CreateAlignedStore(gather(parts), at(attribute, reg),
                         Align(uint64_t(bytes) * vector));
  }
}

void KernelLowering::writeBuffer(ArrayRef<Value *> values, LayoutAttr layout,
                                 const Buffer &buffer, BufferType type,
                                 function_ref<bool(unsigned reg)> isLeftOut) {
  writeTile(
      values, layout, type.getElementType(), type.getLayout().getOrder()[0],
      type.getRun(),
      [&](LayoutAttr how, unsigned reg) {
        return bufferAt(buffer, type, how, reg);
      },
      isLeftOut);
}

//===----------------------------------------------------------------------===//
// Bulk stores
//===----------------------------------------------------------------------===//

void KernelLowering::awaitBulkStores(bool areDone) {
  hooks.awaitBulkStores(b, areDone);
  hazards.settleBulkStores(areDone);
  synchronize(areDone ? Memories::both : Memories::shared);
}

Accesses KernelLowering::bulkStoresIn(mlir::Operation *op) {
  Accesses all;
  op->walk([&](BulkStoreOp store) { all.add(Accesses::of(store)); });
  return all;
}

void KernelLowering::enterLoop(mlir::Operation *loop) {
  Accesses byThreads;
  loop->walk([&](mlir::Operation *op) {
    if (!isa<BulkStoreOp>(op) && !op->hasAttr(InsteadOfBulk)) {
      byThreads.add(Accesses::of(op));
    }
  });
  hazards.enterLoop(bulkStoresIn(loop), byThreads);
}

void KernelLowering::bulkStore(BulkStoreOp op) {
  const BufferType type = op.getBuffer();
  const Accesses stored = Accesses::of(op);
  if (hazards.needsBulkWrites(stored)) {
    awaitBulkStores(/*areDone=*/true);
  }
  const int64_t bytes = op.getPieceBytes();
  const Region region =
      allocate(uint64_t(bytes), uint64_t(hooks.sharedAlignment(type)));
  Value *address =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shared, region.offset);
  const auto pieces = int64_t(op.getPieces());
  for (int64_t piece = 0; piece < pieces; ++piece) {
    willWrite(region);
    Buffer buffer; // of which this piece is there
    buffer.region = region;
    buffer.address =
        b.CreateConstGEP1_64(b.getInt8Ty(), address, uint64_t(-piece * bytes));
    writeBuffer(tile(op.getValue()), layoutAttr(op.getValue().getType()),
                buffer, type,
                [&](unsigned reg) { return op.pieceOf(reg) != piece; });
    Memories memories = Memories::shared;
    if (hazards.needsPublishing(stored)) {
      hooks.publishAccesses(b);
      hazards.publishAccesses();
      memories = Memories::both;
    }
    hazards.isUnpublished = true;
    synchronize(memories);
    byOneThread(nullptr, [&] {
      forEachBox(op.getDescriptor().getType(), type, op.getAt(),
                 [&](ArrayRef<Value *> at, int64_t offset) {
                   if (offset / bytes != piece) {
                     return;
                   }
                   hooks.bulkStore(b, op.getDescriptor().getType(),
                                   scalar(op.getDescriptor()), at,
                                   b.CreateConstInBoundsGEP1_64(
                                       b.getInt8Ty(), address, offset % bytes),
                                   {op.getCache(), op.getEvict()});
                 });
    });
    hazards.noteBulkStore(region, stored);
  }
  scratch.release(region);
}

//===----------------------------------------------------------------------===//
// What a target may do better
//===----------------------------------------------------------------------===//

namespace {
[[noreturn]] void noSuchStore() {
  throw plugin::Failure(TZ_E_INTERNAL,
                        "a target with such stores implements their hooks");
}
[[noreturn]] void noSuchLoad() {
  throw plugin::Failure(TZ_E_INTERNAL,
                        "a target with such loads implements their hooks");
}
} // namespace

void SimtHooks::matrixStore(IRBuilderBase &, Value *, ArrayRef<Value *>, bool) {
  noSuchStore();
}
SmallVector<Value *, 4> SimtHooks::matrixLoad(IRBuilderBase &, Value *,
                                              unsigned, bool) {
  noSuchLoad();
}
void SimtHooks::bulkStore(IRBuilderBase &, DescriptorType, Value *,
                          ArrayRef<Value *>, Value *, const MemoryHints &) {
  noSuchStore();
}
void SimtHooks::awaitBulkStores(IRBuilderBase &, bool) { noSuchStore(); }

} // namespace tz::simt
