//===- FibersCompiler.cpp - kernels for fibers ----------------------------===//
//
// What   The second implementation of the SIMT library's hooks: everything that
//        differs between targets is a call (Fibers.cpp).
// Why    It shows that the hooks are enough, and lets every layout, exchange
//        and scan run in the tests of a machine without accelerator.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersCompiler.h"

#include "test/fibers/FibersAccesses.h"
#include "test/fibers/FibersFaults.h"
#include "test/fibers/FibersMatrix.h"

#include "terrazzo/lowering/Atomics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace tz::fibers {

namespace {

/// What the library computes from (tile-legalize-math): a rounded quotient and
/// root, and what has one meaning.
class Arithmetic final : public lowering::Elementwise {
public:
  explicit Arithmetic(IRBuilderBase &b) : Elementwise(b, {}, FiberSpaces) {}

protected:
  Value *math(tile::MathFn fn, Value *x) override {
    auto call = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x); };
    switch (fn) {
    case tile::MathFn::sqrt:
    case tile::MathFn::sqrt_rn:
      return call(Intrinsic::sqrt);
    case tile::MathFn::rsqrt:
      return b.CreateFDiv(ConstantFP::get(x->getType(), 1),
                          call(Intrinsic::sqrt));
    default:
      break;
    }
    return Elementwise::math(fn, x);
  }
};

/// One step of a reduction over lanes.
Value *combine(IRBuilderBase &b, simt::LaneReduction kind, Value *x, Value *y) {
  switch (kind) {
  case simt::LaneReduction::add:
    return b.CreateAdd(x, y);
  case simt::LaneReduction::maxs:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, x, y);
  case simt::LaneReduction::mins:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y);
  case simt::LaneReduction::maxu:
    return b.CreateBinaryIntrinsic(Intrinsic::umax, x, y);
  case simt::LaneReduction::minu:
    return b.CreateBinaryIntrinsic(Intrinsic::umin, x, y);
  case simt::LaneReduction::bitAnd:
    return b.CreateAnd(x, y);
  case simt::LaneReduction::bitOr:
    return b.CreateOr(x, y);
  case simt::LaneReduction::bitXor:
    return b.CreateXor(x, y);
  default:
    break;
  }
  llvm_unreachable("of integers alone");
}

