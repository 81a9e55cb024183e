//===- EmbeddingExecutorTest.cpp - kernels on the threads of a program ----===//
//
// What   Sessions with an executor (tz_session_options.executor), through
//        terrazzo.hpp, on the CPU.
// Why    A program with a pool of threads of its own wants kernels there and
//        nowhere else. plugins/cpu/test/HostExecutorTest.cpp tests what odd
//        executors do; this one tests what crosses the C API and the plugin
//        ABI.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/EmbeddingSession.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <set>
#include <thread>

namespace {

using testing::HasSubstr;
using namespace tz;

constexpr int Programs = 64, Block = 64;
constexpr const char *Kernels = R"(import triton
import triton.language as tl

@triton.jit
def twice(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)

@triton.jit
def meet(arrived, programs):
    tl.atomic_add(arrived, 1)
    while tl.atomic_add(arrived, 0) < programs:
        pass
)";

class Executors : public testing::Test {
protected:
  static void SetUpTestSuite() { tz::driver::registerDriver(); }
  Executors() { std::ofstream(folder.path + "/k.py") << Kernels; }

  Kernel kernel(const Session &session, const char *name = "twice",
                std::initializer_list<Named> options = {}) const {
    return session.kernel(folder.path + "/k.py", name, {}, options);
  }

  TemporaryFolder folder;
};

/// A session, and the arrays of one launch of `twice`.
struct Launch {
  Launch(Executor executor, uint32_t flags = 0)
      : session(embeddingOptions(flags), std::move(executor)),
        device(session.device("cpu")), stream(device),
        in(device, Programs * Block), out(device, Programs * Block) {
    in.copyFrom(stream, std::vector<float>(in.size(), 3.0f));
    clear();
  }
  void clear() { std::fill_n(written(), out.size(), 0.0f); }
  float *written() { return reinterpret_cast<float *>(out.address()); }
  size_t count() {
    return size_t(std::count(written(), written() + out.size(), 6.0f));
  }

  Session session;
  Device device;
  Stream stream;
  Buffer<float> in, out;
};

TEST_F(Executors, AllProgramsRunOnThreadsOfTheProgram) {
  Launch *launch = nullptr;
  std::atomic<int> asked{0};
  Executor mine;
  mine.threads = 3;
  // Waits for its tasks, so nothing is left for the launching thread.
  mine.run = [&](uint32_t count, const std::function<void()> &task) {
    ++asked;
    EXPECT_LE(count, 2u);
    EXPECT_EQ(launch->count(), 0u) << "a program ran before it had a thread";
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < count; ++i) {
      threads.emplace_back(task);
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    EXPECT_EQ(launch->count(), launch->out.size());
  };
  Launch made(std::move(mine));
  launch = &made;
  EXPECT_EQ(made.device.facts().compute_units, 3u);
  EXPECT_THAT(made.device.facts().driver_version,
              HasSubstr("3 threads of the program"));
  kernel(made.session)(made.stream, {Programs}, made.in, made.out, Block);
  EXPECT_EQ(asked, 1);
}

TEST_F(Executors, WhatTheyThrowEndsTheLaunch) {
  int32_t code = TZ_E_UNAVAILABLE;
  Executor failing;
  failing.threads = 2;
  failing.run = [&](uint32_t, const std::function<void()> &task) {
    switch (code) {
    case TZ_E_OK:
      task();
      return;
    case TZ_E_INTERNAL:
      throw std::runtime_error("no more");
    default:
      check(tz_memory_alloc(nullptr, 1, nullptr));
    }
  };
  Launch made(std::move(failing));
  Kernel twice = kernel(made.session);
  auto launch = [&] {
    made.clear();
    twice(made.stream, {Programs}, made.in, made.out, Block);
  };
  for (int32_t with : {TZ_E_INTERNAL, TZ_E_INVALID_ARGUMENT}) {
    code = with;
    EXPECT_THAT(refusal(launch, with),
                HasSubstr("kernel 'twice' was ended before it was done, since "
                          "the program's executor refused its tasks; what was "
                          "written stays"));
  }
  code = TZ_E_OK;
  launch();
  EXPECT_EQ(made.count(), made.out.size());
  // Copies of much memory are shared as well.
  code = TZ_E_INTERNAL;
  std::vector<float> much(size_t{3} << 20);
  Buffer<float> to(made.device, much.size());
  EXPECT_THAT(refusal([&] { to.copyFrom(made.stream, much); }, TZ_E_INTERNAL),
              HasSubstr("a copy or fill of 12582912 bytes was ended"));
}

