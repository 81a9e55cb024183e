//===- ProofsTest.cpp - cases that passed before --------------------------===//
//
// What   What is kept and found again, and what is not; that each part of what
//        decides a result changes its key.
// Why    A record that stands for more than what ran would hide a wrong result.
//===----------------------------------------------------------------------===//
#include "core/conformance/Proofs.h"

#include "core/conformance/run/ProofKey.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace tz::conformance {

namespace {

class ProofsTest : public testing::Test {
protected:
  ProofsTest() {
    std::string name = testing::TempDir() + "proofs-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~ProofsTest() override { std::filesystem::remove_all(folder); }

  static Outcome outcome(const std::string &key,
                         Outcome::Status status = Outcome::Passed) {
    Outcome one;
    one.name = "family/op";
    one.proof = key;
    one.status = status;
    one.maxUlps = 3;
    one.worstShare = 0.5;
    return one;
  }
  /// What a later run finds.
  Outcome found(const std::string &key) {
    Outcome one;
    one.name = "family/op";
    one.proof = key;
    Proofs proofs(folder);
    EXPECT_EQ(proofs.find(one), one.isProved);
    bad = proofs.bad();
    return one;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> list;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        list.push_back(entry.path());
      }
    }
    return list;
  }

  std::string folder;
  size_t bad = 0; // of the last found()
};

} // namespace

TEST_F(ProofsTest, WhatPassedIsFoundWithItsFigures) {
  EXPECT_TRUE(Proofs(folder).keep(outcome("a")));
  const Outcome one = found("a");
  EXPECT_TRUE(one.isProved);
  EXPECT_EQ(one.status, Outcome::Passed);
  EXPECT_EQ(one.maxUlps, 3u);
  EXPECT_EQ(one.worstShare, 0.5);
}

TEST_F(ProofsTest, AnotherKeyIsNotFound) {
  EXPECT_TRUE(Proofs(folder).keep(outcome("a")));
  EXPECT_FALSE(found("b").isProved);
  EXPECT_EQ(found("b").status, Outcome::Failed);
  EXPECT_FALSE(found("").isProved);
}

TEST_F(ProofsTest, OnlyWhatPassedIsKept) {
  for (auto status : {Outcome::Failed, Outcome::Crashed, Outcome::TimedOut,
                      Outcome::Skipped, Outcome::Known, Outcome::Surprise}) {
    EXPECT_TRUE(Proofs(folder).keep(outcome("a", status)));
  }
  EXPECT_TRUE(Proofs(folder).keep(outcome("")));
  EXPECT_TRUE(files().empty());
}

TEST_F(ProofsTest, DamagedRecordsCountAsNone) {
  EXPECT_TRUE(Proofs(folder).keep(outcome("a")));
  ASSERT_EQ(files().size(), 1u);
  std::fstream file(files()[0],
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-3, std::ios::end);
  file.put('!');
  file.close();
  EXPECT_FALSE(found("a").isProved);
  EXPECT_EQ(bad, 1u);
  // The case runs, and its record is whole again.
  EXPECT_TRUE(Proofs(folder).keep(outcome("a")));
  EXPECT_TRUE(found("a").isProved);
  EXPECT_EQ(bad, 0u);
}

/// Whole entries, but not of this program and format, or of another case.
TEST_F(ProofsTest, ForeignRecordsCountAsNone) {
  for (const char *text :
       {"", "no JSON", "[]", "{}", R"({"format": 2, "name": "family/op"})",
        R"({"format": 1, "name": "family/other"})", R"({"name": "family/op"})",
        R"({"format": "1", "name": "family/op"})"}) {
    runtime::CacheOptions options;
    options.folder = folder;
    ASSERT_TRUE(runtime::Cache(options).put("a", text));
    const Outcome one = found("a");
    EXPECT_FALSE(one.isProved) << text;
    EXPECT_EQ(bad, 1u) << text;
    EXPECT_EQ(one.status, Outcome::Failed) << text;
  }
}

TEST_F(ProofsTest, TheFolderStaysBelowItsLimit) {
  Proofs proofs(folder, 20000);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(proofs.keep(outcome("key " + std::to_string(i))));
  }
  uint64_t bytes = 0;
  for (const auto &file : files()) {
    bytes += std::filesystem::file_size(file);
  }
  EXPECT_LE(bytes, 20000u);
  EXPECT_GT(bytes, 10000u);
  EXPECT_TRUE(found("key 499").isProved);
}

