//===- LaunchEndTest.cpp - Launches that end before their end -------------===//
//
// What   Kernels that never end, ended by the host, by another thread; kernels
//        that trap, on the calling thread and on the pool's; handlers of the
//        program beside ours.
// Why    Each of these would cost the user the process.
//===----------------------------------------------------------------------===//
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/unit/abi/TableCalls.h"

#include "plugins/cpu/device/CpuDevice.h"
#include "plugins/cpu/device/DeviceErrors.h"
#include "plugins/cpu/device/Faults.h"
#include "plugins/cpu/test/CompiledObject.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace tz::cpu;
using testing::HasSubstr;
using tz::cpu::test::compileKernels;
using Clock = std::chrono::steady_clock;

namespace {

const char *const Kernels = R"(
#include "KERNEL_ENTRY"
static int stops(tz_cpu_run *run) {
  return __atomic_load_n(run->stop, __ATOMIC_RELAXED) && run->ask(run);
}
/* Without an end, but where *flag is not 0. */
void spin(const void *p, const uint32_t *grid, int64_t first, int64_t last,
          void *arena, tz_cpu_run *run) {
  volatile int *flag = *(int *const *)p;
  for (int64_t id = first; id < last; ++id) {
    run->program = id;
    while (*flag == 0)
      if (stops(run)) return;
  }
}
struct WildArgs { int *out; int64_t which; int write; };
/* Program `which` leaves its array. */
void wild(const void *p, const uint32_t *grid, int64_t first, int64_t last,
          void *arena, tz_cpu_run *run) {
  const struct WildArgs *a = p;
  for (int64_t id = first; id < last; ++id) {
    __atomic_store_n(&run->program, id, __ATOMIC_RELAXED);
    volatile int *at = id == a->which ? (volatile int *)0x1230 : a->out + id;
    if (a->write) *at = (int)id; else *(volatile int *)(a->out + id) = *at;
  }
}
/* The same, and does not say which program it is in. */
const tz_cpu_kernel_info short_info __asm__("tz_info.quick") = {
    TZ_CPU_INFO_MAGIC, TZ_CPU_INFO_VERSION, TZ_CPU_KERNEL_REPEATABLE};
void quick(const void *p, const uint32_t *grid, int64_t first, int64_t last,
           void *arena, tz_cpu_run *run) {
  const struct WildArgs *a = p;
  for (int64_t id = first; id < last; ++id)
    *(id == a->which ? (volatile int *)0x1230 : a->out + id) = (int)id;
}
)";

const std::vector<std::byte> &kernelObject() {
  static const std::vector<std::byte> bytes =
      compileKernels(Kernels, "-O1 -g -fPIC");
  return bytes;
}

struct Failure {
  int32_t code = TZ_E_OK;
  std::string text, program;
  int64_t offset = 0;
};

Failure take(tz_error *error) {
  Failure taken;
  if (!error) {
    return taken;
  }
  taken.code = error->code;
  taken.text.assign(error->message.data, error->message.size);
  for (size_t i = 0; i < error->num_payload; ++i) {
    const tz_kv &fact = error->payload[i];
    const std::string_view key = view(fact.key);
    if (key == "program") {
      taken.program = view(fact.str);
    } else if (key == "pc_offset") {
      taken.offset = fact.i64;
    }
  }
  if (error->release) {
    error->release(error);
  }
  return taken;
}

