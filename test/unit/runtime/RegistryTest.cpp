//===- RegistryTest.cpp - discovery, selection, both halves ---------------===//
//
// What   The null plugin found, listed, shadowed, filtered; targets resolved;
//        its halves opened and used through the tables.
// Why    These are the answers behind `tz targets -v` and TERRAZZO_TARGET.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "runtime/device/RuntimeDevice.h"
#include "runtime/launch/LoadedKernel.h"

#include <gmock/gmock.h>
#include <unistd.h>

using namespace tz::runtime;
using testing::HasSubstr;

namespace {

RegistryOptions only(std::vector<std::string> folders) {
  RegistryOptions options;
  options.readEnvironment = false;
  options.registeredBuiltins = false;
  options.defaultFolders = std::move(folders);
  return options;
}

/// The null plugin's, for any folder.
std::string nullManifest() {
  const std::string there = TZ_TEST_PLUGIN_FOLDER;
  std::string text = readFile(there + "/null.json");
  for (size_t at = 0; (at = text.find("./libtz", at)) != std::string::npos;) {
    text.replace(at, 1, there);
  }
  return text;
}

TEST(Registry, FindsTheNullPlugin) {
  Registry registry(only({TZ_TEST_PLUGIN_FOLDER}));
  Result<Plugin *> null = registry.find("null");
  ASSERT_TRUE(null) << null.status().message();
  Result<const Plugin::CompilerHalf *> compiler = (*null)->compiler();
  ASSERT_TRUE(compiler) << compiler.status().message();
  EXPECT_EQ((*compiler)->targets, std::vector<std::string>{"null:any"});
  Result<const Plugin::DeviceList *> devices = (*null)->devices();
  ASSERT_TRUE(devices) << devices.status().message();
  EXPECT_EQ((*devices)->size(), 1u);
}

TEST(Registry, UnknownTargetNamesWhatThereIs) {
  Registry registry(only({TZ_TEST_PLUGIN_FOLDER}));
  Result<ResolvedTarget> target = registry.resolve("nosuch");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.status().code(), TZ_E_NOT_FOUND);
  EXPECT_THAT(target.status().message(), HasSubstr("unknown target 'nosuch'"));
  EXPECT_THAT(target.status().message(), HasSubstr("null"));
}

TEST(Registry, ResolvesDevicesTargetsAndLists) {
  Registry registry(only({TZ_TEST_PLUGIN_FOLDER}));
  EXPECT_EQ(registry.resolve("null")->id, "null:any");
  EXPECT_EQ(registry.resolve("null:0")->deviceIndex, 0);
  EXPECT_EQ(registry.resolve("null:any")->id, "null:any");
  EXPECT_EQ(registry.resolve("nosuch,null")->plugin->name(), "null");
  Result<ResolvedTarget> far = registry.resolve("null:7");
  ASSERT_FALSE(far);
  EXPECT_THAT(far.status().message(), HasSubstr("there is 1 device"));
  EXPECT_FALSE(registry.resolve(","));
}

TEST(Registry, RefusesCodeTargetsThatThereAreNot) {
  Registry registry(only({TZ_TEST_PLUGIN_FOLDER}));
  EXPECT_EQ(registry.resolve("null:0:any")->id, "null:any");
  EXPECT_EQ(registry.resolve("null:any", false)->deviceIndex, -1);
  for (bool needDevice : {true, false}) {
    Result<ResolvedTarget> none = registry.resolve("null:nonsense", needDevice);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.status().code(), TZ_E_NOT_FOUND);
    EXPECT_EQ(
        none.status().message(),
        std::string("target 'null:nonsense': there is no code target "
                    "'nonsense'; ") +
            (needDevice ? "null:0 can run: null:any" : "there are: null:any"));
  }
  EXPECT_THAT(registry.resolve("null:ayn").status().message(),
              HasSubstr("; did you mean 'null:any'? null:0 can run: null:any"));
  EXPECT_EQ(registry.resolve("null:nonsense,null:any")->id, "null:any")
      << "the next of the list";
}

TEST(Registry, TheEnvironmentChoosesAndTheApiWins) {
  RegistryOptions options = only({TZ_TEST_PLUGIN_FOLDER});
  options.readEnvironment = true;
  setenv("TERRAZZO_TARGET", "null", 1);
  {
    Registry registry(options);
    EXPECT_EQ(registry.resolve("")->plugin->name(), "null");
    setenv("TERRAZZO_TARGET", "nosuch", 1);
    EXPECT_THAT(registry.resolve("").status().message(),
                HasSubstr("TERRAZZO_TARGET"));
    EXPECT_EQ(registry.resolve("null")->plugin->name(), "null");
  }
  unsetenv("TERRAZZO_TARGET");
}

