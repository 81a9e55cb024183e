//===- BusyTest.cpp - waits for a device that is never done ---------------===//
//
// What   tz_stream_sync over the runtime and this device half, where the fake
//        driver says that nothing has come yet.
// Why    No driver can stop a kernel: what can end is the wait, and whoever
//        waited must hear that the device is still busy.
//===----------------------------------------------------------------------===//
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "backends/nvidia/test/FakeDriver.h"

#include <terrazzo/terrazzo.hpp>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <thread>

using tz::nvidia::test::FakeDriver;
using tz::nvidia::test::FakeDriverEntry;

namespace {

FakeDriver &fakeDriver() {
  void *library = dlopen(TZ_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "fakeCudaDriver") : nullptr;
  FakeDriverEntry entry = nullptr;
  std::memcpy(&entry, &symbol, sizeof(entry));
  return *entry();
}

class Busy : public testing::Test {
protected:
  void SetUp() override {
    setenv("TERRAZZO_NVIDIA_DRIVER", TZ_FAKE_DRIVER, 1);
    fake.reset();
    tz_session_options options{};
    options.struct_size = sizeof(options);
    options.cache_folder = "";
    const char *folder = TZ_TEST_PLUGIN_FOLDER;
    options.plugin_folders = &folder;
    options.num_plugin_folders = 1;
    options.ctx = this;
    options.on_wait = [](void *ctx) {
      auto *self = static_cast<Busy *>(ctx);
      ++self->asked;
      return self->answer.load();
    };
    session.emplace(options);
    stream.emplace(session->device("nvidia"));
  }
  void TearDown() override {
    fake.eventsPending = false;
    stream.reset();
    session.reset();
  }
  /// Code and message of a synchronisation.
  std::pair<int32_t, std::string> sync() {
    try {
      stream->sync();
      return {TZ_E_OK, ""};
    } catch (const tz::Error &error) {
      return {error.code(), error.what()};
    }
  }

  FakeDriver &fake = fakeDriver();
  std::atomic<int32_t> answer{TZ_E_OK};
  std::atomic<int> asked{0};
  std::optional<tz::Session> session;
  std::optional<tz::Stream> stream;
};

void expectBusy(const std::string &text) {
  EXPECT_THAT(text, testing::HasSubstr("its kernel still runs"));
  EXPECT_THAT(text, testing::HasSubstr("the device is busy until then"));
}

TEST_F(Busy, TheHookEndsTheWait) {
  EXPECT_EQ(sync().first, TZ_E_OK);
  fake.eventsPending = true;
  answer = TZ_E_CANCELLED;
  auto [code, text] = sync();
  EXPECT_EQ(code, TZ_E_CANCELLED);
  expectBusy(text);
  EXPECT_EQ(asked, 1);
  // Once the device is done, all is as before.
  fake.eventsPending = false;
  answer = TZ_E_OK;
  EXPECT_EQ(sync().first, TZ_E_OK);
}

TEST_F(Busy, TheHookEndsTheWaitForAnEvent) {
  tz_event_t event = nullptr;
  tz::check(tz_event_create(session->device("nvidia").get(), &event));
  tz::check(tz_event_record(event, stream->get()));
  fake.eventsPending = true;
  answer = TZ_E_CANCELLED;
  tz_status_t status = tz_event_sync(event, UINT64_MAX);
  EXPECT_EQ(tz_status_code(status), TZ_E_CANCELLED);
  expectBusy(tz_status_message(status));
  tz_status_release(status);
  fake.eventsPending = false;
  tz_event_destroy(event);
}

TEST_F(Busy, AHookThatSaysGoOnIsAskedAgain) {
  fake.eventsPending = true;
  std::thread done([&] {
    while (asked < 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    fake.eventsPending = false;
  });
  EXPECT_EQ(sync().first, TZ_E_OK);
  done.join();
}

TEST_F(Busy, ATimeLimitEndsTheWait) {
  fake.eventsPending = true;
  stream->setTimeout(std::chrono::milliseconds(60));
  auto [code, text] = sync();
  EXPECT_EQ(code, TZ_E_TIMEOUT);
  expectBusy(text);
}

TEST_F(Busy, AnotherThreadEndsTheWait) {
  fake.eventsPending = true;
  std::atomic<bool> ended{false};
  std::thread ends([&] {
    while (!ended) {
      stream->cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  auto [code, text] = sync();
  ended = true;
  ends.join();
  EXPECT_EQ(code, TZ_E_CANCELLED);
  expectBusy(text);
}

} // namespace