class FiberHooks final : public FiberMachine<simt::SimtHooks> {
public:
  FiberHooks(const Machine &machine, OpNames &ops)
      : FiberMachine(machine), ops(ops) {}
  void beginOp(IRBuilderBase &b, mlir::Operation *op) override {
    current = ops.add(op);
    call(b, "fibers_at", b.getVoidTy(), {b.getInt32(current)});
    sites.clear();
    if (auto ids = op->getAttrOfType<mlir::DenseI32ArrayAttr>(SitesAttr)) {
      append_range(sites, ids.asArrayRef());
    }
    if (!isa<simt::AsyncCopyOp, simt::AsyncCopyViewOp, simt::BulkCopyOp,
             simt::ReleaseOp>(op)) {
      reachSites(b, b.getInt32(1));
    }
  }
  std::optional<lowering::PartClock> partClock() const override {
    return lowering::PartClock{TZ_CLOCK_TICKS,
                               [](IRBuilderBase &b) -> Value * {
                                 return b.CreateIntrinsic(
                                     Intrinsic::readcyclecounter, {});
                               },
                               {}};
  }
  unsigned barrierBytes() const override { return machine.barrierBytes; }
  unsigned descriptorBytes() const override { return machine.descriptorBytes; }
  Value *threadInBlock(IRBuilderBase &b) override {
    return call(b, "fibers_thread", b.getInt32Ty(), {});
  }
  Value *programId(IRBuilderBase &b, unsigned axis) override {
    return call(b, "fibers_program", b.getInt32Ty(), {b.getInt32(axis)});
  }
  Value *programCount(IRBuilderBase &b, unsigned axis) override {
    return call(b, "fibers_programs", b.getInt32Ty(), {b.getInt32(axis)});
  }
  Value *sharedMemory(IRBuilderBase &b) override {
    return b.CreateAddrSpaceCast(call(b, "fibers_shared", b.getPtrTy(), {}),
                                 b.getPtrTy(FiberSpaces.shared));
  }
  void barrier(IRBuilderBase &b, simt::Memories memories,
               std::optional<unsigned> threads) override {
    call(b, "fibers_barrier", b.getVoidTy(),
         {b.getInt32(threads.value_or(0)), b.getInt32(uint32_t(memories))});
  }
  bool startsInOrder() const override { return machine.startsInOrder; }
  int64_t bytesReadFirst() const override { return machine.bytesReadFirst; }
  bool splitsBarriers() const override { return machine.splitsBarriers; }
  void arriveAtBarrier(IRBuilderBase &b, simt::Memories memories,
                       std::optional<unsigned> threads) override {
    call(b, "fibers_arrive_at_barrier", b.getVoidTy(),
         {b.getInt32(threads.value_or(0)), b.getInt32(uint32_t(memories))});
  }
  void awaitBarrier(IRBuilderBase &b, simt::Memories memories,
                    std::optional<unsigned> threads) override {
    call(b, "fibers_await_barrier", b.getVoidTy(),
         {b.getInt32(threads.value_or(0)), b.getInt32(uint32_t(memories))});
  }
  simt::Memories barrierOrders(simt::Memories asked) const override {
    return asked;
  }
  bool readsPublished(simt::DotOp) const override {
    return machine.unit == MatrixUnit::warpGroup;
  }
  void publishStaged(IRBuilderBase &b) override {
    call(b, "fibers_publish_staged", b.getVoidTy(), {});
  }
  void publishAccesses(IRBuilderBase &b) override {
    call(b, "fibers_publish_accesses", b.getVoidTy(), {});
  }
  StringRef syncScope(tile::MemScope scope) const override {
    return scope == tile::MemScope::program ? ProgramScope : "";
  }
  Value *shuffle(IRBuilderBase &b, Value *word, Value *lane) override {
    return call(b, "fibers_shuffle", b.getInt32Ty(), {word, lane});
  }
  Value *shuffleXor(IRBuilderBase &b, Value *word, unsigned mask) override {
    return call(b, "fibers_shuffle_xor", b.getInt32Ty(),
                {word, b.getInt32(mask)});
  }
  /// Sums of 16 bits that nobody reads, whole vectors of them.
  unsigned atomicWidth(const simt::AtomicUpdate &update) const override {
    return machine.unit == MatrixUnit::warpGroup && !update.isUsed &&
                   update.kind == tile::AtomicKind::fadd &&
                   tile::storageBytes(update.element) == 2
               ? 8
               : 0;
  }
  SmallVector<Value *> atomic(IRBuilderBase &b,
                              const simt::AtomicUpdate &update, Value *pointer,
                              ArrayRef<Value *> values,
                              Value *predicate) override {
    Function *function = b.GetInsertBlock()->getParent();
    auto *then = BasicBlock::Create(b.getContext(), "atomic", function);
    auto *after = BasicBlock::Create(b.getContext(), "after", function);
    b.CreateCondBr(predicate ? predicate : b.getTrue(), then, after);
    b.SetInsertPoint(then);
    Type *type = update.element.isBF16() ? b.getBFloatTy() : b.getHalfTy();
    const auto scope =
        b.getContext().getOrInsertSyncScopeID(syncScope(update.scope));
    for (auto [i, value] : llvm::enumerate(values)) {
      b.CreateAtomicRMW(AtomicRMWInst::FAdd,
                        b.CreateConstGEP1_32(type, pointer, unsigned(i)),
                        b.CreateBitCast(value, type), Align(2),
                        lowering::orderOf(update.sem), scope);
    }
    b.CreateBr(after);
    b.SetInsertPoint(after);
    return SmallVector<Value *>(values.size(),
                                Constant::getNullValue(values[0]->getType()));
  }
  /// The machine's instruction, of any group; else integers of whole warps.
  Value *reduceLanes(IRBuilderBase &b, simt::LaneReduction kind, Value *value,
                     unsigned laneBits) override {
    Type *type = value->getType(), *wide = b.getInt64Ty();
    const bool isFloat = kind >= simt::LaneReduction::addF;
    if (machine.reducesLanes && !type->isBFloatTy()) {
      const unsigned bits = type->getPrimitiveSizeInBits();
      Value *word =
          b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(bits)), wide);
      word = call(b, "fibers_reduce_lanes", wide,
                  {word, b.getInt32(uint32_t(kind)), b.getInt32(bits),
                   b.getInt32(laneBits)});
      return b.CreateBitCast(b.CreateTrunc(word, b.getIntNTy(bits)), type);
    }
    if (isFloat || laneBits != lanes() - 1 || type->getIntegerBitWidth() > 32) {
      return nullptr;
    }
    const bool isSigned =
        kind == simt::LaneReduction::maxs || kind == simt::LaneReduction::mins;
    Value *word = isSigned ? b.CreateSExt(value, b.getInt32Ty())
                           : b.CreateZExt(value, b.getInt32Ty());
    for (unsigned mask = 1; mask < lanes(); mask *= 2) {
      word = combine(b, kind, word, shuffleXor(b, word, mask));
    }
    return b.CreateTrunc(word, type);
  }
  bool takesUniform() const override { return machine.takesUniform; }
  Value *uniform(IRBuilderBase &b, Value *word) override {
    return call(b, "fibers_uniform", b.getInt32Ty(), {word});
  }
  void beginRegion(IRBuilderBase &b, StringRef name) override {
    call(b, "fibers_begin_region", b.getVoidTy(), {nameOf(b, name)});
  }
  void endRegion(IRBuilderBase &b, StringRef name) override {
    call(b, "fibers_end_region", b.getVoidTy(), {nameOf(b, name)});
  }
  bool hasAsyncCopy(unsigned bytes) const override {
    return bytes == 4 || bytes == 16 || (bytes == 8 && machine.hasEvenCopies);
  }
  std::unique_ptr<lowering::Elementwise>
  elementwise(IRBuilderBase &b) override {
    return std::make_unique<Arithmetic>(b);
  }
  SmallVector<Value *> dot(IRBuilderBase &b, simt::DotOp op,
                           const simt::DotSource &a, const simt::DotSource &rhs,
                           ArrayRef<Value *> acc) override {
    SmallVector<Value *> before = replaced(b, "fibers_chained", acc);
    const char *how = op.getAsync()        ? "fibers_begin_dot"
                      : readsPublished(op) ? "fibers_read_published"
                                           : "fibers_read_operand";
    readOperand(b, how, a);
    readOperand(b, how, rhs);
    if (op.getAsync()) {
      call(b, "fibers_commit_dot", b.getVoidTy(), {});
    }
    SmallVector<Value *> after =
        emitDot(b, *elementwise(b), op, a, rhs, before, threadInBlock(b),
                workThreads, lanes());
    return op.getAsync() ? replaced(b, "fibers_postpone", after) : after;
  }
  void beginWork(IRBuilderBase &, unsigned warps, unsigned) override {
    workThreads = warps * lanes();
  }
  SmallVector<Value *> dotWait(IRBuilderBase &b, unsigned pending,
                               ArrayRef<Value *> values) override {
    call(b, "fibers_wait_dots", b.getVoidTy(), {b.getInt32(pending)});
    return replaced(b, "fibers_arrived", values);
  }
  bool takesPlaces() const override { return machine.takesPlaces; }
  bool countsLoads() const override { return machine.countsLoads; }
  int64_t nearBytes() const override { return machine.nearBytes; }
  /// Word by word where the place has an end, as real engines look.
  Value *load(IRBuilderBase &b, Type *type, Value *pointer, Value *predicate,
              Constant *other, const simt::MemoryHints &hints) override {
    checkNear(b, pointer, hints.near);
    if (hints.near.end) {
      Value *all = PoisonValue::get(wordsOf(b, type));
      forEachWord(b, type, pointer, predicate, hints.near,
                  [&](unsigned i, Type *word, Value *at, Value *isInside) {
                    all = withWord(
                        b, all, i,
                        SimtHooks::load(b, word, at, isInside, nullptr, hints));
                  });
      return b.CreateBitCast(all, type);
    }
    checkPlace(b, type, pointer, predicate, hints.place);
    if (hints.isUniform) {
      call(b, "fibers_same_address", b.getVoidTy(),
           {pointer, predicate ? b.CreateZExt(predicate, b.getInt32Ty())
                               : b.getInt32(1)});
    }
    return SimtHooks::load(b, type, pointer, predicate, other, hints);
  }
  void store(IRBuilderBase &b, Value *value, Value *pointer, Value *predicate,
             const simt::MemoryHints &hints) override {
    checkNear(b, pointer, hints.near);
    if (hints.near.end) {
      Value *all = b.CreateBitCast(value, wordsOf(b, value->getType()));
      forEachWord(b, value->getType(), pointer, predicate, hints.near,
                  [&](unsigned i, Type *, Value *at, Value *isInside) {
                    SimtHooks::store(b, wordIn(b, all, i), at, isInside, hints);
                  });
      return;
    }
    checkPlace(b, value->getType(), pointer, predicate, hints.place);
    SimtHooks::store(b, value, pointer, predicate, hints);
  }
  void asyncCopy(IRBuilderBase &b, Value *to, Value *from, unsigned bytes,
                 Value *valid, const simt::MemoryHints &hints) override {
    reachSites(b, b.getInt32(1));
    if (hints.place.base) {
      callPlace(b, from, hints.place, valid ? valid : b.getInt32(bytes));
    }
    call(b, "fibers_async_copy", b.getVoidTy(),
         {to, from, b.getInt32(bytes), valid ? valid : b.getInt32(bytes)});
  }
  void asyncCommit(IRBuilderBase &b) override {
    call(b, "fibers_async_commit", b.getVoidTy(), {});
  }
  bool countsCopies() const override { return machine.countsCopies; }
  void asyncWait(IRBuilderBase &b, simt::PendingCopies pending) override {
    if (countsCopies()) {
      call(b, "fibers_await_copies", b.getVoidTy(),
           {b.getInt32(pending.copies)});
    } else {
      call(b, "fibers_async_wait", b.getVoidTy(), {b.getInt32(pending.groups)});
    }
  }
  void initBarriers(IRBuilderBase &b, Value *address, unsigned count,
                    unsigned arrivals) override {
    call(b, "fibers_init_barriers", b.getVoidTy(),
         {address, b.getInt32(count), b.getInt32(arrivals),
          b.getInt32(barrierBytes())});
  }
  void arrive(IRBuilderBase &b, Value *barrier, Value *predicate,
              Value *block) override {
    Value *arrives = b.CreateZExt(predicate, b.getInt32Ty());
    reachSites(b, arrives, barrier);
    call(b, "fibers_arrive", b.getVoidTy(),
         {barrier, arrives, block ? block : b.getInt32(~0u)});
  }
  void syncBlocks(IRBuilderBase &b) override {
    call(b, "fibers_sync_blocks", b.getVoidTy(), {});
  }
  Value *loadFromBlock(IRBuilderBase &b, Type *type, Value *pointer,
                       Value *block) override {
    const uint32_t bytes = uint32_t(type->getPrimitiveSizeInBits() / 8);
    Value *there = call(b, "fibers_read_in_block", b.getPtrTy(),
                        {pointer, b.getInt32(bytes), block});
    return b.CreateAlignedLoad(
        type, b.CreateAddrSpaceCast(there, b.getPtrTy(UnitSpace)),
        Align(bytes));
  }
  void endBarriers(IRBuilderBase &b, Value *address, unsigned count) override {
    call(b, "fibers_end_barriers", b.getVoidTy(),
         {address, b.getInt32(count), b.getInt32(barrierBytes())});
  }
  void expectBytes(IRBuilderBase &b, Value *barrier, uint64_t bytes) override {
    call(b, "fibers_expect_bytes", b.getVoidTy(),
         {barrier, b.getInt32(uint32_t(bytes))});
  }
  void waitBarrier(IRBuilderBase &b, Value *barrier, Value *phase) override {
    call(b, "fibers_wait_barrier", b.getVoidTy(), {barrier, phase});
  }
  void bulkCopy(IRBuilderBase &b, simt::DescriptorType type, Value *descriptor,
                ArrayRef<Value *> at, Value *to, Value *barrier,
                const simt::MemoryHints &, unsigned blocks) override {
    reachSites(b, b.getInt32(1));
    auto [box, corner] = boxAt(b, type, at);
    call(b, "fibers_bulk_copy", b.getVoidTy(),
         {descriptor, box, corner, to, barrier, b.getInt32(type.getSwizzle()),
          b.getInt32(blocks == 1 ? 0 : blocks)});
  }
  void bulkStore(IRBuilderBase &b, simt::DescriptorType type, Value *descriptor,
                 ArrayRef<Value *> at, Value *from,
                 const simt::MemoryHints &) override {
    auto [box, corner] = boxAt(b, type, at);
    call(b, "fibers_bulk_store", b.getVoidTy(),
         {descriptor, box, corner, from, b.getInt32(type.getSwizzle()),
          b.getInt32(machine.bulkAlignment)});
  }
  void awaitBulkStores(IRBuilderBase &b, bool areDone) override {
    call(b, "fibers_await_bulk_stores", b.getVoidTy(), {b.getInt32(areDone)});
  }
  SmallVector<Value *> loadBlock(IRBuilderBase &b, simt::DescriptorType type,
                                 Value *descriptor, ArrayRef<Value *> at,
                                 const simt::Layout &message, Type *element,
                                 const simt::MemoryHints &) override {
    SmallVector<Value *> values;
    forEachOfBlock(b, type, descriptor, at, message, [&](Value *place) {
      values.push_back(
          load(b, element, place, b.CreateIsNotNull(place), nullptr, {}));
    });
    return values;
  }
  void storeBlock(IRBuilderBase &b, simt::DescriptorType type,
                  Value *descriptor, ArrayRef<Value *> at,
                  const simt::Layout &message, ArrayRef<Value *> values,
                  const simt::MemoryHints &) override {
    forEachOfBlock(b, type, descriptor, at, message, [&](Value *place) {
      store(b, values[0], place, b.CreateIsNotNull(place), {});
      values = values.drop_front();
    });
  }
  void prefetchBlock(IRBuilderBase &b, simt::DescriptorType type,
                     Value *descriptor, ArrayRef<Value *> at,
                     const simt::Layout &) override {
    auto [box, corner] = boxAt(b, type, at);
    call(b, "fibers_block", b.getVoidTy(), {descriptor, box, corner});
  }
  bool hasMatrixStore() const override { return machine.hasBulkCopies; }
  /// Lanes tell each other the addresses of rows; each writes its own words, or
  /// both halves of them.
  void matrixStore(IRBuilderBase &b, Value *row, ArrayRef<Value *> words,
                   bool isTransposed) override {
    for (auto [i, word] : llvm::enumerate(words)) {
      for (auto [half, place] :
           llvm::enumerate(placesInMatrix(b, row, unsigned(i), isTransposed))) {
        Value *part =
            isTransposed
                ? b.CreateTrunc(b.CreateLShr(word, 16 * half), b.getInt16Ty())
                : word;
        b.CreateStore(part, place);
      }
    }
  }
  bool hasMatrixLoad() const override { return machine.hasBulkCopies; }
  SmallVector<Value *, 4> matrixLoad(IRBuilderBase &b, Value *row,
                                     unsigned matrices,
                                     bool isTransposed) override {
    SmallVector<Value *, 4> words;
    Type *part = isTransposed ? b.getInt16Ty() : b.getInt32Ty();
    for (unsigned i = 0; i < matrices; ++i) {
      Value *word = b.getInt32(0);
      for (auto [half, place] :
           llvm::enumerate(placesInMatrix(b, row, i, isTransposed))) {
        Value *bits = b.CreateZExt(b.CreateLoad(part, place), b.getInt32Ty());
        word = b.CreateOr(word, b.CreateShl(bits, 16 * half));
      }
      words.push_back(word);
    }
    return words;
  }

