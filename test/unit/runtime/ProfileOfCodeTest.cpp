//===- ProfileOfCodeTest.cpp - samples and parts of kernels in profiles ---===//
//
// What   Samples of instructions by line; parts that kernels tell of, on the
//        host and on a device with memory of its own; what is lost, and told.
// Why    No launch may wait for what a profile reads later, and nothing may be
//        given to another launch.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/ProfileFixture.h"

#include "runtime/profile/ProfileData.h"

using namespace tz::runtime;
using testing::HasSubstr;

namespace {

//===--- Samples ----------------------------------------------------------===//

class ProfileOfSamples : public ProfileApi {
protected:
  void SetUp() override {
    ProfileApi::SetUp();
    Echo::instance().hasSamples = true;
  }
  void startSampling(uint64_t period = 4096) {
    tz_profile_options options{};
    options.struct_size = sizeof(options);
    options.sample_period = period;
    ok(tz_profile_start(session, &options, &profile));
  }
  static void sample(const char *kernel, uint32_t line, uint64_t count,
                     const char *reason = "") {
    tz_sample made{};
    made.struct_size = sizeof(made);
    made.kernel = str(kernel);
    made.reason = str(reason);
    made.count = count;
    made.line = line;
    made.file = str(line ? "k.py" : "");
    Echo::instance().samples.push_back(made);
  }
};

TEST_F(ProfileOfSamples, StandBelowTheirKernelByLine) {
  startSampling();
  EXPECT_EQ(Echo::instance().samplePeriod, 4096u);
  EXPECT_TRUE(Echo::instance().isSampling);
  enter("scope");
  launches();
  leave();
  sample("kernel", 7, 30, "long_scoreboard");
  sample("kernel", 7, 5);
  sample("kernel", 0, 2);
  const json kernel = child(child(root(), "scope"), "kernel");
  const json line = child(kernel, "k.py:7@kernel")["metrics"];
  EXPECT_EQ(line["num_samples"], 35);
  EXPECT_EQ(line["num_stalled_samples"], 30);
  EXPECT_EQ(line["stalled_long_scoreboard"], 30);
  EXPECT_EQ(kernel["metrics"]["num_samples"], 2) << "of code without a line";
  EXPECT_STREQ(tz_profile_note(profile), "");
}

TEST_F(ProfileOfSamples, OfAKernelInSeveralPlacesAreGivenToNone) {
  startSampling();
  for (const char *scope : {"one", "two"}) {
    enter(scope);
    launches();
    leave();
  }
  sample("kernel", 7, 30);
  sample("another_library", 0, 4);
  const json apart = child(root(), "<samples>");
  EXPECT_EQ(
      child(child(apart, "kernel"), "k.py:7@kernel")["metrics"]["num_samples"],
      30);
  EXPECT_EQ(child(apart, "another_library")["metrics"]["num_samples"], 4);
}

TEST_F(ProfileOfSamples, OfAnotherLibrarysKernelAreWhereItRan) {
  Echo::instance().hasRecords = true;
  startSampling();
  enter("scope");
  tz_record record{};
  record.size = sizeof(record);
  record.kind = TZ_RECORD_KERNEL;
  record.external = Echo::instance().externals.back();
  record.t0_ns = record.t1_ns = monotonicNs() + 500; // the device's clock
  record.name = str("gemm");
  Echo::instance().records.push_back(record);
  leave();
  sample("gemm", 0, 4);
  const json gemm = child(child(root(), "scope"), "gemm");
  EXPECT_EQ(gemm["metrics"]["num_samples"], 4);
}

TEST_F(ProfileOfSamples, OfAVariantAreTheKernels) {
  CountingCompiler::symbol = "kernel_near";
  startSampling();
  launches();
  sample("kernel_near", 7, 30);
  EXPECT_EQ(
      child(child(root(), "kernel"), "k.py:7@kernel")["metrics"]["num_samples"],
      30);
}

TEST_F(ProfileOfSamples, BeginAndEndWithTheirProfile) {
  startSampling();
  ok(tz_profile_pause(profile));
  EXPECT_FALSE(Echo::instance().isSampling);
  ok(tz_profile_resume(profile));
  EXPECT_TRUE(Echo::instance().isSampling);
  tz_profile_t second = std::exchange(profile, nullptr);
  startSampling();
  EXPECT_THAT(tz_profile_note(profile), HasSubstr("another profile takes"));
  tz_profile_destroy(second);
  EXPECT_EQ(Echo::instance().samplePeriod, 0u);
  tz_profile_destroy(std::exchange(profile, nullptr));
  startSampling(64);
  EXPECT_EQ(Echo::instance().samplePeriod, 64u);
}

TEST_F(ProfileOfSamples, WhatIsMissingIsSaid) {
  startSampling();
  Echo::instance().lostSamples = 12;
  ok(tz_profile_flush(profile));
  EXPECT_THAT(tz_profile_note(profile),
              HasSubstr("12 samples of instructions are missing"));
  tz_profile_destroy(std::exchange(profile, nullptr));
  Echo::instance().refusesSamples = true;
  startSampling();
  EXPECT_THAT(tz_profile_note(profile),
              HasSubstr("no samples of instructions: echo: nobody may"));
  tz_profile_destroy(std::exchange(profile, nullptr));
  Echo::instance().hasSamples = false;
  startSampling();
  EXPECT_THAT(tz_profile_note(profile),
              HasSubstr("the plugin 'echo' takes no samples"));
  launches();
  EXPECT_EQ(child(root(), "kernel")["metrics"]["count"], 1);
  tz_profile_options options{};
  options.struct_size = sizeof(options);
  options.data = TZ_PROFILE_TRACE;
  options.sample_period = 8;
  tz_profile_t none = nullptr;
  const Owned refused(tz_profile_start(session, &options, &none));
  EXPECT_THAT(tz_status_message(refused.get()), HasSubstr("sample_period"));
}

//===--- Parts of kernels -------------------------------------------------===//

/// On a device with memory of its own, whose kernel tells of one part.
class ProfileOfParts : public ProfileOfRecords {
protected:
  void SetUp() override {
    ProfileOfRecords::SetUp();
    CountingCompiler::tellsParts = true;
    tz_device_t second = nullptr;
    ok(tz_device_open(session, "echo:1", &second));
    ok(tz_stream_create(second, &other));
    std::swap(stream, other);
    Echo::instance().body = [this](const EchoLaunch &launch) {
      uint64_t log;
      std::memcpy(&log, &launch.args[launch.args.size() - sizeof(log)],
                  sizeof(log));
      for (uint32_t i = 0; i < told; ++i) {
        tell(log, i);
      }
    };
  }
  void TearDown() override {
    std::swap(stream, other);
    tz_stream_destroy(other);
    ProfileOfRecords::TearDown();
  }
  /// As plugin.h tells a kernel to.
  void tell(uint64_t log, uint32_t program) const {
    struct {
      tz_log_record record;
      tz_log_events head;
      uint64_t events[2];
    } one{};
    one.record.size = sizeof(one);
    one.record.program[0] = program;
    one.record.value = core;
    one.record.count = 2;
    one.head.clock = TZ_CLOCK_CYCLES;
    one.head.ended = 100 + cycles;
    one.events[0] = 50;
    one.events[1] = uint64_t(1) << 48 | (50 + cycles);
    auto *header = reinterpret_cast<tz_log_header *>(log);
    const uint64_t at = header->reserved;
    header->reserved += sizeof(one);
    if (at + sizeof(one) <= header->capacity) {
      std::memcpy(reinterpret_cast<void *>(log + sizeof(*header) + at), &one,
                  sizeof(one));
    } else {
      ++header->dropped;
    }
  }
  json partsOf(const json &above) {
    return child(child(above, "kernel"), "load")["metrics"];
  }

