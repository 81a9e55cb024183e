//===- Nest.h - Loops over the elements of a tile -------------------------===//
//
// What   One loop nest: scalar loops over the outer dimensions, vectors along
//        the inner one; and the evaluator that emits what the elements of a
//        fused value need.
// Why    All tiles are computed here, so code size does not depend on their
//        size (decision R15).
//
// What does not depend on the inner loops is emitted in front of them: each
// emitted value has the level of the innermost loop whose counter it uses.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_NEST_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_NEST_H

#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <optional>

namespace tz::cpu {

/// Coordinates of an element, or of `lanes` neighbours along dimension `dim`.
struct Index {
  llvm::SmallVector<llvm::Value *, 4> at; ///< i64; of the first lane
  int dim = -1;
  unsigned lanes = 0; ///< 0: a scalar

  Index scalar() const { return {at, -1, 0}; }
};

class Nest {
public:
  /// `roots`: the values whose elements will be asked for. They are put in
  /// reach: what must be in the arena is computed now. `body`: what is computed
  /// of the elements, as reductions do; vectors must not be too wide for it.
  Nest(CpuLowering &lowering, llvm::ArrayRef<int64_t> shape,
       llvm::ArrayRef<mlir::Value> roots, bool vectors = true,
       mlir::Region *body = nullptr);
  /// Marks what was written to the arena on the way.
  ~Nest();
  Nest(const Nest &) = delete;

  /// Loops over all elements. If bounds of views are checked, a version
  /// without checks is made too.
  void run(llvm::function_ref<void(const Index &)> body);
  /// The same for a nest whose loops are made by `loops`.
  void versions(llvm::function_ref<void()> loops);

  /// for the index in [from, to) of dimension `dim`, one by one or in vectors.
  void loop(Index &index, unsigned dim, int64_t from, int64_t to,
            unsigned lanes, llvm::function_ref<void(const Index &)> body);
  /// All of dimension `dim`: vectors if it is the inner one, and what is left.
  void whole(Index &index, unsigned dim,
             llvm::function_ref<void(const Index &)> body);
  Index origin();

  llvm::Value *eval(mlir::Value value, const Index &index);
  /// A counter of this nest and `by`, as a coordinate.
  llvm::Value *shifted(llvm::Value *at, int64_t by);
  /// `value` was made of `like`, a counter of this nest.
  void sameLevel(llvm::Value *value, llvm::Value *like);
  void storeTo(const Buffer &buffer, const Index &index, llvm::Value *value);
  llvm::Value *loadFrom(const Buffer &buffer, const Index &index);

  /// Elements of a vector, and the dimension they lie along (-1: scalars).
  unsigned lanes = 0;
  int dim = -1;
  const llvm::SmallVector<int64_t, 4> shape;

  //===--- CpuAccess.cpp
  //----------------------------------------------------===//
  struct Access {
    llvm::Value *pointer = nullptr; ///< of the first lane, or one a lane
    llvm::Value *mask = nullptr;    ///< null: all
    bool vectorOfPointers = false;
    bool same = false; ///< one address for all lanes
  };
  Access pointerAccess(mlir::Value pointer, mlir::Value mask,
                       const Index &index);
  Access viewAccess(mlir::Value view, mlir::OperandRange offsets,
                    llvm::ArrayRef<bool> checked, const Index &index);
  /// `op` accesses memory through `from`, a pointer or view.
  llvm::Value *load(mlir::Operation *op, mlir::Value from, const Access &access,
                    mlir::Type element, llvm::Value *other, const Index &index,
                    bool isVolatile = false);
  void store(mlir::Operation *op, mlir::Value from, const Access &access,
             mlir::Type element, llvm::Value *value, const Index &index);
  bool isContiguous(const ViewParts &parts, const Index &index) const;
  bool isContiguous(mlir::Value pointer, const Index &index);
  /// Calls `store` for the whole, or for two halves if lanes at addresses of
  /// their own would be too many.
  void
  storeInParts(llvm::Value *value, const Index &index, bool contiguous,
               llvm::function_ref<void(llvm::Value *, const Index &)> store);
  /// Loops are made for `condition` and for its opposite.
  void split(llvm::Value *condition) { splitBy = condition; }
  /// The version where it holds is being emitted.
  bool isSplit() const { return splitHolds; }
  /// Is the block inside in all checked dimensions? Null: nothing is checked.
  static llvm::Value *isInside(CpuLowering &lowering, mlir::Value view,
                               mlir::OperandRange offsets,
                               llvm::ArrayRef<bool> checked);
  /// Stores to this block of a view bypass the caches if `large` holds and the
  /// rows are aligned.
  void mayStream(mlir::Value view, mlir::OperandRange offsets,
                 llvm::Value *large);
  /// What would bypass the caches is left in `buffer` for the next program.
  void mayLeaveBehind(const Buffer &buffer) { behind = buffer; }
  /// Where this version leaves it; null: nowhere.
  const Buffer *leavesBehind() const {
    return streaming && behind ? &*behind : nullptr;
  }
  /// A checked access of the body that is not an operand of it (a store).
  void alsoChecks(llvm::Value *inside);

