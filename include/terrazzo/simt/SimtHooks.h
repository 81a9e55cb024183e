//===- SimtHooks.h - what a target adds to the shared lowering ------------===//
//
// What   The instructions that differ between targets: ids, exchanges between
//        lanes, barriers, accesses to memory, matrix products, math.
// Why    Layouts say what has to happen; a target says by which instruction.
//
// Every function emits at the builder's insertion point and may add blocks; the
// builder is left where the code goes on. All threads of a block reach shuffle,
// barrier and dot together.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMTHOOKS_H
#define TERRAZZO_SIMT_SIMTHOOKS_H

#include "terrazzo/lowering/Elementwise.h"
#include "terrazzo/lowering/PartEmitter.h"
#include "terrazzo/simt/SimtMachine.h"

#include <memory>

namespace tz::simt {

/// Where an access goes, for machines whose instructions take it apart.
struct AccessPlace {
  /// A pointer that is the same in all threads of the block; null: not known.
  llvm::Value *base = nullptr;
  /// From there to the accessed byte, i64.
  llvm::Value *offset = nullptr;
  /// Bytes from the base on, i64, within which the access lies wherever its
  /// predicate is true; null: not known. Of a view, whose end it is.
  llvm::Value *extent = nullptr;
};

/// The same place by 32 bits (SimtMachine::nearBytes). What is said here holds
/// where the predicate is false, too.
struct NearPlace {
  /// A pointer that is the same in all threads of the block; null: not known.
  llvm::Value *base = nullptr;
  /// From there to the accessed byte: what a thread computes, i32 and not
  /// negative, and a constant. The sum is below nearBytes().
  llvm::Value *offset = nullptr;
  uint32_t constant = 0;
  /// Bytes from the base on, i32; null: not known. What lies behind them is not
  /// accessed, whatever the predicate, and zero is loaded there. An access that
  /// it cuts has a multiple of four bytes before it.
  llvm::Value *end = nullptr;
};

struct MemoryHints {
  tile::CacheHint cache = tile::CacheHint::none;
  tile::Eviction eviction = tile::Eviction::normal;
  bool isVolatile = false;
  /// All lanes of the warp are here, with the same address and predicate. Told
  /// of loads, where SimtHooks::takesUniform.
  bool isUniform = false;
  /// Of a load with a predicate: where that is off, nobody looks at the result.
  bool isDeadWhereOff = false;
  AccessPlace place{}; // where SimtHooks::takesPlaces
  NearPlace near{};    // of loads and stores of views
};

/// An operand of a dot with an instruction: what a thread holds of it, or where
/// it lies in shared memory.
struct DotSource {
  mlir::Type type; // a tile with a layout, or a buffer
  llvm::ArrayRef<llvm::Value *> registers;
  llvm::Value *address = nullptr;
};

/// An atomic of tile IR.
struct AtomicUpdate {
  tile::AtomicKind kind;
  mlir::Type element;
  tile::MemSem sem;
  tile::MemScope scope;
  bool isUsed; // is what was there before wanted?
};

/// Asynchronous copies that may be on their way when a wait ends: the newest
/// groups of a thread, or so many of its newest copies, which are no more than
/// those groups have.
struct PendingCopies {
  unsigned groups, copies;
};

/// Memories whose accesses a barrier orders.
enum class Memories : uint8_t { none = 0, shared = 1, device = 2, both = 3 };
inline Memories operator|(Memories a, Memories b) {
  return Memories(uint8_t(a) | uint8_t(b));
}
inline bool has(Memories all, Memories one) {
  return (uint8_t(all) & uint8_t(one)) != 0;
}

/// What a reduction over the lanes of a warp combines by: integers, and floats
/// as arith.addf, tile.maxf and tile.minf do, the last two with NaNs that pass
/// on. From addF on they are of floats.
enum class LaneReduction {
  add,
  maxs,
  mins,
  maxu,
  minu,
  bitAnd,
  bitOr,
  bitXor,
  addF,
  maxF,
  minF,
  maxFNan,
  minFNan
};

class SimtHooks : public SimtMachine {
public:
  /// What is emitted from here on is of this op, up to the next one: for checks
  /// that name it.
  virtual void beginOp(llvm::IRBuilderBase &b, mlir::Operation *op) {}

