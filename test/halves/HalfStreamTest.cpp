//===- HalfStreamTest.cpp - order, events, times --------------------------===//
//
// What   Streams keep their order and wait for each other; events tell what was
//        reached and how long it took.
// Why    Queues of OpenCL begin only when they are flushed, commands of Level
//        Zero overlap, and events live as long as somebody waits.
//===----------------------------------------------------------------------===//
#include TZ_TEST_FIXTURE // of either half: HalfUnderTest

#include <chrono>
#include <condition_variable>
#include <thread>

namespace tz::halves {
namespace {

struct HalfStream : HalfUnderTest {
  void SetUp() override {
    HalfUnderTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    begin();
    counter = memory(4);
    ASSERT_EQ(Told(api.fill(stream, counter, 4, 0, 4)).code, TZ_E_OK);
    count = kernel("count");
    sync();
  }
  /// Steps that take as long on a half that is slower by Pace.
  static constexpr int32_t paced(int32_t steps) { return steps / Pace; }
  /// Keeps the stream busy for some milliseconds.
  void work(int32_t steps = paced(3000000)) {
    const Told told = launch(count, Packed() << counter << steps);
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  }
  tz_event *event(uint32_t flags = 0) {
    tz_event *made = nullptr;
    EXPECT_EQ(Told(calls.createEvent(device, flags, &made)).code, TZ_E_OK);
    return made;
  }

