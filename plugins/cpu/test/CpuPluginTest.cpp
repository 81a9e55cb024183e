//===- CpuPluginTest.cpp - The shared object of the device half -----------===//
//
// What   Opens the file as the host does and asks it for its tables.
// Why    The other tests link the objects directly; what is exported, and what
//        is not, shows in the file only.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "terrazzo/plugin.h"

#include <cstring>
#include <dlfcn.h>

namespace {

TEST(DevicePlugin, AnswersQueryAndOffersTheDeviceTable) {
  void *library = dlopen(TERRAZZO_CPU_DEVICE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  tz_plugin_query_fn query = nullptr;
  void *symbol = dlsym(library, TZ_PLUGIN_ENTRY);
  ASSERT_TRUE(symbol);
  std::memcpy(&query, &symbol, sizeof query);
  tz_query request{sizeof request, TZ_ABI_MAJOR, TZ_ABI_MINOR, TZ_ABI_MINOR, 0};
  const tz_plugin *plugin = query(&request);
  ASSERT_TRUE(plugin);
  EXPECT_EQ(plugin, query(&request)) << "constant data";
  EXPECT_EQ(plugin->magic, TZ_PLUGIN_MAGIC);
  EXPECT_EQ(std::string(plugin->name.data, plugin->name.size), "cpu");
  EXPECT_EQ(plugin->sanitizer, TZ_SANITIZER_TAG);
  EXPECT_TRUE(plugin->get_interface("tz.device/1"));
  EXPECT_FALSE(plugin->get_interface("tz.device/2"));
  EXPECT_FALSE(plugin->get_interface("tz.compiler/1"));
  EXPECT_FALSE(plugin->get_interface(nullptr));

  request.abi_major = TZ_ABI_MAJOR + 1;
  EXPECT_FALSE(query(&request));
  EXPECT_FALSE(query(nullptr));

  // Hidden by the version script, though the file needs them.
  for (const char *name :
       {"__jit_debug_register_code", "__jit_debug_descriptor",
        "_ZN2tz3cpu9deviceApiEv"}) {
    EXPECT_FALSE(dlsym(library, name)) << name;
  }
}

TEST(DevicePlugin, HasEveryRequiredSlot) {
  void *library = dlopen(TERRAZZO_CPU_DEVICE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  tz_plugin_query_fn query = nullptr;
  void *symbol = dlsym(library, TZ_PLUGIN_ENTRY);
  std::memcpy(&query, &symbol, sizeof query);
  tz_query request{sizeof request, TZ_ABI_MAJOR, TZ_ABI_MINOR, TZ_ABI_MINOR, 0};
  const auto *api = static_cast<const tz_device_api *>(
      query(&request)->get_interface("tz.device/1"));
  ASSERT_TRUE(api);
  EXPECT_EQ(api->struct_size, sizeof(tz_device_api));
  EXPECT_TRUE(api->create && api->destroy && api->devices && api->device_info &&
              api->mem_alloc && api->mem_free && api->copy && api->fill &&
              api->stream_create && api->stream_destroy && api->stream_sync &&
              api->module_load && api->module_unload && api->kernel_get &&
              api->launch);
  tz_platform *platform = nullptr;
  tz_create_desc desc{};
  desc.struct_size = sizeof(desc);
  ASSERT_EQ(api->create(&desc, &platform), nullptr);
  api->destroy(platform);
  api->destroy(nullptr);
}

} // namespace