  tz_stream_t other = nullptr;
  uint32_t told = 1; ///< programs that tell
  uint32_t core = 0; ///< as a record says it
  uint64_t cycles = 7;
};

TEST_F(ProfileOfParts, AreReadWhenTheyAreAskedOfTheirOwnLaunch) {
  start();
  enter("first");
  launches(3); // makes the memory
  const size_t waits = Echo::instance().waits;
  told = 3;
  launches(3);
  leave();
  enter("second");
  cycles = 20;
  launches(3);
  leave();
  EXPECT_EQ(Echo::instance().waits, waits) << "a launch waited";
  const json tree = root();
  EXPECT_EQ(partsOf(child(tree, "first"))["visits"], 4);
  EXPECT_EQ(partsOf(child(tree, "first"))["cycles"], 28);
  EXPECT_EQ(partsOf(child(tree, "second"))["visits"], 3);
  EXPECT_EQ(partsOf(child(tree, "second"))["cycles"], 60);
  EXPECT_STREQ(tz_profile_note(profile), "");
  // What was read is not told again.
  launches(3);
  EXPECT_EQ(partsOf(root())["visits"], 3);
}

/// Two launches of one program are two rows if two cores ran it.
TEST_F(ProfileOfParts, OfATraceNameTheCoreThatRanTheProgram) {
  start(TZ_PROFILE_TRACE);
  const std::vector<std::pair<uint32_t, std::string>> rows = {
      {0, "kernel CTA0"}, {1, "kernel Core0 CTA0"}, {8, "kernel Core7 CTA0"}};
  for (const auto &row : rows) {
    core = row.first;
    launches();
  }
  const json events = json::parse(text(0, "kernel_trace"))["traceEvents"];
  ASSERT_EQ(events.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(events[i]["pid"], rows[i].second);
    EXPECT_EQ(events[i]["tid"], "warp 0 (line 0)");
  }
  EXPECT_THAT(text(0, "chrome_trace"),
              HasSubstr(R"("program (0, 0, 0) warp 0 core 7")"));
}

TEST_F(ProfileOfParts, ManyLaunchesTakePiecesOfMoreBlocks) {
  start();
  told = 2;
  for (int i = 0; i < 300; ++i) { // some 250 pieces are one block
    launches(2);
  }
  EXPECT_EQ(partsOf(root())["visits"], 600);
  for (int i = 0; i < 300; ++i) { // of blocks that were read
    launches(2);
  }
  EXPECT_EQ(partsOf(root())["visits"], 1200);
  EXPECT_STREQ(tz_profile_note(profile), "");
}

TEST_F(ProfileOfParts, OfTheEndOfAStreamAreStillTold) {
  start();
  launches();
  tz_stream_destroy(stream);
  ok(tz_stream_create(device, &stream));
  EXPECT_EQ(partsOf(root())["visits"], 1);
}

TEST_F(ProfileOfParts, MoreThanThereIsRoomForIsSaidAndLearnt) {
  start();
  told = 200; // of one program: 88 bytes each, where 8 KiB are guessed
  launches();
  const json metrics = partsOf(root());
  EXPECT_EQ(metrics["visits"], 8192 / 88);
  EXPECT_THAT(tz_profile_note(profile),
              HasSubstr(std::to_string(200 - 8192 / 88) +
                        " records of parts are missing"));
  launches();
  EXPECT_EQ(partsOf(root())["visits"], 8192 / 88 + 200);
}

TEST_F(ProfileOfParts, WithoutRoomALaunchGoesOnAndIsCounted) {
  start();
  Echo::instance().isBehind = true;
  for (int i = 0; i < 4; ++i) {
    launches(20000); // 160 of 512 MiB each
  }
  Echo::instance().isBehind = false;
  launches(20000);
  const json kernel = child(root(), "kernel");
  EXPECT_EQ(kernel["metrics"]["count"], 5);
  EXPECT_EQ(partsOf(root())["visits"], 4);
  EXPECT_THAT(tz_profile_note(profile),
              HasSubstr("1 launches told nothing of their parts"));
}

/// Small grids take no piece that a large one needs.
TEST_F(ProfileOfParts, OfLargeAndSmallGridsInTurnsAreAllTold) {
  start();
  Echo::instance().isBehind = true;
  for (int turn = 0; turn < 20; ++turn) {
    launches(1000); // 8 MiB
    for (int small = 0; small < 8; ++small) {
      launches();
    }
  }
  Echo::instance().isBehind = false;
  EXPECT_EQ(partsOf(root())["visits"], 20 * 9);
}

/// In the host's memory all launches share a log.
TEST_F(ProfileOfParts, OnTheHostThoseOfLaunchesBeforeAreNotToldAgain) {
  std::swap(stream, other);
  launches(); // nobody asks
  start();
  launches();
  launches();
  EXPECT_EQ(partsOf(root())["visits"], 2);
  std::swap(stream, other);
}

TEST_F(ProfileOfParts, OfAGraphTellNothing) {
  start();
  Echo::instance().isRecording = true;
  launches();
  Echo::instance().isRecording = false;
  launches();
  EXPECT_EQ(partsOf(root())["visits"], 1);
}

TEST_F(ProfileOfParts, FreeTheirMemoryWithTheLastProfile) {
  start();
  launches();
  const size_t frees = Echo::instance().frees;
  tz_profile_destroy(std::exchange(profile, nullptr));
  EXPECT_EQ(Echo::instance().frees, frees + 1);
  launches(); // nobody asks
  start();
  launches();
  EXPECT_EQ(partsOf(root())["visits"], 1);
}

/// Each call of the device fails once, of the launch or of the flush.
TEST_F(ProfileOfParts, AFailingDeviceLosesNoLaunch) {
  for (int call = 0; call < 12; ++call) {
    start();
    launches();
    Echo::instance().failAt = call;
    const bool isMade = !launch(
        {tz_pointer(64, TZ_TYPE_F32), tz_i32(24), tz_f32(2), tz_i32(8)});
    Owned flushed(tz_profile_flush(profile));
    const bool isRead = !flushed;
    Echo::instance().failAt = -1;
    const json kernel = child(root(), "kernel");
    EXPECT_EQ(kernel["metrics"]["count"], isMade ? 2 : 1) << call;
    if (isMade && isRead) {
      EXPECT_EQ(partsOf(root())["visits"], 2) << call;
    } else if (isMade) {
      EXPECT_THAT(tz_profile_note(profile), HasSubstr("of their parts"))
          << call;
    }
    tz_profile_destroy(std::exchange(profile, nullptr));
  }
}

} // namespace
