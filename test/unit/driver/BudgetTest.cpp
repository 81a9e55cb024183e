//===- BudgetTest.cpp - compilations that take too much -------------------===//
//
// What   Time, memory and Ctrl-C, each in the frontend, in the shared passes
//        and in a compiler that runs in this process; and that the next
//        compilation works.
// Why    A kernel may ask for any amount of work. Whoever waits for it must get
//        an answer, in every phase and on every target.
//===----------------------------------------------------------------------===//
#include "core/driver/options/Budget.h"

#include "core/driver/Driver.h"
#include "core/driver/LeftThreads.h"
#include "core/driver/LoweredKernel.h"
#include "core/driver/SharedPasses.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include <atomic>
#include <future>
#include <gmock/gmock.h>
#include <thread>

using namespace tz;
using namespace tz::runtime;
using namespace tz::driver;
using testing::HasSubstr;
using testing::Not;

namespace {

struct Heard final : DiagnosticSink {
  void report(uint32_t, std::string_view rendered) override {
    text += rendered;
  }
  std::string text;
};

struct Variable {
  Variable(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Variable() { unsetenv(name); }
  const char *name;
};

struct Budgets : testing::Test {
  static RegistryOptions options(Budgets *self) {
    RegistryOptions made;
    made.manifestFiles = {TZ_TEST_WRECKER};
    made.defaultFolders = {"/dev/null"};
    made.interrupt.ctx = self;
    made.interrupt.hook = [](void *ctx) {
      auto *self = static_cast<Budgets *>(ctx);
      return int32_t(++self->asked == self->cancelAt ? TZ_E_CANCELLED
                                                     : TZ_E_OK);
    };
    return made;
  }
  /// Some operations an iteration.
  static CompileJob job(int64_t iterations, const char *how = "no") {
    CompileJob made;
    made.plugin = "wrecker";
    made.target = "wrecker:any";
    made.source.path = "long.py";
    made.source.function = "long";
    made.source.text = "import triton\n"
                       "import triton.language as tl\n"
                       "@triton.jit\n"
                       "def long(x, N: tl.constexpr):\n"
                       "    v = tl.load(x)\n"
                       "    for i in tl.static_range(N):\n"
                       "        v = v * (v + i) - tl.maximum(v, v * i)\n"
                       "    tl.store(x, v)\n";
    made.arguments.resize(2);
    made.arguments[0].kind = ArgumentSpec::Runtime;
    made.arguments[0].type = TZ_TYPE_PTR;
    made.arguments[0].element = TZ_TYPE_F32;
    made.arguments[1].kind = ArgumentSpec::Constant;
    made.arguments[1].constant.kind = TZ_KV_I64;
    made.arguments[1].constant.i64 = iterations;
    KeyValue option;
    option.key = "wreck";
    option.kind = TZ_KV_STR;
    option.str = how;
    made.options.push_back(std::move(option));
    return made;
  }
  Status compile(int64_t iterations, const char *how = "no") {
    heard.text.clear();
    return driver.compile(job(iterations, how), heard, nullptr).status();
  }
  LoweredKernel tileIR(int64_t iterations) {
    Result<LoweredKernel> made =
        driver.lower(job(iterations), Stage::Tile, heard);
    EXPECT_TRUE(made) << heard.text;
    return std::move(*made);
  }
  void expectWorks() {
    cancelAt = -1;
    EXPECT_EQ(compile(3).message(), "");
    EXPECT_THAT(heard.text, Not(HasSubstr("error")));
  }