  //===--- The machine ----------------------------------------------------===//

  /// The clock of records of parts; none: kernels that have some are refused.
  virtual std::optional<lowering::PartClock> partClock() const {
    return std::nullopt;
  }
  /// What computes `value`, of 32 or 64 bits, is not moved behind this place.
  virtual void keepBefore(llvm::IRBuilderBase &b, llvm::Value *value) {}
  /// Index of this thread in its block, i32.
  virtual llvm::Value *threadInBlock(llvm::IRBuilderBase &b) = 0;
  /// The index once more, at the start of the body of a loop around the loops
  /// of products, so that LLVM does not know it for the same: what is computed
  /// from it in the body is computed there, and takes no registers elsewhere.
  /// threadInBlock() gives it as well, up to forgetThread(); such bodies are
  /// nested. Null, and nothing emitted, which is the default: it is not.
  virtual llvm::Value *threadAgain(llvm::IRBuilderBase &b) { return nullptr; }
  virtual void forgetThread() {}
  /// i1: is this the one lane of its warp that does what one thread does for
  /// the bulk copy unit? Asked once, in the entry block, where all lanes are.
  virtual llvm::Value *isChosenLane(llvm::IRBuilderBase &b);
  /// Coordinate of this program, and size of the grid, i32.
  virtual llvm::Value *programId(llvm::IRBuilderBase &b, unsigned axis) = 0;
  virtual llvm::Value *programCount(llvm::IRBuilderBase &b, unsigned axis) = 0;
  /// Do blocks start in the order of their programs, x fastest? Where not,
  /// blocks of a kernel whose programs wait for each other take their programs
  /// from a counter in memory.
  virtual bool startsInOrder() const { return true; }
  /// Bytes of a tile on which a kernel works in place. From so many on all
  /// reads of a block stand before its writes, by a barrier that no order asks
  /// for: memory turns around less often. 0: never. A kernel that computes much
  /// (Work.h) has none: its warps would wait for each other's results.
  virtual int64_t bytesReadFirst() const { return 0; }
  /// The block's shared memory. Asked once, in the entry block; size and
  /// alignment are known when the kernel is done (Lowered::sharedBytes and
  /// sharedAlignment, which is the largest answer of sharedAlignment).
  virtual llvm::Value *sharedMemory(llvm::IRBuilderBase &b) = 0;
  /// All threads of the block, or its first ones, wait for each other. What one
  /// of them wrote to `memories` before, the others see behind it.
  virtual void barrier(llvm::IRBuilderBase &b, Memories memories,
                       std::optional<unsigned> threads = std::nullopt) = 0;
  /// May arrival at such a barrier and the wait there be apart? Then other work
  /// stands between them where there is some.
  virtual bool splitsBarriers() const { return false; }
  /// This thread has done what stands before. It reaches the wait next, with
  /// the same memories and threads, and no other barrier of the block before
  /// that.
  virtual void arriveAtBarrier(llvm::IRBuilderBase &b, Memories memories,
                               std::optional<unsigned> threads) {}
  /// Until all have arrived. The default does both.
  virtual void awaitBarrier(llvm::IRBuilderBase &b, Memories memories,
                            std::optional<unsigned> threads) {
    barrier(b, memories, threads);
  }
  /// What such a barrier orders in truth: at least what was asked for. Where it
  /// is more, fewer barriers are needed.
  virtual Memories barrierOrders(Memories asked) const {
    return Memories::both;
  }
  /// Does the instruction of this dot read shared memory by another way than
  /// loads do?
  virtual bool readsPublished(DotOp op) const { return false; }
  /// Before a barrier, by each thread that stored or copied what such an
  /// instruction, or the bulk copy unit, is to meet: the stores are made
  /// visible to it.
  virtual void publishStaged(llvm::IRBuilderBase &b) {}
  /// Is there matrixStore?
  virtual bool hasMatrixStore() const { return false; }
  /// The warp stores a matrix of rows of 16 bytes for each word, two or four. R
  /// rows, a word of each lane: R is a quarter of lanes(). `row` is where row l
  /// % R of matrix l / R lies, l being this lane (lanes of no matrix: any
  /// place). Lane l holds 32 bits of each: of row l / 4 the word l % 4; if it
  /// is transposed, which only warps of 32 lanes are asked for, the two 16-bit
  /// elements l / 4 of rows l % 4 * 2 and the next.
  virtual void matrixStore(llvm::IRBuilderBase &b, llvm::Value *row,
                           llvm::ArrayRef<llvm::Value *> words,
                           bool isTransposed);
  /// Is there matrixLoad?
  virtual bool hasMatrixLoad() const { return false; }
  /// The warp loads what matrixStore would store: the words of this lane, of
  /// two or four matrices.
  virtual llvm::SmallVector<llvm::Value *, 4> matrixLoad(llvm::IRBuilderBase &b,
                                                         llvm::Value *row,
                                                         unsigned matrices,
                                                         bool isTransposed);
  /// The 32-bit word of another lane of the warp.
  virtual llvm::Value *shuffle(llvm::IRBuilderBase &b, llvm::Value *word,
                               llvm::Value *fromLane) = 0;
  /// ... of the lane whose index differs in these bits.
  virtual llvm::Value *shuffleXor(llvm::IRBuilderBase &b, llvm::Value *word,
                                  unsigned mask) = 0;
  /// A value combined over those lanes of the warp whose indices differ in no
  /// other bits than these (lanes() - 1: over all), given to each of them, bit
  /// for bit the same. Integers of any width, and values of LLVM's float types.
  /// Null, and nothing emitted, which is the default: the lanes exchange by
  /// butterflies.
  virtual llvm::Value *reduceLanes(llvm::IRBuilderBase &b, LaneReduction kind,
                                   llvm::Value *value, unsigned laneBits) {
    return nullptr;
  }
  /// Does the target want to know what is equal in all lanes of a warp, where
  /// LLVM cannot see it? Then `uniform` and MemoryHints::isUniform say so.
  virtual bool takesUniform() const { return false; }
  /// A 32-bit word that all lanes of the warp, which are all here, hold: the
  /// same in a register of the warp.
  virtual llvm::Value *uniform(llvm::IRBuilderBase &b, llvm::Value *word) {
    return word;
  }

