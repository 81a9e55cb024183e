//===- CpuLowering.cpp - From a tile kernel to an LLVM function -----------===//
//
// What   The entry function with its loop over programs, and blocks op by op.
// Why    See CpuLowering.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/compiler/lower/Nest.h"
#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace tz::cpu {

CpuLowering::CpuLowering(tile::KernelOp kernel, const Isa &machine,
                         Module &module, unsigned debugLevel)
    : machine(machine), module(module), context(module.getContext()),
      b(context), arithmetic(b, machine), kernel(kernel), plan(kernel),
      debug(module, kernel, debugLevel) {}

//===--- Types ------------------------------------------------------------===//

Type *CpuLowering::type(mlir::Type element) {
  if (Type *known = arithmetic.type(element)) {
    return known;
  }
  throw Unsupported(kernel.getLoc(), "a value of unknown type");
}

Type *CpuLowering::memoryType(mlir::Type element) {
  return element.isInteger(1) ? b.getInt8Ty() : type(element);
}

Value *CpuLowering::splat(Value *value, unsigned lanes) {
  return lanes ? b.CreateVectorSplat(lanes, value) : value;
}

Constant *CpuLowering::zero(mlir::Type element) {
  return Constant::getNullValue(type(element));
}

Constant *CpuLowering::constant(mlir::TypedAttr attribute) {
  type(attribute.getType()); // of an element, or it throws
  if (Constant *number = arithmetic.constant(attribute)) {
    return number;
  }
  throw Unsupported(kernel.getLoc(), "a constant that is not a number");
}

//===--- Function ---------------------------------------------------------===//

void CpuLowering::run() {
  entry();
  infoRecord();
  argumentsRecord();
  debug.finish();
}

