//===- PluginTest.cpp - the shared object of the device half --------------===//
//
// What   Opens the file as the host does and asks it for its tables.
// Why    The other tests link the objects directly; what is exported shows in
//        the file only.
//===----------------------------------------------------------------------===//
#include "terrazzo/plugin.h"

#include "gtest/gtest.h"

#include <cstring>
#include <dlfcn.h>
#include <set>

namespace {

TEST(NvidiaPlugin, AnswersQueryAndFillsAllSlotsButTwo) {
  void *library = dlopen(TZ_NVIDIA_DEVICE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  void *symbol = dlsym(library, TZ_PLUGIN_ENTRY);
  ASSERT_TRUE(symbol);
  tz_plugin_query_fn query = nullptr;
  std::memcpy(&query, &symbol, sizeof(query));
  tz_query request{sizeof(request), TZ_ABI_MAJOR, TZ_ABI_MINOR, TZ_ABI_MINOR,
                   0};
  const tz_plugin *plugin = query(&request);
  ASSERT_TRUE(plugin);
  EXPECT_EQ(std::string(plugin->name.data, plugin->name.size), "nvidia");
  EXPECT_EQ(plugin->sanitizer, TZ_SANITIZER_TAG);
  EXPECT_FALSE(plugin->get_interface("tz.device/2"));
  EXPECT_FALSE(plugin->get_interface(nullptr));
  const void *table = plugin->get_interface("tz.device/1");
  ASSERT_TRUE(table);
  // Behind the size there are pointers only. A kernel on a GPU cannot be ended,
  // and the driver does not tell where one faulted.
  const std::set<size_t> left = {offsetof(tz_device_api, stream_cancel),
                                 offsetof(tz_device_api, source_place)};
  const auto *slots = static_cast<void *const *>(table);
  ASSERT_EQ(*static_cast<const size_t *>(table), sizeof(tz_device_api));
  for (size_t i = 1; i < sizeof(tz_device_api) / sizeof(void *); ++i) {
    EXPECT_EQ(slots[i] == nullptr, left.contains(i * sizeof(void *)))
        << "slot " << i;
  }
  request.abi_major = TZ_ABI_MAJOR + 1;
  EXPECT_FALSE(query(&request));
  EXPECT_FALSE(query(nullptr));
}

} // namespace