  /// Distance between lanes along `dim` in elements, if it is one known number.
  /// `nest`: null, or the nest in whose current version that is to be.
  static std::optional<int64_t> strideOf(const CpuLowering &lowering,
                                         mlir::Value value, int dim,
                                         int depth = 0,
                                         const Nest *nest = nullptr);
  std::optional<int64_t> strideHere(mlir::Value value, int d) const {
    return strideOf(l, value, d, 0, inRuns ? this : nullptr);
  }

  //===--- Runs.cpp
  //--------------------------------------------------------===//
  /// Bodies carry nothing from one iteration to the next but in memory: those
  /// that divide may have a version for runs.
  void mayHaveRuns() { splitsRuns = true; }

  //===--- InPlace.cpp ---------------------------------------------------===//
  /// Loads that the nest of this store computes and whose addresses it writes
  /// are read before the loops, unless no lane reaches another's.
  void copyLoadsInPlace(tile::StoreViewOp store);

  //===--- Ahead.cpp -----------------------------------------------------===//
  /// Prefetches what the next program will load here.
  void fetchAhead(tile::LoadViewOp load, const Index &index);
  /// Prefetches what this load will reach 2 KiB further, if each element is
  /// read once and memory is what the nest waits for.
  void fetchFar(tile::LoadViewOp load, const Access &access,
                const Index &index);

private:
  /// A row that is asked for while another is read.
  struct RowAhead {
    llvm::Value *away;   ///< bytes from the row that is read
    llvm::Value *isNone; ///< condition: there is none; null: there is
    bool write;
  };
  RowAhead outputAhead(mlir::Value view, tile::StoreViewOp output,
                       llvm::Value *out, llvm::Value *next);
  /// Prefetches the lines of so many bytes.
  void fetch(llvm::Value *from, uint64_t bytes, bool write);

  //===--- LoopParts.cpp -------------------------------------------------===//
  /// Of the vectors along a row: those inside of all masks, those at the edge,
  /// those outside of all.
  enum class Part { Inside, Edge, Outside };
  struct Parts {
    Part part = Part::Inside;
    unsigned level = 0; ///< of the code in front of the loop
    llvm::Value *from = nullptr, *to = nullptr, *counter = nullptr;
    llvm::SmallVector<llvm::Value *> halves; ///< counters of halves of vectors
    llvm::SmallVector<llvm::Value *> edges;  ///< each: inside is below it
    llvm::SmallVector<llvm::Value *> ends;   ///< each: outside is not below it
  };
  /// What is known of a view's bounds before the loop.
  struct KnownEdge {
    bool any = false;
    llvm::Value *bound = nullptr;  ///< of the counter; null: none
    llvm::Value *begins = nullptr; ///< is the first lane inside?
    llvm::Value *rows = nullptr;   ///< are the other coordinates?
    /// `at`: of a coordinate that no lane changes; null: of the lanes.
    void add(Nest &nest, llvm::Value *first, llvm::Value *size,
             llvm::Value *at);
  };
  /// Of neighbours `of` divided by `by`: where all have one quotient.
  struct Run {
    mlir::Value of, by;
    bool isSigned = false;
    Index index; ///< of the first lane
    llvm::Type *type = nullptr;
    llvm::Value *first = nullptr; ///< `of` there
    llvm::AllocaInst *begin = nullptr, *count = nullptr, *quotient = nullptr;
  };
  static bool isDivision(mlir::Operation *op);
  const Run *runOf(mlir::Operation *op) const;
  void noteDivision(mlir::Operation *op, const Index &index);
  llvm::Value *evalInRun(mlir::Operation *op, const Index &index);
  void openRun(Run &run, llvm::Value *divisor);
  llvm::Value *isInRun(const Run &run);
  void findRun(const Run &run, llvm::Value *divisor);
  void inVersionsOfRuns(llvm::function_ref<void()> body);

