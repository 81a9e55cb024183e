//===- EmbeddingProfileTest.cpp - profiles of a C++ program on the CPU ----===//
//
// What   terrazzo.hpp's Profile and ProfileScope over the CPU's own records:
//        of one thread and of several, while profiles begin and end.
// Why    The CPU's records are written by threads that launch, and read by the
//        one that asks.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/EmbeddingSession.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <atomic>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace {

using namespace tz;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char *Kernels = R"(import triton
import triton.language as tl

@triton.jit
def fill(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), 1.0)

@triton.jit
def slow(out, n):
    x = 0.0
    for i in range(n):
        x = x * 0.5 + 1.0
    tl.store(out, x)
)";

class EmbeddingProfile : public testing::Test {
protected:
  static void SetUpTestSuite() { tz::driver::registerDriver(); }

  EmbeddingProfile()
      : session(embeddingOptions()), device(session.device("cpu")),
        stream(device), out(device, 8) {
    std::ofstream(folder.path + "/k.py") << Kernels;
  }
  Kernel kernel(const char *name) const {
    return session.kernel(folder.path + "/k.py", name);
  }

  TemporaryFolder folder;
  Session session;
  Device device;
  Stream stream;
  Buffer<float> out;
};

TEST_F(EmbeddingProfile, KernelsAreTimedByTheirDevice) {
  Kernel fill = kernel("fill"), slow = kernel("slow");
  Profile profile(session, TZ_PROFILE_TRACE);
  {
    ProfileScope scope("forward");
    fill(stream, {}, out, 8);
    slow(stream, {}, out, 2000000);
  }
  profile.flush();
  EXPECT_EQ(profile.note(), "");
  std::map<std::string, double> began, ended;
  const json trace = json::parse(profile.content());
  for (const json &event : trace["traceEvents"]) {
    if (event["ph"] == "X") {
      const std::string key = event["cat"].get<std::string>() + " " +
                              event["name"].get<std::string>();
      began[key] = event["ts"];
      ended[key] = event["ts"].get<double>() + event["dur"].get<double>();
    }
  }
  // Each kernel inside of its launch, those inside of the scope, in order.
  for (const char *name : {"fill", "slow"}) {
    const std::string launch = std::string("launch ") + name,
                      kernel = std::string("kernel ") + name;
    ASSERT_TRUE(began.count(launch) && began.count(kernel));
    EXPECT_LE(began["scope forward"], began[launch]);
    EXPECT_LE(began[launch], began[kernel]);
    EXPECT_LE(began[kernel], ended[kernel]);
    EXPECT_LE(ended[kernel], ended[launch]);
    EXPECT_LE(ended[launch], ended["scope forward"]);
  }
  EXPECT_LE(ended["launch fill"], began["launch slow"]);
  const std::string path = folder.path + "/run.chrome_trace";
  profile.write(path);
  EXPECT_EQ(readFile(path), profile.content());
  EXPECT_THAT(refusal([&] { profile.write(path, "hatchet"); }),
              HasSubstr("a trace has no format 'hatchet'"));
}

TEST_F(EmbeddingProfile, ManyThreadsAndBuffers) {
  constexpr int threads = 4, launches = 2000; // more than a buffer's records
  Kernel fill = kernel("fill");
  fill(stream, {}, out, 8);
  Profile profile(session);
  std::atomic<bool> isOver{false};
  // Profiles that come and go meanwhile.
  std::thread others([&] {
    while (!isOver) {
      Profile other(session, TZ_PROFILE_TRACE);
      other.pause();
      other.resume();
      other.flush();
      (void)other.content();
    }
  });
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      ProfileScope scope("thread " + std::to_string(t));
      Stream mine(device);
      Buffer<float> to(device, 8);
      for (int i = 0; i < launches; ++i) {
        fill(mine, {}, to, 8);
      }
    });
  }
  for (std::thread &one : all) {
    one.join();
  }
  isOver = true;
  others.join();
  profile.flush();
  EXPECT_EQ(profile.note(), "");
  const json root = json::parse(profile.content())[0];
  ASSERT_EQ(root["children"].size(), size_t(threads));
  for (const json &scope : root["children"]) {
    ASSERT_EQ(scope["children"].size(), 1u);
    EXPECT_EQ(scope["children"][0]["metrics"]["count"], launches)
        << scope["frame"];
  }
}

} // namespace