private:
  /// Where this lane's word of a matrix is, or both halves of it. `row`: of
  /// each lane, see SimtHooks::matrixStore.
  SmallVector<Value *, 2> placesInMatrix(IRBuilderBase &b, Value *row,
                                         unsigned matrix, bool isTransposed) {
    Value *lane = b.CreateAnd(threadInBlock(b), lanes() - 1);
    Value *quarter = b.CreateAnd(lane, 3), *eighth = b.CreateLShr(lane, 2);
    Value *bits = b.CreatePtrToInt(row, b.getInt64Ty());
    Value *low = b.CreateTrunc(bits, b.getInt32Ty());
    Value *high = b.CreateTrunc(b.CreateLShr(bits, 32), b.getInt32Ty());
    auto rowOf = [&](Value *inMatrix) {
      Value *from =
          b.CreateAdd(inMatrix, b.getInt32(uint32_t(lanes() / 4 * matrix)));
      Value *wide =
          b.CreateShl(b.CreateZExt(shuffle(b, high, from), b.getInt64Ty()), 32);
      wide =
          b.CreateOr(wide, b.CreateZExt(shuffle(b, low, from), b.getInt64Ty()));
      return b.CreateIntToPtr(wide, row->getType());
    };
    if (!isTransposed) {
      return {b.CreateGEP(b.getInt32Ty(), rowOf(eighth), quarter)};
    }
    SmallVector<Value *, 2> places;
    for (unsigned half = 0; half < 2; ++half) {
      Value *of = b.CreateAdd(b.CreateShl(quarter, 1), b.getInt32(half));
      places.push_back(b.CreateGEP(b.getInt16Ty(), rowOf(of), eighth));
    }
    return places;
  }
  static Value *nameOf(IRBuilderBase &b, StringRef name) {
    return b.CreateGlobalString(name);
  }
  /// Where faults are planted, or could be.
  void reachSites(IRBuilderBase &b, Value *isHere, Value *barrier = nullptr) {
    for (int32_t id : sites) {
      call(b, "fibers_site", b.getVoidTy(),
           {b.getInt32(uint32_t(id)), isHere,
            barrier ? barrier : ConstantPointerNull::get(b.getPtrTy()),
            b.getInt32(barrier != nullptr)});
    }
  }
  void callPlace(IRBuilderBase &b, Value *pointer,
                 const simt::AccessPlace &place, Value *bytes) {
    call(b, "fibers_place", b.getVoidTy(),
         {pointer, place.base, place.offset,
          place.extent ? place.extent : b.getInt64(INT64_MAX), bytes});
  }
  //===--- Places in 32 bits ----------------------------------------------===//
  static Type *wordsOf(IRBuilderBase &b, Type *type) {
    const unsigned bits = unsigned(type->getPrimitiveSizeInBits());
    return bits <= 32 ? static_cast<Type *>(b.getIntNTy(bits))
                      : FixedVectorType::get(b.getInt32Ty(), bits / 32);
  }
  static Value *wordIn(IRBuilderBase &b, Value *all, unsigned i) {
    return all->getType()->isVectorTy() ? b.CreateExtractElement(all, i) : all;
  }
  static Value *withWord(IRBuilderBase &b, Value *all, unsigned i,
                         Value *word) {
    return all->getType()->isVectorTy() ? b.CreateInsertElement(all, word, i)
                                        : word;
  }
  static void forEachWord(
      IRBuilderBase &b, Type *type, Value *pointer, Value *predicate,
      const simt::NearPlace &near,
      function_ref<void(unsigned i, Type *word, Value *at, Value *isInside)>
          each) {
    Type *words = wordsOf(b, type);
    auto *vector = dyn_cast<FixedVectorType>(words);
    for (unsigned i = 0; i < (vector ? vector->getNumElements() : 1); ++i) {
      Value *offset =
          b.CreateAdd(near.offset, b.getInt32(near.constant + 4 * i));
      Value *isInside = b.CreateICmpULT(offset, near.end);
      each(i, words->getScalarType(),
           b.CreateConstGEP1_32(b.getInt8Ty(), pointer, 4 * i),
           predicate ? b.CreateAnd(predicate, isInside) : isInside);
    }
  }
  /// Where the base and the offset lead to, also where nothing is accessed.
  void checkNear(IRBuilderBase &b, Value *pointer,
                 const simt::NearPlace &near) {
    if (near.base) {
      Value *offset = b.CreateZExt(
          b.CreateAdd(near.offset, b.getInt32(near.constant)), b.getInt64Ty());
      callPlace(b, pointer, {near.base, offset, b.getInt64(machine.nearBytes)},
                b.getInt32(1));
    }
  }
  void checkPlace(IRBuilderBase &b, Type *type, Value *pointer,
                  Value *predicate, const simt::AccessPlace &place) {
    if (!place.base) {
      return;
    }
    const auto bytes =
        uint32_t(type->getPrimitiveSizeInBits().getFixedValue() / 8);
    callPlace(b, pointer, place,
              predicate
                  ? b.CreateSelect(predicate, b.getInt32(bytes), b.getInt32(0))
                  : b.getInt32(bytes));
  }
  /// The place of each element that this lane holds; null outside of the frame.
  void forEachOfBlock(IRBuilderBase &b, simt::DescriptorType type,
                      Value *descriptor, ArrayRef<Value *> at,
                      const simt::Layout &message,
                      function_ref<void(Value *)> use) {
    auto [box, corner] = boxAt(b, type, at);
    call(b, "fibers_block", b.getVoidTy(), {descriptor, box, corner});
    Value *lane = b.CreateAnd(threadInBlock(b), lanes() - 1);
    Value *mine[2] = {b.getInt32(0), b.getInt32(0)}; // row, column
    for (auto [i, basis] : llvm::enumerate(message.bases(simt::Axis::Lane))) {
      Value *bit = b.CreateAnd(b.CreateLShr(lane, uint32_t(i)), 1);
      for (unsigned dim = 0; dim < 2; ++dim) {
        mine[dim] = b.CreateXor(
            mine[dim], b.CreateMul(bit, b.getInt32(uint32_t(basis[dim]))));
      }
    }
    for (int64_t reg = 0; reg < message.size(simt::Axis::Register); ++reg) {
      const simt::Coordinates more = message.apply(simt::Place{{reg, 0, 0, 0}});
      Value *place =
          call(b, "fibers_block_element", b.getPtrTy(),
               {descriptor, corner, b.CreateXor(mine[0], uint32_t(more[0])),
                b.CreateXor(mine[1], uint32_t(more[1]))});
      use(b.CreateAddrSpaceCast(place, b.getPtrTy(FiberSpaces.device)));
    }
  }
  /// Boxes and coordinates in arrays: their number differs.
  static std::pair<Value *, Value *>
  boxAt(IRBuilderBase &b, simt::DescriptorType type, ArrayRef<Value *> at) {
    auto array = [&](auto element) {
      IRBuilder<> entry(
          &*b.GetInsertBlock()->getParent()->getEntryBlock().begin());
      Value *memory =
          entry.CreateAlloca(b.getInt32Ty(), b.getInt32(uint32_t(at.size())));
      for (unsigned i = 0; i < at.size(); ++i) {
        b.CreateStore(element(i),
                      b.CreateConstInBoundsGEP1_32(b.getInt32Ty(), memory, i));
      }
      return memory;
    };
    Value *box = array(
        [&](unsigned i) { return b.getInt32(uint32_t(type.getBox()[i])); });
    return {box, array([&](unsigned i) { return at[i]; })};
  }
  void readOperand(IRBuilderBase &b, StringRef how,
                   const simt::DotSource &source) {
    auto type = dyn_cast<simt::BufferType>(source.type);
    if (!type) {
      return;
    }
    // Nobody writes the padding between its rows, and nobody reads it.
    const simt::SharedAttr layout = type.getLayout();
    const int64_t every =
        layout.getPadding() ? layout.getEvery() : type.getBytes();
    for (int64_t at = 0; at < type.getBytes();
         at += every + layout.getPadding()) {
      call(b, how, b.getVoidTy(),
           {b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), source.address,
                                         uint64_t(at)),
            b.getInt32(uint32_t(std::min(every, type.getBytes() - at)))});
    }
  }
  /// What a function makes of each of these, if they have 32 bits: of others
  /// there are not enough to tell tokens from numbers.
  SmallVector<Value *> replaced(IRBuilderBase &b, StringRef function,
                                ArrayRef<Value *> values) {
    SmallVector<Value *> made;
    for (Value *value : values) {
      Type *type = value->getType(), *word = b.getInt32Ty();
      if (type->getPrimitiveSizeInBits() != 32) {
        made.push_back(value);
        continue;
      }
      Value *bits = call(b, function, word, {b.CreateBitCast(value, word)});
      made.push_back(b.CreateBitCast(bits, type));
    }
    return made;
  }
  OpNames &ops;
  uint32_t current = 0;       // op
  SmallVector<int32_t> sites; // of the op
  unsigned workThreads = 0;   // if they are not all of the block

  /// The functions take pointers of C++.
  Value *call(IRBuilderBase &b, StringRef name, Type *result,
              ArrayRef<Value *> values) {
    SmallVector<Value *> arguments(values);
    SmallVector<Type *> types;
    for (Value *&argument : arguments) {
      if (argument->getType()->isPointerTy()) {
        argument = b.CreateAddrSpaceCast(argument, b.getPtrTy());
      }
      types.push_back(argument->getType());
    }
    Module *module = b.GetInsertBlock()->getModule();
    FunctionCallee callee = module->getOrInsertFunction(
        name, FunctionType::get(result, types, false));
    CallInst *made = b.CreateCall(callee, arguments);
    Metadata *op = ConstantAsMetadata::get(b.getInt32(current));
    made->setMetadata(OpMetadata, MDNode::get(b.getContext(), op));
    return made;
  }
};

