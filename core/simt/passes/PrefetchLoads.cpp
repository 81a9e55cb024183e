//===- PrefetchLoads.cpp - simt-prefetch-loads ----------------------------===//
//
// What   In a loop with dots, and in a recurrence, a load that is no
//        asynchronous copy is done one iteration early and waits in registers.
//        Another loop, in which a thread loads little, does the loads of
//        several iterations together; not if a program walks along one row with
//        whole vectors, for other programs have loads under way then. A
//        recurrence carries a tile and reduces in each iteration.
// Why    Indices, scales and operands too narrow for an asynchronous copy would
//        make each iteration wait for memory. In a recurrence they would begin
//        only after the reduction, for which all threads wait.
// Example (test/simt/prefetch-loads.mlir; lines with simt., scf., tile.load)
//   before
//     ...
//     %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
//       ...
//       %n = tile.load %p {group = 2 : i64} : !tile.ptr<i32> -> i32
//       ...
//       %x = tile.load_view %va[%at, %z] checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16> -> tensor<16x16xf16>
//       ...
//       scf.yield %next : tensor<16x16xf32>
//     }
//     ...
//   after
//     ...
//     %1 = simt.stage %cst_0 : tensor<16x16xf16, #layout1> -> <16x16xf16, #shared>
//     ...
//     %3 = scf.if %2 -> (tensor<16x16xf32, #layout>) {
//       %5 = simt.ring : <3 x <16x16xf16, #shared>>
//       ...
//       %7 = tile.load %6 {group = 2 : i64} : !tile.ptr<i32> -> i32
//       ...
//       %10 = simt.slot %5[%c0_i32] : <3 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//       simt.async_copy_view %0[%9, %c0_i64] to %10 when %2 checked [false, false] layout #layout2 : <16x16xf16> to <16x16xf16, #shared>
//       simt.async_commit
//       ...
//       %22 = tile.load %21 {group = 2 : i64} : !tile.ptr<i32> -> i32
//       ...
//       %25 = simt.slot %5[%c1_i32] : <3 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//       simt.async_copy_view %0[%24, %c0_i64] to %25 when %17 checked [false, false] layout #layout2 : <16x16xf16> to <16x16xf16, #shared>
//       simt.async_commit
//       ...
//       %26:3 = scf.if %2 -> (tensor<16x16xf32, #layout>, i32, i32) {
//         ...
//         %34 = tile.load %33 {group = 2 : i64} : !tile.ptr<i32> -> i32
//         %35:4 = scf.for %arg4 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg5 = %cst, %arg6 = %c0_i32, %arg7 = %c2_i32, %arg8 = %34) -> (tensor<16x16xf32, #layout>, i32, i32, i32)  : i32 {
//           ...
//           %55 = tile.load %54 {group = 2 : i64} : !tile.ptr<i32> -> i32
//           simt.async_wait 1
//           ...
//           %58 = simt.slot %5[%arg7] : <3 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//           simt.async_copy_view %0[%57, %c0_i64] to %58 when %44 checked [false, false] layout #layout2 : <16x16xf16> to <16x16xf16, #shared>
//           simt.async_commit
//           %59 = simt.slot %5[%arg6] : <3 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
//           %60 = simt.dot %59, %1, %arg5 : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #layout>
//           ...
//           scf.yield %60, %63, %66, %55 : tensor<16x16xf32, #layout>, i32, i32, i32
//         }
//         scf.yield %35#0, %35#1, %35#2 : tensor<16x16xf32, #layout>, i32, i32
//       } else {
//         scf.yield %cst, %c0_i32, %c2_i32 : tensor<16x16xf32, #layout>, i32, i32
//       }
//       simt.async_wait 0
//       scf.yield %26#0 : tensor<16x16xf32, #layout>
//     } else {
//       scf.yield %cst : tensor<16x16xf32, #layout>
//     }
//     ...
// Needs  simt-pipeline-loops before: what can be a copy is one.
// Keeps  order: a load goes ahead only of accesses that R6 does not order with
//        it. For an iteration that is not there, one that is there loads again.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/analysis/LoopNeeds.h"
#include "core/simt/passes/LaterIterations.h"
#include "core/simt/passes/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_PREFETCHLOADS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