void CpuLowering::entry() {
  Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  function = Function::Create(
      FunctionType::get(b.getVoidTy(), {ptr, ptr, i64, i64, ptr, ptr}, false),
      GlobalValue::ExternalLinkage, kernel.getSymName(), module);
  function->setDoesNotThrow();
  debug.setEntry(function);
  Located line(b, debug, kernel.getLoc());
  auto *start = BasicBlock::Create(context, "entry", function);
  b.SetInsertPoint(start);
  if (auto contract = kernel->getAttrOfType<mlir::BoolAttr>("tile.contract");
      contract && contract.getValue()) {
    FastMathFlags flags;
    flags.setAllowContract();
    b.setFastMathFlags(flags);
  }
  argsBase = function->getArg(0);
  debug.keepArguments(b, argsBase);
  arenaBase = function->getArg(4);
  function->addParamAttr(0, Attribute::getWithAlignment(context, Align(64)));
  function->addParamAttr(4, Attribute::getWithAlignment(context, Align(64)));
  function->addParamAttr(4, Attribute::NoAlias);
  function->addParamAttr(5, Attribute::getWithAlignment(context, Align(8)));
  function->addParamAttr(5, Attribute::NoAlias);
  stopWord =
      b.CreateAlignedLoad(ptr, runField(offsetof(tz_cpu_run, stop)), Align(8));

  mlir::Block &body = kernel.getBody().front();
  for (mlir::BlockArgument argument : body.getArguments()) {
    mlir::Type element = argument.getType();
    Type *memory = memoryType(element);
    const uint32_t size = tile::storageBytes(element);
    argumentBytes = (argumentBytes + size - 1) / size * size;
    argumentOffsets.push_back(argumentBytes);
    Value *at =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), argsBase, argumentBytes);
    scalars[argument] =
        fromMemory(b.CreateAlignedLoad(memory, at, Align(size)), element);
    debug.nameArgument(b, argument.getArgNumber(), argumentBytes);
    argumentBytes += size;
  }
  findPaddedTypes();
  kernel.walk([&](mlir::Operation *op) {
    usesLog |= isa<tile::PrintOp, tile::AssertOp, tile::RecordOp>(op);
    hasParts |= isa<tile::RecordOp>(op);
    hasAtomics |= isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
  });
  if (takesSecondAxisFirst()) {
    axes = {1, 0, 2};
  }
  if (hasAtomics && !waits()) {
    alone = b.CreateICmpNE(
        b.CreateAlignedLoad(b.getInt32Ty(),
                            runField(offsetof(tz_cpu_run, alone)), Align(4)),
        b.getInt32(0));
  }
  if (usesLog) {
    argumentBytes = (argumentBytes + 7) / 8 * 8;
    logOffset = argumentBytes;
    argumentBytes += 8;
  }
  planBehind();
  for (unsigned axis = 0; axis < 3; ++axis) {
    grid[axis] = b.CreateLoad(b.getInt32Ty(),
                              b.CreateConstInBoundsGEP1_64(
                                  b.getInt32Ty(), function->getArg(1), axis));
  }

  programs = b.CreateMul(
      b.CreateMul(b.CreateZExt(grid[0], i64), b.CreateZExt(grid[1], i64)),
      b.CreateZExt(grid[2], i64));
  BasicBlock *head = block("program"), *exit = block("done");
  nextProgram = block("next");
  leave = exit;
  Value *first = function->getArg(2), *last = function->getArg(3);
  auto *begin = block("begin");
  b.CreateCondBr(b.CreateICmpSLT(first, last), begin, exit);
  b.SetInsertPoint(begin);
  // Divided once: a program may take less time than a division.
  Value *rest = first, *firstIds[3];
  for (unsigned axis : {axes[0], axes[1]}) {
    Value *count = b.CreateZExt(grid[axis], i64);
    firstIds[axis] = b.CreateURem(rest, count);
    rest = b.CreateUDiv(rest, count);
  }
  firstIds[axes[2]] = rest;
  for (Value *&one : firstIds) {
    one = b.CreateTrunc(one, b.getInt32Ty());
  }
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *id = b.CreatePHI(i64, 2), *ids[3];
  id->addIncoming(first, begin);
  for (unsigned axis = 0; axis < 3; ++axis) {
    ids[axis] = b.CreatePHI(b.getInt32Ty(), 2);
    ids[axis]->addIncoming(firstIds[axis], begin);
    program[axis] = ids[axis];
  }
  if (!isRepeatable()) {
    // Atomic, for it to be written before what the program does: a handler of
    // faults reads it.
    b.CreateAlignedStore(id, runField(offsetof(tz_cpu_run, program)), Align(8))
        ->setAtomic(AtomicOrdering::Monotonic);
  }
  beginParts();
  emitBlock(body);
  endParts();
  b.CreateBr(nextProgram);
  b.SetInsertPoint(nextProgram);
  Value *next = b.CreateAdd(id, b.getInt64(1), "", true, true);
  id->addIncoming(next, nextProgram);
  std::array<Value *, 3> nextIds = idsOfNextProgram(b);
  for (unsigned axis = 0; axis < 3; ++axis) {
    ids[axis]->addIncoming(nextIds[axis], nextProgram);
  }
  b.CreateCondBr(b.CreateICmpSLT(next, last), head, exit);
  b.SetInsertPoint(exit);
  writeAllBehind();
  if (fencesStores) {
    b.CreateIntrinsic(Intrinsic::x86_sse_sfence, {});
  }
  b.CreateRetVoid();
  splitShortPrograms(begin);
  splitShortLoops();
}

std::array<Value *, 3> CpuLowering::idsOfNextProgram(IRBuilderBase &at) {
  std::array<Value *, 3> next{};
  Value *carry = at.getInt32(1);
  for (unsigned axis : {axes[0], axes[1]}) {
    Value *raised = at.CreateAdd(program[axis], carry);
    Value *isFull = at.CreateICmpEQ(raised, grid[axis]);
    next[axis] = at.CreateSelect(isFull, at.getInt32(0), raised);
    carry = at.CreateZExt(isFull, at.getInt32Ty());
  }
  next[axes[2]] = at.CreateAdd(program[axes[2]], carry);
  return next;
}

Value *CpuLowering::runField(uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), function->getArg(5),
                                      offset);
}

/// Does the loop go through a row block by block, each element once?
static bool sweeps(mlir::scf::ForOp loop, tile::StoreViewOp store) {
  auto type = cast<tile::ViewType>(store.getView().getType());
  if (type.getShape().size() != 1 || loop.getUnsignedCmp() ||
      !loop.isDefinedOutsideOfLoop(store.getView())) {
    return false;
  }
  mlir::Value offset = store.getOffsets()[0];
  if (auto wide = offset.getDefiningOp<mlir::arith::ExtSIOp>()) {
    offset = wide.getIn();
  }
  std::optional<int64_t> step = mlir::getConstantIntValue(loop.getStep());
  return offset == loop.getInductionVar() && step &&
         *step >= type.getShape()[0];
}

