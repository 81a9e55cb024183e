//===- LoopStatements.h - for and while -------------------------*- C++ -*-===//
//
// What   Run-time loops become scf.for and scf.while that carry the names
//        which the body assigns; static_range loops are unrolled. A loop with
//        `break` or `return` becomes an scf.while that carries whether it goes
//        on, and what was returned; `continue` ends the body alone.
// Why    A name that changes type from one iteration to the next has no meaning
//        in structured control flow: that is found here, with both places. A
//        loop that is not left early keeps its form, which passes know.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_LOOPSTATEMENTS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_LOOPSTATEMENTS_H

#include "core/frontend/evaluate/RuntimeBranches.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tz::frontend {

class KernelStatements;

class LoopStatements {
public:
  LoopStatements(Evaluator &ev, KernelStatements &statements,
                 RuntimeBranches &branches)
      : ev(ev), statements(statements), branches(branches) {}

  /// `following`: what follows the loop. If it was run here, the answer is not
  /// Normal.
  Flow runFor(const ast::For *node, Continuation following);
  Flow runWhile(const ast::While *node, Continuation following);

private:
  struct Carried {
    llvm::StringRef name;
    Binding before;
    unsigned begin = 0, count = 0; // of the flattened values
  };
  /// What a run-time loop counts from, to and by, of one type. With a negative
  /// step the counter runs upwards, and the loop variable is made from it.
  struct LoopBounds {
    TileValue lower, upper, step;
    bool isNegative = false;
  };

  //===-- for and while (LoopStatements.cpp) -----------------------------===//
  /// The names that the loop would set are unknown: no errors about them later.
  Flow giveUp(ast::Block body, SourceLoc loc);
  /// The values of a static_range; nothing after an error.
  std::optional<std::vector<Value>> staticItems(const ast::For *node,
                                                const RangeObject &range);
  Flow staticFor(const ast::For *node, llvm::ArrayRef<Value> items,
                 Continuation rest);
  Flow runtimeFor(const ast::For *node, const RangeObject &range);
  std::optional<LoopBounds> loopBoundsOf(const ast::For *node,
                                         const RangeObject &range);
  void bindIndex(const ast::For *node, const LoopBounds &counted,
                 mlir::Value counter);
  void countedLoop(const ast::For *node, const RangeObject &range,
                   const LoopBounds &counted);
  Flow runtimeWhile(const ast::While *node);
  mlir::Value conditionHolds(const ast::While *node, bool isLeft);
  mlir::Value whileCondition(const ast::While *node, mlir::Value live);
  void forgetOfCondition(const ast::While *node, const Scope &before);
  std::vector<llvm::StringRef> assignedInLoop(const ast::While *node);
  /// The names that the body assigns, and the loop's variable if it is read
  /// behind the loop.
  std::vector<llvm::StringRef> assignedInLoop(const ast::For *node,
                                              const LoopBounds &counted);
  std::vector<Carried> carriedNames(llvm::ArrayRef<llvm::StringRef> assigned,
                                    llvm::SmallVectorImpl<mlir::Value> &flat);
  void bindCarried(llvm::ArrayRef<Carried> carried, mlir::ValueRange values);
  bool collectCarried(llvm::ArrayRef<Carried> carried,
                      llvm::SmallVectorImpl<mlir::Value> &flat,
                      SourceLoc loopLoc);
  void leaveLoop(const Scope &before, llvm::ArrayRef<Carried> carried,
                 mlir::ValueRange results);

  //===-- loops that are left early (LoopExits.cpp) ----------------------===//
  void refuseElse(SourceLoc loc);
  bool isReadBehindLoops(llvm::StringRef name);
  /// Runs a loop's body: it ends by Continue, Break or Return, or Mixed ones.
  Flow runBody(ast::Block body);
  Flow unrolledFor(const ast::For *node, llvm::ArrayRef<Value> items);
  Flow leftLoop(const ast::For *node, const LoopBounds &counted);
  mlir::Value goesOn(const Flow &flow, SourceLoc loc);
  mlir::scf::WhileOp carryReturned(mlir::scf::WhileOp loop, Flow &flow,
                                   llvm::SmallVectorImpl<mlir::Value> &yields,
                                   SourceLoc loc);
  Flow closeWhile(mlir::scf::WhileOp loop, Flow flow,
                  llvm::SmallVectorImpl<mlir::Value> &yields,
                  const Scope &before, llvm::ArrayRef<Carried> carried,
                  SourceLoc loc);
  static Flow loopEnd(const Flow &flow);
  /// Runs what follows a loop that may have returned.
  Flow afterLoop(const Flow &flow, SourceLoc loc, Continuation following);

  Evaluator &ev;
  KernelStatements &statements;
  RuntimeBranches &branches;
  /// Names that a function reads behind the loops whose variables they are.
  llvm::DenseMap<const ast::FunctionDef *, llvm::DenseSet<llvm::StringRef>>
      behindLoops;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_LOOPSTATEMENTS_H
