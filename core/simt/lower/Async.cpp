//===- Async.cpp - rings of buffers and what fills them -------------------===//
//
// What   Slots of a ring by address, copies in pieces as wide as both sides
//        allow, waits.
// Why    See SimtAsync.td.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Vectors.h"
#include "core/simt/lower/KernelLowering.h"
#include "core/simt/lower/MatrixRows.h"

#include <climits>

using namespace llvm;

namespace tz::simt {

static bool isFilledByThreads(mlir::Operation *slot) {
  return llvm::any_of(slot->getUsers(),
                      llvm::IsaPred<AsyncCopyOp, AsyncCopyViewOp>);
}

void KernelLowering::ring(RingOp op) {
  RingType type = op.getResult().getType();
  Region region =
      allocate(uint64_t(type.getCount() * hooks.slotBytes(type.getBuffer())),
               uint64_t(hooks.sharedAlignment(type.getBuffer())));
  // Nobody may still be at work where the ring lies, and what this program has
  // stored to device memory, whatever it is, is stored before threads copy it.
  // (What the bulk copy unit brings, nobody stores.)
  Accesses next = Accesses::write(region);
  if (llvm::any_of(op.getResult().getUsers(), isFilledByThreads)) {
    next.memory.push_back({0, false});
  }
  willAccess(next);
  rings[op.getResult()] = region;
}

void KernelLowering::slot(SlotOp op) {
  const RingType type = op.getRing().getType();
  Buffer buffer;
  buffer.isSlot = true;
  buffer.region = rings.find(op.getRing())->second;
  Value *offset = b.CreateMul(
      scalar(op.getIndex()),
      b.getInt32(uint32_t(hooks.slotBytes(type.getBuffer()))), "", true, true);
  Value *base =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shared, buffer.region.offset);
  buffer.address = b.CreateInBoundsGEP(b.getInt8Ty(), base,
                                       b.CreateZExt(offset, b.getInt64Ty()));
  buffers[op.getResult()] = buffer;
}

