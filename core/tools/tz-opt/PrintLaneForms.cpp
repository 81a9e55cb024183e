//===- PrintLaneForms.cpp - tile-print-lane-forms -------------------------===//
//
// What   The formula of each integer, pointer and view, by LaneForms.
//
//   %4: start 64*%0, lanes [1]
//   %6: base %arg0, start 64*%0, lanes [1]
//   %8: start 64*%0, lanes [1], fold of dim 0 from 64*%0 at %arg1
//   %9: view %7, position [64*%arg5, 0]
//
// The lane with index i[0], i[1] ... is base + start + lanes[0] * i[0] + ...;
// at and behind the end of a fold it has another value. LaneForms may add a
// counter to a loop, which is a value as the others.
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/LaneForms.h"
#include "core/tools/tz-opt/FormulaWriter.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::analysis;

static void write(const LaneForm &form, FormulaWriter &writer,
                  llvm::raw_ostream &out) {
  if (form.base) {
    out << "base ";
    writer.write(form.base);
    out << ", ";
  }
  out << "start ";
  writer.write(form.start);
  if (!form.lane.empty()) {
    out << ", lanes ";
    writer.write(form.lane);
  }
  for (const Fold &fold : form.folds) {
    out << ", fold of dim " << fold.dim << " from ";
    writer.write(fold.start);
    out << " at ";
    writer.write(fold.limit);
    out << (fold.needsSign ? " if not negative" : "");
  }
}

tz::opt::Describe tz::opt::describeLaneForms(tile::KernelOp kernel) {
  auto forms = std::make_shared<LaneForms>(kernel);
  return {[forms](Value value, AsmState &names, llvm::raw_ostream &out) {
    std::optional<LaneForm> form = forms->withFolds(value);
    std::optional<ViewForm> view = forms->viewOf(value);
    FormulaWriter writer(forms->scalars(), names, out);
    if (form) {
      write(*form, writer, out);
    } else if (view) {
      out << "view ";
      writer.write(view->root.getResult());
      out << ", position ";
      writer.write(view->position);
    }
  }};
}
