//===- KernelLowering.h - the state of one lowering -----------------------===//
//
// What   Scalars, views, tiles and buffers by value; coordinates of what a
//        thread holds; shared memory and its barriers; one method for each kind
//        of op.
// Why    See terrazzo/simt/SimtLowering.h.
//
// Files: KernelLowering.cpp kernel, blocks; SimpleOps.cpp; Coordinates.cpp;
// SimtAccess.cpp loads and stores; SimtViews.cpp those of views, NearPlaces.cpp
// where they are in 32 bits, CutVectors.cpp what bounds cut; Blocks.cpp blocks;
// Async.cpp ring buffers and what fills them; SimtAtomics.cpp; SimtExchange.cpp
// conversions and what goes through shared memory; Gather.cpp; SimtCombine.cpp
// maps; SimtReduce.cpp; SimtScan.cpp; SimtControl.cpp scf; SimtDot.cpp;
// SimtLog.cpp print and assert; Staging.cpp tiles into shared memory and bulk
// stores; Scratch.h/.cpp shared memory and barriers.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LOWER_KERNELLOWERING_H
#define TERRAZZO_CORE_SIMT_LOWER_KERNELLOWERING_H

#include "core/simt/analysis/UniformValues.h"
#include "core/simt/lower/Lines.h"
#include "core/simt/lower/Scratch.h"

#include "terrazzo/simt/Contiguity.h"
#include "terrazzo/simt/SimtLowering.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <map>

namespace tz::simt {

/// What one thread holds of a tile.
using Registers = llvm::SmallVector<llvm::Value *>;
/// The run-time parts of a !tile.view, i64 but for the base.
struct ViewParts {
  llvm::Value *base = nullptr;
  llvm::SmallVector<llvm::Value *, 4> shape, strides, position;
};

/// A tile in shared memory.
struct Buffer {
  Region region;
  llvm::Value *address = nullptr;
  bool isSlot = false; // of a ring: waits and barriers stand in the IR
};

/// Where the elements of a layout are, for this thread.
struct ThreadCoordinates {
  explicit ThreadCoordinates(const Layout &layout) : layout(layout) {}
  const Layout &layout;
  llvm::SmallVector<llvm::Value *, 4> start; // of register 0
  Coordinates threadBits; // which bits of a coordinate depend on the thread
  llvm::Value *isOwner = nullptr; // null: every thread owns what it holds
};

/// A word, widened with its sign, times a constant from 1 to 2^31 - 1: what a
/// program's first element is. See BlockIndices.cpp.
struct WordProduct {
  llvm::Value *word;
  uint32_t constant;
};
std::optional<WordProduct> wordProduct(llvm::Value *value);

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, SimtHooks &hooks, llvm::Module &module,
                 lowering::DebugInfo &debug);
  Lowered run();

