//===- PrintLayouts.cpp - simt-print-layouts ------------------------------===//
//
// What   The layout that each access asks for (Anchors), and the one that each
//        tile gets (Spreading), for a target without a matrix unit.
//
//   tile.load %7: asks for #simt.layout<rank 1, register [[1]], lane ...>
//   %8: #simt.layout<rank 1, register [[1]], lane ...>
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Anchors.h"
#include "core/simt/analysis/Spreading.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::simt;

static unsigned warpsOf(tile::KernelOp kernel) {
  auto warps = kernel->getAttrOfType<IntegerAttr>("tile.num_warps");
  return warps ? unsigned(warps.getInt()) : 4;
}

namespace {
struct Layouts {
  explicit Layouts(tile::KernelOp kernel)
      : anchors(kernel, target, warpsOf(kernel)), spreading(kernel, anchors) {}

  SimtTarget target;
  Anchors anchors;
  Spreading spreading;
};
} // namespace

static void write(const Layout &layout, MLIRContext *context,
                  llvm::raw_ostream &out) {
  out << Attribute(LayoutAttr::get(context, layout));
}

Describe tz::opt::describeLayouts(tile::KernelOp kernel) {
  auto layouts = std::make_shared<Layouts>(kernel);
  return {[layouts](Value value, AsmState &, llvm::raw_ostream &out) {
            if (isTile(value)) {
              write(layouts->spreading.of(value), value.getContext(), out);
            }
          },
          [layouts](Operation *op, AsmState &, llvm::raw_ostream &out) {
            auto access = layouts->anchors.accesses().find(op);
            if (access != layouts->anchors.accesses().end()) {
              out << "asks for ";
              write(access->second, op->getContext(), out);
            }
          }};
}
