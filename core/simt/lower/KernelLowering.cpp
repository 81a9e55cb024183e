//===- KernelLowering.cpp - a kernel with layouts as an LLVM function -===//
//
// What   The function, its blocks, and the ops that move nothing.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "core/simt/CheckTarget.h"
#include "core/simt/analysis/Vectors.h"

#include "terrazzo/simt/LaunchPlan.h"
#include "terrazzo/simt/Work.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace llvm;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace tz::simt {

Lowered lower(tile::KernelOp kernel, SimtHooks &hooks, Module &module,
              const SourceLines &lines) {
  checkHooks(hooks, kernel, module.getContext());
  lowering::DebugInfo debug(module, kernel, lines.level, lines.form);
  Lowered lowered = KernelLowering(kernel, hooks, module, debug).run();
  debug.finish();
  return lowered;
}

KernelLowering::KernelLowering(tile::KernelOp kernel, SimtHooks &hooks,
                               Module &module, lowering::DebugInfo &debug)
    : kernel(kernel), hooks(hooks), computesMuch(workOf(kernel).computesMuch()),
      module(module), debug(debug), context(module.getContext()), b(context),
      arithmetic(hooks.elementwise(b)), runs(kernel) {
  if (auto hint = kernel->getAttrOfType<mlir::IntegerAttr>("tile.num_warps")) {
    warps = unsigned(hint.getInt());
  }
  if (hooks.takesUniform()) {
    uniform.emplace(kernel, runs);
  }
  auto contract = kernel->getAttrOfType<mlir::BoolAttr>("tile.contract");
  if (!contract || contract.getValue()) {
    FastMathFlags flags;
    flags.setAllowContract();
    b.setFastMathFlags(flags);
  }
}

Lowered KernelLowering::run() {
  entry();
  beginParts();
  emitBlock(kernel.getBody().front());
  endParts();
  b.CreateBr(exitBlock);
  exitBlock->insertInto(function);
  b.SetInsertPoint(exitBlock);
  if (!bulkStoresIn(kernel).memory.empty()) {
    hooks.awaitBulkStores(b, /*areDone=*/false); // shared memory goes
  }
  if (result.clusterBlocks > 1) {
    hooks.syncBlocks(b); // the others do not arrive here any more
  }
  b.CreateRetVoid();
  result.function = function;
  result.threads = hooks.lanes() * (warps + copyWarps);
  result.sharedBytes = scratch.highWater();
  return std::move(result);
}

/// Is what a stage or a slot holds read by an instruction in its own way?
bool KernelLowering::isPublished(mlir::Operation *buffer) const {
  return llvm::any_of(buffer->getUsers(), [&](mlir::Operation *user) {
    auto dot = dyn_cast<DotOp>(user);
    return (dot && dot.getInstruction() && hooks.readsPublished(dot)) ||
           (isa<PermuteOp>(user) && isPublished(user));
  });
}

/// The kernel's own arguments, then descriptors, axes of the grid, the counter
/// of programs and the log.
KernelLowering::Parameters KernelLowering::declare() {
  SmallVector<Type *> types;
  for (mlir::Type type : kernel.getArgumentTypes()) {
    types.push_back(registerType(type));
  }
  const auto descriptors = unsigned(types.size());
  types.append(result.descriptors.size(), b.getPtrTy());
  const auto axes = unsigned(types.size());
  types.append(result.gridAxes.size(), b.getInt32Ty());
  result.countsPrograms = countsPrograms();
  const auto counter = unsigned(types.size());
  types.append(unsigned(result.countsPrograms) + unsigned(result.usesLog),
               b.getPtrTy(arithmetic->addressSpaces().device));
  function = Function::Create(FunctionType::get(b.getVoidTy(), types, false),
                              GlobalValue::ExternalLinkage, kernel.getSymName(),
                              module);
  debug.setEntry(function);
  return {descriptors, axes, counter};
}

