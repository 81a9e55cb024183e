//===- PrintLaunchViews.cpp - simt-print-launch-views ---------------------===//
//
// What   Of each access of a view the frame that is known before the launch,
// and
//        where the view stands in it; or what is in the way.
//
//   tile.load_view %7: base %arg0 + 0, [%arg1, %arg2] by [%arg2, 1] at [0, 0]
//   tile.load_view %9: none: a stride depends on the program
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LaunchViews.h"
#include "core/tools/tz-opt/FormulaWriter.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::simt;

namespace {
struct Views {
  explicit Views(tile::KernelOp kernel) : hints(kernel), views(kernel, hints) {}

  analysis::Hints hints;
  LaunchViews views;
};
} // namespace

static void write(const LaunchView &view, FormulaWriter &writer,
                  llvm::raw_ostream &out) {
  out << "base ";
  writer.write(view.base);
  out << " + ";
  writer.write(view.offset);
  out << ", ";
  writer.write(view.shape);
  out << " by ";
  writer.write(view.strides);
  out << " at ";
  writer.write(view.position);
  if (view.more > 0) {
    out << ", " << view.more << " of the frame alone";
  }
  if (!view.positive.empty()) {
    out << ", if positive ";
    llvm::interleave(
        view.positive, [&](Value value) { writer.write(value); },
        [&] { out << ", "; });
  }
}

Describe tz::opt::describeLaunchViews(tile::KernelOp kernel) {
  auto all = std::make_shared<Views>(kernel);
  return {nullptr,
          [all](Operation *op, AsmState &names, llvm::raw_ostream &out) {
            auto load = dyn_cast<tile::LoadViewOp>(op);
            auto store = dyn_cast<tile::StoreViewOp>(op);
            if (!load && !store) {
              return;
            }
            StringRef why;
            auto view =
                load ? all->views.describe(load.getView(), load.getOffsets(),
                                           load.getChecked(), why)
                     : all->views.describe(store.getView(), store.getOffsets(),
                                           store.getChecked(), why);
            FormulaWriter writer(all->views.scalars(), names, out);
            if (view) {
              write(*view, writer, out);
            } else {
              out << "none: " << why;
            }
          }};
}