void KernelLowering::read(ReadOp op) {
  const Buffer buffer = readBuffers({op.getSource()})[0];
  BufferType type = op.getSource().getType();
  LayoutAttr attribute = layoutAttr(op.getType());
  const Layout &layout = attribute.getValue();
  mlir::Type element = type.getElementType();
  Type *memory = arithmetic->memoryType(element);
  Registers registers;
  std::optional<MatrixRows> matrix;
  if (hooks.hasMatrixLoad() && tile::storageBytes(element) == 2 &&
      type.getRun() % 8 == 0) {
    matrix = matrixRows(layout, type.getLayout().getOrder()[0]);
  }
  if (matrix) {
    auto rows = LayoutAttr::get(kernel.getContext(), matrix->rows);
    for (unsigned reg = 0; reg < layout.size(Axis::Register);
         reg += 2 * matrix->matrices) {
      Value *row = bufferAt(buffer, type, rows, matrix->at(layout, reg));
      for (Value *word :
           hooks.matrixLoad(b, row, matrix->matrices, matrix->isTransposed)) {
        Value *pair = b.CreateBitCast(word, FixedVectorType::get(memory, 2));
        for (unsigned i : {0u, 1u}) {
          registers.push_back(
              arithmetic->fromMemory(b.CreateExtractElement(pair, i), element));
        }
      }
    }
    define(op.getResult(), std::move(registers));
    return;
  }
  const unsigned vector = vectorOfBuffer(type, layout, hooks.vectorBytes());
  Type *wide = vector == 1
                   ? memory
                   : static_cast<Type *>(FixedVectorType::get(memory, vector));
  for (unsigned reg = 0; reg < layout.size(Axis::Register); reg += vector) {
    Value *loaded = b.CreateAlignedLoad(
        wide, bufferAt(buffer, type, attribute, reg),
        Align(uint64_t(tile::storageBytes(element)) * vector));
    for (unsigned i = 0; i < vector; ++i) {
      Value *one = vector == 1 ? loaded : b.CreateExtractElement(loaded, i);
      registers.push_back(arithmetic->fromMemory(one, element));
    }
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::write(WriteOp op) {
  const Buffer buffer = buffers.find(op.getTo())->second;
  hazards.note(Accesses::write(buffer.region)); // for who uses it later
  writeBuffer(tile(op.getSource()), layoutAttr(op.getSource().getType()),
              buffer, op.getTo().getType());
  hazards.isUnpublished |= copiesArePublished;
}

/// Elements of a word, or words of an element.
void KernelLowering::pack(PackOp op) {
  mlir::Type element = tile::elementType(op.getSource().getType());
  const auto bytes = unsigned(tile::storageBytes(element));
  Type *word = b.getInt32Ty();
  SmallVector<Value *> parts;
  for (Value *value : tile(op.getSource())) {
    parts.push_back(arithmetic->toMemory(value, element));
  }
  const size_t together = std::max(1u, 4 / bytes);
  while (parts.size() % together != 0) {
    parts.push_back(Constant::getNullValue(parts[0]->getType()));
  }
  Registers words;
  for (size_t i = 0; i < parts.size(); i += together) {
    if (bytes <= 4) {
      words.push_back(
          b.CreateBitCast(gather(ArrayRef(parts).slice(i, together)), word));
      continue;
    }
    Value *both =
        b.CreateBitCast(parts[i], FixedVectorType::get(word, bytes / 4));
    for (unsigned half = 0; half < bytes / 4; ++half) {
      words.push_back(b.CreateExtractElement(both, half));
    }
  }
  define(op.getResult(), std::move(words));
}

void KernelLowering::unpack(UnpackOp op) {
  mlir::Type element = tile::elementType(op.getType());
  const auto bytes = unsigned(tile::storageBytes(element));
  Type *memory = arithmetic->memoryType(element);
  const Registers &words = tile(op.getSource());
  const auto count = size_t(layoutOf(op.getType()).size(Axis::Register));
  const unsigned together = std::max(1u, 4 / bytes);
  Registers registers;
  for (size_t i = 0; registers.size() < count;) {
    Value *some = gather(ArrayRef(words).slice(i, std::max(1u, bytes / 4)));
    i += std::max(1u, bytes / 4);
    some = b.CreateBitCast(
        some, together == 1 ? memory : FixedVectorType::get(memory, together));
    for (unsigned n = 0; n < together && registers.size() < count; ++n) {
      registers.push_back(arithmetic->fromMemory(
          together == 1 ? some : b.CreateExtractElement(some, uint64_t{n}),
          element));
    }
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::copyVector(mlir::Type element, Value *from, Value *to,
                                unsigned count, Value *validBytes,
                                const MemoryHints &hints) {
  const unsigned bytes = count * unsigned(tile::storageBytes(element));
  if (hooks.hasAsyncCopy(bytes)) {
    hooks.asyncCopy(b, to, from, bytes, validBytes, hints);
    return;
  }
  // Too narrow to be asynchronous: there is nothing to wait for then.
  Type *memory = arithmetic->memoryType(element);
  Type *type = count == 1
                   ? memory
                   : static_cast<Type *>(FixedVectorType::get(memory, count));
  Value *inside =
      validBytes ? b.CreateICmpNE(validBytes, b.getInt32(0)) : nullptr;
  b.CreateAlignedStore(hooks.load(b, type, from, inside, nullptr, hints), to,
                       Align(bytes));
}

Value *KernelLowering::bytesInside(const ViewAccess &access, unsigned reg,
                                   unsigned vector, bool mayCross) {
  const auto bytes = uint32_t(tile::storageBytes(access.element));
  Value *inside = nullptr, *elements = b.getInt32(vector);
  bool isChecked = false;
  for (unsigned dim = 0; dim < access.count.size(); ++dim) {
    if (!access.count[dim]) {
      continue;
    }
    isChecked = true;
    Value *c =
        b.CreateSub(coordinate(access.layout, reg, dim), access.low[dim]);
    if (mayCross && dim == access.dim) {
      Value *left =
          b.CreateBinaryIntrinsic(Intrinsic::usub_sat, access.count[dim], c);
      elements = b.CreateBinaryIntrinsic(Intrinsic::umin, left, elements);
      continue;
    }
    Value *one = b.CreateICmpULT(c, access.count[dim]);
    inside = inside ? b.CreateAnd(inside, one) : one;
  }
  if (!isChecked) {
    return nullptr;
  }
  Value *valid = b.CreateMul(elements, b.getInt32(bytes));
  return inside ? b.CreateSelect(inside, valid, b.getInt32(0)) : valid;
}

void KernelLowering::copyIf(
    Value *when, LayoutAttr layout,
    function_ref<void(function_ref<Value *(Value *, uint32_t)>)> copy) {
  Value *owner = coordinatesOf(layout).isOwner;
  if (hooks.countsCopies()) {
    auto everywhere = [&] {
      copy([&](Value *valid, uint32_t bytes) {
        return b.CreateSelect(when, valid ? valid : b.getInt32(bytes),
                              b.getInt32(0));
      });
    };
    owner ? emitIf(owner, everywhere) : everywhere();
    return;
  }
  emitIf(owner ? b.CreateAnd(when, owner) : when,
         [&] { copy([](Value *valid, uint32_t) { return valid; }); });
}

unsigned KernelLowering::vectorOfCopy(mlir::Operation *copy) {
  VectorAccess access;
  BufferType type;
  const Layout *layout;
  if (auto pointers = dyn_cast<AsyncCopyOp>(copy)) {
    type = pointers.getTo().getType();
    layout = &layoutOf(pointers.getPointer().getType());
    access = vectorOfPointers(runs, pointers.getPointer(), pointers.getMask(),
                              *layout, hooks.vectorBytes());
  } else {
    auto view = cast<AsyncCopyViewOp>(copy);
    type = view.getTo().getType();
    layout = &view.getLayout().getValue();
    // The last one may end within the bounds.
    const SmallVector<bool> unchecked(layout->rank(), false);
    const VectorAccess whole = vectorOfView(runs, view.getView(),
                                            view.getOffsets(), unchecked,
                                            *layout, hooks.vectorBytes()),
                       inside = vectorOfView(
                           runs, view.getView(), view.getOffsets(),
                           view.getChecked(), *layout, hooks.vectorBytes());
    access = {whole.dim, std::max(whole.count, inside.count)};
  }
  if (access.dim != type.getLayout().getOrder()[0]) {
    return 1;
  }
  unsigned vector =
      std::min(unsigned(access.count),
               vectorOfBuffer(type, *layout, hooks.vectorBytes()));
  // What is too narrow for any copy is loaded and stored, as wide as it is.
  const auto bytes = unsigned(tile::storageBytes(type.getElementType()));
  for (unsigned part = vector; part > 0; part /= 2) {
    if (hooks.hasAsyncCopy(part * bytes)) {
      return part;
    }
  }
  return vector;
}

unsigned KernelLowering::countCopies(mlir::Operation *copy) {
  auto view = dyn_cast<AsyncCopyViewOp>(copy);
  const Layout &layout =
      view ? view.getLayout().getValue()
           : layoutOf(cast<AsyncCopyOp>(copy).getPointer().getType());
  const BufferType type =
      view ? view.getTo().getType() : cast<AsyncCopyOp>(copy).getTo().getType();
  const unsigned vector = vectorOfCopy(copy);
  // Of what several threads hold, one copies.
  if (!hooks.hasAsyncCopy(
          vector * unsigned(tile::storageBytes(type.getElementType()))) ||
      coordinatesOf(LayoutAttr::get(kernel.getContext(), layout)).isOwner) {
    return 0;
  }
  unsigned count = 0;
  for (unsigned reg = 0; reg < layout.size(Axis::Register); reg += vector) {
    count += isCopy(layout, reg) ? 0 : 1;
  }
  return count;
}

unsigned KernelLowering::copiesPending(AsyncWaitOp wait) {
  auto loop = dyn_cast<mlir::scf::ForOp>(wait->getParentOp());
  if (!hooks.countsCopies() || !loop || wait.getPending() == 0) {
    return 0;
  }
  // Groups of the loop, and of its first iterations before it.
  unsigned least = UINT_MAX;
  loop->getParentRegion()->walk([&](AsyncCommitOp commit) {
    unsigned count = 0;
    for (mlir::Operation *op = commit->getPrevNode();
         op && !isa<AsyncCommitOp>(op); op = op->getPrevNode()) {
      count += isa<AsyncCopyOp, AsyncCopyViewOp>(op) ? countCopies(op) : 0;
    }
    least = std::min(least, count);
  });
  return least == UINT_MAX ? 0 : wait.getPending() * least;
}

void KernelLowering::asyncCopy(AsyncCopyOp op) {
  LayoutAttr attribute = layoutAttr(op.getPointer().getType());
  BufferType type = op.getTo().getType();
  const Buffer buffer = buffers.find(op.getTo())->second;
  const unsigned vector = vectorOfCopy(op);
  const Registers &pointers = tile(op.getPointer());
  const Root root = rootOf(op.getPointer());
  const auto bytes =
      uint32_t(vector * tile::storageBytes(type.getElementType()));
  copyIf(scalar(op.getWhen()), attribute, [&](auto validOf) {
    for (unsigned reg = 0; reg < pointers.size(); reg += vector) {
      if (!isCopy(attribute.getValue(), reg)) {
        Value *valid = !op.getMask()
                           ? nullptr
                           : b.CreateSelect(tile(op.getMask())[reg],
                                            b.getInt32(bytes), b.getInt32(0));
        Value *to = bufferAt(buffer, type, attribute, reg);
        copyVector(
            type.getElementType(), pointers[reg], to, vector,
            validOf(valid, bytes),
            withPlace({op.getCache(), op.getEvict()}, root, pointers[reg]));
      }
    }
  });
}

void KernelLowering::asyncCopyView(AsyncCopyViewOp op) {
  LayoutAttr attribute = op.getLayout();
  const Layout &layout = attribute.getValue();
  BufferType type = op.getTo().getType();
  const Buffer buffer = buffers.find(op.getTo())->second;
  ViewAccess access =
      viewAccess(op.getView(), op.getOffsets(), op.getChecked(),
                 withLayout(op.getView().getType().getTileType(), layout));
  const unsigned vector = vectorOfCopy(op);
  // Vectors may cross the end of the view: what is behind it becomes zero. A
  // copy that is whole or nothing needs fewer instructions.
  const bool mayCross =
      access.dim == type.getLayout().getOrder()[0] &&
      vectorOfView(runs, op.getView(), op.getOffsets(), op.getChecked(), layout,
                   hooks.vectorBytes())
              .count < vector;
  const auto bytes = uint32_t(vector * tile::storageBytes(access.element));
  const int64_t count = layout.size(Axis::Register);
  copyIf(scalar(op.getWhen()), attribute, [&](auto validOf) {
    for (unsigned reg = 0; reg < count; reg += vector) {
      if (!isCopy(layout, reg)) {
        Value *from = addressOf(access, reg),
              *to = bufferAt(buffer, type, attribute, reg),
              *valid =
                  validOf(bytesInside(access, reg, vector, mayCross), bytes);
        copyVector(
            access.element, from, to, vector, valid,
            withPlace({op.getCache(), op.getEvict()}, access.root, from));
      }
    }
  });
}

void KernelLowering::asyncWait(AsyncWaitOp op) {
  hooks.asyncWait(b, {op.getPending(), copiesPending(op)});
  hazards.isUnpublished |= copiesArePublished; // what they brought
  synchronize(Memories::shared);
}

void KernelLowering::dotWait(DotWaitOp op) {
  Registers all;
  for (mlir::Value source : op.getSources()) {
    llvm::append_range(all, tile(source));
  }
  SmallVector<Value *> finished = hooks.dotWait(b, op.getPending(), all);
  ArrayRef<Value *> rest = finished;
  for (auto [source, result] :
       llvm::zip_equal(op.getSources(), op.getResults())) {
    const size_t count = tile(source).size();
    define(result, Registers(rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  // Other threads' dots may still read them: only a barrier behind this wait
  // says that they do not.
  SmallVector<mlir::Value, 2> reads(op.getReads());
  readBuffers(reads);
}

//===----------------------------------------------------------------------===//
// Copies in bulk
//===----------------------------------------------------------------------===//

void KernelLowering::byOneThread(Value *when, function_ref<void()> then) {
  if (isAlone) {
    emitIf(when, then);
    return;
  }
  Value *first =
      b.CreateAnd(b.CreateICmpULT(thread, b.getInt32(hooks.lanes())), isChosen);
  emitIf(when ? b.CreateAnd(first, when) : first, then);
}

Value *KernelLowering::barrierAt(mlir::Value all, Value *index) {
  Value *base = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shared,
                                             rings.find(all)->second.offset);
  return b.CreateInBoundsGEP(b.getIntNTy(8 * hooks.barrierBytes()), base,
                             b.CreateZExt(index, b.getInt64Ty()));
}

void KernelLowering::barriers(BarriersOp op) {
  for (mlir::Value all : op.getResults()) {
    auto type = cast<BarriersType>(all.getType());
    Region region = allocate(hooks.barrierBytes() * uint64_t(type.getCount()),
                             hooks.barrierBytes());
    willWrite(region);
    rings[all] = region;
  }
  byOneThread(nullptr, [&] {
    for (mlir::Value all : op.getResults()) {
      auto type = cast<BarriersType>(all.getType());
      hooks.initBarriers(b, barrierAt(all, b.getInt32(0)),
                         unsigned(type.getCount()),
                         unsigned(type.getArrivals()));
    }
  });
  // What was stored where the copies will go is stored before them.
  hazards.isUnpublished = true;
  synchronize(Memories::shared);
  if (result.clusterBlocks > 1) { // others arrive there, and fill what follows
    hooks.syncBlocks(b);
  }
}

void KernelLowering::barriersEnd(BarriersEndOp op) {
  synchronize(Memories::shared);
  for (mlir::Value all : op.getBarriers()) {
    willWrite(rings.find(all)->second);
  }
  byOneThread(nullptr, [&] {
    for (mlir::Value all : op.getBarriers()) {
      auto type = cast<BarriersType>(all.getType());
      hooks.endBarriers(b, barrierAt(all, b.getInt32(0)),
                        unsigned(type.getCount()));
    }
  });
}

void KernelLowering::expect(ExpectOp op) {
  byOneThread(scalar(op.getWhen()), [&] {
    hooks.expectBytes(b, barrierAt(op.getBarriers(), scalar(op.getIndex())),
                      op.getBytes());
  });
}

void KernelLowering::forEachBox(
    DescriptorType type, BufferType buffer, mlir::ValueRange position,
    function_ref<void(ArrayRef<Value *> at, int64_t offset)> box) {
  ArrayRef<int64_t> extents = type.getBox();
  ArrayRef<unsigned> order = buffer.getLayout().getOrder();
  // Of the block, in the order of the frame.
  Coordinates block(extents.size() - order.size(), 1);
  for (unsigned dim : llvm::reverse(order)) {
    block.push_back(buffer.getShape()[dim]);
  }
  const int64_t bytes = tile::storageBytes(buffer.getElementType());
  // Coordinates are 32 bits wide; what is farther away is outside as well.
  SmallVector<Value *> corner;
  for (auto [at, extent] : llvm::zip_equal(position, block)) {
    Value *c = scalar(at);
    for (auto [id, limit] :
         {std::pair(Intrinsic::smax, int64_t{INT32_MIN}),
          std::pair(Intrinsic::smin, int64_t{INT32_MAX} + 1 - extent)}) {
      c = b.CreateBinaryIntrinsic(id, c, b.getInt64(uint64_t(limit)));
    }
    corner.push_back(b.CreateTrunc(c, b.getInt32Ty()));
  }
  // Panels of the fastest dimension, in each rows of the others.
  const size_t rank = block.size();
  int64_t rows = 1;
  for (size_t dim = 0; dim + 1 < rank; ++dim) {
    rows *= block[dim];
  }
  Coordinates at(rank, 0);
  for (bool goesOn = true; goesOn;) {
    int64_t row = 0;
    for (size_t dim = 0; dim + 1 < rank; ++dim) {
      row = row * block[dim] + at[dim];
    }
    SmallVector<Value *> where;
    for (auto [start, more] : llvm::zip_equal(corner, at)) {
      where.push_back(b.CreateAdd(start, b.getInt32(uint32_t(more))));
    }
    box(where,
        (at.back() / extents.back() * rows + row) * extents.back() * bytes);
    goesOn = false;
    for (size_t dim = rank; dim-- > 0 && !goesOn;) {
      at[dim] += extents[dim];
      goesOn = at[dim] < block[dim];
      at[dim] = goesOn ? at[dim] : 0;
    }
  }
}

void KernelLowering::bulkCopy(BulkCopyOp op) {
  DescriptorType type = op.getDescriptor().getType();
  Value *base = buffers.find(op.getTo())->second.address;
  byOneThread(scalar(op.getWhen()), [&] {
    Value *barrier = barrierAt(op.getBarriers(), scalar(op.getIndex()));
    SmallVector<Box> boxes;
    forEachBox(type, op.getTo().getType(), op.getAt(),
               [&](ArrayRef<Value *> at, int64_t offset) {
                 boxes.push_back(
                     {SmallVector<Value *>(at), b.getInt64(uint64_t(offset))});
               });
    auto copy = [&](ArrayRef<Box> some, unsigned blocks) {
      for (const Box &box : some) {
        hooks.bulkCopy(b, type, scalar(op.getDescriptor()), box.at,
                       b.CreateInBoundsGEP(b.getInt8Ty(), base, box.offset),
                       barrier, {op.getCache(), op.getEvict()}, blocks);
      }
    };
    if (!op.getShared()) {
      copy(boxes, 1);
      return;
    }
    Value *isShared = scalar(op.getShared());
    emitIf(isShared, [&] { copy(partOf(boxes), result.clusterBlocks); });
    emitIf(b.CreateNot(isShared), [&] { copy(boxes, 1); });
  });
}

/// Which of the blocks of a cluster this one is.
Value *KernelLowering::blockNumber() {
  return b.CreateAnd(hooks.programId(b, 0), result.clusterBlocks - 1);
}

/// Of as many boxes for each of the blocks of a cluster, those of this
/// one.
SmallVector<KernelLowering::Box> KernelLowering::partOf(ArrayRef<Box> boxes) {
  Value *number = blockNumber();
  const size_t each = boxes.size() / result.clusterBlocks;
  SmallVector<Box> mine(boxes.take_front(each));
  for (unsigned block = 1; block < result.clusterBlocks; ++block) {
    Value *isThis = b.CreateICmpEQ(number, b.getInt32(block));
    for (size_t i = 0; i < each; ++i) {
      const Box &other = boxes[block * each + i];
      for (auto [to, from] : llvm::zip_equal(mine[i].at, other.at)) {
        to = b.CreateSelect(isThis, from, to);
      }
      mine[i].offset = b.CreateSelect(isThis, other.offset, mine[i].offset);
    }
  }
  return mine;
}

/// The kernel goes on in the half that works.
void KernelLowering::specialize(SpecializeOp op) {
  copyWarps = op.getWarps();
  const unsigned threads = hooks.lanes() * warps;
  BasicBlock *copies = block("copies"), *work = block("work");
  b.CreateCondBr(b.CreateICmpUGE(thread, b.getInt32(threads)), copies, work);
  b.SetInsertPoint(copies);
  hooks.beginCopies(b, warps, copyWarps);
  Value *isFirstWarp =
      b.CreateICmpULT(thread, b.getInt32(threads + hooks.lanes()));
  emitIf(b.CreateAnd(isFirstWarp, isChosen), [&] {
    isAlone = true;
    emitBlock(*op.copiesBlock());
    isAlone = false;
  });
  b.CreateBr(exitBlock);
  b.SetInsertPoint(work);
  hooks.beginWork(b, warps, copyWarps);
  workers = threads;
  hazards = Hazards(); // these threads have accessed nothing yet
  emitBlock(*op.workBlock());
}

void KernelLowering::acquire(AcquireOp op) {
  byOneThread(scalar(op.getWhen()), [&] {
    hooks.waitBarrier(b, barrierAt(op.getBarriers(), scalar(op.getIndex())),
                      scalar(op.getPhase()));
  });
}

void KernelLowering::release(ReleaseOp op) {
  const unsigned blocks = result.clusterBlocks;
  Value *isOne = b.CreateICmpULT(lane, b.getInt32(blocks));
  hooks.arrive(b, barrierAt(op.getBarriers(), scalar(op.getIndex())),
               b.CreateAnd(isOne, scalar(op.getWhen())),
               blocks > 1 ? b.CreateAnd(lane, blocks - 1) : nullptr);
}

void KernelLowering::barrierWait(BarrierWaitOp op) {
  hooks.waitBarrier(b, barrierAt(op.getBarriers(), scalar(op.getIndex())),
                    scalar(op.getPhase()));
}

} // namespace tz::simt
