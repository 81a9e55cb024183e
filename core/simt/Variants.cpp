//===- Variants.cpp - a kernel with and without the copy engine -----------===//
//
// What   See Variants.h.
// Why    See Variants.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Variants.h"

#include "terrazzo/simt/Lowering.h"
#include "terrazzo/simt/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace tz;
using namespace tz::simt;

namespace {
/// What a variant may do.
struct Form {
  bool persists, storesInBulk;
};
} // namespace

static void prepare(tile::KernelOp kernel, const Target &target, Form form) {
  mlir::PassManager passes(kernel->getContext(),
                           tile::KernelOp::getOperationName());
  passes.addPass(createMarkLastReads());
  if (form.persists) {
    passes.addPass(createPersistPrograms(&target));
  }
  passes.addPass(createVersionAlignment());
  if (form.storesInBulk) {
    passes.addPass(createBulkStores(&target));
  }
  passes.addPass(createAssignLayouts(&target));
  passes.addPass(createRemoveConversions());
  passes.addPass(createShareBuffers());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(createPipelineLoops(&target));
  passes.addPass(createPrefetchLoads());
  passes.addPass(createOverlapDots(&target));
  passes.addPass(mlir::createCSEPass()); // loops describe the same frames
  passes.addPass(createSpecializeWarps(&target));
  // The first error of a pass is what the kernel's author is told.
  mlir::Location place = kernel.getLoc();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      kernel->getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) {
          return mlir::failure(); // remarks are for others
        }
        if (said.empty()) {
          place = diagnostic.getLocation();
          said = diagnostic.str();
        }
        return mlir::success();
      });
  if (failed(passes.run(kernel))) {
    throw Unsupported(place,
                      said.empty() ? "layouts could not be assigned" : said);
  }
}

std::vector<Variant> tz::simt::makeVariants(tile::KernelOp kernel,
                                            const Target *inBulk,
                                            const Target &plain,
                                            const FrameLimits &limits) {
  std::vector<Variant> variants;
  // Descriptors of loads alone, if a plan is too short for all.
  for (Form form : {Form{true, true}, {false, true}, {false, false}}) {
    if (!inBulk) {
      break;
    }
    mlir::OpBuilder builder(kernel);
    auto copy = mlir::cast<tile::KernelOp>(builder.clone(*kernel));
    copy.setSymName((kernel.getSymName() + "_bulk").str());
    prepare(copy, *inBulk, form);
    llvm::SmallVector<DescriptorOp> descriptors;
    const llvm::SmallVector<uint32_t> axes = gridAxes(copy);
    bool loads = false, stores = false;
    copy.walk([&](mlir::Operation *op) {
      loads |= mlir::isa<BulkCopyOp>(op);
      stores |= mlir::isa<BulkStoreOp>(op);
      if (auto one = mlir::dyn_cast<DescriptorOp>(op)) {
        descriptors.push_back(one);
      }
    });
    // A loop over programs whose copies do not go on from one to the next gains
    // nothing; a store alone is not worth a second variant.
    terrazzo::plugin::Kernel trial;
    const bool isInVain =
        !axes.empty() && copy.getBody().front().getOps<RingOp>().empty();
    if (loads && !isInVain && appendDescriptors(trial, descriptors, limits) &&
        appendGrid(trial, axes, limits)) {
      variants.push_back({copy});
      break;
    }
    copy.erase();
    if (axes.empty() && (!loads || !stores)) {
      break;
    }
  }
  prepare(kernel, plain, {false, false});
  variants.push_back({kernel});
  return variants;
}
