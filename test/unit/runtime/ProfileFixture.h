//===- ProfileFixture.h - profiles of a session, for tests ------*- C++ -*-===//
//
// What   A session over the echo device with a profile, and what it has told.
// Why    Tests of profiles are several files.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_RUNTIME_PROFILEFIXTURE_H
#define TERRAZZO_TEST_UNIT_RUNTIME_PROFILEFIXTURE_H

#include "test/unit/runtime/CountingCompiler.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tz::runtime {

using nlohmann::json;

inline tz_metric number(const char *name, int64_t value) {
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

class ProfileOfRecords : public ProfileApi {
protected:
  void SetUp() override {
    ProfileApi::SetUp();
    Echo::instance().hasRecords = true;
  }
};

} // namespace tz::runtime

#endif
