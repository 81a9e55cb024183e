//===- PipelineTest.cpp - the steps of the SIMT pipeline ------------------===//
//
// What   Their order and names, for each form; steps of a vendor.
// Why    Vendors name steps: a name that vanishes must be noticed here first.
//===----------------------------------------------------------------------===//
#include "terrazzo/plugin/Error.h"
#include "terrazzo/simt/Passes.h"
#include "terrazzo/simt/SimtPipeline.h"
#include "terrazzo/simt/SimtTarget.h"

#include <gtest/gtest.h>

using namespace tz::simt;

namespace {

std::vector<std::string> namesOf(const Pipeline &pipeline) {
  std::vector<std::string> names;
  for (const Pipeline::Step &step : pipeline.steps()) {
    names.push_back(step.name);
  }
  return names;
}

/// Every step of the table, in its order.
const std::vector<std::string> EveryStep = {
#define SIMT_STEP(Name, Create, When, Reason) Name,
#include "core/simt/SimtPipeline.def"
};

const std::vector<std::string> Reasons = {
#define SIMT_STEP(Name, Create, When, Reason) Reason,
#include "core/simt/SimtPipeline.def"
};

TEST(Pipeline, StepsOfTheTableInItsOrder) {
  const SimtTarget target;
  EXPECT_EQ(namesOf(Pipeline(target, {true, true, 1, 2})), EveryStep);
  std::vector<std::string> plain = EveryStep;
  std::erase(plain, "split-k");
  std::erase(plain, "persist-programs");
  std::erase(plain, "bulk-stores");
  EXPECT_EQ(namesOf(Pipeline(target, {})), plain);
}

TEST(Pipeline, NamesAreUniqueAndEachStepHasAReason) {
  EXPECT_EQ(std::set<std::string>(EveryStep.begin(), EveryStep.end()).size(),
            EveryStep.size());
  for (const std::string &reason : Reasons) {
    EXPECT_TRUE(reason.ends_with(".")) << reason;
  }
}

/// A vendor with steps of its own.
struct Vendor : SimtTarget {
  void extendPipeline(Pipeline &pipeline, Form) const override {
    pipeline.insertBefore("assign-layouts", "vendor-first",
                          createShareBuffers());
    pipeline.insertAfter("assign-layouts", "vendor-second",
                         createShareBuffers());
    pipeline.insertAfter("mark-regions", "vendor-last", createShareBuffers());
  }
};

TEST(Pipeline, AVendorInsertsByName) {
  const Vendor vendor;
  const std::vector<std::string> names = namesOf(Pipeline(vendor, {}));
  auto at = std::find(names.begin(), names.end(), "assign-layouts");
  ASSERT_NE(at, names.end());
  EXPECT_EQ(at[-1], "vendor-first");
  EXPECT_EQ(at[1], "vendor-second");
  EXPECT_EQ(names.back(), "vendor-last");
}

std::string problemOf(const std::function<void()> &work) {
  try {
    work();
  } catch (const tz::plugin::Failure &problem) {
    return problem.what();
  }
  return "none";
}

TEST(Pipeline, AStepThatIsNotThereIsSaid) {
  const SimtTarget target;
  Pipeline pipeline(target, {});
  const std::string unknown = problemOf([&] {
    pipeline.insertAfter("persist-programs", "mine", createShareBuffers());
  });
  EXPECT_TRUE(
      unknown.starts_with("the pipeline of this variant has no step "
                          "'persist-programs'; it has mark-last-reads, "))
      << unknown;
  EXPECT_EQ(problemOf([&] {
              pipeline.insertAfter("cse", "cse-descriptors",
                                   createShareBuffers());
            }),
            "the pipeline has a step 'cse-descriptors' already; a step needs a "
            "name of its own");
}

} // namespace
