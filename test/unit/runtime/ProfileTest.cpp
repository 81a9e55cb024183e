//===- ProfileTest.cpp - profiles of the C API ----------------------------===//
//
// What   Scopes, states, metrics, phases, formats and files; records of a
//        device, with what it launches for others, drops and refuses.
// Why    A number under the wrong name is worse than none.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/CountingCompiler.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <thread>

using namespace tz::runtime;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

tz_metric number(const char *name, int64_t value) {
  tz_metric metric{};
  metric.struct_size = sizeof(metric);
  metric.name = name;
  metric.kind = TZ_METRIC_INT;
  metric.i64 = value;
  return metric;
}

class ProfileApi : public SessionApi {
protected:
  void TearDown() override {
    tz_profile_destroy(profile);
    SessionApi::TearDown();
  }
  void start(uint32_t data = TZ_PROFILE_TREE, uint64_t most = 0,
             uint32_t flags = 0) {
    tz_profile_options options{};
    options.struct_size = sizeof(options);
    options.data = data;
    options.max_records = most;
    options.flags = flags;
    ok(tz_profile_start(session, &options, &profile));
  }
  void launches(int64_t grid = 1) {
    EXPECT_FALSE(launch(
        {tz_pointer(64, TZ_TYPE_F32), tz_i32(24), tz_f32(2), tz_i32(8)}, grid));
  }
  void add(const tz_metric &metric) { ok(tz_profile_add_metric(&metric)); }
  static void enter(const char *name) { ok(tz_profile_enter_scope(name)); }
  static void leave() { ok(tz_profile_exit_scope(nullptr)); }
  std::string text(uint64_t phase = 0, const char *format = "") {
    ok(tz_profile_flush(profile));
    const char *bytes = nullptr;
    size_t size = 0;
    ok(tz_profile_content(profile, phase, format, &bytes, &size));
    return std::string(bytes, size);
  }
  json root(uint64_t phase = 0) { return json::parse(text(phase))[0]; }
  static json child(const json &node, const std::string &name) {
    for (const json &one : node["children"]) {
      if (one["frame"]["name"] == name) {
        return one;
      }
    }
    ADD_FAILURE() << "no " << name << " in " << node;
    return json::object();
  }
  std::vector<tz_profile_record> records() {
    ok(tz_profile_flush(profile));
    std::vector<tz_profile_record> made(100);
    for (tz_profile_record &one : made) {
      one.struct_size = sizeof(one);
    }
    size_t given = 0;
    ok(tz_profile_read(profile, 0, 0, made.data(), made.size(), &given));
    made.resize(given);
    return made;
  }

  tz_profile_t profile = nullptr;
};

TEST_F(ProfileApi, LaunchesAreCountedByScopes) {
  enter("before"); // a profile starts inside of it
  start();
  launches();
  enter("inner");
  add(number("tokens", 5));
  add(number("tokens", 7));
  launches();
  launches();
  ok(tz_profile_enter_state("warm"));
  launches();
  ok(tz_profile_exit_state());
  leave();
  leave();
  ok(tz_profile_pause(profile));
  launches();
  ok(tz_profile_resume(profile));
  launches();

  const json tree = root();
  EXPECT_EQ(tree["frame"]["name"], "ROOT");
  // What viewers sum over children.
  EXPECT_EQ(tree["metrics"],
            json({{"count", 0}, {"time (ns)", 0}, {"tokens", 0}}));
  EXPECT_EQ(child(tree, "kernel")["metrics"]["count"], 1);
  const json before = child(tree, "before"), inner = child(before, "inner");
  EXPECT_EQ(child(before, "kernel")["metrics"]["count"], 1);
  EXPECT_EQ(inner["metrics"], json({{"tokens", 12}}));
  EXPECT_EQ(child(inner, "kernel")["metrics"]["count"], 2);
  EXPECT_EQ(child(inner, "kernel")["metrics"]["device_id"], "0");
  EXPECT_EQ(child(inner, "kernel")["metrics"]["device_type"], "ECHO");
  EXPECT_EQ(child(child(inner, "warm"), "kernel")["metrics"]["count"], 1);
  EXPECT_STREQ(tz_profile_note(profile), "");
}

TEST_F(ProfileApi, EachThreadHasItsOwnScopes) {
  start();
  enter("mine");
  std::thread([&] {
    EXPECT_EQ(tz_profile_depth(), 0u);
    enter("other");
    launches();
    leave();
  }).join();
  EXPECT_EQ(tz_profile_depth(), 1u);
  leave();
  const json tree = root();
  EXPECT_EQ(tree["children"].size(), 1u);
  EXPECT_EQ(child(child(tree, "other"), "kernel")["metrics"]["count"], 1);
}

