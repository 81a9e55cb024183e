//===- LoadBeforeExchange.cpp - simt-load-before-exchange -----------------===//
//
// What   Loads that stand behind an exchange of a tile between threads, and do
//        not need it, begin before it. Small ones begin before reductions too.
// Why    An exchange waits for what it moves, and a load behind its barrier
//        begins only then. A kernel that adds up tiles of two memory orders
//        would wait for memory once for each of them, and one that reduces each
//        of many short tiles once for each.
// Example (test/simt/load-before-exchange.mlir; lines with simt., tile.load, arith.addf)
//   before
//     ...
//     %a = tile.load %from {group = 1 : i64} : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
//     ...
//     %b = tile.load_view %view[%zero, %zero] checked [false, false] {group = 2 : i64} : <32x32xf32> -> tensor<32x32xf32>
//     %ab = arith.addf %a, %b : tensor<32x32xf32>
//     ...
//     %c = tile.load %later {group = 1 : i64} : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
//     %abc = arith.addf %ab, %c : tensor<32x32xf32>
//     ...
//   after
//     ...
//     %10 = tile.load %9 {group = 1 : i64} : tensor<32x32x!tile.ptr<f32>, #layout2> -> tensor<32x32xf32, #layout2>
//     ...
//     %12 = tile.load_view %11[%c0_i64, %c0_i64] checked [false, false] {group = 2 : i64} : <32x32xf32> -> tensor<32x32xf32, #layout5>
//     ...
//     %14 = tile.load %13 {group = 1 : i64} : tensor<32x32x!tile.ptr<f32>, #layout2> -> tensor<32x32xf32, #layout2>
//     %15 = simt.convert %10 : tensor<32x32xf32, #layout2> -> tensor<32x32xf32, #layout5>
//     %16 = arith.addf %15, %12 : tensor<32x32xf32, #layout5>
//     %17 = simt.convert %14 : tensor<32x32xf32, #layout2> -> tensor<32x32xf32, #layout5>
//     %18 = arith.addf %16, %17 : tensor<32x32xf32, #layout5>
//     ...
// Keeps  accesses to memory, and their order: a load passes only other loads
//        and what touches no memory.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/LoadSlice.h"
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_LOADBEFOREEXCHANGE
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Compilation takes time for each exchange that a load is tried before.
constexpr size_t MostExchanges = 4, MostReductions = 8;

/// Do elements go to other threads?
bool isExchange(Operation &op) {
  auto convert = dyn_cast<ConvertOp>(op);
  if (!convert) {
    return false;
  }
  const Layout &from = layoutOf(convert.getSource()),
               &to = layoutOf(convert.getResult());
  return from.bases(Axis::Lane) != to.bases(Axis::Lane) ||
         from.bases(Axis::Warp) != to.bases(Axis::Warp);
}

/// A stretch of a block: nothing in it but loads and what touches no memory.
class Stretch {
public:
  /// Takes the next op of the block. False: it ends the stretch.
  bool add(Operation &op);
  size_t moved() const { return count; }

private:
  void begin(Operation &load);
  bool beginBeforeReduction(Operation &load);
  bool move(Operation &load, Operation *before);

  struct Reduction {
    Operation *op;
    int64_t registers = 0; // of loads that begin before it
  };

  SmallVector<Operation *, 4> exchanges;
  SmallVector<Reduction, MostReductions> reductions; // the last ones
  int64_t registers = 0; // of what begins before one
  size_t count = 0;
};

bool Stretch::move(Operation &load, Operation *before) {
  LoadSlice slice;
  if (!addToSlice(before, &load, slice)) {
    return false;
  }
  for (Operation *op : slice) {
    op->moveBefore(before);
  }
  ++count;
  return true;
}

/// Large tiles take registers that more blocks would use better: they hide the
/// wait of each other.
bool Stretch::beginBeforeReduction(Operation &load) {
  constexpr int64_t most = 4, mostAtOnce = 16;
  const int64_t words = registersOf(load.getResult(0));
  if (words > most) {
    return false;
  }
  for (Reduction &one : reductions) {
    if (one.registers + words <= mostAtOnce && move(load, one.op)) {
      one.registers += words;
      return true;
    }
  }
  return false;
}

void Stretch::begin(Operation &load) {
  constexpr int64_t most = 32;
  if (beginBeforeReduction(load)) {
    return;
  }
  const int64_t more = registers + registersOf(load.getResult(0));
  if (more > most) {
    return;
  }
  for (Operation *exchange : exchanges) {
    // A small exchange waits little; the load would take registers longer.
    if (registersOf(load.getResult(0)) >
        2 * registersOf(exchange->getOperand(0))) {
      continue;
    }
    if (move(load, exchange)) {
      registers = more;
      return;
    }
  }
}

bool Stretch::add(Operation &op) {
  if (isMovableLoad(&op)) {
    begin(op);
    return true;
  }
  if (isExchange(op) && exchanges.size() < MostExchanges) {
    exchanges.push_back(&op);
  }
  if (isa<tile::ReduceOp, tile::ScanOp>(op)) {
    // What it combines with touches no memory.
    if (combinesThreads(&op)) {
      if (reductions.size() == MostReductions) {
        reductions.erase(reductions.begin());
      }
      reductions.push_back({&op});
    }
    return true;
  }
  return isPure(&op) && op.getNumRegions() == 0;
}

struct LoadBeforeExchange
    : tz::simt::impl::LoadBeforeExchangeBase<LoadBeforeExchange> {
  void runOnOperation() override {
    const size_t all = moveLoads<Stretch>(getOperation());
    begun += all;
    if (all == 0) {
      markAllAnalysesPreserved();
    }
  }
};

} // namespace

std::unique_ptr<Pass> tz::simt::createLoadBeforeExchange() {
  return std::make_unique<LoadBeforeExchange>();
}
