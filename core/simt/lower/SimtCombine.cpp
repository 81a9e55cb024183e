//===- SimtCombine.cpp - regions of scalars, and maps ---------------------===//
//
// What   What the region of a reduction, scan or map yields for the scalars of
//        one thread.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;
namespace scf = mlir::scf;

namespace tz::simt {

/// What the region yields for these scalars.
Registers KernelLowering::evaluate(mlir::Region &region,
                                   ArrayRef<Value *> arguments) {
  mlir::Block &body = region.front();
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    scalars[argument] = value;
  }
  const bool outer = inScalarRegion;
  inScalarRegion = true;
  // What the op around it accesses goes on behind this.
  const uint64_t seen = accessesSeen;
  Instruction *const last = lastAccess;
  emitBlock(body);
  accessesSeen = seen;
  lastAccess = last;
  inScalarRegion = outer;
  Registers results;
  for (mlir::Value value : body.getTerminator()->getOperands()) {
    results.push_back(scalar(value));
  }
  return results;
}

Registers KernelLowering::combineValues(mlir::Region &region,
                                        ArrayRef<Value *> first,
                                        ArrayRef<Value *> second) {
  SmallVector<Value *> arguments(first);
  llvm::append_range(arguments, second);
  return evaluate(region, arguments);
}

/// The branch that a map consists of, if its condition and what it gives
/// otherwise are arguments.
static scf::IfOp onlyBranch(tile::MapOp op) {
  mlir::Block &body = op.getBody().front();
  auto branches = body.getOps<scf::IfOp>();
  auto isArgument = [&](mlir::Value value) {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    return argument && argument.getOwner() == &body;
  };
  for (mlir::Operation &inner : body.without_terminator()) {
    if (!isa<scf::IfOp>(inner) &&
        !inner.hasTrait<mlir::OpTrait::ConstantLike>()) {
      return {};
    }
  }
  if (!llvm::hasSingleElement(branches)) {
    return {};
  }
  scf::IfOp branch = *branches.begin();
  const bool isChoice =
      branch.elseBlock() && branch.elseBlock()->without_terminator().empty() &&
      isArgument(branch.getCondition()) &&
      llvm::all_of(branch.elseYield().getOperands(), isArgument) &&
      llvm::equal(branch.getResults(), body.getTerminator()->getOperands());
  return isChoice ? branch : scf::IfOp();
}

void KernelLowering::mapRarely(tile::MapOp op, scf::IfOp branch,
                               ArrayRef<Registers> arguments,
                               MutableArrayRef<Registers> results) {
  auto argument = [](const Registers &element, mlir::Value value) {
    return element[cast<mlir::BlockArgument>(value).getArgNumber()];
  };
  SmallVector<Value *> conditions, usual, rare;
  for (const Registers &element : arguments) {
    conditions.push_back(argument(element, branch.getCondition()));
    for (mlir::Value value : branch.elseYield().getOperands()) {
      usual.push_back(argument(element, value));
    }
  }
  BasicBlock *before = b.GetInsertBlock(), *any = block("any"),
             *after = block("any.after");
  b.CreateCondBr(b.CreateOr(conditions), any, after);
  b.SetInsertPoint(any);
  for (const Registers &element : arguments) {
    append_range(rare, evaluate(op.getBody(), element));
  }
  BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  SmallVector<PHINode *> chosen = phis(usual);
  for (auto [i, phi] : enumerate(chosen)) {
    phi->addIncoming(usual[i], before);
    phi->addIncoming(rare[i], end);
    results[i % results.size()].push_back(phi);
  }
}

void KernelLowering::map(tile::MapOp op) {
  // A branch for each costs more than the test, and a warp takes it for any of
  // its elements anyhow.
  constexpr size_t together = 4;
  const int64_t count = layoutOf(op.getResults().front()).size(Axis::Register);
  scf::IfOp branch = onlyBranch(op);
  const bool isRare = branch && !isShort(branch);
  SmallVector<Registers> results(op.getNumResults()), arguments(count);
  for (unsigned reg = 0; reg < count; ++reg) {
    for (mlir::Value source : op.getSources()) {
      arguments[reg].push_back(tile(source)[reg]);
    }
  }
  for (ArrayRef<Registers> rest = arguments; !rest.empty();) {
    const size_t taken = isRare ? std::min(together, rest.size()) : 1;
    if (taken > 1) {
      mapRarely(op, branch, rest.take_front(taken), results);
    } else {
      for (auto [i, value] : enumerate(evaluate(op.getBody(), rest.front()))) {
        results[i].push_back(value);
      }
    }
    rest = rest.drop_front(taken);
  }
  for (auto [result, registers] : llvm::zip_equal(op.getResults(), results)) {
    define(result, std::move(registers));
  }
}

} // namespace tz::simt
