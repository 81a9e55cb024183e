//===- ProfileTest.cpp - profiles of the C API ----------------------------===//
//
// What   Scopes, states, metrics, phases, formats and files; records of a
//        device, with what it launches for others, drops and refuses.
// Why    A number under the wrong name is worse than none.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/ProfileFixture.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include "runtime/profile/ProfileData.h"

#include <fstream>
#include <thread>

using namespace tz::runtime;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

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

// A call's end is told by a line that each 64th thread has.
TEST_F(ProfileOfRecords, ThreadsOfOneLineAreBothCounted) {
  start();
  constexpr int each = 50;
  std::atomic<int> ready = 0;
  auto runs = [&](const char *scope) {
    enter(scope);
    for (++ready; ready < 2;) {
      std::this_thread::yield();
    }
    for (int i = 0; i < each; ++i) {
      launches();
    }
    leave();
  };
  std::thread one(runs, "one");
  while (!ready) {
    std::this_thread::yield();
  }
  for (int i = 0; i < 63; ++i) { // a number each
    std::thread([] { EXPECT_EQ(tz_profile_depth(), 0u); }).join();
  }
  std::thread other(runs, "other");
  one.join();
  other.join();
  const json tree = root();
  for (const char *scope : {"one", "other"}) {
    const json metrics = child(child(tree, scope), "kernel")["metrics"];
    EXPECT_EQ(metrics["count"], each) << scope;
    EXPECT_EQ(metrics["time (ns)"], 100 * each) << scope;
  }
  EXPECT_STREQ(tz_profile_note(profile), "");
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

// One event a kernel, with the scopes around it; nothing of the host.
TEST_F(ProfileOfRecords, ATraceOfKernels) {
  start(TZ_PROFILE_TRACE);
  enter("outer");
  enter("inner");
  launches(3);
  leave();
  launches(5);
  leave();
  const json events = json::parse(text(0, "kernel_trace"))["traceEvents"];
  ASSERT_EQ(events.size(), 2u);
  for (const json &event : events) {
    const bool isInner = event["dur"] == 0.3;
    EXPECT_EQ(event["name"], "kernel");
    EXPECT_EQ(event["cat"], "kernel");
    EXPECT_EQ(event["ph"], "X");
    EXPECT_EQ(event["dur"], isInner ? 0.3 : 0.5);
    EXPECT_EQ(event["pid"], events[0]["pid"]);
    EXPECT_EQ(event["args"]["call_stack"],
              isInner ? json({"ROOT", "outer", "inner", "kernel"})
                      : json({"ROOT", "outer", "kernel"}));
  }
  EXPECT_NE(events[0]["dur"], events[1]["dur"]);

  tz_profile_destroy(profile);
  start();
  const char *bytes = nullptr;
  size_t size = 0;
  Owned refused(tz_profile_content(profile, 0, "kernel_trace", &bytes, &size));
  EXPECT_THAT(tz_status_message(refused.get()),
              HasSubstr("a profile that is a tree has no format"));
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

TEST_F(ProfileApi, AKernelHasWhatItsCodeTakes) {
  // Of a compiler that knows little: what is not known is left out.
  start();
  launches(3);
  launches(4);
  const json metrics = child(root(), "kernel")["metrics"];
  EXPECT_EQ(metrics["count"], 2);
  EXPECT_EQ(metrics["programs"], 7);
  for (const char *absent : {"threads", "registers", "spill_bytes"}) {
    EXPECT_FALSE(metrics.contains(absent)) << absent;
  }
  Artifact known;
  known.variants.resize(1);
  known.variants[0].regs = 255;
  known.variants[0].spillBytes = 900;
  known.variants[0].block = {64, 2, 0};
  known.variants[0].staticScratch = 100;
  known.variants[0].dynScratch = 24;
  const KernelFacts facts = KernelFacts::of(known);
  EXPECT_EQ(facts.registers, 255u);
  EXPECT_EQ(facts.spillBytes, 900u);
  EXPECT_EQ(facts.threads, 128u);
  EXPECT_EQ(facts.sharedBytes, 124u);
  EXPECT_EQ(programsOf({INT64_MAX, 4, 1}), UINT64_MAX);
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

} // namespace
