//===- ClBinariesTest.cpp - what a driver's compiler made before ----------===//
//
// What   A host that keeps things: what is asked of it, and what of its answers
//        is taken.
// Why    A binary of other code, or a damaged one, must never be launched.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ClFixture.h"

#include <cstdlib>
#include <map>

namespace tz::intel::test {
namespace {

/// A cache that fits into a test.
struct KeepingHost {
  std::map<std::string, std::string> kept;
  int hits = 0, lent = 0;
  tz_host table{};

  KeepingHost() {
    table.struct_size = sizeof(table);
    table.ctx = this;
    table.free = [](void *ctx, void *data, size_t, size_t) {
      --self(ctx).lent;
      std::free(data);
    };
    table.cache_get = [](void *ctx, tz_bytes key, void **data,
                         size_t *size) -> int32_t {
      const auto found = self(ctx).kept.find(text(key));
      if (found == self(ctx).kept.end()) {
        return TZ_E_NOT_FOUND;
      }
      ++self(ctx).hits;
      ++self(ctx).lent;
      *size = found->second.size();
      *data = std::malloc(*size);
      std::memcpy(*data, found->second.data(), *size);
      return TZ_E_OK;
    };
    table.cache_put = [](void *ctx, tz_bytes key, tz_bytes value) -> int32_t {
      self(ctx).kept[text(key)] = text(value);
      return TZ_E_OK;
    };
  }
  static KeepingHost &self(void *ctx) {
    return *static_cast<KeepingHost *>(ctx);
  }
  static std::string text(tz_bytes bytes) {
    return {static_cast<const char *>(bytes.data), bytes.size};
  }
};

struct ClBinaries : ClFixture {
  void begin(bool isGpu = false) {
    shim().isGpu = isGpu;
    tz_kv option{};
    option.key = plugin::str("opencl");
    option.kind = TZ_KV_STR;
    option.str = plugin::str(ShimLibrary);
    const Told made = calls.create(&host.table, &option, 1, &platform);
    ASSERT_EQ(made.code, TZ_E_OK) << made.text;
    device = devices(isGpu ? TZ_DEVICES_REAL : TZ_DEVICES_SIMULATED).front();
    ASSERT_EQ(Told(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
  }
  /// Loads the kernels anew, and runs one.
  void run() {
    if (module) {
      api.module_unload(module);
      module = nullptr;
    }
    std::vector<int32_t> own(64, 0);
    const Told told =
        launch(kernel("mark"),
               Packed() << own.data() << int32_t(9) << int32_t(own.size()));
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
    EXPECT_EQ(own, std::vector<int32_t>(64, 9));
    EXPECT_EQ(host.lent, 0);
  }

  KeepingHost host;
};

TEST_F(ClBinaries, AreTakenWhereTheSameCodeIsLoadedAgain) {
  begin();
  run();
  EXPECT_EQ(shim().compiled, 1);
  EXPECT_EQ(host.kept.size(), 1u);
  run();
  EXPECT_EQ(shim().compiled, 1);
  EXPECT_EQ(host.hits, 1);
}

TEST_F(ClBinaries, ThatAreDamagedAreMadeAgain) {
  begin();
  run();
  for (const std::string &damaged :
       {std::string(), std::string("no binary"),
        host.kept.begin()->second.substr(0, 100)}) {
    const int before = shim().compiled;
    host.kept.begin()->second = damaged;
    run();
    EXPECT_EQ(shim().compiled, before + 1) << damaged.size();
    EXPECT_GT(host.kept.begin()->second.size(), 100u);
  }
}

TEST_F(ClBinaries, OfOtherCodeOrSettingsAreOthers) {
  begin();
  run();
  tz_module *other = nullptr;
  const Told told = load(noted(spirv(), "other"), &other);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  api.module_unload(other);
  EXPECT_EQ(shim().compiled, 2);
  ASSERT_EQ(setenv("CL_CONFIG_TEST_ALONE", "1", /*overwrite=*/1), 0);
  run();
  ASSERT_EQ(unsetenv("CL_CONFIG_TEST_ALONE"), 0);
  EXPECT_EQ(shim().compiled, 3);
  EXPECT_EQ(host.kept.size(), 3u);
  EXPECT_EQ(host.hits, 0);
}

TEST_F(ClBinaries, OfGpusAreLeftToTheirDriver) {
  begin(/*isGpu=*/true);
  tz_module *loaded = nullptr;
  const Told told = load(spirv(), &loaded);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  api.module_unload(loaded);
  EXPECT_TRUE(host.kept.empty());
}

} // namespace
} // namespace tz::intel::test