TEST(Registry, FirstOfEqualNameWinsAndTheOtherIsListed) {
  TemporaryFolder folder;
  folder.write("again.json", nullManifest());
  Registry registry(only({TZ_TEST_PLUGIN_FOLDER, folder.path}));
  int shadowed = 0;
  for (const PluginListing &line : registry.listing()) {
    if (line.state == PluginListing::Shadowed) {
      ++shadowed;
      EXPECT_THAT(line.reason, HasSubstr(TZ_TEST_PLUGIN_FOLDER));
    }
  }
  EXPECT_EQ(shadowed, 1);
}

TEST(Registry, FilterLeavesOut) {
  RegistryOptions options = only({TZ_TEST_PLUGIN_FOLDER});
  options.readEnvironment = true;
  setenv("TERRAZZO_PLUGINS", "*,-nul?", 1);
  {
    Registry registry(options);
    Result<Plugin *> null = registry.find("null");
    ASSERT_FALSE(null);
    EXPECT_THAT(null.status().message(), HasSubstr("TERRAZZO_PLUGINS"));
  }
  unsetenv("TERRAZZO_PLUGINS");
}

TEST(Registry, PluginFilesReplaceThePaths) {
  setenv(
      "TERRAZZO_PLUGIN_FILES",
      (std::string(TZ_TEST_PLUGIN_FOLDER) + "/null.json:/no/such.json").c_str(),
      1);
  setenv("TERRAZZO_PLUGIN_PATH", "/nowhere", 1);
  {
    RegistryOptions options;
    options.registeredBuiltins = false;
    Registry registry(options);
    ASSERT_EQ(registry.listing().size(), 2u);
    EXPECT_EQ(registry.listing()[0].state, PluginListing::Usable);
    EXPECT_EQ(registry.listing()[1].state, PluginListing::Rejected);
    EXPECT_THAT(registry.listing()[1].reason, HasSubstr("cannot be opened"));
  }
  unsetenv("TERRAZZO_PLUGIN_FILES");
  unsetenv("TERRAZZO_PLUGIN_PATH");
}

TEST(Registry, APluginWithoutItsLibrariesIsNotUsable) {
  TemporaryFolder folder;
  const std::string text =
      readFile(std::string(TZ_TEST_PLUGIN_FOLDER) + "/null.json");
  folder.write("null.json", text); // and no library beside it
  Registry registry(only({folder.path}));
  ASSERT_EQ(registry.listing().size(), 1u);
  EXPECT_EQ(registry.listing()[0].state, PluginListing::Rejected);
  EXPECT_THAT(registry.listing()[0].reason,
              HasSubstr("plugin library does not exist"));
  EXPECT_TRUE(registry.plugins().empty());
  EXPECT_THAT(registry.resolve("null").status().message(),
              HasSubstr("target 'null' is not usable"));
  // With one of the halves it serves.
  folder.write(
      "libtz_null_device.so",
      readFile(std::string(TZ_TEST_PLUGIN_FOLDER) + "/libtz_null_device.so"));
  Registry half(only({folder.path}));
  ASSERT_EQ(half.listing().size(), 1u);
  EXPECT_EQ(half.listing()[0].state, PluginListing::Usable);
  EXPECT_THAT(half.listing()[0].reason,
              HasSubstr("compiler half: " + folder.path));
  EXPECT_TRUE(half.resolve("null"));
}

TEST(Registry, AutoNeverChoosesANegativePriority) {
  TemporaryFolder folder;
  folder.write("null.json", nullManifest());
  Registry registry(only({folder.path}));
  Result<ResolvedTarget> target = registry.resolve("auto");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.status().code(), TZ_E_NOT_FOUND);
}