/// Arrays of which each program reads tiles of this type for itself.
unsigned CpuLowering::arraysReadLike(mlir::Type tileType) {
  auto [known, isNew] = ownReads.try_emplace(tileType, 0);
  if (isNew) {
    SmallDenseSet<int64_t> groups;
    kernel->walk([&](mlir::Operation *op) {
      auto group = op->getAttrOfType<mlir::IntegerAttr>("group");
      if (isa<tile::LoadOp, tile::LoadViewOp>(op) && group &&
          op->getResult(0).getType() == tileType &&
          llvm::any_of(steps.ofAccess(op),
                       [](Step step) { return !step.isZero(); })) {
        groups.insert(group.getInt());
      }
    });
    known->second = static_cast<unsigned>(groups.size());
  }
  return known->second;
}

/// Does the loop store to another row in each iteration?
static bool movesRow(mlir::scf::ForOp loop, tile::StoreViewOp store) {
  auto made = store.getView().getDefiningOp<tile::MakeViewOp>();
  SmallVector<mlir::Value> bases;
  if (made && !loop.getUnsignedCmp()) {
    bases.push_back(made.getBase());
  }
  constexpr size_t most = 32;
  for (size_t i = 0; i < bases.size() && i < most; ++i) {
    if (bases[i] == loop.getInductionVar()) {
      return true;
    }
    mlir::Operation *op = bases[i].getDefiningOp();
    if (op && !loop.isDefinedOutsideOfLoop(bases[i])) {
      bases.append(op->operand_begin(), op->operand_end());
    }
  }
  return false;
}

Value *CpuLowering::writesLargeOutput(tile::StoreViewOp store) {
  // What is written past the caches is ordered by the fence at the end only.
  if (!largeOutput || hasAtomics || waits() || machine.vectorBits < 256) {
    return nullptr;
  }
  auto type = cast<tile::ViewType>(store.getView().getType());
  const uint64_t elementBytes = tile::storageBytes(type.getElementType());
  Value *elements =
      b.getInt64(static_cast<uint64_t>(type.getTileType().getNumElements()));
  bool swept = false;
  for (mlir::Operation *around = store->getParentOp();
       !isa<tile::KernelOp>(around); around = around->getParentOp()) {
    if (isa<mlir::scf::IfOp>(around)) {
      continue;
    }
    auto loop = dyn_cast<mlir::scf::ForOp>(around);
    const bool sweep = loop && !swept && sweeps(loop, store);
    // What is written again and again is better off in the caches.
    if (!loop || !(sweep || movesRow(loop, store))) {
      return nullptr;
    }
    swept |= sweep;
    Value *first = foretell(loop.getLowerBound(), false),
          *last = foretell(loop.getUpperBound(), false),
          *step = sweep ? nullptr : foretell(loop.getStep(), false);
    if (!first || !last || !(sweep || step)) {
      return nullptr;
    }
    Value *length = b.CreateSExt(b.CreateSub(last, first), b.getInt64Ty());
    if (sweep) {
      // The last iteration may begin near the end.
      elements = b.CreateAdd(length, b.CreateSub(elements, b.getInt64(1)));
      continue;
    }
    step = b.CreateSExt(step, b.getInt64Ty());
    length = b.CreateSub(b.CreateAdd(length, step), b.getInt64(1));
    if (auto *one = dyn_cast<ConstantInt>(step); !one || !one->isOne()) {
      length = b.CreateSDiv(length, b.CreateBinaryIntrinsic(
                                        Intrinsic::smax, step, b.getInt64(1)));
    }
    elements = b.CreateMul(elements, length);
  }
  fencesStores = true;
  // What is read as it is written takes as much of the caches.
  const uint64_t each = elementBytes * (1 + arraysReadLike(type.getTileType()));
  Value *bytes = b.CreateMul(elements, b.getInt64(each));
  return b.CreateICmpSGE(b.CreateMul(programs, bytes),
                         b.getInt64(*largeOutput));
}

