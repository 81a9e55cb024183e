//===- CpuCheck.cpp - What may reach LLVM ---------------------------------===//
//
// What   The tables of CpuCheck.h: element types, instructions on each class of
//        types, intrinsics, widths, length of blocks.
// Why    See CpuCheck.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/CpuCheck.h"

#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

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
             tile::PrintOp, tile::AssertOp, tile::RangeOp, tile::SplatOp,
             tile::BroadcastOp, tile::ReshapeOp, tile::TransposeOp,
             tile::JoinOp, tile::SplitOp, tile::CatOp, tile::GatherOp,
             tile::DotOp, tile::ReduceOp, tile::ScanOp, tile::MapOp,
             tile::HistogramOp, tile::LoadOp, tile::StoreOp, tile::MakeViewOp,
             tile::AdvanceViewOp, tile::ViewPartsOp, tile::LoadViewOp,
             tile::StoreViewOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op);
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

/// Intrinsics that become instructions on every x86-64 level we compile for:
/// those that lower/ emits, and those that LLVM makes of plain arithmetic.
constexpr Intrinsic::ID Intrinsics[] = {
    Intrinsic::abs,
    Intrinsic::assume,
    Intrinsic::bitreverse,
    Intrinsic::bswap,
    Intrinsic::ceil,
    Intrinsic::copysign,
    Intrinsic::ctlz,
    Intrinsic::ctpop,
    Intrinsic::cttz,
    Intrinsic::fabs,
    Intrinsic::floor,
    Intrinsic::fma,
    Intrinsic::fmuladd,
    Intrinsic::fptosi_sat,
    Intrinsic::fptoui_sat,
    Intrinsic::fshl,
    Intrinsic::fshr,
    Intrinsic::is_fpclass,
    Intrinsic::lifetime_end,
    Intrinsic::lifetime_start,
    Intrinsic::masked_gather,
    Intrinsic::masked_load,
    Intrinsic::masked_scatter,
    Intrinsic::masked_store,
    Intrinsic::maximum,
    Intrinsic::maximumnum,
    Intrinsic::maxnum,
    Intrinsic::memcpy,
    Intrinsic::memmove,
    Intrinsic::memset,
    Intrinsic::minimum,
    Intrinsic::minimumnum,
    Intrinsic::minnum,
    Intrinsic::prefetch,
    Intrinsic::rint,
    Intrinsic::nearbyint,
    Intrinsic::roundeven,
    Intrinsic::sadd_sat,
    Intrinsic::sadd_with_overflow,
    Intrinsic::scmp,
    Intrinsic::smax,
    Intrinsic::smin,
    Intrinsic::smul_with_overflow,
    Intrinsic::sqrt,
    Intrinsic::sshl_sat,
    Intrinsic::ssub_sat,
    Intrinsic::ssub_with_overflow,
    Intrinsic::trunc,
    Intrinsic::uadd_sat,
    Intrinsic::uadd_with_overflow,
    Intrinsic::ucmp,
    Intrinsic::umax,
    Intrinsic::umin,
    Intrinsic::umul_with_overflow,
    Intrinsic::ushl_sat,
    Intrinsic::usub_sat,
    Intrinsic::usub_with_overflow,
    Intrinsic::vector_reduce_add,
    Intrinsic::vector_reduce_and,
    Intrinsic::vector_reduce_mul,
    Intrinsic::vector_reduce_or,
    Intrinsic::vector_reduce_smax,
    Intrinsic::vector_reduce_smin,
    Intrinsic::vector_reduce_umax,
    Intrinsic::vector_reduce_umin,
    Intrinsic::vector_reduce_xor,
    Intrinsic::x86_sse_sfence,
};

/// Intrinsics of rounding are instructions from SSE4.1 on for f32 and f64;
/// `fma` is a call where the target lacks it.
bool isKnown(const IntrinsicInst &call, const Isa &isa) {
  Intrinsic::ID id = call.getIntrinsicID();
  if (id == Intrinsic::fma) {
    return isa.fma;
  }
  return llvm::is_contained(Intrinsics, id) ||
         call.getCalledFunction()->getName().starts_with("llvm.x86.");
}

