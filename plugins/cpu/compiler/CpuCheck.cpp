//===- CpuCheck.cpp - What may reach LLVM ---------------------------------===//
//
// What   The tables of CpuCheck.h: element types, instructions on each class of
//        types, intrinsics, widths, length of blocks.
// Why    See CpuCheck.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/CpuCheck.h"

#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "terrazzo/lowering/ModuleCheck.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tz::cpu {

//===--- Before lowering --------------------------------------------------===//

namespace {

/// The element type that this target has not, if `type` holds one.
mlir::Type unknownElement(mlir::Type type) {
  if (auto view = dyn_cast<tile::ViewType>(type)) {
    type = view.getElementType();
  } else if (auto tile = dyn_cast<mlir::RankedTensorType>(type)) {
    type = tile.getElementType();
  }
  while (auto pointer = dyn_cast<tile::PtrType>(type)) {
    type = pointer.getPointee();
  }
  if (isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 8) {
    return type;
  }
  return {};
}

std::string nameOf(mlir::Type type) {
  std::string text;
  raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

/// The ops that lower/ emits, beside those that it computes element by element.
bool isKnownOp(mlir::Operation *op) {
  return CpuLowering::hasElementwise(op) ||
         isa<tile::ReturnOp, tile::YieldOp, mlir::scf::YieldOp,
             mlir::scf::ConditionOp, mlir::scf::ForOp, mlir::scf::IfOp,
             mlir::scf::WhileOp, mlir::arith::ConstantOp, tile::ProgramIdOp,
             tile::NumProgramsOp, tile::AssumeOp, tile::HintOp, tile::BarrierOp,
             tile::PrintOp, tile::AssertOp, tile::RecordOp, tile::RangeOp,
             tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
             tile::TransposeOp, tile::JoinOp, tile::SplitOp, tile::CatOp,
             tile::GatherOp, tile::DotOp, tile::ReduceOp, tile::ScanOp,
             tile::MapOp, tile::HistogramOp, tile::LoadOp, tile::StoreOp,
             tile::MakeViewOp, tile::AdvanceViewOp, tile::ViewPartsOp,
             tile::LoadViewOp, tile::StoreViewOp, tile::AtomicRMWOp,
             tile::AtomicCASOp>(op);
}

/// Collects problems, each kind once.
struct Collector {
  std::vector<Problem> problems;
  DenseSet<mlir::Type> types;
  DenseSet<mlir::OperationName> ops;

  void type(mlir::Location location, mlir::Type type) {
    mlir::Type element = unknownElement(type);
    if (element && types.insert(element).second) {
      problems.push_back(
          {location, "the cpu target has no values of type " + nameOf(element) +
                         "; unpack them from i8 into f16 or a wider type"});
    }
  }
  void op(mlir::Operation *op) {
    if (!isKnownOp(op) && ops.insert(op->getName()).second) {
      problems.push_back(
          {op->getLoc(), "'" + op->getName().getStringRef().str() +
                             "' is not supported by the cpu target"});
    }
  }
};

std::string tooLong(size_t operations) {
  return "straight-line code of " + std::to_string(operations) +
         " operations is more than the cpu target's limit of " +
         std::to_string(MaxBlock) + "; make the expression shorter";
}

/// Is it an op that becomes no loop, branch or call, nor ends a run of those?
bool isStraight(mlir::Operation &op) {
  auto isScalar = [](mlir::Type type) {
    return !isa<mlir::RankedTensorType, tile::ViewType>(type);
  };
  return op.getNumRegions() == 0 &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar) &&
         (mlir::isMemoryEffectFree(&op) || isa<tile::StoreOp>(op));
}

/// Stores of scalars, one after the other, stay one straight line: where there
/// are too many of them, that is known before anything is lowered.
void findLongRuns(mlir::Block &block, std::vector<Problem> &problems) {
  size_t run = 0;
  mlir::Operation *first = nullptr;
  auto end = [&] {
    if (run > MaxBlock) {
      problems.push_back({first->getLoc(), tooLong(run)});
    }
    run = 0;
  };
  for (mlir::Operation &op : block) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!isStraight(op) || (store && store.getMask())) {
      end();
    } else if (store) {
      first = run++ == 0 ? &op : first;
    }
  }
  end();
}

} // namespace

