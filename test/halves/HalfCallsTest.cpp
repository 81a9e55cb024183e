//===- HalfCallsTest.cpp - each call of the driver fails once -------------===//
//
// What   A program that uses all of a half, run again with the first, and then
//        the last, call of each function of the driver failing.
// Why    A driver may fail anywhere. Each failure is an error with a text or
//        does not matter; nothing is left behind, and the same program then
//        runs on the same platform.
//===----------------------------------------------------------------------===//
#include TZ_TEST_FIXTURE // of either half: HalfUnderTest

#include <algorithm>
#include <cstdio>
#include <functional>

namespace tz::halves {
namespace {

struct HalfCalls : HalfUnderTest {
  /// What a program makes, so that it can be taken down wherever it ended.
  struct Made {
    tz_stream *streams[2] = {};
    tz_event *events[2] = {};
    tz_dptr memory[3] = {};
    tz_module *module = nullptr;
  };

  /// The first failure; "" and TZ_E_OK without one.
  Told run(Made &made) {
    tz_device *const *list = nullptr;
    size_t count = 0;
    Told told = api.devices(platform, TZ_DEVICES_REAL, &list, &count);
    if (told.code != TZ_E_OK) {
      return told;
    }
    if (count == 0) {
      // A platform that does not answer has no devices.
      told.code = TZ_E_UNAVAILABLE;
      told.text = "no device";
      return told;
    }
    device = list[0];
    for (const auto &step :
         {&HalfCalls::makeObjects, &HalfCalls::loadCode, &HalfCalls::work}) {
      told = (this->*step)(made);
      if (told.code != TZ_E_OK) {
        return told;
      }
    }
    return told;
  }
  Told makeObjects(Made &made) {
    Told told = calls.createStream(device, 0, &made.streams[0]);
    if (told.code == TZ_E_OK) {
      told = calls.createStream(device, 1, &made.streams[1]);
    }
    for (uint32_t flags : {0u, uint32_t(TZ_EVENT_TIMING)}) {
      if (told.code == TZ_E_OK) {
        told = calls.createEvent(device, flags, &made.events[flags != 0]);
      }
    }
    constexpr uint32_t kinds[] = {TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED,
                                  TZ_MEM_MANAGED};
    for (int i = 0; i < 3 && told.code == TZ_E_OK; ++i) {
      told = calls.allocate(device, kinds[i], 256, 0, nullptr, &made.memory[i]);
    }
    return told;
  }
  Told loadCode(Made &made) {
    Told told = load(code, &made.module);
    if (told.code == TZ_E_OK) {
      told = api.kernel_get(made.module, plugin::str("mark"), &marks);
    }
    return told;
  }
  Told work(Made &made) {
    const tz_dptr out = made.memory[0], seen = made.memory[1];
    const Packed packed = Packed() << out << int32_t(7) << int32_t(16);
    const tz_launch asked = request(packed, 1, 1);
    uint64_t ns = 0;
    tz_mem_info info{};
    info.struct_size = sizeof(info);
    int32_t done = 0;
    const std::function<tz_error *()> steps[] = {
        [&] { return api.fill(made.streams[0], out, 256, 1, 4); },
        [&] { return api.event_record(made.events[1], made.streams[0]); },
        [&] { return api.launch(made.streams[0], marks, &asked); },
        [&] { return api.event_record(made.events[0], made.streams[0]); },
        [&] { return api.stream_wait(made.streams[1], made.events[0]); },
        [&] {
          return api.copy(made.streams[1], seen, out, 64,
                          TZ_COPY_DEVICE_TO_HOST);
        },
        [&] { return api.stream_sync(made.streams[1]); },
        [&] { return api.event_query(made.events[0], &done); },
        [&] { return api.event_sync(made.events[1], 60000000000u); },
        [&] {
          return api.event_elapsed_ns(made.events[1], made.events[1], &ns);
        },
        [&] { return api.mem_info(platform, out, &info); },
        [&] { return api.stream_sync(made.streams[0]); }};
    for (const auto &step : steps) {
      if (Told told = step(); told.code != TZ_E_OK) {
        return told;
      }
    }
    int32_t got[16];
    std::memcpy(got, reinterpret_cast<const void *>(seen), sizeof(got));
    for (int32_t value : got) {
      EXPECT_EQ(value, 7) << "a failure that nobody told of";
    }
    return nullptr;
  }
  /// In any order that a program may choose; what fails here is let go of too.
  void takeDown(const Made &made) {
    for (tz_event *event : made.events) {
      if (event) {
        api.event_destroy(event);
      }
    }
    for (tz_dptr memory : made.memory) {
      if (memory) {
        const Told told = api.mem_free(device, memory, made.streams[0]);
        EXPECT_TRUE(told.code == TZ_E_OK || !told.text.empty());
      }
    }
    for (tz_stream *stream : made.streams) {
      if (stream) {
        api.stream_destroy(stream);
      }
    }
    if (made.module) {
      api.module_unload(made.module);
    }
  }
  void openPlatform() {
    const Told opened = open();
    ASSERT_EQ(opened.code, TZ_E_OK) << opened.text;
    watchCalls();
  }
  void closePlatform() { api.destroy(std::exchange(platform, nullptr)); }

  /// One pass. True if the failure was told of.
  bool pass(const std::string &function, int number) {
    SCOPED_TRACE(function + " " + std::to_string(number));
    openPlatform();
    Made made;
    FaultyCalls::begin(function, number);
    const Told told = run(made);
    EXPECT_TRUE(told.code == TZ_E_OK || !told.text.empty());
    takeDown(made);
    const bool isLost = told.flags & TZ_ERR_STICKY;
    FaultyCalls::begin("", 0);
    if (!isLost) {
      Made again;
      const Told second = run(again);
      // What a platform did not tell of once, it has not from then on.
      EXPECT_TRUE(second.code == TZ_E_OK || second.text == "no device" ||
                  second.code == TZ_E_UNIMPLEMENTED)
          << second.text;
      takeDown(again);
    }
    closePlatform();
    EXPECT_EQ(objectsLeft(), 0);
    return told.code != TZ_E_OK;
  }

  tz_kernel *marks = nullptr;
};

TEST_F(HalfCalls, MayFailEachOnce) {
  openPlatform();
  Made made;
  FaultyCalls::begin("", 0);
  const Told clean = run(made);
  ASSERT_EQ(clean.code, TZ_E_OK) << clean.text;
  takeDown(made);
  const auto counts = FaultyCalls::counts;
  closePlatform();
  int passes = 0, told = 0;
  for (const auto &[function, count] : counts) {
    for (int number = 1; number <= count; number += std::max(count - 1, 1)) {
      told += pass(function, number);
      ++passes;
    }
  }
  std::printf("%zu functions of the driver, %d passes, %d told of\n",
              counts.size(), passes, told);
  EXPECT_GT(told, passes / 3);
}

} // namespace
} // namespace tz::halves
