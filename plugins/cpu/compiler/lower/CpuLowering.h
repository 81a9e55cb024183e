//===- CpuLowering.h - From a tile kernel to an LLVM function -------------===//
//
// What   The state of one lowering: scalars, views and tiles by value, the
//        arena, and one method for each kind of op.
// Why    Written in one pass over the kernel with IRBuilder: no dialect
//        conversion, so compile time is that of LLVM itself.
//
// Files: CpuLowering.cpp kernel, blocks, buffers;
// CpuElementwise.cpp one operation on scalars or vectors; Nest.h/.cpp loop
// nests and the evaluator; LoopParts.cpp loops that masks end in; CpuAccess.cpp
// loads and stores; Bounds.cpp tests of them; InPlace.cpp stores to what was
// loaded; Order.cpp which program comes next; Ahead.cpp what the next program
// reads; Behind.cpp what it writes for this one; Reduce.cpp; Product.cpp dots;
// CpuControl.cpp scf; CpuAtomics.cpp; CpuLog.cpp print, assert and record;
// Rearrange.cpp cat, join, histogram. CpuUnroll.cpp and
// MergeReductions.cpp change the kernel before.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_CPULOWERING_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_CPULOWERING_H

#include "plugins/cpu/compiler/dot/Dot.h"
#include "plugins/cpu/compiler/lower/ArenaLayout.h"
#include "plugins/cpu/compiler/lower/FusionPlan.h"
#include "plugins/cpu/compiler/lower/ProgramSteps.h"

#include "terrazzo/lowering/DebugInfo.h"
#include "terrazzo/lowering/Elementwise.h"
#include "terrazzo/lowering/LogEmitter.h"
#include "terrazzo/lowering/Loops.h"
#include "terrazzo/lowering/PartEmitter.h"
#include "terrazzo/lowering/Unsupported.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tz::cpu {

using lowering::Unsupported;

/// A tile in the arena, row-major.
struct Buffer {
  uint64_t offset = 0, bytes = 0;
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t padding = 0; ///< elements between the rows of a tile of rank two
  llvm::Constant *global = nullptr; ///< instead of the arena: constant data

  /// From one element to the next along each dimension, in elements.
  llvm::SmallVector<int64_t, 4> strides() const {
    llvm::SmallVector<int64_t, 4> list(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) {
      list[d - 1] = list[d] * shape[d] + padding;
    }
    return list;
  }
};

/// The run-time parts of a !tile.view.
struct ViewParts {
  llvm::Value *base = nullptr;
  llvm::SmallVector<llvm::Value *, 4> shape, strides, position;
};

/// A tile that grows by a scalar in each iteration of a loop: start + sum.
struct Induction {
  mlir::Value start;
  llvm::Value *sum;
};

/// A print, an assert or a record; plugin code makes a tz_log_site of it.
struct LogPoint {
  mlir::Operation *op;
};

class Nest;

/// Elementwise ops with this target's vector math.
class Arithmetic final : public lowering::Elementwise {
public:
  Arithmetic(llvm::IRBuilderBase &b, const Isa &machine)
      : Elementwise(b, machine.floatUnits()), machine(machine) {}

protected:
  llvm::Value *math(tile::MathFn fn, llvm::Value *x) override;
  llvm::Value *power(llvm::Value *x, llvm::Value *y) override;
  llvm::Value *remainder(llvm::Value *x, llvm::Value *y) override;
  llvm::Value *minMax(llvm::Value *x, llvm::Value *y, bool isMax,
                      bool propagateNan) override;
  llvm::Value *divide(llvm::Value *x, llvm::Value *y,
                      tile::DivMode mode) override;
  llvm::Value *fma(llvm::Value *x, llvm::Value *y, llvm::Value *z) override;

private:
  const Isa machine;
};