/// A platform of so many threads, with a host that may end launches.
class LaunchEnd : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    setenv("TERRAZZO_CPU_THREADS", GetParam(), 1);
    host.struct_size = sizeof(host);
    host.ctx = this;
    host.interrupted = [](void *ctx) {
      auto *self = static_cast<LaunchEnd *>(ctx);
      ++self->asked;
      self->askedBy = std::this_thread::get_id();
      return self->answer.load();
    };
    open(true);
  }
  void TearDown() override {
    close();
    unsetenv("TERRAZZO_CPU_THREADS");
  }
  void open(bool catches) {
    tz_kv option{};
    option.key = {"catch_faults", 12};
    option.kind = TZ_KV_BOOL;
    option.i64 = catches;
    ASSERT_EQ(take(calls.create(&host, &option, 1, &platform)).code, TZ_E_OK);
    tz_device *const *list = nullptr;
    size_t n = 0;
    ASSERT_EQ(take(calls.devices(platform, &list, &n)).code, TZ_E_OK);
    device = list[0];
    ASSERT_EQ(take(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
    tz_blob blob{{"main", 4},
                 {"elf", 3},
                 {kernelObject().data(), kernelObject().size()}};
    ASSERT_EQ(take(calls.load(device, &blob, 1, nullptr, &module)).code,
              TZ_E_OK);
  }
  void close() {
    api.module_unload(module);
    api.stream_destroy(stream);
    api.destroy(platform);
  }
  tz_kernel *kernel(std::string_view name) {
    tz_kernel *out = nullptr;
    EXPECT_EQ(
        take(api.kernel_get(module, {name.data(), name.size()}, &out)).code,
        TZ_E_OK);
    return out;
  }
  template <typename Args>
  Failure launch(std::string_view name, const Args &args, uint32_t programs,
                 tz_stream *on = nullptr) {
    tz_launch request{};
    request.struct_size = sizeof(request);
    request.grid[0] = programs;
    request.grid[1] = request.grid[2] = 1;
    request.args = &args;
    request.args_size = sizeof(args);
    return take(api.launch(on ? on : stream, kernel(name), &request));
  }
  /// The other kind of launch works afterwards.
  void expectWhole() {
    answer = TZ_E_OK;
    std::vector<int> out(300, -1);
    WildArgs args{out.data(), -1, 1};
    EXPECT_EQ(launch("wild", args, 300).text, "");
    for (int i = 0; i < 300; ++i) {
      ASSERT_EQ(out[size_t(i)], i);
    }
  }
  struct WildArgs {
    int *out;
    int64_t which;
    int write;
  };

  const tz_device_api &api = deviceApi();
  const tz::test::TableCalls calls{api};
  tz_host host{};
  std::atomic<int32_t> answer{TZ_E_OK};
  std::atomic<int> asked{0};
  std::atomic<std::thread::id> askedBy;
  tz_platform *platform = nullptr;
  tz_device *device = nullptr;
  tz_stream *stream = nullptr;
  tz_module *module = nullptr;
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST_P(LaunchEnd, TheHostEndsAKernelWithoutAnEnd) {
  for (uint32_t programs : {1u, 2u, 1000u}) {
    for (int32_t code : {TZ_E_CANCELLED, TZ_E_TIMEOUT}) {
      int flag = 0;
      int *at = &flag;
      asked = 0;
      answer = code;
      const auto start = Clock::now();
      Failure failure = launch("spin", at, programs);
      EXPECT_LT(secondsSince(start), 2.0);
      EXPECT_EQ(failure.code, code);
      EXPECT_THAT(failure.text, HasSubstr("'spin' was ended"));
      EXPECT_GE(asked, 1);
      EXPECT_EQ(askedBy.load(), std::this_thread::get_id());
      expectWhole();
    }
  }
}

TEST_P(LaunchEnd, AHostThatSaysGoOnIsAskedAgain) {
  int flag = 0;
  int *at = &flag;
  std::thread ends([&] {
    while (asked < 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  });
  EXPECT_EQ(launch("spin", at, 64).text, "");
  ends.join();
}

TEST_P(LaunchEnd, AnotherThreadCancelsAStream) {
  for (uint32_t programs : {1u, 1000u}) {
    int flag = 0;
    int *at = &flag;
    std::atomic<bool> done{false};
    std::thread ends([&] {
      while (!done) {
        EXPECT_EQ(take(api.stream_cancel(stream)).code, TZ_E_OK);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    Failure failure = launch("spin", at, programs);
    done = true;
    ends.join();
    EXPECT_EQ(failure.code, TZ_E_CANCELLED);
    expectWhole();
  }
}

TEST_P(LaunchEnd, AWaitForAnotherLaunchEndsToo) {
  // Grids run one after the other: the second launch waits for the first.
  int flag = 0;
  int *at = &flag;
  tz_stream *other = nullptr;
  ASSERT_EQ(take(calls.createStream(device, 0, &other)).code, TZ_E_OK);
  std::thread first([&] { (void)launch("spin", at, 1000, other); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  answer = TZ_E_CANCELLED;
  const auto start = Clock::now();
  Failure failure = launch("spin", at, 1000);
  EXPECT_LT(secondsSince(start), 2.0);
  EXPECT_EQ(failure.code, TZ_E_CANCELLED);
  (void)take(api.stream_cancel(other));
  first.join();
  api.stream_destroy(other);
  expectWhole();
}

TEST_P(LaunchEnd, AFaultIsTheLaunchsError) {
  std::vector<int> out(1000);
  for (int64_t which : {0, 7, 999}) {
    for (int write : {0, 1}) {
      WildArgs args{out.data(), which, write};
      Failure failure = launch("wild", args, 1000);
      EXPECT_EQ(failure.code, TZ_E_FAULT);
      EXPECT_EQ(failure.program, std::to_string(which) + ", 0, 0");
      EXPECT_THAT(failure.text, HasSubstr("kernel 'wild'"));
      EXPECT_THAT(failure.text, HasSubstr(write ? "wrote to" : "read from"));
      EXPECT_THAT(failure.text, HasSubstr("address 0x1230"));
      EXPECT_THAT(failure.text, HasSubstr("TERRAZZO_CHECKED=1"));
      tz_source_place place{};
      place.struct_size = sizeof(place);
      ASSERT_EQ(
          take(api.source_place(kernel("wild"), failure.offset, &place)).text,
          "");
      EXPECT_GE(place.line, 24u);
      EXPECT_LE(place.line, 25u);
      expectWhole();
    }
  }
}

TEST_P(LaunchEnd, AFaultsProgramIsFoundByRunningProgramsAgain) {
  std::vector<int> out(100000);
  for (int64_t which : {0, 7, 54321, 99999}) {
    WildArgs args{out.data(), which, 1};
    // At first of unknown cost, then in large pieces.
    for (int launches = 0; launches < 2; ++launches) {
      WildArgs fine{out.data(), -1, 1};
      EXPECT_EQ(launch("quick", fine, 100000).text, "");
      Failure failure = launch("quick", args, 100000);
      EXPECT_EQ(failure.code, TZ_E_FAULT);
      EXPECT_EQ(failure.program, std::to_string(which) + ", 0, 0");
      EXPECT_THAT(failure.text, HasSubstr("wrote to address 0x1230"));
    }
    expectWhole();
  }
}

void endWith42(int) { _exit(42); }
void endWith43(int, siginfo_t *, void *) { _exit(43); }

TEST_P(LaunchEnd, FaultsElsewhereGoToTheHandlerBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto fault = [&](bool withInfo, bool inKernel) {
    close();
    // The handlers of this process are ours already: put another before them.
    struct sigaction action = {};
    if (withInfo) {
      action.sa_flags = SA_SIGINFO;
      action.sa_sigaction = endWith43;
    } else {
      action.sa_handler = endWith42;
    }
    sigaction(SIGSEGV, &action, nullptr);
    open(true);
    installFaultHandlers();
    int out = 0;
    WildArgs args{&out, 0, 1};
    if (inKernel) {
      Failure failure = launch("wild", args, 1);
      _exit(failure.code == TZ_E_FAULT ? 0 : 1);
    }
    *reinterpret_cast<volatile int *>(0x1230) = 1;
  };
  EXPECT_EXIT(fault(false, false), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(fault(true, false), testing::ExitedWithCode(43), "");
  EXPECT_EXIT(fault(true, true), testing::ExitedWithCode(0), "");
}

TEST_P(LaunchEnd, WithoutAHandlerBeforeAFaultElsewhereEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(*reinterpret_cast<volatile int *>(0x1230) = 1,
              testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(raise(SIGFPE), testing::KilledBySignal(SIGFPE), "");
}

TEST_P(LaunchEnd, WithoutTheOptionNothingIsCaught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto run = [&] {
    close();
    open(false);
    int out = 0;
    WildArgs args{&out, 0, 1};
    (void)launch("wild", args, 1);
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(SIGSEGV), "");
}

INSTANTIATE_TEST_SUITE_P(Threads, LaunchEnd, testing::Values("1", "4"));

} // namespace