int64_t elementsOf(Value value) {
  return hasLayout(value.getType()) ? layoutOf(value).size(Axis::Register) : 1;
}

int64_t bytesOf(Value value) {
  return elementsOf(value) *
         tile::storageBytes(tile::elementType(value.getType()));
}

/// Registers of 32 bits: narrow elements have one each.
int64_t registersOf(Value value) {
  return std::max(elementsOf(value), bytesOf(value) / 4);
}

/// Does a thread load elements beside each other at once?
bool isWide(Operation &load) {
  const Value value = load.getResult(0);
  if (!hasLayout(value.getType())) {
    return true; // one for all
  }
  ArrayRef<Coordinates> registers = layoutOf(value).bases(Axis::Register);
  return !registers.empty() && llvm::is_contained(registers.front(), 1);
}

/// Is little under way between iterations? In a recurrence each waits for the
/// one before it. If a loop combines without what it carries, its threads wait
/// for each other alone; then what is loaded for an iteration that is not there
/// would cost more than it hides, unless it takes few instructions. Nor do
/// other warps hide much of one that combines where blocks have one warp each:
/// of blocks a machine runs fewer than of warps.
bool waitsInOrder(scf::ForOp loop) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  auto warps = kernel->getAttrOfType<IntegerAttr>("tile.num_warps");
  const bool isAlone = warps && warps.getInt() == 1 &&
                       llvm::any_of(*loop.getBody(), [](Operation &op) {
                         return combinesThreads(&op);
                       });
  return isRecurrence(loop) ||
         ((isAlone || combinesBesideCarried(loop)) &&
          llvm::all_of(*loop.getBody(), [](Operation &op) {
            return !isa<tile::LoadOp, tile::LoadViewOp>(op) || isWide(op);
          }));
}

class Prefetcher {
public:
  explicit Prefetcher(scf::ForOp loop)
      : loop(loop), loc(loop.getLoc()),
        hasDots(!loop.getBody()->getOps<DotOp>().empty()),
        isSequential(waitsInOrder(loop)) {}

  /// How many loads go ahead.
  size_t run();

private:
  bool carriesOneIteration() const { return hasDots || isSequential; }
  int64_t mostRegisters();
  int64_t instructions(int64_t ofQuotient = 1);
  bool waitsForWarps();
  int64_t iterationsTogether(int64_t bytes);
  int64_t iterationsOfSmall(int64_t bytes);
  int64_t heldRegisters();
  int64_t iterationsThatFit(int64_t together);
  bool worksInPlace();
  bool isHiddenByWarps();
  bool hasOneIteration();
  bool walksAlongOneRow();
  void findLoads();
  void carryOn(OpBuilder &b, Value index, Value exists, IRMapping &map);
  Value beginIteration(OpBuilder &b, Value index, unsigned iterations,
                       IRMapping &map);
  void carryOneIteration();
  SmallVector<Value> emitRest(OpBuilder &b, Value index, unsigned most,
                              SmallVector<Value> carried);
  SmallVector<Value> emitTogether(OpBuilder &b, Value first, int64_t together,
                                  SmallVector<Value> carried);
  using EmitGroup = llvm::function_ref<SmallVector<Value>(
      OpBuilder &b, int64_t count, ValueRange carried)>;
  SmallVector<Value> emitLeft(OpBuilder &b, Value iterations, int64_t bit,
                              int64_t end, int64_t taken,
                              SmallVector<Value> carried, EmitGroup group);
  void loadGroups(int64_t together, bool groupsRest);
  void loadAtMost(unsigned iterations);
  void loadAll(int64_t iterations);
  SmallVector<Value> emitBody(OpBuilder &b, IRMapping &map);

  static constexpr int64_t GroupOfSmall = 4;

  scf::ForOp loop;
  const Location loc;
  const bool hasDots, isSequential;
  SmallVector<Operation *> loads;
  Slice slice;
};

