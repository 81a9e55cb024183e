//===- FibersFaults.cpp - an ordering that is wrong on purpose ------------===//
//
// What   See FibersFaults.h.
// Why    See FibersFaults.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersFaults.h"

#include "test/fibers/FibersAccesses.h"
#include "test/fibers/FibersMatrix.h"

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
  for (mlir::Operation *one = op->getPrevNode(); one;
       one = one->getPrevNode()) {
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
void takeNext(simt::SlotOp slot) {
  mlir::OpBuilder b(slot);
  mlir::Location loc = slot.getLoc();
  auto number = [&](int64_t value) -> mlir::Value {
    return mlir::arith::ConstantOp::create(b, loc,
                                           b.getI32IntegerAttr(int32_t(value)));
  };
  mlir::Value next =
      mlir::arith::AddIOp::create(b, loc, slot.getIndex(), number(1));
  mlir::Value isLast =
      mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::eq, next,
                                  number(slot.getRing().getType().getCount()));
  slot.getIndexMutable().assign(
      mlir::arith::SelectOp::create(b, loc, isLast, number(0), next));
}

/// With what it is made of.
void moveBefore(mlir::Operation *op, mlir::Operation *at) {
  op->moveBefore(at);
  for (mlir::Value operand : op->getOperands()) {
    mlir::Operation *made = operand.getDefiningOp();
    if (made && made->getBlock() == op->getBlock() &&
        op->isBeforeInBlock(made)) {
      moveBefore(made, op);
    }
  }
}

bool isFill(mlir::Operation *op) {
  return isa<simt::BulkCopyOp, simt::AsyncCopyOp, simt::AsyncCopyViewOp>(op);
}

/// Who fills it, or reads it first; null: nobody.
mlir::Operation *userOf(mlir::Operation *slot) {
  for (mlir::Operation *user : slot->getUsers()) {
    if (isFill(user) || isa<simt::DotOp, simt::ReadOp>(user)) {
      return user;
    }
    if (isa<simt::PermuteOp>(user)) {
      if (mlir::Operation *found = userOf(user)) {
        return found;
      }
    }
  }
  return nullptr;
}

} // namespace

bool Faults::inOp(mlir::Operation *op, mlir::Operation *at, StringRef kind,
                  function_ref<void()> plant) {
  std::optional<uint32_t> id = site(kind, nameOf(op));
  if (!id) {
    return false;
  }
  SmallVector<int32_t> ids = {int32_t(*id)};
  if (auto others = at->getAttrOfType<mlir::DenseI32ArrayAttr>(SitesAttr)) {
    append_range(ids, others.asArrayRef());
  }
  at->setAttr(SitesAttr, mlir::DenseI32ArrayAttr::get(at->getContext(), ids));
  if (!isListing) {
    plant();
  }
  return !isListing;
}

