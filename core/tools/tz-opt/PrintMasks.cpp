//===- PrintMasks.cpp - tile-print-known-masks, tile-print-mask-bounds ----===//
//
// What   Of each comparison the formulas of which none may be negative for it
//        to be true in all lanes; of each loop the comparisons that hold up to
//        an iteration or from one on. Of each mask its bounds, by dimension.
//
//   arith.cmpi %4: true where [%arg1 + -64*%0 + -64, 64*%0] >= 0
//   scf.for %8: %12 by [-1*%arg5 + %arg1 + -64] slope -1 if [] >= 0
//   tile.store: upper [[%arg1 + -64*%0]], lower [[]]
//   tile.load %9: none: the mask is no conjunction of comparisons
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/KnownMasks.h"
#include "core/optimizer/analysis/MaskBounds.h"
#include "core/tools/tz-opt/FormulaWriter.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::analysis;

namespace {
struct Masks {
  explicit Masks(tile::KernelOp kernel)
      : hints(kernel), forms(kernel), known(kernel, forms, hints) {}

  Hints hints;
  LaneForms forms;
  KnownMasks known;
};
} // namespace

static void write(scf::ForOp loop, Masks &masks, FormulaWriter &writer,
                  llvm::raw_ostream &out) {
  llvm::interleave(
      masks.known.ofIterations(loop),
      [&](const IterationMask &mask) {
        arith::CmpIOp op = mask.op;
        writer.write(op.getResult());
        out << " by ";
        writer.write(mask.slack);
        out << " slope " << mask.slope << " if ";
        writer.write(mask.conditions);
        out << " >= 0";
      },
      [&] { out << "; "; });
}

Describe tz::opt::describeKnownMasks(tile::KernelOp kernel) {
  auto masks = std::make_shared<Masks>(kernel);
  return {nullptr,
          [masks](Operation *op, AsmState &names, llvm::raw_ostream &out) {
            FormulaWriter writer(masks->forms.scalars(), names, out);
            if (auto loop = dyn_cast<scf::ForOp>(op)) {
              write(loop, *masks, writer, out);
            } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
              auto conditions = masks->known.conditionsOf(compare);
              if (conditions) {
                out << "true where ";
                writer.write(*conditions);
                out << " >= 0";
              }
            }
          }};
}

static void write(const MaskBounds &bounds, FormulaWriter &writer,
                  llvm::raw_ostream &out) {
  for (auto [name, lists] : {std::pair("upper", &bounds.upper),
                             std::pair(", lower", &bounds.lower)}) {
    out << name << " [";
    llvm::interleave(
        *lists, [&](ArrayRef<Polynomial> dim) { writer.write(dim); },
        [&] { out << ", "; });
    out << "]";
  }
  for (const UniformCondition &one : bounds.uniform) {
    out << ", if ";
    if (one.flag) {
      writer.write(one.flag);
    } else {
      writer.write(one.value);
      out << (one.isEquality ? " == 0" : " < 0");
    }
  }
}

Describe tz::opt::describeMaskBounds(tile::KernelOp kernel) {
  auto masks = std::make_shared<Masks>(kernel);
  return {
      nullptr, [masks](Operation *op, AsmState &names, llvm::raw_ostream &out) {
        auto load = dyn_cast<tile::LoadOp>(op);
        auto store = dyn_cast<tile::StoreOp>(op);
        Value mask = load ? load.getMask() : store ? store.getMask() : Value();
        if (!mask) {
          return;
        }
        FormulaWriter writer(masks->forms.scalars(), names, out);
        std::string why;
        if (auto bounds = readMask(mask, masks->forms, masks->hints, why)) {
          write(*bounds, writer, out);
        } else {
          out << "none: " << why;
        }
      }};
}
