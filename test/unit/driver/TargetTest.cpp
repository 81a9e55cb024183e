//===- TargetTest.cpp - what a target says of itself, and of a kernel -----===//
//
// What   Features, options and check() of a compiler half that is made here
//        over the plugin SDK.
// Why    The plugins of the tree say nothing wrong and support nearly all; here
//        is one that does not.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "core/driver/Driver.h"
#include "core/driver/vendor/VendorCompiler.h"

#include "terrazzo/plugin/Compiler.h"

#include <gtest/gtest.h>

namespace {

using namespace tz::runtime;
using tz::driver::Driver;
using tz::driver::Stage;
namespace plugin = tz::plugin;

/// Knows a feature that nobody else does, and no kernel.
class Picky final : public plugin::Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override { return {"picky:any"}; }
  tz_target_desc describe(std::string_view) override {
    static const tz_ir_range ir[] = {{plugin::str("tile"), 0, 1, 0, 1}};
    static const char *const features[] = {
        "f64",          "dot.tf23",     "math.exp.f32",  "math.pow.f64",
        "math.cry.f32", "math.exp.i32", "x.picky.trial", "quux"};
    tz_target_desc d{};
    d.id = plugin::str("picky:any");
    d.ir = ir;
    d.num_ir = 1;
    d.features = features;
    d.num_features = std::size(features);
    return d;
  }
  plugin::Artifact compile(const plugin::Request &request) override {
    check(request);
    return {};
  }
  void check(const plugin::Request &request) {
    request.report(TZ_SEVERITY_ERROR, "no tile.load here", "add.py", 8, 9);
    request.report(TZ_SEVERITY_ERROR, "no tile.store here", "add.py", 10, 5);
    throw plugin::Failure(TZ_E_UNSUPPORTED_OP, "2 ops are not supported");
  }
  std::vector<plugin::Option> options(std::string_view target) {
    ++asked;
    if (target != "picky:any") {
      throw plugin::Failure(TZ_E_NOT_FOUND, "no such target");
    }
    return {plugin::Option::integer("depth", 1, 8, 2, "how deep"),
            plugin::Option::oneOf("width", "16,32", 32, "how wide"),
            plugin::Option::boolean("twice", false, "once more"),
            plugin::Option::text("order", "row,column", "row", "which first"),
            plugin::Option::integer("num_warps", 1, 4, 4, "at most four")};
  }
  static inline unsigned asked = 0;
};

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.compiler/1"
             ? plugin::compilerTable<Picky>()
             : nullptr;
}

const tz_plugin *query(const tz_query *) {
  static constexpr tz_plugin self =
      plugin::entry("picky", "t", "1", "b", getInterface);
  return &self;
}

struct Collected final : DiagnosticSink {
  void report(uint32_t severity, std::string_view rendered) override {
    counts[severity] += 1;
    text += rendered;
  }
  bool says(std::string_view what) const {
    return text.find(what) != std::string::npos;
  }
  unsigned counts[4] = {};
  std::string text;
};

struct TargetTest : testing::Test {
  TemporaryFolder folder;
  Registry registry{options(), nullptr};
  Driver driver{registry, nullptr};
  Collected sink;

  static RegistryOptions options() {
    RegistryOptions made;
    made.readEnvironment = false;
    made.builtins = {{"picky", query, nullptr}};
    made.searchFolders = {TZ_TEST_PLUGIN_FOLDER};
    return made;
  }
  static CompileJob job() {
    CompileJob made;
    made.source = {"add.py",
                   R"(import triton
import triton.language as tl

@triton.jit
def add_kernel(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x + offsets, mask=inside)
    b = tl.exp(a)
    tl.store(out + offsets, a + b, mask=inside)
)",
                   "add_kernel", false};
    made.plugin = "picky";
    made.target = "picky:any";
    ArgumentSpec pointer;
    pointer.kind = ArgumentSpec::Runtime;
    pointer.type = TZ_TYPE_PTR;
    pointer.element = TZ_TYPE_F32;
    ArgumentSpec n;
    n.kind = ArgumentSpec::Runtime;
    n.type = TZ_TYPE_I32;
    ArgumentSpec block;
    block.kind = ArgumentSpec::Constant;
    block.constant = {"BLOCK", TZ_KV_I64, 64, 0, ""};
    made.arguments = {pointer, pointer, n, block};
    return made;
  }
  Plugin &picky() { return **registry.find("picky"); }
};

TEST_F(TargetTest, UnknownFeaturesAreNamedOnce) {
  ASSERT_TRUE(driver.lower(job(), Stage::Prepared, sink).ok()) << sink.text;
  EXPECT_EQ(sink.counts[TZ_SEVERITY_WARNING], 4u) << sink.text;
  EXPECT_TRUE(sink.says("plugin 'picky', target 'picky:any': unknown feature "
                        "'dot.tf23'; did you mean 'dot.tf32'?"))
      << sink.text;
  EXPECT_TRUE(sink.says("'math.cry.f32'") && sink.says("'math.exp.i32'") &&
              sink.says("'quux'"))
      << sink.text;
  EXPECT_FALSE(sink.says("trial") || sink.says("pow"));
  ASSERT_TRUE(driver.lower(job(), Stage::Prepared, sink).ok());
  EXPECT_EQ(sink.counts[TZ_SEVERITY_WARNING], 4u);
}