TEST_F(ProfileApi, MarksOfMetrics) {
  start();
  enter("scope");
  for (int64_t value : {1, 2}) {
    add(number("plain", value));
    add(number("share (exc)", value));
    add(number("seed (pty)", value));
    tz_metric text = number("device", 0);
    text.kind = TZ_METRIC_TEXT;
    text.text = value == 1 ? "first" : "l\xff"; // no UTF-8
    add(text);
    const double floats[] = {0.5, double(value)};
    tz_metric vector = number("vector", 0);
    vector.kind = TZ_METRIC_FLOATS;
    vector.f64s = floats;
    vector.count = 2;
    add(vector);
  }
  add(number("most", INT64_MAX));
  add(number("most", 1)); // stays at the limit
  tz_metric other = number("plain", 0);
  other.kind = TZ_METRIC_FLOAT;
  Owned refused(tz_profile_add_metric(&other));
  EXPECT_EQ(tz_status_code(refused.get()), TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(tz_status_message(refused.get()),
              HasSubstr("metric 'plain' is a float here and was an integer"));
  leave();
  const json tree = root();
  EXPECT_EQ(tree["metrics"], json({{"plain", 0}, {"most", 0}}));
  EXPECT_EQ(child(tree, "scope")["metrics"], json({{"plain", 3},
                                                   {"share", 3},
                                                   {"seed", 2},
                                                   {"device", "l\xef\xbf\xbd"},
                                                   {"vector", {1.0, 3.0}},
                                                   {"most", INT64_MAX}}));
}

TEST_F(ProfileApi, LaunchesGetANameAndTheirMetrics) {
  start(TZ_PROFILE_TRACE);
  ok(tz_profile_name_launches("gemm 4096"));
  add(number("bytes", 64));
  launches();
  ok(tz_profile_name_launches(nullptr));
  launches();
  const json events = json::parse(text())["traceEvents"];
  std::vector<std::string> kernels;
  for (const json &event : events) {
    if (event.value("cat", "") == "kernel") {
      kernels.push_back(event["name"]);
      EXPECT_EQ(event["args"].contains("bytes"), kernels.size() == 1);
    }
  }
  EXPECT_THAT(kernels, ElementsAre("gemm 4096", "kernel"));
}

TEST_F(ProfileApi, ATraceHasEachRecord) {
  start(TZ_PROFILE_TRACE);
  enter("scope");
  launches();
  leave();
  std::vector<uint32_t> kinds;
  for (const tz_profile_record &one : records()) {
    kinds.push_back(one.kind);
    EXPECT_LE(one.begin_ns, one.end_ns);
    EXPECT_EQ(one.device, one.kind == TZ_PROFILE_KERNEL ? 0 : -1);
  }
  EXPECT_THAT(kinds, ElementsAre(TZ_PROFILE_COMPILE, TZ_PROFILE_LOAD,
                                 TZ_PROFILE_LAUNCH, TZ_PROFILE_KERNEL,
                                 TZ_PROFILE_SCOPE));
  EXPECT_EQ(records()[2].launch, records()[3].launch);
  EXPECT_STREQ(records()[3].name, "kernel");
}

TEST_F(ProfileApi, RecordsBeyondTheLimitAreCounted) {
  start(TZ_PROFILE_TRACE, 4);
  launches();
  launches();
  EXPECT_EQ(records().size(), 4u);
  EXPECT_THAT(tz_profile_note(profile), HasSubstr("2 records are missing"));
  EXPECT_EQ(json::parse(text())["terrazzo"]["dropped"], 2);
}

TEST_F(ProfileApi, FramesStandBelowScopes) {
  start(TZ_PROFILE_TREE, 0, TZ_PROFILE_FRAMES);
  const char *frames[] = {"a.py:1@main", "a.py:9@step"};
  ok(tz_profile_set_frames(frames, 2));
  enter("scope");
  launches();
  leave();
  ok(tz_profile_set_frames(nullptr, 0));
  const json kernel =
      child(child(child(child(root(), "scope"), "a.py:1@main"), "a.py:9@step"),
            "kernel");
  EXPECT_EQ(kernel["metrics"]["count"], 1);
}

TEST_F(ProfileApi, PhasesAreApart) {
  start();
  launches();
  EXPECT_FALSE(tz_profile_is_phase_complete(profile, 0)) << "it runs";
  uint64_t phase = 0;
  ok(tz_profile_advance_phase(profile, &phase));
  EXPECT_EQ(phase, 1u);
  launches();
  launches();
  ok(tz_profile_flush(profile));
  EXPECT_TRUE(tz_profile_is_phase_complete(profile, 0));
  EXPECT_FALSE(tz_profile_is_phase_complete(profile, 1));
  EXPECT_EQ(child(root(0), "kernel")["metrics"]["count"], 1);
  EXPECT_EQ(child(root(1), "kernel")["metrics"]["count"], 2);
  ok(tz_profile_clear(profile, 0, 1));
  EXPECT_TRUE(root(0)["children"].empty());
  EXPECT_TRUE(root(1)["children"].empty());
  launches();
  EXPECT_EQ(child(root(1), "kernel")["metrics"]["count"], 1);
}

TEST_F(ProfileApi, BothFormsOfATreeAreEqual) {
  start();
  // More children and metrics than each header of MessagePack counts.
  for (int i = 0; i < 70000; ++i) {
    enter(("scope " + std::to_string(i)).c_str());
    add(number("tokens", i));
    leave();
  }
  enter("many metrics");
  for (int i = 0; i < 20; ++i) {
    const std::string name = "metric " + std::to_string(i);
    add(number(name.c_str(), int64_t(i - 3) * (int64_t(1) << (3 * i))));
  }
  const double shares[] = {0.1, -2.5e300, 3};
  tz_metric vector{};
  vector.struct_size = sizeof(vector);
  vector.name = "shares";
  vector.kind = TZ_METRIC_FLOATS;
  vector.f64s = shares;
  vector.count = 3;
  add(vector);
  leave();
  enter("\xff is no UTF-8");
  add(number("tokens", 1));
  leave();
  const json tree = json::parse(text());
  EXPECT_EQ(json::from_msgpack(text(0, "hatchet_msgpack")), tree);
  EXPECT_EQ(tree[0]["children"].size(), 70002U);
  EXPECT_EQ(child(tree[0], "many metrics")["metrics"]["shares"],
            json({0.1, -2.5e300, 3}));
}

TEST_F(ProfileApi, ScopesMayBeDeep) {
  start();
  constexpr int depth = 100000;
  for (int i = 0; i < depth; ++i) {
    enter("deeper");
  }
  launches();
  // By its text: the library's own reader recurses.
  const std::string tree = text();
  size_t found = 0;
  for (size_t at = 0; (at = tree.find("deeper", at)) != std::string::npos;
       ++at) {
    ++found;
  }
  EXPECT_EQ(found, size_t(depth));
  for (int i = 0; i < depth; ++i) {
    leave();
  }
}

TEST_F(ProfileApi, FilesAreWholeOrNotThere) {
  TemporaryFolder folder;
  start();
  launches();
  const std::string path = folder.path + "/run.hatchet";
  ok(tz_profile_write(profile, 0, "", path.c_str()));
  std::ifstream file(path);
  EXPECT_EQ(json::parse(file)[0], root());
  const std::string packed = text(0, "hatchet_msgpack");
  EXPECT_EQ(json::from_msgpack(packed), json::parse(text()));

  Owned refused(tz_profile_write(profile, 0, "", "/nowhere/run.hatchet"));
  EXPECT_THAT(tz_status_message(refused.get()),
              HasSubstr("'/nowhere/run.hatchet': No such file"));
  refused.reset(tz_profile_write(profile, 0, "chrome_trace", path.c_str()));
  EXPECT_THAT(tz_status_message(refused.get()),
              HasSubstr("a tree has no format 'chrome_trace'; it has hatchet"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path),
                          std::filesystem::directory_iterator()),
            1);
}