  //===--- Scheduling -----------------------------------------------------===//
  // Regions of straight code, nested, in which all threads are: what
  // simt-mark-regions names, or a pass of the vendor (simt.begin_region).

  virtual void beginRegion(llvm::IRBuilderBase &b, llvm::StringRef name) {}
  virtual void endRegion(llvm::IRBuilderBase &b, llvm::StringRef name) {}

  //===--- Memory ---------------------------------------------------------===//

  /// Are places wanted beside pointers? Of loads, stores and asynchronous
  /// copies of tiles, as far as they are known.
  virtual bool takesPlaces() const { return false; }
  /// Do waits count the loads that began since? Behind a branch around loads
  /// they would be for those that the way without them has not begun, so all of
  /// them. Loads of an iteration that may not be there stand in no branch then,
  /// and are off instead.
  virtual bool countsLoads() const { return false; }
  /// The target's scheduler moves nothing over this place. Where loads are
  /// counted it is asked for behind those of a later iteration, so that they
  /// begin first, and at the iteration's end, so that what is copied from one
  /// iteration to the next does not wait for them before.
  virtual void keepOrder(llvm::IRBuilderBase &b) {}
  /// Loads `type`, a scalar or a vector, from device memory, aligned to its
  /// size; where the predicate (null: true) is false, `other` in each element,
  /// an integer or a float that is not 0 (null: zero).
  virtual llvm::Value *load(llvm::IRBuilderBase &b, llvm::Type *type,
                            llvm::Value *pointer, llvm::Value *predicate,
                            llvm::Constant *other, const MemoryHints &hints);
  virtual void store(llvm::IRBuilderBase &b, llvm::Value *value,
                     llvm::Value *pointer, llvm::Value *predicate,
                     const MemoryHints &hints);
  /// Is there a copy of so many bytes, a power of two? Wider ones are taken
  /// apart; what is too narrow for any is loaded and stored.
  virtual bool hasAsyncCopy(unsigned bytes) const {
    return bytes == 4 || bytes == 8 || bytes == 16;
  }
  /// Begins to copy `bytes` (hasAsyncCopy), aligned to as many, from device to
  /// shared memory. Only the first `valid` (i32, at most `bytes`; null: all)
  /// are read, the rest becomes zero.
  virtual void asyncCopy(llvm::IRBuilderBase &b, llvm::Value *to,
                         llvm::Value *from, unsigned bytes, llvm::Value *valid,
                         const MemoryHints &hints);
  /// The copies that this thread began since the last commit are one group.
  virtual void asyncCommit(llvm::IRBuilderBase &b) {}
  /// Does a wait count copies, not groups? Then those that are counted stand in
  /// no branch: where nothing is to be copied, `valid` is 0 and the place is
  /// free.
  virtual bool countsCopies() const { return false; }
  /// Waits until at most these of this thread are on their way.
  virtual void asyncWait(llvm::IRBuilderBase &b, PendingCopies pending) {}

