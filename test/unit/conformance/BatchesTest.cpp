//===- BatchesTest.cpp - cases in child processes -------------------------===//
//
// What   Workers of a shell script that pass, die, hang and fall silent.
// Why    The runner must give one outcome a case whatever a worker does.
//===----------------------------------------------------------------------===//
#include "core/conformance/Batches.h"

#include <gmock/gmock.h>
#include <set>

namespace tz::conformance {

/// Names say what the worker does with them.
static constexpr const char *Script = R"sh(
count=0
while read name; do
  count=$((count + 1))
  echo "{\"begin\": \"$name\"}" >&3
  case $name in
    die*) echo last words; kill -SEGV $$ ;;
    leave*) exit 3 ;;
    hang*) sleep 60 ;;
    first*) [ $count -gt 1 ] && exit 4 ;;
    noise*) echo "this is no outcome" >&3 ;;
  esac
  reason=
  case $name in
    bad*) status=failed ;;
    *) status=passed ;;
  esac
  case $name in who*) reason=$$ ;; esac
  echo "{\"name\": \"$name\", \"status\": \"$status\", \"reason\": \"$reason\"}" >&3
  case $name in lost*) exit 0 ;; esac
done
)sh";

static std::vector<Outcome> run(const std::vector<std::string> &names,
                                unsigned jobs = 2) {
  BatchOptions options;
  options.command = {"/bin/sh", "-c", Script};
  options.jobs = jobs;
  options.batchSize = 4;
  options.secondsPerCase = 1.5;
  return runBatches(names, options);
}

static std::vector<Outcome::Status> statuses(const std::vector<Outcome> &all) {
  std::vector<Outcome::Status> list;
  for (const Outcome &one : all) {
    list.push_back(one.status);
  }
  return list;
}

TEST(Batches, KeepTheOrderOfNames) {
  std::vector<std::string> names;
  for (int i = 0; i < 23; ++i) {
    names.push_back((i % 5 ? "good" : "bad") + std::to_string(i));
  }
  std::vector<Outcome> outcomes = run(names, 3);
  ASSERT_EQ(outcomes.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(outcomes[i].name, names[i]);
    EXPECT_EQ(outcomes[i].status, i % 5 ? Outcome::Passed : Outcome::Failed);
  }
}

TEST(Batches, FewCasesAreDealtOutToAllJobs) {
  std::set<std::string> processes;
  for (const Outcome &one : run({"who1", "who2", "who3"}, 2)) {
    processes.insert(one.reason);
  }
  EXPECT_EQ(processes.size(), 3u);
  processes.clear();
  for (const Outcome &one : run({"who1", "who2", "who3"}, 1)) {
    processes.insert(one.reason);
  }
  EXPECT_EQ(processes.size(), 1u);
}

TEST(Batches, ACrashCostsTheCulpritAlone) {
  std::vector<Outcome> outcomes = run({"a", "die", "b", "leave", "c", "d"}, 1);
  EXPECT_THAT(statuses(outcomes),
              testing::ElementsAre(Outcome::Passed, Outcome::Crashed,
                                   Outcome::Passed, Outcome::Crashed,
                                   Outcome::Passed, Outcome::Passed));
  EXPECT_THAT(outcomes[1].reason, testing::HasSubstr("Segmentation fault"));
  EXPECT_THAT(outcomes[1].reason, testing::HasSubstr("last words"));
  EXPECT_THAT(outcomes[3].reason, testing::HasSubstr("status 3"));
}

TEST(Batches, AHangEndsAtItsDeadline) {
  std::vector<Outcome> outcomes = run({"a", "hang", "b"});
  EXPECT_THAT(statuses(outcomes),
              testing::ElementsAre(Outcome::Passed, Outcome::TimedOut,
                                   Outcome::Passed));
}

TEST(Batches, WhatFailsOnlyBehindOthersSaysSo) {
  std::vector<Outcome> outcomes = run({"a", "first", "b"}, 1);
  EXPECT_THAT(
      statuses(outcomes),
      testing::ElementsAre(Outcome::Passed, Outcome::Failed, Outcome::Passed));
  EXPECT_THAT(outcomes[1].reason,
              testing::HasSubstr("repeated alone it does not"));
}

TEST(Batches, AWorkerMayLeaveAfterAnOutcome) {
  EXPECT_THAT(statuses(run({"lost1", "a", "lost2", "b", "noise"}, 1)),
              testing::Each(Outcome::Passed));
}

TEST(Batches, AProgramThatIsNotThereFailsEveryCase) {
  BatchOptions options;
  options.command = {"/nowhere/tz"};
  std::vector<Outcome> outcomes = runBatches({"a", "b"}, options);
  EXPECT_THAT(statuses(outcomes), testing::Each(Outcome::Crashed));
  EXPECT_EQ(outcomes.size(), 2u);
}

TEST(Outcome, SurvivesThePipe) {
  Outcome one;
  one.name = "f/op/i8";
  one.status = Outcome::TimedOut;
  one.reason = "two\nlines \"quoted\"";
  one.milliseconds = 1.5;
  one.maxUlps = ~uint64_t(0);
  one.worstShare = 0.25;
  one.isSticky = true;
  std::optional<Outcome> again = outcomeFrom(toJson(one));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->name, one.name);
  EXPECT_EQ(again->status, one.status);
  EXPECT_EQ(again->reason, one.reason);
  EXPECT_EQ(again->milliseconds, one.milliseconds);
  EXPECT_EQ(again->worstShare, one.worstShare);
  EXPECT_EQ(again->maxUlps, uint64_t(INT64_MAX));
  EXPECT_TRUE(again->isSticky);
}

} // namespace tz::conformance