TEST_F(Executors, AreDestroyedWithTheirSession) {
  auto alive = std::make_shared<int>();
  std::weak_ptr<int> watch = alive;
  Executor mine;
  mine.run = [alive](uint32_t, const std::function<void()> &) {};
  alive.reset();
  {
    Launch made(std::move(mine));
    kernel(made.session)(made.stream, {Programs}, made.in, made.out, Block);
    EXPECT_EQ(made.count(), made.out.size());
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST_F(Executors, AnExecutorsThreadMayLaunch) {
  // One thread, which is the one that launches: the task comes too late.
  std::vector<std::function<void()>> late;
  Executor mine;
  mine.threads = 2;
  mine.run = [&](uint32_t count, const std::function<void()> &task) {
    late.insert(late.end(), count, task);
  };
  {
    Launch made(std::move(mine));
    Kernel twice = kernel(made.session);
    std::thread own([&] {
      for (int i = 0; i < 3; ++i) {
        twice(made.stream, {Programs}, made.in, made.out, Block);
        for (const std::function<void()> &task : std::exchange(late, {})) {
          task(); // behind its launch
        }
      }
    });
    own.join();
    EXPECT_EQ(made.count(), made.out.size());
    twice(made.stream, {Programs}, made.in, made.out, Block);
  }
  for (const std::function<void()> &task : late) {
    task(); // after the session
  }
}

TEST_F(Executors, AWaitOnThemEndsWithTheStreamsTimeLimit) {
  std::vector<std::thread> threads;
  Executor mine;
  mine.threads = 2;
  mine.isConcurrent = true;
  mine.run = [&](uint32_t count, const std::function<void()> &task) {
    for (uint32_t i = 0; i < count; ++i) {
      threads.emplace_back(task);
    }
  };
  Launch made(std::move(mine));
  Buffer<int32_t> arrived(made.device, 1);
  *reinterpret_cast<int32_t *>(arrived.address()) = 0;
  Kernel meet = kernel(made.session, "meet");
  made.stream.setTimeout(std::chrono::milliseconds(100));
  EXPECT_THAT(
      refusal([&] { meet(made.stream, {2}, arrived, 1000); }, TZ_E_TIMEOUT),
      HasSubstr("longer than the time limit"));
  for (std::thread &thread : threads) {
    thread.join();
  }
}

TEST_F(Executors, CooperativeLaunchesNeedThreadsAtTheSameTime) {
  for (bool isConcurrent : {false, true}) {
    std::vector<std::thread> threads;
    Executor mine;
    mine.threads = 4;
    mine.isConcurrent = isConcurrent;
    mine.run = [&](uint32_t count, const std::function<void()> &task) {
      for (uint32_t i = 0; i < count; ++i) {
        threads.emplace_back(task);
      }
    };
    Launch made(std::move(mine));
    Buffer<int32_t> arrived(made.device, 1);
    *reinterpret_cast<int32_t *>(arrived.address()) = 0;
    Kernel meet =
        kernel(made.session, "meet", {Named("launch_cooperative_grid", true)});
    auto launch = [&](int64_t programs) {
      meet(made.stream, {programs}, arrived, int32_t(programs));
    };
    if (isConcurrent) {
      launch(4);
      EXPECT_EQ(*reinterpret_cast<int32_t *>(arrived.address()), 4);
      EXPECT_THAT(refusal([&] { launch(5); }, TZ_E_FAILED_PRECONDITION),
                  HasSubstr("needs as many threads at the same time; there "
                            "are 4"));
    } else {
      EXPECT_THAT(refusal([&] { launch(2); }, TZ_E_FAILED_PRECONDITION),
                  HasSubstr("the program's executor does not promise that "
                            "(TZ_EXECUTOR_CONCURRENT)"));
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
  }
}

TEST_F(Executors, AFaultOnTheirThreadsIsTold) {
  Executor mine;
  mine.threads = 2;
  mine.run = [&](uint32_t, const std::function<void()> &task) {
    std::thread(task).join();
  };
  Launch made(std::move(mine), TZ_SESSION_CATCH_FAULTS);
  Kernel twice = kernel(made.session);
  EXPECT_THAT(refusal(
                  [&] {
                    twice(made.stream, {Programs}, made.in,
                          tz_pointer(uint64_t{1} << 45, TZ_TYPE_F32), Block);
                  },
                  TZ_E_FAULT),
              HasSubstr("kernel 'twice' wrote to address 0x2000"));
  twice(made.stream, {Programs}, made.in, made.out, Block);
  EXPECT_EQ(made.count(), made.out.size());
}

TEST_F(Executors, WhatIsNoExecutorIsRefused) {
  Executor none;
  none.threads = 2;
  EXPECT_THAT(refusal([&] { Session s(embeddingOptions(), none); }),
              HasSubstr("executor.run is NULL"));
  none.run = [](uint32_t, const std::function<void()> &) {};
  none.threads = 0;
  EXPECT_THAT(refusal([&] { Session s(embeddingOptions(), none); }),
              HasSubstr("executor.threads is 0; it is the number of threads"));
  none.threads = 5000;
  EXPECT_THAT(refusal([&] {
                Session s(embeddingOptions(), none);
                (void)s.device("cpu");
              }),
              HasSubstr("the executor has 5000 threads; it must be a number "
                        "from 1 to 4096"));
  none.threads = 2;
  tz_session_options both = embeddingOptions();
  both.host_threads = 2;
  EXPECT_THAT(refusal([&] { Session s(both, none); }),
              HasSubstr("host_threads and executor are both given"));
}

} // namespace
