//===- PrintAccesses.cpp - tile-print-view-accesses, -folded-lanes --------===//
//
// What   Of each access by pointers the view that it is of, or why it is of
//        none. Of each load by offsets that fold, whether anything sees the
//        lanes beyond the limit.
//
//   tile.load %9: base %arg0, start 0, dim 1 * (64*%0) below [%arg1]
//   tile.load %12: no view: two lower bounds on one dimension
//   tile.load %9: fold of dim 0 is unseen
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/FoldedLanes.h"
#include "core/optimizer/analysis/ViewAccess.h"
#include "core/tools/tz-opt/FormulaWriter.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::analysis;

static void write(const ViewAccess &access, FormulaWriter &writer,
                  llvm::raw_ostream &out) {
  out << "base ";
  writer.write(access.base);
  out << ", start ";
  writer.write(access.start);
  for (const ViewAccess::Dim &dim : access.dims) {
    out << ", dim ";
    writer.write(dim.stride);
    out << " * (";
    writer.write(dim.offset);
    out << ")";
    if (dim.checked) {
      out << " below ";
      writer.write(dim.extents);
    }
  }
  for (const UniformCondition &one : access.uniform) {
    out << ", if ";
    if (one.flag) {
      writer.write(one.flag);
    } else {
      writer.write(one.value);
      out << (one.isEquality ? " == 0" : " < 0");
    }
  }
  out << (access.rebased ? ", rebased" : "")
      << (access.folded ? ", folded" : "");
}

Describe tz::opt::describeViewAccesses(tile::KernelOp kernel) {
  auto accesses = std::make_shared<ViewAccesses>(kernel);
  return {nullptr,
          [accesses](Operation *op, AsmState &names, llvm::raw_ostream &out) {
            auto load = dyn_cast<tile::LoadOp>(op);
            auto store = dyn_cast<tile::StoreOp>(op);
            if ((!load && !store) ||
                !isa<RankedTensorType>(op->getOperand(0).getType())) {
              return;
            }
            std::string why;
            auto access =
                load ? accesses->read(load, why) : accesses->read(store, why);
            FormulaWriter writer(accesses->forms().scalars(), names, out);
            if (access) {
              write(*access, writer, out);
            } else {
              out << "no view: " << why;
            }
          }};
}

namespace {
struct Folds {
  explicit Folds(tile::KernelOp kernel)
      : hints(kernel), forms(kernel), lanes(kernel, forms, hints) {}

  Hints hints;
  LaneForms forms;
  FoldedLanes lanes;
};
} // namespace

Describe tz::opt::describeFoldedLanes(tile::KernelOp kernel) {
  auto folds = std::make_shared<Folds>(kernel);
  return {nullptr, [folds](Operation *op, AsmState &, llvm::raw_ostream &out) {
            auto load = dyn_cast<tile::LoadOp>(op);
            auto form =
                load ? folds->forms.withFolds(load.getPointer()) : std::nullopt;
            if (!form || form->folds.empty()) {
              return;
            }
            llvm::interleave(
                form->folds,
                [&](const Fold &fold) {
                  std::string why;
                  out << "fold of dim " << fold.dim << " is ";
                  if (folds->lanes.areUnseen(load, fold, why)) {
                    out << "unseen";
                  } else {
                    out << "seen: " << why;
                  }
                },
                [&] { out << "; "; });
          }};
}