std::vector<Problem> problemsOf(tile::KernelOp kernel) {
  Collector found;
  // Ops before arguments: the line that uses the type is what is to change.
  kernel.getBody().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    found.op(op);
    for (mlir::Type type : op->getOperandTypes()) {
      found.type(op->getLoc(), type);
    }
    for (mlir::Type type : op->getResultTypes()) {
      found.type(op->getLoc(), type);
    }
  });
  for (mlir::Type type : kernel.getArgumentTypes()) {
    found.type(kernel.getLoc(), type);
  }
  kernel.walk(
      [&](mlir::Block *block) { findLongRuns(*block, found.problems); });
  return std::move(found.problems);
}

void checkKernel(tile::KernelOp kernel) {
  std::vector<Problem> problems = problemsOf(kernel);
  if (!problems.empty()) {
    throw Unsupported(problems[0].location, problems[0].message);
  }
}

//===--- Before machine code ----------------------------------------------===//

namespace {

/// Intrinsics that become instructions on every x86-64 level, beside those of
/// every target.
constexpr Intrinsic::ID CpuIntrinsics[] = {
    Intrinsic::masked_gather,
    Intrinsic::masked_load,
    Intrinsic::masked_scatter,
    Intrinsic::masked_store,
    Intrinsic::maximumnum,
    Intrinsic::memcpy,
    Intrinsic::memmove,
    Intrinsic::memset,
    Intrinsic::minimumnum,
    Intrinsic::prefetch,
    Intrinsic::readcyclecounter,
    Intrinsic::sshl_sat,
    Intrinsic::ushl_sat,
    Intrinsic::vector_reduce_add,
    Intrinsic::vector_reduce_and,
    Intrinsic::vector_reduce_mul,
    Intrinsic::vector_reduce_or,
    Intrinsic::vector_reduce_smax,
    Intrinsic::vector_reduce_smin,
    Intrinsic::vector_reduce_umax,
    Intrinsic::vector_reduce_umin,
    Intrinsic::vector_reduce_xor,
};

/// Operations on the types that have moves and conversions only.
bool movesOrConverts(const Instruction &inst) {
  return isa<CastInst, SelectInst, PHINode, LoadInst, StoreInst,
             InsertElementInst, ExtractElementInst, ShuffleVectorInst,
             ExtractValueInst, CallInst, FreezeInst, ReturnInst>(inst);
}

/// What levels of x86-64 have or lack.
std::string lackOf(const Instruction &inst, const Isa &isa) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&inst)) {
    // A call where the target lacks it.
    return call->getIntrinsicID() == Intrinsic::fma && !isa.fma
               ? "the intrinsic " + call->getCalledFunction()->getName().str()
               : "";
  }
  Type *scalar = inst.getNumOperands()
                     ? inst.getOperand(0)->getType()->getScalarType()
                     : inst.getType();
  // LLVM narrows what was computed in f32 where that is exact, and widens it
  // again by the conversions that the target has.
  const bool isFree = movesOrConverts(inst) || (scalar->isHalfTy() && isa.f16c);
  return (scalar->isHalfTy() || scalar->isBFloatTy()) && !isFree
             ? "'" + std::string(inst.getOpcodeName()) + "' on 16-bit floats"
             : "";
}

mlir::Location locationOf(const Instruction &inst, tile::KernelOp kernel) {
  if (const DILocation *at = inst.getDebugLoc(); at && at->getLine()) {
    return mlir::FileLineColLoc::get(
        mlir::StringAttr::get(kernel.getContext(), at->getFilename()),
        at->getLine(), at->getColumn());
  }
  return kernel.getLoc();
}

} // namespace

void checkModule(const Module &module, const Isa &isa, tile::KernelOp kernel) {
  lowering::CodeGenAbilities abilities;
  abilities.intrinsics = CpuIntrinsics;
  abilities.ownIntrinsics = "llvm.x86.";
  abilities.vectorBits = uint64_t{MaxRegisters} * isa.vectorBits;
  abilities.blockLength = MaxBlock;
  abilities.calls = true;          // through pointers: those of tz_cpu_run
  abilities.inlineAssembly = true; // empty instructions: ManyUses.h
  abilities.lacks = [&](const Instruction &inst) { return lackOf(inst, isa); };
  if (auto found = lowering::findInability(module, abilities)) {
    throw Unsupported(locationOf(*found->instruction, kernel),
                      found->what.empty()
                          ? tooLong(found->blockLength)
                          : "the cpu target cannot compile " + found->what);
  }
}

} // namespace tz::cpu
