//===- KernelLowering.cpp - a kernel with layouts as an LLVM function -===//
//
// What   The function, its blocks, and the ops that move nothing.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "core/simt/CheckTarget.h"
#include "core/simt/analysis/Vectors.h"

#include "terrazzo/simt/LaunchPlan.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace llvm;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace tz::simt {

Lowered lower(tile::KernelOp kernel, SimtHooks &hooks, Module &module) {
  checkHooks(hooks, kernel, module.getContext());
  return KernelLowering(kernel, hooks, module).run();
}

KernelLowering::KernelLowering(tile::KernelOp kernel, SimtHooks &hooks,
                               Module &module)
    : kernel(kernel), hooks(hooks), module(module),
      context(module.getContext()), b(context),
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
  emitBlock(kernel.getBody().front());
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

void KernelLowering::entry() {
  kernel.walk([&](mlir::Operation *op) {
    result.usesLog |= isa<tile::PrintOp, tile::AssertOp>(op);
    copiesArePublished |= isa<SlotOp>(op) && isPublished(op);
    if (auto descriptor = dyn_cast<DescriptorOp>(op)) {
      result.descriptors.push_back(descriptor);
    }
  });
  result.gridAxes = gridAxes(kernel);
  result.clusterBlocks = clusterBlocks(kernel);
  SmallVector<Type *> types;
  for (mlir::Type type : kernel.getArgumentTypes()) {
    types.push_back(registerType(type));
  }
  const auto firstDescriptor = unsigned(types.size());
  types.append(result.descriptors.size(), b.getPtrTy());
  const auto firstAxis = unsigned(types.size());
  types.append(result.gridAxes.size(), b.getInt32Ty());
  if (result.usesLog) {
    types.push_back(b.getPtrTy(arithmetic->addressSpaces().device));
  }
  function = Function::Create(FunctionType::get(b.getVoidTy(), types, false),
                              GlobalValue::ExternalLinkage, kernel.getSymName(),
                              module);
  function->addFnAttr(Attribute::NoUnwind);
  entryBlock = BasicBlock::Create(context, "entry", function);
  exitBlock = BasicBlock::Create(context, "exit");
  b.SetInsertPoint(entryBlock);
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
    function->getArg(i)->setName(kernel.getArgName(i));
    scalars[argument] = function->getArg(i);
  }
  result.descriptorBytes = hooks.descriptorBytes();
  Type *bytes = ArrayType::get(b.getInt8Ty(), result.descriptorBytes);
  for (auto [i, descriptor] : llvm::enumerate(result.descriptors)) {
    Argument *argument = function->getArg(firstDescriptor + unsigned(i));
    argument->setName("descriptor");
    argument->addAttr(Attribute::getWithByValType(context, bytes));
    argument->addAttr(Attribute::getWithAlignment(
        context, Align(hooks.descriptorAlignment())));
    scalars[descriptor] = argument;
  }
  for (auto [i, axis] : llvm::enumerate(result.gridAxes)) {
    function->getArg(firstAxis + unsigned(i))->setName("grid");
  }
  kernel.walk([&](LogicalGridOp op) {
    const auto *axis = llvm::find(result.gridAxes, op.getAxis());
    scalars[op] =
        function->getArg(firstAxis + unsigned(axis - result.gridAxes.begin()));
  });
  if (result.usesLog) {
    log = function->getArg(types.size() - 1);
    log->setName("log");
  }
  thread = hooks.threadInBlock(b);
  thread->setName("thread");
  lane = b.CreateAnd(thread, hooks.lanes() - 1, "lane");
  warp = warps == 1 ? b.getInt32(0)
                    : b.CreateLShr(thread, Log2_32(hooks.lanes()), "warp");
  if (uniform) {
    warp = uniformAny(warp);
  }
  shared = hooks.sharedMemory(b);
  checkShared(*shared, arithmetic->addressSpaces());
  if (!result.descriptors.empty()) {
    isChosen = hooks.isChosenLane(b);
    byOneThread(nullptr, [&] {
      for (mlir::Value descriptor : result.descriptors) {
        hooks.prefetchDescriptor(b, scalar(descriptor));
      }
    });
  }
  // What depends on the thread alone is computed at the end of the entry.
  BasicBlock *body = BasicBlock::Create(context, "body", function);
  b.CreateBr(body);
  b.SetInsertPoint(body);
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
    if (op.getNumRegions() != 0 || isa<BarriersEndOp>(op)) {
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

void KernelLowering::constant(arith::ConstantOp op) {
  mlir::TypedAttr attribute = op.getValue();
  auto dense = dyn_cast<mlir::DenseElementsAttr>(attribute);
  auto number = [&](mlir::Attribute one) -> Value * {
    Constant *value = arithmetic->constant(cast<mlir::TypedAttr>(one));
    if (!value) {
      refuse(op, "a constant that is not a number");
    }
    return value;
  };
  if (!dense) {
    define(op, number(attribute));
    return;
  }
  LayoutAttr layout = layoutAttr(op.getType());
  const auto count = unsigned(layout.getValue().size(Axis::Register));
  if (dense.isSplat()) {
    define(op,
           Registers(count, number(dense.getSplatValue<mlir::Attribute>())));
    return;
  }
  // Read-only data, indexed by coordinate.
  mlir::Type element = dense.getElementType();
  SmallVector<Constant *> values;
  for (mlir::Attribute one : dense.getValues<mlir::Attribute>()) {
    values.push_back(
        cast<Constant>(arithmetic->toMemory(number(one), element)));
  }
  Type *type = arithmetic->memoryType(element);
  auto *array = ArrayType::get(type, values.size());
  auto *global = new GlobalVariable(
      module, array, true, GlobalValue::PrivateLinkage,
      ConstantArray::get(array, values), "tile", nullptr,
      GlobalValue::NotThreadLocal, arithmetic->addressSpaces().constants);
  Registers registers;
  for (unsigned reg = 0; reg < count; ++reg) {
    Value *at = linearIndex(layout, reg, dense.getType().getShape());
    registers.push_back(arithmetic->fromMemory(
        b.CreateLoad(type, b.CreateGEP(type, global, at)), element));
  }
  define(op, std::move(registers));
}

void KernelLowering::broadcast(tile::BroadcastOp op) {
  const Layout &to = layoutOf(op.getResult());
  const Layout &from = layoutOf(op.getSource());
  ArrayRef<int64_t> shape = tile::shapeOf(op.getSource().getType());
  const Registers &source = tile(op.getSource());
  Registers registers;
  // The source's layout is that of the result without the new coordinates, so
  // the element is in this thread: at these coordinates of register parts.
  std::map<Coordinates, unsigned> at;
  for (unsigned reg = 0; reg < source.size(); ++reg) {
    at.try_emplace(from.apply(Place{{reg, 0, 0, 0}}), reg);
  }
  for (unsigned reg = 0; reg < to.size(Axis::Register); ++reg) {
    Coordinates coordinates = to.apply(Place{{reg, 0, 0, 0}});
    for (auto [coordinate, extent] : llvm::zip_equal(coordinates, shape)) {
      coordinate = extent == 1 ? 0 : coordinate;
    }
    registers.push_back(source[at.at(coordinates)]);
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::emitSimple(mlir::Operation *op) {
  TypeSwitch<mlir::Operation *>(op)
      .Case<arith::ConstantOp>([&](auto o) { constant(o); })
      .Case<tile::ProgramIdOp>(
          [&](auto o) { define(o, hooks.programId(b, o.getAxis())); })
      .Case<tile::NumProgramsOp>(
          [&](auto o) { define(o, hooks.programCount(b, o.getAxis())); })
      .Case<tile::AssumeOp>(
          [&](auto o) { b.CreateAssumption(scalar(o.getCondition())); })
      .Case<tile::BarrierOp>([&](auto) {
        if (hazards.needsBulkWrites(Accesses::ofAll())) {
          awaitBulkStores(/*areDone=*/true);
        } else {
          synchronize(Memories::both);
        }
      })
      .Case<tile::RangeOp>([&](auto o) {
        LayoutAttr layout = layoutAttr(o.getType());
        Registers registers;
        for (unsigned reg = 0; reg < layout.getValue().size(Axis::Register);
             ++reg) {
          registers.push_back(b.CreateAdd(coordinate(layout, reg, 0),
                                          b.getInt32(o.getStart()), "", false,
                                          true));
        }
        define(o.getResult(), std::move(registers));
      })
      .Case<tile::SplatOp>([&](auto o) {
        auto count = layoutOf(o.getResult()).size(Axis::Register);
        define(o.getResult(), Registers(count, scalar(o.getSource())));
      })
      .Case<tile::BroadcastOp>([&](auto o) { broadcast(o); })
      .Case<tile::TransposeOp>([&](auto o) {
        define(o.getResult(), Registers(tile(o.getSource())));
      })
      .Case<tile::ReshapeOp>([&](auto o) { reshape(o); })
      .Case<tile::JoinOp>([&](auto o) {
        Registers registers;
        if (!isa<mlir::RankedTensorType>(o.getLhs().getType())) {
          registers = {scalar(o.getLhs()), scalar(o.getRhs())};
        } else {
          for (auto [left, right] :
               llvm::zip_equal(tile(o.getLhs()), tile(o.getRhs()))) {
            registers.append({left, right});
          }
        }
        define(o.getResult(), std::move(registers));
      })
      .Case<tile::SplitOp>([&](auto o) {
        Registers left, right;
        for (auto [i, value] : llvm::enumerate(tile(o.getSource()))) {
          (i % 2 ? right : left).push_back(value);
        }
        define(o.getLhs(), std::move(left));
        define(o.getRhs(), std::move(right));
      })
      .Default([&](mlir::Operation *) {
        refuse(op, "'" + op->getName().getStringRef().str() +
                       "' is not an operation that this target knows");
      });
}

void KernelLowering::emitOp(mlir::Operation *op) {
  if (!inScalarRegion) {
    hooks.beginOp(b, op);
  }
  if (auto select = dyn_cast<mlir::arith::SelectOp>(op);
      select && isa<tile::ViewType>(select.getType())) {
    Value *isChosen = scalar(select.getCondition());
    Registers parts = flatten(select.getTrueValue());
    for (auto [part, other] :
         llvm::zip_equal(parts, flatten(select.getFalseValue()))) {
      part = b.CreateSelect(isChosen, part, other);
    }
    defineAll(op->getResults(), parts);
    return;
  }
  if (lowering::Elementwise::has(op)) {
    auto isTile = [](mlir::Value value) {
      return isa<mlir::RankedTensorType>(value.getType());
    };
    if (!isTile(op->getResult(0))) {
      SmallVector<Value *, 3> operands;
      for (mlir::Value operand : op->getOperands()) {
        operands.push_back(scalar(operand));
      }
      define(op->getResult(0), arithmetic->emit(op, operands));
      return;
    }
    Registers registers;
    auto count = layoutOf(op->getResult(0)).size(Axis::Register);
    for (unsigned reg = 0; reg < count; ++reg) {
      SmallVector<Value *, 3> operands;
      for (mlir::Value operand : op->getOperands()) {
        operands.push_back(isTile(operand) ? tile(operand)[reg]
                                           : scalar(operand));
      }
      registers.push_back(arithmetic->emit(op, operands));
    }
    define(op->getResult(0), std::move(registers));
    return;
  }
  TypeSwitch<mlir::Operation *>(op)
      .Case<tile::LoadOp>([&](auto o) {
        willAccess(Accesses::of(o));
        load(o);
      })
      .Case<tile::StoreOp>([&](auto o) {
        willAccess(Accesses::of(o));
        store(o);
      })
      .Case<tile::LoadViewOp>([&](auto o) {
        willAccess(Accesses::of(o));
        loadView(o);
      })
      .Case<tile::StoreViewOp>([&](auto o) {
        willAccess(Accesses::of(o));
        storeView(o);
        if (o->hasAttr(InsteadOfBulk)) {
          hooks.publishAccesses(b);
          hazards.publishAccesses();
        }
      })
      .Case<tile::MakeViewOp>([&](auto o) { makeView(o); })
      .Case<tile::AdvanceViewOp>([&](auto o) {
        ViewParts parts = view(o.getView());
        for (auto [position, offset] :
             llvm::zip_equal(parts.position, o.getOffsets())) {
          position = b.CreateAdd(position, scalar(offset));
        }
        views[o.getResult()] = std::move(parts);
      })
      .Case<tile::ViewPartsOp>([&](auto o) {
        const ViewParts parts = view(o.getView());
        define(o.getBase(), parts.base);
        for (unsigned dim = 0; dim < parts.shape.size(); ++dim) {
          define(o.getShape()[dim], parts.shape[dim]);
          define(o.getStrides()[dim], parts.strides[dim]);
          define(o.getPosition()[dim], parts.position[dim]);
        }
      })
      .Case<tile::AtomicRMWOp>([&](auto o) {
        willAccess(Accesses::of(o));
        atomicRmw(o);
      })
      .Case<tile::AtomicCASOp>([&](auto o) {
        willAccess(Accesses::of(o));
        atomicCas(o);
      })
      .Case<ConvertOp>([&](auto o) { convert(o); })
      .Case<StageOp>([&](auto o) { stage(o); })
      .Case<PermuteOp>([&](auto o) {
        const Buffer buffer = buffers.find(o.getSource())->second;
        buffers[o.getResult()] = buffer;
      })
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
      .Case<LoadBlockOp>([&](auto o) {
        willAccess(Accesses::of(o));
        loadBlock(o);
      })
      .Case<StoreBlockOp>([&](auto o) {
        willAccess(Accesses::of(o));
        storeBlock(o);
      })
      .Case<PrefetchBlockOp>([&](auto o) { prefetchBlock(o); })
      .Case<BeginRegionOp>([&](auto o) { hooks.beginRegion(b, o.getName()); })
      .Case<EndRegionOp>([&](auto o) { hooks.endRegion(b, o.getName()); })
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
      .Default([&](mlir::Operation *) { emitSimple(op); });
}

} // namespace tz::simt