/// Of a thread, for all loads that go ahead: a part of what accumulators leave.
/// With more warps each has fewer. Who asks for one stage keeps them for other
/// blocks, or has a loop of few iterations.
int64_t Prefetcher::mostRegisters() {
  constexpr int64_t most = 32, least = 8, ofAllWarps = 256, besideTiles = 192;
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  if (hasDots && stagesOf(loop, stagesOf(kernel, 2)) == 1) {
    return least;
  }
  if (hasDots) {
    int64_t carried = 0;
    for (Value argument : loop.getRegionIterArgs()) {
      carried += hasLayout(argument.getType()) ? registersOf(argument) : 0;
    }
    return std::clamp((besideTiles - carried) / 4, least, most);
  }
  auto warps = kernel->getAttrOfType<IntegerAttr>("tile.num_warps");
  return std::clamp(ofAllWarps / (warps ? warps.getInt() : 4), least, most);
}

/// That a thread has in an iteration, about.
int64_t Prefetcher::instructions(int64_t ofQuotient) {
  constexpr int64_t ofFunction = 8;
  int64_t count = 0;
  loop.getBody()->walk([&](Operation *op) {
    if (isa<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp>(op)) {
      count += ofQuotient * elementsOf(op->getResult(0));
    } else if (op->getNumResults() == 0 ||
               !hasLayout(op->getResult(0).getType())) {
      ++count;
    } else if (op->hasTrait<OpTrait::Elementwise>()) {
      count += elementsOf(op->getResult(0)) *
               (isa<tile::MathOp, tile::DivFOp>(op) ? ofFunction : 1);
    }
  });
  return count;
}

