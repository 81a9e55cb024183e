//===- DriverCompileTest.cpp - the driver's chain over the null plugin ----===//
//
// What   Signature, specialisation rule, compile, entries damaged on the disk,
//        errors as they are printed; the rest of the cache: CompileCacheTest.
// Why    The null plugin answers the request it got, so each step before the
//        vendor can be seen without a vendor.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"

#include <gtest/gtest.h>

namespace {

using namespace tz::runtime;
using tz::driver::CompileReport;
using tz::driver::Driver;
using tz::driver::Stage;

constexpr const char *AddKernel = R"(import triton
import triton.language as tl

@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x + offsets, mask=inside)
    b = tl.load(y + offsets, mask=inside)
    tl.store(out + offsets, a + b, mask=inside)
)";

struct Collected final : DiagnosticSink {
  void report(uint32_t severity, std::string_view rendered) override {
    if (severity == TZ_SEVERITY_ERROR) {
      ++errors;
    }
    text += rendered;
  }
  unsigned errors = 0;
  std::string text;
};

struct CompileTest : testing::Test {
  TemporaryFolder folder;
  Cache cache{CacheOptions{folder.path + "/cache", 1 << 24, {}}};
  Registry registry{options(), &cache};
  Driver driver{registry, &cache};
  Collected sink;

  static RegistryOptions options() {
    RegistryOptions made;
    made.readEnvironment = false;
    made.searchFolders = {TZ_TEST_PLUGIN_FOLDER};
    return made;
  }
  static CompileJob job(std::string text = AddKernel) {
    CompileJob made;
    made.source = {"add.py", std::move(text), "add_kernel", false};
    made.plugin = "null";
    made.target = "null:any";
    ArgumentSpec pointer;
    pointer.kind = ArgumentSpec::Runtime;
    pointer.type = TZ_TYPE_PTR;
    pointer.element = TZ_TYPE_F16;
    pointer.divisor = 16;
    ArgumentSpec n;
    n.kind = ArgumentSpec::Runtime;
    n.type = TZ_TYPE_I32;
    ArgumentSpec block;
    block.kind = ArgumentSpec::Constant;
    block.constant = {"BLOCK", TZ_KV_I64, 64, 0, ""};
    made.arguments = {pointer, pointer, pointer, n, block};
    return made;
  }
};

TEST_F(CompileTest, SignatureListsTheParameters) {
  auto signature = driver.signature({"add.py", AddKernel, "", false}, sink);
  ASSERT_TRUE(signature.ok()) << signature.status().message();
  EXPECT_EQ(signature->function, "add_kernel");
  ASSERT_EQ(signature->parameters.size(), 5u);
  EXPECT_EQ(signature->parameters[3].name, "n");
  EXPECT_FALSE(signature->parameters[3].isConstexpr);
  EXPECT_TRUE(signature->parameters[4].isConstexpr);
}

TEST_F(CompileTest, ABoundHasADivisorAndFoldsNothing) {
  auto rule = driver.specializationRule(job().source, job().arguments, sink);
  ASSERT_TRUE(rule.ok()) << rule.status().message();
  EXPECT_EQ(rule->leaves[0].divisor, 16u); // bytes of an address
  EXPECT_EQ(rule->leaves[3].divisor, 8u);  // of halfs that a mask may cut
  EXPECT_FALSE(rule->leaves[3].foldsOne);
  EXPECT_EQ(rule->leaves[4].divisor, 0u);
}