/// void K.packed(ptr): loads the arguments from where tz_arg_info puts them,
/// each aligned to its size.
void makeEntry(Function *kernel, unsigned descriptorBytes) {
  LLVMContext &context = kernel->getContext();
  IRBuilder<> b(context);
  Function *entry =
      Function::Create(FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
                       GlobalValue::ExternalLinkage,
                       kernel->getName() + ".packed", kernel->getParent());
  b.SetInsertPoint(BasicBlock::Create(context, "entry", entry));
  const DataLayout &layout = kernel->getParent()->getDataLayout();
  SmallVector<Value *> arguments;
  uint64_t offset = 0;
  for (Argument &argument : kernel->args()) {
    Type *type = argument.getType();
    const bool isDescriptor = argument.hasByValAttr();
    Type *memory = type->isIntegerTy(1) ? b.getInt8Ty() : type;
    const uint64_t size = isDescriptor
                              ? descriptorBytes
                              : layout.getTypeAllocSize(memory).getFixedValue();
    offset = alignTo(offset, size);
    Value *at =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), entry->getArg(0), offset);
    if (isDescriptor) {
      arguments.push_back(at);
    } else {
      Value *value = b.CreateAlignedLoad(memory, at, Align(size));
      arguments.push_back(type == memory ? value : b.CreateTrunc(value, type));
    }
    offset += size;
  }
  // Descriptors are passed by value on both sides.
  b.CreateCall(kernel, arguments)->setAttributes(kernel->getAttributes());
  b.CreateRetVoid();
}

} // namespace