void KernelLowering::bindParameters(const Parameters &parameters) {
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
    function->getArg(i)->setName(kernel.getArgName(i));
    scalars[argument] = function->getArg(i);
  }
  result.descriptorBytes = hooks.descriptorBytes();
  Type *bytes = ArrayType::get(b.getInt8Ty(), result.descriptorBytes);
  for (auto [i, descriptor] : llvm::enumerate(result.descriptors)) {
    Argument *argument = function->getArg(parameters.descriptors + unsigned(i));
    argument->setName("descriptor");
    argument->addAttr(Attribute::getWithByValType(context, bytes));
    argument->addAttr(Attribute::getWithAlignment(
        context, Align(hooks.descriptorAlignment())));
    scalars[descriptor] = argument;
  }
  for (auto [i, axis] : llvm::enumerate(result.gridAxes)) {
    function->getArg(parameters.axes + unsigned(i))->setName("grid");
  }
  kernel.walk([&](LogicalGridOp op) {
    const auto *axis = llvm::find(result.gridAxes, op.getAxis());
    scalars[op] = function->getArg(parameters.axes +
                                   unsigned(axis - result.gridAxes.begin()));
  });
  if (result.usesLog) {
    log = function->getArg(function->arg_size() - 1);
    log->setName("log");
  }
}

void KernelLowering::takeThread(Value *index) {
  thread = index;
  thread->setName("thread");
  lane = b.CreateAnd(thread, hooks.lanes() - 1, "lane");
  warp = warps == 1 ? b.getInt32(0)
                    : b.CreateLShr(thread, Log2_32(hooks.lanes()), "warp");
  if (uniform) {
    warp = uniformAny(warp);
  }
}

void KernelLowering::findThread() {
  takeThread(hooks.threadInBlock(b));
  shared = hooks.sharedMemory(b);
  checkShared(*shared, arithmetic->addressSpaces());
}

void KernelLowering::entry() {
  kernel.walk([&](mlir::Operation *op) {
    result.usesLog |= isa<tile::PrintOp, tile::AssertOp, tile::RecordOp>(op);
    hasParts |= isa<tile::RecordOp>(op);
    copiesArePublished |= isa<SlotOp>(op) && isPublished(op);
    if (auto descriptor = dyn_cast<DescriptorOp>(op)) {
      result.descriptors.push_back(descriptor);
    }
  });
  result.gridAxes = gridAxes(kernel);
  result.clusterBlocks = clusterBlocks(kernel);
  result.splitBlocks = splitBlocks(kernel);
  const Parameters parameters = declare();
  function->addFnAttr(Attribute::NoUnwind);
  BasicBlock *entryBlock = BasicBlock::Create(context, "entry", function);
  exitBlock = BasicBlock::Create(context, "exit");
  b.SetInsertPoint(entryBlock);
  bindParameters(parameters);
  findThread();
  if (!result.descriptors.empty()) {
    isChosen = hooks.isChosenLane(b);
    byOneThread(nullptr, [&] {
      for (mlir::Value descriptor : result.descriptors) {
        hooks.prefetchDescriptor(b, scalar(descriptor));
      }
    });
  }
  threadBlock = b.GetInsertBlock();
  BasicBlock *body = BasicBlock::Create(context, "body", function);
  b.CreateBr(body);
  b.SetInsertPoint(body);
  if (result.countsPrograms) {
    Argument *counter = function->getArg(parameters.counter);
    counter->setName("counter");
    takeProgram(counter);
  }
}

void KernelLowering::refuse(mlir::Operation *op, const std::string &why) {
  throw Unsupported(op->getLoc(), why);
}

Type *KernelLowering::registerType(mlir::Type element) {
  if (Type *known = arithmetic->type(element)) {
    return known;
  }
  throw Unsupported(kernel.getLoc(), "a value of unknown type");
}

BasicBlock *KernelLowering::block(const char *name) {
  return BasicBlock::Create(context, name, function);
}

