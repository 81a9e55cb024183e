//===- DeviceShadowsTest.cpp - what checks of memory get at a launch
//-------===//
//
// What   The bytes that are written, the keys of races, and the reports of
//        both.
// Why    Kernels with checks run with real devices only; what the launcher
//        tells them is seen here.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/EchoPlugin.h"

#include "runtime/launch/LoadedKernel.h"
#include "runtime/launch/SanitizerReports.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tz::runtime;

namespace {

class DeviceShadows : public testing::Test {
protected:
  void SetUp() override {
    Echo::instance().reset();
    RegistryOptions options;
    options.readEnvironment = false;
    options.defaultFolders = {"/nonexistent"};
    options.builtins = {echoPlugin()};
    registry = std::make_unique<Registry>(options);
    device = *Device::open(**registry->find("echo"), 0);
    stream = std::move(*device->createStream());
    std::vector<tz_memory_range> ranges;
    for (auto &array : arrays) {
      ranges.push_back({address(array), sizeof(array), nullptr});
    }
    stream->knowMemory(ranges);
  }
  void TearDown() override {
    kernels.clear();
    stream.reset();
    device.reset();
    EXPECT_EQ(Echo::instance().allocations, Echo::instance().frees);
  }
  static tz_dptr address(const void *at) {
    return reinterpret_cast<uintptr_t>(at);
  }
  /// A kernel with the pointers x and y that asks for these facts.
  LoadedKernel &kernelWith(const std::vector<std::string> &facts) {
    auto code = std::make_shared<Artifact>();
    code->plugin = "echo";
    code->function = "kernel";
    code->variants.resize(1);
    Variant &v = code->variants[0];
    v.name = "general";
    code->userTypes = {TZ_TYPE_PTR, TZ_TYPE_PTR};
    code->userLeaves = {0, 1};
    ArgumentSpec pointer;
    pointer.kind = ArgumentSpec::Runtime;
    pointer.type = TZ_TYPE_PTR;
    code->parameters = {{"x", pointer}, {"y", pointer}};
    for (uint32_t i = 0; i < 2 + facts.size(); ++i) {
      ArgInfo arg;
      arg.name = i < 2 ? "p" : facts[i - 2];
      arg.kind = TZ_ARG_USER;
      arg.index = i;
      arg.type = i < 2 ? TZ_TYPE_PTR : TZ_TYPE_I64;
      arg.size = arg.align = 8;
      arg.offset = 8 * i;
      v.args.push_back(arg);
    }
    v.argBytes = 8 * uint32_t(v.args.size());
    EXPECT_TRUE(code->verify().ok()) << code->verify().message();
    kernels.push_back(std::move(*LoadedKernel::load(device, code)));
    return *kernels.back();
  }
  void launch(LoadedKernel &kernel, const void *x, const void *y,
              std::array<int64_t, 3> grid = {2, 1, 1}) {
    Status s = kernel.launch(*stream, grid,
                             std::vector<ArgValue>{{TZ_TYPE_PTR, address(x)},
                                                   {TZ_TYPE_PTR, address(y)}});
    EXPECT_TRUE(s.ok()) << s.message();
  }
  /// Fact `number` of the last launch.
  static uint64_t fact(size_t number) {
    uint64_t value;
    std::memcpy(&value,
                Echo::instance().launches.back().args.data() + 16 + 8 * number,
                8);
    return value;
  }
  static std::string marks(uint64_t shadow, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i) {
      text += reinterpret_cast<const char *>(shadow)[i] ? '1' : '0';
    }
    return text;
  }

  uint8_t arrays[2][16] = {};
  std::unique_ptr<Registry> registry;
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::vector<std::unique_ptr<LoadedKernel>> kernels;
};

TEST_F(DeviceShadows, AllIsWrittenUnlessItIsForgotten) {
  LoadedKernel &kernel = kernelWith({"x.written", "y.written"});
  launch(kernel, arrays[0], arrays[1]);
  EXPECT_EQ(fact(0), 0u);
  ASSERT_TRUE(device->written().forget(*stream, address(arrays[0]), 16).ok());
  launch(kernel, arrays[0] + 4, arrays[1]);
  EXPECT_EQ(marks(fact(0), 16), "0000000000000000");
  EXPECT_EQ(fact(0) % 64, address(arrays[0]) % 64) << "aligned as the array is";
  EXPECT_EQ(fact(1), 0u);
}

TEST_F(DeviceShadows, CopiesAndFillsWriteWhatTheyTouch) {
  LoadedKernel &kernel = kernelWith({"x.written", "y.written"});
  ASSERT_TRUE(device->written().forget(*stream, address(arrays[0]), 16).ok());
  ASSERT_TRUE(stream->fill(address(arrays[0]) + 2, 3, 7, 1).ok());
  ASSERT_TRUE(stream
                  ->copy(address(arrays[0]) + 12, address(arrays[1]), 4,
                         TZ_COPY_DEVICE_TO_DEVICE)
                  .ok());
  launch(kernel, arrays[0], arrays[1]);
  EXPECT_EQ(marks(fact(0), 16), "0011100000001111");
  ASSERT_TRUE(device->written().forget(*stream, address(arrays[0]), 16).ok());
  launch(kernel, arrays[0], arrays[1]);
  EXPECT_EQ(marks(fact(0), 16), "0000000000000000");
}

