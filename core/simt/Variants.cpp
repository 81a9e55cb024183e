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

static void prepare(tile::KernelOp kernel, const Target &target,
                    bool storesInBulk) {
  mlir::PassManager passes(kernel->getContext(),
                           tile::KernelOp::getOperationName());
  passes.addPass(createMarkLastReads());
  passes.addPass(createVersionAlignment());
  if (storesInBulk) {
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
  for (bool storesInBulk : {true, false}) {
    if (!inBulk) {
      break;
    }
    mlir::OpBuilder builder(kernel);
    auto copy = mlir::cast<tile::KernelOp>(builder.clone(*kernel));
    copy.setSymName((kernel.getSymName() + "_bulk").str());
    prepare(copy, *inBulk, storesInBulk);
    llvm::SmallVector<DescriptorOp> descriptors;
    bool loads = false, stores = false;
    copy.walk([&](mlir::Operation *op) {
      loads |= mlir::isa<BulkCopyOp>(op);
      stores |= mlir::isa<BulkStoreOp>(op);
      if (auto one = mlir::dyn_cast<DescriptorOp>(op)) {
        descriptors.push_back(one);
      }
    });
    // A store alone is not worth a second variant.
    terrazzo::plugin::Kernel trial;
    if (loads && appendDescriptors(trial, descriptors, limits)) {
      variants.push_back({copy});
      break;
    }
    copy.erase();
    if (!loads || !stores) {
      break;
    }
  }
  prepare(kernel, plain, /*storesInBulk=*/false);
  variants.push_back({kernel});
  return variants;
}
