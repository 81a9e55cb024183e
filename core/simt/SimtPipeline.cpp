//===- SimtPipeline.cpp - the passes of a variant, in order ---------------===//
//
// What   See terrazzo/simt/SimtPipeline.h.
// Why    See terrazzo/simt/SimtPipeline.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/SimtPipeline.h"

#include "terrazzo/plugin/Error.h"
#include "terrazzo/simt/Passes.h"
#include "terrazzo/simt/SimtTarget.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace tz::simt;

Pipeline::Pipeline(const SimtTarget &target, Form form) {
#define SIMT_STEP(Name, Create, When, Reason)                                  \
  if (When) {                                                                  \
    all.push_back({Name, Create});                                             \
  }
#include "core/simt/SimtPipeline.def"
  target.extendPipeline(*this, form);
}

std::vector<Pipeline::Step>::iterator Pipeline::find(llvm::StringRef step) {
  auto found =
      llvm::find_if(all, [&](const Step &one) { return one.name == step; });
  if (found != all.end()) {
    return found;
  }
  std::string names;
  for (const Step &one : all) {
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw tz::plugin::Failure(TZ_E_INTERNAL,
                            "the pipeline of this variant has no step '" +
                                step.str() + "'; it has " + names);
}

void Pipeline::insert(std::vector<Step>::iterator place, std::string name,
                      std::unique_ptr<mlir::Pass> pass) {
  if (llvm::any_of(all, [&](const Step &one) { return one.name == name; })) {
    throw tz::plugin::Failure(TZ_E_INTERNAL,
                              "the pipeline has a step '" + name +
                                  "' already; a step needs a name of its own");
  }
  all.insert(place, Step{std::move(name), std::move(pass)});
}

void Pipeline::insertBefore(llvm::StringRef step, std::string name,
                            std::unique_ptr<mlir::Pass> pass) {
  insert(find(step), std::move(name), std::move(pass));
}

void Pipeline::insertAfter(llvm::StringRef step, std::string name,
                           std::unique_ptr<mlir::Pass> pass) {
  insert(std::next(find(step)), std::move(name), std::move(pass));
}

void Pipeline::moveTo(mlir::OpPassManager &manager) {
  for (Step &step : all) {
    manager.addPass(std::move(step.pass));
  }
  all.clear();
}