/// Does each iteration reduce across warps? All wait for each other then.
bool Prefetcher::waitsForWarps() {
  return loop.getBody()
      ->walk([](Operation *op) {
        return combinesThreads(op) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// How many iterations are worth a group, for the code that it takes: 1, 2
/// or 4. What is long, or waits for other warps, waits little for its loads.
int64_t Prefetcher::iterationsTogether(int64_t bytes) {
  constexpr int64_t mostBytes = 64; // that a thread loads in a group
  constexpr int64_t mostInstructions = 900, mostOfWaiting = 256, ofTwo = 64;
  const int64_t count = instructions();
  const int64_t most = waitsForWarps() ? mostOfWaiting : mostInstructions;
  if (bytes * 4 <= mostBytes && count * 4 <= most) {
    return 4;
  }
  return bytes * 2 <= mostBytes && count * 2 <= ofTwo ? 2 : 1;
}

/// The same where a thread loads little: 4, or 8 of the shortest. What waits
/// for other warps waits little for its loads.
int64_t Prefetcher::iterationsOfSmall(int64_t bytes) {
  constexpr int64_t mostBytes = 64, mostInstructions = 384, ofQuotient = 16;
  return bytes * 2 * GroupOfSmall <= mostBytes && !waitsForWarps() &&
                 instructions(ofQuotient) * 2 * GroupOfSmall <= mostInstructions
             ? 2 * GroupOfSmall
             : GroupOfSmall;
}

/// That an iteration of a group takes from its loads to what is done with them:
/// for what is loaded, which stays in whole words until it is used, and for
/// what its address and the rest are computed from.
int64_t Prefetcher::heldRegisters() {
  int64_t registers = 0;
  auto isRest = [&](Operation *user) {
    Operation *own = loop.getBody()->findAncestorOpInBlock(*user);
    return own && !slice.ops.contains(own) && !llvm::is_contained(loads, own);
  };
  for (Operation *load : loads) {
    registers += int64_t(
        llvm::divideCeil(uint64_t(bytesOf(load->getResult(0))), uint64_t(4)));
  }
  for (Operation *op : slice.ops) {
    for (Value value : op->getResults()) {
      const bool isHeld = llvm::any_of(value.getUsers(), isRest);
      registers += isHeld ? registersOf(value) : 0;
    }
  }
  return registers;
}

/// A group of so many, or of fewer for which threads have registers: blocks of
/// many warps leave each thread few.
int64_t Prefetcher::iterationsThatFit(int64_t together) {
  constexpr int64_t ofAllWarps = 256;
  const int64_t most = ofAllWarps / warpsOf(loop);
  const int64_t held = heldRegisters();
  while (together > 2 && together * held > most) {
    together /= 2;
  }
  return together;
}

/// Does the loop store to the arrays that it loads from? Then a barrier stands
/// in each iteration, or in each group.
bool Prefetcher::worksInPlace() {
  return llvm::any_of(loads,
                      [&](Operation *load) { return isWrittenIn(loop, load); });
}

/// Are there so many warps, each of which may go on without the others, that
/// they hide each other's loads? Measured on an H200: pairs of iterations took
/// 1.2 of the time of single ones where each program has four, for their code.
bool Prefetcher::isHiddenByWarps() {
  constexpr int64_t many = 32;
  return loop.getRegionIterArgs().empty() && warpsOf(loop) >= many;
}

/// Does each load bring a thread a whole vector, of one row? Then there are as
/// many programs as rows, and their threads have enough bytes under way: groups
/// would be longer code for nothing. Where a program has several rows, or loads
/// are narrow, they have not.
bool Prefetcher::walksAlongOneRow() {
  constexpr int64_t vectorBytes = 16;
  return llvm::all_of(loads, [](Operation *load) {
    const Value value = load->getResult(0);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && isWide(*load) && bytesOf(value) >= vectorBytes &&
           llvm::count_if(type.getShape(),
                          [](int64_t extent) { return extent > 1; }) <= 1;
  });
}

void Prefetcher::findLoads() {
  const int64_t most = mostRegisters();
  int64_t registers = 0;
  for (Operation &op : *loop.getBody()) {
    if (!isa<tile::LoadOp, tile::LoadViewOp>(op) || !mayGoAhead(loop, &op)) {
      continue;
    }
    Slice more = slice;
    const int64_t filled = registers + registersOf(op.getResult(0));
    bool isFree = filled <= most;
    for (Value operand : op.getOperands()) {
      isFree = isFree && addToSlice(loop, operand, more);
    }
    // Several iterations together have no carried values of the later ones.
    if (isFree && (carriesOneIteration() || more.carried.empty())) {
      slice = std::move(more);
      registers = filled;
      loads.push_back(&op);
    }
  }
}

/// `map` knows what this iteration carries; from then on what the next one
/// does. What is carried to an iteration that is not there is no address: this
/// iteration's stays.
void Prefetcher::carryOn(OpBuilder &b, Value index, Value exists,
                         IRMapping &map) {
  IRMapping now = map;
  now.map(loop.getInductionVar(), index);
  for (Operation *op : slice.inOrder(loop)) {
    b.clone(*op, now);
  }
  Operation *yield = loop.getBody()->getTerminator();
  for (unsigned i : slice.carried) {
    Value argument = loop.getRegionIterArg(i);
    map.map(argument,
            arith::SelectOp::create(b, loc, exists,
                                    now.lookupOrDefault(yield->getOperand(i)),
                                    now.lookup(argument)));
  }
}

/// Does the loads of the iteration so many after the one with this index; of
/// that one, if the other is not there. Says whether it is.
Value Prefetcher::beginIteration(OpBuilder &b, Value index, unsigned iterations,
                                 IRMapping &map) {
  Value exists = hasIteration(b, loop, index, iterations);
  Value later = indexAfter(b, loop, index, iterations);
  if (iterations != 0) {
    later = arith::SelectOp::create(b, loc, exists, later, index);
    carryOn(b, index, exists, map);
  }
  map.map(loop.getInductionVar(), later);
  for (Operation &op : *loop.getBody()) {
    if (slice.ops.contains(&op) || llvm::is_contained(loads, &op)) {
      b.clone(op, map);
    }
  }
  return exists;
}

/// One iteration, whose loads `map` knows; what it yields.
SmallVector<Value> Prefetcher::emitBody(OpBuilder &b, IRMapping &map) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!llvm::is_contained(loads, &op)) {
      b.clone(op, map);
    }
  }
  SmallVector<Value> yielded;
  for (Value value : loop.getBody()->getTerminator()->getOperands()) {
    yielded.push_back(map.lookupOrDefault(value));
  }
  return yielded;
}