  std::atomic<int> asked{0}, cancelAt{-1};
  Registry registry{options(this)};
  Driver driver{registry, nullptr};
  Heard heard;
};

TEST_F(Budgets, OfTimeEndsTheEvaluator) {
  {
    Variable limit("TERRAZZO_COMPILE_TIMEOUT", "0.001");
    Status late = compile(5000);
    EXPECT_EQ(late.code(), TZ_E_TIMEOUT);
    const char *words = "the compilation took more than 0.001 s and was "
                        "stopped; TERRAZZO_COMPILE_TIMEOUT (seconds) gives it "
                        "more";
    EXPECT_THAT(late.message(), HasSubstr(words));
    EXPECT_THAT(heard.text, HasSubstr("long.py:"));
    EXPECT_THAT(heard.text, HasSubstr(words));
  }
  expectWorks();
}

TEST_F(Budgets, OfTimeEndsThePasses) {
  LoweredKernel kernel = tileIR(100);
  {
    CompileBudget budget(CompileBudget::Limits{1e-9, 0, {}});
    EXPECT_TRUE(failed(optimizer::runNeutral(*kernel.state().module)));
    EXPECT_EQ(budget.end(), CompileBudget::End::Time);
    EXPECT_EQ(budget.reason(),
              "the compilation took more than 1e-09 s and was stopped in the "
              "shared passes; TERRAZZO_COMPILE_TIMEOUT (seconds) gives it "
              "more");
    EXPECT_TRUE(failed(optimizer::runPrepared(*kernel.state().module, {})));
  }
  EXPECT_TRUE(succeeded(optimizer::runNeutral(*kernel.state().module)));
}

TEST_F(Budgets, OfMemoryConvictsWhoHasTheOperations) {
  LoweredKernel small = tileIR(1), large = tileIR(1000);
  for (LoweredKernel *kernel : {&small, &large}) {
    CompileBudget budget(CompileBudget::Limits{0, 8, {}});
    CompileBudget::watch(*kernel->state().module);
    // Another thread's, perhaps.
    std::vector<char> taken(size_t(64) << 20);
    for (size_t at = 0; at < taken.size(); at += 4096) {
      static_cast<volatile char *>(taken.data())[at] = 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(CompileBudget::isSpent(), kernel == &large);
    if (kernel == &large) {
      EXPECT_EQ(budget.end(), CompileBudget::End::Memory);
      EXPECT_THAT(budget.reason(),
                  testing::MatchesRegex(
                      "the compilation took more than 8 MiB and was stopped, "
                      "where the kernel has [0-9]+ operations; "
                      "TERRAZZO_COMPILE_MEMORY .MiB. gives it more"));
    }
  }
}

TEST_F(Budgets, CtrlCIsHeardInTheFrontendAndThePasses) {
  ASSERT_TRUE(driver.lower(job(4000), Stage::Prepared, heard));
  const int all = asked;
  EXPECT_GE(all, 2) << "nobody asks";
  for (int at : {1, all / 2, all - 1}) {
    asked = 0;
    cancelAt = std::max(at, 1);
    Result<LoweredKernel> left =
        driver.lower(job(4000), Stage::Prepared, heard);
    if (left) {
      EXPECT_LT(asked, cancelAt); // a quicker run than the first
      continue;
    }
    EXPECT_EQ(left.status().code(), TZ_E_CANCELLED);
    EXPECT_EQ(left.status().message(),
              "the wait for the compiler was interrupted");
    EXPECT_EQ(asked, cancelAt) << "asked again";
  }
  EXPECT_THAT(heard.text,
              Not(HasSubstr("error"))); // nothing is wrong with the source
  expectWorks();
}

/// A thread that was left may outlive the driver, and all that it works on.
TEST_F(Budgets, AnInterruptedDriverMayGoAtOnce) {
  for (int at = 1; at < 6; ++at) {
    Registry registry(options(this));
    Driver driver(registry, nullptr);
    asked = 0;
    cancelAt = at;
    (void)driver.compile(job(4000), heard, nullptr);
  }
  EXPECT_THAT(heard.text, Not(HasSubstr("error")));
  expectWorks();
}

/// In seconds, of this thread alone or of the process.
double processorTime(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

TEST_F(Budgets, TheIRThatIsLetGoIsTakenDownByAnotherThread) {
  std::weak_ptr<LoweredKernel::State> state;
  double mine = 0;
  const double before = processorTime(CLOCK_PROCESS_CPUTIME_ID);
  {
    LoweredKernel lowered = tileIR(20000);
    state = lowered.state().weak_from_this();
    mine = processorTime(CLOCK_THREAD_CPUTIME_ID);
    letGo(lowered.state(), PortableKernel());
  }
  mine = processorTime(CLOCK_THREAD_CPUTIME_ID) - mine;
  for (int i = 0; i < 1000 && !state.expired(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(state.expired());
  // It takes a tenth of what the IR took to make; to start a thread, nothing.
  EXPECT_LT(mine, 0.01 * (processorTime(CLOCK_PROCESS_CPUTIME_ID) - before));
}

TEST(LeavableWork, IsLeftInTheMiddle) {
  std::promise<void> begins, mayEnd;
  std::shared_future<void> end = mayEnd.get_future().share();
  auto owned = std::make_shared<int>(1);
  std::weak_ptr<int> seen = owned;
  std::promise<bool> wasSpent;
  std::atomic<int> asked = 0;
  {
    CompileBudget budget(CompileBudget::Limits{
        0, 0, [&] { return ++asked == 2 ? int32_t(TZ_E_CANCELLED) : 0; }});
    EXPECT_FALSE(runLeavable([&begins, &wasSpent, end, owned] {
      begins.set_value();
      end.wait(); // no question stands here
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      wasSpent.set_value(CompileBudget::isSpent());
    }));
    EXPECT_EQ(budget.interruption(), TZ_E_CANCELLED);
  }
  owned.reset();
  begins.get_future().wait();
  EXPECT_FALSE(seen.expired()); // it works on
  mayEnd.set_value();
  EXPECT_TRUE(wasSpent.get_future().get());
  while (!seen.expired()) {
    std::this_thread::yield();
  }
}

TEST(LeavableWork, SpendsTheBudgetOfItsCaller) {
  CompileBudget budget(CompileBudget::Limits{1e-9, 0, {}});
  const std::thread::id here = std::this_thread::get_id();
  EXPECT_TRUE(runLeavable([here] {
    EXPECT_NE(std::this_thread::get_id(), here);
    CompileBudget::enter("long work");
    EXPECT_TRUE(CompileBudget::isSpent());
  }));
  EXPECT_EQ(budget.end(), CompileBudget::End::Time);
  EXPECT_THAT(budget.reason(),
              HasSubstr("took more than 1e-09 s and was stopped in long work"));
}

TEST(LeavableWork, StaysHereWithoutABudget) {
  const std::thread::id here = std::this_thread::get_id();
  EXPECT_TRUE(
      runLeavable([here] { EXPECT_EQ(std::this_thread::get_id(), here); }));
}

TEST_F(Budgets, OfTimeLeavesACompilerInThisProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto leave = [] {
    setenv("TERRAZZO_COMPILE_WORKER", "off", 1);
    setenv("TERRAZZO_COMPILE_TIMEOUT", "0.5", 1);
    RegistryOptions alone = options(nullptr);
    alone.interrupt = {};
    Registry registry(alone);
    Driver driver(registry, nullptr);
    Heard heard;
    Status late = driver.compile(job(1, "loop"), heard, nullptr).status();
    std::fputs(late.message().c_str(), stderr);
    setenv("TERRAZZO_COMPILE_TIMEOUT", "60", 1);
    Status fine = driver.compile(job(1), heard, nullptr).status();
    std::fputs(fine.ok() ? " then fine" : fine.message().c_str(), stderr);
    std::exit(late.code() == TZ_E_TIMEOUT ? 7 : 1);
  };
  // Ends with its status, though a thread compiles for ever.
  EXPECT_EXIT(leave(), testing::ExitedWithCode(7),
              "the compiler of 'wrecker' took more than 0.5 s and was left; "
              "TERRAZZO_COMPILE_TIMEOUT \\(seconds\\) gives it more, "
              "TERRAZZO_COMPILE_WORKER=on stops it then fine");
}

} // namespace
