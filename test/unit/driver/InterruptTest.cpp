//===- InterruptTest.cpp - calls that end before their time ---------------===//
//
// What   Kernels without an end, ended through the C API: the session's hook,
//        another thread, a time limit; compilations that are left, in a worker
//        and in the process; the name of a plugin that ends the process; the
//        line of a kernel that faults.
// Why    Whoever embeds Terrazzo must keep control of their program.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/CompilingSession.h"
#include "test/unit/driver/Wrecker.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <thread>

using namespace tz::runtime;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const char *const Kernels = R"(
import triton
import triton.language as tl

@triton.jit
def spin(flag, out):
    n = 0
    while tl.load(flag, volatile=True) == 0:
        n += 1
    tl.store(out + tl.program_id(0), n)

@triton.jit
def far(out, n):
    at = tl.program_id(0).to(tl.int64)
    if at == 3:
        at += n
    tl.store(out + at, 7)
)";

struct Interrupts : CompilingSession {
  void SetUp() override {
    tz_session_options options{};
    options.ctx = this;
    options.on_wait = [](void *ctx) {
      auto *self = static_cast<Interrupts *>(ctx);
      ++self->asked;
      return self->answer.load();
    };
    options.flags = TZ_SESSION_CATCH_FAULTS;
    open("cpu", options);
  }
  void TearDown() override {
    tz_kernel_destroy(kernel);
    close();
  }
  void load(const char *function) {
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.path = "kernels.py";
    source.text = Kernels;
    source.text_size = strlen(Kernels);
    source.function = function;
    ok(tz_kernel_load(session, &source, &kernel));
  }
  struct Ended {
    int32_t code = TZ_E_OK;
    std::string text, line, program;
  };
  static Ended take(tz_status_t status) {
    auto fact = [&](const char *key) {
      const char *value = tz_status_fact(status, key);
      return std::string(value ? value : "");
    };
    Ended made{tz_status_code(status), tz_status_message(status), fact("line"),
               fact("program")};
    tz_status_release(status);
    return made;
  }
  Ended spin(int32_t programs) {
    const int64_t grid[3] = {programs, 1, 1};
    const tz_arg args[] = {
        tz_pointer(reinterpret_cast<uintptr_t>(&flag), TZ_TYPE_I32),
        tz_pointer(reinterpret_cast<uintptr_t>(out.data()), TZ_TYPE_I32)};
    return take(tz_kernel_launch(kernel, stream, grid, args, 2));
  }
  /// The kernel runs to its end.
  void expectWhole() {
    answer = TZ_E_OK;
    flag = 1;
    EXPECT_EQ(spin(100).text, "");
    flag = 0;
  }

  tz_kernel_t kernel = nullptr;
  int32_t flag = 0;
  std::vector<int32_t> out = std::vector<int32_t>(100);
  std::atomic<int32_t> answer{TZ_E_OK};
  std::atomic<int> asked{0};
};

TEST_F(Interrupts, TheHookEndsAKernel) {
  load("spin");
  expectWhole();
  for (int32_t programs : {1, 100}) {
    answer = TZ_E_CANCELLED;
    const auto start = Clock::now();
    Ended ended = spin(programs);
    EXPECT_LT(secondsSince(start), 2.0);
    EXPECT_EQ(ended.code, TZ_E_CANCELLED);
    EXPECT_THAT(ended.text, HasSubstr("kernel 'spin' was ended before it was "
                                      "done; what it has written stays"));
    expectWhole();
  }
}

TEST_F(Interrupts, ATimeLimitEndsAKernel) {
  load("spin");
  expectWhole();
  ok(tz_stream_set_timeout(stream, 100'000'000));
  const auto start = Clock::now();
  Ended ended = spin(4);
  EXPECT_GE(secondsSince(start), 0.09);
  EXPECT_LT(secondsSince(start), 2.0);
  EXPECT_EQ(ended.code, TZ_E_TIMEOUT);
  EXPECT_THAT(ended.text, HasSubstr("took longer than the time limit"));
  expectWhole();
}

TEST_F(Interrupts, AnotherThreadEndsAKernel) {
  load("spin");
  expectWhole();
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      ok(tz_stream_cancel(stream));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  EXPECT_EQ(spin(100).code, TZ_E_CANCELLED);
  done = true;
  other.join();
  expectWhole();
}

