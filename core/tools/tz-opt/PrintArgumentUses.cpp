//===- PrintArgumentUses.cpp - tile-print-argument-uses -------------------===//
//
// What   Of each argument what ArgumentUses and PointerUses say: whether an
//        integer is worth a specialisation, what is done through a pointer.
//
//   %arg0: read, steps [64]
//   %arg1: written, steps any
//   %arg2: scales elements of 4 bytes, folds one
//===----------------------------------------------------------------------===//
#include "core/tools/tz-opt/PrintPass.h"

#include "terrazzo/analysis/ArgumentUses.h"
#include "terrazzo/analysis/PointerUses.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::analysis;

static void write(const PointerUse &use, llvm::raw_ostream &out) {
  if (!use.isKnown) {
    out << "not known";
    return;
  }
  out << (use.isRead && use.isWritten ? "read and written"
          : use.isRead                ? "read"
          : use.isWritten             ? "written"
                                      : "not accessed")
      << ", steps ";
  if (!use.steps) {
    out << "any";
    return;
  }
  out << "[";
  llvm::interleaveComma(*use.steps, out);
  out << "]";
}

static void write(const ArgumentUse &use, llvm::raw_ostream &out) {
  if (use.smallestElement) {
    out << "scales elements of " << use.smallestElement << " bytes";
  } else {
    out << "scales nothing";
  }
  out << (use.foldsOne ? ", folds one" : "");
}

Describe tz::opt::describeArgumentUses(tile::KernelOp kernel) {
  Block *body = &kernel.getBody().front();
  return {[body, integers = argumentUses(kernel),
           pointers = pointerUses(kernel)](Value value, AsmState &,
                                           llvm::raw_ostream &out) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != body) {
      return;
    }
    const unsigned number = argument.getArgNumber();
    if (isa<tile::PtrType>(argument.getType())) {
      write(pointers[number], out);
    } else if (argument.getType().isInteger()) {
      write(integers[number], out);
    }
  }};
}