TEST_F(DeviceShadows, AKernelWithoutTheCheckWritesAll) {
  LoadedKernel &kernel = kernelWith({"x.written", "y.written"});
  LoadedKernel &other = kernelWith({});
  ASSERT_TRUE(device->written().forget(*stream, address(arrays[0]), 16).ok());
  launch(other, arrays[1], arrays[0] + 8);
  launch(kernel, arrays[0], arrays[1]);
  EXPECT_EQ(fact(0), 0u);
  EXPECT_FALSE(device->written().isUsed());
}

TEST_F(DeviceShadows, WhatIsFreedIsForgotten) {
  tz_dptr memory = *device->allocate(64);
  ASSERT_TRUE(device->written().forget(*stream, memory, 64).ok());
  EXPECT_TRUE(device->written().isUsed());
  ASSERT_TRUE(device->free(memory).ok());
  EXPECT_FALSE(device->written().isUsed());
}

TEST_F(DeviceShadows, EachLaunchHasKeysOfZeros) {
  LoadedKernel &kernel = kernelWith({"x.race:4:3", "y.reads:4:3"});
  launch(kernel, arrays[0], arrays[1]);
  const uint64_t keys = fact(0);
  ASSERT_NE(keys, 0u);
  EXPECT_EQ(marks(keys, 48), std::string(48, '0'));
  EXPECT_EQ(fact(1), 0u) << "only read";
  std::memset(reinterpret_cast<void *>(keys), 1, 48);
  launch(kernel, arrays[0], arrays[1]);
  EXPECT_EQ(fact(0), keys);
  EXPECT_EQ(marks(keys, 48), std::string(48, '0'));
}

TEST_F(DeviceShadows, ViewsOfOneMemoryShareTheKeys) {
  LoadedKernel &kernel = kernelWith({"x.race:4:3", "y.reads:4:3"});
  launch(kernel, arrays[0], arrays[0] + 8);
  EXPECT_NE(fact(0), 0u);
  EXPECT_EQ(fact(0), fact(1));
  LoadedKernel &both = kernelWith({"x.race:4:3", "y.race:4:3"});
  launch(both, arrays[0], arrays[1]);
  EXPECT_NE(fact(0), fact(1));
}

TEST_F(DeviceShadows, SomeLaunchesHaveNoKeys) {
  LoadedKernel &kernel = kernelWith({"x.race:4:3"});
  launch(kernel, arrays[0], arrays[1], {1 << 12, 1 << 12, 1});
  EXPECT_EQ(fact(0), 0u) << "too many programs";
  Echo::instance().isRecording = true;
  launch(kernel, arrays[0], arrays[1]);
  EXPECT_EQ(fact(0), 0u) << "a graph";
}

TEST(ArrayFacts, NamesSayWhatIsAsked) {
  EXPECT_EQ(parseArrayFact("t.x.end")->array, "t.x");
  std::optional<ArrayFact> races = parseArrayFact("x.race:2:5");
  ASSERT_TRUE(races);
  EXPECT_EQ(races->kind, ArrayFact::Races);
  EXPECT_EQ(races->granule, 2u);
  EXPECT_EQ(races->planes, 5u);
  for (const char *name : {"x", "x.race", "x.race:3:5", "x.race:4:9", ".race:4",
                           "x.end:4:3", "x.race:4:0", ""}) {
    EXPECT_FALSE(parseArrayFact(name)) << name;
  }
}

/// The error of one report with these values, 64 bits each.
std::string told(const std::string &text, const std::vector<int64_t> &values) {
  Artifact artifact;
  LogSite &site = artifact.logSites.emplace_back();
  site.kind = TZ_LOG_REPORT;
  site.text = text;
  site.file = "k.py";
  site.line = 3;
  site.col = 5;
  for (size_t i = 0; i < values.size(); ++i) {
    site.values.push_back({TZ_TYPE_I64, {}});
  }
  SanitizerReports reports(artifact);
  for (size_t i = 0; i < values.size(); ++i) {
    tz_log_record record{};
    record.value = uint32_t(i);
    record.count = 1;
    record.program[0] = 4;
    const auto *bytes = reinterpret_cast<const uint8_t *>(&values[i]);
    reports.add(record, {bytes, 8});
  }
  return reports.status().message();
}

TEST(MemoryReports, ARaceNamesBothPlaces) {
  const std::string text = "race;store;x;8;reads@k.py:2:9|writes@k.py:3:5";
  const std::string behind =
      "; nothing orders the two; tile element (1); program (4, 0, 0)";
  // Program 7 of a grid of 3 x 2 x 2.
  EXPECT_EQ(told(text, {1, 1, 9, 8 * 256 + 2, 3, 2}),
            "k.py:3:5: race: store of element 9 of 'x', which program "
            "(1, 0, 1) writes at k.py:3:5" +
                behind);
  EXPECT_EQ(told(text, {1, 1, 9, 1 * 256 + 1, 3, 2}),
            "k.py:3:5: race: store of element 9 of 'x', which program "
            "(0, 0, 0) reads at k.py:2:9" +
                behind);
  for (int64_t place : {0, 3, 255}) {
    EXPECT_EQ(told(text, {1, 1, 9, 256 + place, 0, 0}),
              "k.py:3:5: race: store of element 9 of 'x', which program "
              "(0, 0, 0) touches" +
                  behind);
  }
}

TEST(MemoryReports, AReadOfWhatNothingWroteNamesTheElement) {
  EXPECT_EQ(told("uninitialized;load;x;", {0, 1, 5}),
            "k.py:3:5: uninitialized: load of element 5 of 'x', which nothing "
            "has written; program (4, 0, 0)");
}

} // namespace
