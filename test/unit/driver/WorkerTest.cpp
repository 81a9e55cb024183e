//===- WorkerTest.cpp - compilers that end badly --------------------------===//
//
// What   Each way in which a compiler can end its process: one clear error, and
//        the next compilation works.
// Why    A launch must survive whatever LLVM does with a kernel (R14).
//===----------------------------------------------------------------------===//
#include "test/unit/driver/Wrecker.h"

#include "core/driver/worker/Channel.h"
#include "core/driver/worker/Workers.h"

#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace tz::runtime;
using namespace tz::driver;
using testing::HasSubstr;

/// A variable of the environment until the test's end.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Variable() { unsetenv(name); }

private:
  const char *name;
};

class Worker : public testing::Test {
protected:
  Worker()
      : registry(tz::wrecker::options()), plugin(*registry.find("wrecker")) {}

  Result<Artifact> compile(const char *how) {
    said.clear();
    return compilePortable(
        *plugin, tz::wrecker::job(how), "no IR", [&](const VendorMessage &m) {
          said += m.place.file + ":" + std::to_string(m.place.line) + ": " +
                  m.text + "\n";
        });
  }
  /// The process that compiled.
  pid_t works() {
    Result<Artifact> made = compile("no");
    if (!made) {
      ADD_FAILURE() << made.status().message();
      return 0;
    }
    EXPECT_EQ(said, "kernel.py:3: about to begin\n");
    for (const KeyValue &fact : made->metadata) {
      if (fact.key == "process") {
        return std::stoi(fact.str);
      }
    }
    return 0;
  }
  void survives(const char *how, int32_t code, const char *words) {
    Result<Artifact> made = compile(how);
    ASSERT_FALSE(made) << how;
    EXPECT_EQ(made.status().code(), code) << made.status().message();
    EXPECT_THAT(made.status().message(), HasSubstr(words));
    EXPECT_EQ(said, "kernel.py:3: about to begin\n");
    works();
  }

  Registry registry;
  Plugin *plugin;
  std::string said;
};

TEST_F(Worker, StaysForTheNextRequest) {
  pid_t first = works();
  EXPECT_NE(first, getpid());
  EXPECT_EQ(works(), first);
}

TEST_F(Worker, SurvivesAnAbort) {
  survives("abort", TZ_E_INTERNAL,
           "the compiler of 'wrecker' ended by signal 6 (Aborted): LLVM ERROR: "
           "Cannot select this");
}

/// A process that the compiler has started may outlive it.
TEST_F(Worker, TellsOfACrashBesideARunningHelper) {
  const auto begin = std::chrono::steady_clock::now();
  survives("helper", TZ_E_INTERNAL,
           "the compiler of 'wrecker' ended by signal 6 (Aborted)");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST_F(Worker, SurvivesAnExit) {
  survives("exit", TZ_E_INTERNAL,
           "the compiler of 'wrecker' ended with exit status 1");
}

TEST_F(Worker, StopsWhatNeverEnds) {
  Variable limit("TERRAZZO_COMPILE_TIMEOUT", "1.5");
  survives("loop", TZ_E_TIMEOUT,
           "the compiler of 'wrecker' took more than 1.5 s and was stopped; "
           "TERRAZZO_COMPILE_TIMEOUT (seconds) gives it more");
}

#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) &&     \
    !__has_feature(thread_sanitizer)
TEST_F(Worker, LimitsMemory) {
  Variable limit("TERRAZZO_COMPILE_MEMORY", "2000");
  (void)compile("abort"); // the limit is of a child's start
  survives("memory", TZ_E_OUT_OF_MEMORY,
           "the compiler of 'wrecker' took more than 2000 MiB and was stopped; "
           "TERRAZZO_COMPILE_MEMORY (MiB) gives it more");
  (void)compile("abort"); // that child had the small limit
}

TEST_F(Worker, SurvivesAnOverflowOfTheStack) {
  survives("stack", TZ_E_INTERNAL,
           "the compiler of 'wrecker' ended by signal 11 (Segmentation fault)");
}
#endif

TEST_F(Worker, IsStartedAgainWhenItDiedUnasked) {
  pid_t first = works();
  ASSERT_EQ(kill(first, SIGKILL), 0);
  usleep(50000);
  EXPECT_NE(works(), first);
}

/// Names of what lies in a folder and below it.
std::vector<std::string> filesIn(const std::filesystem::path &folder) {
  std::vector<std::string> names;
  for (const auto &one :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (!one.is_directory()) {
      names.push_back(one.path().filename());
    }
  }
  return names;
}

TEST_F(Worker, LeavesNoTemporaryFiles) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "worker-leaves-nothing";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    Variable place("TMPDIR", folder.c_str());
    (void)compile("abort"); // the place is of a child's start
    works();
    EXPECT_THAT(filesIn(folder), testing::ElementsAre("litter"));
    (void)compile("abort");
    EXPECT_THAT(filesIn(folder), testing::IsEmpty());
    Variable limit("TERRAZZO_COMPILE_TIMEOUT", "0.5");
    EXPECT_EQ(compile("loop").status().code(), TZ_E_TIMEOUT);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }
  std::filesystem::remove_all(folder);
}