TEST_F(Interrupts, AFaultTellsItsLineAndProgram) {
  load("far");
  const int64_t grid[3] = {10, 1, 1};
  auto launch = [&](int64_t distance) {
    const tz_arg args[] = {
        tz_pointer(reinterpret_cast<uintptr_t>(out.data()), TZ_TYPE_I32),
        tz_i64(distance)};
    return take(tz_kernel_launch(kernel, stream, grid, args, 2));
  };
  // To the first page, which nobody has.
  Ended ended = launch((64 - reinterpret_cast<intptr_t>(out.data())) / 4);
  EXPECT_EQ(ended.code, TZ_E_FAULT);
  EXPECT_EQ(ended.line, "17");
  EXPECT_EQ(ended.program, "3, 0, 0");
  EXPECT_THAT(ended.text, HasSubstr("kernels.py:17: "));
  EXPECT_THAT(ended.text, HasSubstr("kernel 'far' wrote to address 0x"));
  EXPECT_EQ(launch(20).text, "");
  EXPECT_EQ(out[23], 7);
}

TEST_F(Interrupts, ACrashNamesTheLastKernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto crash = [&] {
    load("far");
    const int64_t grid[3] = {1, 1, 1};
    const tz_arg args[] = {
        tz_pointer(reinterpret_cast<uintptr_t>(out.data()), TZ_TYPE_I32),
        tz_i64(0)};
    ok(tz_kernel_launch(kernel, stream, grid, args, 2));
    std::abort(); // as the C library where it finds its heap damaged
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT),
              "SIGABRT; the last kernel that ran was 'far'.*"
              "TERRAZZO_CHECKED=1 names the first such access");
}

/// Compilers of the plugin that ends badly on request.
struct LeftCompiler : testing::Test {
  static RegistryOptions options(std::atomic<int32_t> *answer) {
    RegistryOptions made = tz::wrecker::options();
    made.interrupt.ctx = answer;
    made.interrupt.hook = [](void *ctx) {
      return static_cast<std::atomic<int32_t> *>(ctx)->load();
    };
    return made;
  }
  static Status compile(Registry &registry, const char *how) {
    return tz::driver::compilePortable(**registry.find("wrecker"),
                                       tz::wrecker::job(how), "no IR",
                                       [](const tz::driver::VendorMessage &) {})
        .status();
  }
  void expectLeft(const char *how, const char *worker) {
    setenv("TERRAZZO_COMPILE_WORKER", worker, 1);
    std::atomic<int32_t> answer{TZ_E_OK};
    const auto start = Clock::now();
    {
      Registry registry(options(&answer));
      EXPECT_EQ(compile(registry, "no").message(), "");
      answer = TZ_E_CANCELLED;
      Status left = compile(registry, how);
      EXPECT_EQ(left.code(), TZ_E_CANCELLED);
      EXPECT_EQ(left.message(),
                "the wait for the compiler of 'wrecker' was interrupted");
      answer = TZ_E_OK;
      EXPECT_EQ(compile(registry, "no").message(), "");
    }
    EXPECT_LT(secondsSince(start), 5.0);
    unsetenv("TERRAZZO_COMPILE_WORKER");
  }
};

TEST_F(LeftCompiler, InAWorkerIsKilled) { expectLeft("loop", "on"); }

TEST_F(LeftCompiler, InTheProcessIsAskedToStop) { expectLeft("asked", "off"); }

TEST_F(LeftCompiler, ThatEndsTheProcessIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto crash = [] {
    setenv("TERRAZZO_COMPILE_WORKER", "off", 1);
    std::atomic<int32_t> answer{TZ_E_OK};
    RegistryOptions made = options(&answer);
    made.catchFaults = true;
    Registry registry(made);
    (void)compile(registry, "abort");
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT),
              "SIGABRT in plugin 'wrecker' \\(.*wrecker.json\\), while it "
              "compiled a kernel for wrecker:any, in its function 'compile' "
              "of .*wrecker.so; TERRAZZO_COMPILE_WORKER=on");
}

} // namespace