void KernelLowering::synchronize(Memories memories) {
  if (hazards.isUnpublished) {
    hooks.publishStaged(b);
    memories = memories | Memories::shared;
  }
  hooks.barrier(b, memories, workers);
  hazards.settle(memories | hooks.barrierOrders(memories));
}

void KernelLowering::noteAccesses() {
  if (hazards.count() != accessesSeen) {
    accessesSeen = hazards.count();
    lastAccess =
        b.GetInsertBlock()->empty() ? nullptr : &b.GetInsertBlock()->back();
  }
}

/// Is there an instruction that does something between the two?
static bool hasWorkBehind(Instruction *first) {
  return llvm::any_of(
      make_range(std::next(first->getIterator()), first->getParent()->end()),
      [](const Instruction &one) {
        return !isa<GetElementPtrInst, CastInst, ExtractElementInst,
                    InsertElementInst>(one);
      });
}

bool KernelLowering::arriveEarly(Memories memories) {
  // What this op has accessed before it needed a barrier stands behind.
  if (!hooks.splitsBarriers() || !lastAccess ||
      hazards.count() != accessesSeen ||
      lastAccess->getParent() != b.GetInsertBlock() ||
      lastAccess->isTerminator() || !hasWorkBehind(lastAccess)) {
    return false;
  }
  IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(std::next(lastAccess->getIterator()));
  if (hazards.isUnpublished) {
    hooks.publishStaged(b);
  }
  hooks.arriveAtBarrier(b, memories, workers);
  return true;
}

void KernelLowering::separate(Memories memories) {
  const Memories all =
      hazards.isUnpublished ? memories | Memories::shared : memories;
  if (!arriveEarly(all)) {
    synchronize(memories);
    return;
  }
  hooks.awaitBarrier(b, all, workers);
  hazards.settle(all | hooks.barrierOrders(all));
}

Region KernelLowering::allocate(uint64_t bytes, uint64_t alignment) {
  alignment = std::max(alignment, uint64_t(hooks.vectorBytes()));
  result.sharedAlignment = std::max(result.sharedAlignment, alignment);
  return scratch.allocate(bytes, hazards.sinceBarrier(), alignment);
}

int64_t KernelLowering::mostOfVector(int64_t elementBytes) const {
  return tz::simt::mostOfVector(hooks.vectorBytes(), elementBytes);
}

void KernelLowering::willAccess(const Accesses &accesses) {
  if (hazards.needsBulkWrites(accesses) || hazards.needsBulkReads(accesses)) {
    awaitBulkStores(hazards.needsBulkWrites(accesses));
  }
  const Memories needed = hazards.needsBarrier(accesses);
  if (needed != Memories::none) {
    separate(needed);
  }
  hazards.note(accesses);
}