TEST_F(ProfileApi, AFailedLaunchIsNotCounted) {
  start();
  launches();
  Echo::instance().failAt = 0;
  EXPECT_TRUE(
      launch({tz_pointer(64, TZ_TYPE_F32), tz_i32(24), tz_f32(2), tz_i32(8)}));
  EXPECT_EQ(child(root(), "kernel")["metrics"]["count"], 1);
  EXPECT_STREQ(tz_profile_note(profile), "");
}

TEST_F(ProfileApi, WrongCallsSaySo) {
  Owned refused(tz_profile_exit_scope(nullptr));
  EXPECT_THAT(tz_status_message(refused.get()), HasSubstr("no scope"));
  refused.reset(tz_profile_exit_state());
  EXPECT_THAT(tz_status_message(refused.get()), HasSubstr("no state"));
  enter("outer");
  refused.reset(tz_profile_exit_scope("other"));
  EXPECT_THAT(tz_status_message(refused.get()),
              HasSubstr("innermost scope of the profile is 'outer'"));
  leave();
  tz_profile_options options{};
  options.struct_size = sizeof(options);
  options.data = 9;
  refused.reset(tz_profile_start(session, &options, &profile));
  EXPECT_THAT(tz_status_message(refused.get()), HasSubstr("options.data is 9"));
  options = {sizeof(options), 0, 8, 0};
  refused.reset(tz_profile_start(session, &options, &profile));
  EXPECT_THAT(tz_status_message(refused.get()), HasSubstr("options.flags"));
}

