//===- ConcurrentTest.cpp - one driver, many threads ----------------------===//
//
// What   Threads compile the same and different specialisations through one
//        driver, one registry and one cache at once.
// Why    A server launches from many threads: targets, rules, workspaces and
//        the cache are shared. The nightly run repeats this under the thread
//        sanitizer.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/ToldPlugin.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace {

using namespace tz::runtime;

constexpr const char *ScaleKernel = R"(import triton
import triton.language as tl

@triton.jit
def scale_kernel(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=inside) * 2, mask=inside)
)";

struct Silent final : DiagnosticSink {
  void report(uint32_t, std::string_view) override {}
};

CompileJob job(int64_t block) {
  CompileJob made;
  made.source = {"scale.py", ScaleKernel, "scale_kernel", false};
  made.plugin = "null";
  made.target = "null:any";
  ArgumentSpec pointer;
  pointer.kind = ArgumentSpec::Runtime;
  pointer.type = TZ_TYPE_PTR;
  pointer.element = TZ_TYPE_F32;
  pointer.divisor = 16;
  ArgumentSpec n;
  n.kind = ArgumentSpec::Runtime;
  n.type = TZ_TYPE_I32;
  ArgumentSpec constant;
  constant.kind = ArgumentSpec::Constant;
  constant.constant = {"BLOCK", TZ_KV_I64, block, 0, ""};
  made.arguments = {pointer, pointer, n, constant};
  return made;
}

/// The null plugin answers the request it got; each has its own number.
std::string withoutRequest(std::string text) {
  size_t begin = text.find("request_id");
  if (begin != std::string::npos) {
    text.erase(begin, text.find('\n', begin) - begin);
  }
  return text;
}

TEST(Concurrent, ThreadsCompileThroughOneDriver) {
  TemporaryFolder folder;
  Cache cache{CacheOptions{folder.path + "/cache", 1 << 24, {}}};
  RegistryOptions options;
  options.readEnvironment = false;
  options.searchFolders = {TZ_TEST_PLUGIN_FOLDER};
  Registry registry{options, &cache};
  tz::driver::Driver driver{registry, &cache};
  constexpr int numThreads = 4, Blocks = 3;
  std::vector<std::string> artifacts(numThreads * Blocks);
  std::atomic<int> waiting{numThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t) {
    threads.emplace_back([&, t] {
      for (--waiting; waiting;) {
        std::this_thread::yield();
      }
      for (int i = 0; i < Blocks; ++i) {
        int which = (t + i) % Blocks;
        Silent sink;
        auto artifact = driver.compile(job(64 << which), sink);
        if (artifact.ok()) {
          artifacts[t * Blocks + which] =
              withoutRequest((*artifact)->findBlob("main")->bytes);
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (int i = 0; i < numThreads * Blocks; ++i) {
    EXPECT_FALSE(artifacts[i].empty()) << "thread " << i / Blocks;
    EXPECT_EQ(artifacts[i], artifacts[i % Blocks]) << "thread " << i / Blocks;
  }
  EXPECT_NE(artifacts[0], artifacts[1]);
}

/// Each session has a compiler object of its own, so their threads share only
/// what the plugin's library holds.
TEST(Concurrent, CompilersOfSessionsDescribeAtOnce) {
  constexpr int numThreads = 8;
  std::atomic<int> waiting{numThreads}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t) {
    threads.emplace_back([&] {
      RegistryOptions options;
      options.readEnvironment = false;
      options.defaultFolders = {TZ_TEST_PLUGIN_FOLDER};
      Registry registry(options);
      auto half = (*registry.find("cpu"))->compiler();
      for (--waiting; waiting;) {
        std::this_thread::yield();
      }
      for (const std::string &id : (*half)->targets) {
        tz_target_desc desc{};
        desc.struct_size = sizeof(desc);
        Status s = takeError(
            (*half)->api->describe_target((*half)->object, str(id), &desc),
            "cpu");
        size_t math = 0;
        for (size_t i = 0; s.ok() && i < desc.num_features; ++i) {
          math += std::string_view(desc.features[i]).starts_with("math.");
        }
        wrong += math != 23 * 4;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

/// Two sessions, each with a thread that compiles; how many were in the plugin
/// at once.
unsigned atOnce(const BuiltinPlugin &plugin, int64_t longest) {
  tz::test::toldAtOnce = 0;
  auto compileOnce = [&] {
    RegistryOptions options;
    options.readEnvironment = false;
    options.builtins = {plugin};
    Registry registry{options, nullptr};
    tz::driver::Driver driver{registry, nullptr};
    CompileJob made = job(64);
    made.plugin = "told";
    made.target = "told:any";
    made.options.push_back({"meet", TZ_KV_I64, longest, 0, ""});
    Silent sink;
    EXPECT_TRUE(driver.compile(made, sink).ok());
  };
  std::thread first(compileOnce), second(compileOnce);
  first.join();
  second.join();
  return tz::test::toldAtOnce;
}

TEST(Concurrent, ACompilerThatIsSerialRunsOnceInTheProcess) {
  EXPECT_EQ(atOnce(tz::test::toldPlugin(), 20000), 2u);
  EXPECT_EQ(atOnce(tz::test::toldSerialPlugin(), 100), 1u);
}

} // namespace