TEST_F(CompileTest, FillsWhatOnlyTheHostKnows) {
  CompileReport report;
  auto artifact = driver.compile(job(), sink, &report);
  ASSERT_TRUE(artifact.ok()) << artifact.status().message() << sink.text;
  EXPECT_EQ(report.cached, CompileReport::Cached::Nothing);
  EXPECT_EQ((*artifact)->plugin, "null");
  EXPECT_EQ((*artifact)->function, "add_kernel");
  EXPECT_EQ((*artifact)->userLeaves, (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ((*artifact)->userTypes[3], uint32_t(TZ_TYPE_I32));
  EXPECT_EQ((*artifact)->parameters[0].spec.divisor, 16u);
  ASSERT_TRUE((*artifact)->findBlob("main"));
  EXPECT_NE((*artifact)->findBlob("main")->bytes.find("ir_format = tile"),
            std::string::npos);
}

TEST_F(CompileTest, FoldedOnesAreNoArguments) {
  CompileJob one = job();
  one.arguments[3].equalsOne = true;
  auto artifact = driver.compile(one, sink, nullptr);
  ASSERT_TRUE(artifact.ok()) << artifact.status().message() << sink.text;
  EXPECT_EQ((*artifact)->userLeaves, (std::vector<uint32_t>{0, 1, 2}));
}

TEST_F(CompileTest, DamageOnTheDiskIsCompiledAgain) {
  using Cached = CompileReport::Cached;
  CompileReport first, second, third;
  ASSERT_TRUE(driver.compile(job(), sink, &first).ok()) << sink.text;
  EXPECT_EQ(first.cached, Cached::Nothing);
  for (const auto &file :
       std::filesystem::recursive_directory_iterator(folder.path + "/cache")) {
    if (file.is_regular_file()) {
      std::filesystem::resize_file(file.path(), file.file_size() / 2);
    }
  }
  ASSERT_TRUE(driver.compile(job(), sink, &second).ok());
  EXPECT_EQ(second.cached, Cached::Nothing);
  ASSERT_TRUE(driver.compile(job(), sink, &third).ok());
  EXPECT_EQ(third.cached, Cached::Everything);
}

TEST_F(CompileTest, ErrorsHaveAPlaceAndACaret) {
  std::string text(AddKernel);
  text.replace(text.find("a + b"), 5, "a + q");
  auto artifact = driver.compile(job(text), sink, nullptr);
  ASSERT_FALSE(artifact.ok());
  EXPECT_EQ(sink.errors, 1u) << sink.text;
  EXPECT_NE(sink.text.find("add.py:10:"), std::string::npos) << sink.text;
  EXPECT_NE(sink.text.find("error:"), std::string::npos);
  EXPECT_NE(sink.text.find("^"), std::string::npos);
  EXPECT_NE(artifact.status().message().find("add.py:10"), std::string::npos)
      << artifact.status().message();
  ASSERT_FALSE(artifact.status().payload().empty());
  EXPECT_EQ(artifact.status().payload()[0].second, "add.py");
}

TEST_F(CompileTest, AMissingKernelNamesThoseThatThereAre) {
  CompileJob wrong = job();
  wrong.source.function = "ad_kernel";
  auto artifact = driver.compile(wrong, sink, nullptr);
  ASSERT_FALSE(artifact.ok());
  EXPECT_NE(artifact.status().message().find("did you mean 'add_kernel'?"),
            std::string::npos)
      << artifact.status().message();
}

TEST_F(CompileTest, TileIRTextIsASourceToo) {
  auto lowered = driver.lower(job(), Stage::Neutral, sink);
  ASSERT_TRUE(lowered.ok()) << lowered.status().message() << sink.text;
  CompileJob fromText = job(lowered->text());
  fromText.source.path = "add.mlir";
  fromText.source.isIR = true;
  fromText.arguments.resize(4);
  auto artifact = driver.compile(fromText, sink, nullptr);
  ASSERT_TRUE(artifact.ok()) << artifact.status().message() << sink.text;
  auto bytes = lowered->portable();
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  fromText.source.text = *bytes;
  EXPECT_TRUE(driver.compile(fromText, sink, nullptr).ok()) << sink.text;
  fromText.source.text.resize(bytes->size() / 2);
  EXPECT_FALSE(driver.compile(fromText, sink, nullptr).ok());
}

} // namespace