//===--- Records of a device ----------------------------------------------===//

class ProfileOfRecords : public ProfileApi {
protected:
  void SetUp() override {
    ProfileApi::SetUp();
    Echo::instance().hasRecords = true;
  }
};

TEST_F(ProfileOfRecords, KernelsAreTimedByTheDevice) {
  start(TZ_PROFILE_TRACE);
  enter("scope");
  launches(3);
  launches(5);
  leave();
  std::vector<uint64_t> times;
  for (const tz_profile_record &one : records()) {
    if (one.kind == TZ_PROFILE_KERNEL) {
      times.push_back(one.end_ns - one.begin_ns);
      EXPECT_EQ(one.begin_ns, 500u) << "by the host's clock";
    }
  }
  EXPECT_THAT(times, ElementsAre(300, 500));
}

TEST_F(ProfileOfRecords, APhaseIsCompleteWhenTheDeviceHasSaidAll) {
  start();
  launches();
  ok(tz_profile_advance_phase(profile, nullptr));
  EXPECT_FALSE(tz_profile_is_phase_complete(profile, 0));
  ok(tz_profile_flush(profile));
  EXPECT_TRUE(tz_profile_is_phase_complete(profile, 0));
  EXPECT_EQ(child(root(0), "kernel")["metrics"]["time (ns)"], 100);
}

TEST_F(ProfileOfRecords, WorkOfOthersIsUnderTheScopesThatMadeIt) {
  start();
  enter("outer");
  enter("inner");
  ASSERT_EQ(Echo::instance().externals.size(), 2u);
  tz_record record{};
  record.size = sizeof(record);
  record.kind = TZ_RECORD_KERNEL;
  record.external = Echo::instance().externals.back();
  record.t0_ns = 1000;
  record.t1_ns = 1040;
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

TEST_F(ProfileOfRecords, KernelsOfAGraphStandBelowWhereItWasRecorded) {
  start();
  enter("capture");
  enter("layer");
  tz_record record{};
  record.size = sizeof(record);
  record.kind = TZ_RECORD_KERNEL;
  record.a = Echo::instance().externals.back();
  record.b = 1;
  record.t1_ns = 40;
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

TEST_F(ProfileOfRecords, WhatTheDeviceDropsIsSaid) {
  start();
  launches();
  Echo::instance().hasBuffers = false;
  EXPECT_TRUE(root()["children"].empty() ||
              !child(root(), "kernel")["metrics"].contains("count"));
  EXPECT_THAT(tz_profile_note(profile), HasSubstr("1 records are missing"));
}

TEST_F(ProfileOfRecords, DamagedRecordsEndTheirBuffer) {
  start();
  tz_record record{};
  record.size = 7; // less than it must be
  record.kind = TZ_RECORD_KERNEL;
  Echo::instance().records.push_back(record);
  EXPECT_TRUE(root()["children"].empty());
}

TEST_F(ProfileOfRecords, WithoutRecordsEventsTime) {
  Echo::instance().refusesRecords = true;
  tz_device_t second = nullptr;
  ok(tz_device_open(session, "echo:1", &second));
  tz_stream_t other = nullptr;
  ok(tz_stream_create(second, &other));
  std::swap(stream, other);
  start();
  launches();
  Echo::instance().isRecording = true; // a graph, which runs later
  launches();
  EXPECT_EQ(child(root(), "kernel")["metrics"]["count"], 1);
  EXPECT_THAT(tz_profile_note(profile),
              HasSubstr("kernel times of echo:1 come from events around "
                        "launches: echo: another tool has the records"));
  std::swap(stream, other);
  tz_stream_destroy(other);
}

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
  EXPECT_EQ(child(kernel, "<unknown line>")["metrics"]["num_samples"], 2);
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
  EXPECT_EQ(child(child(apart, "another_library"),
                  "<unknown line>")["metrics"]["num_samples"],
            4);
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