void CpuLowering::infoRecord() {
  Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
  auto word = [&](uint32_t v) { return ConstantInt::get(i32, v); };
  Constant *fields = ConstantStruct::getAnon(
      {word(TZ_CPU_INFO_MAGIC), word(TZ_CPU_INFO_VERSION),
       word((waits() ? TZ_CPU_KERNEL_WAITS : 0) |
            (checked ? TZ_CPU_KERNEL_CHECKED : 0) |
            (isRepeatable() ? TZ_CPU_KERNEL_REPEATABLE : 0) |
            (hasAtomics ? TZ_CPU_KERNEL_UPDATES : 0) |
            (axes[0] == 1 ? TZ_CPU_KERNEL_SECOND_AXIS : 0)),
       word(argumentBytes), ConstantInt::get(i64, arenaBytes()), word(0),
       word(0), ConstantInt::get(i64, 0)});
  auto *info = new GlobalVariable(
      module, fields->getType(), true, GlobalValue::ExternalLinkage, fields,
      TZ_CPU_INFO_PREFIX + kernel.getSymName().str());
  info->setAlignment(Align(8));
}

BasicBlock *CpuLowering::block(const char *name) {
  return BasicBlock::Create(context, name, function);
}

AllocaInst *CpuLowering::slot(Type *type) {
  IRBuilder<> atEntry(&function->getEntryBlock(),
                      function->getEntryBlock().begin());
  return atEntry.CreateAlloca(type);
}

void CpuLowering::emitIf(Value *condition, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  BasicBlock *yes = block("then"), *join = nullptr;
  BasicBlock *no = otherwise ? block("else") : nullptr;
  join = block("join");
  b.CreateCondBr(condition, yes, no ? no : join);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(join);
  if (no) {
    b.SetInsertPoint(no);
    otherwise();
    b.CreateBr(join);
  }
  b.SetInsertPoint(join);
}

//===--- Blocks -----------------------------------------------------------===//

void CpuLowering::emitBlock(mlir::Block &body) {
  openBlocks.push_back(&body);
  llvm::scope_exit close([this] { openBlocks.pop_back(); });
  scopes.emplace_back();
  for (mlir::Operation &op : body.without_terminator()) {
    emitOp(&op);
    release(plan.position(&op));
  }
  // The terminator is the parent op's: it reads what is still owned.
}

void CpuLowering::release(int done) {
  for (const Buffer &buffer : temporaries) {
    arena.release(buffer.offset, buffer.bytes);
  }
  temporaries.clear();
  auto &owned = scopes.back().owned;
  llvm::erase_if(owned, [&](const std::pair<int, Buffer> &entry) {
    if (entry.first > done) {
      return false;
    }
    arena.release(entry.second.offset, entry.second.bytes);
    return true;
  });
}

void CpuLowering::emitOp(mlir::Operation *op) {
  Located line(b, debug, op->getLoc());
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op);
      constantOp && isa<mlir::DenseElementsAttr>(constantOp.getValue()) &&
      !isa<mlir::SplatElementsAttr>(constantOp.getValue())) {
    define(constantOp,
           constantTile(cast<mlir::DenseElementsAttr>(constantOp.getValue())));
    return;
  }
  if (isFusable(op)) {
    for (mlir::Value result : op->getResults()) {
      const ValuePlan &p = plan.of(result);
      if (p.way == Way::Eager && !p.roots.empty()) {
        materialise(result);
      }
    }
    return;
  }
  TypeSwitch<mlir::Operation *>(op)
      .Case<tile::StoreOp>([&](auto o) { storeOp(o); })
      .Case<tile::StoreViewOp>([&](auto o) { storeViewOp(o); })
      .Case<tile::LoadOp>([&](auto o) { scalarLoad(o); })
      .Case<tile::ReduceOp>([&](auto o) { reduceOp(o); })
      .Case<tile::ScanOp>([&](auto o) { scanOp(o); })
      .Case<tile::MapOp>([&](auto o) { mapOp(o); })
      .Case<tile::DotOp>([&](auto o) { dotOp(o); })
      .Case<tile::ReshapeOp>([&](auto o) { reshapeOp(o); })
      .Case<tile::CatOp>([&](auto o) { catOp(o); })
      .Case<tile::JoinOp>([&](auto o) { joinOp(o); })
      .Case<tile::SplitOp>([&](auto o) { splitScalars(o); })
      .Case<tile::HistogramOp>([&](auto o) { histogramOp(o); })
      .Case<tile::AtomicRMWOp>([&](auto o) { atomicRmwOp(o); })
      .Case<tile::AtomicCASOp>([&](auto o) { atomicCasOp(o); })
      .Case<tile::PrintOp>([&](auto o) { printOp(o); })
      .Case<tile::AssertOp>([&](auto o) { assertOp(o); })
      .Case<tile::RecordOp>([&](auto o) { recordOp(o); })
      .Case<scf::ForOp>([&](auto o) { forOp(o); })
      .Case<scf::IfOp>([&](auto o) { ifOp(o); })
      .Case<scf::WhileOp>([&](auto o) { whileOp(o); })
      // One program is one thread: its accesses are in order already.
      .Case<tile::BarrierOp>([&](auto) {})
      .Case<tile::AssumeOp>([&](tile::AssumeOp o) {
        b.CreateAssumption(scalar(o.getCondition()));
      })
      .Default([&](mlir::Operation *o) { scalarOp(o); });
}