void Prefetcher::carryOneIteration() {
  scf::IfOp branch = branchIfIterated(loop);
  const unsigned own = loop.getNumResults();
  OpBuilder b = own != 0 ? branch.getThenBodyBuilder()
                         : OpBuilder(branch.thenBlock()->getTerminator());
  SmallVector<Value> inits(loop.getInitArgs());
  IRMapping first;
  first.map(loop.getRegionIterArgs(), loop.getInitArgs());
  beginIteration(b, loop.getLowerBound(), 0, first);
  for (Operation *load : loads) {
    inits.push_back(first.lookup(load->getResult(0)));
  }
  auto made =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!made.getBody()->empty()) {
    made.getBody()->getTerminator()->erase();
  }
  OpBuilder in = OpBuilder::atBlockEnd(made.getBody());
  IRMapping next, now;
  now.map(loop.getRegionIterArgs(), made.getRegionIterArgs().take_front(own));
  next = now;
  beginIteration(in, made.getInductionVar(), 1, next);
  now.map(loop.getInductionVar(), made.getInductionVar());
  for (auto [i, load] : llvm::enumerate(loads)) {
    now.map(load->getResult(0), made.getRegionIterArg(own + unsigned(i)));
  }
  SmallVector<Value> yielded = emitBody(in, now);
  for (Operation *load : loads) {
    yielded.push_back(next.lookup(load->getResult(0)));
  }
  scf::YieldOp::create(in, loc, yielded);
  if (own != 0) {
    scf::YieldOp::create(b, loc, made.getResults().take_front(own));
  }
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

/// The iterations from `index` on, of which the first one is there and so many
/// may be: their loads, then each of them that is there.
SmallVector<Value> Prefetcher::emitRest(OpBuilder &b, Value index,
                                        unsigned most,
                                        SmallVector<Value> carried) {
  SmallVector<IRMapping, 4> maps(most);
  SmallVector<Value, 4> exists;
  for (auto [i, map] : llvm::enumerate(maps)) {
    exists.push_back(beginIteration(b, index, unsigned(i), map));
  }
  const bool hasResults = !carried.empty();
  for (auto [i, map] : llvm::enumerate(maps)) {
    OpBuilder body = b;
    scf::IfOp guard;
    if (i != 0) {
      guard = scf::IfOp::create(b, loc, loop.getResultTypes(), exists[i],
                                /*withElseRegion=*/hasResults);
      body = hasResults ? guard.getThenBodyBuilder()
                        : OpBuilder(guard.thenBlock()->getTerminator());
    }
    map.map(loop.getRegionIterArgs(), carried);
    SmallVector<Value> yielded = emitBody(body, map);
    if (guard && hasResults) {
      scf::YieldOp::create(body, loc, yielded);
      OpBuilder none = guard.getElseBodyBuilder();
      scf::YieldOp::create(none, loc, carried);
      yielded.assign(guard.result_begin(), guard.result_end());
    }
    carried = std::move(yielded);
  }
  return carried;
}

/// So many iterations from `first` on, which are all there: their loads, then
/// what is done with them. What the last one yields.
SmallVector<Value> Prefetcher::emitTogether(OpBuilder &b, Value first,
                                            int64_t together,
                                            SmallVector<Value> carried) {
  SmallVector<IRMapping, 4> all(static_cast<size_t>(together));
  for (auto [i, map] : llvm::enumerate(all)) {
    map.map(loop.getInductionVar(), indexAfter(b, loop, first, unsigned(i)));
    for (Operation &op : *loop.getBody()) {
      if (slice.ops.contains(&op) || llvm::is_contained(loads, &op)) {
        b.clone(op, map);
      }
    }
  }
  for (IRMapping &map : all) {
    map.map(loop.getRegionIterArgs(), carried);
    carried = emitBody(b, map);
  }
  return carried;
}

/// Of the iterations that whole groups leave those that some bits of the number
/// of all say, from `bit` down to before `end`: one group of as many as there
/// are, for which the threads wait once. `taken`: of bits that were looked at.
/// What the group yields.
SmallVector<Value> Prefetcher::emitLeft(OpBuilder &b, Value iterations,
                                        int64_t bit, int64_t end, int64_t taken,
                                        SmallVector<Value> carried,
                                        EmitGroup group) {
  if (bit == end) {
    return taken ? group(b, taken, carried) : carried;
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(iterations.getType(), value));
  };
  Value isSet = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, loc, iterations, constant(bit)), constant(0));
  const bool hasElse = !carried.empty() || bit / 2 != end || taken;
  auto branch =
      scf::IfOp::create(b, loc, loop.getResultTypes(), isSet, hasElse);
  auto emit = [&](Block *block, int64_t count) {
    OpBuilder in = OpBuilder::atBlockEnd(block);
    if (!block->empty()) {
      in.setInsertionPoint(block->getTerminator());
    }
    SmallVector<Value> results =
        emitLeft(in, iterations, bit / 2, end, count, carried, group);
    if (!carried.empty()) {
      scf::YieldOp::create(in, loc, results);
    }
  };
  emit(branch.thenBlock(), taken + bit);
  if (hasElse) {
    emit(branch.elseBlock(), taken);
  }
  return SmallVector<Value>(branch.getResults());
}

