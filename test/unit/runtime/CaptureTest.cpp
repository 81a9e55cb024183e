//===- CaptureTest.cpp - files of captured launches -----------------------===//
//
// What   What is written is read back; bytes that are none, or damaged, are
//        refused; what TERRAZZO_CAPTURE_WHEN may say.
// Why    A file comes from another machine, and its arrays become memory that a
//        kernel runs over.
//===----------------------------------------------------------------------===//
#include "TemporaryFolder.h"

#include "runtime/capture/Capturer.h"

#include <sys/stat.h>

using namespace tz::runtime;

namespace {

CapturedLaunch sample() {
  CapturedLaunch launch;
  launch.kernel = "scale";
  launch.source = "a \"b\".py";
  launch.reason = "it failed: too large";
  launch.version = "terrazzo 0.1.0";
  launch.target = "cpu:x86-64-v3";
  launch.device = "a machine";
  launch.driver = "1";
  launch.grid = {7, 1, 3};
  KeyValue warps, name, factor;
  warps.key = "num_warps";
  warps.kind = TZ_KV_I64;
  warps.i64 = -4;
  name.key = "sanitize";
  name.kind = TZ_KV_STR;
  name.str = "bounds";
  factor.key = "factor";
  factor.kind = TZ_KV_F64;
  factor.f64 = 0.1;
  launch.options = {warps, name, factor};
  CapturedArgument x{"x", TZ_TYPE_PTR, TZ_TYPE_F32, 4, 0};
  CapturedArgument hidden{"hidden", TZ_TYPE_PTR, TZ_TYPE_I8, 0xfffffffffffffff0,
                          CapturedArgument::Unknown};
  CapturedArgument n{"t.n", TZ_TYPE_I64, 0, 0x8000000000000001};
  launch.arguments = {x, hidden, n};
  CapturedArray kept, counted;
  kept.name = "x";
  kept.element = TZ_TYPE_F32;
  kept.address = 0xffffffff00000000;
  kept.bytes = 12;
  kept.hasContent = true;
  kept.content = std::string("\0\1\2\3abcdefg\xff", 12);
  counted.name = "y";
  counted.element = TZ_TYPE_F16;
  counted.bytes = uint64_t(1) << 33;
  counted.statistics = {10, 2, 1, -1e300, 0.1, 1.0 / 3, 1e-300};
  launch.arrays = {kept, counted};
  launch.code = "module {\n}\n";
  return launch;
}

TEST(CaptureFile, IsReadAsItWasWritten) {
  TemporaryFolder folder;
  const std::string path = folder.path + "/a.tzcapture";
  const CapturedLaunch launch = sample();
  ASSERT_TRUE(writeCapture(path, launch).ok());
  struct stat facts{};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u) << "arrays may hold secrets";
  Result<CapturedLaunch> read = readCapture(readFile(path));
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(read->kernel, launch.kernel);
  EXPECT_EQ(read->source, launch.source);
  EXPECT_EQ(read->reason, launch.reason);
  EXPECT_EQ(read->target, launch.target);
  EXPECT_EQ(read->grid, launch.grid);
  EXPECT_EQ(read->code, launch.code);
  EXPECT_FALSE(read->isArtifact);
  ASSERT_EQ(read->options.size(), 3u);
  EXPECT_EQ(read->options[0].i64, -4);
  EXPECT_EQ(read->options[1].str, "bounds");
  EXPECT_EQ(read->options[2].f64, 0.1);
  ASSERT_EQ(read->arguments.size(), 3u);
  EXPECT_EQ(read->arguments[0].array, 0);
  EXPECT_EQ(read->arguments[0].bits, 4u);
  EXPECT_EQ(read->arguments[1].array, CapturedArgument::Unknown);
  EXPECT_EQ(read->arguments[1].bits, 0xfffffffffffffff0);
  EXPECT_EQ(read->arguments[2].name, "t.n");
  EXPECT_EQ(read->arguments[2].bits, 0x8000000000000001);
  ASSERT_EQ(read->arrays.size(), 2u);
  EXPECT_EQ(read->arrays[0].content, launch.arrays[0].content);
  EXPECT_EQ(read->arrays[0].address, launch.arrays[0].address);
  EXPECT_FALSE(read->arrays[1].hasContent);
  EXPECT_EQ(read->arrays[1].bytes, uint64_t(1) << 33);
  EXPECT_EQ(read->arrays[1].statistics.mean, 1.0 / 3);
  EXPECT_EQ(read->arrays[1].statistics.least, -1e300);
  EXPECT_EQ(read->arrays[1].statistics.nan, 2u);
}

