//===- FibersFaults.cpp - an ordering that is wrong on purpose ------------===//
//
// What   See FibersFaults.h.
// Why    See FibersFaults.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersFaults.h"

#include "test/fibers/FibersAccesses.h"

#include "terrazzo/simt/Simt.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include <cstdlib>
#include <fstream>

using namespace llvm;

namespace tz::fibers {

static constexpr const char *Variable = "TERRAZZO_FIBERS_FAULT";

std::string Faults::asked() {
  const char *text = std::getenv(Variable);
  return text ? text : "";
}

void logFault(const std::string &line) {
  if (const char *path = std::getenv("TERRAZZO_FIBERS_FAULT_LOG")) {
    std::ofstream(path, std::ios::app) << line << "\n";
  }
}

Faults::Faults() {
  const std::string text = asked();
  isListing = text == "list";
  auto [kind, index] = StringRef(text).rsplit(' ');
  if (!isListing && !text.empty() && index.getAsInteger(10, number)) {
    throw std::runtime_error(std::string(Variable) + " is '" + text +
                             "'; it must be 'list' or 'KIND NUMBER'");
  }
  wanted = kind.str();
}

std::optional<uint32_t> Faults::site(StringRef kind, const std::string &what) {
  const uint64_t mine = counts[kind]++;
  const uint32_t id = sites++;
  if (isListing) {
    logFault("site\t" + std::to_string(id) + "\t" + kind.str() + "\t" +
             std::to_string(mine) + "\t" + what);
    return id;
  }
  if (kind != wanted || mine != number) {
    return std::nullopt;
  }
  logFault("planted\t" + what);
  return id;
}

//===--- Before the lowering ----------------------------------------------===//

namespace {

std::string nameOf(mlir::Operation *op) {
  OpNames names;
  names.add(op);
  return OpNames::parse(names.text().c_str())[1];
}


/// The op before this one in its block that reads a slot: copies of it must not
/// begin before.
mlir::Operation *readBefore(mlir::Operation *op) {
  for (mlir::Operation *one = op->getPrevNode(); one; one = one->getPrevNode()) {
    const bool reads = llvm::any_of(one->getOperands(), [](mlir::Value value) {
      return isa<simt::BufferType>(value.getType());
    });
    if (reads && !isa<simt::BulkCopyOp, simt::AsyncCopyOp,
                      simt::AsyncCopyViewOp, simt::PermuteOp>(one)) {
      return one;
    }
  }
  return nullptr;
}

/// The next slot of the ring.
void readNext(simt::SlotOp slot) {
  mlir::OpBuilder b(slot);
  mlir::Location loc = slot.getLoc();
  auto number = [&](int64_t value) -> mlir::Value {
    return mlir::arith::ConstantOp::create(b, loc,
                                           b.getI32IntegerAttr(int32_t(value)));
  };
  mlir::Value next =
      mlir::arith::AddIOp::create(b, loc, slot.getIndex(), number(1));
  mlir::Value isLast = mlir::arith::CmpIOp::create(
      b, loc, mlir::arith::CmpIPredicate::eq, next,
      number(slot.getRing().getType().getCount()));
  slot.getIndexMutable().assign(
      mlir::arith::SelectOp::create(b, loc, isLast, number(0), next));
}

bool isFilled(simt::SlotOp slot) {
  return llvm::any_of(slot->getUsers(),
                      llvm::IsaPred<simt::BulkCopyOp, simt::AsyncCopyOp,
                                    simt::AsyncCopyViewOp>);
}

} // namespace

void Faults::before(mlir::Operation *op, StringRef kind,
                    function_ref<void()> plant) {
  std::optional<uint32_t> id = site(kind, nameOf(op));
  if (!id) {
    return;
  }
  // The op before it: this one may go.
  mlir::Operation *at = op->getPrevNode() ? op->getPrevNode() : op;
  SmallVector<int32_t> ids = {int32_t(*id)};
  if (auto others = at->getAttrOfType<mlir::DenseI32ArrayAttr>(SitesAttr)) {
    append_range(ids, others.asArrayRef());
  }
  at->setAttr(SitesAttr, mlir::DenseI32ArrayAttr::get(at->getContext(), ids));
  if (!isListing) {
    plant();
  }
}

void Faults::plantIn(tile::KernelOp kernel) {
  llvm::SmallVector<mlir::Operation *> all;
  kernel.walk([&](mlir::Operation *op) { all.push_back(op); });
  for (mlir::Operation *op : all) {
    if (auto slot = dyn_cast<simt::SlotOp>(op)) {
      if (slot.getRing().getType().getCount() > 1) {
        before(op, isFilled(slot) ? "fills the next slot" : "reads the next slot", [&] { readNext(slot); });
      }
    } else if (auto wait = dyn_cast<simt::AsyncWaitOp>(op)) {
      before(op, "async wait removed", [&] {
        // The barrier stays.
        mlir::OpBuilder b(op);
        simt::SyncOp::create(b, op->getLoc());
        op->erase();
      });
      before(op, "async wait a group early", [&] {
        wait.setPending(wait.getPending() + 1);
      });
    } else if (auto dots = dyn_cast<simt::DotWaitOp>(op)) {
      before(op, "dot wait a dot early", [&] {
        dots.setPending(dots.getPending() + 1);
      });
    } else if (isa<simt::AcquireOp>(op)) {
      before(op, "copy to a slot that is not released",
           [&] { op->erase(); });
    } else if (isa<simt::ReleaseOp>(op)) {
      before(op, "arrive removed", [&] { op->erase(); });
      if (mlir::Operation *read = readBefore(op)) {
        before(op, "release before the last read", [&] {
          op->moveBefore(read);
          for (mlir::Value operand : op->getOperands()) {
            mlir::Operation *made = operand.getDefiningOp();
            if (made && made->getBlock() == op->getBlock() &&
                op->isBeforeInBlock(made)) {
              made->moveBefore(op);
            }
          }
        });
      }
    } else if (isa<simt::BarrierWaitOp>(op)) {
      before(op, "wait for copies removed", [&] { op->erase(); });
    } else if (isa<simt::SyncOp>(op)) {
      before(op, "sync removed", [&] { op->erase(); });
    } else if (auto expect = dyn_cast<simt::ExpectOp>(op)) {
      for (int64_t bytes : {-16, 16}) {
        before(op, "expects wrong bytes", [&, bytes] {
          expect.setBytes(uint64_t(int64_t(expect.getBytes()) + bytes));
          });
      }
    }
  }
}

//===--- After it ---------------------------------------------------------===//

namespace {

void replaceArgument(CallInst &call, unsigned number, uint64_t value) {
  call.setArgOperand(
      number, ConstantInt::get(call.getArgOperand(number)->getType(), value));
}

void callInstead(CallInst &call, StringRef function) {
  call.setCalledFunction(call.getModule()->getOrInsertFunction(
      function, call.getFunctionType()));
}

uint64_t constantOf(const CallInst &call, unsigned number) {
  return cast<ConstantInt>(call.getArgOperand(number))->getZExtValue();
}

/// Exchanges put a barrier between their own writes and reads, and between
/// their rounds.
bool isExchange(StringRef op) {
  return op.starts_with("'simt.convert'") || op.starts_with("'tile.reduce'") ||
         op.starts_with("'tile.scan'") || op.starts_with("'tile.gather'") ||
         op.starts_with("'tile.reshape'") || op.starts_with("'tile.cat'") ||
         op.starts_with("'tile.histogram'");
}

} // namespace

void Faults::before(Instruction &instruction, StringRef kind,
                    const std::string &what, function_ref<void()> plant) {
  std::optional<uint32_t> id = site(kind, what);
  if (!id) {
    return;
  }
  IRBuilder<> b(&instruction);
  b.CreateCall(instruction.getModule()->getOrInsertFunction(
                   "fibers_site",
                   FunctionType::get(b.getVoidTy(), {b.getInt32Ty()}, false)),
               {b.getInt32(*id)});
  if (!isListing) {
    plant();
  }
}

void Faults::inCall(CallInst &call, const std::string &where) {
  const StringRef name = call.getCalledFunction()->getName();
  if (name == "fibers_barrier") {
    const uint64_t memories = constantOf(call, 1);
    before(call, isExchange(where) ? "exchange without its barrier" : "barrier removed",
         where, [&] { call.eraseFromParent(); });
    for (uint64_t bit : {1, 2}) {
      if (memories & bit) {
        before(call, "barrier orders too little", where,
             [&] { replaceArgument(call, 1, memories & ~bit); });
      }
    }
    before(call, "barrier without the last lanes", where, [&] {
      callInstead(call, "fibers_barrier_of_fewer");
    });
  } else if (name == "fibers_publish_staged" ||
             name == "fibers_publish_accesses") {
    before(call, "publication removed", where, [&] { call.eraseFromParent(); });
  } else if (name == "fibers_await_bulk_stores") {
    before(call, "wait for bulk stores removed", where, [&] { call.eraseFromParent(); });
    if (constantOf(call, 0) != 0) {
      before(call, "bulk stores read but not done", where,
           [&] { replaceArgument(call, 0, 0); });
    }
  } else if (name == "fibers_init_barriers") {
    before(call, "arrive count wrong", where,
         [&] { replaceArgument(call, 2, constantOf(call, 2) + 1); });
    if (constantOf(call, 2) > 1) {
      before(call, "arrive count wrong", where,
           [&] { replaceArgument(call, 2, constantOf(call, 2) - 1); });
    }
  } else if (name == "fibers_arrive") {
    before(call, "a warp does not arrive", where, [&] {
      callInstead(call, "fibers_arrive_but_one");
    });
  } else if (name == "fibers_wait_barrier") {
    before(call, "wait for the other phase", where, [&] {
      IRBuilder<> b(&call);
      call.setArgOperand(1, b.CreateXor(call.getArgOperand(1), 1));
    });
  } else if (name == "fibers_sync_blocks") {
    before(call, "cluster sync removed", where, [&] { call.eraseFromParent(); });
  } else if (name == "fibers_async_commit") {
    before(call, "commit removed", where, [&] { call.eraseFromParent(); });
  }
}

void Faults::plantIn(Function &function, const OpNames &ops) {
  const std::vector<std::string> names = OpNames::parse(ops.text().c_str());
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    if (auto *call = dyn_cast<CallInst>(&instruction)) {
      MDNode *op = call->getMetadata(OpMetadata);
      if (op && call->getCalledFunction()) {
        inCall(*call,
               names[mdconst::extract<ConstantInt>(op->getOperand(0))
                         ->getZExtValue()]);
      }
    } else if (isa<FenceInst>(instruction)) {
      before(instruction, "fence removed", "fence", [&] { instruction.eraseFromParent(); });
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
      if (update->getOrdering() != AtomicOrdering::Monotonic) {
        before(instruction, "atomic orders nothing", "atomicrmw", [&] {
              update->setOrdering(AtomicOrdering::Monotonic);
        });
        before(instruction, "atomic of too small a scope", "atomicrmw", [&] {
              update->setSyncScopeID(
              function.getContext().getOrInsertSyncScopeID(ProgramScope));
        });
      }
    } else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      if (swap->getSuccessOrdering() != AtomicOrdering::Monotonic) {
        before(instruction, "atomic orders nothing", "cmpxchg", [&] {
              swap->setSuccessOrdering(AtomicOrdering::Monotonic);
          swap->setFailureOrdering(AtomicOrdering::Monotonic);
        });
      }
    }
  }
}

} // namespace tz::fibers
