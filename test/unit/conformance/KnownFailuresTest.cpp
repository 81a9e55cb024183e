//===- KnownFailuresTest.cpp - what may fail, until when ------------------===//
//
// What   The list's form, and what it does to outcomes.
// Why    A list that hides a new failure is worse than none.
//===----------------------------------------------------------------------===//
#include "core/conformance/KnownFailures.h"

#include <gmock/gmock.h>

namespace tz::conformance {

static Outcome outcome(std::string name, Outcome::Status status) {
  Outcome one;
  one.name = std::move(name);
  one.status = status;
  return one;
}

static const char *const Today = "2026-11-21";

TEST(KnownFailures, HoldOnTheirLastDayAndNotAfter) {
  KnownFailures list;
  ASSERT_FALSE(list.read("k", "a until 2026-11-21 http://x one\n"
                              "b until 2026-11-20 http://x two\n"));
  std::vector<Outcome> outcomes = {outcome("a", Outcome::Failed),
                                   outcome("b", Outcome::Crashed)};
  EXPECT_THAT(list.apply(outcomes, {"a", "b"}, Today), testing::IsEmpty());
  EXPECT_EQ(outcomes[0].status, Outcome::Known);
  EXPECT_EQ(outcomes[1].status, Outcome::Surprise);
}

TEST(KnownFailures, APassIsASurpriseASkipIsNot) {
  KnownFailures list;
  ASSERT_FALSE(list.read("k", "a* until 2027-01-01 http://x one\n"));
  std::vector<Outcome> outcomes = {outcome("a1", Outcome::Passed),
                                   outcome("a2", Outcome::Skipped),
                                   outcome("b", Outcome::Failed)};
  (void)list.apply(outcomes, {"a1", "a2", "b"}, Today);
  EXPECT_EQ(outcomes[0].status, Outcome::Surprise);
  EXPECT_EQ(outcomes[1].status, Outcome::Skipped);
  EXPECT_EQ(outcomes[2].status, Outcome::Failed);
}

TEST(KnownFailures, AnEntryForNothingIsReported) {
  KnownFailures list;
  ASSERT_FALSE(list.read("k", "\n# text\nz until 2027-01-01 http://x one\n"));
  std::vector<Outcome> outcomes = {outcome("a", Outcome::Passed)};
  EXPECT_THAT(
      list.apply(outcomes, {"a"}, Today),
      testing::ElementsAre("k:3: no case matches 'z'; take the entry out"));
}

TEST(KnownFailures, NeedAnEndALinkAndASentence) {
  for (const char *text :
       {"a", "a until 2027-01-01 http://x", "a until tomorrow http://x why",
        "a until 2027-01-01 later why it fails"}) {
    KnownFailures list;
    auto error = list.read("k", text);
    ASSERT_TRUE(error) << text;
    EXPECT_THAT(error->text(), testing::StartsWith("k:1: error: write "));
  }
}

} // namespace tz::conformance