private:
  //===--- KernelLowering.cpp ---------------------------------------------===//
  void entry();
  /// The first of each kind of the function's parameters.
  struct Parameters {
    unsigned descriptors, axes, counter;
  };
  Parameters declare();
  void bindParameters(const Parameters &parameters);
  void findThread();
  void takeThread(llvm::Value *index);
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation *op);
  /// Loads, stores and atomics: of memory that others may see.
  void emitAccess(mlir::Operation *op);
  /// What software pipelining and warp specialisation have made.
  void emitPipelined(mlir::Operation *op);
  llvm::Value *scalar(mlir::Value value);
  const Registers &tile(mlir::Value value);
  const ViewParts &view(mlir::Value value);
  void define(mlir::Value value, Registers registers);
  void define(mlir::Value value, llvm::Value *one);
  [[noreturn]] void refuse(mlir::Operation *op, const std::string &why);
  llvm::Type *registerType(mlir::Type element);
  llvm::BasicBlock *block(const char *name);
  /// A barrier; nothing is pending after it in these memories.
  void synchronize(Memories memories);
  /// ... for accesses that hazards know: threads arrive behind the last one.
  void separate(Memories memories);
  bool arriveEarly(Memories memories);
  /// Behind an op: where the last access has been emitted.
  void noteAccesses();
  /// `alignment`: at least that of the widest access.
  Region allocate(uint64_t bytes, uint64_t alignment = 1);
  /// Elements of so many bytes in the widest access; at least one.
  int64_t mostOfVector(int64_t elementBytes) const;
  /// A barrier if another thread may not be done with what is accessed next.
  /// What is accessed together is announced together.
  void willRead(const Region &region) { willAccess(Accesses::read(region)); }
  void willWrite(const Region &region) { willAccess(Accesses::write(region)); }
  void willAccess(const Accesses &accesses);
  /// if (condition) then();
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> then);

  //===--- SimpleOps.cpp --------------------------------------------------===//
  /// Ops that compute each element alone.
  void elementwise(mlir::Operation *op);
  llvm::SmallVector<std::pair<unsigned, int64_t>>
  followedFrom(mlir::Value value) const;
  void selectView(mlir::arith::SelectOp op);
  void advanceView(tile::AdvanceViewOp op);
  void viewParts(tile::ViewPartsOp op);
  /// Ops whose results are made of registers that are there.
  void emitSimple(mlir::Operation *op);
  void constant(mlir::arith::ConstantOp op);
  void range(tile::RangeOp op);
  void broadcast(tile::BroadcastOp op);
  void join(tile::JoinOp op);
  void split(tile::SplitOp op);

  //===--- Coordinates.cpp ------------------------------------------------===//
  using LayoutCoordinates =
      llvm::DenseMap<mlir::Attribute, std::unique_ptr<ThreadCoordinates>>;
  /// Computes in `body`, which is of a loop around the loops of products, what
  /// depends on the thread alone once more, if the target wants that: what is
  /// used behind an inner loop is not held over it then.
  void withThreadAgain(mlir::scf::ForOp op, llvm::function_ref<void()> body);
  const ThreadCoordinates &coordinatesOf(LayoutAttr layout);
  llvm::Value *startAlong(const Layout &layout, unsigned dim,
                          llvm::Value *above);
  llvm::Value *isOwnerIn(const Layout &layout, llvm::Value *above);
  static LayoutAttr layoutAttr(mlir::Type type);
  /// Coordinate of a register's element, i32.
  llvm::Value *coordinate(LayoutAttr layout, unsigned reg, unsigned dim);
  /// Its index in row-major order of `shape`, i32.
  llvm::Value *linearIndex(LayoutAttr layout, unsigned reg,
                           llvm::ArrayRef<int64_t> shape);
  /// Registers that hold what a lower one holds as well.
  static bool isCopy(const Layout &layout, unsigned reg);
  llvm::Value *bitsOf(llvm::Value *index, llvm::ArrayRef<Coordinates> bases,
                      unsigned dim);

  //===--- SimtAccess.cpp -------------------------------------------------===//
  void load(tile::LoadOp op);
  void store(tile::StoreOp op);
  template <typename Op>
  static MemoryHints hintsOf(Op op) {
    return {op.getCache(), op.getEvict()};
  }
  /// What an access is relative to.
  struct Root {
    llvm::Value *base = nullptr, *extent = nullptr;
  };
  Root rootOf(mlir::Value pointer);
  /// With the place of this address, if the target takes it.
  MemoryHints withPlace(MemoryHints hints, const Root &root,
                        llvm::Value *address);
  /// Of a load, store or atomic, as threads must order it.
  Accesses accessesOf(mlir::Operation *op);
  /// What a thread accesses of a tile: `width` registers each lie beside each
  /// other in memory; a mask is the same for `uncut` of them.
  struct Vectors {
    unsigned registers, width, uncut;
    Root root;
    std::function<llvm::Value *(unsigned reg)> address;
    /// Null: not known. Where it has an end, that says what the masks say, but
    /// for `only`.
    std::function<NearPlace(unsigned reg)> near;
    bool hasEnd = false;
    llvm::Value *only = nullptr; // i1, of all registers; null: true
    /// Null: all are accessed. Of a register; of all, or some, of a vector.
    std::function<llvm::Value *(unsigned reg)> inside, whole, some;
    /// Not null: loads take vectors whole of which some is inside, and this
    /// gives the elements, zeros for those that are not.
    std::function<Registers(llvm::Value *vector, unsigned reg)> keep;

    Vectors of(llvm::IRBuilderBase &b, llvm::Value *condition) const;
    unsigned widthAtOnce() const;
    llvm::Value *maskOf(unsigned reg, bool isCut) const;
  };
  MemoryHints placed(MemoryHints hints, const Vectors &vectors, unsigned reg,
                     llvm::Value *address);
  Vectors ofPointers(mlir::Value pointer, mlir::Value mask,
                     const Layout &layout);
  /// Whole vectors at once; of those that the mask cuts, of which there are
  /// few, the parts that it does not cut, one by one behind a branch. `other`,
  /// if any, where the mask is off, else zero. Values are as in memory.
  Registers loadVectors(const Vectors &vectors, llvm::Type *memory,
                        const std::function<llvm::Value *(unsigned)> &other,
                        const MemoryHints &hints);
  Registers mendCuts(const Vectors &vectors,
                     llvm::ArrayRef<llvm::Value *> whole,
                     llvm::ArrayRef<llvm::Value *> cuts, llvm::Value *anyCut,
                     const MemoryHints &hints);
  void storeVectors(const Vectors &vectors,
                    llvm::ArrayRef<llvm::Value *> values, LayoutAttr layout,
                    const MemoryHints &hints);
  llvm::Value *gather(llvm::ArrayRef<llvm::Value *> values); // a vector of them

  //===--- SimtViews.cpp --------------------------------------------------===//
  void loadView(tile::LoadViewOp op);
  void storeView(tile::StoreViewOp op);
  void makeView(tile::MakeViewOp op);
  Root rootOfView(mlir::Value view, llvm::ArrayRef<bool> checked);
  /// Where a block lies along a dimension of its view, in 32 bits: elements c
  /// of it with first + c < end (unsigned) are inside, if `fits`.
  struct BlockIndex {
    llvm::Value *first = nullptr;
    llvm::Value *end = nullptr;  // null: nothing asks
    llvm::Value *fits = nullptr; // 31 bits hold `first`; null: always
  };
  struct ViewAccess {
    LayoutAttr layout;
    mlir::Type element;
    llvm::Value *base; // of this thread, register 0
    Root root;
    llvm::SmallVector<llvm::Value *, 4> strides; // bytes, i64
    // Per checked dimension: coordinates c with c - low < count (unsigned).
    llvm::SmallVector<llvm::Value *, 4> low, count;
    // Per dimension: the same in indices of the view, or nothing.
    llvm::SmallVector<std::optional<BlockIndex>, 4> indices;
    llvm::SmallVector<int64_t, 4> between; // runs that no bound divides
    bool isExact;    // coordinates are sums of the thread's and the register's
    unsigned vector; // the bounds lie between such vectors
    unsigned width;  // elements along `dim` that lie beside each other
    unsigned dim;
    llvm::Value *corner; // of the block, the same in all threads
    // Where 32 bits reach over the block, else null: this thread's bytes from
    // the corner to register 0, and those before the end if that is all that
    // bounds say.
    llvm::Value *near = nullptr, *end = nullptr;
    bool takesCut = false; // the end is behind the last element inside
  };
  enum class Part { Element, Whole, Some };
  Vectors ofView(const ViewAccess &access);
  ViewAccess viewAccess(mlir::Value viewValue, mlir::ValueRange offsets,
                        llvm::ArrayRef<bool> checked, mlir::Type tileType);
  bool hasFewAccesses();
  void addBounds(ViewAccess &access, const ViewParts &parts,
                 llvm::ArrayRef<llvm::Value *> at, mlir::ValueRange offsets,
                 llvm::ArrayRef<bool> checked);
  llvm::Value *addressOf(const ViewAccess &access, unsigned reg);
  //===--- BlockIndices.cpp -----------------------------------------------===//
  static unsigned vectorsOf(const ViewAccess &access);
  std::optional<BlockIndex> blockIndex(llvm::Value *from, llvm::Value *to,
                                       int64_t extent);
  void addIndices(ViewAccess &access, const ViewParts &parts,
                  llvm::ArrayRef<llvm::Value *> at, mlir::ValueRange offsets,
                  llvm::ArrayRef<bool> checked);
  llvm::Value *indexOf(const ViewAccess &access, unsigned reg, unsigned dim);
  llvm::Value *threadBase(const ViewAccess &access, const ViewParts &parts,
                          llvm::ArrayRef<llvm::Value *> at);
  //===--- NearPlaces.cpp -------------------------------------------------===//
  void findNearPlaces(ViewAccess &access, tile::MakeViewOp view);
  llvm::Value *endOf(const ViewAccess &access, tile::MakeViewOp view);
  NearPlace nearOf(const ViewAccess &access, unsigned reg);
  /// Loads while `onlyIf` is false load nothing.
  Vectors onlyThen(Vectors vectors, llvm::Value *end = nullptr);
  llvm::Value *insideOf(const ViewAccess &access, unsigned reg,
                        Part part = Part::Element);
  //===--- CutVectors.cpp -------------------------------------------------===//
  bool isOnlyRead(int64_t group);
  /// Of a load of this group: sets `takesCut` where vectors that bounds cut can
  /// be loaded whole.
  void takeCutVectors(ViewAccess &access, int64_t group);
  llvm::Value *bitsInside(const ViewAccess &access, unsigned reg);
  Registers keepInside(const ViewAccess &access, llvm::Value *vector,
                       unsigned reg);

  //===--- SimtAtomics.cpp ------------------------------------------------===//
  void atomicRmw(tile::AtomicRMWOp op);
  void atomicCas(tile::AtomicCASOp op);
  /// Updates the elements from a register on, where the predicate (null: true)
  /// is true: what was there before.
  using AtomicStep =
      llvm::function_ref<Registers(unsigned reg, llvm::Value *predicate)>;
  void atomicScalar(mlir::Value result, mlir::Value mask, AtomicStep step);
  void atomicTile(mlir::Value result, mlir::Value mask, unsigned width,
                  tile::MemSem sem, tile::MemScope scope, AtomicStep step);
  llvm::Value *activeIn(LayoutAttr layout, mlir::Value mask, unsigned reg);
  enum class Neighbours : uint8_t { None, Registers, Lanes };
  Neighbours neighboursOf(mlir::Value tile) const;
  struct AtomicLane {
    llvm::Value *pointer, *value, *predicate; // null: true
  };
  AtomicLane besideInWarp(const AtomicLane &mine);
  void atomicPair(const AtomicUpdate &update, AtomicLane one, AtomicLane two,
                  bool isLane);
  Registers guarded(llvm::Value *predicate,
                    llvm::function_ref<llvm::Value *()> one);
  /// What owners hold, in all threads.
  Registers fromOwners(LayoutAttr layout, mlir::Type element,
                       llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<llvm::Value *> values);

  //===--- SimtExchange.cpp -----------------------------------------------===//
  void convert(ConvertOp op);
  void stage(StageOp op);
  bool isPublished(mlir::Operation *buffer) const;
  void reshape(tile::ReshapeOp op);
  void cat(tile::CatOp op);
  void gatherOp(tile::GatherOp op);
  std::optional<Registers> partners(tile::GatherOp op);
  void histogram(tile::HistogramOp op);
  std::optional<Registers> permuted(const Layout &from, const Layout &to,
                                    llvm::ArrayRef<llvm::Value *> values);
  std::optional<Registers> shuffled(const Layout &from, const Layout &to,
                                    llvm::ArrayRef<llvm::Value *> values);
  /// By shared memory (ConvertThroughShared.cpp).
  uint64_t mostToExchange() const;
  Registers throughShared(ConvertOp op, llvm::ArrayRef<llvm::Value *> values);
  llvm::Value *shuffleAny(llvm::Value *value, llvm::Value *lane);
  llvm::Value *shuffleXorAny(llvm::Value *value, unsigned mask);
  llvm::Value *
  byWords(llvm::Value *value,
          llvm::function_ref<llvm::Value *(llvm::Value *word)> exchange);
  llvm::Value *scratchAt(const Region &region, llvm::Value *index,
                         llvm::Type *type);
  void scratchStore(const Region &region, llvm::Value *index,
                    llvm::Value *value, mlir::Type element,
                    llvm::Value *predicate = nullptr);
  llvm::Value *scratchLoad(const Region &region, llvm::Value *index,
                           mlir::Type element);
  /// Byte offset of an element in a staged tile.
  llvm::Value *sharedOffset(BufferType type,
                            llvm::ArrayRef<llvm::Value *> coordinates);

  /// Buffers that are read next, together.
  llvm::SmallVector<Buffer, 2> readBuffers(llvm::ArrayRef<mlir::Value> values);
  //===--- Staging.cpp ----------------------------------------------------===//
  /// Where the run of elements lies that begins at a register's element.
  using PlaceInShared =
      llvm::function_ref<llvm::Value *(LayoutAttr, unsigned reg)>;
  /// Writes what this thread holds of a tile, in runs of so many elements along
  /// `fast`, which is a power of two. Registers are left out in whole runs of
  /// eight.
  void writeTile(llvm::ArrayRef<llvm::Value *> values, LayoutAttr layout,
                 mlir::Type element, unsigned fast, int64_t run,
                 PlaceInShared at,
                 llvm::function_ref<bool(unsigned reg)> isLeftOut = nullptr);
  void writeBuffer(llvm::ArrayRef<llvm::Value *> values, LayoutAttr layout,
                   const Buffer &buffer, BufferType type,
                   llvm::function_ref<bool(unsigned reg)> isLeftOut = nullptr);
  void bulkStore(BulkStoreOp op);
  /// And a barrier.
  void awaitBulkStores(bool areDone);
  /// What bulk stores in this op write.
  static Accesses bulkStoresIn(mlir::Operation *op);
  void enterLoop(mlir::Operation *loop);

  /// Address of the vector of a buffer that begins at a register's element.
  llvm::Value *bufferAt(const Buffer &buffer, BufferType type,
                        LayoutAttr layout, unsigned reg);

  //===--- Async.cpp ------------------------------------------------------===//
  void ring(RingOp op);
  void slot(SlotOp op);
  void read(ReadOp op);
  void write(WriteOp op);
  void pack(PackOp op);
  void unpack(UnpackOp op);
  void asyncCopy(AsyncCopyOp op);
  void asyncCopyView(AsyncCopyViewOp op);
  void asyncWait(AsyncWaitOp op);
  /// Elements that a copy moves at once, and how often the target is asked to.
  unsigned vectorOfCopy(mlir::Operation *copy);
  unsigned countCopies(mlir::Operation *copy);
  /// What of the newest groups before this wait is certain to have been begun.
  unsigned copiesPending(AsyncWaitOp wait);
  /// Emits copies for an iteration that may not be there: in a branch, or, for
  /// a target that counts them, always, of as many valid bytes as `validOf`
  /// makes of a number. Threads that hold what others own copy nothing.
  void copyIf(
      llvm::Value *when, LayoutAttr layout,
      llvm::function_ref<void(
          llvm::function_ref<llvm::Value *(llvm::Value *, uint32_t)> validOf)>
          copy);
  void dotWait(DotWaitOp op);
  void barriers(BarriersOp op);
  void barriersEnd(BarriersEndOp op);
  void expect(ExpectOp op);
  void bulkCopy(BulkCopyOp op);
  void acquire(AcquireOp op);
  void release(ReleaseOp op);
  void barrierWait(BarrierWaitOp op);
  /// Of a block that lies in a buffer: where it begins in the frame, and its
  /// byte in the buffer.
  struct Box {
    llvm::SmallVector<llvm::Value *> at;
    llvm::Value *offset;
  };
  llvm::SmallVector<Box> partOf(llvm::ArrayRef<Box> boxes);
  llvm::Value *blockNumber();
  void forEachBox(
      DescriptorType type, BufferType buffer, mlir::ValueRange at,
      llvm::function_ref<void(llvm::ArrayRef<llvm::Value *> at, int64_t offset)>
          box);
  void specialize(SpecializeOp op);
  llvm::Value *barrierAt(mlir::Value barriers, llvm::Value *index);
  /// if (this is the thread that begins copies) then();
  void byOneThread(llvm::Value *when, llvm::function_ref<void()> then);
  /// Bytes of a vector that lie in the view, i32; null: all. `mayCross`: the
  /// view may end within the vector.
  llvm::Value *bytesInside(const ViewAccess &access, unsigned reg,
                           unsigned vector, bool mayCross);
  /// One vector of a copy, in pieces that the target copies asynchronously.
  void copyVector(mlir::Type element, llvm::Value *from, llvm::Value *to,
                  unsigned count, llvm::Value *validBytes,
                  const MemoryHints &hints);

  //===--- Blocks.cpp -----------------------------------------------------===//
  void loadBlock(LoadBlockOp op);
  void storeBlock(StoreBlockOp op);
  void prefetchBlock(PrefetchBlockOp op);
  /// Where each message begins in the frame, and its first register.
  void forEachMessage(
      mlir::Type tileType, LayoutAttr message, unsigned fast,
      mlir::ValueRange position,
      llvm::function_ref<void(llvm::ArrayRef<llvm::Value *> at, unsigned reg)>
          emit);

  //===--- SimtCombine.cpp ------------------------------------------------===//
  class Reduce; // SimtReduce.cpp
  class Scan;   // SimtScan.cpp
  void reduce(tile::ReduceOp op);
  void scan(tile::ScanOp op);
  void map(tile::MapOp op);
  /// Of a few elements: one branch goes around the branches of all of them.
  void mapRarely(tile::MapOp op, mlir::scf::IfOp branch,
                 llvm::ArrayRef<Registers> arguments,
                 llvm::MutableArrayRef<Registers> results);
  Registers combineValues(mlir::Region &region,
                          llvm::ArrayRef<llvm::Value *> first,
                          llvm::ArrayRef<llvm::Value *> second);
  Registers evaluate(mlir::Region &region,
                     llvm::ArrayRef<llvm::Value *> arguments);

  //===--- SimtControl.cpp ------------------------------------------------===//
  void forOp(mlir::scf::ForOp op);
  void ifOp(mlir::scf::IfOp op);
  void loadLater(mlir::scf::IfOp op);
  void whileOp(mlir::scf::WhileOp op);
  /// At the end of an iteration.
  void separateIterations();
  /// i1, the same in all threads: does that hold?
  llvm::Value *areApart(const RowsApart &rows);
  void selectIf(mlir::scf::IfOp op);
  /// Whether computing both sides costs hardly more than a branch. What is long
  /// is rare: sines of huge arguments, say, are reduced in integers.
  static bool isShort(mlir::scf::IfOp op);
  Registers flatten(mlir::ValueRange values);
  void defineAll(mlir::ValueRange values, llvm::ArrayRef<llvm::Value *> flat);
  /// The same as they go over edges of the control flow: several elements of a
  /// narrow type in a word.
  Registers flattenToWords(mlir::ValueRange values);
  void defineFromWords(mlir::ValueRange values,
                       llvm::ArrayRef<llvm::Value *> words);
  llvm::SmallVector<llvm::PHINode *> phis(llvm::ArrayRef<llvm::Value *> values);

  //===--- Uniform.cpp ----------------------------------------------------===//
  /// Registers of the op's results that all lanes of a warp hold and LLVM takes
  /// for different become registers of the warp, where the target wants them.
  void makeUniform(mlir::Operation *op);
  llvm::Value *uniformAny(llvm::Value *value);

  //===--- SimtPrograms.cpp -----------------------------------------------===//
  /// Do blocks take the numbers of their programs from a counter?
  bool countsPrograms() const;
  void takeProgram(llvm::Value *counter);
  llvm::Value *programId(unsigned axis);
  llvm::Value *programCount(unsigned axis);

  //===--- BlockSums.cpp --------------------------------------------------===//
  /// i32: which of the blocks that share a program.
  llvm::Value *blockRank();
  void blockSum(BlockSumOp op);
  void firstBlock();

  //===--- SimtDot.cpp ----------------------------------------------------===//
  class PlainDot;
  void dot(DotOp op);
  void plainDot(DotOp op);

  //===--- SimtLog.cpp ----------------------------------------------------===//
  void print(tile::PrintOp op);
  void printScalar(uint32_t site, uint32_t number, mlir::Value argument,
                   llvm::Value *isFirst);
  void printTile(uint32_t site, uint32_t number, mlir::Value argument);
  void copyToLog(const Region &region, llvm::Type *memory, llvm::Value *first,
                 llvm::Value *count, llvm::Value *to);
  void assertOp(tile::AssertOp op);
  void beginParts();
  void endParts();
  void record(tile::RecordOp op);
  llvm::Value *keepsParts();
  void keepBefore(llvm::Value *value);
  llvm::SyncScope::ID logScope();
  void logRecord(uint32_t site, uint32_t value, llvm::Value *first,
                 llvm::Value *count, llvm::Value *payloadBytes,
                 llvm::function_ref<void(llvm::Value *)> fill);

  tile::KernelOp kernel;
  SimtHooks &hooks;
  const bool computesMuch; // rather than that it waits for memory
  llvm::Module &module;
  lowering::DebugInfo &debug;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> b;
  std::unique_ptr<lowering::Elementwise> arithmetic;
  Contiguity runs;
  std::optional<llvm::DenseSet<int64_t>> writtenGroups; // when asked for
  std::optional<UniformValues> uniform; // where the target wants to know
  Lowered result;
  Scratch scratch;
  Hazards hazards;
  /// The last instruction of the ops that have accessed memory so far; null:
  /// one is being emitted, or it stands in another block.
  llvm::Instruction *lastAccess = nullptr;
  uint64_t accessesSeen = 0;       // hazards.count() then
  bool copiesArePublished = false; // of threads, into ring buffers

  llvm::Function *function = nullptr;
  /// At the end of `threadBlock` is what depends on the thread alone.
  llvm::BasicBlock *threadBlock = nullptr, *exitBlock = nullptr;
  llvm::Value *lane = nullptr, *warp = nullptr, *thread = nullptr;
  llvm::Value *isChosen = nullptr; // lane, to speak for its warp
  llvm::Value *shared = nullptr, *log = nullptr;
  bool hasParts = false;
  std::optional<lowering::PartEmitter> parts; ///< of kernels that record some
  uint32_t partSite = 0;                      ///< of a record
  llvm::SmallVector<llvm::Value *, 3>
      ids; // of the program; empty: the machine's
  unsigned warps = 4;
  bool inScalarRegion = false;
  llvm::Value *onlyIf = nullptr;   // loads are on; null: they are
  bool beginsLater = false;        // the iteration has begun later loads
  unsigned copyWarps = 0;          // of the block, beside these
  bool isAlone = false;            // one thread is here: it begins copies
  std::optional<unsigned> workers; // threads that meet, if not all

  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<mlir::Value, Registers> tiles;
  std::optional<bool> knowsFewAccesses; // hasFewAccesses(), once asked
  llvm::DenseMap<mlir::Value, ViewParts> views;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseMap<mlir::Value, Region> rings;
  llvm::DenseSet<mlir::Value> released; // of both
  LayoutCoordinates coordinates;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LOWER_KERNELLOWERING_H