/// What is emitted while it lives belongs to `location`.
class Located {
public:
  Located(llvm::IRBuilderBase &b, lowering::DebugInfo &debug,
          mlir::Location location)
      : b(b), before(b.getCurrentDebugLocation()) {
    if (llvm::DebugLoc found = debug.at(location)) {
      b.SetCurrentDebugLocation(found);
    }
  }
  ~Located() { b.SetCurrentDebugLocation(before); }
  Located(const Located &) = delete;

private:
  llvm::IRBuilderBase &b;
  const llvm::DebugLoc before;
};

class CpuLowering {
public:
  CpuLowering(tile::KernelOp kernel, const Isa &machine, llvm::Module &module,
              unsigned debugLevel = 0);
  /// Emits the entry function and its info record. Throws Unsupported.
  void run();

  /// Outputs of so many bytes are stored past the caches; none: no outputs.
  std::optional<uint64_t> largeOutput;
  bool checked = false; ///< test each access (Bounds.cpp)

  uint64_t arenaBytes() const { return arena.highWater(); }
  bool waits() const { return kernel->hasAttr("tile.waits"); }

  /// Byte offsets of the arguments in the packed buffer, and its size.
  std::vector<uint32_t> argumentOffsets;
  uint32_t argumentBytes = 0;
  bool usesLog = false;
  uint32_t logOffset = 0;
  std::vector<LogPoint> logPoints;

  //===--- Types ---------------------------------------------------------===//
  /// In registers and in memory, and between the two (lowering::Elementwise).
  llvm::Type *type(mlir::Type element);
  llvm::Type *memoryType(mlir::Type element);
  llvm::Value *toMemory(llvm::Value *value, mlir::Type element) {
    return arithmetic.toMemory(value, element);
  }
  llvm::Value *fromMemory(llvm::Value *value, mlir::Type element) {
    return arithmetic.fromMemory(value, element);
  }
  /// `value` in all lanes; lanes 0 is a scalar.
  llvm::Value *splat(llvm::Value *value, unsigned lanes);
  llvm::Constant *zero(mlir::Type element);
  llvm::Constant *constant(mlir::TypedAttr attribute);

  //===--- CpuElementwise.cpp
  //-----------------------------------------------===//
  /// Can elementwise() do it? Also on scalars.
  static bool hasElementwise(mlir::Operation *op) {
    return Arithmetic::has(op);
  }
  llvm::Value *elementwise(mlir::Operation *op,
                           llvm::ArrayRef<llvm::Value *> operands);
  /// From one float type to another, on registers' values.
  llvm::Value *convertFloat(llvm::Value *value, mlir::Type from, mlir::Type to,
                            bool towardZero = false) {
    return arithmetic.convertFloat(value, from, to, towardZero);
  }
  /// The values that a region of scalars yields for these arguments; scalars
  /// or vectors of `lanes` lanes.
  llvm::SmallVector<llvm::Value *>
  scalarRegion(mlir::Region &region, llvm::ArrayRef<llvm::Value *> arguments,
               unsigned lanes);

  //===--- Values --------------------------------------------------------===//
  llvm::Value *scalar(mlir::Value value);
  const ViewParts &view(mlir::Value value);
  const Buffer *bufferOf(mlir::Value value) const;
  const Induction *inductionOf(mlir::Value value) const;
  const FusionPlan &plans() const { return plan; }

