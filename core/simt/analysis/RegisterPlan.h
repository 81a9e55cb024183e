//===- RegisterPlan.h - loads that go ahead into registers ------*- C++ -*-===//
//
// What   Decides which loads of a loop are begun how many iterations ahead, and
//        which of them are written to a ring buffer behind the dots.
// Why    Nothing changes before all is decided: registers and shared memory of
//        a thread and a block are few.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_REGISTERPLAN_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_REGISTERPLAN_H

#include "core/simt/analysis/LoopIterations.h"

#include "terrazzo/simt/Contiguity.h"
#include "terrazzo/simt/SimtTarget.h"

namespace tz::simt {

/// A load that goes ahead.
struct HeldLoad {
  mlir::Operation *load;
  BufferType buffer; // a slot of its ring; null: it stays in registers
  int64_t words;     // of a thread, packed

  mlir::Value result() const { return load->getResult(0); }
  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(result().getType());
  }
  bool isReplaced(StageOp stage) const {
    return buffer && stage.getSource() == result() &&
           stage.getResult().getType() == buffer;
  }
};

struct RegisterPlan {
  llvm::SmallVector<HeldLoad> loads;
  Slice ahead;
  unsigned distance = 0; // iterations ahead
  unsigned slots = 0;    // of each ring
};

/// Nothing if no load can go ahead. `why` says what keeps the loads, or some of
/// them, in place; it stays empty where all go.
std::optional<RegisterPlan> planRegisters(mlir::scf::ForOp loop,
                                          const SimtTarget &target,
                                          const Contiguity &runs,
                                          std::string &why);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_REGISTERPLAN_H
