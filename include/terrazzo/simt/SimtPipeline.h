//===- terrazzo/simt/SimtPipeline.h - the passes of a variant, in order ---===//
//
// What   The steps from prepared tile IR to one with layouts, software
//        pipelining and warp specialisation; a vendor's own steps among them.
// Why    A vendor knows better than a shared list what its machine needs
//        between two steps. It says where by a step's name.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMTPIPELINE_H
#define TERRAZZO_SIMT_SIMTPIPELINE_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
}

namespace tz::simt {

class SimtTarget;

/// What a variant may do.
struct Form {
  /// A block runs program after program.
  bool persists = false;
  /// Tiles are stored by bulk copies.
  bool storesInBulk = false;
  /// Blocks of a cluster; 1: none.
  unsigned clusterBlocks = 1;
  /// Blocks that share a program; 1: it has one.
  unsigned splitBlocks = 1;
};

class Pipeline {
public:
  struct Step {
    std::string name;
    std::unique_ptr<mlir::Pass> pass; // of tile.kernel
  };

  /// The steps of core/simt/SimtPipeline.def for this form, then what the
  /// target adds (SimtTarget::extendPipeline). `target` must live as long as
  /// the passes.
  Pipeline(const SimtTarget &target, Form form);

  /// A step beside one that is there. Throws std::invalid_argument, which names
  /// the steps that there are, if there is no such step, or if the new name is
  /// taken.
  void insertBefore(llvm::StringRef step, std::string name,
                    std::unique_ptr<mlir::Pass> pass);
  void insertAfter(llvm::StringRef step, std::string name,
                   std::unique_ptr<mlir::Pass> pass);

  const std::vector<Step> &steps() const { return all; }
  /// Gives the passes away: the pipeline is empty then.
  void moveTo(mlir::OpPassManager &manager);

private:
  std::vector<Step>::iterator find(llvm::StringRef step);
  void insert(std::vector<Step>::iterator place, std::string name,
              std::unique_ptr<mlir::Pass> pass);

  std::vector<Step> all;
};

} // namespace tz::simt

#endif // TERRAZZO_SIMT_SIMTPIPELINE_H