  llvm::Value *address(const Buffer &buffer);
  llvm::Value *arenaAddress(uint64_t offset);
  /// Do the programs of this launch write more through this store, and read
  /// beside it, than the caches hold, each byte once? Null: that cannot be said
  /// before it is reached, or stores past the caches would not be right.
  llvm::Value *writesLargeOutput(tile::StoreViewOp store);
  unsigned arraysReadLike(mlir::Type tileType);
  // Behind.cpp
  /// Where the tile of this store is left for the next program to write it.
  /// None: it is written at once.
  std::optional<Buffer> bufferBehind(tile::StoreViewOp store) const;
  /// What lies in the buffer is to be written to `to`.
  void leaveBehind(llvm::Value *to, uint64_t bytes);
  /// Writes `bytes` of what is left behind, if there is any.
  void writeSomeBehind(uint64_t bytes);
  void writeAllBehind();
  /// How far from what this program reaches through the view `from` it reaches
  /// through `to`, or the next one will, in bytes: the next iteration of a loop
  /// that goes from row to row, else the next program. Null: it cannot be said.
  llvm::Value *distance(mlir::Value from, mlir::Value to, bool ofNext);
  /// The next stores to rows like that of `load`, one for each view.
  llvm::SmallVector<tile::StoreViewOp> rowsWrittenAfter(tile::LoadViewOp load);
  bool isOnOtherSide(mlir::Operation *op) const;
  /// How often a row was read before nest number `nest` does, and how many
  /// loads of it there are.
  struct Reading {
    unsigned iteration = 0, loads = 0;
  };
  Reading readingOf(tile::LoadViewOp load, unsigned nest);
  bool readsOnce(tile::LoadViewOp load, unsigned nest);
  unsigned countNest() { return nests++; }
  /// How tiles of a type lie in the arena.
  Buffer shaped(mlir::Type tileType) const;
  /// Arena space for a value of the block being emitted; freed when the op at
  /// `last` is done.
  Buffer allocate(mlir::Type tileType, int last);
  Buffer allocateFor(mlir::Value value);
  /// The values of a constant as read-only data of the object.
  Buffer constantTile(mlir::DenseElementsAttr values);
  /// Space until the op being emitted is done.
  Buffer allocateTemporary(mlir::Type tileType);
  uint64_t allocateBytes(uint64_t bytes);
  void define(mlir::Value value, Buffer buffer) { buffers[value] = buffer; }
  void defineScalar(mlir::Value value, llvm::Value *v) { scalars[value] = v; }

  /// The value in the arena, computed now if need be.
  Buffer materialise(mlir::Value value);
  void materialiseInto(mlir::Value value, const Buffer &buffer);
  /// Of one shape, by one nest. None is in the arena yet, if they are several.
  void materialiseAllInto(llvm::ArrayRef<std::pair<mlir::Value, Buffer>> all);
  /// Puts into the arena what `value` needs from values that are to be kept.
  void keepWhatIsNeeded(mlir::Value value);

  //===--- Bounds.cpp ----------------------------------------------------===//
  /// In checked code: before an access of `op` through `from`, tests its
  /// address, or addresses, of `lanes` elements (0: one).
  void checkAccess(mlir::Operation *op, mlir::Value from, llvm::Value *address,
                   llvm::Value *mask, mlir::Type element, unsigned lanes);

  /// An uninitialised stack slot that becomes a register.
  llvm::AllocaInst *slot(llvm::Type *type);
  llvm::BasicBlock *block(const char *name);
  /// if (condition) then();
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});

  const Isa machine;
  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> b;

