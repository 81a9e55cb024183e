//===- ZeForeign.h - a context of the program's, over Level Zero ----------===//
//
// What   A context with an immediate list, made as a program makes them.
// Why    ForeignTest.cpp asks both halves the same of such objects.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZEFOREIGN_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZEFOREIGN_H

#include "plugins/intel/device/test/ZeFixture.h"

namespace tz::intel::test {

struct ZeForeign : ZeFixture {
  void SetUp() override {
    ZeFixture::SetUp();
    if (IsSkipped()) {
      return;
    }
    begin();
    const ze_context_desc_t desc{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ASSERT_EQ(driver().zeContextCreate(device->vendor, &desc, &context),
              ZE_RESULT_SUCCESS);
    ze_command_queue_desc_t queue{};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    queue.ordinal = 1;
    queue.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ASSERT_EQ(driver().zeCommandListCreateImmediate(context, device->native,
                                                    &queue, &list),
              ZE_RESULT_SUCCESS);
  }
  void TearDown() override {
    if (wrapped) {
      api.device_release(wrapped);
    }
    if (list) {
      (void)driver().zeCommandListDestroy(list);
    }
    if (context) {
      (void)driver().zeContextDestroy(context);
    }
    ZeFixture::TearDown();
  }
  const ZeDriver &driver() { return platform->driver; }

  Told wrapDevice(const tz_native &native) {
    return api.device_wrap(platform, &native, &wrapped);
  }
  Told wrapContext() {
    return wrapDevice(
        {sizeof(tz_native), "level_zero", context, device->native, nullptr});
  }
  /// The list, for stream_create.
  tz_native streamNative() const {
    return {sizeof(tz_native), "level_zero", context, nullptr, list};
  }
  void *allocateHost(size_t bytes) {
    ze_host_mem_alloc_desc_t desc{};
    desc.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    void *made = nullptr;
    EXPECT_EQ(driver().zeMemAllocHost(context, &desc, bytes, 64, &made),
              ZE_RESULT_SUCCESS);
    return made;
  }
  void freeHost(void *memory) {
    EXPECT_EQ(driver().zeMemFree(context, memory), ZE_RESULT_SUCCESS);
  }

  ze_context_handle_t context = nullptr;
  ze_command_list_handle_t list = nullptr;
  tz_device *wrapped = nullptr;
};

using ForeignUnderTest = ZeForeign;

} // namespace tz::intel::test

#endif