void CpuLowering::selectView(arith::SelectOp op) {
  Value *chosen = scalar(op.getCondition());
  ViewParts parts = view(op.getTrueValue());
  const ViewParts &others = view(op.getFalseValue());
  auto choose = [&](MutableArrayRef<Value *> mine, ArrayRef<Value *> other) {
    for (auto [part, instead] : llvm::zip(mine, other)) {
      part = b.CreateSelect(chosen, part, instead);
    }
  };
  choose(parts.base, others.base);
  choose(parts.shape, others.shape);
  choose(parts.strides, others.strides);
  choose(parts.position, others.position);
  views[op] = parts;
}

void CpuLowering::scalarOp(mlir::Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<tile::ViewType>(select.getType())) {
    selectView(select);
    return;
  }
  TypeSwitch<mlir::Operation *>(op)
      .Case<arith::ConstantOp>(
          [&](arith::ConstantOp o) { scalars[o] = constant(o.getValue()); })
      .Case<tile::ProgramIdOp>(
          [&](tile::ProgramIdOp o) { scalars[o] = program[o.getAxis()]; })
      .Case<tile::NumProgramsOp>(
          [&](tile::NumProgramsOp o) { scalars[o] = grid[o.getAxis()]; })
      .Case<tile::HintOp>(
          [&](tile::HintOp o) { scalars[o] = scalar(o.getSource()); })
      .Case<tile::MakeViewOp>([&](tile::MakeViewOp o) {
        ViewParts parts;
        parts.base = scalar(o.getBase());
        for (auto [size, stride] : llvm::zip(o.getShape(), o.getStrides())) {
          parts.shape.push_back(scalar(size));
          parts.strides.push_back(scalar(stride));
          parts.position.push_back(b.getInt64(0));
        }
        views[o] = parts;
      })
      .Case<tile::ViewPartsOp>([&](tile::ViewPartsOp o) {
        const ViewParts parts = view(o.getView());
        SmallVector<Value *> values{parts.base};
        values.append(parts.shape.begin(), parts.shape.end());
        values.append(parts.strides.begin(), parts.strides.end());
        values.append(parts.position.begin(), parts.position.end());
        for (auto [result, value] : llvm::zip(o->getResults(), values)) {
          scalars[result] = value;
        }
      })
      .Case<tile::AdvanceViewOp>([&](tile::AdvanceViewOp o) {
        ViewParts parts = view(o.getView());
        for (auto [position, offset] :
             llvm::zip(parts.position, o.getOffsets())) {
          position = b.CreateAdd(position, scalar(offset));
        }
        views[o] = parts;
      })
      .Default([&](mlir::Operation *o) {
        if (!hasElementwise(o)) {
          throw Unsupported(o->getLoc(),
                            "'" + o->getName().getStringRef().str() +
                                "' is not supported by the cpu target");
        }
        scalars[o->getResult(0)] =
            elementwise(o, map_to_vector(o->getOperands(), [&](mlir::Value v) {
                          return scalar(v);
                        }));
      });
}

} // namespace tz::cpu