/// Whole groups of iterations, each with its loads first. The rest is the loop
/// itself, or a smaller group of what is left: a loop of few iterations does no
/// more than it has. In the counter's width: the number of iterations has no
/// more bits without a sign, and an index that wraps is that of no iteration.
void Prefetcher::loadGroups(int64_t together, bool groupsRest) {
  OpBuilder b(loop);
  const Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  const Value low = loop.getLowerBound(), step = loop.getStep();
  Value distance = arith::SubIOp::create(b, loc, loop.getUpperBound(), low);
  // iterations = ceildiv(distance, step), which is above 0 if there is any.
  Value last = tile::DivUIOp::create(
      b, loc, type, arith::SubIOp::create(b, loc, distance, constant(1)), step);
  Value iterations = arith::SelectOp::create(
      b, loc, hasIteration(b, loop, low, 0),
      arith::AddIOp::create(b, loc, last, constant(1)), constant(0));
  Value groups =
      tile::DivUIOp::create(b, loc, type, iterations, constant(together));
  auto indexOf = [&](OpBuilder &at, Value iteration) -> Value {
    return arith::AddIOp::create(
        at, loc, low, arith::MulIOp::create(at, loc, iteration, step));
  };
  auto made = scf::ForOp::create(b, loc, constant(0), groups, constant(1),
                                 loop.getInitArgs());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (together > GroupOfSmall) {
    made->setAttr(RolledLoop, b.getUnitAttr());
  }
  if (!made.getBody()->empty()) {
    made.getBody()->getTerminator()->erase();
  }
  OpBuilder in = OpBuilder::atBlockEnd(made.getBody());
  Value many =
      arith::ConstantOp::create(in, loc, in.getIntegerAttr(type, together));
  const Value first =
      indexOf(in, arith::MulIOp::create(in, loc, made.getInductionVar(), many));
  scf::YieldOp::create(
      in, loc,
      emitTogether(in, first, together,
                   SmallVector<Value>(made.getRegionIterArgs())));
  SmallVector<Value> carried(made.getResults());
  Value done = arith::MulIOp::create(b, loc, groups, constant(together));
  if (!groupsRest) {
    Value isOpen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, done,
                                         iterations);
    loop.getLowerBoundMutable().assign(arith::SelectOp::create(
        b, loc, isOpen, indexOf(b, done), loop.getUpperBound()));
    loop.getInitArgsMutable().assign(carried);
    return;
  }
  const auto group = [&](OpBuilder &at, int64_t count, ValueRange before) {
    return emitTogether(at, indexOf(at, done), count,
                        SmallVector<Value>(before));
  };
  // One group for each number below four. With more, there would be more code
  // than what a wait is worth.
  int64_t bit = together / 2;
  for (; bit > 2; bit /= 2) {
    carried = emitLeft(b, iterations, bit, bit / 2, 0, carried, group);
    done = arith::AddIOp::create(
        b, loc, done, arith::AndIOp::create(b, loc, iterations, constant(bit)));
  }
  carried = emitLeft(b, iterations, bit, 0, 0, carried, group);
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