TEST(Registry, AutoPrefersWhatCanCompile) {
  TemporaryFolder folder;
  std::string text =
      readFile(std::string(TZ_TEST_PLUGIN_FOLDER) + "/null.json");
  auto replace = [&](const char *from, const std::string &to) {
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, std::strlen(from), to);
  };
  const std::string there = TZ_TEST_PLUGIN_FOLDER;
  replace("./libtz_null_device.so", there + "/libtz_null_device.so");
  replace("\"priority\": -1", "\"priority\": 7");
  std::string whole = text;
  replace("./libtz_null_compiler.so", folder.path + "/nothing.so");
  folder.write("null.json", text);
  RegistryOptions options = only({folder.path});
  // A program that only launches takes it; so does one that has no other.
  EXPECT_TRUE(Registry(options).resolve("auto"));
  options.wantsCompiler = true;
  Registry registry(options);
  EXPECT_TRUE(registry.resolve("auto"));
  EXPECT_EQ((*registry.find("null"))->compilerFile().code(), TZ_E_NOT_FOUND);
}

TEST(Registry, GlobsMatch) {
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("a*c", "abbc"));
  EXPECT_TRUE(matchesGlob("a*b*c", "axxbyyc"));
  EXPECT_FALSE(matchesGlob("a?c", "ac"));
  EXPECT_FALSE(matchesGlob("a*c", "abcd"));
}

TEST(NullPlugin, CompilesIntoARecordOfTheRequest) {
  Registry registry(only({TZ_TEST_PLUGIN_FOLDER}));
  Plugin &null = **registry.find("null");
  const Plugin::CompilerHalf &half = **null.compiler();
  tz_compile_request request{};
  request.struct_size = sizeof(request);
  request.target = str("null:any");
  request.ir_format = str("tile");
  request.ir_minor = 1;
  request.ir = {"hello", 5};
  request.opt_level = 3;
  request.emit = str("asm");
  tz_kv option{};
  option.key = str("num_warps");
  option.kind = TZ_KV_I64;
  option.i64 = 8;
  request.options = &option;
  request.num_options = 1;
  tz_artifact *made = nullptr;
  Status s = takeError(half.api->compile(half.object, &request, &made), "null");
  ASSERT_TRUE(s.ok()) << s.message();
  Result<Artifact> artifact = Artifact::copy(*made);
  made->release(made);
  ASSERT_TRUE(artifact) << artifact.status().message();
  std::string record = artifact->findBlob("main")->bytes;
  EXPECT_THAT(record, HasSubstr("ir_bytes = 5"));
  EXPECT_THAT(record, HasSubstr("opt_level = 3"));
  EXPECT_THAT(record, HasSubstr("emit = asm"));
  EXPECT_THAT(record, HasSubstr("option num_warps = 8"));
  request.target = str("null:other");
  made = nullptr;
  s = takeError(half.api->compile(half.object, &request, &made), "null");
  EXPECT_EQ(s.code(), TZ_E_NOT_FOUND);
  EXPECT_EQ(made, nullptr) << "out-parameters are untouched on error";
}

TEST(NullPlugin, MovesMemoryAndLaunches) {
  Registry registry(only({TZ_TEST_PLUGIN_FOLDER}));
  Result<std::shared_ptr<Device>> device =
      Device::open(**registry.find("null"), 0);
  ASSERT_TRUE(device) << device.status().message();
  auto stream = std::move(*(*device)->createStream());
  tz_dptr memory = *(*device)->allocate(1024);
  ASSERT_TRUE(stream->fill(memory, 1024, 0x01020304, 4).ok());
  std::vector<uint32_t> back(256);
  ASSERT_TRUE(stream
                  ->copy(reinterpret_cast<uintptr_t>(back.data()), memory, 1024,
                         TZ_COPY_DEVICE_TO_HOST)
                  .ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(back[255], 0x01020304u);
  EXPECT_FALSE(stream->fill(memory, 3, 0, 2).ok());

  auto artifact = std::make_shared<Artifact>();
  artifact->plugin = "null";
  artifact->compat = "null";
  artifact->variants.resize(1);
  artifact->variants[0].name = "null";
  auto kernel = LoadedKernel::load(*device, artifact);
  ASSERT_TRUE(kernel) << kernel.status().message();
  EXPECT_TRUE((*kernel)->launch(*stream, {1, 1, 1}, {}).ok());
  EXPECT_THAT((*kernel)->launch(*stream, {0, 1, 1}, {}).message(),
              HasSubstr("axis x is 0"));
  EXPECT_THAT((*kernel)->launch(*stream, {1, -5, 1}, {}).message(),
              HasSubstr("axis y is -5"));
  EXPECT_THAT((*kernel)->launch(*stream, {1, 1, 1ll << 31}, {}).message(),
              HasSubstr("2147483647"));
  EXPECT_TRUE((*device)->free(memory).ok());
}

} // namespace