  //===--- The bulk copy unit --------------------------------------------===//
  // Barriers with phases lie in shared memory. One thread of the block calls
  // what is marked so.

  /// Bytes of a barrier in shared memory, and its alignment: a power of two
  /// from 4 to 64.
  virtual unsigned barrierBytes() const { return 8; }
  /// Bytes of a descriptor among the arguments: a power of two from 16 to 4096.
  /// It lies at a multiple of as many, or of 128, which is the ABI's limit.
  virtual unsigned descriptorBytes() const { return 128; }
  unsigned descriptorAlignment() const {
    return std::min(descriptorBytes(), 128u);
  }
  /// One thread: `count` barriers in phase 0, each for so many arrivals a
  /// phase.
  virtual void initBarriers(llvm::IRBuilderBase &b, llvm::Value *address,
                            unsigned count, unsigned arrivals);
  /// One thread: the memory is plain memory again.
  virtual void endBarriers(llvm::IRBuilderBase &b, llvm::Value *address,
                           unsigned count) {}
  /// One thread: arrives, and lets the phase wait for so many bytes more.
  virtual void expectBytes(llvm::IRBuilderBase &b, llvm::Value *barrier,
                           uint64_t bytes);
  /// All threads of a warp: once all of them are here, those for which the
  /// predicate is true arrive, each at the barrier in this place of the block
  /// with this number (i32) among those that run together; null: of its own.
  virtual void arrive(llvm::IRBuilderBase &b, llvm::Value *barrier,
                      llvm::Value *predicate, llvm::Value *block);
  /// Each thread: until the phase (0 or 1, i32) has ended. The one before the
  /// first, phase 1 of a new barrier, has.
  virtual void waitBarrier(llvm::IRBuilderBase &b, llvm::Value *barrier,
                           llvm::Value *phase);
  /// One thread: begins to copy a box of the descriptor's frame. `at`: i32, as
  /// many as the box has dimensions. To this place, and signalled at this
  /// barrier, of the first `blocks` blocks of a cluster; 1: of its own.
  virtual void bulkCopy(llvm::IRBuilderBase &b, DescriptorType type,
                        llvm::Value *descriptor,
                        llvm::ArrayRef<llvm::Value *> at, llvm::Value *to,
                        llvm::Value *barrier, const MemoryHints &hints,
                        unsigned blocks);
  /// Each thread: those of all blocks of a cluster wait for each other,
  /// and what was done to barriers before is seen by all. They may have taken
  /// different ways there.
  virtual void syncBlocks(llvm::IRBuilderBase &b);
  /// What lies at this place of shared memory in the block with this number
  /// (i32) among those that run together: a value of this type, a vector of
  /// vectorBytes() at most, aligned to its size. That block's threads have
  /// written it before a syncBlocks that all have passed.
  virtual llvm::Value *loadFromBlock(llvm::IRBuilderBase &b, llvm::Type *type,
                                     llvm::Value *pointer, llvm::Value *block);

  /// One thread: will use this descriptor.
  virtual void prefetchDescriptor(llvm::IRBuilderBase &b,
                                  llvm::Value *descriptor) {}
  /// Before a barrier, by each thread whose accesses to device memory stand
  /// before those of a bulk store or copy.
  virtual void publishAccesses(llvm::IRBuilderBase &b) {}
  /// One thread, always the same: begins to store a box into the frame.
  virtual void bulkStore(llvm::IRBuilderBase &b, DescriptorType type,
                         llvm::Value *descriptor,
                         llvm::ArrayRef<llvm::Value *> at, llvm::Value *from,
                         const MemoryHints &hints);
  /// Each thread: until the boxes that it began to store have been read from
  /// shared memory; with `areDone`, until they can be seen in device memory.
  virtual void awaitBulkStores(llvm::IRBuilderBase &b, bool areDone);