private:
  friend class Nest;
  Arithmetic arithmetic;
  struct Scope {
    llvm::SmallVector<std::pair<int, Buffer>> owned;
  };

  void entry();
  /// From those of this one, without a division.
  std::array<llvm::Value *, 3> idsOfNextProgram(llvm::IRBuilderBase &at);
  // Order.cpp
  bool takesSecondAxisFirst();
  // Stop.cpp
  /// Whether a fault's program is found by running programs again
  /// (TZ_CPU_KERNEL_REPEATABLE).
  bool isRepeatable() const;
  /// Leaves the function if the launch is to end.
  void leaveIfStopped();
  /// Asks that between pieces of a loop that may be long. The builder stands
  /// behind the branch back to `head`, whose phis are complete. `counter`: of a
  /// counted loop, which is left where `head` tests it.
  void leaveLoopIfStopped(mlir::Operation *loop, llvm::BasicBlock *head,
                          lowering::LoopCounter *counter = nullptr);
  // ShortLoops.cpp
  /// Gives the function a copy, and takes from it the questions in those loops
  /// of little work that `begin`, in front of the loop over programs, knows to
  /// be not longer than one piece. If one of them is longer, the copy runs.
  /// Called when the function is complete.
  void splitShortPrograms(llvm::BasicBlock *begin);
  /// Gives other loops of little work a copy without questions, for when they
  /// are not longer than one piece. Called behind splitShortPrograms().
  void splitShortLoops();
  llvm::Value *runField(uint64_t offset);
  void infoRecord();
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation *op);
  void release(int done);
  void scalarOp(mlir::Operation *op);
  void selectView(mlir::arith::SelectOp op);

  // Behind.cpp
  bool mayWriteBehind(tile::StoreViewOp store) const;
  /// Makes space for what programs leave behind, if one may.
  void planBehind();
  void copyBehind(llvm::Value *left, uint64_t bytes);
  // Bounds.cpp
  llvm::Constant *text(llvm::StringRef value);
  llvm::Constant *accessRecord(mlir::Operation *op, mlir::Type element,
                               llvm::ArrayRef<unsigned> arguments);
  llvm::Function *makeCheck(llvm::StringRef name, llvm::Type *addressType,
                            llvm::Type *maskType, unsigned lanes,
                            uint64_t bytes, llvm::ArrayRef<unsigned> arguments);
  llvm::Function *makeLook(llvm::ArrayRef<llvm::Type *> types, unsigned lanes,
                           uint64_t bytes);
  void argumentsRecord();
  // Ahead.cpp
  llvm::Value *idOfNextProgram(unsigned axis);
  llvm::Value *baseOfNext(mlir::Value view);
  llvm::Value *foretell(mlir::Value value, bool ofNext, unsigned depth = 0);
  // InPlace.cpp
  /// Loads of the addresses that `store` writes, at `address`, that its nest
  /// computes.
  llvm::SmallVector<mlir::Operation *> loadsInPlace(mlir::Operation *store,
                                                    mlir::Value address) const;
  /// Before the nest of this store, unless no two lanes share an address.
  void copyLoadsInPlace(tile::StoreOp store);
  /// Conditions: no two lanes have the same pointer; no two that load and store
  /// reach at one place of one view have the same address.
  llvm::Value *lanesApart(mlir::Value pointer);
  llvm::Value *lanesApart(tile::LoadViewOp load, tile::StoreViewOp store);
  // CpuAccess.cpp
  void storeOp(tile::StoreOp op);
  void storeViewOp(tile::StoreViewOp op);
  void scalarLoad(tile::LoadOp op);
  // Reduce.cpp
  void reduceOp(tile::ReduceOp op);
  void scanOp(tile::ScanOp op);
  void mapOp(tile::MapOp op);
  // Product.cpp
  void findPaddedTypes();
  void dotOp(tile::DotOp op);
  DotSource dotSource(mlir::Value value, mlir::Type element,
                      llvm::Value *batch);
  // Rearrange.cpp
  void reshapeOp(tile::ReshapeOp op);
  void catOp(tile::CatOp op);
  void joinOp(tile::JoinOp op);
  void splitScalars(tile::SplitOp op);
  void histogramOp(tile::HistogramOp op);
  // CpuControl.cpp
  void forOp(mlir::scf::ForOp op);
  void ifOp(mlir::scf::IfOp op);
  void whileOp(mlir::scf::WhileOp op);
  void keepForRegions(mlir::Operation *op);
  bool isInduction(mlir::scf::ForOp op, unsigned i);
  std::optional<Buffer> takeOver(mlir::Value value, mlir::Operation *user,
                                 int last);
  bool mayBeTogether(llvm::ArrayRef<std::pair<mlir::Value, Buffer>> others,
                     mlir::Value value) const;
  void chooseDestinations(mlir::scf::ForOp op, unsigned i,
                          const Buffer &buffer);
  // CpuAtomics.cpp
  void atomicRmwOp(tile::AtomicRMWOp op);
  void lockedSums(tile::AtomicRMWOp op, Nest &nest, int dim);
  void lockedUpdates(tile::AtomicRMWOp op, Nest &nest, const Buffer *result);
  void plainUpdates(tile::AtomicRMWOp op, Nest &nest, const Buffer *result);
  void addTogether(tile::AtomicRMWOp op, llvm::Value *pointer,
                   llvm::Value *amount, mlir::Type element);
  void atomicCasOp(tile::AtomicCASOp op);
  // CpuLog.cpp
  void printOp(tile::PrintOp op);
  void assertOp(tile::AssertOp op);
  void beginParts();
  void endParts();
  void recordOp(tile::RecordOp op);
  lowering::LogEmitter logEmitter(lowering::LogEmitter::ProgramId program);
  void logRecord(const lowering::LogPiece &piece,
                 llvm::function_ref<void(llvm::Value *)> fill);

  tile::KernelOp kernel;
  FusionPlan plan;
  ProgramSteps steps;
  /// Arrays of which each program reads tiles of a type that no other reads.
  llvm::DenseMap<mlir::Type, unsigned> ownReads;
  ArenaLayout arena;
  lowering::DebugInfo debug;
  llvm::Function *function = nullptr;
  llvm::Value *argsBase = nullptr, *arenaBase = nullptr;
  llvm::Value *programs = nullptr; ///< of the launch
  bool hasAtomics = false, fencesStores = false, hasParts = false;
  std::optional<lowering::PartEmitter> parts; ///< of kernels that record some
  uint32_t partSite = 0;                      ///< of a record
  /// What a program left for the next to write past the caches.
  struct {
    uint64_t offset = 0, bytes = 0;   ///< in the arena
    llvm::AllocaInst *end = nullptr;  ///< of where it belongs: an address
    llvm::AllocaInst *left = nullptr; ///< bytes; null: nothing is left behind
  } behind;
  llvm::Value *grid[3] = {}, *program[3] = {};
  /// Of the grid, in the order in which a thread goes along them.
  std::array<unsigned, 3> axes = {0, 1, 2};
  std::array<llvm::Value *, 3> nextId = {};
  llvm::BasicBlock *nextProgram = nullptr, *leave = nullptr;
  llvm::Value *stopWord = nullptr; ///< tz_cpu_run.stop
  llvm::Value *alone = nullptr;    ///< tz_cpu_run.alone; null: not asked
  /// A counted loop that asks between pieces.
  struct LoopOfPieces {
    llvm::Instruction *isOnePiece; ///< in `before`
    llvm::BasicBlock *before, *pieces, *head, *latch, *end, *exit;
  };
  llvm::SmallVector<LoopOfPieces> shortLoops; ///< of little work

  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<mlir::Value, ViewParts> views;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Types of tiles whose rows lie a cache line apart.
  llvm::DenseSet<mlir::Type> paddedTypes;
  llvm::DenseMap<mlir::Value, Induction> inductions;
  /// Where a value shall be written when it is: the buffer of a loop argument.
  llvm::DenseMap<mlir::Value, Buffer> destinations;
  /// Numbers of the nests that read what a load loads.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 2>> readers;
  /// While something is foretold: of its next iteration, not of the next
  /// program.
  mlir::scf::ForOp foretold;
  unsigned nests = 0;
  /// All stores through views, as they stand; made when it is first needed.
  std::optional<std::vector<tile::StoreViewOp>> rowStores;
  llvm::SmallPtrSet<mlir::Operation *, 8> emittedStores; ///< of views
  llvm::StringMap<llvm::GlobalVariable *> texts;
  llvm::DenseMap<mlir::Operation *, llvm::Constant *> accessRecords;
  llvm::SmallVector<Scope> scopes;
  llvm::SmallVector<mlir::Block *> openBlocks; ///< being emitted, outer first
  llvm::SmallVector<Buffer> temporaries;
};

} // namespace tz::cpu

#endif
