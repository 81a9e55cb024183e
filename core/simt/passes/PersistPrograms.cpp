//===- PersistPrograms.cpp - simt-persist-programs ------------------------===//
//
// What   Puts the body of a kernel with a loop of dots into a loop over program
//        ids.
// Why    While a tile is stored the matrix unit stands still, and so it does
//        until the first copies of the next tile are there. A block that knows
//        its next program begins these copies first (simt-pipeline-loops).
// Example (test/simt/persist-programs.mlir; lines with program, logical, scf., maxsi, store_view)
//   before
//     ...
//     %pid = tile.program_id 0
//     ...
//     %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
//       ...
//       scf.yield %next : tensor<64x64xf32>
//     }
//     tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
//   after
//     %0 = tile.program_id 0
//     %1 = tile.num_programs 0
//     %2 = simt.logical_grid 0
//     ...
//     %3 = tile.maxsi %2, %c1_i32 : i32
//     ...
//     scf.for %arg4 = %0 to %3 step %1  : i32 {
//       ...
//       %9 = scf.for %arg5 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg6 = %cst) -> (tensor<64x64xf32>)  : i32 {
//         ...
//         scf.yield %13 : tensor<64x64xf32>
//       }
//       tile.store_view %6[%8, %c0_i64], %9 checked [true, true] {group = 3 : i64} : <64x64xf32>, tensor<64x64xf32>
//     }
// Needs  tile IR as it crosses the boundary.
// Keeps  what each program does; programs are in no order (R6).
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Programs.h"
#include "core/simt/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_PERSISTPROGRAMS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

bool hasDots(scf::ForOp loop) {
  return !loop.getBody()->getOps<tile::DotOp>().empty();
}

/// What the loop's loads will take in shared memory, if all are copies: those
/// of an iteration that runs, of the one before, whose dots may be in flight,
/// and of what is begun ahead.
uint64_t ringBytes(scf::ForOp loop) {
  uint64_t bytes = 0;
  for (auto load : loop.getBody()->getOps<tile::LoadViewOp>()) {
    auto type = cast<RankedTensorType>(load.getType());
    bytes += uint64_t(type.getNumElements() *
                      tile::storageBytes(type.getElementType()));
  }
  return bytes * (copyRequest(loop).stages + 1);
}

/// Are sums all that the loop makes of its dots?
bool onlySums(scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->getOps<tile::DotOp>(),
                      [&](tile::DotOp dot) {
                        auto acc = dyn_cast<BlockArgument>(dot.getAcc());
                        return acc && acc.getOwner() == loop.getBody();
                      });
}

struct PersistPrograms : tz::simt::impl::PersistProgramsBase<PersistPrograms> {
  explicit PersistPrograms(const SimtTarget *target) : target(target) {}
  PersistPrograms() = default;
  PersistPrograms(const PersistPrograms &other)
      : PersistProgramsBase(other), target(other.target) {}

  void runOnOperation() override;
  StringRef problem(scf::ForOp loop);
  void wrap();

  const SimtTarget *target = nullptr;
};

/// What is in the way.
StringRef PersistPrograms::problem(scf::ForOp loop) {
  tile::KernelOp kernel = getOperation();
  if (kernel->hasAttr("tile.waits")) {
    return "programs wait for each other";
  }
  if (loop->getParentOp() != kernel) {
    return "the loop stands in a branch or another loop";
  }
  // The device gives the next program to the block that ends first; which runs
  // where is settled here.
  if (!isSameInPrograms(loop.getLowerBound()) ||
      !isSameInPrograms(loop.getUpperBound()) ||
      !isSameInPrograms(loop.getStep())) {
    return "programs differ in length";
  }
  // Between dots that are waited for, other blocks compute.
  if (!onlySums(loop)) {
    return "its dots are waited for in each iteration";
  }
  StringRef why;
  unsigned loops = 0;
  kernel.walk([&](Operation *op) {
    if (isa<tile::PrintOp, tile::AssertOp, tile::RecordOp>(op)) {
      why = "it prints, asserts or records"; // what is said names the block
    }
    auto other = dyn_cast<scf::ForOp>(op);
    loops += other && hasDots(other) ? 1 : 0;
  });
  return loops > 1 ? "it has several loops with dots" : why;
}

/// first = this block; for each program from there on, by the number of blocks
void PersistPrograms::wrap() {
  tile::KernelOp kernel = getOperation();
  Block &body = kernel.getBody().front();
  Location loc = kernel.getLoc();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator()) {
    ops.push_back(&op);
  }
  bool isFlat = true; // programs differ along the first axis alone
  kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
      isFlat &= id.getAxis() == 0;
    } else if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
      isFlat &= count.getAxis() == 0;
    }
  });
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Value first = tile::ProgramIdOp::create(b, loc, 0);
  Value blocks = tile::NumProgramsOp::create(b, loc, 0);
  SmallVector<Value, 3> grid;
  Value programs;
  for (uint32_t axis = 0; axis < (isFlat ? 1u : 3u); ++axis) {
    Value one = LogicalGridOp::create(b, loc, axis);
    // For those who divide by it.
    grid.push_back(tile::MaxSIOp::create(
        b, loc, one,
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1))));
    programs = programs ? arith::MulIOp::create(b, loc, programs, grid[axis])
                        : grid[axis];
  }
  auto loop = scf::ForOp::create(b, loc, first, programs, blocks);
  Operation *end = loop.getBody()->getTerminator();
  OpBuilder in = OpBuilder::atBlockBegin(loop.getBody());
  SmallVector<Value, 3> id = {loop.getInductionVar()};
  if (!isFlat) {
    for (unsigned axis = 0; axis < 2; ++axis) {
      Value rest = id.back();
      id.back() = tile::RemSIOp::create(in, loc, rest, grid[axis]);
      id.push_back(tile::DivSIOp::create(in, loc, rest, grid[axis]));
    }
  }
  // What is the same in every program stays outside.
  for (Operation *op : ops) {
    const bool isSame = isPure(op) && op->getNumRegions() == 0 &&
                        !isa<tile::ProgramIdOp, tile::NumProgramsOp>(op) &&
                        llvm::all_of(op->getOperands(), [&](Value operand) {
                          return operand.getParentBlock() == &body;
                        });
    op->moveBefore(isSame ? loop.getOperation() : end);
  }
  loop.walk([&](Operation *op) {
    if (auto one = dyn_cast<tile::ProgramIdOp>(op)) {
      one.replaceAllUsesWith(id[one.getAxis()]);
      one.erase();
    } else if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
      OpBuilder at(count);
      count.replaceAllUsesWith(
          LogicalGridOp::create(at, count.getLoc(), count.getAxis())
              .getResult());
      count.erase();
    }
  });
}

void PersistPrograms::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  scf::ForOp found;
  kernel.walk([&](scf::ForOp loop) { found = hasDots(loop) ? loop : found; });
  if (!found || (target && !target->shouldPersist(ringBytes(found))) ||
      copyRequest(found).isAsked) {
    // Copies have warps of their own where that is asked.
    return markAllAnalysesPreserved();
  }
  if (StringRef why = problem(found); !why.empty()) {
    emitRemark(found.getLoc()) << "a block runs one program: " << why;
    return markAllAnalysesPreserved();
  }
  wrap();
  ++persisted;
}

} // namespace

std::unique_ptr<Pass>
tz::simt::createPersistPrograms(const SimtTarget *target) {
  return std::make_unique<PersistPrograms>(target);
}
