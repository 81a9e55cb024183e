//===- RuntimeBranches.h - the two arms of a run-time branch ----*- C++ -*-===//
//
// What   Makes an scf.if, runs its arms in scopes of their own, and merges what
//        they set and return into its results.
// Why    An if, a conditional expression, what follows a loop and an unrolled
//        loop that may be left end their arms in the same way.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_RUNTIMEBRANCHES_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_RUNTIMEBRANCHES_H

#include "core/frontend/evaluate/ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::frontend {

class Evaluator;

class RuntimeBranches {
public:
  explicit RuntimeBranches(Evaluator &ev) : ev(ev) {}

  struct Arm {
    Flow flow;
    Scope scope; // at its end
  };
  /// An scf.if that is being made; `draft` has no results yet.
  struct Branch {
    SourceLoc loc;
    mlir::scf::IfOp draft;
    Scope before;
    Arm whenTrue, whenFalse;
  };
  static constexpr llvm::StringLiteral ReturnedView =
      "a block pointer or descriptor that is made in a loop or on one path of "
      "a run-time if cannot be returned from there; make it before";

  /// The builder stands in the first arm.
  Branch open(SourceLoc loc, mlir::Value flag);
  /// The scope is again what it was before the branch.
  void closeArm(Arm &arm, Branch &branch);
  /// Gives the scf.if its results: what is returned, how it ended, and `names`.
  Flow close(Branch &branch, llvm::ArrayRef<llvm::StringRef> names);
  /// What both arms give beside what they set: each binds it to this name,
  /// which no Python name equals.
  static constexpr llvm::StringLiteral ValueName = " value";
  /// Closes the branch with all that its arms have set; that value.
  Value closeWithValue(Branch &branch);
  /// The names that an arm has set, sorted.
  static std::vector<llvm::StringRef> changedNames(const Branch &branch);
  /// The draft with results; the builder stands behind it.
  mlir::scf::IfOp replaceDraft(mlir::scf::IfOp draft,
                               llvm::ArrayRef<mlir::Value> thenValues,
                               llvm::ArrayRef<mlir::Value> elseValues);

  /// Is the flow's end in one of these ways? A run-time value.
  mlir::Value hasEnded(const Flow &flow, llvm::ArrayRef<Flow::Kind> ways,
                       SourceLoc loc);
  /// Runs what follows a statement where the statement did not leave its block.
  Flow afterExits(const Flow &flow, SourceLoc loc, Continuation following);
  /// A value of the same type that nothing reads: it stands where a path
  /// through `around` gives none. What is made before `around` stands for
  /// itself. `unmakable`: the error for types without constants.
  Value placeholder(const Value &like, mlir::Operation *around, SourceLoc loc,
                    llvm::StringRef unmakable);

private:
  /// The values of a name, or of what is returned, at the end of both arms.
  struct Leaving {
    llvm::StringRef name;
    Value whenTrue, whenFalse;
    SourceLoc loc;
  };
  bool mergeReturned(Branch &branch, llvm::SmallVectorImpl<Leaving> &leaving,
                     Flow &result);
  void mergeName(llvm::StringRef name, Branch &branch,
                 llvm::SmallVectorImpl<Leaving> &leaving);
  void unfold(Binding &binding, const Binding &other, mlir::Operation *yield);
  void mergeBesideReturn(llvm::StringRef name, Branch &branch, bool thenGone,
                         llvm::SmallVectorImpl<Leaving> &leaving);
  llvm::SmallVector<mlir::Value>
  splitTiles(llvm::ArrayRef<Leaving> leaving,
             llvm::SmallVectorImpl<mlir::Value> &thenValues,
             llvm::SmallVectorImpl<mlir::Value> &elseValues);

  Evaluator &ev;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_RUNTIMEBRANCHES_H
