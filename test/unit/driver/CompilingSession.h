//===- CompilingSession.h - a session with the real compiler ----*- C++ -*-===//
//
// What   The fixture of tests that go through the C API: a session that knows
//        the tree's plugins, hears no environment, and keeps a cache only
//        where it is given one.
// Why    Several tests need it, and each would have to tear it down as rightly.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_DRIVER_COMPILINGSESSION_H
#define TERRAZZO_TEST_UNIT_DRIVER_COMPILINGSESSION_H

#include "core/driver/Driver.h"

#include <terrazzo/terrazzo.h>

#include <gtest/gtest.h>

struct CompilingSession : testing::Test {
  /// `options`: where a test wants a cache or hears diagnostics.
  void open(const char *target, tz_session_options options = {}) {
    tz::driver::registerDriver();
    const char *folders[] = {TZ_TEST_PLUGIN_FOLDER};
    options.struct_size = sizeof(options);
    options.flags |= TZ_SESSION_IGNORE_ENVIRONMENT;
    options.cache_folder = options.cache_folder ? options.cache_folder : "";
    options.plugin_folders = folders;
    options.num_plugin_folders = 1;
    ok(tz_session_create(&options, &session));
    ok(tz_device_open(session, target, &device));
    ok(tz_stream_create(device, &stream));
  }
  /// Kernels of the session are gone before.
  void close() {
    tz_stream_destroy(stream);
    tz_session_destroy(session);
    tz::runtime::setCompilerFactory(nullptr);
  }
  static void ok(tz_status_t s) {
    EXPECT_EQ(s, nullptr) << tz_status_message(s);
    tz_status_release(s);
  }

  tz_session_t session = nullptr;
  tz_device_t device = nullptr;
  tz_stream_t stream = nullptr;
};

#endif
