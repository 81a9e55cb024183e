//===- TilePipeline.h - the optimizer's public face -------------*- C++ -*-===//
//
// What   Runs the two named stages of tile IR (R2) on a module of one kernel.
// Why    Drivers and vendors must not depend on which passes there are, only
//        on what holds afterwards: *neutral* is a function of the module alone,
//        *prepared* also of what the target says about itself.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_TILEPIPELINE_H
#define TERRAZZO_OPTIMIZER_TILEPIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir
namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tz::optimizer {

/// Why a pass did not do its work at a place, and what would cure it.
struct Remark {
  mlir::Location location;
  std::string message;
  std::string pass; // "tile-recover-views"

  bool operator==(const Remark &) const = default;
};

/// Receives what the passes have to say, in program order of each pass, each
/// remark once.
struct RemarkSink {
  std::vector<Remark> remarks;
};

/// What a target's description says: names of capabilities that it has, and
/// properties with values ("vector.bits" -> "512"). Never a product's name.
struct TargetFacts {
  std::set<std::string> features;
  std::map<std::string, std::string> properties;
};

/// Does a product of f32 tiles whose precision is the target's choice round its
/// operands to tf32 there (P21)?
bool defaultIsTf32(const TargetFacts &target);

/// Brings every kernel of the module to the neutral stage. Remarks go to
/// `remarks` and are dropped when it is null; errors go to the context's
/// diagnostic handlers. The result does not depend on `target`; it is taken so
/// that a test can hold the passes to that.
mlir::LogicalResult runNeutral(mlir::ModuleOp module,
                               RemarkSink *remarks = nullptr,
                               const TargetFacts &target = {});

/// Brings a neutral module to the prepared stage of one target.
mlir::LogicalResult runPrepared(mlir::ModuleOp module,
                                const TargetFacts &target,
                                RemarkSink *remarks = nullptr);

/// The stages as pass pipelines, for tools.
void buildNeutral(mlir::OpPassManager &manager, const TargetFacts &target);
void buildPrepared(mlir::OpPassManager &manager, const TargetFacts &target);

/// Makes each pass and both stages known to the command line of a tool
/// (tile-simplify ..., tile-neutral, tile-prepared).
void registerPasses();

/// What a pass counted.
struct PassCount {
  std::string pass, name, description;
  uint64_t count = 0;
};

/// What tile-record-parts does, for a target that takes kernels as they were
/// written; how many parts end.
unsigned recordParts(mlir::Operation *kernel);

/// From now on, what each pass counts is added up over the process.
void enableStatistics();
/// The sums of all passes that were destroyed since, by pass and name.
std::vector<PassCount> statistics();
void printStatistics(llvm::raw_ostream &out);

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_TILEPIPELINE_H
