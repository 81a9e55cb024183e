//===- ProfileOfOthersTest.cpp - what other libraries launch --------------===//
//
// What   Kernels of other libraries below scopes, states, frames, ranges and
//        graphs, also of threads that work for another one.
// Why    Most of a model's kernels are not ours, and each has its place.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/ProfileFixture.h"

#include "runtime/profile/ProfileData.h"

#include <cstring>
#include <thread>

using namespace tz::runtime;

namespace {

class ProfileOfOthers : public ProfileOfRecords {
protected:
  /// As a plugin does in the driver's call: the host says what the record has.
  static void launchOfOthers(const char *name);
  static const tz_profiler_watcher &watcher() {
    return Echo::instance().watcher;
  }
};

/// By the clock of the echo's device.
static uint64_t now() { return monotonicNs() + 500; }

static tz_record kernelOfOthers(const char *name) {
  tz_record record{};
  record.size = sizeof(record);
  record.kind = TZ_RECORD_KERNEL;
  record.t0_ns = now();
  record.t1_ns = record.t0_ns + 40;
  record.name = {name, std::strlen(name)};
  return record;
}

void ProfileOfOthers::launchOfOthers(const char *name) {
  tz_record record = kernelOfOthers(name);
  record.external = watcher().launching(watcher().ctx);
  Echo::instance().records.push_back(record);
}

TEST_F(ProfileOfOthers, WorkOfOthersIsUnderTheScopesThatMadeIt) {
  start();
  enter("outer");
  enter("inner");
  ASSERT_EQ(Echo::instance().externals.size(), 2u);
  tz_record record{};
  record.size = sizeof(record);
  record.kind = TZ_RECORD_KERNEL;
  record.external = Echo::instance().externals.back();
  record.t0_ns = now();
  record.t1_ns = record.t0_ns + 40;
  record.name = {"gemm", 4};
  Echo::instance().records.push_back(record);
  record.kind = TZ_RECORD_COPY;
  record.external = Echo::instance().externals.front();
  Echo::instance().records.push_back(record);
  leave();
  leave();
  EXPECT_TRUE(Echo::instance().externals.empty());
  const json outer = child(root(), "outer");
  EXPECT_EQ(child(child(outer, "inner"), "gemm")["metrics"]["time (ns)"], 40);
  EXPECT_EQ(child(outer, "<copy>")["metrics"]["count"], 1);
}

TEST_F(ProfileOfOthers, WorkOfOthersInAStateIsBelowIt) {
  start();
  enter("outer");
  ok(tz_profile_enter_state("metadata"));
  tz_record record = kernelOfOthers("sum");
  record.external = Echo::instance().externals.back();
  Echo::instance().records.push_back(record);
  ok(tz_profile_exit_state());
  record.external = Echo::instance().externals.back();
  Echo::instance().records.push_back(record);
  leave();
  EXPECT_TRUE(Echo::instance().externals.empty());
  const json outer = child(root(), "outer");
  EXPECT_EQ(child(child(outer, "metadata"), "sum")["metrics"]["count"], 1);
  EXPECT_EQ(child(outer, "sum")["metrics"]["count"], 1);
}

/// A device tells of it later, maybe when the profile runs (again).
TEST_F(ProfileOfOthers, WorkOfOthersBeforeItOrInAPauseIsNotOfIt) {
  const tz_record before = kernelOfOthers("before");
  start();
  launches(); // opens the records
  Echo::instance().records.push_back(before);
  Echo::instance().records.push_back(kernelOfOthers("first"));
  ok(tz_profile_pause(profile));
  const tz_record between = kernelOfOthers("between");
  ok(tz_profile_resume(profile));
  Echo::instance().records.push_back(between);
  Echo::instance().records.push_back(kernelOfOthers("second"));
  const json top = root();
  EXPECT_EQ(child(top, "first")["metrics"]["count"], 1);
  EXPECT_EQ(child(top, "second")["metrics"]["count"], 1);
  for (const json &one : top["children"]) {
    EXPECT_NE(one["frame"]["name"], "before");
    EXPECT_NE(one["frame"]["name"], "between");
  }
}

TEST_F(ProfileOfOthers, KernelsOfAGraphStandBelowWhereItWasRecorded) {
  start();
  enter("capture");
  enter("layer");
  tz_record record{};
  record.size = sizeof(record);
  record.kind = TZ_RECORD_KERNEL;
  record.a = Echo::instance().externals.back();
  record.b = 1;
  record.t0_ns = now();
  record.t1_ns = record.t0_ns + 40;
  record.name = {"gemm", 4};
  leave();
  leave();
  enter("replay");
  record.external = Echo::instance().externals.back();
  Echo::instance().records.push_back(record);
  record.a = 0; // recorded outside of scopes
  Echo::instance().records.push_back(record);
  leave();
  const json at = child(child(root(), "replay"), "<captured_at>");
  EXPECT_EQ(child(child(child(at, "capture"), "layer"),
                  "gemm")["metrics"]["time (ns)"],
            40);
  EXPECT_EQ(child(at, "gemm")["metrics"]["count"], 1);
}

TEST_F(ProfileOfOthers, ThreadsWithoutScopesWorkForTheOneThatStarted) {
  enter("before"); // and was pushed to no device
  start();
  launchOfOthers("gemm");
  enter("backward");
  std::thread([&] {
    launchOfOthers("grad");
    launches();
    enter("own");
    launchOfOthers("grad");
    leave();
  }).join();
  leave();
  std::thread([&] { launchOfOthers("after"); }).join();
  leave();
  const json before = child(root(), "before");
  EXPECT_EQ(root()["children"].size(), 2u) << "before, and the thread's own";
  EXPECT_EQ(child(before, "gemm")["metrics"]["count"], 1);
  EXPECT_EQ(child(before, "after")["metrics"]["count"], 1);
  const json backward = child(before, "backward");
  EXPECT_EQ(child(backward, "grad")["metrics"]["count"], 1);
  EXPECT_EQ(child(backward, "kernel")["metrics"]["count"], 1);
  EXPECT_EQ(child(child(root(), "own"), "grad")["metrics"]["count"], 1);
}

TEST_F(ProfileOfOthers, StandInTheOrderInWhichTheyBegan) {
  start();
  enter("init");
  launchOfOthers("fill"); // told when the profile is read
  leave();
  enter("test");
  launches();
  leave();
  const json top = root();
  ASSERT_EQ(top["children"].size(), 2u);
  EXPECT_EQ(top["children"][0]["frame"]["name"], "init");
  EXPECT_EQ(top["children"][1]["frame"]["name"], "test");
}

TEST_F(ProfileOfOthers, FramesAreAskedForInsideOfTheCall) {
  int asked = 0;
  ok(tz_profile_watch_frames(
      [](void *ctx) {
        const char *frames[] = {"a.py:1@main", "a.py:9@step"};
        ++*static_cast<int *>(ctx);
        ok(tz_profile_set_frames(frames, 2));
      },
      &asked));
  start(TZ_PROFILE_TREE, 0, TZ_PROFILE_FRAMES);
  tz_profile_t plain = nullptr;
  ok(tz_profile_start(session, nullptr, &plain));
  enter("scope");
  ok(tz_profile_enter_state("metadata"));
  launchOfOthers("gemm");
  launchOfOthers("gemm");
  ok(tz_profile_exit_state());
  leave();
  EXPECT_EQ(asked, 2);
  enter("scope");
  launches();
  leave();
  EXPECT_EQ(asked, 3) << "a launch of the runtime, too";
  json scope = child(root(), "scope");
  const json step = child(child(scope, "a.py:1@main"), "a.py:9@step");
  EXPECT_EQ(child(step, "kernel")["metrics"]["count"], 1);
  EXPECT_EQ(child(child(step, "metadata"), "gemm")["metrics"]["count"], 2);
  // A profile without frames has none.
  std::swap(profile, plain);
  scope = child(root(), "scope");
  EXPECT_EQ(child(child(scope, "metadata"), "gemm")["metrics"]["count"], 2);
  std::swap(profile, plain);
  tz_profile_destroy(plain);
  ok(tz_profile_pause(profile));
  launchOfOthers("gemm");
  ok(tz_profile_watch_frames(nullptr, nullptr));
  ok(tz_profile_resume(profile));
  launchOfOthers("gemm");
  EXPECT_EQ(asked, 3) << "while no profile wants them, or nobody tells them";
  ok(tz_profile_set_frames(nullptr, 0));
}

TEST_F(ProfileOfOthers, RangesAreScopesWhereTheyAreWanted) {
  auto begin = [&](const char *name) {
    watcher().range_begins(watcher().ctx, {name, std::strlen(name)});
  };
  auto end = [&] { watcher().range_ends(watcher().ctx); };
  start();
  begin("unwanted");
  launchOfOthers("gemm");
  end();
  tz_profile_destroy(std::exchange(profile, nullptr));
  begin("began before"); // and ends in the next one
  start(TZ_PROFILE_TREE, 0, TZ_PROFILE_RANGES);
  begin("range");
  launchOfOthers("gemm");
  enter("scope");
  end(); // not nested: the scope stays open
  EXPECT_EQ(tz_profile_depth(), 2u);
  leave();
  leave();
  end();
  end(); // one too many
  EXPECT_EQ(tz_profile_depth(), 0u);
  EXPECT_EQ(root()["children"].size(), 1u);
  EXPECT_EQ(child(child(root(), "range"), "gemm")["metrics"]["count"], 1);
}

} // namespace