TEST_F(TargetTest, ThePluginsOfTheTreeListKnownFeatures) {
  size_t described = 0;
  for (Plugin *one : registry.plugins()) {
    if (one->name() == "picky" || !one->hasCompiler()) {
      continue;
    }
    auto half = one->compiler();
    ASSERT_TRUE(half.ok()) << half.status().message();
    for (const std::string &id : (*half)->targets) {
      auto about = tz::driver::describeTarget(*one, id);
      ASSERT_TRUE(about.ok()) << about.status().message();
      EXPECT_EQ(about->unknownFeatures, std::vector<std::string>()) << id;
      ++described;
    }
  }
  EXPECT_GE(described, 1u);
}

TEST_F(TargetTest, NeutralIsTheSameWithADescriptionAndWithout) {
  CompileJob without = job();
  without.plugin.clear();
  auto with = driver.lower(job(), Stage::Neutral, sink);
  auto other = driver.lower(without, Stage::Neutral, sink);
  ASSERT_TRUE(with.ok() && other.ok()) << sink.text;
  EXPECT_EQ(*with->portable(), *other->portable());
}

TEST_F(TargetTest, CheckReportsEachOpAtItsPlace) {
  Status s = driver.check(job(), sink);
  EXPECT_EQ(s.code(), TZ_E_UNSUPPORTED_OP);
  EXPECT_EQ(sink.counts[TZ_SEVERITY_ERROR], 2u) << sink.text;
  EXPECT_TRUE(sink.says("add.py:8:9: error: no tile.load here\n"
                        "      a = tl.load(x + offsets, mask=inside)"))
      << sink.text;
  EXPECT_TRUE(sink.says("add.py:10:5: error: no tile.store here"));
}

TEST_F(TargetTest, AFunctionThatIsNotThereIsSaid) {
  // The plugin's table without its optional functions.
  auto half = picky().compiler();
  ASSERT_TRUE(half.ok());
  auto *api = const_cast<CompilerFunctions *>((*half)->api);
  api->check = {};
  api->list_options = {};
  CompileJob any = job();
  any.options = {{"whatever", TZ_KV_I64, 1, 0, ""}};
  Status s = driver.check(any, sink);
  EXPECT_EQ(s.code(), TZ_E_UNIMPLEMENTED);
  EXPECT_EQ(s.message(), "plugin 'picky' cannot say without compiling whether "
                         "it supports a kernel; compile it");
  EXPECT_EQ(sink.counts[TZ_SEVERITY_ERROR], 0u) << sink.text;
}

TEST_F(TargetTest, OptionsAreListedAndAskedForOnce) {
  auto listed = tz::driver::listOptions(picky(), "picky:any");
  ASSERT_TRUE(listed.ok() && *listed);
  ASSERT_EQ((*listed)->size(), 5u);
  EXPECT_EQ((**listed)[0].range(), "1 to 8");
  EXPECT_EQ((**listed)[1].range(), "16 or 32");
  EXPECT_EQ((**listed)[2].range(), "0 or 1");
  EXPECT_EQ((**listed)[3].range(), "row or column");
  EXPECT_EQ((**listed)[3].defaultText(), "row");
  unsigned before = Picky::asked;
  ASSERT_TRUE(tz::driver::listOptions(picky(), "picky:any").ok());
  EXPECT_EQ(Picky::asked, before);
  EXPECT_FALSE(tz::driver::listOptions(picky(), "picky:other").ok());
}

TEST_F(TargetTest, OptionsThatNobodyKnowsAreRefused) {
  struct {
    KeyValue given;
    const char *message; // "" = taken
  } const cases[] = {
      {{"depth", TZ_KV_I64, 8, 0, ""}, ""},
      {{"depth", TZ_KV_I64, 9, 0, ""},
       "'depth' is 9; target 'picky:any' takes 1 to 8"},
      {{"depth", TZ_KV_STR, 0, 0, "x"}, "'depth' is 'x'; target"},
      {{"width", TZ_KV_I64, 16, 0, ""}, ""},
      {{"width", TZ_KV_I64, 24, 0, ""},
       "'width' is 24; target 'picky:any' takes 16 or 32"},
      {{"twice", TZ_KV_BOOL, 1, 0, ""}, ""},
      {{"twice", TZ_KV_F64, 0, 0.5, ""}, "takes 0 or 1"},
      {{"order", TZ_KV_STR, 0, 0, "column"}, ""},
      {{"order", TZ_KV_STR, 0, 0, "diagonal"}, "takes row or column"},
      {{"dept", TZ_KV_I64, 1, 0, ""},
       "unknown option 'dept' for target 'picky:any'; did you mean 'depth'?"},
      {{"zzzzzzzz", TZ_KV_I64, 1, 0, ""}, "there are num_warps, "},
      {{"num_stages", TZ_KV_I64, 3, 0, ""}, ""},
      {{"num_warps", TZ_KV_I64, 8, 0, ""},
       "'num_warps' is 8; target 'picky:any' takes 1 to 4"},
  };
  for (const auto &one : cases) {
    Collected said;
    CompileJob given = job();
    given.options = {one.given};
    int32_t code = driver.check(given, said).code();
    if (*one.message) {
      EXPECT_EQ(code, TZ_E_INVALID_ARGUMENT) << one.given.key;
      EXPECT_TRUE(said.says(one.message)) << said.text;
      EXPECT_EQ(driver.compile(given, said).status().code(), code);
    } else {
      EXPECT_EQ(code, TZ_E_UNSUPPORTED_OP) << said.text;
    }
  }
}

} // namespace