Compiled compile(tile::KernelOp kernel, const Machine &machine) {
  Compiled result;
  Faults faults;
  const FiberTarget inBulk(machine, true), plain(machine, false);
  result.variants = simt::makeVariants(
      kernel, machine.hasBulkCopies || machine.hasBlocks ? &inBulk : nullptr,
      plain, frameLimits(machine));
  for (simt::Variant &variant : result.variants) {
    raw_string_ostream(result.layouts) << *variant.kernel << "\n";
  }
  LLVMContext context;
  Module module("fibers", context);
  module.setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-"
                       "f80:128-n8:16:32:64-S128");
  OpNames ops;
  uint64_t alignment = 1; // of shared memory, that all of them can do with
  for (simt::Variant &variant : result.variants) {
    FiberHooks hooks(machine, ops);
    faults.plantIn(variant.kernel);
    variant.lowered = simt::lower(variant.kernel, hooks, module);
    faults.plantIn(*variant.lowered.function, ops);
    reportAccesses(*variant.lowered.function);
    makeEntry(variant.lowered.function, machine.descriptorBytes);
    alignment = std::max(alignment, variant.lowered.sharedAlignment);
    variant.lowered.function = nullptr;
  }
  // The device half asks the code how it wants to be run.
  Type *word = Type::getInt32Ty(context);
  new GlobalVariable(module, word, true, GlobalValue::ExternalLinkage,
                     ConstantInt::get(word, machine.lanes), "fibers_lanes");
  new GlobalVariable(
      module, word, true, GlobalValue::ExternalLinkage,
      ConstantInt::get(word, machine.isSharedApart ? alignment : 0),
      "fibers_shared_alignment");
  new GlobalVariable(module, word, true, GlobalValue::ExternalLinkage,
                     ConstantInt::get(word, kernel->hasAttr("tile.waits")),
                     "fibers_linear");
  new GlobalVariable(module, word, true, GlobalValue::ExternalLinkage,
                     ConstantInt::get(word, machine.startsInOrder),
                     "fibers_starts_in_order");
  Constant *names = ConstantDataArray::getString(context, ops.text());
  new GlobalVariable(module, names->getType(), true,
                     GlobalValue::ExternalLinkage, names, "fibers_ops");
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(module, &problems)) {
    throw std::runtime_error("invalid code: " + problem);
  }
  raw_string_ostream(result.text) << module;
  raw_string_ostream bitcode(result.bitcode);
  WriteBitcodeToFile(module, bitcode);
  return result;
}

} // namespace tz::fibers