TEST(CaptureFile, PartsOfAFileAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.path + "/a.tzcapture";
  ASSERT_TRUE(writeCapture(path, sample()).ok());
  const std::string bytes = readFile(path);
  const size_t end = bytes.find_last_not_of('\0') + 1;
  for (size_t size = 0; size < end; ++size) {
    Result<CapturedLaunch> read =
        readCapture(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(read) << size << " of " << bytes.size() << " bytes";
  }
}

TEST(CaptureFile, WhatIsWrongIsSaid) {
  TemporaryFolder folder;
  const std::string path = folder.path + "/a.tzcapture";
  ASSERT_TRUE(writeCapture(path, sample()).ok());
  const std::string bytes = readFile(path);
  auto refusal = [&](std::string_view from, std::string_view to) {
    std::string other = bytes;
    const size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(from.size(), to.size());
    other.replace(at, from.size(), to);
    Result<CapturedLaunch> read = readCapture(other);
    return read ? std::string("it was read") : read.status().message();
  };
  EXPECT_EQ(readCapture("TZARTIF\n").status().message(),
            "this is no captured launch");
  EXPECT_EQ(refusal("TZCAPT1", "TZCAPT2"),
            "the captured launch is of another version than this program "
            "reads (1)");
  EXPECT_EQ(refusal("\"grid\":[7", "\"gri_\":[7"),
            "the captured launch is damaged: 'grid'");
  // Behind the end of the file, of another kind, of no array.
  EXPECT_EQ(refusal("\"bytes\":12", "\"bytes\":99"),
            "the captured launch is damaged: 'content'");
  EXPECT_EQ(refusal("\"array\":0", "\"array\":2"),
            "the captured launch is damaged: 'array'");
  EXPECT_EQ(refusal("\"form\":\"tile\"", "\"form\":\"tyle\""),
            "the captured launch is damaged: 'form'");
  EXPECT_EQ(refusal("\"distance\":\"0x4\"", "\"distance\":\"0xg\""),
            "the captured launch is damaged: 'distance'");
  EXPECT_NE(refusal("{\"kernel\"", "[\"kernel\"").find("damaged"),
            std::string::npos);
}

TEST(CaptureFile, AFolderThatIsNotThereIsSaid) {
  TemporaryFolder folder;
  Status s = writeCapture(folder.path + "/none/a.tzcapture", sample());
  EXPECT_EQ(s.code(), TZ_E_UNAVAILABLE);
  EXPECT_NE(s.message().find("No such file or directory"), std::string::npos);
}

TEST(CaptureOptions, Occasions) {
  CaptureOptions options;
  std::string unknown;
  ASSERT_TRUE(readOccasions(" all , slow:2.5", options, unknown));
  EXPECT_TRUE(options.all);
  EXPECT_FALSE(options.failed);
  EXPECT_EQ(options.slowerThanNs, 2500000u);
  ASSERT_TRUE(readOccasions("fail,", options, unknown));
  EXPECT_TRUE(options.failed);
  EXPECT_FALSE(options.all);
  EXPECT_EQ(options.slowerThanNs, 0u);
  for (const char *wrong : {"slow", "slow:", "slow:x", "slow:-1", "slow:0",
                            "slow:nan", "slow:inf", "fails", "fail all"}) {
    EXPECT_FALSE(readOccasions(wrong, options, unknown)) << wrong;
    EXPECT_EQ(unknown, wrong);
  }
}

} // namespace