TEST_F(Worker, ChecksToo) {
  Status fine =
      checkPortable(*plugin, tz::wrecker::job("no"), "no IR", [](auto &) {});
  EXPECT_TRUE(fine.ok()) << fine.message();
  Status bad =
      checkPortable(*plugin, tz::wrecker::job("abort"), "no IR", [](auto &) {});
  EXPECT_EQ(bad.code(), TZ_E_INTERNAL);
}

TEST_F(Worker, ServesCallsOfManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<unsigned> made{0}, refused{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Result<Artifact> result = compilePortable(
          *plugin, tz::wrecker::job(i % 4 == 3 ? "abort" : "sleep"), "no IR",
          [](const VendorMessage &) {});
      ++(result ? made : refused);
    });
  }
  for (std::thread &one : threads) {
    one.join();
  }
  EXPECT_EQ(made, 6u);
  EXPECT_EQ(refused, 2u);
}

TEST(Channel, RefusesBrokenFrames) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  Frame frame;
  Channel channel(pair[0]);
  EXPECT_EQ(
      channel.receive(frame, Clock::now() + std::chrono::milliseconds(20)),
      Channel::Outcome::Late);
  const char nonsense[16] = "\xff\xff\xff\xff nonsense";
  ASSERT_EQ(write(pair[1], nonsense, sizeof(nonsense)), 16);
  EXPECT_EQ(channel.receive(frame, {}), Channel::Outcome::Closed);
  // As many bytes as are allowed, of which none comes.
  uint32_t word = uint32_t(Word::Artifact), zero = 0;
  uint64_t most = uint64_t(1) << 32;
  ASSERT_EQ(write(pair[1], &word, 4), 4);
  ASSERT_EQ(write(pair[1], &zero, 4), 4);
  ASSERT_EQ(write(pair[1], &most, 8), 8);
  close(pair[1]);
  EXPECT_EQ(channel.receive(frame, {}), Channel::Outcome::Closed);
  EXPECT_LE(frame.content.capacity(), size_t(2) << 20);
  EXPECT_EQ(channel.send({Word::Passed, "x"}, {}), Channel::Outcome::Closed);
  close(pair[0]);
}

TEST(Channel, RefusesCutTexts) {
  CompileJob job;
  job.target = "wrecker:any";
  job.emit = {"asm", "llvm"};
  KeyValue option;
  option.key = "depth";
  option.kind = TZ_KV_I64;
  option.i64 = 7;
  job.options.push_back(option);
  const std::string whole = packRequest(job, "some IR");
  CompileJob back;
  std::string ir;
  ASSERT_TRUE(unpackRequest(whole, back, ir));
  EXPECT_EQ(back.emit, job.emit);
  EXPECT_EQ(back.options.at(0).i64, 7);
  EXPECT_EQ(ir, "some IR");
  for (size_t size = 0; size < whole.size(); ++size) {
    CompileJob cut;
    EXPECT_FALSE(
        unpackRequest(std::string_view(whole).substr(0, size), cut, ir))
        << size;
  }
}

} // namespace