TEST_F(ProofsTest, WritersDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Proofs mine(folder);
      for (int j = 0; j < 50; ++j) {
        EXPECT_TRUE(mine.keep(outcome("key " + std::to_string(j))));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (int j = 0; j < 50; ++j) {
    EXPECT_TRUE(found("key " + std::to_string(j)).isProved);
  }
  EXPECT_EQ(files().size(), 50u);
}

TEST_F(ProofsTest, AFolderThatCannotBeWrittenIsTold) {
  std::ofstream(folder + "/file") << "no folder";
  EXPECT_FALSE(Proofs(folder + "/file").keep(outcome("a")));
}

TEST(Proofs, AnOutcomeGoesOverThePipeWithItsProof) {
  Outcome one;
  one.name = "a";
  one.status = Outcome::Passed;
  one.proof = "1f";
  one.isProved = true;
  const std::optional<Outcome> other = outcomeFrom(toJson(one));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->proof, "1f");
  EXPECT_TRUE(other->isProved);
  EXPECT_FALSE(outcomeFrom(toJson(Outcome{.name = "b"}))->isProved);
}

namespace {

/// All that a key is made of, in a form that a test can change.
struct Parts {
  std::string place = "here", target = "t:1", artifact = "code";
  Case one;
  tool::Binding binding;
  std::array<int64_t, 3> grid{2, 1, 1};
  std::vector<tool::ExpectedBuffer> expected{2};
  std::vector<std::string> printed;

  Parts() {
    one.name = "family/op";
    one.expected = {"out=full(1):f32[2] within 0.1"};
    tool::BoundBuffer out;
    out.name = "out";
    out.count = 2;
    out.content.resize(8);
    binding.buffers = {out, out};
    binding.leaves.resize(2);
    for (tool::ExpectedBuffer &buffer : expected) {
      buffer.content = "12345678";
      buffer.tolerance.bounds = {0.5, 0.5};
    }
  }
  std::string key() const {
    return tool::proofKey(
        {place, target, artifact, one, binding, grid, expected, printed});
  }
};

} // namespace

TEST(ProofKey, EachPartOfWhatDecidesChangesIt) {
  using Change = std::function<void(Parts &)>;
  const Change changes[] = {
      [](Parts &p) { p.place += "!"; },
      [](Parts &p) { p.target = "t:2"; },
      [](Parts &p) { p.artifact[1] ^= 1; },
      [](Parts &p) { p.grid[2] = 2; },
      [](Parts &p) { p.binding.buffers[1].content[7] = 1; },
      [](Parts &p) { p.binding.buffers[0].type = 5; },
      [](Parts &p) { p.binding.buffers[0].addressesOf = {1}; },
      [](Parts &p) { p.binding.buffers.pop_back(); },
      [](Parts &p) { p.binding.leaves[0].bits = 1; },
      [](Parts &p) { p.binding.leaves[0].offset = 4; },
      [](Parts &p) { p.binding.leaves[1].buffer = 1; },
      [](Parts &p) { p.one.name += "2"; },
      [](Parts &p) { p.one.expected[0] = "out=full(1):f32[2] within 0.2"; },
      [](Parts &p) { p.one.assertion = "n is four"; },
      [](Parts &p) { p.one.usesReference = false; },
      [](Parts &p) { p.one.comparesPrints = true; },
      [](Parts &p) { p.one.allowsUnbounded = true; },
      [](Parts &p) { p.one.seed = 7; },
      [](Parts &p) { p.expected[0].content[3] ^= 1; },
      [](Parts &p) { p.expected[1].tolerance.bounds[1] = 0.25; },
      [](Parts &p) { p.expected[1].tolerance.bounds.clear(); },
      [](Parts &p) { p.expected[0].tolerance.ulps = 1; },
      [](Parts &p) { p.expected[0].tolerance.absolute = 1; },
      [](Parts &p) { p.expected.clear(); },
      [](Parts &p) { p.printed = {"pid (0, 0, 0) 1"}; },
  };
  std::set<std::string> keys{Parts().key()};
  EXPECT_EQ(Parts().key(), Parts().key());
  EXPECT_EQ(Parts().key().size(), 64u);
  for (size_t i = 0; i < std::size(changes); ++i) {
    Parts changed;
    changes[i](changed);
    EXPECT_TRUE(keys.insert(changed.key()).second) << "change " << i;
  }
}

TEST(ProofKey, NeighboursDoNotRunTogether) {
  Parts one, other;
  one.place = "ab";
  one.target = "c";
  other.place = "a";
  other.target = "bc";
  EXPECT_NE(one.key(), other.key());
}

TEST(ProofKey, VariablesThatNamePlacesAreLeftOut) {
  std::string order = "TERRAZZO_ORDER=2", folder = "TERRAZZO_CACHE_DIR=/x",
              other = "PATH=/bin", cap = "TERRAZZO_CAP=1";
  char *environment[] = {order.data(), folder.data(), other.data(), cap.data(),
                         nullptr};
  EXPECT_EQ(tool::decidingVariables(environment),
            (std::vector<std::string>{"TERRAZZO_CAP=1", "TERRAZZO_ORDER=2"}));
}

} // namespace tz::conformance