  bool mayHaveParts(unsigned d, int64_t extent, unsigned width) const;
  void loopInParts(int64_t from, int64_t to, unsigned width,
                   llvm::function_ref<void(llvm::Value *)> body);
  llvm::Value *emitBefore(unsigned level,
                          llvm::function_ref<llvm::Value *()> emit);
  bool isOutside() const { return parts && parts->part == Part::Outside; }
  /// Does the part that is being emitted answer for lanes at this index?
  bool isAlongCounter(const Index &index) const;
  bool isKnownBefore(size_t d, const Index &index) const;
  llvm::Value *maskOfPart(const KnownEdge &known, const Index &index);
  llvm::Value *answerOfPart(mlir::arith::CmpIOp op, const Index &index);
  llvm::Value *answerOfPart(llvm::Value *condition, const Index &index);
  /// The lanes from `at` on that are in [0, size).
  llvm::Value *lanesInside(llvm::Value *at, llvm::Value *size, unsigned lanes);

  using Key = std::vector<const void *>;
  struct Level {
    llvm::BasicBlock *block;
    std::map<Key, llvm::Value *> values;
  };

  /// Addresses are twice as wide as most elements: more lanes than four
  /// registers of addresses hold are accessed in two halves (decision R15).
  bool tooWideToScatter(const Index &index) const;
  Index half(const Index &index, bool high);
  llvm::Value *
  inHalves(const Index &index,
           llvm::function_ref<llvm::Value *(const Index &)> access);
  void reach(llvm::ArrayRef<mlir::Value> roots);
  void walk(mlir::Value value, bool identity,
            llvm::SetVector<mlir::Value> &mustKeep);
  /// Counts numbers that a body has inside.
  void widen(mlir::Region &body);
  void chooseVectors(bool vectors);
  unsigned levelOf(llvm::Value *value) const;
  unsigned levelOf(const Index &index) const;
  /// Emits at the level of the values that are used.
  llvm::Value *emitAt(llvm::ArrayRef<llvm::Value *> uses,
                      llvm::function_ref<llvm::Value *()> emit);
  llvm::Value *evalNew(mlir::Value value, const Index &index);
  llvm::Value *evalLoad(tile::LoadOp op, const Index &index);
  llvm::Value *evalLoadView(tile::LoadViewOp op, const Index &index);
  llvm::Value *evalGather(tile::GatherOp op, const Index &index);
  /// A gather whose indices are the positions with the bits of `flips` flipped.
  llvm::Value *evalExchange(const Buffer &source, size_t axis, uint64_t flips,
                            const Index &index);
  llvm::Value *element(const Buffer &buffer, const Index &index,
                       int64_t &laneStride);

  CpuLowering &l;
  llvm::IRBuilder<> &b;
  llvm::SmallVector<Level> levels;
  llvm::DenseMap<llvm::Value *, unsigned> valueLevels;
  llvm::MapVector<mlir::Value, Buffer>
      side; ///< written to the arena on the way
  /// Elements that an iteration of the loop along `dim` goes through.
  unsigned iteration = 1;
  llvm::DenseMap<mlir::Value, char> seen;
  llvm::SmallVector<mlir::Operation *> checkedLoads;
  llvm::SmallVector<llvm::Value *> insideConditions;
  llvm::Value *streams = nullptr;  ///< condition; null: never
  llvm::Value *streamTo = nullptr; ///< the address of the first element
  std::optional<Buffer> behind;
  llvm::Value *splitBy = nullptr; ///< null: one version
  bool splitHolds = false;
  bool streaming = false; ///< this version stores past the caches
  const bool reduces;     ///< only reads memory
  bool unchecked = false; ///< this version needs no bounds
  llvm::MapVector<mlir::Value, Buffer> copies; ///< of loads in place
  llvm::Value *apart = nullptr; ///< condition for no copies; null: none
  bool copied = false;          ///< this version reads the copies
  Parts *parts = nullptr;       ///< of the loop being emitted; null: one
  bool compares = false;        ///< integers, as masks do
  bool divides = false;         ///< integers
  bool splitsRuns = false, notesDivisions = false;
  bool inRuns = false; ///< this version is that of runs
  llvm::SmallVector<Run, 2> runs;
  const unsigned number; ///< among the nests of this lowering
  unsigned visited = 0;
  unsigned widest = 32; ///< bits of the widest element
};

} // namespace tz::cpu

#endif
