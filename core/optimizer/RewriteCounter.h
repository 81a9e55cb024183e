//===- RewriteCounter.h - counts rewrites by their label --------*- C++ -*-===//
//
// What   Listens to a greedy rewrite and adds each pattern that was applied to
//        the statistic of the pattern's label.
// Why    Patterns are shared by all runs of a pass and know no pass; their
//        label, set where they are added, says which count they belong to.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_REWRITECOUNTER_H
#define TERRAZZO_OPTIMIZER_REWRITECOUNTER_H

#include "core/optimizer/Statistic.h"

#include "mlir/IR/PatternMatch.h"

namespace tz::optimizer {

class RewriteCounter : public mlir::RewriterBase::Listener {
public:
  /// `labelled`: the statistics whose names are labels of patterns. `others`
  /// counts patterns without a label, `folded` and `dead` what the driver does
  /// itself; each may be null.
  explicit RewriteCounter(llvm::ArrayRef<Statistic *> labelled,
                          Statistic *others = nullptr,
                          Statistic *folded = nullptr,
                          Statistic *dead = nullptr)
      : labelled(labelled), others(others), folded(folded), dead(dead) {}

  void notifyPatternBegin(const mlir::Pattern &, mlir::Operation *) override {
    inPattern = true;
  }

  void notifyPatternEnd(const mlir::Pattern &pattern,
                        llvm::LogicalResult status) override {
    inPattern = false;
    if (llvm::failed(status)) {
      return;
    }
    for (llvm::StringRef label : pattern.getDebugLabels()) {
      for (Statistic *statistic : labelled) {
        if (statistic->getName() == label) {
          ++*statistic;
          return;
        }
      }
    }
    add(others);
  }

  void notifyOperationReplaced(mlir::Operation *op, mlir::ValueRange) override {
    if (!inPattern) {
      add(folded);
      replaced = op;
    }
  }

  void notifyOperationErased(mlir::Operation *op) override {
    if (!inPattern && op != replaced) {
      add(dead);
    }
    replaced = nullptr;
  }

private:
  static void add(Statistic *statistic) {
    if (statistic) {
      ++*statistic;
    }
  }

  llvm::ArrayRef<Statistic *> labelled;
  Statistic *others, *folded, *dead;
  mlir::Operation *replaced = nullptr; // its erasure is part of folding
  bool inPattern = false;
};

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_REWRITECOUNTER_H