void KernelLowering::emitIf(Value *condition, function_ref<void()> then) {
  BasicBlock *yes = block("then"), *after = block("after");
  b.CreateCondBr(condition, yes, after);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

Value *KernelLowering::scalar(mlir::Value value) {
  auto found = scalars.find(value);
  assert(found != scalars.end() && "used before it was emitted");
  return found->second;
}

const Registers &KernelLowering::tile(mlir::Value value) {
  auto found = tiles.find(value);
  assert(found != tiles.end() && "used before it was emitted");
  return found->second;
}

const ViewParts &KernelLowering::view(mlir::Value value) {
  auto found = views.find(value);
  assert(found != views.end() && "used before it was emitted");
  return found->second;
}

void KernelLowering::define(mlir::Value value, Registers registers) {
  if (isa<mlir::RankedTensorType>(value.getType())) {
    tiles[value] = std::move(registers);
  } else {
    scalars[value] = registers.front();
  }
}

void KernelLowering::define(mlir::Value value, Value *one) {
  scalars[value] = one;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The block in which shared memory is used and freed: of what both halves of a
/// kernel use, that of the half which reads.
static mlir::Block *home(mlir::Value value) {
  mlir::Block *block = value.getParentBlock();
  auto both =
      dyn_cast_or_null<SpecializeOp>(block->getTerminator()->getPrevNode());
  return both ? both.workBlock() : block;
}

void KernelLowering::emitBlock(mlir::Block &body) {
  for (mlir::Operation &op : body.without_terminator()) {
    emitOp(&op);
    noteAccesses();
    makeUniform(&op);
    // Staged tiles whose last reader this was.
    auto isLast = [&](auto &isLast, mlir::Value value) -> bool {
      return home(value) == &body &&
             llvm::all_of(value.getUsers(), [&](mlir::Operation *user) {
               mlir::Operation *here = body.findAncestorOpInBlock(*user);
               return (!here || here == &op || here->isBeforeInBlock(&op)) &&
                      (!isa<PermuteOp>(user) ||
                       isLast(isLast, user->getResult(0)));
             });
    };
    auto release = [&](mlir::Value value, const Region &region) {
      // Once: its place may have another owner by now.
      if (isLast(isLast, value) && released.insert(value).second) {
        scratch.release(region);
      }
    };
    for (mlir::Value operand : op.getOperands()) {
      while (auto permute = operand.getDefiningOp<PermuteOp>()) {
        operand = permute.getSource();
      }
      auto buffer = buffers.find(operand);
      if (buffer != buffers.end() && !buffer->second.isSlot) {
        release(operand, buffer->second.region);
      }
    }
    if (op.getNumRegions() != 0 || isa<BarriersEndOp, AsyncWaitOp>(op)) {
      for (auto &[value, region] : rings) {
        // Barriers that nobody ends stay.
        if (!isa<BarriersType>(value.getType()) ||
            (home(value) == value.getParentBlock() &&
             result.clusterBlocks == 1)) {
          release(value, region);
        }
      }
      for (auto &[value, buffer] : buffers) {
        if (!buffer.isSlot && !value.getDefiningOp<PermuteOp>()) {
          release(value, buffer.region);
        }
      }
    }
  }
}

void KernelLowering::emitAccess(mlir::Operation *op) {
  TypeSwitch<mlir::Operation *>(op)
      .Case<tile::LoadOp>([&](auto o) { load(o); })
      .Case<tile::StoreOp>([&](auto o) { store(o); })
      .Case<tile::LoadViewOp>([&](auto o) { loadView(o); })
      .Case<tile::StoreViewOp>([&](auto o) {
        storeView(o);
        if (o->hasAttr(InsteadOfBulk)) {
          hooks.publishAccesses(b);
          hazards.publishAccesses();
        }
      })
      .Case<tile::AtomicRMWOp>([&](auto o) { atomicRmw(o); })
      .Case<tile::AtomicCASOp>([&](auto o) { atomicCas(o); })
      .Case<LoadBlockOp>([&](auto o) { loadBlock(o); })
      .Case<StoreBlockOp>([&](auto o) { storeBlock(o); });
}

void KernelLowering::emitPipelined(mlir::Operation *op) {
  TypeSwitch<mlir::Operation *>(op)
      .Case<RingOp>([&](auto o) { ring(o); })
      .Case<SlotOp>([&](auto o) { slot(o); })
      .Case<ReadOp>([&](auto o) { read(o); })
      .Case<WriteOp>([&](auto o) { write(o); })
      .Case<PackOp>([&](auto o) { pack(o); })
      .Case<UnpackOp>([&](auto o) { unpack(o); })
      .Case<AsyncCopyOp>([&](auto o) { asyncCopy(o); })
      .Case<AsyncCopyViewOp>([&](auto o) { asyncCopyView(o); })
      .Case<AsyncCommitOp>([&](auto) { hooks.asyncCommit(b); })
      .Case<AsyncWaitOp>([&](auto o) { asyncWait(o); })
      .Case<DotWaitOp>([&](auto o) { dotWait(o); })
      .Case<DescriptorOp, LogicalGridOp>([](auto) {}) // arguments
      .Case<BarriersOp>([&](auto o) { barriers(o); })
      .Case<BarriersEndOp>([&](auto o) { barriersEnd(o); })
      .Case<SyncOp>([&](auto) { synchronize(Memories::shared); })
      .Case<ExpectOp>([&](auto o) { expect(o); })
      .Case<BulkCopyOp>([&](auto o) { bulkCopy(o); })
      .Case<AcquireOp>([&](auto o) { acquire(o); })
      .Case<ReleaseOp>([&](auto o) { release(o); })
      .Case<SpecializeOp>([&](auto o) { specialize(o); })
      .Case<BarrierWaitOp>([&](auto o) { barrierWait(o); })
      .Case<BulkStoreOp>([&](auto o) { bulkStore(o); })
      .Case<PrefetchBlockOp>([&](auto o) { prefetchBlock(o); })
      .Case<BlockSumOp>([&](auto o) { blockSum(o); })
      .Case<FirstBlockOp>([&](auto) { firstBlock(); })
      .Case<BeginRegionOp>([&](auto o) { hooks.beginRegion(b, o.getName()); })
      .Case<EndRegionOp>([&](auto o) { hooks.endRegion(b, o.getName()); })
      .Default([&](mlir::Operation *) { emitSimple(op); });
}

void KernelLowering::emitOp(mlir::Operation *op) {
  if (!inScalarRegion) {
    if (debug.isWanted()) {
      b.SetCurrentDebugLocation(debug.at(op->getLoc()));
    }
    hooks.beginOp(b, op);
  }
  if (auto select = dyn_cast<mlir::arith::SelectOp>(op);
      select && isa<tile::ViewType>(select.getType())) {
    selectView(select);
    return;
  }
  if (lowering::Elementwise::has(op)) {
    elementwise(op);
    return;
  }
  TypeSwitch<mlir::Operation *>(op)
      .Case<tile::LoadOp, tile::StoreOp, tile::LoadViewOp, tile::StoreViewOp,
            tile::AtomicRMWOp, tile::AtomicCASOp, LoadBlockOp, StoreBlockOp>(
          [&](auto o) {
            willAccess(accessesOf(o));
            emitAccess(o);
          })
      .Case<tile::MakeViewOp>([&](auto o) { makeView(o); })
      .Case<tile::AdvanceViewOp>([&](auto o) { advanceView(o); })
      .Case<tile::ViewPartsOp>([&](auto o) { viewParts(o); })
      .Case<ConvertOp>([&](auto o) { convert(o); })
      .Case<StageOp>([&](auto o) { stage(o); })
      .Case<PermuteOp>([&](auto o) {
        const Buffer buffer = buffers.find(o.getSource())->second;
        buffers[o.getResult()] = buffer;
      })
      .Case<DotOp>([&](auto o) { dot(o); })
      .Case<tile::CatOp>([&](auto o) { cat(o); })
      .Case<tile::GatherOp>([&](auto o) { gatherOp(o); })
      .Case<tile::HistogramOp>([&](auto o) { histogram(o); })
      .Case<tile::ReduceOp>([&](auto o) { reduce(o); })
      .Case<tile::ScanOp>([&](auto o) { scan(o); })
      .Case<tile::MapOp>([&](auto o) { map(o); })
      .Case<scf::ForOp>([&](auto o) { forOp(o); })
      .Case<scf::IfOp>([&](auto o) { ifOp(o); })
      .Case<scf::WhileOp>([&](auto o) { whileOp(o); })
      .Case<tile::PrintOp>([&](auto o) { print(o); })
      .Case<tile::AssertOp>([&](auto o) { assertOp(o); })
      .Case<tile::RecordOp>([&](auto o) { record(o); })
      .Default([&](mlir::Operation *) { emitPipelined(op); });
}

} // namespace tz::simt