void Faults::plantIn(tile::KernelOp kernel) {
  SmallVector<mlir::Operation *> all;
  kernel.walk([&](mlir::Operation *op) { all.push_back(op); });
  for (mlir::Operation *op : all) {
    if (auto slot = dyn_cast<simt::SlotOp>(op)) {
      mlir::Operation *user = userOf(slot);
      if (user && slot.getRing().getType().getCount() > 1 &&
          inOp(op, user,
               isFill(user) ? "fills the next slot" : "reads the next slot",
               [&] { takeNext(slot); })) {
        return;
      }
    } else if (isa<simt::ReleaseOp>(op)) {
      mlir::Operation *read = readBefore(op);
      if (read && inOp(op, op, "release before the last read",
                       [&] { moveBefore(op, read); })) {
        return;
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
  call.setCalledFunction(
      call.getModule()->getOrInsertFunction(function, call.getFunctionType()));
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

bool isAccess(const Instruction &instruction) {
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (!pointer && instruction.isAtomic() && !isa<FenceInst>(instruction)) {
    pointer = instruction.getOperand(0);
  }
  const unsigned space =
      pointer ? pointer->getType()->getPointerAddressSpace() : 0;
  return space == FiberSpaces.device || space == FiberSpaces.shared;
}

template <typename Range>
Instruction *firstAccess(Range &&range) {
  auto found = llvm::find_if(range, isAccess);
  return found == range.end() ? nullptr : &*found;
}

/// What stands behind the next access, which may be in a branch for the lanes
/// that its mask lets through; null: there is none so near.
Instruction *behindAccess(Instruction &from) {
  BasicBlock *block = from.getParent();
  if (Instruction *found = firstAccess(
          make_range(std::next(from.getIterator()), block->end()))) {
    return found->getNextNode();
  }
  auto *branch = dyn_cast<BranchInst>(block->getTerminator());
  if (!branch || !branch->isConditional()) {
    return nullptr;
  }
  BasicBlock *then = branch->getSuccessor(0), *join = branch->getSuccessor(1);
  return then->getSingleSuccessor() == join &&
                 join->getUniquePredecessor() == nullptr && firstAccess(*then)
             ? &*join->getFirstInsertionPt()
             : nullptr;
}

/// The access before it in its block; null: there is none.
Instruction *accessBefore(Instruction &from) {
  return firstAccess(make_range(std::next(from.getReverseIterator()),
                                from.getParent()->rend()));
}

} // namespace

bool Faults::inCode(Instruction &instruction, StringRef kind,
                    const std::string &what, function_ref<void()> plant) {
  std::optional<uint32_t> id = site(kind, what);
  if (!id) {
    return false;
  }
  IRBuilder<> b(&instruction);
  // Who does not arrive does not reach it.
  auto *call = dyn_cast<CallInst>(&instruction);
  const StringRef name = call && call->getCalledFunction()
                             ? call->getCalledFunction()->getName()
                             : "";
  const bool arrives = name == "fibers_arrive",
             makes = name == "fibers_init_barriers",
             isAt = arrives || makes || name == "fibers_wait_barrier";
  Value *isHere = arrives ? call->getArgOperand(1) : b.getInt32(1),
        *barriers = isAt ? call->getArgOperand(0)
                         : ConstantPointerNull::get(b.getPtrTy()),
        *count = makes ? call->getArgOperand(1) : b.getInt32(isAt);
  b.CreateCall(instruction.getModule()->getOrInsertFunction(
                   "fibers_site", b.getVoidTy(), b.getInt32Ty(), b.getInt32Ty(),
                   b.getPtrTy(), b.getInt32Ty()),
               {b.getInt32(*id), isHere, barriers, count});
  if (!isListing) {
    plant();
  }
  return !isListing;
}

bool Faults::inBarrier(CallInst &call, const std::string &where) {
  const uint64_t memories = constantOf(call, 1);
  if (inCode(call,
             isExchange(where) ? "exchange without its barrier"
                               : "barrier removed",
             where, [&] { call.eraseFromParent(); })) {
    return true;
  }
  for (uint64_t bit : {1, 2}) {
    if ((memories & bit) &&
        inCode(call, "barrier orders too little", where,
               [&] { replaceArgument(call, 1, memories & ~bit); })) {
      return true;
    }
  }
  return inCode(call, "barrier without the last lanes", where,
                [&] { callInstead(call, "fibers_barrier_of_fewer"); });
}

/// Barriers at which threads arrive before they wait.
bool Faults::inSplitBarrier(CallInst &call, const std::string &where) {
  const StringRef name = call.getCalledFunction()->getName();
  if (name == "fibers_arrive_at_barrier") {
    const uint64_t memories = constantOf(call, 1);
    for (uint64_t bit : {1, 2}) {
      if ((memories & bit) &&
          inCode(call, "split arrival orders too little", where,
                 [&] { replaceArgument(call, 1, memories & ~bit); })) {
        return true;
      }
    }
    Instruction *access = accessBefore(call);
    return (access &&
            inCode(call, "split arrival before the access", where,
                   [&] { call.moveBefore(access->getIterator()); })) ||
           inCode(call, "split arrival removed", where,
                  [&] { call.eraseFromParent(); });
  }
  if (name != "fibers_await_barrier") {
    return false;
  }
  Instruction *behind = behindAccess(call);
  return (behind && inCode(call, "split wait behind the access", where,
                           [&] { call.moveBefore(behind->getIterator()); })) ||
         inCode(call, "split wait removed", where,
                [&] { call.eraseFromParent(); });
}

/// Barriers with phases.
bool Faults::inPhases(CallInst &call, const std::string &where) {
  const StringRef name = call.getCalledFunction()->getName();
  if (name == "fibers_init_barriers") {
    const uint64_t arrivals = constantOf(call, 2);
    return inCode(call, "arrive count wrong", where,
                  [&] { replaceArgument(call, 2, arrivals + 1); }) ||
           (arrivals > 1 && inCode(call, "arrive count wrong", where, [&] {
              replaceArgument(call, 2, arrivals - 1);
            }));
  }
  if (name == "fibers_arrive") {
    return inCode(call, "a warp does not arrive", where,
                  [&] { callInstead(call, "fibers_arrive_but_one"); }) ||
           inCode(call, "arrive removed", where,
                  [&] { call.eraseFromParent(); });
  }
  if (name == "fibers_expect_bytes") {
    const uint64_t bytes = constantOf(call, 1);
    return inCode(call, "expects wrong bytes", where,
                  [&] { replaceArgument(call, 1, bytes - 16); }) ||
           inCode(call, "expects wrong bytes", where,
                  [&] { replaceArgument(call, 1, bytes + 16); });
  }
  if (name == "fibers_sync_blocks") {
    return inCode(call, "cluster sync removed", where,
                  [&] { call.eraseFromParent(); });
  }
  if (name != "fibers_wait_barrier") {
    return false;
  }
  const bool isAcquire = StringRef(where).starts_with("'simt.acquire'");
  return inCode(call,
                isAcquire ? "copy to a slot that is not released"
                          : "wait for copies removed",
                where, [&] { call.eraseFromParent(); }) ||
         inCode(call, "wait for the other phase", where, [&] {
           IRBuilder<> b(&call);
           call.setArgOperand(1, b.CreateXor(call.getArgOperand(1), 1));
         });
}

/// Of what works beside the threads.
bool Faults::inWait(CallInst &call, const std::string &where) {
  const StringRef name = call.getCalledFunction()->getName();
  auto removed = [&](StringRef kind) {
    return inCode(call, kind, where, [&] { call.eraseFromParent(); });
  };
  if (name == "fibers_async_commit") {
    return removed("commit removed");
  }
  if (name == "fibers_async_wait") {
    return inCode(call, "async wait a group early", where,
                  [&] { callInstead(call, "fibers_async_wait_early"); }) ||
           removed("async wait removed");
  }
  if (name == "fibers_wait_dots") {
    return inCode(call, "dot wait a dot early", where,
                  [&] { callInstead(call, "fibers_wait_dots_early"); });
  }
  if (name == "fibers_await_bulk_stores") {
    return (constantOf(call, 0) != 0 &&
            inCode(call, "bulk stores read but not done", where,
                   [&] { replaceArgument(call, 0, 0); })) ||
           removed("wait for bulk stores removed");
  }
  return (name == "fibers_publish_staged" ||
          name == "fibers_publish_accesses") &&
         removed("publication removed");
}

bool Faults::inCall(CallInst &call, const std::string &where) {
  return call.getCalledFunction()->getName() == "fibers_barrier"
             ? inBarrier(call, where)
             : inSplitBarrier(call, where) || inPhases(call, where) ||
                   inWait(call, where);
}

/// The number of the program by its coordinates, x fastest.
static Value *ownNumber(IRBuilder<> &b, Module &module) {
  auto ask = [&](StringRef function, uint32_t axis) {
    return b.CreateCall(
        module.getOrInsertFunction(function, b.getInt32Ty(), b.getInt32Ty()),
        {b.getInt32(axis)});
  };
  Value *number = ask("fibers_program", 2);
  for (uint32_t axis : {1, 0}) {
    number = b.CreateAdd(b.CreateMul(number, ask("fibers_programs", axis)),
                         ask("fibers_program", axis));
  }
  return number;
}

bool Faults::inAtomic(Instruction &instruction) {
  const SyncScope::ID program =
      instruction.getContext().getOrInsertSyncScopeID(ProgramScope);
  if (isa<FenceInst>(instruction)) {
    return inCode(instruction, "fence removed", "a fence",
                  [&] { instruction.eraseFromParent(); });
  }
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    auto *counter = dyn_cast<Argument>(update->getPointerOperand());
    if (counter && counter->getName() == "counter") {
      return inCode(instruction, "program not of the counter",
                    "the ticket counter", [&] {
                      IRBuilder<> b(&instruction);
                      instruction.replaceAllUsesWith(
                          ownNumber(b, *instruction.getModule()));
                    });
    }
    return update->getOrdering() != AtomicOrdering::Monotonic &&
           (inCode(instruction, "atomic orders nothing", "an atomic",
                   [&] { update->setOrdering(AtomicOrdering::Monotonic); }) ||
            inCode(instruction, "atomic of too small a scope", "an atomic",
                   [&] { update->setSyncScopeID(program); }));
  }
  auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction);
  return swap && swap->getSuccessOrdering() != AtomicOrdering::Monotonic &&
         (inCode(instruction, "atomic orders nothing", "an atomic",
                 [&] {
                   swap->setSuccessOrdering(AtomicOrdering::Monotonic);
                   swap->setFailureOrdering(AtomicOrdering::Monotonic);
                 }) ||
          inCode(instruction, "atomic of too small a scope", "an atomic",
                 [&] { swap->setSyncScopeID(program); }));
}

void Faults::plantIn(Function &function, const OpNames &ops) {
  const std::vector<std::string> names = OpNames::parse(ops.text().c_str());
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    MDNode *op = call ? call->getMetadata(OpMetadata) : nullptr;
    if (op && call->getCalledFunction()
            ? inCall(*call,
                     names[mdconst::extract<ConstantInt>(op->getOperand(0))
                               ->getZExtValue()])
            : inAtomic(instruction)) {
      return;
    }
  }
}

} // namespace tz::fibers
