//===- ViewAccess.h - pointer accesses read as view accesses ----*- C++ -*-===//
//
// What   What makes a view access of an access by a tile of pointers: base,
//        start, strides, offsets, extents.
// Why    Reading an access and writing the ops for it are two questions.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_VIEWACCESS_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_VIEWACCESS_H

#include "core/optimizer/analysis/FoldedLanes.h"
#include "core/optimizer/analysis/MaskBounds.h"

namespace tz::analysis {

struct ViewAccess {
  mlir::Value base;
  Polynomial start; // elements from base to the view's origin
  struct Dim {
    Polynomial stride, offset;
    // The smallest counts; none: unknown.
    llvm::SmallVector<Polynomial, 1> extents;
    bool checked = false;
  };
  llvm::SmallVector<Dim, 2> dims;
  llvm::SmallVector<UniformCondition, 1> uniform;
  bool rebased = false; // an offset might be negative, so it is in the base
  bool folded = false;  // lanes beyond a limit are not read as they were
};

class ViewAccesses {
public:
  explicit ViewAccesses(tile::KernelOp kernel)
      : hints(kernel), table(kernel), folded(kernel, table, hints) {}

  LaneForms &forms() { return table; }
  /// nullopt: it is none, for the reason in `why`.
  std::optional<ViewAccess> read(tile::LoadOp op, std::string &why);
  std::optional<ViewAccess> read(tile::StoreOp op, std::string &why);
  /// What must not be negative for `op` to be a view, and is not known.
  llvm::SmallVector<Polynomial> missingSigns(tile::LoadOp op);
  /// From now on none of `all` is negative in `region`.
  void assume(mlir::Region &region, llvm::ArrayRef<Polynomial> all) {
    versioned = &region;
    known.assign(all.begin(), all.end());
  }

private:
  std::optional<ViewAccess> read(mlir::Operation *op, mlir::Value pointer,
                                 mlir::Value mask, std::string &why);
  std::optional<MaskBounds> boundsOf(mlir::Operation *op, const LaneForm &form,
                                     mlir::Value mask, std::string &why);
  void chooseOffset(ViewAccess &access, unsigned d, const LaneForm &pointer,
                    const Polynomial *upper);
  bool isLoopVarying(const Term &term);
  bool isNonNegative(const Polynomial &p);

  Hints hints;
  LaneForms table;
  FoldedLanes folded;
  mlir::Region *versioned = nullptr;
  llvm::SmallVector<Polynomial> known; // >= 0 in `versioned`
  bool isVersioned = false;            // the access is there
};

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_VIEWACCESS_H