unsigned bitsOf(Type *scalar) {
  return scalar->isPointerTy() ? 64 : scalar->getPrimitiveSizeInBits();
}

/// What is wrong with a value of this type; empty if nothing is.
std::string typeProblem(Type *type, const Isa &isa) {
  if (auto *record = dyn_cast<StructType>(type)) {
    for (Type *part : record->elements()) {
      std::string problem = typeProblem(part, isa);
      if (!problem.empty()) {
        return problem;
      }
    }
    return "";
  }
  if (type->isVoidTy() || type->isMetadataTy() || type->isLabelTy()) {
    return "";
  }
  std::string name;
  raw_string_ostream stream(name);
  type->print(stream);
  Type *scalar = type->getScalarType();
  const bool known =
      scalar->isPointerTy() || scalar->isHalfTy() || scalar->isBFloatTy() ||
      scalar->isFloatTy() || scalar->isDoubleTy() ||
      (scalar->isIntegerTy() && scalar->getIntegerBitWidth() <= 128);
  if (!known || isa_and_nonnull<ScalableVectorType>(type)) {
    return "a value of type " + name;
  }
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    const uint64_t bits = uint64_t{bitsOf(scalar)} * vector->getNumElements();
    if (bits > uint64_t{MaxRegisters} * isa.vectorBits) {
      return "a vector " + name + ", wider than " +
             std::to_string(MaxRegisters) + " registers";
    }
  }
  return "";
}

/// Operations on the types that have moves and conversions only.
bool movesOrConverts(const Instruction &inst) {
  return isa<CastInst, SelectInst, PHINode, LoadInst, StoreInst,
             InsertElementInst, ExtractElementInst, ShuffleVectorInst,
             ExtractValueInst, CallInst, FreezeInst, ReturnInst>(inst);
}

std::string problemOf(const Instruction &inst, const Isa &isa) {
  std::string problem = typeProblem(inst.getType(), isa);
  for (const Use &operand : inst.operands()) {
    if (problem.empty() && !llvm::isa<Function>(operand)) {
      problem = typeProblem(operand->getType(), isa);
    }
  }
  if (!problem.empty()) {
    return problem;
  }
  if (const auto *call = dyn_cast<IntrinsicInst>(&inst)) {
    return isKnown(*call, isa)
               ? ""
               : "the intrinsic " + call->getCalledFunction()->getName().str();
  }
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    const Function *callee = call->getCalledFunction();
    // Calls through pointers are those of tz_cpu_run.
    return call->isIndirectCall() || (callee && !callee->isDeclaration())
               ? ""
               : "a call of what it has not";
  }
  Type *scalar = inst.getNumOperands()
                     ? inst.getOperand(0)->getType()->getScalarType()
                     : inst.getType();
  const std::string opcode = inst.getOpcodeName();
  if (inst.getOpcode() == Instruction::FRem) {
    return "a remainder of floats";
  }
  // LLVM narrows what was computed in f32 where that is exact, and widens it
  // again by the conversions that the target has.
  const bool isFree = movesOrConverts(inst) || (scalar->isHalfTy() && isa.f16c);
  if ((scalar->isHalfTy() || scalar->isBFloatTy()) && !isFree) {
    return "'" + opcode + "' on 16-bit floats";
  }
  const bool divides = inst.getOpcode() == Instruction::SDiv ||
                       inst.getOpcode() == Instruction::UDiv ||
                       inst.getOpcode() == Instruction::SRem ||
                       inst.getOpcode() == Instruction::URem;
  if (divides && scalar->getIntegerBitWidth() > 64) {
    return "'" + opcode + "' on 128 bits";
  }
  return "";
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
  for (const Function &function : module) {
    for (const BasicBlock &block : function) {
      if (block.size() > MaxBlock) {
        throw Unsupported(locationOf(block.front(), kernel),
                          tooLong(block.size()));
      }
      for (const Instruction &inst : block) {
        std::string problem = problemOf(inst, isa);
        if (!problem.empty()) {
          throw Unsupported(locationOf(inst, kernel),
                            "the cpu target cannot compile " + problem);
        }
      }
    }
  }
}

} // namespace tz::cpu