/// One group of iterations, of which any may not be there.
void Prefetcher::loadAtMost(unsigned iterations) {
  scf::IfOp branch = branchIfIterated(loop);
  const bool hasResults = loop.getNumResults() != 0;
  OpBuilder b = hasResults ? branch.getThenBodyBuilder()
                           : OpBuilder(branch.thenBlock()->getTerminator());
  SmallVector<Value> results =
      emitRest(b, loop.getLowerBound(), iterations, loop.getInitArgs());
  if (hasResults) {
    scf::YieldOp::create(b, loc, results);
  }
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

/// A few iterations, as many as the loop has: their loads, then what is done
/// with them.
void Prefetcher::loadAll(int64_t iterations) {
  OpBuilder b(loop);
  const int64_t low = *getConstantIntValue(loop.getLowerBound()),
                step = *getConstantIntValue(loop.getStep());
  SmallVector<IRMapping> all(static_cast<size_t>(iterations));
  for (auto [i, map] : llvm::enumerate(all)) {
    map.map(loop.getInductionVar(),
            arith::ConstantOp::create(
                b, loc,
                b.getIntegerAttr(loop.getInductionVar().getType(),
                                 low + int64_t(i) * step)));
    for (Operation &op : *loop.getBody()) {
      if (slice.ops.contains(&op) || llvm::is_contained(loads, &op)) {
        b.clone(op, map);
      }
    }
  }
  SmallVector<Value> carried(loop.getInitArgs());
  for (IRMapping &map : all) {
    map.map(loop.getRegionIterArgs(), carried);
    carried = emitBody(b, map);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

/// Does the loop go from program to program? Most often a launch has one for
/// each, and the number of iterations would be a division for nothing.
bool Prefetcher::hasOneIteration() {
  if (loop->hasAttr("tile.num_stages")) {
    return false; // who asks for stages of this loop has iterations for them
  }
  Operation *step = loop.getStep().getDefiningOp();
  while (
      isa_and_present<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(step)) {
    step = step->getOperand(0).getDefiningOp();
  }
  return isa_and_present<tile::NumProgramsOp>(step);
}

size_t Prefetcher::run() {
  constexpr int64_t fewBytes = 16; // that a thread loads in an iteration
  constexpr size_t mostOps = 100;
  constexpr int64_t mostIterations = 8;
  if (!countsIterations(loop)) {
    return 0;
  }
  findLoads();
  const size_t found = loads.size();
  if (found == 0) {
    return 0;
  }
  int64_t bytes = 0;
  size_t ops = 0;
  loop.getBody()->walk([&](Operation *op) {
    ++ops;
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      bytes += bytesOf(op->getResult(0));
    }
  });
  const bool isSmall = bytes < fewBytes && ops <= mostOps;
  const bool isShort = bytes <= mostRegisters() && ops * 2 <= mostOps;
  const std::optional<int64_t> iterations = fewIterations(loop, mostIterations);
  if (isSmall && !hasDots && slice.carried.empty() && iterations) {
    loadAll(*iterations);
  } else if (carriesOneIteration()) {
    carryOneIteration();
  } else if (const std::optional<int64_t> most = iterationsAtMost(loop);
             most && *most > 1 && *most <= GroupOfSmall && !hasDots &&
             slice.carried.empty() &&
             (isSmall || (isShort && iterationsTogether(bytes) >= *most))) {
    loadAtMost(unsigned(*most));
  } else if (hasOneIteration()) {
    return 0;
  } else if (isSmall && slice.carried.empty() && !worksInPlace()) {
    if (isHiddenByWarps()) {
      return 0;
    }
    loadGroups(iterationsThatFit(iterationsOfSmall(bytes)),
               /*groupsRest=*/true);
  } else if (const int64_t together = iterationsTogether(bytes);
             isShort && slice.carried.empty() && together > 1 &&
             !walksAlongOneRow()) {
    loadGroups(together, /*groupsRest=*/false);
  } else {
    return 0;
  }
  return found;
}

struct PrefetchLoads : tz::simt::impl::PrefetchLoadsBase<PrefetchLoads> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel->hasAttr("tile.waits")) {
      // Nothing is reordered in a kernel that waits for others (R6).
      return markAllAnalysesPreserved();
    }
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      const bool isInnermost = !loop.getBody()
                                    ->walk([](Operation *op) {
                                      return isa<scf::ForOp, scf::WhileOp>(op)
                                                 ? WalkResult::interrupt()
                                                 : WalkResult::advance();
                                    })
                                    .wasInterrupted();
      auto stages = loop->getAttrOfType<IntegerAttr>("tile.num_stages");
      if (isInnermost && (!stages || stages.getInt() > 1)) {
        loops.push_back(loop);
      }
    });
    for (scf::ForOp loop : loops) {
      prefetched += Prefetcher(loop).run();
    }
    if (loops.empty()) {
      markAllAnalysesPreserved();
    }
  }
};

} // namespace