  //===--- Blocks of memory, straight to registers
  //-------------------------===//
  // Of frames as the bulk copy unit's. All lanes of a warp call these, with the
  // same rectangle: as large as the descriptor's box, at these coordinates
  // (i32, as many as the box has dimensions). `message`: what a lane holds of
  // it, rows and columns (SimtTarget::hasBlockMessage said that there is such a
  // one).

  /// Loads it: the elements of the lane as they are in memory, register by
  /// register. What is outside of the frame is zero.
  virtual llvm::SmallVector<llvm::Value *>
  loadBlock(llvm::IRBuilderBase &b, DescriptorType type,
            llvm::Value *descriptor, llvm::ArrayRef<llvm::Value *> at,
            const Layout &message, llvm::Type *element,
            const MemoryHints &hints);
  /// Stores it; what is outside of the frame is not stored.
  virtual void storeBlock(llvm::IRBuilderBase &b, DescriptorType type,
                          llvm::Value *descriptor,
                          llvm::ArrayRef<llvm::Value *> at,
                          const Layout &message,
                          llvm::ArrayRef<llvm::Value *> values,
                          const MemoryHints &hints);
  /// It will be loaded soon.
  virtual void prefetchBlock(llvm::IRBuilderBase &b, DescriptorType type,
                             llvm::Value *descriptor,
                             llvm::ArrayRef<llvm::Value *> at,
                             const Layout &message) {}

  //===--- Warps for the copies only -------------------------------------===//
  // Each warp of the block reaches one of these, once.

  /// The last `copyWarps` warps begin the copies: they need few registers.
  virtual void beginCopies(llvm::IRBuilderBase &b, unsigned workWarps,
                           unsigned copyWarps) {}
  /// The others may have what is left over.
  virtual void beginWork(llvm::IRBuilderBase &b, unsigned workWarps,
                         unsigned copyWarps) {}

  /// LLVM's name of a scope of atomics.
  virtual llvm::StringRef syncScope(tile::MemScope scope) const { return ""; }
  /// Orders what this thread did, and saw, before with what it does later.
  virtual void fence(llvm::IRBuilderBase &b, tile::MemScope scope);
  /// The most elements beside each other that one instruction updates; 0: there
  /// is none, and LLVM's atomics do it.
  virtual unsigned atomicWidth(const AtomicUpdate &update) const { return 0; }
  /// Such an instruction on `values`, where the predicate (null: true) is true:
  /// what was there before, as far as it is wanted; zero where it is false.
  virtual llvm::SmallVector<llvm::Value *>
  atomic(llvm::IRBuilderBase &b, const AtomicUpdate &update,
         llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values,
         llvm::Value *predicate);

  //===--- Arithmetic -----------------------------------------------------===//

  /// Also names the address spaces of the target's memories: kernel arguments
  /// and the log are pointers to `device`, constant tables stand in
  /// `constants`, and sharedMemory() is a pointer to `shared`.
  virtual std::unique_ptr<lowering::Elementwise>
  elementwise(llvm::IRBuilderBase &b) = 0;
  /// A dot that SimtTarget::chooseDot gave an instruction: the new
  /// accumulators.
  virtual llvm::SmallVector<llvm::Value *>
  dot(llvm::IRBuilderBase &b, DotOp op, const DotSource &a,
      const DotSource &rhs, llvm::ArrayRef<llvm::Value *> acc);
  /// Waits until at most `pending` dots with `async` are in flight: the values
  /// that come out are finished if the newest dots are not theirs.
  virtual llvm::SmallVector<llvm::Value *>
  dotWait(llvm::IRBuilderBase &b, unsigned pending,
          llvm::ArrayRef<llvm::Value *> values) {
    return llvm::SmallVector<llvm::Value *>(values);
  }
};

} // namespace tz::simt

#endif // TERRAZZO_SIMT_SIMTHOOKS_H