  tz_kernel *count = nullptr;
  tz_dptr counter = 0;
};

TEST_F(HalfStream, KeepsTheOrderOfWhatItIsGiven) {
  work(1000);
  work(1000);
  ASSERT_EQ(Told(api.fill(stream, counter, 4, 5, 4)).code, TZ_E_OK);
  work(10);
  EXPECT_EQ(download<int32_t>(counter, 1)[0], 15);
}

TEST_F(HalfStream, BeginsWithoutBeingWaitedFor) {
  work(100);
  tz_event *passed = event();
  ASSERT_EQ(Told(api.event_record(passed, stream)).code, TZ_E_OK);
  int32_t done = 0;
  for (int i = 0; i < 5000 && !done; ++i) {
    ASSERT_EQ(Told(api.event_query(passed, &done)).code, TZ_E_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(done, 1);
  api.event_destroy(passed);
}

TEST_F(HalfStream, EventsTellHowLongWorkTook) {
  tz_event *start = event(TZ_EVENT_TIMING), *stop = event(TZ_EVENT_TIMING);
  const auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(Told(api.event_record(start, stream)).code, TZ_E_OK);
  work();
  ASSERT_EQ(Told(api.event_record(stop, stream)).code, TZ_E_OK);
  ASSERT_EQ(Told(api.event_sync(stop, UINT64_MAX)).code, TZ_E_OK);
  const auto passed = std::chrono::steady_clock::now() - began;
  uint64_t ns = 0;
  const Told told = api.event_elapsed_ns(start, stop, &ns);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_GT(ns, 0u);
  EXPECT_LE(ns, uint64_t(std::chrono::nanoseconds(passed).count()));
  api.event_destroy(start);
  api.event_destroy(stop);
}

TEST_F(HalfStream, EventsMeasureOnlyWhatWasAskedForAndReached) {
  tz_event *plain = event(), *timed = event(TZ_EVENT_TIMING);
  uint64_t ns = 0;
  EXPECT_EQ(Told(api.event_elapsed_ns(timed, timed, &ns)).text,
            "an event that measures time was never recorded");
  ASSERT_EQ(Told(api.event_record(plain, stream)).code, TZ_E_OK);
  sync();
  EXPECT_EQ(Told(api.event_elapsed_ns(plain, plain, &ns)).text,
            "an event was made without TZ_EVENT_TIMING");
  work(paced(30000000));
  ASSERT_EQ(Told(api.event_record(timed, stream)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_elapsed_ns(timed, timed, &ns)).text,
            "an event that measures time was not reached yet");
  api.event_destroy(plain);
  api.event_destroy(timed);
}

TEST_F(HalfStream, WaitsForAnEventNoLongerThanItIsTold) {
  work(paced(100000000));
  tz_event *passed = event();
  ASSERT_EQ(Told(api.event_record(passed, stream)).code, TZ_E_OK);
  const Told told = api.event_sync(passed, 1000000);
  EXPECT_EQ(told.code, TZ_E_TIMEOUT);
  EXPECT_EQ(Told(api.event_sync(passed, UINT64_MAX)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_sync(passed, 0)).code, TZ_E_OK);
  api.event_destroy(passed);
}

TEST_F(HalfStream, WaitsForAnotherStream) {
  tz_stream *other = nullptr;
  ASSERT_EQ(Told(calls.createStream(device, 1, &other)).code, TZ_E_OK);
  tz_event *passed = event();
  // Nothing was recorded: nothing to wait for.
  ASSERT_EQ(Told(api.stream_wait(other, passed)).code, TZ_E_OK);
  work(paced(20000000));
  ASSERT_EQ(Told(api.event_record(passed, stream)).code, TZ_E_OK);
  ASSERT_EQ(Told(api.stream_wait(other, passed)).code, TZ_E_OK);
  // An event may go while a stream still waits for it.
  api.event_destroy(passed);
  int32_t seen = 0;
  ASSERT_EQ(Told(api.copy(other, reinterpret_cast<tz_dptr>(&seen), counter, 4,
                          TZ_COPY_DEVICE_TO_HOST))
                .code,
            TZ_E_OK);
  ASSERT_EQ(Told(api.stream_sync(other)).code, TZ_E_OK);
  EXPECT_EQ(seen, paced(20000000));
  api.stream_destroy(other);
}

TEST_F(HalfStream, AnEventMayBeRecordedAgainWhileAStreamWaits) {
  tz_stream *other = nullptr;
  ASSERT_EQ(Told(calls.createStream(device, 0, &other)).code, TZ_E_OK);
  tz_event *passed = event();
  work(paced(20000000));
  ASSERT_EQ(Told(api.event_record(passed, stream)).code, TZ_E_OK);
  ASSERT_EQ(Told(api.stream_wait(other, passed)).code, TZ_E_OK);
  work(paced(50000000));
  ASSERT_EQ(Told(api.event_record(passed, stream)).code, TZ_E_OK);
  // The other stream waits for the first record alone.
  ASSERT_EQ(Told(api.stream_sync(other)).code, TZ_E_OK);
  int32_t done = 1;
  ASSERT_EQ(Told(api.event_query(passed, &done)).code, TZ_E_OK);
  EXPECT_EQ(done, 0);
  sync();
  api.event_destroy(passed);
  api.stream_destroy(other);
}

/// What streams called, in the order in which they did.
struct Heard {
  struct Call {
    Heard &heard;
    int number;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> numbers;
  std::vector<int32_t> codes;

  static void hear(void *user, int32_t code) {
    const Call &call = *static_cast<Call *>(user);
    std::lock_guard guard(call.heard.mutex);
    call.heard.numbers.push_back(call.number);
    call.heard.codes.push_back(code);
    call.heard.changed.notify_all();
  }
  bool wait(size_t count) {
    std::unique_lock guard(mutex);
    return changed.wait_for(guard, std::chrono::seconds(60),
                            [&] { return numbers.size() == count; });
  }
};

TEST_F(HalfStream, CallsFunctionsWhenItGetsThere) {
  Heard heard;
  Heard::Call first{heard, 1}, second{heard, 2};
  work(paced(100000000));
  ASSERT_EQ(Told(api.stream_callback(stream, Heard::hear, &first)).code,
            TZ_E_OK);
  work(1000);
  ASSERT_EQ(Told(api.stream_callback(stream, Heard::hear, &second)).code,
            TZ_E_OK);
  {
    std::lock_guard guard(heard.mutex);
    EXPECT_TRUE(heard.numbers.empty()) << "the stream was not there yet";
  }
  ASSERT_TRUE(heard.wait(2));
  EXPECT_EQ(heard.numbers, (std::vector<int>{1, 2}));
  EXPECT_EQ(heard.codes, (std::vector<int32_t>{TZ_E_OK, TZ_E_OK}));
}

TEST_F(HalfStream, DoesNotKeepTheFunctionsOfOthersWaiting) {
  Heard heard;
  Heard::Call slow{heard, 1}, quick{heard, 2};
  tz_stream *other = nullptr;
  ASSERT_EQ(Told(calls.createStream(device, 0, &other)).code, TZ_E_OK);
  work(paced(300000000));
  ASSERT_EQ(Told(api.stream_callback(stream, Heard::hear, &slow)).code,
            TZ_E_OK);
  ASSERT_EQ(Told(api.stream_callback(other, Heard::hear, &quick)).code,
            TZ_E_OK);
  ASSERT_TRUE(heard.wait(2));
  EXPECT_EQ(heard.numbers, (std::vector<int>{2, 1}));
  api.stream_destroy(other);
}

} // namespace
} // namespace tz::halves
